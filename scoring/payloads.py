"""Finds values in payloads: at the paths of a document, and in JSON that an agent wrote as a text.

Paths that a file never has are noted (docs/rubrics.md#payload). UI items may be written as JSON in a text
(docs/scoring.md#ui-items).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from scoring.findings import FindingLog
from scoring.json_values import Path, find_values, is_nothing, open_json, parse_path
from scoring.problems import Problem
from scoring.rubric import Paths, paths_of
from scoring.text import CELL_CHARACTERS

# Values that a column or the payload may have: how documents name the path in the payload, and what it usually is.
_DECLARED = {
    "intent_verdict": ("metrics.intent.verdict.field", "intent_verdict"),
    "rubric_level": ("metrics.rubrics.field", "rubric_level"),
    "accuracy_checks": ("metrics.accuracy.checks.field", "accuracyChecks"),
    "intent_label": ("metrics.consistency.agreement.label.field", "intent_label"),
    "latency_class": ("metrics.latency.by_payload.field", "latencyClass"),
}
_ITEM = "uiValue"
_MOST_KEYS = 10_000  # of checks that are kept in mind
_MOST_NAMES = 2_000  # of a payload that are looked at for one that a check may mean
_NAME_SIGNS = re.compile(r"[\W_]+")
_LEAST_LIKENESS = 0.8


class PathsSeen(msgspec.Struct, frozen=True, array_like=True):
    """What a `PathWatch` has seen.

    asked: payloads by key, without those in which a value was found. calls_asked: rows whose checks are about tool
    calls. has_calls: has any of them a place of calls? keys_asked, keys_found: of checks.
    """

    asked: dict[str, int]
    paths: dict[str, tuple[str, ...]]
    found: frozenset[str]
    calls_asked: tuple[int, ...]
    has_calls: bool
    keys_asked: dict[str, KeyAsked]
    keys_found: frozenset[str]


class KeyAsked(msgspec.Struct, frozen=True, array_like=True):
    """A key of checks that payloads lack. n: of them. row, column: of the first check. nearest: a name it may mean."""

    n: int
    row: int
    column: str
    nearest: str


class CheckKeys:
    """The keys of checks of a file: which of them no payload has."""

    def __init__(self) -> None:
        self.asked: dict[str, KeyAsked] = {}
        self.found: set[str] = set()

    def saw(self, name: str, row: int, column: str, lacking: dict[str, object] | None) -> None:
        """Note a check with a key. lacking: the payload if it has no value there, None if it has one."""
        if name in self.found:
            return
        if lacking is None:
            if len(self.found) < _MOST_KEYS:
                self.found.add(name)
        elif (known := self.asked.get(name)) is not None:
            self.asked[name] = msgspec.structs.replace(known, n=known.n + 1)
        elif len(self.asked) < _MOST_KEYS:
            self.asked[name] = KeyAsked(1, row, column, _nearest_key(name, lacking))

    def absorb(self, asked: Mapping[str, KeyAsked], found: Iterable[str], rows: int) -> None:
        """Add those of other rows. rows: what their numbers are short of."""
        for name, other in asked.items():
            known = self.asked.get(name)
            moved = msgspec.structs.replace(other, row=other.row + rows)
            self.asked[name] = moved if known is None else msgspec.structs.replace(known, n=known.n + other.n)
        self.found.update(found)

    def note(self, log: FindingLog) -> None:
        """Log each key that no payload has, where it was looked for first."""
        if len(self.found) >= _MOST_KEYS:
            return  # a key may have been found that was not kept
        for name, one in sorted(self.asked.items(), key=lambda entry: entry[1].row):
            if name not in self.found:
                found = f"{name} → {one.nearest}" if one.nearest else name
                log.add(Problem(code="check-key-never-found", row=one.row, column=one.column, found=found), one.n)


class PathWatch:
    """The paths that a document names, by key: which of them were looked for in a file and found nowhere."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._paths: dict[str, Sequence[str]] = {}
        self._found: set[str] = set()
        self._calls_asked: list[int] = []
        self._has_calls = False
        self.keys = CheckKeys()

    @property
    def seen(self) -> PathsSeen:
        """What was seen so far."""
        paths = {key: tuple(paths) for key, paths in self._paths.items()}
        return PathsSeen(
            asked=dict(self._asked),
            paths=paths,
            found=frozenset(self._found),
            calls_asked=tuple(self._calls_asked),
            has_calls=self._has_calls,
            keys_asked=dict(self.keys.asked),
            keys_found=frozenset(self.keys.found),
        )

    def absorb(self, seen: PathsSeen, rows: int) -> None:
        """Add what was seen in other rows. rows: what their numbers are short of."""
        self._calls_asked += (row + rows for row in seen.calls_asked)
        self._has_calls |= seen.has_calls
        self._asked.update(seen.asked)
        self._paths.update(seen.paths)
        self._found |= seen.found
        self.keys.absorb(seen.keys_asked, seen.keys_found, rows)

    def saw(self, key: str, paths: Sequence[str], *, asked: int = 1, found: bool) -> None:
        """Count payloads in which a value was looked for at the paths of `key`. found: had any of them one?"""
        if found:
            self._found.add(key)
        else:
            self._asked[key] += asked
            self._paths[key] = paths

    def saw_calls(self, row: int, *, found: bool) -> None:
        """Note a row whose checks are about tool calls. found: has its payload a place of calls?"""
        self._calls_asked.append(row)
        self._has_calls |= found

    def value(self, payload: dict[str, object], field: Paths, column: str) -> object:
        """The value at a declared path, None without one. column: field name of the column that may have it as well.

        A path that most documents have may be absent: there is nothing to note. `false` is a word; it is no list.
        """
        key, usual = _DECLARED[column]
        is_none = says_nothing if column == "accuracy_checks" else is_no_value
        if field == usual:
            value = payload.get(usual)
            return None if value is None or is_none(value) else value
        value = next(iter(values_at(payload, _parsed(field), is_none)), None)
        if payload:
            self.saw(key, paths_of(field), found=value is not None)
        return value

    def note(self, log: FindingLog, column: str) -> None:
        """Log each key that has no value in any payload of the file, with the number of payloads. column: its title.

        Keys in the order in which a row looks for them, however many rows were looked at at once.
        """
        for key, asked in sorted(self._asked.items(), key=lambda entry: _place_in_row(entry[0])):
            if asked and key not in self._found:
                values = {"key": key, "paths": ", ".join(self._paths[key])}
                log.add(Problem(code="path-never-found", column=column, found=values["paths"], values=values), asked)

    def note_calls(self, log: FindingLog, column: str, paths: Sequence[str]) -> None:
        """Log the rows that ask for tool calls, where none has any place of them. paths: of these places."""
        if not self._has_calls:
            values = {"paths": ", ".join(paths)}
            places = (Problem(code="calls-absent", row=row, column=column, values=values) for row in self._calls_asked)
            log.add_first(places, len(self._calls_asked))


