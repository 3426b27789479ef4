"""Reading what stands still: how often a file is tried, and what is remembered of it."""

import os
import time

import pytest

from tests.watcher.world import World
from watcher import content_hashes, folder
from watcher import inputs as files
from watcher.content_hashes import Hashes
from watcher.settle import Hint, Stat

NAME = "resume_agent_a.csv"


def test_overdue_file_is_tried_once_however_long_others_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    world.write(NAME, "x")
    monkeypatch.setattr(Hashes, "read", refuse)
    world.run(1.5)
    assert world.files.unreadable[NAME].tries == 1
    with monkeypatch.context() as patch:
        patch.setattr(files, "READ_SECONDS", 0.0)  # spent on others
        world.run(10.0)
        assert world.files.settling_count == 1
    world.run(0.1)
    assert world.files.unreadable[NAME].tries == 2


def test_file_that_changed_while_it_waited_to_be_read_is_read_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "READ_SECONDS", 0.0)
        for text in ("x", "xy", "xyz"):
            world.write(NAME, text, Hint.CLOSED)
            world.run(1.5)
        assert world.files.settling_count == 1
    world.run(0.1)
    assert world.files.settling_count == 0
    assert world.files.content[NAME].stat.size == 3


def test_names_heard_of_are_forgotten_after_the_second_scan(world: World) -> None:
    world.write("resume_agent_old.csv", "x")
    world.run(1.5)
    world.write(NAME, "x", Hint.CLOSED)
    world.run(0.5)
    assert set(world.files.content) == {"resume_agent_old.csv", NAME}
    assert world.files.fresh == {NAME}
    world.run(32.0)
    world.write("resume_agent_b.csv", "x", Hint.CLOSED)
    world.run(1.0)
    assert "resume_agent_b.csv" in world.files.fresh
    assert world.files._announced == set()


def test_what_is_left_to_read_is_due_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "READ_SECONDS", 0.0)
        world.write(NAME, "x", Hint.CLOSED)
        world.run(1.5)
        assert world.files.next_due() < world.now
    world.run(0.1)
    assert world.files.next_due() > world.now


def rewrite_in_place(world: World, path: str, text: str) -> None:
    """Other content of the same size, with the times set back: `tar --overwrite`, `rsync --inplace --times`."""
    full = world.root / path
    before = full.stat()
    with full.open("r+") as stream:
        stream.write(text)
    os.utime(full, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = full.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)


def without_ctime(found: os.stat_result) -> Stat:
    """As on a mount whose clock shows nothing of a change."""
    return Stat.of(found.st_size, found.st_mtime_ns, 0, found.st_ino, found.st_dev)


def test_other_content_with_its_times_set_back_is_found_by_the_next_scan(world: World) -> None:
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    world.queue.work()
    world.run(1.0)
    rewrite_in_place(world, "resume_agent_a.csv", "y")
    world.run(32.0)
    assert world.queue.names() == ["resume_agent_a"]


def test_what_a_worker_finds_changed_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "stat_of", without_ctime)
    monkeypatch.setattr(content_hashes, "stat_of", without_ctime)
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    rewrite_in_place(world, "resume_agent_a.csv", "y")
    (first, _), *_ = world.queue.asked
    world.queue.asked.clear()
    world.queue.troubles["resume_agent_a"] = "changed: resume_agent_a.csv"
    world.run(0.5)
    world.queue.troubles.clear()
    world.run(5.0)
    (second, _), *_ = world.queue.asked
    assert second.key != first.key
    world.queue.work()
    world.run(1.0)
    assert world.watcher.is_drained()


def test_a_file_read_within_one_tick_of_a_coarse_clock_is_read_once_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "stat_of", without_ctime)
    monkeypatch.setattr(content_hashes, "stat_of", without_ctime)
    world.hashes._now_ns = lambda: 1_600_000_000_000_000_000  # the files are younger
    world.write("resume_agent_a.csv", "x")
    world.run(1.5)
    assert world.queue.names() == ["resume_agent_a"]
    world.queue.work()
    rewrite_in_place(world, "resume_agent_a.csv", "y")
    world.hashes._now_ns = time.time_ns
    world.run(3.5)
    assert world.queue.names() == ["resume_agent_a"], "before any scan"
    reads = []
    monkeypatch.setattr(Hashes, "read", lambda *_: reads.append(1))
    world.run(20.0)
    assert not reads


def test_what_an_earlier_run_has_read_is_settled_by_the_first_scan(world: World) -> None:
    world.write(NAME, "x")
    world.write("resume_agent_b.csv", "x")
    world.run(1.5)
    world.hashes.save()
    world.start()
    world.write("resume_agent_b.csv", "changed meanwhile")
    world.run(0.1)
    assert set(world.files.content) == {NAME}
    assert not world.files.fresh
    world.run(1.5)
    assert set(world.files.content) == {NAME, "resume_agent_b.csv"}


def test_what_had_an_event_settles_even_if_an_earlier_run_has_read_it(world: World) -> None:
    world.write(NAME, "x")
    world.run(1.5)
    world.hashes.save()
    world.start()
    world.events.hints[str(world.root / NAME)] = Hint.MODIFIED
    world.run(0.1)
    assert world.files.settling_count == 1


def test_what_came_while_nobody_watched_goes_before_what_an_earlier_watcher_has_read(world: World) -> None:
    world.write("resume_agent_old.csv", "x")
    world.run(1.5)
    assert not world.files.fresh
    world.hashes.save()
    world.start()
    world.write(NAME, "x")
    world.run(1.5)
    assert world.files.fresh == {NAME}
