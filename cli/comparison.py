"""From the arguments of `scorewatch compare` to two runs: by name of a set, by report folder, or scored on the way.

No judge is asked: a comparison costs nothing. What was judged compares by its published report.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import click
from msgspec.structs import replace

from cli.localised import spoken
from cli.score import PlannedSet, Rubrics, ScoreSettings, Work, plan_work
from cli.screen import cut
from cli.set_names import NAME_CELLS, known_sets, unknown_set
from reporting.data import Report
from reporting.runs import UnknownRoundError, UnreadableRunError, read_report, read_run, reported_of_result
from reporting.store import PROBLEM_MD, REPORT_JSON, STATUS_HEAD, STATUS_JSON, set_folder
from reporting.wording import clean
from scoring import InputError, Problem, RubricError, system_error
from scoring.comparison import Run
from scoring.items import ENGINE_VERSION, score_file
from scoring.items.spool import Part, SpoolSpace
from scoring.reading import open_named
from scoring.results import merge
from scoring.sets import ReportBasis, SetId, fold, shown
from watcher import InputFolder

ROUND_MARK = "@"


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
        raise unreadable(found.name, found.folder) from None


def unreadable(name: str, folder: Path | None) -> click.UsageError:
    """What to say of a report that is there and that this engine cannot read. name: as it was asked for."""
    head = None if folder is None else STATUS_HEAD.read(folder)
    if head is None or head.engine_version == ENGINE_VERSION:
        return click.UsageError(spoken()("compare.unreadable", name=clean(name)))
    values = {"engine": str(head.engine_version), "own": str(ENGINE_VERSION)}
    return click.UsageError(spoken()("compare.unreadable-engine", name=clean(name), **values))


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
    raise _unknown(candidates[-1][0], settings)


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
            raise unreadable(name, folder) from None
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
    return [entry.set_name for entry in known_sets(out)]


def _unknown(name: str, settings: ScoreSettings) -> click.UsageError:
    return unknown_set(spoken()("compare.unknown", name=cut(name, NAME_CELLS)), name, _names(settings.out))


def folder_of_report(name: str, settings: ScoreSettings) -> Path:
    """The folder of the set or report that is named, which has a status; click.UsageError when there is none."""
    wanted = unicodedata.normalize("NFC", name)
    alike = [known for known in _names(settings.out) if fold(known) == fold(wanted)]
    folders = [_folder_of_set(wanted, settings.out), Path(name)]
    folders += [_folder_of_set(alike[0], settings.out)] if len(alike) == 1 else []
    for folder in folders:
        if folder is not None and _is_there(folder / STATUS_JSON):
            return folder
    raise _unknown(name, settings)


def has_inputs(folder: Path, settings: ScoreSettings) -> bool:
    """Does the folder hold files that could be scored?"""
    try:
        if not folder.is_dir():
            return False
    except OSError:  # a name that is too long
        return False
    return bool(InputFolder(folder, out=settings.out, ignore=settings.ignore).scan().files)


def score_inputs(path: Path, settings: ScoreSettings, rubrics: Rubrics, *, selection: str) -> Run:
    """The run of an input file, or of a folder that holds one set.

    Raises InputError for what cannot be scored, click.UsageError for a folder of several sets, UnknownRoundError.
    """
    return _scored(one_set(path, settings, rubrics).sets[0], settings, selection)


def one_set(path: Path, settings: ScoreSettings, rubrics: Rubrics) -> Work:
    """What there is to do for a file, or for a folder that holds one set. Raises as `score_inputs`."""
    work = plan_work([path], rubrics, out=settings.out, ignore=settings.ignore, set_name=None, watch=settings.watch)
    if len(work.sets) > 1:
        names = ", ".join(clean(planned.plan.name) for planned in work.sets)
        raise click.UsageError(spoken()("compare.several", name=clean(str(path)), names=names))
    if not work.sets:
        problems = (*work.problems, *(problem for refusal in work.refused for problem in refusal.problems))
        raise InputError(problems or (Problem(code="nothing-to-score", source=shown(str(path))),))
    return work


def score_again(report: Report, settings: ScoreSettings, rubrics: Rubrics, *, selection: str) -> Run | None:
    """The run of a report under today's rubric, from the inputs that it was made from.

    None when they are no longer in the watched folder as they were, when a judge has a part in the report, or when no
    rubric scores them today. Raises UnknownRoundError.
    """
    if report.judge is not None and report.judge.model:
        return None
    if not settings.watch.is_dir():
        return None
    try:
        if _is_of_today(report, rubrics):
            return None
        work = plan_work(
            [settings.watch],
            rubrics,
            out=settings.out,
            ignore=settings.ignore,
            set_name=None,
            watch=settings.watch,
        )
        planned = next((one for one in work.sets if one.plan.name == report.set), None)
        if planned is None:
            return None
        parts = _parts(planned)
        wanted = {entry.name: entry.sha256 for entry in report.inputs}
        if {name: part.sha256 for name, part in parts} != wanted:
            return None
        return replace(_merged(parts, planned, settings, selection), is_rescored=True)
    except (InputError, RubricError):
        return None


def _is_of_today(report: Report, rubrics: Rubrics) -> bool:
    """Was the report made by this engine and the rubric that scores its inputs today?"""
    if report.engine_version != ENGINE_VERSION or not report.inputs:
        return False
    profile = rubrics.choose(report.inputs[0].name.rpartition("/")[2], is_named=False)
    return isinstance(profile, str) and rubrics.used[profile].digest == report.rubric_digest


def _scored(planned: PlannedSet, settings: ScoreSettings, selection: str) -> Run:
    return _merged(_parts(planned), planned, settings, selection)


def _parts(planned: PlannedSet) -> list[tuple[str, Part]]:
    """(name relative to the set, its part) of every file. Raises InputError for one that cannot be read."""
    parts = []
    space = SpoolSpace(TemporaryFile)
    for name, file in zip(planned.plan.names, planned.files, strict=True):
        try:
            with open_named(file) as stream:
                parts.append((name, score_file(stream, name=str(file), rubric=planned.rubric, space=space)))
        except OSError as error:
            raise InputError((system_error("unreadable", error, shown(str(file))),)) from error
    return parts


def _merged(parts: list[tuple[str, Part]], planned: PlannedSet, settings: ScoreSettings, selection: str) -> Run:
    result = merge(parts, planned.rubric)
    basis = ReportBasis.of(planned.rubric, language=settings.language, csv_titles=settings.csv_titles)
    key = basis.key((name, part.sha256) for name, part in parts)
    set_id = SetId(planned.plan.name, key)
    return reported_of_result(result, set_id, language=settings.language, selection=selection).run
