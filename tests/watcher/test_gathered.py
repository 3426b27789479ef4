"""Files that a pattern puts together: they wait as a folder does, and follow a pattern that changes."""

from pathlib import Path

from config import claiming, shipped_rubrics
from scoring.rubric import Rubric
from tests.watcher.world import World
from watcher.settle import Hint

PATTERNS = {"resume-agent": r"resume_agent_(\d{6})_r\d"}


def _claiming(name: str) -> Rubric | None:
    return claiming(name, shipped_rubrics())


def _world(home: Path) -> World:
    world = World(home)
    world.watcher.use(_claiming, PATTERNS)
    return world


def test_it_settles_after_the_quiet_time_of_a_folder(tmp_path: Path) -> None:
    world = _world(tmp_path)
    world.write("resume_agent_260301_r1.csv", "a", Hint.CLOSED)
    world.run(3)
    assert world.queue.names() == []
    world.write("resume_agent_260301_r2.csv", "b", Hint.CLOSED)
    world.write("resume_agent_x.csv", "c", Hint.CLOSED)
    world.run(3)
    assert world.queue.names() == ["resume_agent_x"]
    world.run(4)
    (plan,) = [plan for plan, _ in world.queue.asked if plan.set_name == "resume_agent_260301"]
    assert [one.name for one in plan.inputs] == ["resume_agent_260301_r1.csv", "resume_agent_260301_r2.csv"]


def test_a_pattern_that_changes_groups_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    files = ("resume_agent_260301_r1.csv", "resume_agent_260301_r2.csv", "w/resume_agent_1.csv")
    for path in files:
        world.write(path, path, Hint.CLOSED)
    world.run(10)
    apart = {"resume_agent_260301_r1", "resume_agent_260301_r2", "w/resume-agent"}
    assert set(world.watcher.planner.sets) == apart
    world.watcher.use(_claiming, PATTERNS)
    world.run(10)
    assert set(world.watcher.planner.sets) == {"resume_agent_260301", "w/resume-agent"}
    (world.root / files[0]).unlink()
    world.run(70)
    assert world.watcher.planner.sets["resume_agent_260301"].inputs == (files[1],)
    world.watcher.use(_claiming)
    world.run(10)
    assert set(world.watcher.planner.sets) == {"resume_agent_260301_r2", "w/resume-agent"}


def test_a_folder_of_the_name_that_comes_later_is_a_clash(tmp_path: Path) -> None:
    world = _world(tmp_path)
    world.write("resume_agent_260301_r1.csv", "a", Hint.CLOSED)
    world.run(10)
    world.write("resume_agent_260301/resume_agent_2.csv", "b", Hint.CLOSED)
    world.run(10)
    assert world.watcher.planner.sets == {}
    assert [clash.name for clash in world.watcher.planner.clashes] == ["resume_agent_260301"]
