"""What a judge does with its time and its votes, and how it stops."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from config import JUDGE_DEADLINE_FACTOR, Settings
from scoring.judging import MAX_TRIES, JudgeIdentity, Verdict
from tests.faults.harness import wait_for
from tests.judge.asking import KEY, RULES, graded, judge, requests
from tests.judge.stub import Stub
from tests.paths import ROOT
from workers.judge import JudgeDownError, Slug

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]


@pytest.fixture(autouse=True)
def hasty_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


def test_median_of_votes_with_its_reason(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "good:5", 'raw:{"reason": "mid", "level": 3}', "good:1") as stub:
        (found,) = graded(judge(stub.url, votes=3), requests("a")).values()
    assert (found.level, found.reason, found.votes) == ("3", "mid", ("5", "3", "1"))
    assert found.prompt_tokens == 300


def test_votes_that_came_are_kept_and_the_try_is_not_counted(tmp_path: Path) -> None:
    (request,) = requests("a")
    with Stub(tmp_path / "log", "good:5", "good:3", "too-long", "good:1") as stub:
        (first,) = graded(judge(stub.url, votes=3), [request]).values()
    assert (first.level, first.votes, first.failure, first.tries) == ("", ("5", "3"), Slug.TOO_LONG, MAX_TRIES)
    with Stub(tmp_path / "log2", "good:5", "outside", "outside", "outside", "good:1") as stub:
        (first,) = graded(judge(stub.url, votes=2), [request]).values()
        assert (first.votes, first.failure, first.tries, first.is_final) == (("5",), Slug.REPLY_INVALID, 0, False)
        (second,) = graded(judge(stub.url, votes=2), [request], {request.hash: first}).values()
    assert (second.level, second.votes, second.failure, second.prompt_tokens) == ("1", ("5", "1"), "", 500)


def test_votes_are_kept_when_the_endpoint_goes_down_between_them(tmp_path: Path) -> None:
    found: list[Verdict] = []
    with Stub(tmp_path / "log", "good:5", "no-model") as stub, pytest.raises(JudgeDownError):
        judge(stub.url, votes=2).grade(requests("a"), RULES, {}, on_verdict=found.append)
    assert [(one.level, one.votes, one.tries) for one in found] == [("", ("5",), 0)]


def test_tokens_of_a_try_that_the_endpoint_ended_are_kept_and_the_try_is_not_counted(tmp_path: Path) -> None:
    found: list[Verdict] = []
    with Stub(tmp_path / "log", "outside", "no-model") as stub, pytest.raises(JudgeDownError):
        judge(stub.url).grade(requests("a"), RULES, {}, on_verdict=found.append)
    assert [(one.level, one.tries, one.prompt_tokens, one.is_final) for one in found] == [("", 0, 100, False)]


def test_known_levels_are_not_asked_for(tmp_path: Path) -> None:
    wanted = requests("a", "b")
    with Stub(tmp_path / "log", "good") as stub:
        found = graded(judge(stub.url), wanted, {wanted[0].hash: Verdict(hash=wanted[0].hash, level="4")})
        assert len(stub.requests) == 1
    assert found.keys() == {wanted[1].hash}


def test_nothing_to_ask_sends_nothing_and_imports_nothing() -> None:
    code = (
        "import sys; from config import Settings; from workers.judge import Judge\n"
        "judge = Judge(Settings(judge_base_url='http://127.0.0.1:9/v1', judge_model='m'))\n"
        "judge.grade([], {}, {}, on_verdict=print)\n"
        "assert not {'openai', 'httpx2'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_after_the_deadline_only_the_first_items_are_begun(tmp_path: Path) -> None:
    wanted = requests(*"abcdefgh")
    with Stub(tmp_path / "log", "good") as stub:
        found = graded(judge(stub.url, concurrency=2), wanted, deadline=time.monotonic())
        assert len(stub.requests) == len(found) == 3  # the one that tries the endpoint, then one of each in flight
        assert len(graded(judge(stub.url), wanted, found, deadline=time.monotonic() + 3600)) == 5


def test_a_slow_first_item_leaves_the_others_where_time_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stub(tmp_path / "log", "good") as stub:
        clock = SimpleNamespace(monotonic=lambda: 100.0 * len(stub.requests))  # an item takes 100 s
        monkeypatch.setattr("workers.judge.grade.time", clock)
        found = graded(judge(stub.url, seconds=2), requests(*"abcd"), deadline=2 * JUDGE_DEADLINE_FACTOR + 1)
        assert len(stub.requests) == len(found) == 1


def test_verdict_that_cannot_be_stored_stops_the_rest(tmp_path: Path) -> None:
    def full(_: Verdict) -> None:
        raise OSError("disk full")

    with Stub(tmp_path / "log", "good", "slow:0.2") as stub:
        with pytest.raises(OSError, match="disk full"):
            judge(stub.url, concurrency=1).grade(requests(*"abcdefgh"), RULES, {}, on_verdict=full)
        assert len(stub.requests) < 8


def test_interrupt_keeps_what_was_paid_for(tmp_path: Path) -> None:
    """Ctrl-C while some items are answered and another hangs: the answers are handed over, the rest is let go."""
    found: list[Verdict] = []

    def interrupt_once(verdict: Verdict) -> None:
        if not found:
            found.append(verdict)
            wait_for(lambda: len(stub.requests) == 4, "the last, which is asked when the others have come in")
            signal.raise_signal(signal.SIGINT)
        found.append(verdict)

    with Stub(tmp_path / "log", "good", when={"POISON": "hangs"}) as stub:
        asked = judge(stub.url, concurrency=1)
        with pytest.raises(KeyboardInterrupt):
            asked.grade(requests("a", "b", "c", "POISON"), RULES, {}, on_verdict=interrupt_once)
    assert len({one.hash for one in found if one.level}) == 3
    assert not [thread for thread in threading.enumerate() if thread.name == "judge"]


def test_interrupt_while_waiting_ends_at_once(tmp_path: Path) -> None:
    with Stub(tmp_path / "log", "hangs") as stub:

        def interrupt() -> None:
            wait_for(lambda: bool(stub.requests), "the judge to wait")
            os.kill(os.getpid(), signal.SIGINT)

        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            graded(judge(stub.url, seconds=50), requests("a"))
        interrupter.join()


def test_bug_in_a_task_is_raised_as_it_is(tmp_path: Path) -> None:
    unknown = requests("a")[0]._replace(metric="nonsense")
    with Stub(tmp_path / "log", "good") as stub, pytest.raises(KeyError, match="nonsense"):
        graded(judge(stub.url), [*requests("b"), unknown])


def test_error_crosses_processes() -> None:
    error = pickle.loads(pickle.dumps(JudgeDownError(Slug.QUOTA, "HTTP 402")))  # noqa: S301 -- made here
    assert (type(error), error.slug, error.detail) == (JudgeDownError, Slug.QUOTA, "HTTP 402")


def test_settings_without_a_base_url_are_no_judge() -> None:
    assert Settings(judge_model="m", judge_api_key=SecretStr(KEY)).judge is None
    settings = Settings(
        judge_base_url="http://judge/v1",
        judge_model="m",
        judge_api_key=SecretStr(KEY),
        judge_votes=3,
        judge_compare=True,
        judge_timeout_seconds=7,
    )
    assert settings.judge == JudgeIdentity(model="m", votes=3, compare=True)
    assert settings.judge_key == KEY
    assert KEY not in repr(settings)
