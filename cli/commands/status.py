"""`scorewatch status`: what waits, what is being scored, what came out last, and the problems with their remedy.

It is read from the folders, whether a service runs or not.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from cli.commands.options import find_known_sets
from cli.localised import Command, language_option, load, option, spoken
from cli.service import (
    SavedSnapshot,
    describe_fault,
    is_disk_full,
    last_lines,
    problem_lines,
    read_snapshot,
    watcher_lines,
)
from config import Settings
from reporting.store import (
    IndexEntry,
    Reading,
    SourceMark,
    State,
    read_readings,
    read_sources,
    read_unread,
    source_text,
)
from reporting.wording import clean
from scoring.gate import GateState
from scoring.items import ENGINE_VERSION
from scoring.judging import JudgeState
from texts import Texts
from workers.broker import MEMORY_URL, BrokerFault, Depth, broker_address

EXIT_PROBLEMS = 1


class _Queue(NamedTuple):
    """depth: of the queue. fault: why it cannot be used. waiting: sets without a report. None where unknown or none."""

    depth: Depth | None = None
    fault: BrokerFault | None = None
    waiting: int | None = None


@click.command(cls=Command, help="help.status")
@option("--json", "as_json", is_flag=True, help="option.json")
@language_option
def command(*, as_json: bool) -> int:
    """Show every set, and what the watcher and the queue are doing."""
    settings = load()
    t = spoken()
    sets = find_known_sets(settings)
    sources, unread = read_sources(settings.out), read_unread(settings.out)
    saved = read_snapshot(settings.state)
    is_full = is_disk_full(settings.state)
    queue = _look_at_queue(settings, None if is_full else saved)  # a full disk keeps the snapshot as it was
    bad = [entry for entry in sets if entry.status.state is State.PROBLEM or entry.status.errors]
    judges = Counter(entry.status.judge for entry in sets)
    readings = read_readings(settings.out, time.time())
    code = EXIT_PROBLEMS if bad or unread or queue.fault or is_full or judges[JudgeState.INCOMPLETE] else 0
    if as_json:
        click.echo(_as_json(sets, sources, unread, saved, queue, readings=readings, is_full=is_full))
        return code
    counts = Counter(t(f"state.{entry.status.state}") for entry in sets)
    pieces = [t("overview.sets", n=str(len(sets)))]
    pieces += [t("overview.of-state", state=name, n=str(number)) for name, number in sorted(counts.items())]
    click.echo(", ".join(pieces))
    older = sum(entry.status.engine_version < ENGINE_VERSION for entry in sets)
    if older:
        click.echo(t("overview.older-engine", n=str(older)))
    disk = settings.state if is_full else None
    for line in chain(_disk_lines(disk, t), watcher_lines(saved, unread, readings, t), _queue_lines(queue, saved, t)):
        click.echo(line)
    pending, incomplete = judges[JudgeState.PENDING], judges[JudgeState.INCOMPLETE]
    if pending or incomplete:
        tasks = 0 if queue.depth is None else queue.depth.judging
        figures = {"pending": pending, "incomplete": incomplete, "tasks": tasks}
        click.echo(t("overview.judge", **{name: str(figure) for name, figure in figures.items()}))
    for line in chain(
        last_lines(sets, t), _source_lines(sets, sources, t), problem_lines(bad, t), _gate_lines(sets, t)
    ):
        click.echo(line)
    for entry in sets:
        if entry.status.judge is JudgeState.INCOMPLETE:
            click.echo(t("overview.incomplete", name=clean(entry.set_name)))
    return code


def _source_lines(sets: list[IndexEntry], sources: Mapping[str, SourceMark], t: Texts) -> Iterator[str]:
    """Reports whose inputs were removed, renamed or duplicated."""
    for entry in sets:
        if (mark := sources.get(entry.set_name)) is not None:
            yield f"{clean(entry.set_name)}: {source_text(mark, t)}"


def _gate_lines(sets: list[IndexEntry], t: Texts) -> Iterator[str]:
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


def _queue_lines(queue: _Queue, saved: SavedSnapshot | None, t: Texts) -> Iterator[str]:
    """Why the queue cannot be used, or how long it is."""
    if queue.fault is not None:
        yield describe_fault(queue.fault, queue.waiting, t)
    if queue.depth is not None:
        key = "overview.queue-done" if _is_all_done(saved, queue.depth) else "overview.queue"
        yield t(key, waiting=str(queue.depth.waiting), running=str(queue.depth.running))


def _is_all_done(saved: SavedSnapshot | None, depth: Depth) -> bool:
    """Is what workers hold left of work that is done? Those that died hold it until the visibility timeout."""
    if saved is None or depth.waiting or depth.judging or not depth.running:
        return False
    return saved.snapshot.is_leading and saved.snapshot.settled == saved.snapshot.sets


def _look_at_queue(settings: Settings, saved: SavedSnapshot | None) -> _Queue:
    """The queue: as the watcher found it seconds ago; else as it is now, for which clients are imported."""
    waiting = None if saved is None else saved.snapshot.waiting
    if saved is not None and (saved.queue is not None or saved.fault is not None):
        return _Queue(saved.queue, saved.fault, waiting)
    if broker_address(settings) == MEMORY_URL:
        return _Queue(waiting=waiting)
    from cli.service import count_unreported, open_queue

    queue = open_queue(settings)
    depth = queue.depth()
    if queue.fault is None or (
        saved is None and settings.broker_url is None
    ):  # the embedded one is missed only beside a watcher
        return _Queue(depth, waiting=waiting)
    return _Queue(depth, queue.fault, count_unreported(settings) if saved is None else waiting)


def _as_json(
    sets: list[IndexEntry],
    sources: Mapping[str, SourceMark],
    unread: Mapping[str, str],
    saved: SavedSnapshot | None,
    queue: _Queue,
    *,
    readings: list[Reading],
    is_full: bool,
) -> str:
    content = {
        "sets": [
            {
                "set": entry.set_name,
                "state": entry.status.state,
                "key": entry.status.key,
                "headline": entry.status.headline,
                "judge": entry.status.judge,
                "findings": entry.status.findings,
                "gate": None if entry.gate is None else entry.gate.result,
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
        "waiting_sets": queue.waiting,
        "is_state_disk_full": is_full,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
