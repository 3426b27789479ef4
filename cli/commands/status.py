"""`scorewatch status`: every set, the watcher and the queue, read from the folders whether a service runs or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from cli.commands.folders import find_known_sets
from cli.gate.outcome import rule_line
from cli.localised.command import Command, language_option, option
from cli.localised.language import spoken
from cli.localised.loading import load
from cli.service.queue_fault import count_unreported, describe_fault, open_queue
from cli.service.saved_snapshot import SavedSnapshot, read_snapshot
from cli.service.state_disk import is_disk_full
from config.settings import Settings
from reporting.known.entries import IndexEntry
from reporting.store.sources import SourceMark, read_sources, source_text
from reporting.store.status import State
from reporting.store.unread import read_unread
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean
from scoring.gate.result import GateState
from scoring.judging.verdicts import JudgeState
from scoring.problems import Severity
from workers.broker.embedded import MEMORY_URL
from workers.broker.faults import BrokerFault
from workers.queue import Depth, broker_address

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
    queue = _look_at_queue(settings, saved)
    bad = [entry for entry in sets if entry.status.state is State.PROBLEM or entry.status.errors]
    judges = Counter(entry.status.judge for entry in sets)
    is_full = is_disk_full(settings.state)
    code = EXIT_PROBLEMS if bad or unread or queue.fault or is_full or judges[JudgeState.INCOMPLETE] else 0
    if as_json:
        click.echo(_as_json(sets, sources, unread, saved, queue, is_full=is_full))
        return code
    counts = Counter(t(f"state.{entry.status.state}") for entry in sets)
    pieces = [t("overview.sets", n=str(len(sets)))]
    pieces += [t("overview.of-state", state=name, n=str(number)) for name, number in sorted(counts.items())]
    click.echo(", ".join(pieces))
    for line in (*_disk_lines(settings.state if is_full else None, t), *_watcher_lines(saved, unread, t)):
        click.echo(line)
    for line in _queue_lines(queue, saved, t):
        click.echo(line)
    pending, incomplete = judges[JudgeState.PENDING], judges[JudgeState.INCOMPLETE]
    if pending or incomplete:
        tasks = 0 if queue.depth is None else queue.depth.judging
        figures = {"pending": pending, "incomplete": incomplete, "tasks": tasks}
        click.echo(t("overview.judge", **{name: str(figure) for name, figure in figures.items()}))
    for entry in sets:
        if (mark := sources.get(entry.set_name)) is not None:
            click.echo(f"{clean(entry.set_name)}: {source_text(mark, t)}")
    for line in chain(_error_lines(bad), _gate_lines(sets, t)):
        click.echo(line)
    for entry in sets:
        if entry.status.judge is JudgeState.INCOMPLETE:
            click.echo(t("overview.incomplete", name=clean(entry.set_name)))
    return code


def _error_lines(sets: list[IndexEntry]) -> Iterator[str]:
    """Why something was refused, left out or replaced."""
    for entry in sets:
        for finding in entry.status.findings:
            if finding.severity is not Severity.NOTE:
                yield f"{clean(entry.set_name)}: {clean(finding.text)}"


def _gate_lines(sets: list[IndexEntry], t: Texts) -> Iterator[str]:
    """How many gates passed, and the rules of the others that did not; nothing where no set has a gate."""
    gates = [entry.gate for entry in sets if entry.gate is not None]
    if not gates:
        return
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


def _watcher_lines(saved: SavedSnapshot | None, unread: Mapping[str, str], t: Texts) -> Iterator[str]:
    """What the watcher is doing, and what is in its way. unread: what the last one could not read."""
    if saved is None:
        yield t("overview.no-watcher")
        for name, reason in sorted(unread.items()):
            yield t("overview.unread", name=clean(name), reason=clean(reason))
        return
    seen = saved.snapshot
    about = [saved.observer, *([clean(saved.reason)] if saved.reason else [])]
    about += [] if seen.is_leading else [t("overview.standing-by")]
    yield t("overview.watcher", pid=str(saved.pid), about=", ".join(about))
    figures = {"asked": seen.asked, "settling": seen.settling, "unclaimed": seen.unclaimed_count}
    yield t("overview.progress", **{name: str(figure) for name, figure in figures.items()})
    if seen.degraded:
        yield t("overview.degraded", reason=clean(seen.degraded))
    if seen.unwritable:
        yield t("overview.unwritable", reason=clean(seen.unwritable))
    for name, reason in sorted((seen.troubles | dict(unread)).items()):
        yield t("overview.trouble", name=clean(name), reason=clean(reason))


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
    """The queue now. The embedded broker is missed only while a watcher runs."""
    waiting = None if saved is None else saved.snapshot.waiting
    if broker_address(settings) == MEMORY_URL:
        return _Queue(waiting=waiting)
    queue = open_queue(settings)
    depth = queue.depth()
    if queue.fault is None or (saved is None and settings.broker_url is None):
        return _Queue(depth, waiting=waiting)
    return _Queue(depth, queue.fault, count_unreported(settings) if saved is None else waiting)


def _as_json(
    sets: list[IndexEntry],
    sources: Mapping[str, SourceMark],
    unread: Mapping[str, str],
    saved: SavedSnapshot | None,
    queue: _Queue,
    *,
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
        "unread": unread,
        "watcher": saved,
        "queue": None if queue.depth is None else queue.depth._asdict(),
        "queue_fault": None if queue.fault is None else queue.fault._asdict(),
        "waiting_sets": queue.waiting,
        "is_state_disk_full": is_full,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
