"""Compares the report in a folder with its baseline, and writes what was found beside it; makes those that are missing.

A comparison may be made repeatedly, on any machine, in any order: what it names is what it read, so that a look at the
folders finds one that is outdated (`reporting.runs.baselines`).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.comparison import NO_SHARED, UNREADABLE, absence_text, notes_of, sentence, told_figure
from reporting.runs.baselines import BaselineAsk, Baselines
from reporting.runs.compare_files import absence_files, comparison_files, page_of, place_files
from reporting.runs.read import UnreadableRunError, read_run
from reporting.store import (
    BASELINE,
    BASELINE_JSON,
    COMPARE_HTML,
    STATUS,
    BaselineFile,
    Destination,
    KnownSets,
    State,
    encode_json,
    set_folder,
)
from scoring import InputError, Problem, TransientError
from scoring.comparison import Baseline, Comparison, NoSharedQueryError, Run, compare_runs
from scoring.items import ENGINE_VERSION
from scoring.sets import shown
from texts import texts


class _Found(NamedTuple):
    """The files of a comparison, and what is noted of it."""

    files: dict[str, bytes]
    mark: BaselineFile


def compare_with_baseline(ask: BaselineAsk, destination: Destination) -> BaselineFile | None:
    """Make a comparison and write it, unless it is there already. None when there is no report, or none to be read.

    Raises InputError for a name that leads out of the destination, TransientError when the file system refuses.
    """
    out, language = destination.out, destination.language
    folder = set_folder(out, ask.set_name)
    known = BASELINE.read(folder)
    if ask.baseline is None or ask.is_met(known, language):
        return known
    if ask.baseline.exists:
        try:
            run = read_run(folder)
        except UnreadableRunError:
            return None
        found = _compare(out, folder, run, ask.baseline, language)
    else:  # no row is read for it: a run of 100,000 rows takes seconds
        status = STATUS.read(folder)
        told = "" if status is None else status.shown_banner
        found = _absent(ask.set_name, ask.key, ask.baseline, ask.baseline.origin, language, told=told)

    def is_wanted() -> bool:
        status = STATUS.read(folder)  # a folder that was removed must not appear again
        return status is not None and status.state is State.REPORT

    files = {**found.files, BASELINE_JSON: encode_json(found.mark)}
    return found.mark if place_files(files, folder, destination, is_wanted=is_wanted) else None


def _compare(out: Path, folder: Path, run: Run, baseline: Baseline, language: str) -> _Found:
    before_folder = set_folder(out, baseline.name)
    try:
        before = read_run(before_folder)
        comparison = compare_runs(before, run)
    except UnreadableRunError:
        return _absent(run.name, run.key, baseline, UNREADABLE, language, told=run.banner)
    except NoSharedQueryError:
        return _absent(run.name, run.key, baseline, NO_SHARED, language, told=run.banner)
    pages = page_of(before_folder, folder), page_of(folder, folder)
    files = comparison_files(comparison, language=language, pages=pages, origin=baseline.origin)
    return _Found(files, _mark(comparison, baseline, language))


def _mark(comparison: Comparison, baseline: Baseline, language: str) -> BaselineFile:
    t = texts(language)
    return msgspec.structs.replace(
        _noted(comparison.after.name, comparison.after.key, baseline, sentence(comparison, t), language),
        baseline_key=comparison.before.key,
        headline=comparison.headline.metric,
        verdicts={change.metric: change.verdict for change in comparison.groups[0].changes},
        copies={change.metric: change.copy_of for change in comparison.groups[0].changes if change.copy_of},
        told=told_figure(comparison, t),
        now_fails=len(comparison.lists.now_fails),
        differences=comparison.differences,
        notes=tuple(note.text for note in notes_of(comparison, t)),
    )


def _absent(set_name: str, key: str, baseline: Baseline, reason: str, language: str, *, told: str = "") -> _Found:
    """told: what stands above everything on the pages of the set."""
    why = absence_text(baseline, reason, texts(language))
    files = absence_files(set_name, key, baseline, reason, language=language, told=told)
    return _Found(files, _noted(set_name, key, baseline, why, language))


def _noted(set_name: str, key: str, baseline: Baseline, told: str, language: str) -> BaselineFile:
    """What is noted of every comparison, and of none."""
    return BaselineFile(
        set=set_name,
        key=key,
        origin=baseline.origin,
        baseline=baseline.name,
        baseline_key=baseline.key,
        language=language,
        engine_version=ENGINE_VERSION,
        sentence=told,
    )


def compare_missing(destination: Destination, known: KnownSets | None = None) -> tuple[int, list[Problem]]:
    """Make every comparison that is missing or outdated. Gives their number, and what could not be written.

    known: the sets, which are looked at unless they are known already, and brought up to date.
    """
    made = 0
    problems: list[Problem] = []
    try:
        known = known or KnownSets(destination.out)
        if not known.looks:
            known.look()
        missing = Baselines(known, language=destination.language, public_url=destination.public_url).missing()
        found = {ask.set_name: known.entries[ask.set_name].unpack().compared for ask in missing}
        asks = [ask for ask in missing if not ask.is_met(found[ask.set_name], destination.language)]
    except OSError as error:
        return 0, [_not_written(str(destination.out), error.strerror or type(error).__name__)]
    for ask in asks:
        try:
            made += compare_with_baseline(ask, destination) is not None
        except InputError as error:
            problems += error.problems
        except TransientError as error:
            problems.append(_not_written(f"{ask.set_name}/{COMPARE_HTML}", str(error)))
    known.look_at([ask.set_name for ask in asks])
    return made, problems


def _not_written(source: str, reason: str) -> Problem:
    return Problem(code="not-written", source=shown(source), values={"reason": reason})
