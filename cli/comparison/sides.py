"""From the arguments of `scorewatch compare` to two runs: by name of a set, by report folder, or scored on the way."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from cli.comparison.scoring import has_inputs, score_again, score_inputs
from cli.localised.language import spoken
from cli.score.rubrics import Rubrics
from cli.score.settings import ScoreSettings
from reporting.comparison.runs import UnknownRoundError, UnreadableRunError, read_report, read_run
from reporting.data.report_json import Report
from reporting.known.sets import find_sets
from reporting.store.set_folder import PROBLEM_MD, set_folder
from reporting.store.status import REPORT_JSON, STATUS_JSON
from reporting.wording.display import clean
from scoring.comparison.run import Run
from scoring.items.part import ENGINE_VERSION
from scoring.problems import InputError
from scoring.sets.names import fold

ROUND_MARK = "@"
_NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison. folder: of its report, None for inputs that were scored on the way."""

    run: Run
    folder: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What an argument names: a report, or inputs to score. selection: of one round, "" for all."""

    name: str
    selection: str
    folder: Path | None = None
    report: Report | None = None
    inputs: Path | None = None


def load_sides(arguments: Sequence[str], settings: ScoreSettings, rubrics: Rubrics, *, is_named: bool) -> list[Side]:
    """The runs that the arguments name, in their order.

    Reports of different rubrics or engines are scored again under today's rubric where their inputs are still in the
    watched folder. is_named: a rubric was named, under which every report is to be scored. Raises click.UsageError for
    a name that is no run, InputError for inputs that cannot be scored.
    """
    found = [_find(argument, settings) for argument in arguments]
    bases = {
        (one.report.rubric_digest, one.report.engine_version) if one.report is not None else ("", ENGINE_VERSION)
        for one in found
    }
    is_same = len(bases) == 1 and not is_named
    return [_side(one, settings, rubrics, is_same=is_same) for one in found]


def _side(found: _Found, settings: ScoreSettings, rubrics: Rubrics, *, is_same: bool) -> Side:
    try:
        if found.inputs is not None:
            run = score_inputs(found.inputs, settings, rubrics, selection=found.selection)
            return Side(run=run, folder=None)
        assert found.report is not None
        assert found.folder is not None
        again = None if is_same else score_again(found.report, settings, rubrics, selection=found.selection)
        run = again or read_run(found.folder, selection=found.selection)
        return Side(run=run, folder=found.folder)
    except UnknownRoundError as error:
        rounds = ", ".join(clean(label) for label in error.rounds)
        values = {"name": clean(found.name), "round": clean(error.label), "rounds": rounds}
        raise click.UsageError(spoken()("compare.unknown-round", **values)) from None
    except UnreadableRunError:
        raise click.UsageError(spoken()("compare.unreadable", name=clean(found.name))) from None


def _find(argument: str, settings: ScoreSettings) -> _Found:
    """What an argument names; the whole of it is tried before what stands in front of an `@`."""
    if not argument.strip():
        raise click.UsageError(spoken()("usage.empty-path"))
    name, mark, label = argument.rpartition(ROUND_MARK)
    candidates = [(argument, ""), *([(name, unicodedata.normalize("NFC", label))] if mark and name and label else [])]
    for written, selection in candidates:
        found = _named(written, selection, settings)
        if found is not None:
            return found
    raise click.UsageError(_unknown(candidates[-1][0], settings))


def _named(name: str, selection: str, settings: ScoreSettings) -> _Found | None:
    """A set, a report folder, inputs; last a set whose name was typed in another case."""
    path = Path(name)
    wanted = unicodedata.normalize("NFC", name)
    found = _report(_folder_of_set(wanted, settings.out), name, selection) or _report(path, name, selection)
    if found is not None:
        return found
    if _is_file(path) or has_inputs(path, settings):
        return _Found(name=name, selection=selection, inputs=path)
    alike = [known for known in _names(settings.out) if fold(known) == fold(wanted)]
    return _report(_folder_of_set(alike[0], settings.out), name, selection) if len(alike) == 1 else None


def _report(folder: Path | None, name: str, selection: str) -> _Found | None:
    """The report in a folder, None without one. Raises click.UsageError for one that has no scores."""
    if folder is None:
        return None
    if _is_there(folder / REPORT_JSON):
        try:
            return _Found(name=name, selection=selection, folder=folder, report=read_report(folder))
        except UnreadableRunError:
            raise click.UsageError(spoken()("compare.unreadable", name=clean(name))) from None
    if _is_file(folder / PROBLEM_MD):
        raise click.UsageError(spoken()("compare.refused", name=clean(name)))
    return None


def _is_there(path: Path) -> bool:
    """Is there anything of this name, a pipe or what may not be looked at included?"""
    try:
        path.lstat()
    except PermissionError:
        return True
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return False
    return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that cannot be searched
        return False


def _folder_of_set(name: str, out: Path) -> Path | None:
    """The folder of a set; None for a name that can be none."""
    try:
        return set_folder(out, name)
    except InputError:
        return None


def _names(out: Path) -> list[str]:
    try:
        return [entry.set_name for entry in find_sets(out)]
    except OSError:
        return []


def _unknown(name: str, settings: ScoreSettings) -> str:
    t = spoken()
    names = _names(settings.out)
    folded = {fold(known): known for known in names}
    close = difflib.get_close_matches(fold(name), folded, n=_NEAREST, cutoff=0.0)
    hint = t("compare.nearest", names=", ".join(f"'{clean(folded[near])}'" for near in close)) if close else ""
    return " ".join(filter(None, (t("compare.unknown", name=clean(name)), hint)))


def folder_of_report(name: str, settings: ScoreSettings) -> Path:
    """The folder of the set or report that is named, which has a status; click.UsageError when there is none."""
    wanted = unicodedata.normalize("NFC", name)
    alike = [known for known in _names(settings.out) if fold(known) == fold(wanted)]
    folders = [_folder_of_set(wanted, settings.out), Path(name)]
    folders += [_folder_of_set(alike[0], settings.out)] if len(alike) == 1 else []
    for folder in folders:
        if folder is not None and _is_there(folder / STATUS_JSON):
            return folder
    raise click.UsageError(_unknown(name, settings))
