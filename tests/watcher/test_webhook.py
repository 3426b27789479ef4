"""Notifications against a real local server: quick, slow, down, failing, redirecting."""

import logging
import time
from pathlib import Path

import pytest
import structlog
from msgspec import UNSET

from reporting import told_as
from reporting.store import BASELINE_JSON, GATE, BaselineFile, GateFile, encode_json
from scoring.comparison import Origin, Verdict
from scoring.gate import GateResult, GateState
from scoring.judging import JudgeState
from tests.faults.harness import wait_for
from tests.watcher.receiver import QUICK, SECRET, Receiver, knows, settle, start, told
from watcher.outbox import NotificationState, Outbox
from watcher.webhook import OUTBOX_NAME

IMPATIENT = QUICK._replace(answer_seconds=1.0)
pytestmark = pytest.mark.timeout(30)


def test_each_key_is_told_once_with_what_changed(receiver: Receiver, out: Path, state: Path) -> None:
    notifier = start(receiver, out, state)
    settle(out, "방/a", "k1", intent=4.0)
    notifier.settled("방/a", "k1")
    notifier.settled("방/a", "k1")
    wait_for(lambda: len(receiver.received) == 1, "the first")
    settle(out, "방/a", "k2", intent=4.25)
    notifier.settled("방/a", "k2")
    wait_for(lambda: len(receiver.received) == 2, "the second")
    notifier.settled("방/a", "k2")
    notifier.stop(5)
    (_, first), (path, second) = receiver.received
    assert path == f"/hook/{SECRET}"
    assert first["metrics"]["intent"] == {"value": 4.0, "previous": None, "change": None, "interval": [3.0, 5.0]}
    assert second["metrics"]["intent"] == {"value": 4.25, "previous": 4.0, "change": 0.25, "interval": [3.0, 5.0]}
    assert second["metrics"]["consistency"] == {"value": None, "previous": None, "change": None, "interval": None}
    assert (second["set"], second["profile"], second["key"], second["state"]) == (
        "방/a",
        "resume-agent",
        "k2",
        "report",
    )
    assert str(out) not in str(second)
    assert second["text"] == (
        "방/a: 4문항, 응답 성공 3/4 = 75.0% (20.0–90.0%) (resume-agent)\n"
        "의도 충족 4.00 → 4.25 · 일관성 — · 정확성 3.00 · 응답 속도 2.00 · 안정성 1.00"
    )
    again = start(receiver, out, state)
    again.settled("방/a", "k2")
    again.stop(5)
    assert len(receiver.received) == 2


def test_a_report_that_a_judge_completes_is_told_twice(receiver: Receiver, out: Path, state: Path) -> None:
    notifier = start(receiver, out, state)
    settle(out, "a", "k", intent=3.0, judge="pending")
    notifier.settled("a", told_as("k", JudgeState.PENDING))
    wait_for(lambda: len(receiver.received) == 1, "the report")
    settle(out, "a", "k", intent=4.0, judge="done")
    notifier.settled("a", told_as("k", JudgeState.PENDING))  # late: it has moved on
    notifier.settled("a", told_as("k", JudgeState.DONE))
    wait_for(lambda: len(receiver.received) == 2, "the verdicts")
    notifier.stop(5)
    (_, first), (_, second) = receiver.received
    assert (first["key"], first["judge"], second["key"], second["judge"]) == ("k", "pending", "k", "done")
    assert "평가 모델의 판정을 기다리는 보고서입니다." in first["text"]
    assert "평가 모델" not in second["text"]
    again = start(receiver, out, state)
    again.settled("a", told_as("k", JudgeState.DONE))
    again.stop(5)
    assert len(receiver.received) == 2


def test_problem_is_told_and_calls_nobody(receiver: Receiver, out: Path, state: Path) -> None:
    notifier = start(receiver, out, state)
    settle(out, "a", "k", intent=None)
    notifier.settled("a", "k")
    notifier.stop(5)
    ((_, body),) = receiver.received
    assert body["state"] == "problem"
    assert body["metrics"] == {}
    assert (body["errors"], body["findings"][0]["code"], body["findings"][0]["count"]) == (1, "empty-file", 1)
    assert body["text"].splitlines() == [
        "a: 읽지 못했습니다 (resume-agent)",
        "살펴볼 것: 1 (오류 1)",
        "- a.csv: 빈 파일입니다. <!channel> [empty-file]",
    ]


