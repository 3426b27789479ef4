"""Words that are looked for in all messages of a batch at once."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

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
