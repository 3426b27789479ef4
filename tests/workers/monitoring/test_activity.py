"""When a worker is healthy: work moves, or there is none."""

import pytest

from reporting.data import Health
from workers.monitoring.metrics import OVERDUE_SECONDS, SILENT_SECONDS, Activity

STUCK = 30.0
LIMIT = 300.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def finished() -> list[tuple[str, str, float]]:
    return []


@pytest.fixture
def activity(clock: Clock, finished: list[tuple[str, str, float]]) -> Activity:
    return Activity(clock, finished=lambda *ended: finished.append(ended))


def _judge(activity: Activity, *, waiting: int | None = 0, queues: int = 2) -> Health:
    return activity.judge(waiting=waiting, capacity=2, queues=queues, stuck_seconds=STUCK, limit_seconds=LIMIT)


def test_idle_worker_is_healthy_for_ever(activity: Activity, clock: Clock) -> None:
    assert _judge(activity) == Health()
    clock.now += 1e6
    assert _judge(activity) == Health()


def test_worker_that_takes_nothing_turns_red_after_the_time(activity: Activity, clock: Clock) -> None:
    assert _judge(activity, waiting=5).is_ok
    clock.now += STUCK - 0.1
    assert _judge(activity, waiting=5).is_ok
    clock.now += 0.1
    assert _judge(activity, waiting=5).failing == ("consumer: 5 waiting, none taken for 30 s",)


def test_long_idle_before_the_first_task_does_not_count(activity: Activity, clock: Clock) -> None:
    clock.now += 1e6
    assert _judge(activity, waiting=1).is_ok


@pytest.mark.parametrize("move", ["take", "end", "drained"])
def test_any_move_starts_the_time_again(activity: Activity, clock: Clock, move: str) -> None:
    activity.take("a", "score_file")
    assert _judge(activity, waiting=5).is_ok
    clock.now += STUCK - 1
    if move == "take":
        activity.take("b", "score_file")
        activity.end("b", "done")
    elif move == "end":
        activity.end("a", "done")
    else:
        assert _judge(activity, waiting=0).is_ok
    assert _judge(activity, waiting=5).is_ok
    clock.now += 2
    assert _judge(activity, waiting=5).is_ok
    clock.now += STUCK
    assert not _judge(activity, waiting=5).is_ok


def test_worker_with_no_free_child_is_busy_not_stuck(activity: Activity, clock: Clock) -> None:
    activity.take("a", "score_file")
    activity.take("b", "score_file")
    assert _judge(activity, waiting=5).is_ok
    clock.now += STUCK * 2
    assert _judge(activity, waiting=5).is_ok


def test_task_past_its_limit_is_overdue(activity: Activity, clock: Clock) -> None:
    activity.take("a", "score_file")
    clock.now += LIMIT + OVERDUE_SECONDS
    assert _judge(activity).is_ok
    clock.now += 1
    assert _judge(activity).failing == ("task: running for 331 s",)


def test_silent_event_loop_is_red(activity: Activity, clock: Clock) -> None:
    assert activity.beat_age_seconds() is None
    activity.beat()
    clock.now += SILENT_SECONDS
    assert _judge(activity).is_ok
    clock.now += 1
    assert _judge(activity).failing == ("loop: silent for 16 s",)
    activity.beat()
    assert _judge(activity).is_ok


def test_no_broker_and_no_queue_are_red_at_once(activity: Activity) -> None:
    assert _judge(activity, waiting=None).failing == ("broker: no answer",)
    assert _judge(activity, queues=0).failing == ("consumer: takes from no queue",)


def test_each_task_ends_once(activity: Activity, clock: Clock, finished: list[tuple[str, str, float]]) -> None:
    """A failed task is acknowledged too, and one that never began may be revoked."""
    activity.take("a", "score_file")
    clock.now += 2.5
    activity.end("a", "failed")
    activity.end("a", "done")
    activity.end("never", "done")
    assert finished == [("score_file", "failed", 2.5)]
    assert activity.running() == 0
    clock.now += 1
    assert activity.idle_seconds() == 1
