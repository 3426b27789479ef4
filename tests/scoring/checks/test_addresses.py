"""Addresses: same key, same path, neither, and nothing expected."""

from typing import Any

import pytest

from scoring.checks.addresses import Address, expected_addresses, field_texts, reach, read_address
from scoring.rubric import AddressRule

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
        pytest.param("/p?dataKey=A로 이동", ["/p?dataKey=A로"], "same-path", id="particle-is-no-part"),
        pytest.param("/p?dataKey=계획으로 이동", ["/p?dataKey=계획"], "same-key", id="particle-after-hangul"),
        pytest.param("/p?dataKey=경로 안내", ["/p?dataKey=경로"], "same-key", id="hangul-that-ends-like-a-particle"),
        pytest.param("/p?dataKey=경로 안내", ["/p?dataKey=경"], "same-path", id="one-syllable-is-left-alone"),
        pytest.param("/p?dataKey=A", ["/p?x=1&amp;dataKey=A"], "same-key", id="html-ampersand-offered"),
        pytest.param("/p?dataKey=계획", ["/p?dataKey=%EA%B3%84%ED%9A%8D"], "same-key", id="escapes-offered"),
        pytest.param("/p?dataKey=%B0%E8", ["/p?dataKey=%B0%E9"], "same-path", id="escapes-not-of-utf-8-stay-apart"),
        pytest.param("www.x.kr/p?dataKey=A", ["https://x.kr/p?dataKey=B"], "same-path", id="host-without-scheme"),
        pytest.param("/a?dataKey=A가 아니라 /b?dataKey=B로", ["/a?dataKey=A"], "neither", id="excluded"),
        pytest.param("/a?dataKey=A로 이동하지 않아야 한다", ["/a?dataKey=A"], "missing", id="only-excluded"),
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


@pytest.mark.parametrize(
    "text",
    [
        "채용계획 화면(/plan/list?dataKey=PLAN_LIST)으로 이동한다",
        "/plan/list?dataKey=PLAN_LIST로 이동한다",
        "/plan/list?dataKey=PLAN_LIST로이동",
        "화면 주소는 /plan/list?dataKey=PLAN_LIST입니다.",
        "/plan/list?dataKey=PLAN_LIST.",
        "/plan/list?dataKey=PLAN_LIST。다음 화면",
        "이동 주소:/plan/list?dataKey=PLAN_LIST!",
        "[목록](/plan/list?dataKey=PLAN_LIST)을 연다",
        "[목록 (계획)](https://x.kr/plan/list/?dataKey=PLAN\\_LIST).",
        "**/plan/list?dataKey=PLAN_LIST**로 간다",
        "`/plan/list?dataKey=PLAN_LIST`",
        "<https://x.kr/plan/list?dataKey=PLAN_LIST|목록>",
        "「/plan/list?dataKey=PLAN_LIST」에서",
        "/plan/list?menu=1&amp;dataKey=PLAN_LIST&#38;tab=2로",
        "/plan/list?menu=1&amp;amp;dataKey=PLAN_LIST",
        "화면/plan/list?dataKey=%50LAN_LIST(으)로 이동",
        "/plan/list?dataKey=PLAN_LIST을(를) 연다",
        "/plan/list?dataKey = PLAN_LIST",
        "/plan/list?dataKey='PLAN_LIST'",
        "((/plan/list?dataKey=PLAN_LIST))?",
        "not /plan/edit?dataKey=X but /plan/list?dataKey=PLAN_LIST",
        "편집(`/plan/edit?dataKey=X`)이 아니라 목록(`/plan/list?dataKey=PLAN_LIST`)",
        "/plan/edit?dataKey=X 말고 /plan/list?dataKey=PLAN_LIST",
        "/plan/edit?dataKey=X 화면으로 이동하면 안 된다. /plan/list?dataKey=PLAN_LIST로 이동",
        "/plan/edit?dataKey=X 금지, /plan/list?dataKey=PLAN_LIST로 이동",
        "Do not open /plan/edit?dataKey=X. Open /plan/list?dataKey=PLAN_LIST.",
        "If not logged in, open /plan/list?dataKey=PLAN_LIST",
        "If not, /plan/list?dataKey=PLAN_LIST",
        "수정 금지 상태에서 /plan/list?dataKey=PLAN_LIST로 이동",
        "/plan/list?dataKey=PLAN_LIST 화면 안 가운데 버튼",
        "/plan/list?dataKey=PLAN_LIST가 아니면 실패",
        "/plan/list?dataKey=PLAN_LIST가 없으면 실패",
        "/plan/list?dataKey=PLAN_LIST 안내 화면",
        "/plan/list?dataKey=PLAN_LIST로 이동 안 하면 실패",
        "/plan/list?dataKey=PLAN_LIST must open",
        "instead of /plan/edit?dataKey=X open /plan/list?dataKey=PLAN_LIST",
    ],
)
def test_address_in_prose(text: str) -> None:
    assert expected_addresses(text, "dataKey") == [Address("/plan/list", "PLAN_LIST")]


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        pytest.param("/p?dataKey=LIST(1)", [Address("/p", "LIST(1)")], id="brackets-of-the-key"),
        pytest.param("/p/(a)/b?dataKey=K)", [Address("/p/(a)/b", "K")], id="brackets-of-the-path"),
        pytest.param("/p?dataKey=v1.2.", [Address("/p", "v1.2")], id="stop-inside"),
        pytest.param("/p?dataKey=A+B", [Address("/p", "A B")], id="plus-is-a-space"),
        pytest.param("(dataKey=A)로", [Address("", "A")], id="key-alone"),
        pytest.param("키는dataKey=A", [Address("", "A")], id="prose-before-the-key"),
        pytest.param("mydataKey=A", [], id="other-name"),
        pytest.param("dataKey=A. dataKey=B로 이동하지 않는다", [Address("", "A")], id="next-sentence-excludes-its-own"),
        pytest.param("dataKey=로", [Address("", "로")], id="key-that-is-a-particle"),
    ],
)
def test_what_belongs_to_an_address(text: str, addresses: list[Address]) -> None:
    assert expected_addresses(text, "dataKey") == addresses


