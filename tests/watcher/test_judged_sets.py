"""Sets whose report comes first and whose verdicts come later, as the watcher sees them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from config import shipped_rubrics
from reporting.store import StatusFile
from scoring.judging import JudgeFigures, JudgeIdentity, JudgeState
from scoring.rubric import Rubric, Source
from scoring.sets import Plan
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result
from tests.watcher.world import World
from watcher.plan import Planner

NAME = "resume_agent_a"


class JudgedWorld(World):
    """Workers that publish a report at once and leave its judge to the test."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.told: list[tuple[str, JudgeState]] = []
        self.watcher._on_settled = self._tell

    def publish(self, state: JudgeState, request: Plan | None = None) -> None:
        request = request or self.queue.asked.pop(0)[0]
        result = replace(make_result(), judge=JudgeFigures(state=state, metrics=()))
        publish_report(result, set_name=request.set_name, key=request.key, out=self.out)

    def _tell(self, name: str, status: StatusFile) -> None:
        self.told.append((name, status.judge))


@pytest.fixture
def world(tmp_path: Path) -> JudgedWorld:
    world = JudgedWorld(tmp_path)
    world.write(f"{NAME}.csv", "x")
    world.run(1.5)
    return world


def test_a_report_counts_before_its_verdicts_and_drain_waits_for_them(world: JudgedWorld) -> None:
    request = world.queue.asked[0][0]
    world.publish(JudgeState.PENDING)
    indexed = len(world.indexed)
    world.run(2.5)
    assert world.told == [(NAME, JudgeState.PENDING)]
    assert len(world.indexed) > indexed
    snapshot = world.watcher.snapshot()
    assert (snapshot.settled, snapshot.asked, snapshot.judging) == (0, 0, 1)
    assert not world.watcher.is_drained()
    world.publish(JudgeState.DONE, request)
    world.run(0.5)
    assert world.told == [(NAME, JudgeState.PENDING), (NAME, JudgeState.DONE)]
    snapshot = world.watcher.snapshot()
    assert (snapshot.settled, snapshot.asked, snapshot.judging) == (1, 0, 0)
    assert world.watcher.is_drained()


def test_a_judge_that_nobody_heard_of_is_asked_for_again(world: JudgedWorld) -> None:
    world.publish(JudgeState.PENDING)
    world.run(3.0)
    assert [(request.set_name, again) for request, again in world.queue.asked] == [(NAME, True)]


def test_a_judge_at_work_is_left_alone(world: JudgedWorld) -> None:
    request = world.queue.asked[0][0]
    world.publish(JudgeState.PENDING)
    world.queue.asked = [(request, False)]  # stands for the judge's tasks
    world.run(60.0)
    assert len(world.queue.asked) == 1


def test_a_judge_out_of_reach_is_a_trouble_and_drain_does_not_wait_for_ever(world: JudgedWorld) -> None:
    for tries in (1, 2, 3):
        world.publish(JudgeState.PENDING)
        world.run(0.5)
        world.queue.troubles[NAME] = "judge: refused"
        assert not world.watcher.is_drained()
        world.run(0.5)
        world.queue.troubles.clear()
        assert world.watcher.snapshot().troubles == {NAME: "judge: refused"}
        if tries < 3:
            world.run(2.0 * 2**tries)
            assert world.queue.asked, "asked again after its rest"
    assert world.watcher.is_drained()


def test_a_new_watcher_asks_for_the_verdicts_that_are_missing(world: JudgedWorld, tmp_path: Path) -> None:
    world.publish(JudgeState.PENDING)
    again = JudgedWorld(tmp_path / "again")
    again.write(f"{NAME}.csv", "x")
    again.out.symlink_to(world.out)
    again.run(1.5)
    assert [(request.set_name, is_again) for request, is_again in again.queue.asked] == [(NAME, True)]
    assert again.told == [(NAME, JudgeState.PENDING)]


def test_a_report_that_is_removed_while_its_judge_works_is_made_again(world: JudgedWorld) -> None:
    request = world.queue.asked[0][0]
    world.publish(JudgeState.PENDING)
    world.queue.asked = [(request, False)]
    world.run(1.0)
    (world.out / NAME / "status.json").unlink()
    world.run(40.0)
    assert [again for _, again in world.queue.asked] == [False, False]


def rubric_of(sources: tuple[Source, ...]) -> Rubric:
    """A shipped rubric with these sources of its verdict."""
    rubric = next(rubric for rubric in shipped_rubrics() if rubric.profile == "h-recruit")
    assert rubric.verdict is not None
    return replace(rubric, verdict=replace(rubric.verdict, sources=sources))


@pytest.mark.parametrize(
    ("sources", "different"), [((Source.COLUMN, Source.JUDGE), 4), ((Source.COLUMN,), 1)], ids=["judged", "recorded"]
)
def test_what_decides_a_verdict_is_part_of_the_key_where_something_is_judged(
    sources: tuple[Source, ...], different: int, tmp_path: Path
) -> None:
    rubric = rubric_of(sources)
    world = World(tmp_path)
    world.write("a.csv", "x")
    world.run(1.5)
    keys = {}
    for judge in (None, JudgeIdentity(model="m"), JudgeIdentity(model="n"), JudgeIdentity(model="n", votes=3)):
        planner = Planner(world.files, lambda _: rubric, language="ko", set_quiet_seconds=0.0, judge=judge)
        ((request, _),), _ = planner.step(0.0)
        assert request.judge == (judge if rubric.judged else None)
        keys[judge] = request.key
    assert len(set(keys.values())) == different
