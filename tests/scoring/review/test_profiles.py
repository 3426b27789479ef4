"""What follows from a person's grade in profiles with levels, checks and a pass line of points."""

import pytest

from config import shipped_rubrics
from scoring.items.spool import Part
from scoring.results import SetResult, merge
from scoring.review import ItemKey, PersonGrade, Sample, graded_metrics, scale_of
from scoring.rubric import Rubric
from tests.scoring.judged_sets import SCORES, H, h_part, scores_part
from tests.scoring.review_files import grade


def _key(part: Part, at: int, metric: str, rubric: Rubric) -> ItemKey:
    item = part.items[at]
    return ItemKey(rubric.profile, "s", item.query_id, item.round, 1, metric, Sample.RANDOM, item.text_hash)


def _merged(part: Part, rubric: Rubric, *grades: PersonGrade) -> SetResult:
    return merge([("a.csv", part)], rubric, None, grades)


def test_metrics_that_people_grade() -> None:
    """Those with points of their own: a copy follows, and status and time are no matter of opinion."""
    found = {rubric.profile: graded_metrics(rubric) for rubric in shipped_rubrics()}
    assert found["resume-agent"] == ("intent",)
    assert found["h-recruit"] == ("intent", "accuracy")
    assert found["plan-agent"] == ("accuracy",)
    assert found["rubrics-score"] == ("rubrics",)
    without = {profile for profile, names in found.items() if not names}
    assert without == {"atif", "bfcl", "ragas"}  # their statuses or named scores alone


def test_grades_of_levels() -> None:
    assert scale_of(SCORES, "rubrics").names == ("1", "2", "3", "4", "5")
    assert scale_of(SCORES, "rubrics").points == (0.0, 0.25, 0.5, 0.75, 1.0)
    verdicts = scale_of(H, "intent")
    assert verdicts.names[-1] == "PERFECT"
    assert verdicts.step("perfect") == len(verdicts.names) - 1
    assert verdicts.step("5") is None  # the list has names


LEVELS = scores_part(
    [{"질의": f"Q{at}", "응답": f"답 {at}", "등급": level} for at, level in enumerate(("5", "5", "1", ""))]
)


def test_a_level_of_a_person_and_what_passes() -> None:
    before = _merged(LEVELS, SCORES)
    after = _merged(LEVELS, SCORES, grade(_key(LEVELS, 0, "rubrics", SCORES), "2", comment="얕음"))
    assert before.passed is not None
    assert after.passed is not None
    assert (before.passed.value, after.passed.value) == (2 / 3, 1 / 3)
    details = after.items[0].details
    assert details is not None
    assert (details.rubrics, details.rubrics_level, details.rubrics_source, details.rubrics_reason) == (
        0.25,
        "2",
        "reviewed",
        "얕음",
    )
    assert after.items[0].review[0].before_text == "5"


def test_an_item_that_nobody_had_graded() -> None:
    result = _merged(LEVELS, SCORES, grade(_key(LEVELS, 3, "rubrics", SCORES), "4"))
    assert result.counts.get("rubrics-not-evaluated") is None
    assert result.passed is not None
    assert result.passed.n == 4
    assert result.reviews is not None
    assert (result.reviews.metrics[0].up, result.reviews.metrics[0].against) == (0, ())


@pytest.mark.parametrize(("value", "passes"), [("5", True), ("3", True), ("2", False), ("0", False)])
def test_accuracy_of_checks_gives_way_to_a_person(value: str, passes: bool) -> None:
    part = h_part({"assistantMessage": "a", "intent_verdict": "PERFECT"})
    before = _merged(part, H)
    assert before.passed is None or before.passed.value is None  # no checks: nothing to assess
    after = _merged(part, H, grade(_key(part, 0, "accuracy", H), value))
    assert after.passed is not None
    assert after.passed.value == float(passes)
    assert after.items[0].accuracy == float(value)
    assert after.items[0].intent == before.items[0].intent


def test_a_verdict_of_a_person_moves_the_total_and_leaves_accuracy() -> None:
    part = h_part({"assistantMessage": "a", "intent_verdict": "PERFECT"}, {"assistantMessage": "b"})
    before = _merged(part, H)
    lowest = scale_of(H, "intent").names[0]
    after = _merged(part, H, grade(_key(part, 0, "intent", H), lowest))
    assert before.items[0].intent == 5.0
    assert after.items[0].intent == 0.0
    assert after.items[0].details is not None
    assert after.items[0].details.verdict == lowest
    assert after.items[0].accuracy == before.items[0].accuracy


def _half_passed(n: int) -> Part:
    return scores_part([{"질의": f"Q{at}", "응답": f"답 {at}", "등급": "5" if at % 2 else "1"} for at in range(n)])


def test_corrected_share_of_what_passes() -> None:
    """The file passes half; people agree but for a tenth of what passes: (0.5 + 1 - 1) / (sens + spec - 1)."""
    part = _half_passed(60)
    grades = [
        grade(_key(part, at, "rubrics", SCORES), "1" if at % 2 == 0 or at in {1, 3, 5} else "5") for at in range(60)
    ]
    reviews = _merged(part, SCORES, *grades).reviews
    assert reviews is not None
    found = reviews.metrics[0].passed
    assert found is not None
    sens, spec = 27 / 27, 30 / 33
    assert found.value == pytest.approx((0.5 + spec - 1) / (sens + spec - 1))
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_grades_that_say_nothing_about_what_passes() -> None:
    part = _half_passed(40)
    grades = [grade(_key(part, at, "rubrics", SCORES), "5") for at in range(40)]
    reviews = _merged(part, SCORES, *grades).reviews
    assert reviews is not None
    found = reviews.metrics[0].passed
    assert found is not None
    assert (found.value, found.cannot_tell) == (None, True)