def test_sets_settled_before_the_outbox_began_are_not_told(receiver: Receiver, out: Path, state: Path) -> None:
    settle(out, "a", "k1", intent=4.0)
    notifier = start(receiver, out, state)
    notifier.settled("a", "k1")
    wait_for(lambda: knows(state, "a", "k1"), "the note")
    settle(out, "a", "k2", intent=3.5)
    notifier.settled("a", "k2")
    notifier.stop(5)
    ((_, body),) = receiver.received
    assert body["metrics"]["intent"]["change"] == -0.5


@pytest.mark.parametrize("status", [500, 503, 429])
def test_failing_server_is_asked_again_until_it_takes_it(
    receiver: Receiver, out: Path, state: Path, status: int
) -> None:
    receiver.statuses = [status, status]
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    wait_for(lambda: notifier.outcomes["sent"] == 1, "the third try")
    notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k", "k", "k"]
    assert notifier.outcomes == {"failed": 2, "sent": 1}


@pytest.mark.parametrize("status", [400, 404, 410])
def test_refusing_server_is_not_asked_again(receiver: Receiver, out: Path, state: Path, status: int) -> None:
    receiver.statuses = [status]
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    wait_for(lambda: notifier.outcomes["refused"] == 1, "the refusal")
    settle(out, "b", "k2")
    notifier.settled("b", "k2")
    notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k", "k2"]
    assert told(state, "a") == NotificationState.REFUSED


def test_down_server_gets_the_newest_when_it_is_back(receiver: Receiver, out: Path, state: Path) -> None:
    port = receiver.port
    receiver.end()
    notifier = start(receiver, out, state)
    settle(out, "a", "k1", intent=4.0)
    notifier.settled("a", "k1")
    wait_for(lambda: notifier.outcomes["failed"] >= 2, "failures")
    settle(out, "a", "k2", intent=5.0)
    notifier.settled("a", "k2")
    wait_for(lambda: knows(state, "a", "k2"), "the note")
    back = Receiver(port)
    try:
        wait_for(lambda: bool(back.received), "the newest")
        notifier.stop(5)
    finally:
        back.end()
    assert [body["key"] for _, body in back.received] == ["k2"]
    assert back.received[0][1]["metrics"]["intent"]["change"] is None, "nobody was told of 4.0"


def test_what_waits_at_the_end_is_sent_by_the_next_start(receiver: Receiver, out: Path, state: Path) -> None:
    receiver.statuses = [500] * 100
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    wait_for(lambda: notifier.outcomes["failed"] >= 1, "a failure")
    notifier.stop(5)
    receiver.statuses.clear()
    receiver.received.clear()
    again = start(receiver, out, state)
    wait_for(lambda: again.outcomes["sent"] == 1, "the letter of the run before")
    again.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k"]


def test_slow_server_holds_nobody_up_and_gets_it_once(receiver: Receiver, out: Path, state: Path) -> None:
    """It may have taken what it does not answer, so it is not asked again."""
    receiver.answer_after.clear()
    notifier = start(receiver, out, state, policy=IMPATIENT)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    assert not notifier.outcomes, "it waited for the server"
    wait_for(lambda: notifier.outcomes["uncertain"] == 1, "the end of patience")
    receiver.answer_after.set()
    settle(out, "b", "k2")
    notifier.settled("b", "k2")
    notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k", "k2"]


def test_kill_while_sending_sends_nothing_twice(receiver: Receiver, out: Path, state: Path) -> None:
    outbox = Outbox(state / OUTBOX_NAME, now=0)
    settle(out, "a", "k")
    outbox.note("a", "k", None, NotificationState.WAITING, now=time.time())
    letter = outbox.next()
    assert letter is not None
    outbox.mark(letter, NotificationState.SENDING)
    outbox.close()
    notifier = start(receiver, out, state)
    notifier.settled("a", "k")
    notifier.stop(5)
    assert receiver.received == []
    assert told(state, "a") == NotificationState.UNCERTAIN


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect_within_the_host_is_followed_as_a_post(
    receiver: Receiver, out: Path, state: Path, status: int
) -> None:
    receiver.statuses = [status]
    receiver.location = "/moved"
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    assert [(path, body["key"]) for path, body in receiver.received] == [(f"/hook/{SECRET}", "k"), ("/moved", "k")]
    assert notifier.outcomes == {"sent": 1}


@pytest.mark.parametrize(
    "target", ["http://localhost:{port}/x", "https://127.0.0.1:{port}/x", "ftp://127.0.0.1/x", "http://["]
)
def test_redirect_elsewhere_is_refused(receiver: Receiver, out: Path, state: Path, target: str) -> None:
    receiver.statuses = [307]
    receiver.location = target.format(port=receiver.port)
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    assert len(receiver.received) == 1
    assert notifier.outcomes == {"refused": 1}


