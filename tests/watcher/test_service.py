"""The watcher's loop over a real folder, with a clock, events and workers that the test moves by hand."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from config.rubric_store import claiming, shipped_rubrics
from reporting.publish import publish_problem
from reporting.sources import read_sources
from reporting.status_json import State
from scoring.problems import Problem, Severity, TransientError
from watcher.files import InputFiles
from watcher.hashing import Hashes
from watcher.plans import Planner, Request
from watcher.reconcile import AskPolicy, Reconciler
from watcher.scan import InputFolder
from watcher.service import Watcher
from watcher.settle import Hint, SettlePolicy

POLICY = AskPolicy()


class Events:
    """Hints that the test gives."""

    is_polling = False

    def __init__(self) -> None:
        self.hints: dict[str, Hint] = {}
        self.missed: list[int] = []

    def drain(self) -> dict[str, Hint]:
        hints, self.hints = self.hints, {}
        return hints

    def check(self) -> bool:
        return False

    def report_scan(self, *, missed: int) -> bool:
        self.missed.append(missed)
        return False


class Queue:
    """Workers that work when the test says so; what they publish is a problem, which settles as well as a report."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.asked: list[tuple[Request, bool]] = []
        self.troubles: dict[str, str] = {}
        self.is_down = False

    def submit(self, requests: Sequence[Request], *, again: bool) -> None:
        if self.is_down:
            raise TransientError("down")
        self.asked += ((request, again) for request in requests)

    def depth(self) -> int:
        return len(self.asked)

    def has_troubles(self) -> bool:
        return bool(self.troubles)

    def trouble(self, set_name: str, key: str) -> str | None:
        del key
        return self.troubles.get(set_name)

    def close(self, set_name: str, key: str) -> None:
        del key
        self.troubles.pop(set_name, None)

    def names(self) -> list[str]:
        return [request.set_name for request, _ in self.asked]

    def work(self) -> None:
        """Do everything that was asked."""
        for request, _ in self.asked:
            publish_problem(
                [Problem(code="header-only", severity=Severity.REFUSED)],
                inputs=[(entry.name, entry.sha256) for entry in request.inputs],
                set_name=request.set_name,
                key=request.key,
                out=self.out,
                profile=request.rubric.profile,
                rubric_digest=request.rubric.digest,
            )
        self.asked.clear()


class World:
    """A watched folder, an output folder and a watcher between them. Files get old times: nothing is young."""

    def __init__(self, home: Path) -> None:
        self.root, self.out = home / "in", home / "out"
        self.root.mkdir(parents=True)
        self.queue = Queue(self.out)
        self.now = 1000.0
        self.version = 0
        self.indexed: list[tuple[str, ...]] = []
        self.start()

    def start(self) -> None:
        """A new watcher that remembers nothing."""
        self.events = Events()
        files = self.files = InputFiles(
            InputFolder(self.root, out=self.out),
            self.events,
            Hashes(self.root.with_name("hashes"), str(self.root)),
            SettlePolicy(),
            rescan_seconds=30.0,
            backoff=POLICY.backoff,
        )
        planner = Planner(lambda name: claiming(name, shipped_rubrics()), language="ko", set_quiet_seconds=5.0)
        self.watcher = Watcher(
            files, planner, Reconciler(POLICY), self.queue, out=self.out, write_index=self._write_index
        )

    def write(self, path: str, text: str, *hints: Hint) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
        self.version += 1
        os.utime(full, (1_600_000_000 + self.version,) * 2)
        for hint in hints:
            self.events.hints[str(full)] = hint

    def run(self, seconds: float) -> None:
        """Let time pass in steps of a tenth, as long as the loop would wait."""
        for _ in range(round(seconds * 10)):
            self.watcher.step(self.now)
            self.now += 0.1

    def _write_index(self, *, unclaimed: Sequence[str]) -> None:
        self.indexed.append(tuple(unclaimed))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


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
    assert world.watcher.settled["resume_agent_a"].key == new.key


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


