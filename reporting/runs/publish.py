"""Publishing: a set's files appear whole, the commit mark last, and never over a newer engine's.

A reader may see files of two versions for a moment, never a part of one. `verify_set` detects an interrupted
publication, and publishing again repairs it. Nothing in a report depends on when or where it was published.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from reporting.data import build_report, embedded_items, encode_items, encode_queries
from reporting.document import problem_page, render_round_pages
from reporting.page_files import problem_pages, report_pages
from reporting.runs.versions import log_changes
from reporting.store import (
    ITEMS_CSV,
    QUERIES_CSV,
    REPORT_JSON,
    STATUS,
    STATUS_HEAD,
    STATUS_JSON,
    Destination,
    Staging,
    StatusFile,
    encode_json,
    is_whole,
    keep_asked,
    note_first_publication,
    note_verdicts,
    problem_status,
    put_in_order,
    remove_stale,
    report_status,
    set_lock,
    staging,
)
from scoring.comparison import Asking
from scoring.items import ENGINE_VERSION
from scoring.judging import JudgeState
from scoring.results import SetResult, find_insights
from scoring.rubric import Rubric
from scoring.sets import Refusal, SetId
from texts import texts

LAST = (REPORT_JSON, STATUS_JSON)  # the commit mark, then the status
_COMPLETENESS = {JudgeState.PENDING: 0, JudgeState.INCOMPLETE: 1, JudgeState.DONE: 2, JudgeState.NONE: 2}


class Outcome(StrEnum):
    """What publishing did."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"  # the folder holds this key already, whole, and its judge got as far
    NEWER_ENGINE = "newer-engine"  # a newer engine's report is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """folder: of the set. files: what was written, relative to it, in the order of renaming.

    replaced_engine: of the report that was there, where an earlier engine had made it; None for others.
    """

    outcome: Outcome
    folder: Path
    files: tuple[str, ...] = ()
    replaced_engine: int | None = None


class _Judged(NamedTuple):
    """How far the judge of a report is, and the digest of its verdicts."""

    state: JudgeState
    digest: str


def publish_report(result: SetResult, set_id: SetId, destination: Destination, *, force: bool = False) -> Published:
    """Write the report of a scored set to its folder.

    A report whose judge is pending is completed in place: the same key again, with more verdicts. One that is complete
    never goes back.
    force: also when the folder holds this key, whole.
    Raises TransientError when the file system refuses (full, read-only, locked): the earlier version is whole then
    unless the renaming itself failed half-way; InputError when the set's folder is outside of the destination.
    """
    judge = _Judged(JudgeState.NONE, "") if result.judge is None else _Judged(result.judge.state, result.judge.digest)
    write = partial(_write_report, result, set_id, destination)
    published = _publish(
        write, set_id, destination, judge, engine=result.engine_version, force=force, rubric=result.rubric
    )
    if published.outcome is Outcome.WRITTEN and judge.digest:
        note_verdicts(destination.out, set_id.name, [entry.sha256 for entry in result.inputs])
    return published


def publish_problem(refusal: Refusal, destination: Destination) -> Published:
    """Write problem.md for a set that cannot be reported, in place of an earlier report or problem.

    Raises as `publish_report`.
    """
    write = partial(_write_problem, refusal, destination.language)
    return _publish(write, refusal.id, destination, _Judged(JudgeState.NONE, ""), engine=ENGINE_VERSION)


def _publish(
    write: Callable[[Staging], StatusFile],
    set_id: SetId,
    destination: Destination,
    judge: _Judged,
    *,
    engine: int,
    force: bool = False,
    rubric: Rubric | None = None,
) -> Published:
    """Put what `write` writes in the place of what is in the folder, unless that is as good or better."""
    out = destination.out
    with set_lock(out, set_id.name) as folder:
        head = STATUS_HEAD.read(folder, strict=True)
        if head is not None and head.engine_version > engine:
            return Published(outcome=Outcome.NEWER_ENGINE, folder=folder)
        earlier = None if head is None else STATUS.read(folder, strict=True)
        if earlier is not None and not force and _is_published(folder, earlier, set_id.key, judge):
            _tidy(out, folder, judge.state)
            return Published(outcome=Outcome.UNCHANGED, folder=folder)
        # Everything is written before anything is renamed: a full disk leaves the earlier version whole.
        with staging(out, strict=destination.strict) as files:
            status = write(files)
            files.write(STATUS_JSON, [encode_json(status)])
            log_changes(files, folder, earlier, status, destination, head=head, rubric=rubric)
            placed = _rename(files, folder)
            note_first_publication(out, status)
        _tidy(out, folder, status.judge)
        replaced = None if head is None or head.engine_version == engine else head.engine_version
        return Published(outcome=Outcome.WRITTEN, folder=folder, files=placed, replaced_engine=replaced)


def _is_published(folder: Path, earlier: StatusFile, key: str, judge: _Judged) -> bool:
    """Does the folder hold this key, whole, and did its judge get as far?"""
    if earlier.key != key or not is_whole(folder, earlier):
        return False
    is_same = (earlier.judge, earlier.judge_digest) == judge
    return is_same or _COMPLETENESS[earlier.judge] > _COMPLETENESS[judge.state]


def _write_report(result: SetResult, set_id: SetId, destination: Destination, files: Staging) -> StatusFile:
    """Write tables, pages, and the commit mark; the items come by once, for the pages as for the table."""
    language = destination.language
    t = texts(language)
    insights = find_insights(result)
    result.query_values.forget()
    result.items.keep(embedded_items(result, t))  # as they come by, so that no item is read twice
    asking = Asking()
    files.write(ITEMS_CSV, encode_items(result, asking.add, titles=destination.csv_titles))
    asked = keep_asked(destination.out, asking.asked)
    files.write(QUERIES_CSV, encode_queries(result, titles=destination.csv_titles))
    files.write_texts(render_round_pages(result, set_name=set_id.name, t=t))
    if inputs := [(entry.name, entry.sha256) for entry in result.inputs if entry.refused]:
        problems = problem_page(set_id.name, inputs, result.refusals, has_report=True, t=t)
        files.write_texts(problem_pages(problems, t))
    files.write_texts(report_pages(result, insights, set_name=set_id.name, t=t))
    report = build_report(result, insights, set_id, language=language, files=files.marks)
    marks = {REPORT_JSON: files.write(REPORT_JSON, [encode_json(report)])}
    result.items.keep(())
    return report_status(result, set_id, language=language, files=marks, asked=asked)


def _write_problem(refusal: Refusal, language: str, files: Staging) -> StatusFile:
    t = texts(language)
    page = problem_page(refusal.id.name, sorted(refusal.inputs), refusal.problems, t=t)
    files.write_texts(problem_pages(page, t))
    return problem_status(refusal, engine_version=ENGINE_VERSION, language=language, files=dict(files.marks))


def _tidy(out: Path, folder: Path, judge: JudgeState) -> None:
    if judge in {JudgeState.DONE, JudgeState.INCOMPLETE}:
        put_in_order(out, folder)


def _rename(files: Staging, folder: Path) -> tuple[str, ...]:
    """Rename: the pages and tables, then the stale ones go, then the commit mark, then the status."""
    names = [name for name in files.marks if name not in LAST]
    last = [name for name in LAST if name in files.marks]
    is_first = not folder.exists()
    for name in names:
        files.place(name, folder)
    if not is_first:
        remove_stale(folder, files.marks)
    for name in last:
        files.place(name, folder)
    return (*names, *last)
