"""Reads the TOML files of `texts/data` and checks them: every text in every language, with the same names in braces.

A text stands under its key, `[chart.metrics]`, with a line for each language. `problems.toml` has a table for each code
instead, so that all that is said of a code stands together: `what.ko` of `[empty-file]` is the key `what.empty-file`.
`words.toml` has no texts, but words that files are understood by.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from texts.languages import LANGUAGES

RECORDS = "problems.toml"
WORDS = "words.toml"
_ONE, _COUNTED = ("what", "fix"), ("finding", "brief", "fix")
_KINDS: Mapping[object, tuple[str, ...]] = {"stop": _ONE, "refused": _ONE, "error": _COUNTED, "note": _COUNTED}
_FACTS = ("severity", "roles", "may_be_empty", "touches")  # of a code; all else in its table is a text


class TextsError(Exception):
    """The files of texts were edited wrongly. Its text names every place, a line each."""


class Sources(NamedTuple):
    """texts: by language and key. codes: facts by code, in the order of the file. words: as they stand in theirs."""

    texts: dict[str, dict[str, str]]
    codes: dict[str, dict[str, object]]
    words: dict[str, object]


class _Text(NamedTuple):
    """place: file and key, for what is wrong with it."""

    place: str
    key: str
    languages: Mapping[str, object]


def read_sources(folder: Path) -> Sources:
    """All texts and codes of a folder. Raises TextsError."""
    found: list[_Text] = []
    codes: dict[str, dict[str, object]] = {}
    words: dict[str, object] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise TextsError(f"{path.name}: {error}") from error
        if path.name == WORDS:
            words = tables
        elif path.name == RECORDS:
            codes = {
                code: {name: table.pop(name) for name in _FACTS if name in table} for code, table in tables.items()
            }
            found += [text for code, table in tables.items() for text in _texts_of_code(path.name, code, table)]
        else:
            found += _texts_of(path.name, (), tables)
    wrong = list(_faults(found, codes))
    if wrong:
        raise TextsError("\n".join(wrong))
    by_language = {language: {text.key: str(text.languages[language]) for text in found} for language in LANGUAGES}
    return Sources(by_language, codes, words)


def _texts_of(file: str, path: tuple[str, ...], table: Mapping[str, object]) -> Iterator[_Text]:
    """The text of a table, if it is one, and those of the tables in it."""
    own = {name: value for name, value in table.items() if not isinstance(value, dict)}
    if own:
        key = ".".join(path)
        yield _Text(f"{file} [{key}]", key, own)
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _texts_of(file, (*path, name), value)


def _texts_of_code(file: str, code: str, table: Mapping[str, object]) -> Iterator[_Text]:
    for text in _texts_of(file, (), table):
        kind, dot, rest = text.key.partition(".")
        yield _Text(f"{file} [{code}] {text.key}", f"{kind}.{code}{dot}{rest}", text.languages)


def _faults(found: list[_Text], codes: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    places: dict[str, str] = {}
    for place, key, languages in found:
        if key in places:
            yield f"{place}: the key {key} is in {places[key]} already"
        places[key] = place
        if set(languages) != set(LANGUAGES):
            yield f"{place}: there has to be one line for each of {', '.join(LANGUAGES)}, not {', '.join(languages)}"
        elif not all(isinstance(text, str) and text for text in languages.values()):
            yield f"{place}: a text is empty, or none at all"
        elif len({names_in(str(text)) for text in languages.values()}) > 1:
            yield f"{place}: the names in braces are not the same in every language"
    for code, facts in codes.items():
        kinds = _KINDS.get(facts.get("severity"), ("severity",))
        missing = [kind for kind in kinds if f"{kind}.{code}" not in places]
        if missing:
            yield f"{RECORDS} [{code}]: missing or wrong: {', '.join(missing)}"


def names_in(text: str) -> frozenset[str]:
    """The names in braces of a text, without particles."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name and "/" not in name)
