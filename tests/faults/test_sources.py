"""Inputs that are removed, renamed or there twice, while a real service watches."""

import shutil
from pathlib import Path

import pytest

from reporting.store import SourceMark, SourceState, read_sources
from tests.faults.harness import Up, drop, report_files, wait_for

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("observer", ["native", "polling"])
def test_removed_renamed_and_doubled_files_are_told_and_reports_stay(tmp_path: Path, observer: str) -> None:
    with Up(tmp_path, OBSERVER=observer) as up:
        drop(
            up.watch, "resume_agent_gone.csv", "resume_agent_old.csv", "resume_agent_kept.csv", "방/resume_agent_1.csv"
        )
        up.wait_settled("resume_agent_gone", "resume_agent_old", "resume_agent_kept", "방/resume-agent")
        before = report_files(up.out)

        (up.watch / "resume_agent_gone.csv").unlink()
        (up.watch / "resume_agent_old.csv").rename(up.watch / "resume_agent_new.csv")
        shutil.copy(up.watch / "resume_agent_kept.csv", up.watch / "resume_agent_twin.csv")
        up.wait_settled("resume_agent_new", "resume_agent_twin")
        expected = {
            "resume_agent_gone": SourceMark(SourceState.REMOVED),
            "resume_agent_old": SourceMark(SourceState.RENAMED, "resume_agent_new"),
            "resume_agent_twin": SourceMark(SourceState.DUPLICATE, "resume_agent_kept"),
        }
        wait_for(lambda: read_sources(up.out) == expected, "the marks")
        wait_for(lambda: (up.out / "index.md").read_text().count("이름 바뀜 → resume_agent_new") == 1, "the index")
        after = report_files(up.out)
        assert {name: after[name] for name in before} == before  # a report is a function of its key

        # A restart finds the same, and asks for nothing.
        assert up.stop() == 0
        up.start()
        wait_for(lambda: sum(event["event"] == "worker started" for event in up.events()) == 2, "the second start")
        (up.watch / "resume_agent_twin.csv").unlink()
        expected["resume_agent_twin"] = SourceMark(SourceState.REMOVED)
        wait_for(lambda: read_sources(up.out) == expected, "the mark of the removed twin")
        asked = [event["set"] for event in up.events() if event["event"] == "asked" and not event["again"]]
        assert len(asked) == len(set(asked)) == 6
        assert up.stop() == 0


def test_nothing_is_marked_while_the_whole_folder_is_gone(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        drop(up.watch, "resume_agent_a.csv", "resume_agent_b.csv")
        up.wait_settled("resume_agent_a", "resume_agent_b")
        aside = tmp_path / "aside"
        up.watch.rename(aside)
        wait_for(
            lambda: sum(event["event"] == "watched folder is missing or empty" for event in up.events()) >= 3,
            "three looks",
        )
        assert read_sources(up.out) == {}
        aside.rename(up.watch)
        drop(up.watch, "resume_agent_c.csv", seed=9)
        up.wait_settled("resume_agent_c")
        assert read_sources(up.out) == {}
        assert up.stop() == 0
