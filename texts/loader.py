"""The texts of one language by key, the facts about codes, and words that files are understood by."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from texts.compiled import compiled
from texts.languages import DEFAULT_LANGUAGE
from texts.particles import fill


class Texts:
    """The texts of one language, called by key; names in braces are filled in, so a value is never a format."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.entries: Mapping[str, str] = json.loads(compiled(language))

    def __call__(self, key: str, /, **values: str) -> str:
        """The text of `key`. Raises KeyError when there is none, or when a name that it needs is not given."""
        text = self.entries[key]
        return fill(text, values) if values else text

    def has(self, key: str) -> bool:
        """Is there such a text?"""
        return key in self.entries

    def named(self, prefix: str, code: str) -> str:
        """The text of `<prefix>.<code>`, "" when there is none."""
        return self.entries.get(f"{prefix}.{code}", "")

    @lru_cache(maxsize=4096)  # noqa: B019 -- one object per language, which stays
    def counted(self, what: str, shown: str) -> str:
        """A number as it is shown with what it counts: `82 items`, `1 item`."""
        return self(f"count.{what}.one" if shown == "1" else f"count.{what}", n=shown)

    @cache  # noqa: B019 -- one object per language, which stays
    def starting(self, prefix: str) -> Mapping[str, str]:
        """All texts whose keys start with `prefix`, by the rest of the key."""
        return {key.removeprefix(prefix): text for key, text in self.entries.items() if key.startswith(prefix)}


class Code(NamedTuple):
    """What is known of a code besides its texts, as its record in `data/problems.toml` has it.

    severity: a value of `scoring.problems.Severity`, or "stop" for settings with which nothing starts. roles: do facts
    of it name tables of a rubric document? may_be_empty: the fact that is a list and may be empty, "" for none.
    touches: what a finding takes away from: "rows", "items" (all that is known of them), "grades", "" for nothing.
    Of notes "values": some that were not used, by which no figure is damaged.
    """

    severity: str
    roles: bool = False
    may_be_empty: str = ""
    touches: str = ""


@cache
def texts(language: str = DEFAULT_LANGUAGE) -> Texts:
    """The texts of a language. Raises KeyError for one without texts."""
    return Texts(language)


@cache
def codes() -> Mapping[str, Code]:
    """Every code of a problem, in the order in which reports show findings."""
    return {code: Code(**facts) for code, facts in json.loads(compiled("codes")).items()}


def words(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Words of people and tools by what they mean, as the table `kind` of `data/words.toml` has them."""
    return {meaning: tuple(listed) for meaning, listed in _words()[kind].items()}


@cache
def _words() -> Mapping[str, Mapping[str, list[str]]]:
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(compiled("words"))
    return found
