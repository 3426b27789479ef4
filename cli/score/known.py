"""The failures that a team knows, for what one `scorewatch score` or `gate` looks at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cli.score.rubrics import Rubrics
from cli.score.settings import ScoreSettings
from scoring import Problem, system_error
from scoring.sets import KNOWN_NAMES, shown

if TYPE_CHECKING:
    from scoring.known import KnownLines


def lines_for(paths: Sequence[Path], out: Path | None, settings: ScoreSettings, rubrics: Rubrics) -> KnownLines | None:
    """The lines of the file in the watched folder, for what lies there and for its reports; else of one beside a path.

    None without a file.
    """
    return next((lines for one in _folders(paths, out, settings) if (lines := _read(one, settings, rubrics))), None)


def keep_lines(out: Path, lines: KnownLines | None) -> list[Problem]:
    """These lines are in force for a folder of reports; what is wrong with them, or could not be written."""
    from reporting.store import KNOWN_JSON, keep_known

    problems = [] if lines is None else list(lines.problems)
    try:
        keep_known(out, lines)
    except OSError as error:
        problems.append(system_error("not-written", error, shown(KNOWN_JSON)))
    return problems


def _folders(paths: Sequence[Path], out: Path | None, settings: ScoreSettings) -> list[Path]:
    if out is not None and os.path.realpath(out) == os.path.realpath(settings.out):
        return [settings.watch]
    return folders_about(paths, settings.watch)


def folders_about(paths: Sequence[Path], watch: Path) -> list[Path]:
    """Where files lie that say something about these inputs: the watched folder for its own, else beside them."""
    watched = Path(os.path.realpath(watch))
    return list(
        dict.fromkeys(
            watch if Path(os.path.realpath(path)).is_relative_to(watched) else path if path.is_dir() else path.parent
            for path in paths
        )
    )


def _read(folder: Path, settings: ScoreSettings, rubrics: Rubrics) -> KnownLines | None:
    if not any((folder / name).is_file() for name in KNOWN_NAMES):
        return None
    from reporting.store import known_in

    profiles = [rubric.profile for rubric in rubrics.in_force]
    today = datetime.now().astimezone().date()
    return known_in(folder, profiles=profiles, ticket_url=settings.ticket_url or "", today=today)
