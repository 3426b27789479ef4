"""UI items that are JSON texts: opened, and only what is an item."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoring.items.nested_json import OpenedUi, open_ui
from scoring.items.payload import MAX_DEPTH

ITEM = {"uiValue": {"formType": "SELECT"}}


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    ("written", "is_nested"),
    [
        pytest.param([{"uiValue": text(ITEM["uiValue"])}], True, id="ui-value"),
        pytest.param([text(ITEM)], True, id="element"),
        pytest.param([text({"uiValue": text(ITEM["uiValue"])})], True, id="both"),
        pytest.param(text([ITEM]), False, id="list"),  # counted with the payload
        pytest.param(text([{"uiValue": text(ITEM["uiValue"])}]), False, id="all"),
        pytest.param(" \n" + text([ITEM]), False, id="white-space-before"),
    ],
)
def test_texts_are_opened(written: Any, is_nested: bool) -> None:
    payload = {"assistantMessage": "x", "dataUIList": written}
    assert open_ui(payload) == OpenedUi({"assistantMessage": "x", "dataUIList": [ITEM]}, is_nested)
    assert payload["dataUIList"] is written


def test_object_in_place_of_the_list_is_opened() -> None:
    assert open_ui({"dataUIList": text(ITEM)}).payload == {"dataUIList": ITEM}
    assert open_ui({"dataUIList": {"uiValue": text(ITEM["uiValue"])}}) == OpenedUi({"dataUIList": ITEM}, True)


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        {},
        7,
        "없음",
        "[안내] 목록",
        '{"cut": ',
        ["a", None, "[1]", ITEM],
        [{"uiValue": "제목"}, {"uiValue": '"{}"'}, {"uiValue": None}, {"value": "{}"}],
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    ],
    ids=range(10),
)
def test_anything_else_stays_as_it_is(written: Any) -> None:
    payload = {"dataUIList": written}
    opened = open_ui(payload)
    assert opened.payload is payload
    assert not opened.is_nested
