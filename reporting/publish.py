"""Publishing: a set's files appear whole, the commit mark last, and never over a newer engine's.

A reader may see files of two versions for a moment, never a part of one. `verify_set` detects an interrupted
publication, and publishing again repairs it. Nothing in a report depends on when or where it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from reporting.beside import beside
from reporting.changes.publish import log_changes
from reporting.data.items_csv import encode_items
from reporting.data.items_in_html import embedded_items
from reporting.data.queries_csv import encode_queries
from reporting.data.report_json import build_report
from reporting.pages.files import problem_pages, report_pages
from reporting.pages.rounds import render_round_pages
from reporting.store.asked import keep_asked
from reporting.store.history import DEFAULT_VERSIONS, note_first_publication
from reporting.store.json import encode_json
from reporting.store.locks import set_lock, transient
from reporting.store.set_folder import ITEMS_CSV, QUERIES_CSV, is_whole, remove_stale
from reporting.store.staging import Staging, staging
from reporting.store.status import (
    REPORT_JSON,
    STATUS,
    STATUS_HEAD,
    STATUS_JSON,
    FileMark,
    StatusFile,
    problem_status,
    report_status,
)
from reporting.store.verdicts import note_verdicts, put_in_order
from reporting.view.problem import problem_page
from scoring.comparison.asked import Asking
from scoring.items.part import ENGINE_VERSION
from scoring.items.spool.items import keep
from scoring.judging.verdicts import JudgeState
from scoring.problems import Problem
from scoring.results.insights import find_insights
from scoring.results.model import ItemList, SetResult
from scoring.rubric.model import Rubric
from texts import Texts, texts

LAST = (REPORT_JSON, STATUS_JSON)  # the commit mark, then the status
_COMPLETENESS = {JudgeState.PENDING: 0, JudgeState.INCOMPLETE: 1, JudgeState.DONE: 2, JudgeState.NONE: 2}


class Outcome(StrEnum):
    """What publishing did."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"  # the folder holds this key already, whole, and its judge got as far
    NEWER_ENGINE = "newer-engine"  # a newer engine's report is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """folder: of the set. files: what was written, relative to it, in the order of renaming."""

    outcome: Outcome
    folder: Path
    files: tuple[str, ...] = ()


class WrittenItems(NamedTuple):
    """A written `items.csv` that is not placed. asked: digest of what the set asks."""

    path: Path
    mark: FileMark
    asked: str


@contextmanager
def items_beside(listed: ItemList, out: Path, *, strict: bool = False) -> Iterator[Callable[[], WrittenItems]]:
    """A second process writes `items.csv` while the block makes the figures and the pages; gives what it wrote.

    For a large set, of which this is half of the work. Raises as `publish_report`, in the block.
    """
    with (
        transient(out),
        staging(out, strict=strict) as files,
        beside(lambda: _write_items(listed, files, out)) as written,
    ):
        yield written


def publish_report(
    result: SetResult,
    *,
    set_name: str,
    key: str,
    out: Path,
    language: str = "ko",
    strict: bool = False,
    force: bool = False,
    history_versions: int = DEFAULT_VERSIONS,
    items: Callable[[], WrittenItems] | None = None,
) -> Published:
    """Write the report of a scored set to its folder below `out`.

    A report whose judge is pending is completed in place: the same key again, with more verdicts. One that is complete
    never goes back.
    strict: every file is on disk before it can be seen. force: also when the folder holds this key, whole.
    history_versions: earlier versions that stay under history/; the oldest goes first, 0 keeps none.
    items: of `items_beside`, while it writes `items.csv`; None to write it here.
    Raises TransientError when the file system refuses (full, read-only, locked): the earlier version is whole then
    unless the renaming itself failed half-way; InputError when the set's folder is outside of `out`.
    """
    t = texts(language)

    def stage(files: Staging) -> StatusFile:
        insights = find_insights(result)
        result.query_values.forget()
        keep(result.items, embedded_items(result, t))  # as they come by, so that no item is read twice
        written = _write_items(result, files, out) if items is None else None
        files.write(QUERIES_CSV, encode_queries(result))
        files.write_texts(render_round_pages(result, set_name=set_name, t=t))
        if inputs := [(entry.name, entry.sha256) for entry in result.inputs if entry.refused]:
            problems = problem_page(set_name, inputs, result.refusals, has_report=True, t=t)
            files.write_texts(problem_pages(problems, t))
        files.write_texts(report_pages(result, insights, set_name=set_name, t=t))
        if items is not None:
            written = items()
            files.take(ITEMS_CSV, written.path, written.mark)
        assert written is not None
        report = build_report(result, insights, set_name=set_name, key=key, language=language, files=files.marks)
        marks = {REPORT_JSON: files.write(REPORT_JSON, [encode_json(report)])}
        keep(result.items, ())
        return report_status(result, set_name=set_name, key=key, language=language, files=marks, asked=written.asked)

    published = _publish(
        stage,
        set_name=set_name,
        key=key,
        engine_version=result.engine_version,
        judge=(JudgeState.NONE, "") if result.judge is None else (result.judge.state, result.judge.digest),
        out=out,
        strict=strict,
        force=force,
        history_versions=history_versions,
        rubric=result.rubric,
        t=t,
    )
    if published.outcome is Outcome.WRITTEN and result.judge is not None and result.judge.digest:
        note_verdicts(out, set_name, [entry.sha256 for entry in result.inputs])
    return published


