"""Options that commands share: the folders, what is wrong with them, and where the log goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.localised import PathType, option, spoken
from config import SettingsError
from reporting.wording import clean
from scoring import TransientError
from scoring.sets import fold

if TYPE_CHECKING:
    from config import Settings

FILE, JSON = "file", "json"


def folder_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that name the folders, on top of the settings."""
    for name, key in (("--state", "option.state"), ("--out", "option.out"), ("--watch", "option.watch")):
        command = option(name, type=PathType("folder"), metavar="DIR", help=key)(command)
    return command


def refuse_missing_watch(settings: Settings) -> None:
    """A folder that was named and is not there has nothing to drain: a slip of the pen, or a mount that failed.

    Raises SettingsError. The default folder is made.
    """
    if "watch" in settings.model_fields_set and not settings.watch.is_dir():
        raise SettingsError((spoken()("service.no-watch", folder=str(settings.watch)),))


def look_at_disks(settings: Settings) -> None:
    """Warn of a full disk of the reports, which is used again once it has space.

    Raises SettingsError for a full disk of the state folder, without which nothing can start.
    """
    from cli.service import is_disk_full  # a wrong setting is said before this is imported

    if is_disk_full(settings.state.absolute()):
        raise SettingsError((spoken()("service.state-full", folder=clean(str(settings.state.absolute()))),))
    if is_disk_full(settings.out.absolute()):
        click.echo(spoken()("service.out-full", folder=clean(str(settings.out.absolute()))), err=True)


def warn_of_folders(settings: Settings) -> None:
    """Warn when the watched folder is about to be created, or holds the folder of reports.

    The first may mean a wrong working directory; in the second case, files put among the reports are not scored.
    """
    if not settings.watch.exists():
        click.echo(spoken()("service.watch-made", folder=clean(str(settings.watch.absolute()))), err=True)
    watch, out = (Path(os.path.realpath(folder)) for folder in (settings.watch, settings.out))
    if out.is_relative_to(watch):
        folders = {"watch": clean(str(settings.watch)), "out": clean(str(settings.out))}
        click.echo(spoken()("service.out-in-watch", **folders), err=True)


@contextmanager
def system_errors() -> Iterator[None]:
    """Raise the OSError behind a TransientError; one without, as of a set that somebody holds, is left as it is."""
    try:
        yield
    except TransientError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise


def same_name(names: Iterable[str], name: str) -> str | None:
    """The one of the names that is meant: equal but for case and composition; None without one, or with several."""
    alike = [known for known in names if fold(known) == fold(name)]
    return name if name in alike else alike[0] if len(alike) == 1 else None


def log_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--log`."""
    kind = click.Choice([FILE, JSON], case_sensitive=False)
    with_log: Callable[..., Any] = option("--log", "log", type=kind, metavar=f"{FILE}|{JSON}", help="option.log")(
        command
    )
    return with_log


def verbose_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--verbose`: below the line of a set all that it leaves out."""
    with_verbose: Callable[..., Any] = option("-v", "--verbose", is_flag=True, help="option.verbose")(command)
    return with_verbose


def is_terminal() -> bool:
    """Does a person look at both outputs?"""
    return sys.stdout.isatty() and sys.stderr.isatty()


def chosen_log(asked: str | None, setting: str) -> str:
    """FILE or JSON. asked: what the option says. On a terminal the setting does not count: people read it."""
    if asked is not None:
        return asked
    return FILE if is_terminal() else setting
