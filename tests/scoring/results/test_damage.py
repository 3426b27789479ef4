"""Damaged figures: which codes touch what, and from which share on."""

from typing import Any

import pytest

from scoring.findings import Finding
from scoring.problems import Severity
from scoring.results.damage import Damage, find_damage, leading_of
from scoring.rubric import PassRule
from tests.reporting.results import make_item, make_result, make_rubric
from texts import codes

RUBRIC = make_rubric()
ALL = ("answered", "intent", "consistency", "accuracy", "latency", "stability", "seconds")


def _damaged(code: str, count: int, items: int, **rubric: Any) -> tuple[str, ...]:
    found = find_damage([Finding(code=code, count=count)], items, make_rubric(**rubric))
    return tuple(damage.metric for damage in found)


@pytest.mark.parametrize(
    ("code", "count", "metrics"),
    [
        pytest.param("payload-unreadable", 5, (), id="5 of 100 items"),
        pytest.param("payload-unreadable", 6, ALL, id="6 of 100 items"),
        pytest.param("cell-count", 5, (), id="5 rows left out beside 100"),
        pytest.param("cell-count", 6, ALL, id="6 rows left out beside 100"),
        pytest.param("rubric-level", 6, ("intent", "accuracy"), id="grades: accuracy is that of intent"),
        pytest.param("total-row", 60, (), id="touches nothing"),
        pytest.param("seconds-missing", 60, (), id="a note"),
    ],
)
def test_more_than_5_percent_is_damage(code: str, count: int, metrics: tuple[str, ...]) -> None:
    assert _damaged(code, count, 100) == metrics


def test_grades_touch_what_is_made_from_them() -> None:
    by_points = {"pass_points": PassRule(metric="intent", points=3.0), "weights": {"intent": 1.0, "stability": 1.0}}
    assert _damaged("rubric-level", 60, 100, **by_points) == ("total", "pass", "intent", "accuracy")


def test_shares_and_codes_are_named() -> None:
    findings = [
        Finding(code="cell-count", count=10),
        Finding(code="no-round", count=10),
        Finding(code="error-cell", count=40),
    ]
    first = find_damage(findings, 80, RUBRIC)[0]
    assert first == Damage("answered", 0.5, ("cell-count", "no-round", "error-cell"))
    assert find_damage(findings, 0, RUBRIC)[0].share == 1.0


def test_only_errors_damage_anything() -> None:
    touching = {(known.severity, known.touches) for known in codes().values() if known.touches}
    assert touching == {*((Severity.ERROR.value, what) for what in ("rows", "items", "grades")), ("note", "values")}
    assert find_damage([Finding(code="seconds-unusable", count=80)], 80, RUBRIC) == ()


def test_the_leading_figure_goes_by_the_data() -> None:
    graded, ungraded = make_item(2), make_item(3, intent_source="status")
    half = make_result(graded, ungraded)
    assert leading_of(RUBRIC, half.kinds) == ("intent" if graded.intent_source == "recorded" else "answered")
    less = make_result(graded, ungraded, make_item(4, intent_source="status"))
    assert leading_of(RUBRIC, less.kinds) == "answered"
    passing = make_rubric(pass_points=PassRule(metric="intent", points=3.0))
    assert leading_of(passing, less.kinds) == "pass"
    assert leading_of(make_rubric(weights={"intent": 1.0}), less.kinds) == "total"