@pytest.mark.parametrize(
    "text",
    [
        "/plan/list?dataKey=PLAN_LIST 금지",
        "/plan/list?dataKey=PLAN_LIST는 금지한다",
        "/plan/list?dataKey=PLAN_LIST로 이동 금지",
        "/plan/list?dataKey=PLAN_LIST 화면으로 이동하는 것은 금지",
        "/plan/list?dataKey=PLAN_LIST 접속 불가",
        "금지: /plan/list?dataKey=PLAN_LIST",
        "/plan/list?dataKey=PLAN_LIST로는 가지 않음",
        "/plan/list?dataKey=PLAN_LIST로 안 가야 한다",
        "/plan/list?dataKey=PLAN_LIST로 이동해서는 안 된다",
        "/plan/list?dataKey=PLAN_LIST를 열지 말 것",
        "/plan/list?dataKey=PLAN_LIST 아님",
        "/plan/list?dataKey=PLAN_LIST이 아닙니다.",
        "/plan/list?dataKey=PLAN_LIST가 아닐 것",
        "/plan/list?dataKey=PLAN_LIST는 안 됨",
        "/plan/list?dataKey=PLAN_LIST는 안된다",
        "/plan/list?dataKey=PLAN_LIST가 나오면 안 됨",
        "/plan/list?dataKey=PLAN_LIST 접근 금지",
        "/plan/list?dataKey=PLAN_LIST 노출 안 함",
        "/plan/list?dataKey=PLAN_LIST가 없어야 한다",
        "/plan/list?dataKey=PLAN_LIST must not open",
        "/plan/list?dataKey=PLAN_LIST isn't expected",
        "any page other than /plan/list?dataKey=PLAN_LIST",
        "Do not open /plan/list?dataKey=PLAN_LIST",
        "Don’t go to the page `/plan/list?dataKey=PLAN_LIST`",
        "It must never lead to /plan/list?dataKey=PLAN_LIST",
        "avoid opening /plan/list?dataKey=PLAN_LIST",
        "not 「/plan/list?dataKey=PLAN_LIST」",
    ],
)
def test_excluded_address_is_not_expected(text: str) -> None:
    assert expected_addresses(text, "dataKey") == []


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("/plan/list?dataKey=PLAN_LIST화면으로 이동", ["PLAN_LIST", "PLAN_LIST화면"]),
        ("/plan/list?dataKey=PLAN_LIST페이지", ["PLAN_LIST", "PLAN_LIST페이지"]),
        ("/plan/list?dataKey=A팀", ["A", "A팀"]),
        ("/plan/list?dataKey=PLAN_목록", ["PLAN_목록"]),
        ("/plan/list?dataKey=PLAN_LIST&menu=계획", ["PLAN_LIST"]),
        ("/plan/list?dataKey=PLAN_LIST로", ["PLAN_LIST"]),
    ],
)
def test_ascii_key_ends_where_hangul_is_written_onto_it(text: str, keys: list[str]) -> None:
    assert expected_addresses(text, "dataKey") == [Address("/plan/list", key) for key in keys]


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


@pytest.mark.parametrize(
    "part",
    ["(", ")", "[(", "&amp;", "&#0", "?dataKey=", "dataKey =  ", "(a?dataKey=가", "로", "a.", "%EA", "\\_", "지 않 "],
)
def test_prose_of_any_length_is_read_in_linear_time(part: str) -> None:
    assert all(address.key for address in expected_addresses(part * (300_000 // len(part)), "dataKey"))
