"""Words that are looked for in all messages of a batch at once."""

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.items.payload import Payload
from scoring.items.status import StatusRules
from tests.scoring.files import resume_rubric

RUBRIC = resume_rubric()
WORDS = (*RUBRIC.partial_words, *RUBRIC.failure_words)
PIECES = st.sampled_from([*WORDS, WORDS[0][:1], WORDS[0][1:], "가", "\n", "\0", "answer"])


@given(messages=st.lists(st.lists(PIECES, max_size=3).map("".join), max_size=6))
@example(messages=["", WORDS[0], "", WORDS[0]])
@example(messages=[WORDS[0][:1], WORDS[0][1:]])
def test_words_are_found_in_the_messages_that_hold_them(messages: list[str]) -> None:
    holding = {index for index, message in enumerate(messages) if any(word in message for word in WORDS)}
    assert StatusRules(RUBRIC).find_words(messages) == holding


def test_an_answer_that_begins_with_a_word_of_error_is_the_error_of_a_provider() -> None:
    rules = StatusRules(replace(RUBRIC, error_words=("Internal error",)))
    texts = ("Internal error occurred.", "It said: Internal error", "internal error", "Fine.")
    outcomes = [rules.decide("", Payload(text)) for text in texts]
    assert [(str(one.status), one.why, one.error) for one in outcomes] == [
        ("error", "error-answer", "Internal error occurred."),
        *[("ok", "answered", "")] * 3,
    ]
    assert set(rules.find_words(texts)) == {0, 1}


def test_an_answer_that_is_a_word_for_none_is_none_in_any_spelling() -> None:
    rules = StatusRules(replace(RUBRIC, no_answer_words=("-", "no answer")))
    answers = ("-", "—", " -- ", "No answer.", "(no_answer)", "no answer yet", "- one\n- two", "0", "없음")
    assert [str(rules.decide("", Payload(one)).status) for one in answers] == ["empty"] * 5 + ["ok"] * 4
    assert str(rules.decide("", Payload("-", has_ui=True)).status) == "ok"  # something is shown
    assert str(StatusRules(RUBRIC).decide("", Payload("-")).status) == "ok"
