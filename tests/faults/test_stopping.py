"""How a service ends: running work is finished, a second signal ends at once, nothing stays."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.faults.harness import Up, drop, wait_for
from tests.faults.processes import HoldingUp, PatchedUp, has_event
from tests.faults.undisturbed import Undisturbed
from tests.inner import SNAPSHOT_NAME

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

DRAIN_SECONDS = 45.0  # in which a busy machine starts, and scores one file
SHORT_FINISH = "import cli.service.processes\ncli.service.processes.FINISH_SECONDS = 3.0"


def hold(up: HoldingUp) -> None:
    """Wait until a task has begun that ends when it is released."""
    up.pool_pids()
    drop(up.watch, "resume_agent_held.csv")
    wait_for(up.begun.exists, "the task to begin")
    wait_for((up.state / SNAPSHOT_NAME).exists, "the watcher to show what it does")


def ask_to_end(up: HoldingUp, number: signal.Signals) -> None:
    """Send a signal and wait until it is taken: the watcher has ended, only workers are waited for."""
    assert up.process is not None
    up.process.send_signal(number)
    wait_for(lambda: not (up.state / SNAPSHOT_NAME).exists(), "the watcher to end")


def assert_nothing_left(up: HoldingUp) -> None:
    assert up.children() == []
    assert not list(up.temporary.iterdir())
    assert not (up.state / "scratch").exists()
    assert not list(up.state.rglob("*.sock"))
    assert not list(up.state.rglob("*.pid"))
    assert not list(up.state.rglob("*.tmp"))
    assert not (up.state / SNAPSHOT_NAME).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_running_task_is_finished(tmp_path: Path, number: signal.Signals) -> None:
    with HoldingUp(tmp_path) as up:
        hold(up)
        ask_to_end(up, number)
        up.release()
        assert up.wait() == 0
        assert (up.out / "resume_agent_held/status.json").is_file()  # what it was doing is done
        assert_nothing_left(up)


def test_a_task_without_end_is_ended_after_the_time_to_finish(tmp_path: Path) -> None:
    with HoldingUp(tmp_path, code=SHORT_FINISH) as up:
        hold(up)
        assert up.stop() == 0
        assert has_event(up.events(), "worker killed", name="worker")
        assert_nothing_left(up)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(tmp_path: Path, number: signal.Signals) -> None:
    with HoldingUp(tmp_path) as up:
        hold(up)
        ask_to_end(up, number)
        assert up.stop(number) == 128 + number
        assert_nothing_left(up)
    again = Up(tmp_path, "--drain")
    (up.watch / "resume_agent_held.csv").rename(up.watch / "resume_agent_done.csv")
    with again, Undisturbed(again, tmp_path, whole=True):
        assert again.wait() == 0


def test_a_drain_that_takes_too_long_says_so(tmp_path: Path) -> None:
    up = HoldingUp(tmp_path, "--drain", "--drain-timeout", f"{DRAIN_SECONDS}", code=SHORT_FINISH, WORKERS="2")
    drop(up.watch, "resume_agent_a.csv", "resume_agent_held.csv")
    started = time.monotonic()
    with up:
        assert up.wait() == 1
        assert time.monotonic() - started >= DRAIN_SECONDS
    text = up.log.read_text()
    assert "제한 시간 안에 모두 끝내지 못했습니다" in text
    assert "세트 2개 중 1개 끝남" in text
    assert_nothing_left(up)


def test_a_worker_that_takes_nothing_is_started_again(tmp_path: Path) -> None:
    code = "from cli.service import worker_process\nworker_process.STUCK_SECONDS = 2.0"
    with PatchedUp(tmp_path, code=code) as up:
        stopped = up.pid_of("worker")
        up.pool_pids()
        with Undisturbed(up, tmp_path):
            os.kill(stopped, signal.SIGSTOP)
            drop(up.watch, *(f"resume_agent_{number}.csv" for number in range(3)))
        assert up.pid_of("worker") != stopped
        assert not Path(f"/proc/{stopped}").exists()
        assert any(event["event"].startswith("worker takes no tasks") for event in up.events())
        assert up.stop() == 0


def test_a_drain_with_nothing_to_do_waits_for_no_scan(tmp_path: Path) -> None:
    drop(tmp_path / "in", "resume_agent_a.csv", "folder/resume_agent_b.csv", "folder/resume_agent_c.csv")
    for _ in range(2):
        with Up(tmp_path, "--drain", RESCAN_SECONDS="600") as up:
            assert up.wait() == 0  # far within the time that a scan would take to come
