"""The watcher's loop over files that are removed, renamed or copied: their reports stay and say so."""

import shutil
from pathlib import Path

import pytest

from reporting.store import read_sources
from tests.watcher.world import World
from watcher.settle import Hint


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


def test_a_copy_that_came_in_one_burst_with_a_file_is_no_new_name(world: World) -> None:
    settle(world, "y")
    world.write("resume_agent_z.csv", "z", Hint.CLOSED)
    world.run(0.5)  # the last look at sources for two seconds
    for name in "abc":
        world.write(f"resume_agent_{name}.csv", "x", Hint.CLOSED)
    world.run(0.5)
    world.queue.work()
    world.run(0.5)
    (world.root / "resume_agent_a.csv").unlink()
    world.events.hints[str(world.root / "resume_agent_a.csv")] = Hint.SEEN
    world.run(65.0)
    assert marks(world)["resume_agent_a"] == ("removed", "")


def test_a_copy_that_an_earlier_watcher_read_is_no_new_name(world: World, tmp_path: Path) -> None:
    settle(world, "a", "b")
    for name in "cd":
        world.write(f"resume_agent_{name}.csv", "a", Hint.CLOSED)
    world.run(1.0)  # asked for, and nobody works
    world.hashes.save()
    again = World(tmp_path / "again")
    shutil.copytree(world.out, again.out)
    shutil.copytree(world.root, again.root, dirs_exist_ok=True)
    shutil.copy(world.hashes_file, again.hashes_file)
    (again.out / ".scorewatch" / "sources.json").unlink()
    (again.root / "resume_agent_a.csv").unlink()
    again.start()
    again.run(3.0)
    again.queue.work()
    again.run(65.0)
    assert marks(again)["resume_agent_a"] == ("removed", "")


@pytest.mark.parametrize(
    ("old", "new", "others"),
    [
        pytest.param("resume_agent_a.csv", "resume_agent_c", ("resume_agent_b.tsv",), id="extension"),
        pytest.param("resume_agent_a.tsv", "resume_agent_c.tsv", ("resume_agent_b.csv",), id="other-extension"),
        pytest.param("resume_agent_x.csv", "resume_agent_y", ("a/resume_agent_b.csv",), id="top"),
        pytest.param("f/g/resume_agent_x.csv", "f/g/h-recruit", ("a/resume_agent_b.csv",), id="folder"),
    ],
)
def test_of_several_new_names_the_most_alike_is_told(world: World, old: str, new: str, others: tuple[str, ...]) -> None:
    world.write(old, "x")
    settle(world, "other")
    world.run(8.0)
    world.queue.work()
    world.run(3.0)
    full = world.root / old
    target = {"f/g/h-recruit": "f/g/h_recruit_x.csv", "resume_agent_c.tsv": "resume_agent_c.tsv"}.get(new, f"{new}.csv")
    for path in (*others, target):
        world.write(path, "x", Hint.CLOSED)
    full.unlink()
    world.events.hints[str(full)] = Hint.SEEN
    world.run(8.0)
    world.queue.work()
    world.run(65.0)
    [mark] = [mark for mark in marks(world).values() if mark[0] == "renamed"]
    assert mark == ("renamed", new)


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
