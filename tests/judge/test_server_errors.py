"""HTTP 500: of a server that answers others it is the item that fails, of one that never answered it is the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.verdicts import MAX_TRIES, Verdict
from tests.judge.asking import down, graded, judge, requests
from tests.judge.stub import Stub
from workers.judge_errors import Slug

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]

EACH = 5  # requests of a try that a server fails at: one, and four again
ANSWERED = Verdict(hash="0" * 64, level="4", votes=("4",), model="grader-1")


@pytest.fixture(autouse=True)
def hasty_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.mark.parametrize(("items", "asked"), [("a", EACH), ("abcdefgh", 2 * EACH)])
def test_a_server_that_never_answered_is_down_after_two_items(items: str, asked: int, tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "fails:500") as stub:
        error = down(judge(stub.url), requests(*items))
        assert len(stub.requests) == asked
    assert (error.slug, error.detail) == (Slug.UNAVAILABLE, "HTTP 500: an error of ours")


def test_it_is_asked_about_the_first_and_the_shortest(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "fails:500") as stub:
        down(judge(stub.url), requests("the first", "a long one", "x", "another long one"))
        said = [one["body"]["messages"][1]["content"] for one in stub.requests]
    assert ["the first" in text for text in said] == [True] * EACH + [False] * EACH
    assert all(">>>\nx\n<<<" in text for text in said[EACH:])


@pytest.mark.parametrize("other", ["good:4", "bad-request"])
def test_an_item_that_a_server_fails_at_while_it_answers_another_counts_its_tries(other: str, tmp_path: Path) -> None:
    poison, *others = requests("POISON", "a", "b", "c")
    with Stub(tmp_path / "log", other, when={"POISON": "fails:500"}) as stub:
        found = graded(judge(stub.url), [poison, *others])
        assert len(stub.requests) >= EACH + 3
    assert (found[poison.hash].failure, found[poison.hash].tries) == (Slug.SERVER_ERROR, 1)
    assert len(found) == 4


def test_two_items_that_fail_are_given_up_where_the_server_answered_before(tmp_path: Path) -> None:
    wanted = requests("a", "b")
    known = {ANSWERED.hash: ANSWERED}
    with Stub(tmp_path / "log", "fails:501") as stub:
        for tries in range(1, MAX_TRIES + 1):
            known |= graded(judge(stub.url), wanted, known)
            assert {(known[one.hash].failure, known[one.hash].tries) for one in wanted} == {(Slug.SERVER_ERROR, tries)}
        asked = len(stub.requests)
        assert asked == MAX_TRIES * 2 * EACH
        assert graded(judge(stub.url), wanted, known) == {}
        assert len(stub.requests) == asked


def test_an_answer_of_another_model_says_nothing_of_this_one(tmp_path: Path) -> None:
    other = Verdict(hash=ANSWERED.hash, level="4", votes=("4",), model="grader-0")
    with Stub(tmp_path / "log", "fails:500") as stub, pytest.raises(Exception, match="unavailable"):
        graded(judge(stub.url), requests("a"), {other.hash: other})


def test_after_an_answer_a_failing_server_costs_tries(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "good", "fails:500") as stub:
        found = graded(judge(stub.url, concurrency=1), requests("a", "b", "c"))
    assert sorted((one.failure, one.tries) for one in found.values()) == [
        ("", 0),
        (Slug.SERVER_ERROR, 1),
        (Slug.SERVER_ERROR, 1),
    ]
