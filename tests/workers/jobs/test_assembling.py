"""A bug that a set meets each time ends as its problem, and everything else is tried again."""

from collections.abc import Callable
from typing import Any

import pytest

from reporting import report
from reporting.store import State, status_of_set
from tests.workers.desk import NAME, Desk
from workers.jobs import score_and_report
from workers.jobs import score_and_report as jobs
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_a_bug_met_each_time_is_named_for_good(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "merge", failing(ZeroDivisionError("division by zero")))
    for _ in range(LIMIT - 1):
        with pytest.raises(ZeroDivisionError):
            desk.assemble()
        assert status_of_set(desk.place.out, NAME) is None
    assert desk.assemble()
    status = status_of_set(desk.place.out, NAME)
    assert status is not None
    assert (status.state, status.key) == (State.PROBLEM, desk.plan.key)
    (problem,) = status.findings
    assert problem.text.startswith(
        "resume_agent_a.csv: Scorewatch itself failed on this set (ZeroDivisionError: division by zero). "
    )
    assert problem.text.endswith("[internal-error]")
    assert desk.standing == 0


def test_a_bug_met_once_leaves_a_strike_that_success_takes_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(report, "merge", failing(RuntimeError("once")))
        with pytest.raises(RuntimeError, match="once"):
            desk.assemble()
    assert desk.assemble()
    status = status_of_set(desk.place.out, NAME)
    assert status is not None
    assert status.state is State.REPORT
    assert desk.standing == 0


def test_a_full_disk_is_no_bug_however_often_it_comes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "publish_report", failing(OSError(28, "No space left on device")))
    for _ in range(LIMIT + 1):
        with pytest.raises(GiveUpError) as given_up:
            desk.assemble()
        assert given_up.value.kind == "storage"
    assert status_of_set(desk.place.out, NAME) is None
    assert desk.standing == 0


def test_a_rubric_that_is_gone_is_no_full_disk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "load_rubric", failing(GiveUpError("no-rubric", "d")))
    with pytest.raises(GiveUpError) as given_up:
        desk.assemble()
    assert (given_up.value.kind, given_up.value.detail) == ("no-rubric", "d")


def test_a_disk_that_is_full_while_items_are_written_is_no_bug(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(score_and_report, "open_spool", failing(OSError(28, "No space left on device")))
        for _ in range(LIMIT + 1):
            with pytest.raises(GiveUpError, match="No space left on device") as given_up:
                desk.assemble()
            assert given_up.value.kind == "storage"
        assert status_of_set(desk.place.out, NAME) is None
        assert desk.standing == 0
    assert desk.assemble()
    assert not any((desk.place.out / ".scorewatch/tmp").iterdir())


def test_each_ask_of_a_task_is_done_though_others_fail() -> None:
    done = []

    def work(name: str, count: int) -> None:
        if count < 0:
            raise ValueError(name)
        done.append(name)

    with pytest.raises(ValueError, match=r"^b$"):
        jobs.do_each(work, [("a", 1), ("b", -1), ("c", 2), ("d", -1), ("e", 0)])
    assert done == ["a", "c", "e"]
