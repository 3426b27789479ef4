"""What a judge reads of an item, and what of a long text is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.items.part import ANSWER_CHARACTERS, TEXT_CHARACTERS, Graded, cut_middle, graded_of
from tests.scoring.files import stored
from tests.scoring.judged_sets import h_part, scores_part


def test_answer_question_and_expectation() -> None:
    (item,) = scores_part([{"질의": " 왜? ", "응답": "그래서", "기대결과": "nan"}]).items
    assert graded_of(item) == Graded(question="왜?", expected="", answer="그래서")
    assert item.details is not None
    assert item.details.graded is None


def test_answer_of_a_payload_is_its_message() -> None:
    (item,) = h_part({"assistantMessage": "했습니다", "dataUIList": []}).items
    assert graded_of(item) == Graded(question="질의 1", expected="", answer="했습니다")


def test_a_screen_without_words_is_read_as_its_items() -> None:
    (item,) = h_part({"dataUIList": [{"formType": "A", "제목": "공고"}, None, {}]}).items
    assert graded_of(item).answer == '{"dataUIList":[{"formType":"A","제목":"공고"}]}'
    assert item.details is not None
    assert item.details.verdict_why == "no-judge"


def test_a_large_screen_is_cut_as_an_answer_is() -> None:
    (item,) = h_part({"dataUIList": {"text": "가" * 20_000}}).items
    answer = graded_of(item).answer
    assert ANSWER_CHARACTERS - 2 <= len(answer) <= ANSWER_CHARACTERS
    assert answer.startswith('{"dataUIList":[{"text":"가')
    assert "characters left out" in answer


def test_words_are_read_without_their_screen() -> None:
    (item,) = h_part({"assistantMessage": "했습니다", "dataUIList": [{"formType": "A"}]}).items
    assert graded_of(item).answer == "했습니다"


@pytest.mark.parametrize("payload", [{"dataUIList": [{}, None]}, {"error": "x", "dataUIList": [{"formType": "A"}]}])
def test_nothing_and_failures_are_not_to_be_graded(payload: dict[str, object]) -> None:
    (item,) = h_part(payload).items
    assert graded_of(item).answer == ""
    assert item.intent_source == "status"


@pytest.mark.parametrize("length", [1_024, 1_366, 4_096, ANSWER_CHARACTERS, ANSWER_CHARACTERS + 1, 100_000])
def test_long_answers_are_read_beyond_what_an_item_shows(length: int) -> None:
    answer = ("가" * (length - 4)) + "끝입니다"
    part = stored(scores_part([{"질의": "q", "응답": answer}]))
    graded = graded_of(part.items[0])
    assert len(graded.answer) <= ANSWER_CHARACTERS
    assert graded.answer.endswith("끝입니다")
    assert (graded.answer == answer) is (length <= ANSWER_CHARACTERS)
    assert ("characters left out" in graded.answer) is (length > ANSWER_CHARACTERS)


def test_long_questions_have_a_limit_of_their_own() -> None:
    (item,) = scores_part([{"질의": "q" * 9_000, "응답": "a", "기대결과": "e" * 5_000}]).items
    graded = graded_of(item)
    assert (len(graded.question), len(graded.expected), graded.answer) == (TEXT_CHARACTERS, TEXT_CHARACTERS, "a")


def test_other_profiles_keep_no_long_texts() -> None:
    from msgspec.structs import replace

    from config import profile_named, shipped_rubrics
    from scoring.rubric import Source

    rubric = profile_named("rubrics-score", shipped_rubrics())
    assert rubric.rubrics is not None
    unjudged = replace(rubric, rubrics=replace(rubric.rubrics, sources=(Source.COLUMN,)))
    (item,) = scores_part([{"질의": "q", "응답": "a" * 9_000}], unjudged).items
    assert item.details is not None
    assert item.details.graded is None


@given(st.text(max_size=400), st.integers(100, 200))
def test_cut_text_keeps_head_and_tail_within_the_limit(text: str, limit: int) -> None:
    cut = cut_middle(text, limit)
    if len(text) <= limit:
        assert cut == text
        return
    head, _, rest = cut.partition("\n[... ")
    number, _, tail = rest.partition(" characters left out ...]\n")
    assert limit - 2 <= len(cut) <= limit  # the number in the mark may have a digit less
    if "\n[... " not in text:
        assert text.startswith(head)
        assert text.endswith(tail)
        assert int(number) == len(text) - len(head) - len(tail)
