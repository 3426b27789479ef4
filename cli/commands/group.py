"""`scorewatch group SET…`: moves files that lie apart into one folder of the watched folder: they become one set."""

import contextlib
import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import click

from cli.commands.options import same_name
from cli.localised import Command, language_option, load, option, refusing_to_start, spoken
from cli.screen import cut
from cli.service import NUDGE_NAME
from cli.set_names import NAME_CELLS, missing_set, unknown_set
from reporting.store import IndexEntry, KnownSets, State
from reporting.wording import clean
from scoring.sets import RUN_TOML, is_ignored, safe_component, shown

_WORDS = re.compile(r"([ _.()-])")


@click.command(cls=Command, help="help.group")
@click.argument("names", nargs=-1, metavar="SET…")
@option("--into", metavar="FOLDER", help="option.group-into")
@option("--yes", is_flag=True, help="option.group-yes")
@language_option
def command(names: tuple[str, ...], into: str | None, *, yes: bool) -> int:
    """Move their files, after a question. What is there already is never replaced."""
    settings, t = load(), spoken()
    known = KnownSets(settings.out)
    with refusing_to_start("service.not-readable"):
        known.look()
    flat = [name for name, entry in sorted(known.entries.items()) if entry.state is State.REPORT and "/" not in name]
    if not names:
        raise missing_set("group SET…", flat)
    chosen = list(dict.fromkeys(_known(name, flat) for name in names))
    entries = [known.entries[name].unpack() for name in chosen]
    if (into is None and len(chosen) < 2) or len({entry.status.profile for entry in entries}) > 1:
        raise click.UsageError(t("group.several", names=_listed(chosen)))
    files = [file for entry in entries for file in _files(entry, settings.watch)]
    folder = settings.watch / (_folder_name(into) if into is not None else _common_name(chosen))
    taken = [folder / file.name for file in files if os.path.lexists(folder / file.name)]
    if taken or (into is None and os.path.lexists(folder)):
        raise click.UsageError(t("group.is-there", path=clean(shown(str([*taken, folder][0])))))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(t("group.needs-yes"))
        told = _listed([file.name for file in files])
        click.confirm(t("group.question", files=told, folder=clean(shown(str(folder)))), abort=True)
    with refusing_to_start("group.not-moved"):
        _move(files, folder)
    with contextlib.suppress(OSError):  # a watcher of another machine notices with its next scan
        (settings.state / NUDGE_NAME).touch()
    click.echo(t("group.done", folder=clean(shown(str(folder))), names=_listed([file.name for file in files])))
    return 0


def _known(name: str, flat: Sequence[str]) -> str:
    """The set that is meant. Raises click.UsageError when there is none outside of folders."""
    found = same_name(flat, unicodedata.normalize("NFC", name))
    if found is None:
        raise unknown_set(spoken()("group.unknown", name=cut(shown(name), NAME_CELLS)), name, flat)
    return found


def _files(entry: IndexEntry, watch: Path) -> list[Path]:
    """The files of a set, with what says what its run was. Raises click.UsageError for one that is not there."""
    files = []
    with os.scandir(watch) as found:
        known = {shown(one.name): Path(one.path) for one in found if one.is_file(follow_symlinks=False)}
    for name in entry.status.inputs:
        if name not in known:
            raise click.UsageError(spoken()("group.no-file", name=clean(name), folder=clean(shown(str(watch)))))
        beside = known.get(f"{name}.{RUN_TOML}")
        files += [known[name], *([] if beside is None else [beside])]
    return files


def _folder_name(name: str) -> str:
    """The name of a folder in the watched folder. Raises click.UsageError for what is none."""
    if safe_component(name) != name or name in {".", ".."} or is_ignored(name):
        raise click.UsageError(spoken()("group.no-folder", name=clean(shown(name))))
    return name


def _common_name(names: Sequence[str]) -> str:
    """The words that the names begin with alike."""
    words = zip(*(_WORDS.split(name) for name in names), strict=False)
    alike = "".join(one[0] for one in takewhile(lambda word: len(set(word)) == 1, words)).rstrip(" _-.(")
    return _folder_name(alike or f"{names[0]} {len(names)}")


def _move(files: Sequence[Path], folder: Path) -> None:
    """All of them or none. Raises OSError."""
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    moved: list[Path] = []
    try:
        for file in files:
            file.rename(folder / file.name)
            moved.append(file)
    except OSError:
        for file in moved:
            (folder / file.name).rename(file)
        if is_new:
            folder.rmdir()
        raise


def _listed(names: Sequence[str]) -> str:
    return ", ".join(clean(shown(name)) for name in names)