def test_outputs_that_are_removed_are_asked_for_again(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    world.run(1.0)
    shutil.rmtree(world.out / "resume_agent_a")
    world.run(31.0)
    assert world.queue.names() == ["resume_agent_a"]


def test_an_ask_that_cannot_be_sent_is_sent_when_the_broker_is_back(world: World) -> None:
    world.queue.is_down = True
    world.write("resume_agent_a.csv", "x")
    world.run(10.0)
    world.queue.is_down = False
    world.run(3.0)
    assert [(request.set_name, again) for request, again in world.queue.asked] == [("resume_agent_a", False)]


def test_a_lost_ask_is_repeated_and_asks_for_all_in_one(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.asked.clear()
    world.run(4.0)
    assert [(request.set_name, again) for request, again in world.queue.asked] == [("resume_agent_a", True)]


def test_a_passing_fault_is_told_and_does_not_hold_a_drain_for_ever(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    for _ in range(3):
        assert not world.watcher.is_drained()
        world.queue.asked.clear()
        world.queue.troubles["resume_agent_a"] = "storage: full"
        world.run(0.5)
        world.queue.troubles.clear()
        assert world.watcher.snapshot().troubles == {"resume_agent_a": "storage: full"}
        if not world.watcher.is_drained():
            world.run(9.0)
    assert world.watcher.is_drained()
    world.run(20.0)
    world.queue.work()
    world.run(1.0)
    assert world.watcher.snapshot().troubles == {}
    assert world.watcher.is_drained()


def test_an_unreadable_file_is_tried_again_and_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    world.write("resume_agent_a.csv", "x")
    with monkeypatch.context() as patch:
        patch.setattr(Hashes, "read", refuse)
        world.run(20.0)
        assert world.watcher.snapshot().troubles == {"resume_agent_a.csv": "Permission denied"}
        assert world.queue.asked == []
        assert world.watcher.is_drained()
    world.run(20.0)
    assert world.queue.names() == ["resume_agent_a"]


def marks(world: World) -> dict[str, tuple[str, str]]:
    return {name: (mark.state.value, mark.other) for name, mark in read_sources(world.out).items()}


def settle(world: World, *names: str) -> None:
    for name in names:
        world.write(f"resume_agent_{name}.csv", name)
    world.run(1.5)
    world.queue.work()
    world.run(3.0)


def test_a_removed_source_is_marked_after_two_scans_and_its_report_stays(world: World) -> None:
    settle(world, "a", "b")
    gone = world.root / "resume_agent_a.csv"
    report = {path: path.read_bytes() for path in (world.out / "resume_agent_a").iterdir()}
    gone.unlink()
    world.events.hints[str(gone)] = Hint.SEEN
    world.run(31.0)
    assert marks(world) == {}
    world.run(31.0)
    assert marks(world) == {"resume_agent_a": ("removed", "")}
    assert {path: path.read_bytes() for path in (world.out / "resume_agent_a").iterdir()} == report
    world.write("resume_agent_a.csv", "again", Hint.CLOSED)
    world.run(3.0)
    assert marks(world) == {}


def test_a_renamed_file_is_a_new_set_and_the_old_one_says_so(world: World) -> None:
    settle(world, "a", "b")
    old, new = world.root / "resume_agent_a.csv", world.root / "resume_agent_c.csv"
    old.rename(new)
    world.events.hints |= {str(old): Hint.SEEN, str(new): Hint.CLOSED}
    world.run(1.5)
    world.queue.work()
    world.run(61.0)
    assert marks(world) == {"resume_agent_a": ("renamed", "resume_agent_c")}
    world.write("resume_agent_c.csv", "other", Hint.CLOSED)
    world.run(35.0)
    assert marks(world) == {"resume_agent_a": ("renamed", "resume_agent_c")}


def test_an_older_file_of_the_same_content_is_no_new_name(world: World) -> None:
    settle(world, "b", "c")
    world.write("resume_agent_a.csv", "b", Hint.CLOSED)
    settle(world)
    old = world.root / "resume_agent_b.csv"
    old.write_text("edited just before it went")  # so that it was no copy any more when it was last seen
    world.events.hints[str(old)] = Hint.CLOSED
    world.run(1.0)
    world.queue.asked.clear()
    old.unlink()
    world.events.hints[str(old)] = Hint.SEEN
    world.run(65.0)
    assert marks(world) == {"resume_agent_b": ("removed", "")}


def test_an_older_file_that_takes_the_content_over_is_no_new_name(world: World) -> None:
    settle(world, "a", "b")
    old, other = world.root / "resume_agent_a.csv", world.root / "resume_agent_b.csv"
    other.write_bytes(old.read_bytes())
    old.unlink()
    world.events.hints |= {str(old): Hint.SEEN, str(other): Hint.CLOSED}
    settle(world)
    world.run(65.0)
    assert marks(world) == {"resume_agent_a": ("removed", "")}


def test_a_rename_that_no_event_told_of_is_found_by_the_scans(world: World) -> None:
    settle(world, "a", "b")
    world.run(30.0)
    (world.root / "resume_agent_a.csv").rename(world.root / "resume_agent_c.csv")
    world.run(35.0)
    world.queue.work()
    world.run(65.0)
    assert marks(world) == {"resume_agent_a": ("renamed", "resume_agent_c")}


@pytest.mark.parametrize("were_copies_marked", [True, False])
def test_a_restart_takes_no_older_file_for_a_new_name(world: World, tmp_path: Path, were_copies_marked: bool) -> None:
    settle(world, "a", "b")
    world.write("resume_agent_c.csv", "a", Hint.CLOSED)
    settle(world)
    assert marks(world) == {"resume_agent_c": ("duplicate", "resume_agent_a")}
    again = World(tmp_path / "again")
    shutil.copytree(world.out, again.out)
    if not were_copies_marked:
        (again.out / ".scorewatch" / "sources.json").unlink()
    again.write("resume_agent_b.csv", "b")
    again.write("resume_agent_c.csv", "a")
    again.run(65.0)
    assert marks(again) == {"resume_agent_a": ("removed", "")}


def test_a_rename_while_nobody_watched_is_told(world: World, tmp_path: Path) -> None:
    settle(world, "a", "b")
    again = World(tmp_path / "again")
    shutil.copytree(world.out, again.out)
    again.write("resume_agent_b.csv", "b")
    again.write("resume_agent_c.csv", "a")
    settle(again)
    again.run(65.0)
    assert marks(again) == {"resume_agent_a": ("renamed", "resume_agent_c")}


def test_a_watcher_that_stood_by_knows_what_was_there(world: World) -> None:
    settle(world, "a", "b")
    second = World.__new__(World)
    second.__dict__ |= world.__dict__
    second.start()
    second.watcher.is_leading = False
    second.run(5.0)
    world.write("resume_agent_c.csv", "a", Hint.CLOSED)
    second.events.hints |= world.events.hints
    settle(world)
    second.run(5.0)
    assert marks(world) == {"resume_agent_c": ("duplicate", "resume_agent_a")}
    (world.root / "resume_agent_a.csv").unlink()
    second.run(35.0)
    second.watcher.is_leading = True
    second.run(65.0)
    assert marks(world) == {"resume_agent_a": ("removed", "")}


def test_the_same_content_twice_is_reported_twice_and_noted_once(world: World) -> None:
    settle(world, "b", "c")
    world.write("resume_agent_a.csv", "b", Hint.CLOSED)
    world.run(1.5)
    assert world.queue.names() == ["resume_agent_a"]
    world.queue.work()
    world.run(70.0)
    assert marks(world) == {"resume_agent_a": ("duplicate", "resume_agent_b")}  # who was there first stays what it is
    assert world.queue.asked == []
    assert set(world.watcher.settled) == {"resume_agent_a", "resume_agent_b", "resume_agent_c"}
    (world.root / "resume_agent_a.csv").unlink()
    world.run(100.0)
    assert marks(world) == {"resume_agent_a": ("removed", "")}  # the other one is no new name of it


def test_a_set_that_is_removed_before_anybody_saw_it_settle_is_marked_too(world: World) -> None:
    settle(world, "a", "b")
    world.write("resume_agent_c.csv", "c", Hint.CLOSED)
    world.run(0.5)
    world.queue.work()
    (world.root / "resume_agent_c.csv").unlink()
    world.events.hints[str(world.root / "resume_agent_c.csv")] = Hint.SEEN
    world.run(65.0)
    assert marks(world) == {"resume_agent_c": ("removed", "")}


def test_two_empty_files_are_no_copies_of_each_other(world: World) -> None:
    for name in "ab":
        world.write(f"resume_agent_{name}.csv", "")
    world.run(65.0)
    world.queue.work()
    world.run(5.0)
    assert len(world.watcher.settled) == 2
    assert marks(world) == {}


def test_reports_of_an_earlier_watcher_are_marked_too(world: World, tmp_path: Path) -> None:
    settle(world, "a", "b")
    again = World(tmp_path / "again")
    shutil.copytree(world.out, again.out)
    again.write("resume_agent_b.csv", "b")
    again.run(25.0)
    assert marks(again) == {}
    again.run(10.0)
    assert marks(again) == {"resume_agent_a": ("removed", "")}


def test_nothing_is_marked_while_the_whole_folder_is_empty(world: World, tmp_path: Path) -> None:
    settle(world, "a", "b")
    for path in list(world.root.iterdir()):
        path.unlink()
        world.events.hints[str(path)] = Hint.SEEN
    world.run(100.0)
    assert marks(world) == {}
    assert world.watcher.snapshot().degraded == "watch:empty"
    again = World(tmp_path / "again")
    shutil.copytree(world.out, again.out)
    again.run(100.0)
    assert marks(again) == {}


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
