"""UI items that are JSON texts: opened, and only what is an item."""

import json
from typing import Any

import pytest

from scoring.json_values import EACH, MAX_DEPTH
from scoring.payloads import OpenedUi, open_ui, with_list

UI = (("dataUIList",),)
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
    assert open_ui(payload, UI) == OpenedUi({"assistantMessage": "x", "dataUIList": [ITEM]}, is_nested)
    assert payload["dataUIList"] is written


def test_object_in_place_of_the_list_is_opened() -> None:
    assert open_ui({"dataUIList": text(ITEM)}, UI).payload == {"dataUIList": ITEM}
    assert open_ui({"dataUIList": {"uiValue": text(ITEM["uiValue"])}}, UI) == OpenedUi({"dataUIList": ITEM}, True)


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
    opened = open_ui(payload, UI)
    assert opened.payload is payload
    assert not opened.is_nested


def test_items_at_another_path_are_opened_there_and_only_there() -> None:
    paths = (("output", "missing"), ("output", "widgets"))
    payload: dict[str, object] = {"output": {"widgets": [text(ITEM)], "text": "x"}, "dataUIList": [text(ITEM)]}
    opened = open_ui(payload, paths)
    assert opened == OpenedUi({**payload, "output": {"widgets": [ITEM], "text": "x"}}, True)
    assert payload["output"] == {"widgets": [text(ITEM)], "text": "x"}
    one: dict[str, object] = {"output": {"widgets": ITEM}}
    assert with_list(one, paths) == {"output": {"widgets": [ITEM]}}
    assert with_list({"dataUIList": ITEM}, paths) == {"dataUIList": ITEM}


def test_items_inside_lists_stay_as_they_are() -> None:
    payload: dict[str, object] = {"steps": [{"ui": [text(ITEM)]}]}
    assert open_ui(payload, (("steps", EACH, "ui"),)) == OpenedUi(payload, False)
