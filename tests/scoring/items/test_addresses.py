"""Addresses: same key, same path, neither, and nothing expected."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.items.addresses import Address, expected_addresses, field_texts, reach, read_address
from scoring.rubric.rules import AddressRule

RULE = AddressRule(
    key="dataKey", field="buttonUrl", same_key=5.0, same_path=3.0, neither=0.0, missing=1.0, status_points={}
)


def offered(*urls: Any) -> dict[str, Any]:
    return {"dataUIList": [{"uiValue": {"value": [{"buttonUrl": url}]}} for url in urls]}


@pytest.mark.parametrize(
    ("expected", "urls", "outcome"),
    [
        pytest.param("/plan/list?dataKey=A", ["/plan/list?dataKey=A"], "same-key", id="same"),
        pytest.param("dataKey=A", ["https://x.kr/other?dataKey=A&y=1"], "same-key", id="key-decides"),
        pytest.param("/plan/list?dataKey=A", ["https://x.kr/plan/list/?dataKey=B"], "same-path", id="path-only"),
        pytest.param("/plan/list?dataKey=A", ["/plan/list"], "same-path", id="path-without-query"),
        pytest.param("/plan/list?dataKey=A", ["/plan?dataKey=AA"], "neither", id="neither"),
        pytest.param("/plan/list?dataKey=A", ["/plan/list/more?dataKey=B"], "neither", id="longer-path"),
        pytest.param("dataKey=A", [], "neither", id="no-button"),
        pytest.param("dataKey=A", [None, 3, " "], "neither", id="odd-buttons"),
        pytest.param("dataKey=A", ["/x?datakey=A"], "neither", id="case-counts"),
        pytest.param("'/p?z=1&dataKey=A' 로 이동", ["/q", "/p?dataKey=A"], "same-key", id="best-of-many"),
        pytest.param("dataKey=A 또는 dataKey=B", ["/p?dataKey=B"], "same-key", id="either-expected"),
        pytest.param("dataKey=", ["/p?dataKey=B"], "missing", id="no-value"),
        pytest.param("목록으로 이동", ["/p"], "missing", id="nothing-expected"),
        pytest.param("", [], "missing", id="blank"),
    ],
)
def test_reach(expected: str, urls: list[Any], outcome: str) -> None:
    points = {"same-key": 5.0, "same-path": 3.0, "neither": 0.0, "missing": 1.0}
    assert reach(expected, offered(*urls), RULE) == (outcome, points[outcome])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://x.kr/a/b/?dataKey=K#top", Address("/a/b", "K")),
        ("/a?x=dataKey&dataKey=K", Address("/a", "K")),
        ("dataKey=K", Address("", "K")),
        ("/a", Address("/a", "")),
        ("https://x.kr", Address("", "")),
        ("", Address("", "")),
    ],
)
def test_read_address(text: str, address: Address) -> None:
    assert read_address(text, "dataKey") == address


def test_addresses_end_where_text_goes_on() -> None:
    assert expected_addresses('기대: "/a?dataKey=A", <b?dataKey=B>', "dataKey") == [
        Address("/a", "A"),
        Address("b", "B"),
    ]


def test_fields_are_found_at_any_depth_and_bounded() -> None:
    deep: Any = {"buttonUrl": "/deep"}
    for _ in range(2000):
        deep = {"x": [deep]}
    assert list(field_texts(deep, "buttonUrl")) == ["/deep"]
    assert len(list(field_texts([{"buttonUrl": "/a"}] * 5000, "buttonUrl"))) == 1000


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("https://x.kr/a?z=1", "/a", id="origin"),
        pytest.param("1https://x.kr/a?z=1", "1/a", id="digit-before"),
        pytest.param("1://x.kr/a?z=1", "1://x.kr/a", id="no-scheme"),
        pytest.param("1://b://x.kr/a?z=1", "1:///a", id="second-one"),
        pytest.param("a://b/c://d/e?z=1", "/c://d/e", id="first-one-only"),
        pytest.param("가a+b.c-d://x?z=1", "가", id="behind-other-letters"),
    ],
)
def test_origin_is_taken_off(text: str, path: str) -> None:
    assert read_address(text, "dataKey").path == path


@pytest.mark.parametrize("part", ["a", "1://", "a:", "http://"])
def test_text_that_looks_like_a_scheme_for_long_is_read_once(part: str) -> None:
    text = part * 500_000
    assert read_address(f"{text}?dataKey=K", "dataKey").key == "K"
