"""The service from outside: the condition of its queue, and all that `status` prints. Clients are imported late."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from platform import node
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click
import msgspec

from cli.localised import refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS
from cli.screen import held, is_cut, passed_over_line, problem_entry, say, set_details, set_line
from cli.service.lines import NAME_CHARS, describe_fault, reading_line, trouble_line
from cli.service.saved_snapshot import SavedSnapshot, is_disk_full, read_snapshot
from config import Settings, claiming, load_rubrics, packed_patterns, set_patterns
from reporting.store import (
    CountedSet,
    IndexEntry,
    Reading,
    SourceMark,
    count_sets,
    find_sets,
    read_apart,
    read_readings,
    read_set,
    read_sources,
    read_unread,
    read_unused,
    source_text,
)
from reporting.wording import apart_problem, clean, count, describe, excerpt, in_words
from scoring import Problem, RubricError, ScorewatchError
from scoring.gate import GateState
from scoring.items import ENGINE_VERSION
from scoring.judging import JudgeState
from scoring.rubric import Rubric
from scoring.sets import group_into_sets
from texts import Texts
from workers.broker import MEMORY_URL, BrokerFault, Depth, Process, broker_address

if TYPE_CHECKING:
    from workers import CeleryQueue

LAST_SETS = 10
MOST_RETRIED = 5  # sets that are named
MOST_PROBLEMS = 20  # sets whose problems are said; the others are counted


Found = TypeVar("Found")


class SeenQueue(NamedTuple):
    """depth: of the queue. fault: why it cannot be used. waiting: sets without a report. None where unknown or none.

    processes: watchers and workers of all machines.
    """

    depth: Depth | None = None
    fault: BrokerFault | None = None
    waiting: int | None = None
    processes: tuple[Process, ...] = ()


def print_overview(settings: Settings, *, as_json: bool, verbose: bool) -> int:
    """Print every set, and what the watcher and the queue are doing, as the folders show it; the exit code.

    verbose: with what the lines of sets leave out.
    """
    t = spoken()
    whole = find_known_sets(settings, find_sets) if as_json else []
    counted = [CountedSet.of(entry.set_name, entry.published_ns, entry.status, entry.gate) for entry in whole]
    sets = counted if as_json else sorted(find_known_sets(settings, count_sets))
    sources, unread = read_sources(settings.out), read_unread(settings.out)
    saved = read_snapshot(settings.state)
    is_full = is_disk_full(settings.state)
    queue = _look_at_queue(settings, None if is_full else saved)  # a full disk keeps the snapshot as it was
    bad = any(entry.is_bad for entry in sets)
    judges = Counter(entry.judge for entry in sets)
    readings, apart = read_readings(settings.out, time.time()), read_apart(settings.out)
    unused = read_unused(settings.out)
    is_outdated = saved is not None and bool(saved.snapshot.outdated)
    is_bad = bad or unread or queue.fault or is_full or is_outdated or judges[JudgeState.INCOMPLETE]
    code = EXIT_PROBLEMS if is_bad else 0
    if as_json:
        content = _as_json(
            whole, sources, unread, saved, queue, readings=readings, apart=apart, unused=unused, is_full=is_full
        )
        click.echo(content)
        return code
    counts = Counter(t(f"state.{entry.state}") for entry in sets)
    pieces = [t("overview.sets", n=str(len(sets)))]
    pieces += [t("overview.of-state", state=name, n=str(number)) for name, number in sorted(counts.items())]
    older = sum(entry.engine_version < ENGINE_VERSION for entry in sets)
    disk = settings.state if is_full else None
    newest = sorted(sets, key=lambda entry: (-entry.published_ns, entry.set_name))
    others = [entry for entry in newest[LAST_SETS:] if entry.is_bad]
    last, problems = (_read(some, settings.out) for some in (newest[:LAST_SETS], others[:MOST_PROBLEMS]))
    has_cut = False
    for line in chain(
        [", ".join(pieces)],
        [t("overview.older-engine", n=str(older))] if older else [],
        _disk_lines(disk, t),
        watcher_lines(saved, unread, readings, t),
        _queue_lines(queue, saved, t),
        _process_lines(queue.processes, saved, t),
        _judge_lines(sets, judges, queue.depth, t),
        _set_lines("console.last", last, t, verbose=verbose),
        _set_lines("console.problems", problems, t, verbose=verbose, n=len(others)),
        _source_lines(sets, sources, t),
        _apart_lines(apart, t),
        _unused_lines(unused, t),
        _gate_lines(sets, t),
    ):
        shown = held(line, verbose=verbose)
        has_cut = has_cut or is_cut(shown, line)
        say(shown)
    if has_cut or (bad and not verbose):
        click.echo(t("line.hint" if bad else "line.cut"))
    return code


def _judge_lines(
    sets: Sequence[CountedSet], judges: Mapping[JudgeState, int], depth: Depth | None, t: Texts
) -> Iterator[str]:
    """What a judge has left, and the sets that it can be asked about again; nothing where it is done."""
    pending, incomplete = judges[JudgeState.PENDING], judges[JudgeState.INCOMPLETE]
    if not (pending or incomplete):
        return
    tasks = 0 if depth is None else depth.judging
    yield t("overview.judge", pending=str(pending), incomplete=str(incomplete), tasks=str(tasks))
    names = [clean(entry.set_name) for entry in sets if entry.judge is JudgeState.INCOMPLETE]
    yield from _named_sets("overview.incomplete", incomplete, names[:MOST_RETRIED], t)


def find_known_sets(settings: Settings, find: Callable[[Path], Iterator[Found]]) -> list[Found]:
    """The sets in the folder of reports. Raises SettingsError when it cannot be read."""
    gc.disable()  # it would look through all that was read again and again, a third of the time; nothing is circular
    try:
        with refusing_to_start("service.not-readable"):
            return list(find(settings.out))
    finally:
        gc.enable()


def _read(sets: Sequence[CountedSet], out: Path) -> list[IndexEntry]:
    """All that the files of some sets say, without those that are gone meanwhile."""
    return [entry for one in sets if (entry := read_set(out, one.set_name)) is not None]


def watcher_lines(
    saved: SavedSnapshot | None, unread: Mapping[str, str], readings: Sequence[Reading], t: Texts
) -> Iterator[str]:
    """What the watcher is doing, and what is in its way.

    saved: None without a watcher. unread: what the last one could not read, path -> reason.
    """
    if saved is None:
        yield t("overview.no-watcher")
        for name, reason in sorted(unread.items()):
            yield trouble_line("overview.unread", name, reason, t)
        return
    seen = saved.snapshot
    about = [saved.observer, *([clean(saved.reason)] if saved.reason else [])]
    about += [] if seen.is_leading else [t("overview.standing-by")]
    yield t("overview.watcher", pid=str(saved.pid), about=", ".join(about))
    figures = {"asked": seen.asked, "settling": seen.settling, "unclaimed": seen.unclaimed_count}
    yield t("overview.progress", **{name: str(figure) for name, figure in figures.items()})
    yield from (passed_over_line(path, clean(reason), t) for path, reason in sorted(seen.likely.items()))
    yield from _named_sets("console.in-line", max(seen.waiting - seen.asked, 0), seen.in_line, t)
    yield from _named_sets("console.in-work", seen.asked, seen.in_work, t)
    yield from (f"  {reading_line(reading, t)}" for reading in readings)
    if seen.outdated:
        yield clean(seen.outdated)
    if seen.degraded:
        yield t("overview.degraded", reason=in_words(clean(seen.degraded), t))
    if seen.unwritable:
        yield t("overview.unwritable", reason=in_words(clean(seen.unwritable), t))
    for name, reason in sorted((seen.troubles | dict(unread)).items()):
        yield trouble_line("overview.trouble", name, reason, t)


def _set_lines(title: str, sets: Sequence[IndexEntry], t: Texts, *, verbose: bool, n: int = 0) -> Iterator[str]:
    """Sets under a title, a line each; nothing without any. n: how many there are in all, where not all are given."""
    if sets or n:
        yield t(title, n=count(n))
    for entry in sets:
        yield set_line(entry, t, has_time=True)
        yield from (f"  {line}" for line in set_details(entry, t)) if verbose else ()
    if n > len(sets):
        yield t("console.problems-more", n=count(n - len(sets)))


def _named_sets(key: str, number: int, names: Sequence[str], t: Texts) -> Iterator[str]:
    """How many sets there are of a kind, with the first ones; nothing for none."""
    if not number:
        return
    shown = [excerpt(name, NAME_CHARS) for name in names[:number]]
    more = [t("console.more", n=count(number - len(shown)))] if number > len(shown) else []
    title = t(key, n=count(number))
    yield t("console.named", title=title, names=", ".join([*shown, *more])) if shown else title


def _source_lines(sets: Sequence[CountedSet], sources: Mapping[str, SourceMark], t: Texts) -> Iterator[str]:
    """Reports whose inputs were removed, renamed or duplicated."""
    for entry in sets:
        if (mark := sources.get(entry.set_name)) is not None:
            yield f"{clean(entry.set_name)}: {source_text(mark, t)}"


def _apart_lines(groups: Sequence[Sequence[str]], t: Texts) -> Iterator[str]:
    """Sets that look like the rounds of one run, as the index lists them all."""
    yield from (describe(apart_problem(names), t.language) for names in groups[:MOST_PROBLEMS])
    if len(groups) > MOST_PROBLEMS:
        yield t("console.problems-more", n=count(len(groups) - MOST_PROBLEMS))


def _unused_lines(problems: Sequence[Problem], t: Texts) -> Iterator[str]:
    """What of review files, tables and run info is not used, as the index lists it all."""
    yield from (describe(problem, t.language) for problem in problems[:MOST_PROBLEMS])
    if len(problems) > MOST_PROBLEMS:
        yield t("console.problems-more", n=count(len(problems) - MOST_PROBLEMS))


def _gate_lines(sets: Sequence[CountedSet], t: Texts) -> Iterator[str]:
    """How many gates passed, and the rules of the others that did not; nothing where no set has a gate."""
    gates = [entry.gate for entry in sets if entry.gate is not None]
    if not gates:
        return
    from reporting.gate import rule_line

    states = [gate.result.state for gate in gates]
    yield t("gate.summary", **{state.value: str(states.count(state)) for state in GateState})
    for gate in gates:
        for result in gate.result.rules:
            if result.state is not GateState.PASSED:
                yield rule_line(gate.set, result, t)


def _disk_lines(full: Path | None, t: Texts) -> Iterator[str]:
    """full: the state folder, if its disk is full."""
    if full is not None:
        yield t("overview.state-full", path=clean(str(full.absolute())))


def _queue_lines(queue: SeenQueue, saved: SavedSnapshot | None, t: Texts) -> Iterator[str]:
    """Why the queue cannot be used, or how long it is."""
    if queue.fault is not None:
        yield from describe_fault(queue.fault, queue.waiting, t)
    if queue.depth is not None:
        key = "overview.queue-done" if _is_all_done(saved, queue.depth) else "overview.queue"
        yield t(key, waiting=str(queue.depth.untaken), running=str(queue.depth.running))


def _process_lines(processes: Sequence[Process], saved: SavedSnapshot | None, t: Texts) -> Iterator[str]:
    """The watchers and workers of all machines, without the watcher that is told of already."""
    for process in processes:
        if saved is not None and process.kind == "watcher" and (process.host, process.pid) == (node(), saved.pid):
            continue
        key = "watcher-leads" if process.is_leading else "watcher-waits" if process.kind == "watcher" else process.kind
        figures = {"host": clean(process.host), "pid": str(process.pid), "n": str(process.at_once)}
        engine = {} if process.engine_version == ENGINE_VERSION else {"engine": str(process.engine_version)}
        yield t(f"overview.process-{key}", **figures) + (t("overview.other-engine", **engine) if engine else "")


def _is_all_done(saved: SavedSnapshot | None, depth: Depth) -> bool:
    """Is what workers hold left of work that is done? Those that died hold it until the visibility timeout."""
    if saved is None or depth.untaken or depth.judging or not depth.running:
        return False
    return saved.snapshot.is_leading and saved.snapshot.settled == saved.snapshot.sets


def _look_at_queue(settings: Settings, saved: SavedSnapshot | None) -> SeenQueue:
    """The queue: as the watcher found it seconds ago; else as it is now, for which clients are imported."""
    waiting = None if saved is None else saved.snapshot.waiting
    if saved is not None and (saved.queue is not None or saved.fault is not None):
        return SeenQueue(saved.queue, saved.fault, waiting, saved.processes)
    if broker_address(settings) == MEMORY_URL:
        return SeenQueue(waiting=waiting)
    queue = open_queue(settings)
    depth = queue.depth()
    if queue.fault is None or (
        saved is None and settings.broker_url is None
    ):  # the embedded one is missed only beside a watcher
        return SeenQueue(depth, waiting=waiting, processes=queue.processes() if queue.fault is None else ())
    return SeenQueue(depth, queue.fault, count_unreported(settings) if saved is None else waiting)


def _as_json(
    sets: list[IndexEntry],
    sources: Mapping[str, SourceMark],
    unread: Mapping[str, str],
    saved: SavedSnapshot | None,
    queue: SeenQueue,
    *,
    readings: list[Reading],
    apart: Sequence[Sequence[str]],
    unused: Sequence[Problem],
    is_full: bool,
) -> str:
    content: dict[str, object] = {
        "sets": [
            {
                "set": entry.set_name,
                "state": entry.status.state,
                "key": entry.status.key,
                "headline": entry.status.headline,
                "judge": entry.status.judge,
                "findings": entry.status.findings,
                "gate": None if entry.gate is None else entry.gate.result,
                "compared": entry.compared,
                "source": sources.get(entry.set_name),
            }
            for entry in sets
        ],
        "older_engine_sets": sum(entry.status.engine_version < ENGINE_VERSION for entry in sets),
        "unread": unread,
        "watcher": saved,
        "reading": readings,
        "queue": None if queue.depth is None else queue.depth._asdict(),
        "queue_fault": None if queue.fault is None else queue.fault._asdict(),
        "processes": queue.processes,
        "waiting_sets": queue.waiting,
        "is_state_disk_full": is_full,
    }
    content |= {"rounds_apart": apart} if apart else {}
    content |= {"unused": [problem_entry(problem, spoken()) for problem in unused]} if unused else {}
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()


def open_queue(settings: Settings) -> CeleryQueue:
    """The queue, for looking at it only."""
    from workers import CeleryQueue, make_app
    from workers.jobs import WorkArea

    return CeleryQueue(make_app(settings, broker_address(settings)), WorkArea(settings.out))


def warn_of_queue(settings: Settings) -> None:
    """Warn before a start when the configured broker cannot be used; work begins when it can."""
    if settings.broker_url is None:
        return
    queue = open_queue(settings)
    queue.depth()
    if queue.fault is not None:
        click.echo(" ".join(describe_fault(queue.fault, count_unreported(settings), spoken())), err=True)


def count_unreported(settings: Settings) -> int | None:
    """Number of sets in the watched folder that have no report of files of these names; None when it is not known.

    Reads names only, so a file that was replaced under its name is not counted.
    """
    from watcher import InputFolder

    try:
        rubrics = load_rubrics(settings.rubrics, language=settings.language)
        listing = InputFolder(
            settings.watch, out=settings.out, ignore=settings.ignore, packed=packed_patterns(rubrics)
        ).scan()
        reported = {entry.set_name: entry.status.inputs.keys() for entry in find_sets(settings.out)}
    except (OSError, ScorewatchError):
        return None
    if listing.unreadable:
        return None
    grouping = group_into_sets(listing.files, partial(_profile_of, rubrics=rubrics), set_patterns(rubrics))
    return sum(reported.get(group.name) != set(group.names) for group in grouping.sets)


def _profile_of(base_name: str, rubrics: tuple[Rubric, ...]) -> str | Problem | None:
    try:
        rubric = claiming(base_name, rubrics)
    except RubricError as error:
        return error.problems[0]
    return None if rubric is None else rubric.profile
