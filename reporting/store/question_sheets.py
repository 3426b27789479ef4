"""The sheets of questions in a folder: which are there, and why one cannot be used."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import Problem, normalise, system_error
from scoring.reading import open_named
from scoring.sets import QUESTIONS, is_question_sheet

if TYPE_CHECKING:
    from scoring.questions import QuestionSheet


def sheet_paths(folder: Path) -> list[Path]:
    """The sheets of questions in a folder, by name; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if is_question_sheet(entry.name) and entry.is_file())
    except OSError:
        return []


def read_sheets(paths: Collection[Path], profiles: Collection[str]) -> list[QuestionSheet]:
    """What the sheets hold; those that cannot be used say why."""
    of_profile = Counter(map(_profile_of, paths))
    return [_read(path, profiles, is_alone=of_profile[_profile_of(path)] == 1) for path in paths]


def _read(path: Path, profiles: Collection[str], *, is_alone: bool) -> QuestionSheet:
    from scoring.questions import QuestionSheet, read_sheet  # few folders have any

    profile, name = _profile_of(path), path.name
    if profile not in profiles:
        problem = Problem(code="question-profile", source=name, values={"known": ", ".join(sorted(profiles))})
    elif not is_alone:
        problem = Problem(code="table-twice", source=name)
    else:
        try:
            with open_named(path) as stream:
                return read_sheet(stream, name, profile)
        except OSError as error:
            problem = system_error("unreadable", error, name)
    return QuestionSheet(name=name, profile=profile, problems=(problem,), is_readable=False)


def _profile_of(path: Path) -> str:
    return normalise(path.stem)[len(QUESTIONS) :]
