"""Scores inputs on the way to a comparison: a file or folder that is named, or the inputs of a report once more.

No judge is asked: a comparison costs nothing. What was judged compares by its published report.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import click

from cli.localised.language import spoken
from cli.score.inputs import PlannedSet, plan_work
from cli.score.rubrics import Rubrics
from cli.score.settings import ScoreSettings
from reporting.comparison.runs import reported_of_result
from reporting.data.report_json import Report
from reporting.wording.display import clean
from scoring.comparison.run import Run
from scoring.items.part import ENGINE_VERSION, Part
from scoring.items.score_file import score_file
from scoring.items.spool.space import SpoolSpace
from scoring.problems import InputError, Problem, RubricError
from scoring.reading.regular_file import open_named
from scoring.results.merge import merge
from scoring.sets.key import ReportBasis
from scoring.sets.names import shown
from watcher.folder import InputFolder


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
    work = plan_work([path], rubrics, out=settings.out, ignore=settings.ignore, set_name=None)
    if len(work.sets) > 1:
        names = ", ".join(clean(planned.plan.name) for planned in work.sets)
        raise click.UsageError(spoken()("compare.several", name=clean(str(path)), names=names))
    if not work.sets:
        problems = (*work.problems, *(refusal.problem for refusal in work.refused))
        raise InputError(problems or (Problem(code="nothing-to-score", source=shown(str(path))),))
    return _scored(work.sets[0], settings, selection)


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
        work = plan_work([settings.watch], rubrics, out=settings.out, ignore=settings.ignore, set_name=None)
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
            values = {"reason": error.strerror or type(error).__name__}
            raise InputError((Problem(code="unreadable", source=shown(str(file)), values=values),)) from error
    return parts


def _merged(parts: list[tuple[str, Part]], planned: PlannedSet, settings: ScoreSettings, selection: str) -> Run:
    result = merge(parts, planned.rubric)
    basis = ReportBasis.of(planned.rubric, language=settings.language)
    key = basis.key((name, part.sha256) for name, part in parts)
    name, language = planned.plan.name, settings.language
    return reported_of_result(result, name=name, key=key, language=language, selection=selection).run
