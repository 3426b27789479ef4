"""Files that kill their worker, and surroundings that fail for a while."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.harness import ROOT, Up, drop, report_files, score_directly, wait_for

pytestmark = [pytest.mark.service, pytest.mark.timeout(120)]

WAYS = ("deadly", "crashing", "hanging")
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
    with SabotagedUp(
        tmp_path_factory.mktemp("sabotage"), TASK_TIME_LIMIT_SECONDS="3", VISIBILITY_TIMEOUT_SECONDS="30"
    ) as up:
        assert isinstance(up, SabotagedUp)
        up.pool_pids()
        yield up
        assert up.stop() == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_kills_its_worker_becomes_a_problem_and_others_go_on(
    service: SabotagedUp, tmp_path: Path, way: str
) -> None:
    drop(tmp_path / "in", f"resume_agent_next_to_{way}_file.csv")
    expected = report_files(score_directly(tmp_path, tmp_path / "in"))
    drop(service.watch, f"resume_agent_{way}.csv", seed=WAYS.index(way) + 100)  # a content of its own
    drop(service.watch, f"resume_agent_next_to_{way}_file.csv")
    service.wait_settled(f"resume_agent_next_to_{way}_file", f"resume_agent_{way}")
    status = service.status(f"resume_agent_{way}")
    assert status is not None
    assert (status["state"], status["problems"]["first"][0]["code"]) == ("problem", "poisoned")
    found = report_files(service.out)
    assert {name: found[name] for name in expected} == expected


def test_an_innocent_file_whose_workers_are_killed_is_reported(service: SabotagedUp, tmp_path: Path) -> None:
    drop(tmp_path / "in", "resume_agent_innocent.csv", seed=200)
    expected = report_files(score_directly(tmp_path, tmp_path / "in"))
    drop(service.watch, "resume_agent_innocent.csv", seed=200)
    service.wait_settled("resume_agent_innocent")
    found = report_files(service.out)
    assert {name: found[name] for name in expected} == expected
    assert any(
        event["event"] == "scoring alone" and event["set"] == "resume_agent_innocent" for event in service.events()
    )


@pytest.mark.parametrize("fault", ["full", "read-only", "unreadable"])
def test_a_passing_fault_is_waited_for(service: SabotagedUp, tmp_path: Path, fault: str) -> None:
    name = f"resume_agent_{fault}_unreadable"
    drop(tmp_path / "in", f"{name}.csv", seed=len(fault))
    expected = report_files(score_directly(tmp_path, tmp_path / "in"))
    told = {"full": "given up for now", "read-only": "queue down", "unreadable": "input not readable"}[fault]
    before = len(service.events())
    (service.flags / fault).touch()
    drop(service.watch, f"{name}.csv", seed=len(fault))
    wait_for(lambda: any(event["event"] == told for event in service.events()[before:]), "the fault to be told")
    assert service.status(name) is None
    (service.flags / fault).unlink()
    service.wait_settled(name)
    wait_for(lambda: {path: report_files(service.out).get(path) for path in expected} == expected, "the same report")
