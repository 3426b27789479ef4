"""Which items pass by the points that their document names."""

import pytest
from msgspec.structs import replace

from scoring.items import ItemDetails, details_of
from scoring.results.passes import find_passes
from scoring.rubric import REASON_NO_CHECKS, PassRule
from tests.paths import ROOT
from tests.reporting.results import make_item, make_rubric
from tests.scoring.files import score_shipped

AT_3 = replace(make_rubric(), pass_points=PassRule(metric="accuracy", points=3))


@pytest.mark.parametrize(("points", "passes"), [(2.99, False), (3.0, True), (3.01, True), (0.0, False), (5.0, True)])
def test_points_at_the_line_pass(points: float, passes: bool) -> None:
    found = find_passes([make_item(2, accuracy=points)], AT_3)
    assert (found.assessed, found.passed, found.below) == (1, int(passes), () if passes else (0,))


def test_items_without_checks_or_points_take_no_part() -> None:
    items = [
        make_item(2, accuracy=0.0, details=ItemDetails(accuracy_reason=REASON_NO_CHECKS)),
        make_item(3, accuracy=None),
        make_item(4, accuracy=0.0, details=ItemDetails(accuracy_reason="status")),
        make_item(5, accuracy=3.0, details=ItemDetails(checks=2, ratio=0.5)),
    ]
    assert find_passes(items, AT_3) == (2, (2,))


@pytest.mark.parametrize(("level", "passes"), [(0.25, False), (0.5, True), (None, None)])
def test_levels_pass_by_their_score(level: float | None, passes: bool | None) -> None:
    rule = PassRule(metric="rubrics", points=0.5)
    found = find_passes([make_item(2, details=ItemDetails(rubrics=level))], replace(AT_3, pass_points=rule))
    assert (found.assessed, found.passed) == (0 if passes is None else 1, int(passes or False))


def test_an_answer_that_leads_elsewhere_keeps_both_addresses() -> None:
    (path,) = (ROOT / "tests/cases/move_urls").glob("*.csv")
    result = score_shipped(path)
    assert result.rubric.pass_points is not None
    below = [result.items[index] for index in find_passes(result.items, result.rubric).below]
    (first, *_) = [check for item in below if item.query_id == "M2" for check in details_of(item).failed_checks]
    assert (first.operator, first.value, first.found) == (
        "address", "?dataKey=APPLICANT", "/plan/list?dataKey=PLAN_LIST"
    )  # fmt: skip
