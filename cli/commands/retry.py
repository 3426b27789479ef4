"""`scorewatch retry SET`: scores a set again that ended as a problem, or asks the judge again for what it gave up."""

import contextlib
import unicodedata
from collections.abc import Set as AbstractSet
from itertools import compress
from pathlib import Path

import click
import msgspec

from cli.commands.options import same_name, system_errors
from cli.localised import Command, language_option, load, option, refusing_to_start, spoken
from cli.screen import cut
from cli.service import NUDGE_NAME, find_known_sets
from cli.set_names import NAME_CELLS, known_sets, missing_set, unknown_set
from config import Settings
from reporting.store import (
    STATUS_JSON,
    SourceState,
    State,
    StatusFile,
    find_sets,
    forget_failures,
    read_sources,
    set_folder,
    source_text,
    status_of_set,
)
from reporting.wording import clean
from scoring.judging import JudgeState
from scoring.sets import fold
from workers.broker import broker_address, shared_client
from workers.jobs import Strikes, WorkArea


@click.command(cls=Command, help="help.retry")
@click.argument("set_name", metavar="SET", required=False)
@option("--json", "as_json", is_flag=True, help="option.json")
@language_option
def command(set_name: str | None, *, as_json: bool) -> int:
    """Forget what is settled about a set: its status, its parts, its strikes and what its judge gave up.

    What a judge graded is paid for and stays.
    """
    settings = load()
    t = spoken()
    if set_name is None:
        sets = known_sets(settings.out)
        is_open = [one.status.state is State.PROBLEM or one.status.judge is JudgeState.INCOMPLETE for one in sets]
        raise missing_set("retry SET", [one.set_name for one in compress(sets, is_open)])
    found = _known(settings, set_name)
    if found is None:
        names = [one.set_name for one in known_sets(settings.out)]
        raise unknown_set(t("retry.unknown", name=cut(set_name, NAME_CELLS)), set_name, names)
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
    found = {entry.set_name: entry.status for entry in find_known_sets(settings, find_sets)}
    meant = same_name(found, name)
    return None if meant is None else (meant, found[meant])


def _forget(out: Path, set_name: str, contents: AbstractSet[str]) -> None:
    """What stands in the folder of reports. Raises SettingsError when that cannot be written to."""
    with refusing_to_start("service.not-writable"), system_errors():
        WorkArea(out).remove_parts(contents)
        forget_failures(out, set_name)
        (set_folder(out, set_name) / STATUS_JSON).unlink(missing_ok=True)