def _nearest_key(name: str, payload: dict[str, object]) -> str:
    """The name in a payload that the last name of a path is like; "" for none."""
    wanted = name.rpartition(".")[2].partition("[")[0]
    names: dict[str, str] = {}  # by the form in which they are compared
    left: list[object] = [payload]
    looked_at = 0
    while left and looked_at < _MOST_NAMES:
        value = left.pop()
        if isinstance(value, dict):
            looked_at += len(value)
            names |= {_NAME_SIGNS.sub("", one).casefold(): one for one in value if len(one) <= CELL_CHARACTERS}
            left += value.values()
        elif isinstance(value, list):
            looked_at += len(value)
            left += value[:_MOST_NAMES]
    folded = _NAME_SIGNS.sub("", wanted).casefold()
    near = [folded] if folded in names else get_close_matches(folded[:CELL_CHARACTERS], list(names), 1, _LEAST_LIKENESS)
    return names[near[0]] if near and names[near[0]] != wanted else ""


def _place_in_row(key: str) -> int:
    """Payloads are read first, for profiles with rules of their own then their values, and measures last."""
    return 0 if key.startswith("payload.") else 2 if key.startswith("measures.") else 1


def parsed_paths(paths: Iterable[str]) -> tuple[Path, ...]:
    """The paths of a document, which are known to be paths."""
    return tuple(path for text in paths if (path := parse_path(text)) is not None)


def found_at(payload: dict[Any, object], path: Path) -> list[object]:
    """What is at a path but null."""
    if len(path) > 1:
        return find_values(payload, path)
    value = payload.get(path[0])
    return [] if value is None else [value]


def says_nothing(value: object) -> bool:
    """null, false, {}, [], blank text and numbers that are none."""
    if type(value) is float:  # most scores
        return not math.isfinite(value)
    if type(value) is dict:  # most UI items
        return not value
    return value is False or is_nothing(value)


def is_no_value(value: object) -> bool:
    """What says nothing as a score or a verdict: there `false` is an outcome, as the text "false" is."""
    return value is not False and says_nothing(value)


