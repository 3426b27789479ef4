"""UI items that an agent wrote as JSON in a text (docs/scoring.md#ui-items)."""

from __future__ import annotations

from typing import NamedTuple

from scoring.items.payload import open_json

_LIST = "dataUIList"
_ITEM = "uiValue"


class OpenedUi(NamedTuple):
    """payload: with every UI item as an object. is_nested: a UI item of a list, or its `uiValue`, was a JSON text."""

    payload: dict[str, object]
    is_nested: bool


def open_ui(payload: dict[str, object]) -> OpenedUi:
    """Open `dataUIList`, its elements and their `uiValue` where they are JSON texts; other texts stay as they are."""
    written = payload.get(_LIST)
    value = _open_text(written)
    items = value if isinstance(value, list) else [value]
    opened = [_open_item(item) for item in items]
    is_nested = any(one is not item for one, item in zip(opened, items, strict=True))
    if value is written and not is_nested:
        return OpenedUi(payload, False)
    shown: object = opened if isinstance(value, list) else opened[0]
    return OpenedUi({**payload, _LIST: shown}, is_nested and value is written)


def with_list(payload: dict[str, object]) -> dict[str, object]:
    """The payload as paths see it: an object in place of the list of UI items is one item."""
    value = payload.get(_LIST)
    return {**payload, _LIST: [value]} if isinstance(value, dict) else payload


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
