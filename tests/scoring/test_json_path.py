"""The path grammar: what is a path, and what stands at it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.json_values import EACH, MAX_CHARACTERS, MAX_STEPS, Having, Path, find_values, having_step, parse_path

PAYLOAD: Any = {
    "dataUIList": [
        {"uiValue": {"formType": "ACTION", "value": {"nodeId": 6127}}},
        {"uiValue": {"formType": "SELECT", "value": None}},
        "odd",
        None,
    ],
    "setting": {"period": "ONE_YEAR", "empty": "", "zero": 0, "no": False},
    "grid": [[1, 2], [3]],
    "a.b": "dotted",
    "span": {"gen_ai.output": {"text": "hi"}},
    "한글": {"키": "값"},
}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("a", ("a",), id="name"),
        pytest.param("a.b", ("a", "b"), id="names"),
        pytest.param("a[*].b", ("a", EACH, "b"), id="each"),
        pytest.param("a[0][12]", ("a", 0, 12), id="indexes"),
        pytest.param("a[name=b c].d", ("a", Having("name", "b c"), "d"), id="having"),
        pytest.param("a[ name = x.y=z ]", ("a", Having("name", "x.y=z")), id="having-spaces"),
        pytest.param('a[name="x [y]"].d', ("a", Having("name", "x [y]"), "d"), id="having-quoted"),
        pytest.param('a[name="x" y]', ("a", Having("name", '"x" y')), id="having-half-quoted"),
        pytest.param(r'a[name="\x"]', None, id="having-quoted-fault"),
        pytest.param("a[name=]", ("a", Having("name", "")), id="having-nothing"),
        pytest.param("a[=b]", None, id="having-no-name"),
        pytest.param("a[name!=b c].d", ("a", Having("name", "b c", is_not=True), "d"), id="not-having"),
        pytest.param('a[ name != "x [y]" ]', ("a", Having("name", "x [y]", is_not=True)), id="not-having-quoted"),
        pytest.param("a[name!=]", ("a", Having("name", "", is_not=True)), id="having-anything"),
        pytest.param("a[!=b]", ("a", Having("!", "b")), id="having-a-sign"),
        pytest.param("$[a!=2][b=].c", (Having("a", "2", is_not=True), Having("b", ""), "c"), id="several"),
        pytest.param(" a.b ", ("a", "b"), id="space-around"),
        pytest.param("한글.키", ("한글", "키"), id="hangul"),
        pytest.param("a b", ("a b",), id="space-inside"),
        pytest.param("$[kind=2].a", (Having("kind", "2"), "a"), id="of-the-record"),
        pytest.param('["a.b"].c', ("a.b", "c"), id="quoted-first"),
        pytest.param('a["b.c"]["d[0]"]', ("a", "b.c", "d[0]"), id="quoted"),
        pytest.param(r'a["b\"c"]', ("a", 'b"c'), id="quoted-quote"),
        pytest.param(r'a["\x"]', None, id="quoted-fault"),
        pytest.param('a[""]', None, id="quoted-nothing"),
        pytest.param('a.["b"]', ("a", "b"), id="quoted-with-dot"),
        pytest.param('.["b"]', None, id="quoted-first-with-dot"),
        pytest.param("$", ("$",), id="root-alone"),
        pytest.param("$.a", ("$", "a"), id="root-and-name"),
        pytest.param("$[0].a", ("$", 0, "a"), id="root-and-index"),
        pytest.param("", None, id="empty"),
        pytest.param(" ", None, id="blank"),
        pytest.param(".a", None, id="leading-dot"),
        pytest.param("a.", None, id="trailing-dot"),
        pytest.param("a..b", None, id="two-dots"),
        pytest.param("[0].a", None, id="starts-with-index"),
        pytest.param("[*]", None, id="each-alone"),
        pytest.param("a[]", None, id="empty-brackets"),
        pytest.param("a[-1]", None, id="negative"),
        pytest.param("a[1:2]", None, id="slice"),
        pytest.param("a[x]", None, id="name-in-brackets"),
        pytest.param("a[0", None, id="open-bracket"),
        pytest.param("a]", None, id="stray-bracket"),
        pytest.param("a[*]b", None, id="name-without-dot"),
        pytest.param("a. .b", None, id="blank-name"),
        pytest.param(".".join(["a"] * MAX_STEPS), ("a",) * MAX_STEPS, id="longest"),
        pytest.param(".".join(["a"] * (MAX_STEPS + 1)), None, id="too-many-steps"),
        pytest.param("a" * (MAX_CHARACTERS + 1), None, id="too-long"),
    ],
)
def test_parse_path(text: str, path: Path | None) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dataUIList[*].uiValue.formType", ["ACTION", "SELECT"]),
        ("dataUIList[0].uiValue.formType", ["ACTION"]),
        ("dataUIList[9].uiValue.formType", []),
        ("dataUIList[*].uiValue.value.nodeId", [6127]),
        ("dataUIList[*].formType", []),  # literal: `uiValue` is not looked into
        ("dataUIList.uiValue", []),  # a name has nothing to say about a list
        ("setting[*]", []),  # nor an element about an object
        ("setting.period[0]", []),  # nor an index about text
        ("setting.empty", [""]),
        ("setting.zero", [0]),
        ("setting.no", [False]),
        ("dataUIList[1].uiValue.value", []),  # null is missing
        ("grid[*][*]", [1, 2, 3]),
        ("grid[*][0]", [1, 3]),
        ("한글.키", ["값"]),
        ("missing.a.b", []),
        ('["a.b"]', ["dotted"]),
        ('span["gen_ai.output"].text', ["hi"]),
    ],
)
def test_find_values(text: str, values: list[object]) -> None:
    path = parse_path(text)
    assert path is not None
    assert find_values(PAYLOAD, path) == values


@given(text=st.text(alphabet='ab.[]*01 "\\', max_size=20))
def test_any_text_is_a_path_or_none_and_never_raises(text: str) -> None:
    path = parse_path(text)
    assert path is None or (isinstance(path[0], str) and isinstance(find_values(PAYLOAD, path), list))


def test_elements_that_have_a_text() -> None:
    scores = [{"name": "a", "value": 1}, {"name": "b", "value": 0}, "odd", {"name": 7}, {"name": "a", "value": 2}]
    path = parse_path("scores[name=a].value")
    assert path is not None
    assert find_values({"scores": scores}, path) == [1, 2]
    assert find_values({"scores": {"name": "a"}}, path) == []


def test_a_condition_of_an_object_itself() -> None:
    path = parse_path("$[kind=2].error")
    assert path is not None
    assert find_values({"kind": 2, "error": "x"}, path) == ["x"]
    assert find_values({"kind": "2", "error": "x"}, path) == ["x"]
    assert find_values({"kind": 1, "error": "x"}, path) == []
    assert find_values({"kind": [2], "error": "x"}, path) == []
    assert find_values({"error": "x"}, path) == []


def test_a_condition_of_an_object_without_a_value() -> None:
    path = parse_path("$[kind=].error")
    assert path is not None
    without: list[dict[str, object]] = [{}, {"kind": None}, {"kind": ""}]
    assert [find_values({**kind, "error": "x"}, path) for kind in without] == [["x"]] * 3
    others: list[object] = [0, "a", {}, []]
    assert [find_values({"kind": kind, "error": "x"}, path) for kind in others] == [[]] * 4


def test_the_opposite_of_a_condition_takes_all_other_objects() -> None:
    path, some = parse_path("$[kind!=2].error"), parse_path("$[kind!=].error")
    assert path is not None
    assert some is not None
    kinds: list[object] = [2, "2", 1, None, "", [2]]
    assert [find_values({"kind": kind, "error": "x"}, path) for kind in kinds] == [[], [], ["x"], ["x"], ["x"], ["x"]]
    assert [find_values({"kind": kind, "error": "x"}, some) for kind in kinds] == [["x"]] * 3 + [[], [], ["x"]]
    assert find_values({"error": "x"}, path) == ["x"]
    assert find_values({"error": "x"}, some) == []
    both = parse_path("of[a!=1][b!=].c")
    assert both is not None
    assert find_values({"of": [{"a": 1, "b": 1, "c": 1}, {"b": 1, "c": 2}, {"c": 3}, "odd"]}, both) == [2]


@pytest.mark.parametrize("text", ["", "x", "x.y=z", "a [b]", '"x"', " x ", "*", "]"])
def test_a_condition_leads_to_its_text(text: str) -> None:
    assert parse_path(f"a{having_step('name', text)}") == ("a", Having("name", text))