def test_redirect_in_circles_ends(receiver: Receiver, out: Path, state: Path) -> None:
    receiver.statuses = [302] * 50
    receiver.location = "/again"
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    assert len(receiver.received) < 6
    assert notifier.outcomes == {"refused": 1}


def test_key_that_another_machine_tells_is_passed_over(receiver: Receiver, out: Path, state: Path) -> None:
    claims: list[tuple[str, str]] = []

    def claim(key: str, machine: str) -> bool:
        claims.append((key, machine))
        return key != "theirs"

    notifier = start(receiver, out, state, claim=claim)
    for name in ("theirs", "ours"):
        settle(out, name, name)
        notifier.settled(name, name)
    notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["ours"]
    assert len({machine for _, machine in claims}) == 1


def test_address_is_in_no_log_line(receiver: Receiver, out: Path, state: Path) -> None:
    receiver.statuses = [500, 307]
    receiver.location = f"http://elsewhere.invalid/{SECRET}"
    with structlog.testing.capture_logs() as lines:
        notifier = start(receiver, out, state)
        settle(out, "a", "k")
        notifier.settled("a", "k")
        wait_for(lambda: notifier.outcomes["refused"] == 1, "the refusal")
        notifier.stop(5)
    assert [line["event"] for line in lines] == ["notification later", "notification lost"]
    assert SECRET not in repr(lines)


def test_http_client_logs_no_address(
    receiver: Receiver, out: Path, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    assert notifier.outcomes == {"sent": 1}
    assert SECRET not in caplog.text


def test_damaged_outbox_is_replaced(receiver: Receiver, out: Path, state: Path) -> None:
    (state / OUTBOX_NAME).write_bytes(b"no database" * 100)
    notifier = start(receiver, out, state)
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    assert len(receiver.received) == 1


def test_only_the_kinds_that_are_asked_for_are_sent(receiver: Receiver, out: Path, state: Path) -> None:
    notifier = start(receiver, out, state, events=("problems", "gate-failed"))
    settle(out, "fine", "k1")
    notifier.settled("fine", "k1")
    settle(out, "bad", "k2", intent=None)
    notifier.settled("bad", "k2")
    settle(out, "gated", "k3")
    failed = GateResult(GateState.FAILED, ())
    GATE.write(out / "gated", GateFile(set="gated", key="k3", judge_digest="", rules="r", result=failed))
    notifier.settled("gated", "k3")
    notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k2", "k3"]
    assert receiver.received[1][1]["events"] == ["every-set", "gate-failed"]
    assert told(state, "fine") == NotificationState.PASSED


def test_worse_again_is_sent_where_a_comparison_says_so(receiver: Receiver, out: Path, state: Path) -> None:
    verdicts = {"a": Verdict.SAME, "b": Verdict.WORSE, "d": Verdict.WORSE}
    notifier = start(receiver, out, state, events=("worse",))
    for name in ("a", "b", "c", "d"):
        settle(out, name, f"k-{name}")
        if name in verdicts:
            compare(out, name, f"k-{name}", verdicts[name], again=("intent",) if name == "d" else ())
        notifier.settled(name, f"k-{name}")
    notifier.stop(5)
    ((_, body),) = receiver.received
    assert (body["set"], body["worse"]) == ("d", {"baseline": "run_1", "metrics": ["intent"], "again": ["intent"]})


def compare(out: Path, name: str, key: str, verdict: Verdict, *, again: tuple[str, ...]) -> None:
    """The comparison of a set with `run_1`, as a worker leaves it."""
    found = BaselineFile(
        set=name,
        key=key,
        origin=Origin.PINNED,
        baseline="run_1",
        language="ko",
        engine_version=1,
        verdicts={"intent": verdict},
        again=dict.fromkeys(again, "") or UNSET,
        sentence="",
    )
    (out / name / BASELINE_JSON).write_bytes(encode_json(found))


def test_form_and_public_address_are_those_of_the_settings(receiver: Receiver, out: Path, state: Path) -> None:
    notifier = start(receiver, out, state, form="slack", public_url="https://reports.example")
    settle(out, "a", "k")
    notifier.settled("a", "k")
    notifier.stop(5)
    ((_, body),) = receiver.received
    assert body["blocks"][1]["text"]["text"] == "<https://reports.example/a/summary.html|보고서 열기>"
