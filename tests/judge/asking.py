"""How tests ask a judge, and what for."""

from collections.abc import Iterable

import pytest
from pydantic import SecretStr

from config import Settings
from scoring.items import Graded
from scoring.judging import JudgeIdentity, JudgeRequest, Verdict
from scoring.rubric import VerdictRule
from tests.inner import request_hasher
from tests.scoring.judging.test_prompt import FIVE, NAMED
from workers.judge import Judge, JudgeDownError

KEY = "sk-live-0123456789abcdef"
RULES = {"rubrics": FIVE, "intent": NAMED}


def requests(*answers: str, rule: VerdictRule = FIVE) -> list[JudgeRequest]:
    texts = [Graded(question="질문", expected="기대", answer=answer) for answer in answers]
    identity = JudgeIdentity(model="grader-1")
    hash_of = request_hasher(rule, identity)
    return [JudgeRequest(hash_of(text), rule.metric, text) for text in texts]


def judge(url: str, *, seconds: float = 20.0, votes: int = 1, concurrency: int = 4, key: str = KEY) -> Judge:
    secret = SecretStr(key) if key else None
    return Judge(
        Settings(
            judge_base_url=url,
            judge_model="grader-1",
            judge_api_key=secret,
            judge_votes=votes,
            judge_concurrency=concurrency,
            judge_timeout_seconds=seconds,
        )
    )


def graded(
    asked: Judge, wanted: Iterable[JudgeRequest], known: dict[str, Verdict] | None = None, deadline: float | None = None
) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    asked.grade(
        list(wanted), RULES, known or {}, deadline=deadline, on_verdict=lambda one: found.__setitem__(one.hash, one)
    )
    return found


def down(asked: Judge, wanted: Iterable[JudgeRequest]) -> JudgeDownError:
    with pytest.raises(JudgeDownError) as error:
        graded(asked, wanted)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None  # an error of the client would hold the request, and with it the key
    return error.value
