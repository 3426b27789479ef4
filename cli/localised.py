"""The language that a command speaks: `--language`, else the settings, else Korean; and everything that is said in it.

Before the settings are read, and in help and usage errors, it is the option, else the environment's. Texts of commands
and options are keys of the catalogue. click's own words for usage lines, headings and errors are replaced as well, so
that a page is in one language.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from config import PREFIX, SettingsError
from reporting.wording import clean, reason_of
from texts import DEFAULT_LANGUAGE, LANGUAGES, Texts, first_language, texts

if TYPE_CHECKING:
    from config import Settings

OPTION = "--language"
VARIABLE = f"{PREFIX}LANGUAGE"
_language: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)
_ASKED = "scorewatch.language"


def speak(language: str) -> None:
    """From now on say everything in this language."""
    _language.set(language)


def spoken() -> Texts:
    """The texts of the language that is spoken now."""
    return texts(_language.get())


@contextmanager
def refusing_to_start(key: str) -> Iterator[None]:
    """Raise SettingsError where the system refuses what is done within. key: of the text, with the `reason`."""
    try:
        yield
    except OSError as error:
        t = spoken()
        raise SettingsError((t(key, reason=reason_of(error, t)),)) from error


def language_of(arguments: Sequence[str]) -> str:
    """The language of messages while the arguments are not parsed yet."""
    return first_language(*reversed(list(_options(arguments))), os.environ.get(VARIABLE))


def _options(arguments: Sequence[str]) -> Iterator[str]:
    for at, argument in enumerate(arguments):
        if argument == "--":
            return
        if argument.startswith(f"{OPTION}="):
            yield argument.partition("=")[2]
        elif argument == OPTION:
            yield from arguments[at + 1 : at + 2]


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


def show_error(error: click.ClickException) -> None:
    """Write the error, the usage line, and where to find help."""
    t = spoken()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    click.echo(t("usage.error", message=_message(error, t)), err=True)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        context = error.ctx
        hint = t("usage.hint", command=f"{context.command_path} {max(context.help_option_names, key=len)}")
        click.echo(f"{context.get_usage()}\n{hint}", err=True)


def _message(error: click.ClickException, t: Texts) -> str:
    """One sentence or two; what click says where it is no error that we know."""
    match error:
        case click.MissingParameter(param=click.Parameter() as param):
            key = "usage.missing-argument" if isinstance(param, click.Argument) else "usage.missing-option"
            return t(key, name=_name_of_param(param))
        case click.BadParameter(param=click.Parameter() as param):
            return t("usage.bad-value", name=_name_of_param(param), allowed=_allowed(param.type, error.message, t))
        case click.NoSuchOption():
            hint = f" {t('usage.likely', names=_quoted(error.possibilities))}" if error.possibilities else ""
            return t("usage.no-option", name=clean(error.option_name)) + hint
        case click.BadOptionUsage():
            takes_value = not _is_flag(error.ctx, error.option_name)
            key = "usage.needs-value" if takes_value else "usage.takes-no-value"
            return t(key, name=clean(error.option_name))
        case click.UsageError(message="Missing command."):
            return t("usage.missing-command")
        case _:
            return error.format_message()


def _name_of_param(param: click.Parameter) -> str:
    return (
        param.make_metavar(click.Context(click.Command(None))) if isinstance(param, click.Argument) else param.opts[-1]
    )


def _allowed(kind: click.ParamType[Any], said: str, t: Texts) -> str:
    match kind:
        case click.Choice():
            return t("usage.choice", choices=", ".join(map(str, kind.choices)))
        case click.IntRange() | click.FloatRange() if kind.max is None:
            return t("usage.number-from", least=f"{kind.min:g}")
        case click.IntRange():
            return t("usage.whole-number", least=f"{kind.min}", most=f"{kind.max}")
        case _:
            return said


def _is_flag(context: click.Context | None, name: str) -> bool:
    params = [] if context is None else context.command.get_params(context)
    return any(isinstance(param, click.Option) and name in param.opts and param.is_flag for param in params)


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def load(**overrides: object) -> Settings:
    """The settings, command line options over them. Raises SettingsError as `load_settings` does."""
    from config import load_settings

    settings = load_settings(None, language=asked_language(), **overrides)
    speak(settings.language)
    return settings
