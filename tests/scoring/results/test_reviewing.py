"""What people's grades tell of the others, with the arithmetic written out."""

import pytest

from scoring.review import PersonGrade, Sample
from tests.scoring.files import resume_rubric
from tests.scoring.review_files import grade, key_of, merged, week


def _graded(
    queries: int, given: dict[int, str], *, rounds: int = 2, sample: Sample = Sample.RANDOM
) -> list[PersonGrade]:
    part = week(40, rounds)
    return [
        grade(
            key_of(part, f"Q-{query}", f"{at}/1", sample=sample),
            given.get(query, "4"),
            cause="검색" if query in given else "",
        )
        for query in range(1, queries + 1)
        for at in range(1, rounds + 1)
    ]


def test_people_against_what_was_recorded() -> None:
    result = merged(week(40, 2), _graded(20, {1: "2", 2: "5"}))
    reviews = result.reviews
    assert reviews is not None
    (metric,) = reviews.metrics
    assert (reviews.items, reviews.queries, reviews.used) == (40, 20, 40)
    assert (metric.up, metric.down) == (2, 2)
    assert reviews.origins == {"intent": {"recorded": 40, "reviewed": 40}}
    (against,) = metric.against
    assert against.origin == "recorded"
    assert against.difference == pytest.approx((-2 + 1) / 20)
    assert against.agreement is not None
    assert against.agreement.exact == 36 / 40
    assert [(one.cause, one.n, one.points) for one in metric.causes] == [("검색", 4, 6.0)]  # 2 x (5 - 2) + 2 x (5 - 5)
    assert metric.between is None


def test_corrected_figure_needs_fifteen_questions_and_its_interval_thirty() -> None:
    part = week(40, 2)
    for queries, has_value, has_interval in (
        (14, False, False),
        (15, True, False),
        (29, True, False),
        (30, True, True),
    ):
        result = merged(part, _graded(queries, dict.fromkeys(range(1, queries + 1, 2), "2")))
        assert result.reviews is not None
        found = result.reviews.metrics[0].corrected
        assert (found.queries, found.value is not None, found.interval is not None) == (
            queries,
            has_value,
            has_interval,
        )
        if found.value is not None:  # all were recorded as 4, so nothing but people's mean moves it
            graded = -(-queries // 2)
            assert found.value == pytest.approx((graded * 2 + (queries - graded) * 4) / queries)


def test_questions_that_were_picked_or_are_not_whole_say_nothing_about_the_rest() -> None:
    part = week(40, 2)
    flagged = merged(part, _graded(30, {}, sample=Sample.FLAGGED)).reviews
    halves = merged(part, [one for one in _graded(30, {}) if one.key.round == "1/1"]).reviews
    assert flagged is not None
    assert halves is not None
    assert flagged.metrics[0].corrected.queries == halves.metrics[0].corrected.queries == 0


def test_person_against_person() -> None:
    part = week(12, 1)
    grades = [
        grade(key_of(part, f"Q-{query}"), value, name)
        for query in range(1, 13)
        for name, value in (("김", "4"), ("이", "4" if query > 3 else "2"))
    ]
    reviews = merged(part, grades).reviews
    assert reviews is not None
    between = reviews.metrics[0].between
    assert between is not None
    assert (between.n, between.exact, between.differing_count) == (12, 9 / 12, 3)
    assert [(one.name, one.n) for one in reviews.reviewers] == [("김", 12), ("이", 12)]


def test_a_profile_that_passes_by_the_status_has_no_corrected_share() -> None:
    assert resume_rubric().pass_points is None
    reviews = merged(week(40, 2), _graded(30, {})).reviews
    assert reviews is not None
    assert reviews.metrics[0].passed is None
