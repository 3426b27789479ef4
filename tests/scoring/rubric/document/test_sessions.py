"""What a document says of sessions."""

import pytest

from config import shipped_rubrics
from scoring.rubric.model import decode_rubric, encode_rubric
from scoring.rubric.rules import SessionPass
from tests.scoring.documents import places
from tests.sessions import DOCUMENT, chat_rubric

RULE = "sessions: { pass: last }\n"
SESSION = "  - { name: session, title: session }\n"
TURN = "  - { name: turn, title: turn }\n"


def test_the_last_turn_decides_unless_the_document_says_every() -> None:
    assert chat_rubric().sessions is SessionPass.LAST
    assert chat_rubric((RULE, "")).sessions is SessionPass.LAST
    every = chat_rubric(("pass: last", "pass: every"))
    assert every.sessions is SessionPass.EVERY
    assert every.digest != chat_rubric().digest
    assert decode_rubric(encode_rubric(every)) == every


def test_documents_without_sessions_say_nothing_of_them() -> None:
    without = chat_rubric((RULE, ""), (SESSION, ""), (TURN, ""))
    assert without.sessions is None
    for rubric in (without, *shipped_rubrics()):
        assert b"sessions" not in encode_rubric(rubric)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DOCUMENT.replace(SESSION, ""), [("rubric-session-column", "turn"), ("rubric-session-column", "sessions")]),
        (DOCUMENT.replace(SESSION + TURN, ""), [("rubric-session-column", "sessions")]),
        (DOCUMENT.replace("pass: last", "pass: first"), [("rubric-value-type", "first")]),
        (DOCUMENT.replace("{ pass: last }", "last"), [("rubric-value-type", "last")]),
        (DOCUMENT.replace("{ pass: last }", "{ turn: last }"), [("rubric-value-type", "turn")]),
    ],
)
def test_a_wrong_rule_is_refused(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(code, found) for code, _, found in places(text)] == expected
