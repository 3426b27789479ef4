"""`status` and `retry`: the service looked at from outside, through the folders; they work while it runs or not."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from pathlib import Path

import click
import msgspec

from config.settings import Settings, load_settings
from reporting import status_json
from reporting.display import clean
from reporting.index import IndexEntry, find_sets
from reporting.publish import read_status
from reporting.set_folder import set_folder
from reporting.sources import SourceMark, SourceState, read_sources, source_text
from reporting.status_json import State
from watcher.snapshot import Snapshot
from workers.broker import MEMORY_URL
from workers.parts import WorkArea
from workers.queue import CeleryQueue, Depth, broker_address, make_app
from workers.strikes import strikes_for

SNAPSHOT_NAME = "watcher.json"
SNAPSHOT_SECONDS = 2.0
NUDGE_NAME = "look"
OLD_SECONDS = 30.0
EXIT_PROBLEMS = 1
_STATES = {State.REPORT: "보고서", State.PROBLEM: "읽지 못함"}


class SavedSnapshot(msgspec.Struct, kw_only=True):
    """What a watcher left of itself. saved_at: seconds since the epoch."""

    pid: int
    saved_at: float
    observer: str
    reason: str
    snapshot: Snapshot


def save_snapshot(state: Path, snapshot: Snapshot, *, observer: str, reason: str) -> None:
    """Leave a snapshot in the state folder for `status`. Raises OSError."""
    saved = SavedSnapshot(pid=os.getpid(), saved_at=time.time(), observer=observer, reason=reason, snapshot=snapshot)
    beside = state / f"{SNAPSHOT_NAME}.{os.getpid()}.tmp"
    beside.write_bytes(msgspec.json.encode(saved))
    beside.replace(state / SNAPSHOT_NAME)


def read_snapshot(state: Path) -> SavedSnapshot | None:
    """The last snapshot, None when there is none or it is too old to be true."""
    try:
        saved = msgspec.json.decode((state / SNAPSHOT_NAME).read_bytes(), type=SavedSnapshot)
    except (OSError, ValueError):
        return None
    return saved if time.time() - saved.saved_at < OLD_SECONDS else None


def take_nudge(state: Path) -> bool:
    """Did `retry` ask for a look at the folders? Asks once."""
    try:
        (state / NUDGE_NAME).unlink()
    except OSError:
        return False
    return True


@click.command(help="세트마다 지금 상태를 보여 줍니다.")
@click.option("--json", "as_json", is_flag=True, help="JSON으로 보여 줍니다.")
def status(*, as_json: bool) -> int:
    """Show every set, and what the watcher and the queue are doing."""
    settings = load_settings()
    sets = list(find_sets(settings.out))
    sources = read_sources(settings.out)
    saved = read_snapshot(settings.state)
    depth = _depth(settings)
    bad = [entry for entry in sets if entry.status.state is State.PROBLEM or entry.status.problems.errors]
    if as_json:
        click.echo(_as_json(sets, sources, saved, depth))
        return EXIT_PROBLEMS if bad else 0
    counts = Counter(_STATES[entry.status.state] for entry in sets)
    click.echo(f"세트 {len(sets)}개" + "".join(f", {name} {count}개" for name, count in sorted(counts.items())))
    if saved is None:
        click.echo("감시: 돌고 있지 않음")
    else:
        seen = saved.snapshot
        about = [saved.observer, *([clean(saved.reason)] if saved.reason else [])]
        about += [] if seen.is_leading else ["대기 중: 다른 감시가 일하고 있음"]
        click.echo(f"감시: 프로세스 {saved.pid} ({', '.join(about)})")
        click.echo(f"진행 {seen.asked}개, 확인 중인 파일 {seen.settling}개, 루브릭 없는 파일 {len(seen.unclaimed)}개")
        if seen.degraded:
            click.echo(f"주의: {clean(seen.degraded)}")
        for name, reason in sorted(seen.troubles.items()):
            click.echo(f"다시 시도: {clean(name)} ({clean(reason)})")
    if depth is not None:
        click.echo(f"큐: 대기 {depth.waiting}개, 실행 {depth.running}개")
    for entry in sets:
        if (mark := sources.get(entry.set_name)) is not None:
            click.echo(f"{clean(entry.set_name)}: {source_text(mark)}")
    for entry in bad:
        first = entry.status.problems.first[0].text if entry.status.problems.first else ""
        click.echo(f"{clean(entry.set_name)}: {clean(first)}")
    return EXIT_PROBLEMS if bad else 0


@click.command(help="문제로 끝난 세트를 다시 채점하게 합니다. 감시가 돌고 있으면 곧, 아니면 다음 up에서 합니다.")
@click.argument("set_name", metavar="SET")
@click.option("--json", "as_json", is_flag=True, help="JSON으로 보여 줍니다.")
def retry(set_name: str, *, as_json: bool) -> int:
    """Forget what is settled about a set: its status, its parts and its strikes."""
    settings = load_settings()
    known = read_status(settings.out, set_name)
    if known is None:
        raise click.UsageError(f"그런 세트가 없습니다: {clean(set_name)}")
    mark = read_sources(settings.out).get(set_name)
    if mark is not None and mark.state is not SourceState.DUPLICATE:
        raise click.UsageError(f"다시 채점할 파일이 없습니다: {clean(set_name)} ({source_text(mark)})")
    area = WorkArea(settings.out)
    strikes = strikes_for(broker_address(settings))
    for sha256 in known.inputs.values():
        if sha256:
            area.remove_parts(sha256)
            strikes.clear(set_name, sha256)
    (set_folder(settings.out, set_name) / status_json.FILE_NAME).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # a watcher of another machine comes by with its next scan
        (settings.state / NUDGE_NAME).touch()
    if as_json:
        click.echo(msgspec.json.encode({"set": set_name, "retried": True}).decode())
    else:
        click.echo(f"다시 채점합니다: {clean(set_name)}")
    return 0


def _depth(settings: Settings) -> Depth | None:
    url = broker_address(settings)
    if url == MEMORY_URL:
        return None
    return CeleryQueue(make_app(settings, url), WorkArea(settings.out)).depth()


def _as_json(
    sets: list[IndexEntry], sources: dict[str, SourceMark], saved: SavedSnapshot | None, depth: Depth | None
) -> str:
    content = {
        "sets": [
            {
                "set": entry.set_name,
                "state": entry.status.state,
                "key": entry.status.key,
                "headline": entry.status.headline,
                "problems": entry.status.problems,
                "source": sources.get(entry.set_name),
            }
            for entry in sets
        ],
        "watcher": saved,
        "queue": None if depth is None else {"waiting": depth.waiting, "running": depth.running},
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
