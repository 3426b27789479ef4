"""Commands and options whose texts are keys of the catalogue, said in the language that is spoken when they show.

click's own words for usage lines and headings are replaced as well, so that a page is in one language.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from cli.localised.language import OPTION, spoken
from config.languages import LANGUAGES
from reporting.wording.display import clean

_ASKED = "scorewatch.language"


class _Keyed:
    """Something whose help is a key."""

    _key: str | None = None

    @property
    def help(self) -> str | None:
        """What it does."""
        return None if self._key is None else spoken()(self._key)

    @help.setter  # noqa: A003 -- the name is click's
    def help(self, key: str | None) -> None:
        self._key = key


class Option(_Keyed, click.Option):
    """An option."""


class PathType(click.Path):
    """`click.Path` that refuses an empty path, as an unset variable of a script gives; it would mean this folder.

    to_write: "file" or "folder", what is to be written there; what is something else is refused before any work. A
    device or a pipe is no file: the new file would take its place.
    """

    def __init__(self, to_write: str = "") -> None:
        super().__init__(path_type=Path, readable=False)  # what may not be read is a problem with a text of its own
        self._to_write = to_write

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises click.BadParameter."""
        if not str(value).strip():
            self.fail(spoken()("usage.empty-path"), param, ctx)
        fault = _FAULTS[self._to_write](value) if os.path.exists(value) else ""  # noqa: PTH110 -- does not raise
        if fault:
            self.fail(spoken()(fault, path=clean(str(value))), param, ctx)
        return super().convert(value, param, ctx)


def _file_fault(path: str) -> str:
    if os.path.isdir(path):  # noqa: PTH112 -- does not raise
        return "usage.no-file"
    return "" if os.path.isfile(path) else "usage.no-regular-file"  # noqa: PTH113 -- does not raise


# What is to be written -> the key of what is wrong with a path that exists, "" for nothing.
_FAULTS: dict[str, Callable[[str], str]] = {
    "": lambda _: "",
    "file": _file_fault,
    "folder": lambda path: "" if os.path.isdir(path) else "usage.no-folder",  # noqa: PTH112 -- does not raise
}


class _Spoken(_Keyed, click.Command):
    """What commands and groups have in common."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """`--help`, described in the language."""
        option = super().get_help_option(ctx)
        if option is not None and not isinstance(option, Option):
            option.help = spoken()("option.help")
        return option

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; every refusal knows whose they were."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """`[OPTIONS] FILE…`."""
        pieces = super().collect_usage_pieces(ctx)
        words = {self.options_metavar: "usage.options", getattr(self, "subcommand_metavar", None): "usage.command"}
        return [spoken()(words[piece]) if piece in words else piece for piece in pieces]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usage line."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=f"{spoken()('usage.title')} ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, and the commands of a group."""
        options = [param.get_help_record(ctx) for param in self.get_params(ctx) if isinstance(param, click.Option)]
        with formatter.section(spoken()("usage.options-title")):
            formatter.write_dl([record for record in options if record is not None])


class Command(_Spoken):
    """A command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, and refuse what is left over."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            ctx.fail(spoken()("usage.extra", arguments=clean(" ".join(rest))))
        return rest


class Group(_Spoken, click.Group):
    """A command with sub-commands."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, and name the likely one when there is none."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            t = spoken()
            close = difflib.get_close_matches(args[0], names, n=1)
            hint = t("usage.likely", names=f"'{close[0]}'") if close else t("usage.commands", names=", ".join(names))
            ctx.fail(f"{t('usage.no-command', name=clean(args[0]))} {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with what they do."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section(spoken()("usage.commands-title")):
            formatter.write_dl([(name, command.help or "") for name, command in commands if command is not None])


def option(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """`click.option` whose help is a key."""
    return click.option(*names, cls=Option, **attributes)


def language_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--language`: the language of messages and reports. `asked_language` tells what was asked for."""
    kind = click.Choice(LANGUAGES, case_sensitive=False)
    shown = "|".join(LANGUAGES)
    add = option(OPTION, type=kind, metavar=shown, expose_value=False, callback=_keep, help="option.language")
    with_language: Callable[..., Any] = add(command)
    return with_language


def asked_language() -> str | None:
    """What `--language` said, None without it."""
    context = click.get_current_context(silent=True)
    asked = None if context is None else context.meta.get(_ASKED)
    return asked if isinstance(asked, str) else None


def _keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[_ASKED] = value
