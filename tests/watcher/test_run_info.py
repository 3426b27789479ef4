"""Files that say what a run was: no inputs, and what they say stands beside the report."""

import json
from pathlib import Path

import pytest

from tests.watcher.world import World
from watcher.settle import Hint

SET = "resume_agent_a"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write(f"{SET}.csv", "a", Hint.CLOSED)
    world.run(3)
    world.queue.work()
    world.run(3)
    return world


def _said(world: World, name: str = SET) -> object:
    path = world.out / name / "run.json"
    return json.loads(path.read_text())["info"] if path.exists() else None


def test_it_is_kept_changed_and_taken_back_without_a_new_report(world: World) -> None:
    for text in ('prompt = "v3"', 'prompt = "v4"'):
        world.watcher.retold.clear()
        world.write(f"{SET}.csv.run.toml", text, Hint.CLOSED)
        world.run(3)
        assert _said(world) == {"prompt": text[-3:-1]}
        assert world.watcher.retold == {SET}
    (world.root / f"{SET}.csv.run.toml").unlink()
    world.run(70)
    assert _said(world) is None
    assert world.queue.asked == []
    assert world.watcher.planner.unclaimed == ()


def test_a_folder_is_told_of_whenever_its_files_come(world: World) -> None:
    world.write("w/run.toml", 'name = "x"', Hint.CLOSED)
    world.run(3)
    assert world.watcher.snapshot().unclaimed == ("w/run.toml",)
    world.write("w/resume_agent_1.csv", "b", Hint.CLOSED)
    world.run(10)
    world.queue.work()
    world.run(3)
    assert _said(world, "w/resume-agent") == {"name": "x"}
    assert world.watcher.snapshot().unclaimed == ()
    world.start()
    world.run(3)
    assert world.watcher.retold == set()
    assert _said(world, "w/resume-agent") == {"name": "x"}
