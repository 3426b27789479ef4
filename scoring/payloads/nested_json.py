"""UI items that an agent wrote as JSON in a text (docs/scoring.md#ui-items)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from scoring.json_path import Path
from scoring.json_text import open_json
from scoring.payloads.paths import values_at

_ITEM = "uiValue"


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
