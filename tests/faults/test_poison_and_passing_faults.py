"""Files that kill their worker, kills at one step after the other, and surroundings that fail for a while."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.harness import IS_LONG, ROOT, ROUNDS, Up, drop, wait_for
from tests.faults.undisturbed import Undisturbed
from tests.inner import LEAST_TASKS

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

WAYS = ("deadly", "crashing")
VICTIMS = ("child", "parent", "broker")
LAST_STEP = 40  # of the work on one file, at least
LIMIT_SECONDS = 2
SABOTEUR = Path(__file__).with_name("saboteur")


class SabotagedUp(Up):
    """A service whose processes load the saboteur."""

    def environment(self) -> dict[str, str]:
        return {
            **super().environment(),
            "PYTHONPATH": f"{SABOTEUR}:{ROOT}",
            "SABOTAGE": str(self.flags),
        }

    @property
    def flags(self) -> Path:
        return self.state.parent / "flags"

    def start(self) -> None:
        self.flags.mkdir(exist_ok=True)
        super().start()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SabotagedUp]:
    with SabotagedUp(tmp_path_factory.mktemp("sabotage"), WORKERS="2") as up:
        assert isinstance(up, SabotagedUp)
        up.pool_pids()
        yield up
        assert up.stop() == 0


def test_files_that_kill_their_worker_become_problems_and_others_go_on(service: SabotagedUp, tmp_path: Path) -> None:
    """At once, so that each may take the innocent ones with it; one of those has its workers killed by others."""
    poison = [f"resume_agent_{way}" for way in WAYS]
    with Undisturbed(service, tmp_path, judged=poison):
        drop(service.watch, *(f"{name}.csv" for name in poison), seed=100)
        drop(service.watch, "resume_agent_innocent.csv", "resume_agent_next.csv", "방/resume_agent_1.csv", seed=200)
    for name in poison:
        assert_poisoned(service, name)
    alone = {event["set"] for event in service.events() if event["event"] == "scoring alone"}
    assert {*poison, "resume_agent_innocent"} <= alone


def test_poison_among_many_files_takes_none_of_those_that_share_its_task(tmp_path: Path) -> None:
    """Moved in at once, so that they are asked for together."""
    poison = [f"resume_agent_{number:04}_{way}" for number, way in zip((30, 90), WAYS, strict=True)]
    names = [f"resume_agent_{number:04}" for number in range(2 * LEAST_TASKS)]
    drop(tmp_path / "aside", *(f"{name}.csv" for name in (*names, *poison)), rows=2)
    with SabotagedUp(tmp_path, WORKERS="2") as up:
        up.pool_pids()
        with Undisturbed(up, tmp_path, judged=poison):
            for file in (tmp_path / "aside").iterdir():
                file.rename(up.watch / file.name)
        for name in poison:
            assert_poisoned(up, name)


def test_a_file_that_never_ends_becomes_a_problem(tmp_path: Path) -> None:
    """In a service of its own: a busy machine may need longer than this limit for an innocent file."""
    with SabotagedUp(tmp_path, TASK_TIME_LIMIT_SECONDS=str(LIMIT_SECONDS)) as up:
        with Undisturbed(up, tmp_path, judged=["resume_agent_hanging"]):
            drop(up.watch, "resume_agent_hanging.csv")
        assert_poisoned(up, "resume_agent_hanging")


def assert_poisoned(up: Up, name: str) -> None:
    status = up.status(name)
    assert status is not None
    assert (status["state"], status["findings"][0]["code"]) == ("problem", "poisoned")


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("variant", range(ROUNDS))
def test_a_kill_at_one_step_after_the_other_costs_nothing(
    service: SabotagedUp, tmp_path: Path, victim: str, variant: int
) -> None:
    """From the first file that a task opens in the output folder to the last that it puts in its place."""
    steps = range(1 + variant, LAST_STEP, 3 if victim == "child" and IS_LONG else 13)
    with Undisturbed(service, tmp_path) as watching:
        for step in steps:  # one at a time: a kill stops the work on others, which then are not at their first step
            name = f"resume_agent_{victim}_at_{step:03}"
            drop(service.watch, f"{name}.csv", seed=1000 * (1 + variant) + 100 * VICTIMS.index(victim) + step)
            watching.expect()
            watching.wait(name)
    assert {path.name for path in service.flags.glob(f"struck-{victim}-*")} >= {
        f"struck-{victim}-{step:03}" for step in steps
    }


@pytest.mark.parametrize("fault", ["full", "read-only", "unreadable"])
def test_a_passing_fault_is_waited_for(service: SabotagedUp, tmp_path: Path, fault: str) -> None:
    name = f"resume_agent_{fault}_unreadable"
    told = {"full": "given up for now", "read-only": "reports not writable", "unreadable": "input not readable"}[fault]
    before = len(service.events())
    with Undisturbed(service, tmp_path):
        (service.flags / fault).touch()
        drop(service.watch, f"{name}.csv", seed=len(fault))
        wait_for(lambda: any(event["event"] == told for event in service.events()[before:]), "the fault to be told")
        assert service.status(name) is None
        (service.flags / fault).unlink()
