"""The shipped `resume-agent` document says what seed 002 says, word for word and number for number."""

from config import shipped_rubrics
from scoring.rubric.document.found import SCORING_WORDS
from scoring.rubric.model import DateOrder
from scoring.rubric.points import Status
from tests.scoring.files import HEADER, resume_rubric


def test_documents_with_words_of_no_error_have_the_usual_ones() -> None:
    """Documents whose files have no place for an error have no words for its absence."""
    listed = {
        rubric.profile: rubric.no_error_words
        for rubric in shipped_rubrics()
        if rubric.no_error_words and any(column.name == "error" for column in rubric.columns)
    }
    assert len(listed) >= len(("resume-agent", "h-recruit", "plan-agent", "move-agent", "rubrics-score"))
    for profile, words in listed.items():
        assert words[: len(SCORING_WORDS.no_error)] == SCORING_WORDS.no_error, profile


def test_words_and_limits() -> None:
    rubric = resume_rubric()
    assert rubric.partial_words == ("선택", "선택해 주세요", "알려주", "주시면", "원하시면", "확인해 주세요")
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
