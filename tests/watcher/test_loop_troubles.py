"""The watcher's loop when something is in its way: outputs gone or not writable, a queue that is down, lost asks."""

import errno
import os
import shutil

import pytest
import structlog

from reporting.store import read_sources, read_unread
from tests.watcher.world import World
from watcher.content_hashes import Hashes
from watcher.folder import InputFolder
from watcher.settle import Hint


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


def test_an_output_folder_that_cannot_be_written_is_told_apart_from_the_queue(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.queue.full = OSError(errno.EROFS, "Read-only file system", str(world.out / ".scorewatch/tmp/1-ab"))
    with structlog.testing.capture_logs() as logs:
        world.run(10.0)
    assert world.watcher.snapshot().unwritable == f"Read-only file system: {world.out}"
    events = {entry["event"]: entry.get("reason") for entry in logs if entry["log_level"] == "warning"}
    assert events.keys() == {"reports not writable", "index not written"}
    assert events["reports not writable"] == f"Read-only file system: {world.out}"
    world.queue.full = None
    world.run(3.0)
    assert world.queue.names() == ["resume_agent_a"]
    assert world.watcher.snapshot().unwritable == ""


def test_an_output_folder_that_stays_unwritable_does_not_hold_a_drain_for_ever(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.queue.full = OSError(errno.ENOSPC, "No space left on device")
    world.run(2.0)
    assert not world.watcher.is_drained()
    world.run(8.0)
    assert world.watcher.is_drained()
    world.queue.full = None
    world.run(3.0)
    assert not world.watcher.is_drained()


def test_a_plan_that_nobody_wants_any_more_leaves_the_folder_writable(world: World) -> None:
    for name in ("a", "b"):
        world.write(f"resume_agent_{name}.csv", name)
    world.run(1.5)
    world.queue.work()
    world.run(3.0)
    world.queue.full = OSError(errno.ENOSPC, "No space left on device")
    world.write("resume_agent_c.csv", "c", Hint.CLOSED)
    world.run(3.0)
    assert world.watcher.snapshot().unwritable == f"No space left on device: {world.out}"
    (world.root / "resume_agent_c.csv").unlink()
    world.events.hints[str(world.root / "resume_agent_c.csv")] = Hint.SEEN
    world.queue.full = None
    world.run(5.0)
    assert world.watcher.snapshot().unwritable == ""


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


def test_names_that_are_no_text_are_told_as_people_see_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    world.write("\udcb0\udca1.csv", "x")
    world.run(3.0)
    monkeypatch.setattr(Hashes, "read", refuse)
    world.write("resume_agent_\udcb0\udca1\udcff.csv", "x")
    world.events.hints[str(world.root / "resume_agent_\udcb0\udca1\udcff.csv")] = Hint.CLOSED
    world.run(20.0)
    snapshot = world.watcher.snapshot()
    assert snapshot.unclaimed == ("가.csv",)
    assert snapshot.troubles == {"resume_agent_%B0%A1%FF.csv": "Permission denied"}
    assert world.indexed[-1] == ("가.csv",)
    assert world.watcher.is_drained()


def test_a_folder_that_cannot_be_listed_is_named_until_it_can(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("/closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    world.write("resume_agent_a.csv", "x")
    world.write("closed/resume_agent_b.csv", "x")
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        world.run(3.0)
        snapshot = world.watcher.snapshot()
        assert snapshot.unread == snapshot.troubles == {"closed": "Permission denied"}
        assert read_unread(world.out) == {"closed": "Permission denied"}
        world.queue.work()
        world.run(1.0)
        assert world.watcher.is_drained()
    world.run(60.0)
    assert world.watcher.snapshot().unread == read_unread(world.out) == {}
    assert world.queue.names() == ["closed/resume-agent"]


def test_a_file_that_cannot_be_looked_at_is_named_and_its_report_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder that may be listed and not entered (`r--`)."""

    class Closed:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path = entry.name, entry.path

        def is_file(self, *, follow_symlinks: bool = True) -> bool:
            return follow_symlinks or True

        def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
            raise PermissionError(13, "Permission denied", self.path, follow_symlinks)

    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    world.run(1.0)
    real = InputFolder._entries
    with monkeypatch.context() as patch:
        patch.setattr(InputFolder, "_entries", lambda folder, name: list(map(Closed, real(folder, name))))
        world.run(100.0)
        assert world.watcher.snapshot().unread == {"resume_agent_a.csv": "Permission denied"}
        assert read_sources(world.out) == {}
    world.run(31.0)
    assert world.watcher.snapshot().unread == {}


def test_what_has_the_name_of_an_input_and_is_no_file_is_named(world: World) -> None:
    os.mkfifo(world.root / "resume_agent_a.csv")
    (world.root / "resume_agent_b.csv").symlink_to("nowhere")
    (world.root / "notes.csv").symlink_to("nowhere")
    world.run(1.0)
    named = dict.fromkeys(["resume_agent_a.csv", "resume_agent_b.csv"], "not a regular file")
    assert world.watcher.snapshot().unread == named
    assert world.watcher.snapshot().unclaimed == ("notes.csv",)
    (world.root / "resume_agent_a.csv").unlink()
    (world.root / "resume_agent_b.csv").unlink()
    world.run(31.0)
    assert world.watcher.snapshot().unread == {}


def test_links_out_of_the_folder_that_no_rubric_claims_are_listed(world: World) -> None:
    elsewhere = world.root.parent / "elsewhere.csv"
    elsewhere.write_text("x")
    for name in ("notes.csv", "resume_agent_a.csv", "notes.txt"):
        (world.root / name).symlink_to(elsewhere)
    world.run(1.0)
    assert world.watcher.snapshot().unclaimed == ("notes.csv", "notes.txt (link)")
    assert world.indexed[-1] == ("notes.csv", "notes.txt (link)")


def test_the_other_watcher_writes_nothing_of_what_it_cannot_read(world: World) -> None:
    os.mkfifo(world.root / "resume_agent_a.csv")
    world.watcher.is_leading = False
    world.run(5.0)
    assert world.watcher.snapshot().unread
    assert read_unread(world.out) == {}
