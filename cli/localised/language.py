"""The language that a command speaks: `--language`, else the settings, else Korean.

Before the settings are read, and in help and usage errors, it is the option, else the environment's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextvars import ContextVar

from config.env_names import PREFIX
from config.languages import DEFAULT_LANGUAGE, first_language
from reporting.wording.catalogue import Texts, texts

OPTION = "--language"
VARIABLE = f"{PREFIX}LANGUAGE"

_language: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)


def speak(language: str) -> None:
    """From now on say everything in this language."""
    _language.set(language)


def spoken() -> Texts:
    """The texts of the language that is spoken now."""
    return texts(_language.get())


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
