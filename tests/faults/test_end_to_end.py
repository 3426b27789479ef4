"""The whole service on real processes: what is dropped comes out as `scorewatch score` would write it."""

import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any, Literal, cast

import pytest

from tests.faults.harness import ROOT, Up, drop, report_files, score_directly, wait_for
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]


def test_files_dropped_before_and_after_the_start(tmp_path: Path) -> None:
    up = Up(tmp_path)
    drop(up.watch, "resume_agent_before.csv", "resume_agent_한글.csv", "방/resume_agent_1.csv", "방/resume_agent_2.csv")
    (up.watch / "notes.csv").write_text("a,b\n1,2\n")
    (up.watch / "resume_agent_broken.csv").write_text("Query ID,Track\nq1,1\n")
    drop(up.watch, "resume_agent_same.csv", "RESUME_AGENT_SAME.csv", seed=40)
    drop(tmp_path, "resume_agent_elsewhere.csv", seed=50)
    (up.watch / "resume_agent_link.csv").symlink_to(tmp_path / "resume_agent_elsewhere.csv")
    with up:
        with Undisturbed(up, tmp_path, whole=True):
            up.wait_settled("resume_agent_before", "resume_agent_한글", "방/resume-agent", "resume_agent_broken")
            up.wait_settled("RESUME_AGENT_SAME", "resume_agent_link")
            drop(up.watch, "resume_agent_after.csv", seed=20)
            moved = tmp_path / "resume_agent_moved.csv"
            drop(tmp_path, moved.name, seed=21)
            moved.rename(up.watch / moved.name)
            shutil.copytree(up.watch / "방", up.watch / "깊은/방")
        wait_for(lambda: "notes.csv" in (up.out / "index.md").read_text(), "the unclaimed file in the index")
        broken = up.status("resume_agent_broken")
        assert broken is not None
        assert broken["state"] == "problem"
        broker = up.pid_of("broker")
        assert up.stop() == 0
        assert up.children() == []
        assert not Path(f"/proc/{broker}").exists()
        assert not list(up.state.rglob("*.sock"))
        assert not list(up.state.rglob("*.pid"))


@pytest.mark.slow
def test_drain_stops_by_itself_and_says_whether_all_is_well(tmp_path: Path) -> None:
    up = Up(tmp_path, "--drain")
    drop(up.watch, "resume_agent_a.csv")
    with up, Undisturbed(up, tmp_path, whole=True):
        assert up.wait() == 0
    assert up.children() == []
    with Undisturbed(up, tmp_path):
        (up.watch / "resume_agent_b.csv").write_bytes(b"")
        with up:
            assert up.wait() == 1
    assert up.status("resume_agent_b")["findings"][0]["code"] == "empty-file"  # type: ignore[index]
    assert "보고서:" in up.log.read_text()
    asked = [event for event in up.events() if event["event"] == "asked" and not event["again"]]
    assert [event["set"] for event in asked] == ["resume_agent_a", "resume_agent_b"]  # settled sets are not asked again


@pytest.mark.slow
def test_damaged_outputs_are_made_again_at_the_next_start(tmp_path: Path) -> None:
    up = Up(tmp_path, "--drain")
    drop(up.watch, "resume_agent_a.csv", "resume_agent_b.csv")
    score_directly(tmp_path, up.watch).rename(up.out)
    (up.out / "resume_agent_a/report.md").unlink()
    shutil.rmtree(up.out / "resume_agent_b")
    with up, Undisturbed(up, tmp_path, whole=True):
        assert up.wait() == 0


@pytest.mark.slow
def test_replaced_content_gives_a_new_report(service: Up, tmp_path: Path) -> None:
    with Undisturbed(service, tmp_path) as watching:
        drop(service.watch, "resume_agent_replaced.csv", seed=1)
        watching.expect()
        watching.wait()
        drop(service.watch, "resume_agent_replaced.csv", seed=2)


@pytest.mark.slow
def test_retry_makes_a_running_service_score_again(service: Up, tmp_path: Path) -> None:
    with Undisturbed(service, tmp_path) as watching:
        drop(service.watch, "resume_agent_again.csv", seed=3)
        watching.expect()
        watching.wait()
        first = (service.out / "resume_agent_again/status.json").stat().st_ino
        command = [sys.executable, "-m", "cli.main", "retry", "resume_agent_again"]
        done = subprocess.run(command, cwd=ROOT, env=service.environment(), capture_output=True, check=True, text=True)
        assert done.stdout == "다시 채점합니다: resume_agent_again\n"
        service.wait_settled("resume_agent_again")
        assert (service.out / "resume_agent_again/status.json").stat().st_ino != first
    command[-2:] = ["status", "--json"]

    def told() -> dict[str, Any]:
        done = subprocess.run(command, cwd=ROOT, env=service.environment(), capture_output=True, check=False, text=True)
        return cast("dict[str, Any]", json.loads(done.stdout))

    assert "resume_agent_again" in [entry["set"] for entry in told()["sets"]]
    assert service.process is not None
    assert told()["watcher"]["pid"] == service.process.pid
    # What the watcher last saw of the queue is a few seconds old.
    wait_for(
        lambda: told()["queue"] == {"waiting": 0, "running": 0, "judging": 0, "comparing": 0},
        "status to show an empty queue",
    )


@pytest.mark.slow
def test_second_up_in_one_state_folder_names_the_first(service: Up) -> None:
    service.pid_of("broker")
    second = Up(service.state.parent)
    second.log = service.log.with_name("second.log")
    second.children = list  # type: ignore[method-assign]  # those of the first go on
    with second:
        assert second.wait() == 2
    assert service.process is not None
    assert str(service.process.pid) in second.log.read_text()
    assert service.process.poll() is None


@pytest.mark.slow
def test_names_of_one_normal_form_give_the_service_and_score_the_same_bytes(tmp_path: Path) -> None:
    up = Up(tmp_path, "--drain")
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
    for number, form in enumerate(forms):
        name = unicodedata.normalize(form, "resume_agent_가.csv")
        drop(up.watch, name, f"방/{name}", unicodedata.normalize(form, "폴더/resume_agent_1.csv"), seed=10 * number)
    with up:
        assert up.wait() == 1
    assert report_files(up.out) == report_files(score_directly(tmp_path, up.watch))
    status = up.status("resume_agent_가")
    assert status is not None
    assert list(status["inputs"]) == ["resume_agent_가.csv (NFC)", "resume_agent_가.csv (NFD)"]
