"""Slices of a set: which columns are some, their figures, and where the set is worse than by chance."""

from random import Random
from typing import Any

import pytest
from msgspec import UNSET

from scoring.items import Item
from scoring.results import Slices
from scoring.results.insights import find_insights
from scoring.rubric import PassRule, Status
from tests.reporting.results import make_item, make_result, make_rubric

FAILED: dict[str, Any] = {"intent": 0.0, "accuracy": 0.0, "stability": 0.0, "status": Status.ERROR, "error": "boom"}


def _found(columns: dict[str, list[str]], fails: list[bool], **rubric: Any) -> Slices | None:
    """Slices of a set of one item a query."""
    n = len(fails)
    items: list[Item] = [
        make_item(at + 2, extra=tuple(cells[at] for cells in columns.values()), **(FAILED if fails[at] else {}))
        for at in range(n)
    ]
    found = find_insights(make_result(*items, rubric=make_rubric(**rubric), extra_columns=tuple(columns))).slices
    return None if found is UNSET else found


def _titles(found: Slices | None) -> list[str]:
    return [] if found is None else [one.column for one in found.columns]


def test_figures_of_a_value() -> None:
    langs = ["en"] * 10 + ["ko"] * 20
    found = _found({"언어": langs}, [lang == "en" for lang in langs])
    assert found is not None
    (column,) = found.columns
    en, ko = column.values
    assert (en.value, en.queries, en.n, en.share.value) == ("en", 10, 10, 0.0)
    assert (ko.value, ko.queries, ko.n, ko.share.value) == ("ko", 20, 20, 1.0)
    assert en.lost == {"intent": 50.0, "latency": 0.0, "stability": 50.0}  # accuracy copies intent
    assert en.metrics["latency"].value == 5.0
    assert (found.figure, found.share) == ("answered", "answered")
    (weak,) = found.weak
    assert (weak.columns, weak.values, weak.value, weak.others) == (("언어",), ("en",), 0.0, 1.0)
    assert (weak.failed, weak.all_failed, weak.n, weak.queries) == (10, 10, 10, 10)


@pytest.mark.parametrize(
    ("cells", "is_slice"),
    [
        pytest.param(["a", "b"] * 20, True, id="two-values"),
        pytest.param(["a"] * 40, False, id="one-value"),
        pytest.param(["a"] * 39 + ["b"], False, id="one-value-recurs"),
        pytest.param([str(at % 20) for at in range(40)], True, id="20-values"),
        pytest.param([str(at % 21) for at in range(42)], False, id="21-values"),
        pytest.param([str(at) for at in range(40)], False, id="unique"),
        pytest.param([str(at // 2) for at in range(10)] + [str(at) for at in range(30)], False, id="nearly-unique"),
        pytest.param([""] * 30 + ["a"] * 5 + ["b"] * 5, True, id="most-are-blank"),
        pytest.param(["nan"] * 38 + ["a", "a"], False, id="blank-is-no-second-value"),
        pytest.param(["en", " en\u200b", "ko", "ko "] * 10, True, id="compared-as-other-cells"),
    ],
)
def test_which_columns_are_found(cells: list[str], *, is_slice: bool) -> None:
    found = _found({"열": cells}, [at % 4 == 0 for at in range(len(cells))])
    assert _titles(found) == (["열"] if is_slice else [])
    if found is not None:
        assert {one.value for one in found.columns[0].values} <= {"", "a", "b", "en", "ko", *map(str, range(20))}


def test_at_most_eight_are_found_of_a_thousand() -> None:
    columns = {f"열{at}": [f"값 {row % 2}" for row in range(40)] for at in range(1000)}
    assert _titles(_found(columns, [False] * 40)) == [f"열{at}" for at in range(8)]


def test_declared_columns_are_shown_whatever_they_hold_and_their_largest_values_listed() -> None:
    cells = {"고객": [str(at % 200) for at in range(399)], "언어": ["en", "ko", "ja"] * 133}
    found = _found(cells, [at % 7 == 0 for at in range(399)], slices=("고 객", "없는 열"))
    assert found is not None
    (column,) = found.columns
    assert (column.column, len(column.values), column.left_out) == ("고객", 20, 180)
    assert {one.n for one in column.values} == {2}


def test_a_declared_column_that_no_file_has_is_a_note() -> None:
    rubric = make_rubric(slices=("없는 열", "언어"))
    result = make_result(make_item(2, extra=("en",)), rubric=rubric, extra_columns=("언어",))
    (finding,) = [finding for finding in result.findings if finding.code == "slice-missing"]
    assert [place.found for place in finding.places] == ["없는 열"]


def test_the_total_leads_where_there_is_one() -> None:
    langs = ["en"] * 15 + ["ko"] * 25
    found = _found({"언어": langs}, [lang == "en" for lang in langs], weights={"intent": 3.0, "stability": 1.0})
    assert found is not None
    assert found.figure == "total"
    (weak,) = found.weak
    assert (weak.value, weak.others) == (0.0, 5.0)


def test_row_order_changes_nothing() -> None:
    random = Random(2)
    langs = [random.choice(["en", "ko", "ja"]) for _ in range(60)]
    fails = [random.random() < (0.5 if lang == "en" else 0.1) for lang in langs]
    items = [make_item(at + 2, extra=(langs[at],), **(FAILED if fails[at] else {})) for at in range(60)]
    first = find_insights(make_result(*items, extra_columns=("언어",))).slices
    random.shuffle(items)
    assert find_insights(make_result(*items, extra_columns=("언어",))).slices == first


@pytest.mark.parametrize(
    ("cells", "fails_at", "is_slice"),
    [
        pytest.param(["PASS", "FAIL", "PASS", ""] * 10, "", False, id="verdicts"),
        pytest.param(["통과", "실패"] * 20, "", False, id="verdicts-in-korean"),
        pytest.param(["PASS", "FAIL", "other", "other"] * 10, "", True, id="another-word-beside"),
        pytest.param(["True", "False"] * 20, "False", False, id="says-what-passes"),
        pytest.param(["True", "False", "True", "", "False"] * 8, "False", False, id="says-what-passes-where-filled"),
        pytest.param(["true", "false"] * 20, "", True, id="yes-and-no-of-something-else"),
        pytest.param(["en", "ko"] * 20, "en", True, id="every-failure-in-one-value"),
    ],
)
def test_a_column_of_outcomes_is_no_slice(cells: list[str], fails_at: str, *, is_slice: bool) -> None:
    fails = [cell == fails_at if fails_at else at % 4 == 0 and at % 8 == 0 for at, cell in enumerate(cells)]
    rules: dict[str, Any] = {"pass_points": PassRule(metric="intent", points=5.0)}
    assert _titles(_found({"Logic 결과": cells}, fails, **rules)) == (["Logic 결과"] if is_slice else [])
    assert _titles(_found({"Logic 결과": cells}, fails, slices=("Logic 결과",), **rules)) == ["Logic 결과"]
