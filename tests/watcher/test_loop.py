"""The watcher's loop over a real folder, with a clock, events and workers that the test moves by hand."""

import itertools
import shutil
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from config import shipped_rubrics
from reporting.store import STATUS, State
from tests.watcher.world import World
from watcher.loop import UNCLAIMED_NAMED
from watcher.settle import Hint


def test_what_lies_there_at_the_start_is_asked_once_and_settles(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(0.9)
    assert world.queue.names() == []
    assert not world.watcher.is_drained()
    world.run(0.5)
    assert world.queue.names() == ["resume_agent_a"]
    world.run(3.0)
    assert world.queue.names() == ["resume_agent_a"]
    world.queue.work()
    world.run(0.5)
    assert world.watcher.settled["resume_agent_a"].state is State.PROBLEM
    assert world.watcher.is_drained()
    world.run(70.0)
    assert world.queue.asked == []


def test_a_settled_set_is_not_asked_by_the_next_watcher(world: World, tmp_path: Path) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    shutil.copytree(world.out, tmp_path / "again/out")
    shutil.copytree(world.root, tmp_path / "copy")
    again = World(tmp_path / "again")
    shutil.copytree(tmp_path / "copy", again.root, dirs_exist_ok=True)
    again.run(1.5)
    assert again.queue.asked == []
    assert again.watcher.is_drained()


def test_what_is_dropped_while_reports_are_listed_does_not_wait_for_that(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        world.write(f"resume_agent_{number}.csv", str(number))
    world.run(1.5)
    world.queue.work()
    world.run(0.5)
    world.start()
    monkeypatch.setattr("watcher.output_folder.STEP_SECONDS", 0.0)  # one folder
    world.run(0.1)
    world.write("resume_agent_new.csv", "x", Hint.CLOSED)
    world.run(0.5)
    assert world.watcher.is_starting
    assert not world.watcher.is_drained()
    assert world.queue.names() == ["resume_agent_new"]
    world.queue.work()
    world.run(3.0)
    assert world.watcher.is_drained()
    assert len(world.watcher.settled) == 21


def test_many_sets_are_planned_some_at_each_step(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watcher.loop.MOST_READY", 2)
    for number in range(5):
        world.write(f"resume_agent_{number}.csv", str(number))
    world.run(0.9)
    asked = []
    for _ in range(5):
        world.run(0.1)
        asked.append(len(world.queue.names()))
    assert {0, 2, 4, 5} >= {*asked} >= {2, 4, 5}


def test_a_closed_file_is_asked_after_a_fifth_of_a_second(world: World) -> None:
    world.run(0.1)
    world.write("resume_agent_a.csv", "x", Hint.CLOSED)
    world.run(0.2)
    assert world.queue.names() == []
    world.run(0.2)
    assert world.queue.names() == ["resume_agent_a"]


def test_new_content_is_asked_and_the_answer_to_the_old_one_is_nothing(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    old = world.queue.asked[0][0]
    world.write("resume_agent_a.csv", "xy", Hint.CLOSED)
    world.run(0.5)
    new = world.queue.asked[1][0]
    assert new.key != old.key
    world.queue.asked = [(old, False)]
    world.queue.work()
    world.run(0.5)
    assert world.watcher.settled == {}
    world.queue.asked = [(new, False)]
    world.queue.work()
    world.run(0.5)
    assert world.watcher.reconciler.key("resume_agent_a") == new.key


@pytest.mark.parametrize(
    ("took", "rest"),
    [
        pytest.param(0.0, 30, id="free"),
        pytest.param(0.07, 30, id="cheap"),
        pytest.param(0.1, 40, id="files-and-reports-200-times"),
        pytest.param(5.0, 60, id="never-longer-than-a-monitor-waits"),
    ],
)
def test_scans_rest_as_long_as_they_cost(
    world: World, monkeypatch: pytest.MonkeyPatch, took: float, rest: float
) -> None:
    """took: CPU seconds of listing the folder, and again of looking at the reports."""
    clock = itertools.count()
    monkeypatch.setattr(time, "thread_time", lambda: next(clock) * took)
    scans: list[float] = []
    for _ in range(1300):
        before = world.files.scans
        world.run(0.1)
        if world.files.scans > before:
            scans.append(world.now)
    assert [round(later - earlier) for earlier, later in itertools.pairwise(scans)][:2] == [rest, rest]


def test_a_touched_file_is_not_asked_again(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    world.write("resume_agent_a.csv", "x", Hint.CLOSED)
    world.run(3.0)
    assert world.queue.asked == []
    assert world.watcher.is_drained()


def test_a_folder_waits_until_it_is_quiet_as_a_whole(world: World) -> None:
    world.run(0.1)
    world.write("방/resume_agent_1.csv", "1", Hint.CLOSED)
    world.run(3.0)
    world.write("방/resume_agent_2.csv", "2", Hint.CLOSED)
    world.run(4.8)
    assert world.queue.names() == []
    world.run(0.5)
    [(request, _)] = world.queue.asked
    assert (request.set_name, [entry.name for entry in request.inputs]) == (
        "방/resume-agent",
        ["resume_agent_1.csv", "resume_agent_2.csv"],
    )


def test_an_unclaimed_file_is_listed_and_asks_nothing(world: World) -> None:
    world.write("notes.csv", "x")
    world.run(3.5)
    assert world.watcher.snapshot().unclaimed == ("notes.csv",)
    assert world.indexed[-1] == ("notes.csv",)
    assert world.queue.asked == []
    assert world.watcher.is_drained()


def test_files_of_other_kinds_are_listed_and_nothing_waits_for_them(world: World) -> None:
    world.write("resume_agent_a.xls", "x", Hint.CLOSED)
    world.write("방/b.zip", "")
    world.write("notes.csv", "x")
    world.run(3.5)
    listed: tuple[str, ...] = ("notes.csv", "resume_agent_a.xls", "방/b.zip")
    assert world.watcher.snapshot().unclaimed == listed
    assert world.indexed[-1] == listed
    assert world.watcher.snapshot().sets == 0
    assert world.queue.asked == []
    assert world.watcher.is_drained()
    (world.root / "방/b.zip").unlink()
    world.run(33.0)
    assert world.indexed[-1] == listed[:2]
    written = len(world.indexed)
    world.run(60.0)
    assert len(world.indexed) == written


def test_files_of_other_kinds_are_no_content_of_an_emptied_folder(world: World) -> None:
    for name in ("a", "b"):
        world.write(f"resume_agent_{name}.csv", name)
    world.write("readme.txt", "x")
    world.run(3.5)
    for path in world.root.glob("*.csv"):
        path.unlink()
    world.run(65.0)
    assert world.watcher.snapshot().degraded == "watch:empty"


def test_a_snapshot_names_some_of_many_files_that_are_not_scored(world: World) -> None:
    for number in range(UNCLAIMED_NAMED + 2):
        (world.root / f"{number:04}.txt").touch()
    world.run(3.0)
    snapshot = world.watcher.snapshot()
    assert snapshot.unclaimed[-1] == f"{UNCLAIMED_NAMED - 1:04}.txt"
    assert (len(snapshot.unclaimed), snapshot.unclaimed_count) == (UNCLAIMED_NAMED, UNCLAIMED_NAMED + 2)
    assert len(world.indexed[-1]) == UNCLAIMED_NAMED + 2


def test_a_file_that_two_documents_claim_is_refused_and_blocks_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = shipped_rubrics()
    both = replace(ours[0], profile="other", files=("resume_agent_b*.csv",))
    monkeypatch.setattr("tests.watcher.world.shipped_rubrics", lambda: (*ours, both))
    world = World(tmp_path)
    world.write("resume_agent_a.csv", "x")
    world.write("resume_agent_b.csv", "y")
    world.write("방/resume_agent_b.csv", "y")
    (world.root / "resume_agent_b_link.csv").symlink_to(__file__)
    world.run(8.0)
    assert world.queue.names() == ["resume_agent_a"]
    world.queue.work()
    world.run(1.0)
    assert world.watcher.is_drained()
    settled = {name: entry.state for name, entry in world.watcher.settled.items()}
    refused = ("resume_agent_b", "resume_agent_b_link", "방/resume_agent_b")
    assert settled == dict.fromkeys(("resume_agent_a", *refused), State.PROBLEM)
    told = (world.out / "방/resume_agent_b/problem.md").read_text()
    assert "rubric-claimed-twice" in told
    assert "other" in told
    assert "resume-agent" in told


def test_a_status_that_could_not_be_read_for_a_while_settles_its_set(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    with monkeypatch.context() as patch:
        patch.setattr(STATUS, "read", lambda _: None)
        world.run(1.0)
    assert world.watcher.settled == {}
    world.run(1.0)
    assert set(world.watcher.settled) == {"resume_agent_a"}


def test_a_removed_file_is_dropped_after_two_scans(world: World) -> None:
    for name in ("a", "b"):
        world.write(f"resume_agent_{name}.csv", name)
    world.run(1.5)
    world.queue.work()
    world.run(1.0)
    (world.root / "resume_agent_a.csv").unlink()
    world.run(31.0)
    assert set(world.watcher.settled) == {"resume_agent_a", "resume_agent_b"}
    world.run(31.0)
    assert set(world.watcher.settled) == {"resume_agent_b"}
    assert (world.out / "resume_agent_a/problem.md").exists()  # its report stays


def test_one_file_less_is_another_set_to_report(world: World) -> None:
    for number in (1, 2):
        world.write(f"방/resume_agent_{number}.csv", str(number))
    world.run(7.0)
    world.queue.work()
    world.run(1.0)
    (world.root / "방/resume_agent_1.csv").unlink()
    world.events.hints[str(world.root / "방/resume_agent_1.csv")] = Hint.SEEN
    world.run(7.0)
    [(request, _)] = world.queue.asked
    assert [entry.name for entry in request.inputs] == ["resume_agent_2.csv"]


def test_a_folder_that_is_empty_at_once_removes_nothing(world: World) -> None:
    for name in ("a", "b"):
        world.write(f"resume_agent_{name}.csv", name)
    world.run(1.5)
    world.queue.work()
    world.run(1.0)
    world.root.rename(world.root.with_name("gone"))
    world.run(100.0)
    assert len(world.watcher.settled) == 2
    assert world.watcher.snapshot().degraded.startswith("watch:")
    world.root.with_name("gone").rename(world.root)
    world.run(31.0)
    assert world.watcher.snapshot().degraded == ""
    assert world.queue.asked == []


def test_a_watcher_that_stands_by_sees_all_and_does_nothing(world: World) -> None:
    world.watcher.is_leading = False
    world.write("resume_agent_a.csv", "x")
    world.write("Resume_agent_A.csv", "y")
    world.write("resume_agent_b.csv", "y")
    world.run(3.0)
    assert world.queue.asked == []
    assert not world.out.exists()
    assert world.indexed == []
    assert not world.watcher.is_drained()
    world.watcher.is_leading = True
    world.run(2.1)
    assert world.queue.names() == ["resume_agent_b"]
    world.watcher.is_leading = False
    world.queue.work()
    world.run(2.1)
    assert world.watcher.is_drained()
    assert len(world.watcher.settled) == 2


def test_names_that_clash_are_settled_as_a_problem_naming_both(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.write("Resume_agent_A.csv", "y")
    world.run(3.0)
    assert world.queue.asked == []
    assert world.watcher.is_drained()
    [entry] = world.watcher.settled.values()
    assert entry.state is State.PROBLEM
    [name] = world.watcher.settled
    text = (world.out / name / "problem.md").read_text()
    assert "Resume_agent_A.csv" in text
    assert "resume_agent_a.csv" in text
    (world.root / "Resume_agent_A.csv").unlink()
    world.events.hints[str(world.root / "Resume_agent_A.csv")] = Hint.SEEN
    world.run(3.0)
    assert world.queue.names() == ["resume_agent_a"]


def test_files_that_no_event_announced_are_counted(world: World) -> None:
    world.run(1.0)
    world.write("resume_agent_a.csv", "x")
    world.run(65.0)
    world.write("resume_agent_b.csv", "x", Hint.CLOSED)
    world.run(65.0)
    assert sum(world.events.missed) == 1
