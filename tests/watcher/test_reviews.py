"""Files with grades of people: no sets, whatever they are called, and their sets are asked for again."""

from pathlib import Path

import pytest

from scoring.review import ItemKey, Sample
from scoring.sets import Plan
from tests.watcher.world import World
from watcher import reviews
from watcher.folder import InputFolder
from watcher.reviews import ReviewFiles
from watcher.settle import Hint

SET = "resume_agent_a"


def _review(*grades: str, set_name: str = SET) -> str:
    keys = [
        ItemKey("resume-agent", set_name, f"Q{at}", "1/1", 1, "intent", Sample.RANDOM, "0" * 16)
        for at in range(len(grades))
    ]
    rows = [f"김,{grade},{key}" for key, grade in zip(keys, grades, strict=True)]
    return "\n".join(["검수자,검수 점수,scorewatch-key", *rows, ""])


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    files = ReviewFiles(InputFolder(world.root, out=world.out), world.out)
    world.watcher.planner._reviews = files
    world.write(f"{SET}.csv", "a", Hint.CLOSED)
    world.run(3)
    return world


def _asked(world: World) -> Plan:
    """The plan of the set that is asked for last."""
    world.run(3)
    (plan,) = {plan for plan, _ in world.queue.asked if plan.set_name == SET}
    world.queue.work()
    world.run(3)
    return plan


def test_grades_are_planned_and_taken_back(world: World) -> None:
    before = _asked(world)
    assert before.grades == ()
    world.write("resume_agent_review.csv", _review("3", "", "5"), Hint.CLOSED)
    graded = _asked(world)
    assert [(one.grade, one.file) for one in graded.grades] == [
        ("3", "resume_agent_review.csv"),
        ("5", "resume_agent_review.csv"),
    ]
    assert graded.key != before.key
    assert set(world.watcher.planner.sets) == {SET}
    assert world.watcher.planner.unclaimed == ()
    (world.root / "resume_agent_review.csv").unlink()
    world.run(70)
    assert _asked(world).key == before.key


def test_only_grades_that_fit_the_report_are_planned(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _asked(world)
    monkeypatch.setattr(reviews, "item_places", lambda _: [(f"Q{at}", "1/1", f"{at}" * 16) for at in range(2)])
    world.write("back.csv", _review("3", "5", "7"), Hint.CLOSED)
    graded = _asked(world)
    assert [one.grade for one in graded.grades] == ["3"]
    files = world.watcher.planner._reviews
    assert files is not None
    unused = files.unused(world.watcher.planner.sets)
    assert [(one.code, one.source, one.row) for one in unused] == [
        ("review-stale", "back.csv", 3),
        ("review-unknown", "back.csv", 4),
    ]
    world.write("back.csv", _review("", "5", "7"), Hint.CLOSED)
    assert _asked(world).key == before.key


def test_grades_of_no_set_and_of_another_profile_are_told_at_their_cells(world: World) -> None:
    _asked(world)
    world.write("back.csv", _review("3", set_name="gone"), Hint.CLOSED)
    world.write("other.csv", _review("3").replace("sw1|resume-agent", "sw1|other"), Hint.CLOSED)
    world.run(3)
    files = world.watcher.planner._reviews
    assert files is not None
    unused = files.unused(world.watcher.planner.sets)
    assert [(one.code, one.source, one.row) for one in unused] == [
        ("review-nowhere", "back.csv", 2),
        ("review-profile", "other.csv", 2),
    ]


def test_a_file_without_grades_asks_for_nothing(world: World) -> None:
    _asked(world)
    world.write("무엇이든.csv", _review("", ""), Hint.CLOSED)
    world.run(40)
    assert world.queue.asked == []


def test_a_file_among_the_reports(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "SETTLE_SECONDS", 0.0)
    before = _asked(world)
    (world.out / SET / "back.csv").write_text(_review("3"))
    world.watcher.files.scan_soon()
    assert _asked(world).key != before.key
