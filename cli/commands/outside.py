"""`status` and `retry`: the service looked at from outside, through the folders; they work while it runs or not."""

from __future__ import annotations

import contextlib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import click
import msgspec

from cli.localised.command import Command, language_option, option
from cli.localised.language import spoken
from cli.localised.loading import load
from cli.service.saved_snapshot import NUDGE_NAME, SavedSnapshot, read_snapshot
from config.errors import SettingsError
from config.settings import Settings
from reporting.index.write import IndexEntry, find_sets
from reporting.store.set_folder import set_folder, status_of_set
from reporting.store.sources import SourceMark, SourceState, read_sources, source_text
from reporting.store.status import STATUS_JSON, State, StatusFile
from reporting.store.verdicts import forget_failures
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean, system_reason
from scoring.judging.verdicts import JudgeState
from scoring.problems import TransientError
from scoring.sets.names import fold
from workers.broker.embedded import MEMORY_URL
from workers.broker.redis_client import shared_client
from workers.jobs.attempts import Strikes
from workers.jobs.work_area import WorkArea
from workers.queue import CeleryQueue, Depth, broker_address, make_app

EXIT_PROBLEMS = 1


@click.command(cls=Command, help="help.status")
@option("--json", "as_json", is_flag=True, help="option.json")
@language_option
def status(*, as_json: bool) -> int:
    """Show every set, and what the watcher and the queue are doing."""
    settings = load()
    t = spoken()
    sets = _sets(settings)
    sources = read_sources(settings.out)
    saved = read_snapshot(settings.state)
    depth = _depth(settings)
    bad = [entry for entry in sets if entry.status.state is State.PROBLEM or entry.status.problems.errors]
    judges = Counter(entry.status.judge for entry in sets)
    code = EXIT_PROBLEMS if bad or judges[JudgeState.INCOMPLETE] else 0
    if as_json:
        click.echo(_as_json(sets, sources, saved, depth))
        return code
    counts = Counter(t(f"state.{entry.status.state}") for entry in sets)
    pieces = [t("overview.sets", n=str(len(sets)))]
    pieces += [t("overview.of-state", state=name, n=str(number)) for name, number in sorted(counts.items())]
    click.echo(", ".join(pieces))
    for line in _watcher_lines(saved, t):
        click.echo(line)
    if depth is not None:
        key = "overview.queue-done" if _is_all_done(saved, depth) else "overview.queue"
        click.echo(t(key, waiting=str(depth.waiting), running=str(depth.running)))
    pending, incomplete = judges[JudgeState.PENDING], judges[JudgeState.INCOMPLETE]
    if pending or incomplete:
        tasks = 0 if depth is None else depth.judging
        figures = {"pending": pending, "incomplete": incomplete, "tasks": tasks}
        click.echo(t("overview.judge", **{name: str(figure) for name, figure in figures.items()}))
    for entry in sets:
        if (mark := sources.get(entry.set_name)) is not None:
            click.echo(f"{clean(entry.set_name)}: {source_text(mark, t)}")
    for entry in bad:
        first = entry.status.problems.first[0].text if entry.status.problems.first else ""
        click.echo(f"{clean(entry.set_name)}: {clean(first)}")
    for entry in sets:
        if entry.status.judge is JudgeState.INCOMPLETE:
            click.echo(t("overview.incomplete", name=clean(entry.set_name)))
    return code


@click.command(cls=Command, help="help.retry")
@click.argument("set_name", metavar="SET")
@option("--json", "as_json", is_flag=True, help="option.json")
@language_option
def retry(set_name: str, *, as_json: bool) -> int:
    """Forget what is settled about a set: its status, its parts, its strikes and what its judge gave up.

    What a judge graded is paid for and stays.
    """
    settings = load()
    t = spoken()
    found = _known(settings, set_name)
    if found is None:
        raise click.UsageError(t("retry.unknown", name=clean(set_name)))
    set_name, known = found
    mark = read_sources(settings.out).get(set_name)
    if mark is not None and mark.state is not SourceState.DUPLICATE:
        raise click.UsageError(t("retry.no-files", name=clean(set_name), why=source_text(mark, t)))
    contents = {sha256 for sha256 in known.inputs.values() if sha256}
    # First of all: a watcher that runs must not ask while they stand.
    forgotten = Strikes(shared_client(broker_address(settings))).forget(set_name, [*sorted(contents), known.key])
    _forget(settings.out, set_name, contents)
    with contextlib.suppress(OSError):  # a watcher of another machine comes by with its next scan
        (settings.state / NUDGE_NAME).touch()
    if as_json:
        told = {"set": set_name, "retried": True, "strikes_forgotten": forgotten}
        click.echo(msgspec.json.encode(told).decode())
    else:
        is_graded_again = known.judge is JudgeState.INCOMPLETE
        click.echo(t("retry.asked-judge" if is_graded_again else "retry.asked", name=clean(set_name)))
    if not forgotten:
        click.echo(t("retry.no-broker"), err=True)
    return 0


def _known(settings: Settings, set_name: str) -> tuple[str, StatusFile] | None:
    """A set by the name that it goes by, however that was typed; everything that is kept of it is kept under that."""
    name = unicodedata.normalize("NFC", set_name)
    known = status_of_set(settings.out, name)
    if known is not None:  # a file system may take any case for the folder's
        return known.set if fold(known.set) == fold(name) else name, known
    alike = [entry for entry in _sets(settings) if fold(entry.set_name) == fold(name)]
    return (alike[0].set_name, alike[0].status) if len(alike) == 1 else None


def _forget(out: Path, set_name: str, contents: AbstractSet[str]) -> None:
    """What stands in the folder of reports. Raises SettingsError when that cannot be written to."""
    try:
        WorkArea(out).remove_parts(contents)
        forget_failures(out, set_name)
        (set_folder(out, set_name) / STATUS_JSON).unlink(missing_ok=True)
    except (OSError, TransientError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        if not isinstance(cause, OSError):
            raise  # somebody holds the set
        raise SettingsError((spoken()("service.not-writable", reason=system_reason(cause)),)) from error


def _sets(settings: Settings) -> list[IndexEntry]:
    try:
        return list(find_sets(settings.out))
    except OSError as error:
        raise SettingsError((spoken()("service.not-readable", reason=system_reason(error)),)) from error


def _watcher_lines(saved: SavedSnapshot | None, t: Texts) -> Iterator[str]:
    """What the watcher is doing, and what is in its way."""
    if saved is None:
        yield t("overview.no-watcher")
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
    for name, reason in sorted(seen.troubles.items()):
        yield t("overview.trouble", name=clean(name), reason=clean(reason))


def _is_all_done(saved: SavedSnapshot | None, depth: Depth) -> bool:
    """Is what workers hold left of work that is done? Those that died hold it until the visibility timeout."""
    if saved is None or depth.waiting or depth.judging or not depth.running:
        return False
    return saved.snapshot.is_leading and saved.snapshot.settled == saved.snapshot.sets


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
                "judge": entry.status.judge,
                "problems": entry.status.problems,
                "source": sources.get(entry.set_name),
            }
            for entry in sets
        ],
        "watcher": saved,
        "queue": None if depth is None else depth._asdict(),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
