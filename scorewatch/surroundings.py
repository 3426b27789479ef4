"""What every function of the door works in: settings as the commands find them, a language, errors with what to do."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from cli import language_of, speak, spoken, unreadable
from cli.score import load_score_settings
from config import SettingsError
from reporting.wording import describe
from scoring import InputError, Problem, ScorewatchError
from texts import DEFAULT_LANGUAGE, LANGUAGES

if TYPE_CHECKING:
    from cli.score import ScoreSettings

__all__ = ["Problem", "RefusedError", "RequestError", "ScorewatchError", "SettingsError", "broken", "within"]

T = TypeVar("T")


class RequestError(ScorewatchError):
    """What was asked for is not there or does not fit, such as a set of this name; the text names the nearest."""


class RefusedError(InputError):
    """A file cannot be scored. problems: each with code, file, row and column; the text says all of them in words.

    language: of the text.
    """

    def __init__(self, problems: tuple[Problem, ...], language: str = DEFAULT_LANGUAGE) -> None:
        super().__init__(problems)
        self.args = (problems, language)  # so that it comes whole out of another process
        self.language = language

    def __str__(self) -> str:
        return "\n".join(describe(problem, self.language) for problem in self.problems)


def within(language: str | None, work: Callable[[ScoreSettings], T]) -> T:
    """The result of the work, in a context of its own: nothing that is said or set in it lasts.

    language: "ko" or "en"; None takes that of the settings. Raises RequestError and RefusedError in place of the errors
    of a command line, SettingsError as it is.
    """
    return copy_context().run(_work, language, work)


def broken(folder: Path) -> RequestError:
    """The error of a report that cannot be read, or whose files are not those that belong to it."""
    return RequestError(within(None, lambda _: unreadable(str(folder), folder).format_message()))


def _work(language: str | None, work: Callable[[ScoreSettings], T]) -> T:
    if language not in {None, *LANGUAGES}:
        raise RequestError(f"language: {language!r}, not one of {', '.join(LANGUAGES)}")
    speak(language or language_of(()))
    try:
        settings = load_score_settings()
        speak(language or settings.language)
        return work(settings._replace(language=spoken().language))
    except click.UsageError as error:
        raise RequestError(error.format_message()) from None
    except InputError as error:
        raise RefusedError(error.problems, spoken().language) from error
