"""People's grades in place of those that items had: which count, what follows, and what never changes."""

import pytest
from msgspec.structs import replace

from scoring.results import SetResult
from scoring.review import ItemKey, PersonGrade, Sample
from tests.scoring.files import payload, row, score_rows
from tests.scoring.review_files import grade, key_of, merged, week

WEEK = week()


def _codes(result: SetResult) -> dict[str, int]:
    return {finding.code: finding.count for finding in result.findings}


def _refused(result: SetResult) -> list[str]:
    """Why grades are not used; a report of the others has no word of them."""
    assert result.applied is not None
    assert not any(code.startswith("review-") for code in _codes(result))
    return [problem.code for _, problem in result.applied.refused]


def _items(result: SetResult) -> dict[tuple[str, str], float | None]:
    return {(item.query_id, item.round): item.intent for item in result.items}


def test_a_grade_comes_before_the_recorded_score_and_accuracy_follows() -> None:
    before, after = merged(WEEK), merged(WEEK, [grade(key_of(WEEK, "Q-1"), "1", comment="틀림", cause="검색")])
    assert before.groups[0].metrics["intent"].set.value == 4.0
    # 17 items of 4 and one of 1 in the first round: (5 x 4 + 1) / 6 = 3.5, then (3.5 + 4 + 4) / 3
    assert after.groups[0].metrics["intent"].set.value == pytest.approx((3.5 + 4 + 4) / 3)
    assert after.groups[0].metrics["accuracy"].set == after.groups[0].metrics["intent"].set
    for metric in ("stability", "latency"):
        assert after.groups[0].metrics[metric] == before.groups[0].metrics[metric]
    assert (after.answered, after.repeatability, after.queries[:]) == (
        before.answered,
        before.repeatability,
        before.queries[:],
    )
    (item,) = [item for item in after.items if item.review]
    assert (item.intent_source, item.review[0].origin, item.review[0].before, item.review[0].after_text) == (
        "reviewed",
        "recorded",
        4.0,
        "1",
    )


def test_an_item_without_an_answer_can_be_graded_and_keeps_its_status() -> None:
    part = score_rows(row(Item_ID="a", 오류="Timeout", 응답="", Raw_JSON=""), row(Item_ID="b", Query_ID="Q-2"))
    result = merged(part, [grade(key_of(part, "Q-1"), "3")])
    (item,) = [item for item in result.items if item.query_id == "Q-1"]
    assert (item.status, item.intent, item.stability, item.review[0].origin) == ("error", 3.0, 0.0, "status")


def test_parts_stay_as_they_are() -> None:
    merged(WEEK, [grade(key_of(WEEK, "Q-1"), "1")])
    assert {item.intent for item in WEEK.items} == {4.0}


@pytest.mark.parametrize("written", ["9", "4.5", "좋음", "-1", "４점"])
def test_a_grade_outside_the_list_is_refused_with_its_cell(written: str) -> None:
    result = merged(WEEK, [grade(key_of(WEEK, "Q-1"), written)])
    assert _refused(result) == ["review-grade"]
    assert _items(result) == _items(merged(WEEK))
    assert result.applied is not None
    ((_, problem),) = result.applied.refused
    assert (problem.source, problem.row, problem.column, problem.found) == ("review.csv", 2, "검수 점수", written)
    assert result.reviews is None  # as if nobody had graded


@pytest.mark.parametrize("written", ["3", "3.0", " 3 ", "3,0"])
def test_a_number_may_be_written_in_several_ways(written: str) -> None:
    assert _items(merged(WEEK, [grade(key_of(WEEK, "Q-1"), written)]))["Q-1", "1/1"] == 3.0


def test_an_answer_that_has_changed_is_stale() -> None:
    key = key_of(WEEK, "Q-1")._replace(text_hash="0" * 16)
    result = merged(WEEK, [grade(key, "1")])
    assert _refused(result) == ["review-stale"]
    assert not result.has_errors
    assert _items(result) == _items(merged(WEEK))


def test_an_item_that_the_set_does_not_have_is_refused() -> None:
    key = key_of(WEEK, "Q-1")
    assert _refused(merged(WEEK, [grade(key._replace(query_id="Q-99"), "1")])) == ["review-unknown"]
    assert _refused(merged(WEEK, [grade(key._replace(round="9/9"), "1")])) == ["review-unknown"]
    assert _refused(merged(WEEK, [grade(key._replace(metric="latency"), "1")])) == ["review-metric"]


def test_attempts_are_told_apart_by_what_they_say() -> None:
    part = score_rows(*(row(Item_ID=str(at), Raw_JSON=payload(f"답 {at}")) for at in range(3)))
    hashes = [item.text_hash for item in part.items]
    key = ItemKey("resume-agent", "s", "Q-1", "1/1", 2, "intent", Sample.RANDOM, hashes[1])
    assert [item.intent for item in merged(part, [grade(key, "0")]).items] == [5.0, 0.0, 5.0]
    moved = key._replace(attempt=1)  # the answer came first when it was given out
    assert [item.intent for item in merged(part, [grade(moved, "0")]).items] == [5.0, 0.0, 5.0]


def test_two_people_who_agree() -> None:
    key = key_of(WEEK, "Q-1")
    result = merged(WEEK, [grade(key, "2", "김"), grade(key, "2", "이")])
    assert _items(result)["Q-1", "1/1"] == 2.0
    assert _codes(result) == {}


@pytest.mark.parametrize(
    ("grades", "taken"),
    [
        ({"김": "2", "이": "3"}, 2.0),  # between two the lower one
        ({"김": "5", "이": "1", "박": "2"}, 2.0),
        ({"김": "0", "이": "5", "박": "5", "최": "4"}, 4.0),
    ],
)
def test_two_people_who_differ(grades: dict[str, str], taken: float) -> None:
    key = key_of(WEEK, "Q-1")
    result = merged(WEEK, [grade(key, value, name) for name, value in grades.items()])
    assert _items(result)["Q-1", "1/1"] == taken
    assert _codes(result) == {"reviewers-disagree": 1}
    assert not result.has_errors


def test_whoever_decides_settles_it() -> None:
    key = key_of(WEEK, "Q-1")
    grades = [grade(key, "1", "김"), replace(grade(key, "5", "이"), decides=True), grade(key, "2", "박")]
    result = merged(WEEK, grades)
    assert _items(result)["Q-1", "1/1"] == 5.0
    assert _codes(result) == {}


def test_one_person_who_gives_two_grades_gives_none() -> None:
    key = key_of(WEEK, "Q-1")
    result = merged(WEEK, [grade(key, "1", "김"), grade(key, "2", "김"), grade(key, "3", "이")])
    assert _items(result)["Q-1", "1/1"] == 3.0
    assert _refused(result) == ["review-twice", "review-twice"]


def test_the_same_row_in_two_files_counts_once() -> None:
    key = key_of(WEEK, "Q-1")
    copies: list[PersonGrade] = [grade(key, "1"), replace(grade(key, "1"), file="copy.csv", row=7)]
    result = merged(WEEK, copies)
    assert result.applied is not None
    assert len(result.applied.used) == 1
    assert _codes(result) == {}


def test_without_grades_nothing_is_there() -> None:
    result = merged(WEEK)
    assert (result.reviews, result.applied) == (None, None)
