"""A bug that a set meets each time ends as its problem, and everything else is tried again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.rubric_store import profile_named, shipped_rubrics
from reporting.publish import read_status
from reporting.status_json import State
from scoring.part import ENGINE_VERSION
from tests.cli.place import rows
from workers import jobs
from workers.inputs import GiveUpError
from workers.jobs import Workplace, assemble
from workers.parts import Plan, PlannedInput, WorkArea
from workers.strikes import LIMIT, MemoryStrikes

NAME = "resume_agent_a"


class Desk:
    """One planned set and the place where it is worked on."""

    def __init__(self, root: Path) -> None:
        rubric = profile_named("resume-agent", shipped_rubrics())
        file = root / "in" / f"{NAME}.csv"
        file.parent.mkdir()
        file.write_text(rows("Q1"), encoding="utf-8")
        area = WorkArea(root / "out")
        area.prepare()
        area.write_rubric(rubric)
        self.place = Workplace(
            watch=root / "in", out=root / "out", area=area, strikes=MemoryStrikes(), time_limit_seconds=60.0
        )
        stat = file.stat()
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.plan = Plan(
            set_name=NAME,
            key="c" * 64,
            rubric_digest=rubric.digest,
            engine_version=ENGINE_VERSION,
            language="en",
            inputs=(PlannedInput(file.name, file.name, digest, stat.st_size, stat.st_mtime_ns),),
        )

    def assemble(self) -> bool:
        return assemble(self.place, self.plan, score_missing=True).is_published

    @property
    def standing(self) -> int:
        """Strikes that stand."""
        return self.place.strikes.take(NAME, self.plan.key) - 1


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_a_bug_met_each_time_is_named_for_good(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "merge", failing(ZeroDivisionError("division by zero")))
    for _ in range(LIMIT - 1):
        with pytest.raises(ZeroDivisionError):
            desk.assemble()
        assert read_status(desk.place.out, NAME) is None
    assert desk.assemble()
    status = read_status(desk.place.out, NAME)
    assert status is not None
    assert (status.state, status.key) == (State.PROBLEM, desk.plan.key)
    (problem,) = status.problems.first
    assert problem.text.startswith(
        "resume_agent_a.csv: Scorewatch itself failed on this set (ZeroDivisionError: division by zero). "
    )
    assert problem.text.endswith("[internal-error]")
    assert desk.standing == 0


def test_a_bug_met_once_leaves_a_strike_that_success_takes_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "merge", failing(RuntimeError("once")))
        with pytest.raises(RuntimeError, match="once"):
            desk.assemble()
    assert desk.assemble()
    status = read_status(desk.place.out, NAME)
    assert status is not None
    assert status.state is State.REPORT
    assert desk.standing == 0


def test_a_full_disk_is_no_bug_however_often_it_comes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "publish_report", failing(OSError(28, "No space left on device")))
    for _ in range(LIMIT + 1):
        with pytest.raises(GiveUpError) as given_up:
            desk.assemble()
        assert given_up.value.kind == "storage"
    assert read_status(desk.place.out, NAME) is None
    assert desk.standing == 0


def test_each_ask_of_a_task_is_done_though_others_fail() -> None:
    done = []

    def work(name: str, count: int) -> None:
        if count < 0:
            raise ValueError(name)
        done.append(name)

    with pytest.raises(ValueError, match=r"^b$"):
        jobs.do_each(work, [("a", 1), ("b", -1), ("c", 2), ("d", -1), ("e", 0)])
    assert done == ["a", "c", "e"]
