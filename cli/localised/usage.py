"""Usage errors in the language that is spoken. click makes them in English, with the facts as attributes."""

from __future__ import annotations

from typing import Any

import click

from cli.localised.language import spoken
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean


def show_error(error: click.ClickException) -> None:
    """Write the usage line, where to find help, and the error."""
    t = spoken()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        context = error.ctx
        hint = t("usage.hint", command=f"{context.command_path} {max(context.help_option_names, key=len)}")
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    click.echo(t("usage.error", message=_message(error, t)), err=True)


def _message(error: click.ClickException, t: Texts) -> str:
    """One sentence or two; what click says where it is no error that we know."""
    match error:
        case click.MissingParameter(param=click.Parameter() as param):
            key = "usage.missing-argument" if isinstance(param, click.Argument) else "usage.missing-option"
            return t(key, name=_name(param))
        case click.BadParameter(param=click.Parameter() as param):
            return t("usage.bad-value", name=_name(param), allowed=_allowed(param.type, error.message, t))
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


def _name(param: click.Parameter) -> str:
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
