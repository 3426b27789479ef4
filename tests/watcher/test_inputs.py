"""Reading what stands still: how often a file is tried, and what is remembered of it."""

from __future__ import annotations

import pytest

from tests.watcher.world import World
from watcher import inputs as files
from watcher.content_hashes import Hashes
from watcher.settle import Hint

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
    assert {path: content.fresh for path, content in world.files.content.items()} == {
        "resume_agent_old.csv": False,
        NAME: True,
    }
    world.run(32.0)
    world.write("resume_agent_b.csv", "x", Hint.CLOSED)
    world.run(1.0)
    assert world.files.content["resume_agent_b.csv"].fresh
    assert world.files._announced == set()


def test_what_is_left_to_read_is_due_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "READ_SECONDS", 0.0)
        world.write(NAME, "x", Hint.CLOSED)
        world.run(1.5)
        assert world.files.next_due() < world.now
    world.run(0.1)
    assert world.files.next_due() > world.now
