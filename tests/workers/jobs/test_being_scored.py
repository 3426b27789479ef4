"""One input of a set is scored by one process at a time: tries side by side are no deaths."""

import os
from pathlib import Path
from typing import BinaryIO

import pytest

from reporting.store import exclusive, lock_path, status_of_set
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.rubric import Rubric
from tests.workers.desk import NAME, Desk
from workers.jobs import score_and_report as jobs
from workers.jobs.inputs import GiveUpError
from workers.jobs.workplace import BeingScoredError


def held(desk: Desk) -> Path:
    return lock_path(desk.place.out, NAME).with_suffix(f".{desk.plan.inputs[0].sha256[:16]}")


def test_an_input_that_somebody_is_at_is_left_to_them(desk: Desk) -> None:
    with exclusive(held(desk), timeout_seconds=0):
        for _ in range(5):
            with pytest.raises(BeingScoredError):
                desk.assemble()
    assert desk.place.strikes.take(NAME, desk.plan.inputs[0].sha256) == 1  # none of them counted
    assert status_of_set(desk.place.out, NAME) is None
    assert desk.assemble()
    assert not held(desk).exists()


def test_somebody_who_sleeps_for_longer_than_a_task_may_take_is_no_hindrance(desk: Desk) -> None:
    with exclusive(held(desk), timeout_seconds=0):
        begun = held(desk).stat().st_mtime - desk.place.time_limit_seconds - 1
        os.utime(held(desk), (begun, begun))
        assert desk.assemble()


def test_a_lock_that_was_left_behind_counts_from_now(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    held(desk).touch()
    os.utime(held(desk), (1, 1))
    began: list[float] = []

    def score(stream: BinaryIO, *, name: str, rubric: Rubric, progress: object, space: object) -> Part:
        assert progress is None  # the file is small
        assert space is not None
        began.append(held(desk).stat().st_mtime)
        return score_file(stream, name=name, rubric=rubric)

    monkeypatch.setattr(jobs, "score_file", score)
    assert desk.assemble()
    assert began[0] > 1


def test_a_lock_that_cannot_be_made_is_a_passing_trouble(desk: Desk) -> None:
    held(desk).mkdir(parents=True)
    with pytest.raises(GiveUpError, match="storage"):
        desk.assemble()


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_the_input_hangs_no_worker(desk: Desk) -> None:
    file = desk.place.watch / f"{NAME}.csv"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(GiveUpError, match=r"unreadable.*not a regular file"):
        desk.assemble()


def test_a_link_is_read_by_the_extension_of_its_own_name(desk: Desk) -> None:
    file = desk.place.watch / f"{NAME}.csv"
    file.rename(file.with_suffix(".data"))
    file.symlink_to(f"{NAME}.data")
    assert desk.assemble()
