"""The shipped `resume-agent` document says what seed 002 says, word for word and number for number."""

from __future__ import annotations

from scoring.rubric.model import DateOrder
from scoring.rubric.points import Status
from tests.scoring.files import HEADER, resume_rubric


def test_words_and_limits() -> None:
    rubric = resume_rubric()
    assert rubric.partial_words == ("선택", "선택해 주세요", "알려주", "주시면", "원하시면", "확인해 주세요")
    assert rubric.no_error_words == ("-", "없음", "n/a", "na", "0", "ok", "success", "정상")
    assert rubric.failure_words == ("문제가 발생", "실패", "제공할 수 없", "오류로 인해", "토큰 제한")
    assert (rubric.scale, rubric.recorded_range, rubric.max_rounds) == (5, (0, 5), 50)
    assert (rubric.date_order, rubric.accuracy_of) == (DateOrder.MONTH_FIRST, "intent")
    assert set(rubric.pass_statuses) == {Status.OK, Status.PARTIAL}


def test_latency_classes() -> None:
    rubric = resume_rubric()
    single, multi = rubric.latency_classes
    assert (single.name, single.tracks, single.slow_seconds) == ("single", (1, 2), None)
    assert (multi.name, multi.tracks, multi.slow_seconds) == ("multi", (3,), 60)
    assert rubric.default_class == "single"
    assert list(single.bands.edges) == [5, 8, 10, 15, 20]
    assert list(multi.bands.edges) == [20, 30, 40, 50, 60]
    for bands in (single.bands, multi.bands):
        assert (bands.points, bands.missing, bands.upper) == ((5, 4, 3, 2, 1, 0), 0, ())


def test_required_columns_are_the_fourteen_of_the_seed() -> None:
    assert tuple(column.title for column in resume_rubric().columns if column.required) == HEADER
