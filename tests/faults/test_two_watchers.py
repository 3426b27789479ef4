"""Two watchers on one broker: one works, the other stands by and takes over."""

import os
import signal
from pathlib import Path

import pytest

from tests.faults.harness import Up, drop, wait_for
from tests.faults.processes import Command
from tests.faults.undisturbed import Undisturbed
from tests.inner import running_url

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]


def test_the_second_watcher_takes_over_from_a_stopped_and_from_a_killed_one(tmp_path: Path) -> None:
    with Up(tmp_path) as up, Undisturbed(up, tmp_path, whole=True):
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        url = running_url(up.state)
        assert url is not None
        second = Command(tmp_path, "watch", watch=up.watch, out=up.out, state=tmp_path / "second", BROKER_URL=url)
        with second:
            second.wait_event("standing by: another watcher does the work")
            drop(up.watch, "resume_agent_2.csv", seed=2)
            up.wait_settled("resume_agent_2")
            assert not [event for event in second.events() if event["event"] == "asked"]

            assert up.process is not None
            up.process.send_signal(signal.SIGSTOP)
            second.wait_event("watching")
            drop(up.watch, "resume_agent_3.csv", seed=3)
            second.wait_event("asked", set="resume_agent_3")
            up.wait_settled("resume_agent_3")
            up.process.send_signal(signal.SIGCONT)
            wait_for(lambda: any("standing by" in event["event"] for event in up.events()), "the first to stand by")
            drop(up.watch, "resume_agent_4.csv", seed=4)
            up.wait_settled("resume_agent_4")

            os.kill(second.pid, signal.SIGKILL)
            wait_for(lambda: any(event["event"] == "watching" for event in up.events()), "the first to take over")
            drop(up.watch, "resume_agent_5.csv", seed=5)
            up.wait_settled("resume_agent_5")
        asked = dict.fromkeys(event["set"] for event in up.events() if event["event"] == "asked")
        assert list(asked) == ["resume_agent_1", "resume_agent_2", "resume_agent_5"]
        assert up.stop() == 0
