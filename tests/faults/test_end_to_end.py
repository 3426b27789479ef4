"""The whole service on real processes: what is dropped comes out as `scorewatch score` would write it."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from tests.faults.harness import Up, assert_same_reports, drop, wait_for

pytestmark = [pytest.mark.service, pytest.mark.timeout(120)]


def test_files_dropped_before_and_after_the_start(tmp_path: Path) -> None:
    up = Up(tmp_path)
    drop(up.watch, "resume_agent_before.csv", "resume_agent_한글.csv", "방/resume_agent_1.csv", "방/resume_agent_2.csv")
    (up.watch / "notes.csv").write_text("a,b\n1,2\n")
    (up.watch / "resume_agent_broken.csv").write_text("Query ID,Track\nq1,1\n")
    with up:
        up.wait_settled("resume_agent_before", "resume_agent_한글", "방/resume-agent", "resume_agent_broken")
        drop(up.watch, "resume_agent_after.csv", seed=20)
        moved = tmp_path / "resume_agent_moved.csv"
        drop(tmp_path, moved.name, seed=21)
        moved.rename(up.watch / moved.name)
        shutil.copytree(up.watch / "방", up.watch / "깊은/방")
        up.wait_settled("resume_agent_after", "resume_agent_moved", "깊은/방/resume-agent")
        wait_for(lambda: "notes.csv" in (up.out / "index.md").read_text(), "the unclaimed file in the index")
        assert up.status("resume_agent_broken")["state"] == "problem"  # type: ignore[index]
        assert_same_reports(tmp_path, up)
        broker = up.pid_of("broker")
        assert up.stop() == 0
        assert up.children() == []
        assert not Path(f"/proc/{broker}").exists()
        assert not list(up.state.rglob("*.sock"))
        assert not list(up.state.rglob("*.pid"))


def test_drain_stops_by_itself_and_says_whether_all_is_well(tmp_path: Path) -> None:
    up = Up(tmp_path, "--drain")
    drop(up.watch, "resume_agent_a.csv")
    with up:
        assert up.wait() == 0
    assert up.children() == []
    (up.watch / "resume_agent_b.csv").write_bytes(b"")
    with up:
        assert up.wait() == 1
    assert up.status("resume_agent_b")["problems"]["first"][0]["code"] == "empty-file"  # type: ignore[index]
    assert "보고서:" in up.log.read_text()
    asked = [event for event in up.events() if event["event"] == "asked" and not event["again"]]
    assert [event["set"] for event in asked] == ["resume_agent_a", "resume_agent_b"]  # settled sets are not asked again


def test_replaced_content_gives_a_new_report(tmp_path: Path) -> None:
    up = Up(tmp_path)
    drop(up.watch, "resume_agent_a.csv", seed=1)
    with up:
        up.wait_settled("resume_agent_a")
        first = up.status("resume_agent_a")["key"]  # type: ignore[index]
        drop(up.watch, "resume_agent_a.csv", seed=2)
        wait_for(lambda: up.status("resume_agent_a")["key"] != first, "the report of the new content")  # type: ignore[index]
        assert_same_reports(tmp_path, up)


def test_sigterm_ends_everything(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        up.pool_pids()
        assert up.stop(signal.SIGTERM) == 0
        assert up.children() == []


def test_second_up_in_one_state_folder_names_the_first(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        up.pid_of("broker")
        second = Up(tmp_path)
        second.log = tmp_path / "second.log"
        with second:
            assert second.wait() == 2
            assert up.process is not None
            assert str(up.process.pid) in second.log.read_text()
            second.children = list  # type: ignore[method-assign]  # those of the first go on
        assert Path(f"/proc/{up.process.pid}").exists()
