"""Items whose judging never ends are given up after the promised number of tries, also when it kills the process."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from reporting.store import read_verdicts
from scoring.judging import MAX_TRIES, Allowance, JudgeRequest, JudgeState, Verdict
from scoring.rubric import VerdictRule
from tests.workers.judge.test_job import NAME, Model, Set
from workers.judge.errors import Slug
from workers.judge.job import MAX_OUTAGES, give_up


class Killed(BaseException):
    """The process has ended: nothing after it runs."""


class Bomb(Model):
    """A judge whose reply to one answer ends the process."""

    def grade(
        self,
        requests: Sequence[JudgeRequest],
        rules: Mapping[str, VerdictRule],
        known: Mapping[str, Verdict],
        *,
        deadline: float | None,
        allowance: Allowance | None,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        for request in requests:
            if request.graded.answer == "bomb":
                self.asked.append("bomb")
                raise Killed
            super().grade([request], rules, known, deadline=deadline, allowance=allowance, on_verdict=on_verdict)


def test_a_reply_that_kills_is_given_up_and_costs_no_other_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Set(tmp_path, "bomb", "first", "second", "third")
    found.model = Bomb()
    hashes = found.assemble()
    # A killed process clears nothing: the counts of a server outlive it, here those of the test.
    clear, flush = found.place.strikes.clear, found.place.strikes.flush
    for _ in range(MAX_TRIES):
        monkeypatch.setattr(found.place.strikes, "clear", lambda *_: None)
        monkeypatch.setattr(found.place.strikes, "flush", lambda: None)
        with pytest.raises(Killed):
            found.judge(hashes)
    monkeypatch.setattr(found.place.strikes, "clear", clear)
    monkeypatch.setattr(found.place.strikes, "flush", flush)
    assert found.judge(hashes).is_complete
    verdicts = read_verdicts(found.out, NAME)
    bombs = [verdict for verdict in verdicts.values() if not verdict.level]
    assert found.model.asked.count("bomb") == MAX_TRIES
    assert [(bomb.failure, bomb.tries) for bomb in bombs] == [(Slug.INTERRUPTED, MAX_TRIES)]
    assert len(verdicts) == len(hashes)
    assert found.assemble() == ()
    assert found.state is JudgeState.INCOMPLETE


def test_an_endpoint_that_is_never_available_is_given_up_for_the_set(tmp_path: Path) -> None:
    found = Set(tmp_path, "first", "second")
    hashes = found.assemble()
    times = [give_up(found.place, found.plan, Slug.UNAVAILABLE) for _ in range(MAX_OUTAGES)]
    assert times == [False] * (MAX_OUTAGES - 1) + [True]
    verdicts = read_verdicts(found.out, NAME)
    assert {name: (one.failure, one.tries) for name, one in verdicts.items()} == dict.fromkeys(
        hashes, (Slug.UNAVAILABLE, MAX_TRIES)
    )
    assert found.assemble() == ()
    assert found.state is JudgeState.INCOMPLETE


def test_an_endpoint_that_answers_again_starts_the_count_anew(tmp_path: Path) -> None:
    found = Set(tmp_path, "first", "second")
    hashes = found.assemble()
    for _ in range(MAX_OUTAGES - 1):
        assert not give_up(found.place, found.plan, Slug.UNAVAILABLE)
    found.judge(hashes[:1])
    assert not give_up(found.place, found.plan, Slug.UNAVAILABLE)