def publish_problem(
    problems: Sequence[Problem],
    *,
    inputs: Iterable[tuple[str, str]],
    set_name: str,
    key: str,
    out: Path,
    profile: str,
    rubric_digest: str = "",
    language: str = "ko",
    strict: bool = False,
    history_versions: int = DEFAULT_VERSIONS,
) -> Published:
    """Write problem.md for a set that cannot be reported, in place of an earlier report or problem.

    inputs: (name relative to the set, SHA-256), any order. rubric_digest: "" when no rubric was asked.
    The rest as `publish_report`.
    """
    named = sorted(inputs)
    t = texts(language)

    def stage(files: Staging) -> StatusFile:
        files.write_texts(problem_pages(problem_page(set_name, named, problems, t=t), t))
        return problem_status(
            problems,
            set_name=set_name,
            key=key,
            profile=profile,
            engine_version=ENGINE_VERSION,
            rubric_digest=rubric_digest,
            inputs=named,
            language=language,
            files=dict(files.marks),
        )

    return _publish(
        stage,
        set_name=set_name,
        key=key,
        engine_version=ENGINE_VERSION,
        out=out,
        strict=strict,
        history_versions=history_versions,
        t=t,
    )


def _publish(
    stage: Callable[[Staging], StatusFile],
    *,
    set_name: str,
    key: str,
    engine_version: int,
    judge: tuple[JudgeState, str] = (JudgeState.NONE, ""),
    out: Path,
    strict: bool,
    force: bool = False,
    history_versions: int,
    rubric: Rubric | None = None,
    t: Texts,
) -> Published:
    with set_lock(out, set_name) as folder:
        head = STATUS_HEAD.read(folder, strict=True)
        if head is not None and head.engine_version > engine_version:
            return Published(outcome=Outcome.NEWER_ENGINE, folder=folder)
        earlier = STATUS.read(folder, strict=True) if head is not None else None
        if earlier is not None and earlier.key == key and not force and is_whole(folder, earlier):
            is_same = (earlier.judge, earlier.judge_digest) == judge
            if is_same or _COMPLETENESS[earlier.judge] > _COMPLETENESS[judge[0]]:
                _tidy(out, folder, judge[0])
                return Published(outcome=Outcome.UNCHANGED, folder=folder)
        # Everything is written before anything is renamed: a full disk leaves the earlier version whole.
        with staging(out, strict=strict) as files:
            status = stage(files)
            files.write(STATUS_JSON, [encode_json(status)])
            log_changes(files, folder, earlier, status, rubric=rubric, limit=history_versions, t=t)
            placed = _place(files, folder)
            note_first_publication(out, status)
        _tidy(out, folder, status.judge)
        return Published(outcome=Outcome.WRITTEN, folder=folder, files=placed)


def _write_items(listed: ItemList, files: Staging, out: Path) -> WrittenItems:
    asking = Asking()
    mark = files.write(ITEMS_CSV, encode_items(listed, asking.add))
    return WrittenItems(files.path(ITEMS_CSV), mark, keep_asked(out, asking.asked))


def _tidy(out: Path, folder: Path, judge: JudgeState) -> None:
    if judge in {JudgeState.DONE, JudgeState.INCOMPLETE}:
        put_in_order(out, folder)


def _place(files: Staging, folder: Path) -> tuple[str, ...]:
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
