"""Lost points are those of a check, a level, an address, a recorded score or a status."""

from collections.abc import Iterable

import pytest

from scoring.results.losses import Loss, find_losses
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import Status
from tests.paths import ROOT
from tests.reporting.results import make_item, make_result
from tests.scoring.files import score_shipped
from tests.scoring.judged_sets import SCORES, H, h_part, scores_part

CHECKS = '[{"path": "dataUIList[*].a", "op": "eq", "value": 1}, {"path": "dataUIList[*].b", "op": "eq", "value": 2}]'


def places(result: SetResult, metric: str) -> tuple[Loss, ...]:
    (loss,) = (loss for loss in find_losses(result) if loss.metric == metric)
    return loss.places


def told(found: Iterable[Loss]) -> list[tuple[str, str, float, int]]:
    return [(loss.kind, loss.cause, loss.points, loss.n) for loss in found]


def test_failed_checks_of_an_item_share_its_loss() -> None:
    answer = {"assistantMessage": "저장했습니다", "accuracyChecks": CHECKS}
    part = h_part(
        {**answer, "dataUIList": [{"a": 1, "b": 2}]},
        {**answer, "dataUIList": [{"a": 1, "b": 0}]},
        {**answer, "dataUIList": [{"a": 0, "b": 0}]},
        {"assistantMessage": "저장했습니다"},
        {"error": "timeout"},
    )
    result = merge([("a.csv", part)], H)
    # Half of the checks is 3 points, so Q2 lost 2 by one check, and Q3 5 by two.
    assert told(places(result, "accuracy")) == [
        ("no-checks", "", 5.0, 1),
        ("status", "", 5.0, 1),
        ("check", "dataUIList[*].b", 2 + 2.5, 2),
        ("check", "dataUIList[*].a", 2.5, 1),
    ]
    assert [loss.status for loss in places(result, "accuracy") if loss.kind == "status"] == [Status.ERROR]


def test_levels_are_named_as_recorded() -> None:
    result = merge([("a.csv", scores_part([{"응답": "a", "등급": level} for level in ("5", "2", "2", "1")]))], SCORES)
    assert told(places(result, "rubrics")) == [("level", "2", 1.5, 2), ("level", "1", 1.0, 1)]


def test_recorded_scores_and_statuses_are_told_apart() -> None:
    items = [
        make_item(2, intent=1.0, accuracy=1.0, intent_source="recorded", recorded="1"),
        make_item(3, status=Status.PARTIAL, intent=4.0, accuracy=4.0),
    ]
    for metric in ("intent", "accuracy"):  # accuracy copies intent
        found = places(make_result(*items), metric)
        assert told(found) == [("recorded", "1", 4.0, 1), ("status", "", 1.0, 1)]
        assert found[1].status == Status.PARTIAL


def test_a_failed_status_comes_before_a_recorded_0() -> None:
    graded = {"intent_source": "recorded", "status": Status.ERROR}
    items = [
        make_item(2, intent=0.0, accuracy=0.0, recorded="0", **graded),
        make_item(3, intent=2.0, accuracy=2.0, recorded="2", **graded),
        make_item(4, intent=0.0, accuracy=0.0, recorded="0", intent_source="recorded"),
    ]
    found = places(make_result(*items), "intent")
    assert told(found) == [("recorded", "0", 5.0, 1), ("status", "", 5.0, 1), ("recorded", "2", 3.0, 1)]


@pytest.mark.parametrize(
    ("case", "kinds"),
    [("move_urls", {"address", "no-checks", "status"}), ("plan_prose", {"check", "no-checks", "status"})],
)
def test_places_add_up_to_what_a_metric_lost(case: str, kinds: set[str]) -> None:
    (path,) = (ROOT / "tests/cases" / case).glob("*.csv")
    result = score_shipped(path)
    for loss in find_losses(result):
        assert sum(place.points for place in loss.places) == pytest.approx(loss.points)
    assert {loss.kind for loss in places(result, "accuracy")} == kinds