def values_at(
    payload: dict[Any, object], paths: Iterable[Path], is_none: Callable[[object], bool] = says_nothing
) -> list[object]:
    """The values at the first of the paths that has any; [] for none. is_none: what is no value beside null."""
    for path in paths:
        if _has_names_alone(path):  # the usual case: four times as fast
            value = _at_names(payload, path)
            if value is not None and not is_none(value):
                return [value]
        elif values := [value for value in find_values(payload, path) if not is_none(value)]:
            return values
    return []


def values_of_each(
    payloads: Sequence[dict[str, object] | None], paths: Sequence[Path], is_none: Callable[[object], bool]
) -> list[list[object]]:
    """`values_at` of many payloads, [] for one that is not there."""
    first, *others = paths
    if not _has_names_alone(first):
        return [values_at(payload, paths, is_none) if payload else [] for payload in payloads]
    below: list[Any] = list(payloads)
    for name in first:  # one step of many payloads at a time: half the time
        below = [value.get(name) if type(value) is dict else None for value in below]
    return [
        [value]
        if value is not None and not is_none(value)
        else values_at(payload, others, is_none)
        if others and payload is not None
        else []
        for value, payload in zip(below, payloads, strict=True)
    ]


@lru_cache(maxsize=4096)
def _has_names_alone(path: Path) -> bool:
    return all(isinstance(step, str) for step in path)


def _at_names(value: object, path: Path) -> object:
    """What is below names, None for nothing."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def first_at(payload: dict[str, object], field: Paths) -> object:
    """The first value at a declared path, None without any."""
    values = values_at(payload, _parsed(field))
    return values[0] if values else None


@lru_cache(maxsize=64)
def _parsed(field: Paths) -> tuple[Path, ...]:
    return parsed_paths(paths_of(field))


class OpenedUi(NamedTuple):
    """payload: with every UI item as an object. is_nested: a UI item of a list, or its `uiValue`, was a JSON text."""

    payload: dict[str, object]
    is_nested: bool


def open_ui(payload: dict[str, object], paths: Iterable[Path]) -> OpenedUi:
    """Open the UI items, their list and their `uiValue` where they are JSON texts; other texts stay as they are.

    paths: of UI items. What is inside a list is not opened, because it has no place of its own.
    """
    path = _used(payload, paths)
    if not path:
        return OpenedUi(payload, False)
    written = _at(payload, path)
    value = _open_text(written)
    items = value if isinstance(value, list) else [value]
    opened = [_open_item(item) for item in items]
    is_nested = any(one is not item for one, item in zip(opened, items, strict=True))
    if value is written and not is_nested:
        return OpenedUi(payload, False)
    shown: object = opened if isinstance(value, list) else opened[0]
    return OpenedUi(_replaced(payload, path, shown), is_nested and value is written)


def with_list(payload: dict[str, object], paths: Iterable[Path]) -> dict[str, object]:
    """The payload as paths see it: an object in place of the list of UI items is one item."""
    path = _used(payload, paths)
    value = _at(payload, path) if path else None
    return _replaced(payload, path, [value]) if isinstance(value, dict) else payload


def _used(payload: dict[str, object], paths: Iterable[Path]) -> tuple[str, ...]:
    """The first path that has a value, if it is made of names alone; else ()."""
    return next((_names(path) for path in paths if values_at(payload, (path,))), ())


@lru_cache(maxsize=64)
def _names(path: Path) -> tuple[str, ...]:
    names = tuple(step for step in path if isinstance(step, str))
    return names if len(names) == len(path) else ()


def _at(payload: dict[str, object], path: tuple[str, ...]) -> object:
    value: object = payload
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _replaced(payload: dict[str, object], path: tuple[str, ...], value: object) -> dict[str, object]:
    """A copy of the payload with another value at a path that it has."""
    name, *rest = path
    inner = payload[name]
    if rest and isinstance(inner, dict):
        value = _replaced(inner, tuple(rest), value)
    return {**payload, name: value}


def _open_item(item: object) -> object:
    if isinstance(item, dict) and not isinstance(item.get(_ITEM), str):
        return item
    opened = _open_text(item)
    if not isinstance(opened, dict):
        return item  # a text that holds a list is no UI item
    written = opened.get(_ITEM)
    value = _open_text(written)
    return opened if value is written else {**opened, _ITEM: value}


def _open_text(value: object) -> object:
    """The list or object in a JSON text; the same value when it is no such text."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    inner = open_json(value)
    return inner if isinstance(inner, list | dict) else value
