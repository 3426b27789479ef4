"""When a worker counts as one that takes nothing."""

import pytest

from cli.service.worker_process import STUCK_SECONDS, Consumption
from workers.broker import Depth

LIMIT = 300.0


@pytest.mark.parametrize(
    ("waiting", "running", "stuck_after"),
    [
        pytest.param(0, 0, None, id="nothing-to-do"),
        pytest.param(0, 2, None, id="only-running"),
        pytest.param(3, 0, STUCK_SECONDS, id="waiting-and-none-taken"),
        pytest.param(3, 2, STUCK_SECONDS + LIMIT, id="held-longer-than-a-task-may-run"),
    ],
)
def test_standing_still_for_so_long_is_stuck(waiting: int, running: int, stuck_after: float | None) -> None:
    consumption = Consumption(limit_seconds=LIMIT)
    told = [second for second in range(400) if consumption.is_stuck(Depth(waiting, running), 7, float(second))]
    assert told[:1] == ([] if stuck_after is None else [stuck_after])


@pytest.mark.parametrize(
    ("later", "settled"),
    [
        pytest.param(Depth(2, 0), 7, id="fewer-waiting"),
        pytest.param(Depth(3, 1), 7, id="one-running"),
        pytest.param(Depth(3, 0), 8, id="one-settled"),
        pytest.param(Depth(0, 0), 7, id="none-left"),
    ],
)
def test_whatever_moves_begins_the_time_anew(later: Depth, settled: int) -> None:
    consumption = Consumption(limit_seconds=LIMIT)
    assert not consumption.is_stuck(Depth(3, 0), 7, 0.0)
    assert not consumption.is_stuck(later, settled, STUCK_SECONDS)
    assert not consumption.is_stuck(Depth(3, 0), settled, STUCK_SECONDS + 1)
    assert consumption.is_stuck(Depth(3, 0), settled, 2 * STUCK_SECONDS + 400)


def test_more_waiting_is_no_movement() -> None:
    consumption = Consumption(limit_seconds=LIMIT)
    assert not consumption.is_stuck(Depth(1, 0), 7, 0.0)
    assert not consumption.is_stuck(Depth(2, 0), 7, STUCK_SECONDS / 2)
    assert consumption.is_stuck(Depth(9, 0), 7, STUCK_SECONDS)


def test_a_worker_that_takes_long_to_start_gets_more_time_each_time() -> None:
    consumption = Consumption(limit_seconds=LIMIT)
    told = [second for second in range(400) if consumption.is_stuck(Depth(3, 0), 7, float(second))]
    assert told == [30, 30 + 1 + 60, 30 + 1 + 60 + 1 + 120]


def test_a_worker_that_took_tasks_again_counts_as_new() -> None:
    consumption = Consumption(limit_seconds=LIMIT)
    assert [second for second in range(60) if consumption.is_stuck(Depth(3, 0), 7, float(second))] == [30]
    assert not consumption.is_stuck(Depth(2, 1), 7, 60.0)
    assert not consumption.is_stuck(Depth(2, 0), 8, 61.0)
    assert [second for second in range(62, 122) if consumption.is_stuck(Depth(2, 0), 8, float(second))] == [91]
