"""Where the log of `up` and `score` goes: `--log`, else the setting where there is no terminal, else a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from cli.localised.command import option

FILE, JSON = "file", "json"


def log_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--log`."""
    kind = click.Choice([FILE, JSON], case_sensitive=False)
    with_log: Callable[..., Any] = option("--log", "log", type=kind, metavar=f"{FILE}|{JSON}", help="option.log")(
        command
    )
    return with_log


def is_terminal() -> bool:
    """Does a person look at both outputs?"""
    return sys.stdout.isatty() and sys.stderr.isatty()


def chosen_log(asked: str | None, setting: str) -> str:
    """FILE or JSON. asked: what the option says. On a terminal the setting does not count: people read it."""
    if asked is not None:
        return asked
    return FILE if is_terminal() else setting
