"""Comparisons are taken when no other task waits, and the queue tells them from tasks that score and report."""

from pathlib import Path
from typing import Any

import redis
from kombu import Consumer, Queue

from config import Settings
from reporting.runs import BaselineAsk
from scoring.comparison import Baseline, Origin
from workers import CeleryQueue, make_app
from workers.celery_settings import COMPARE_TASK, REPORT_QUEUE, REPORT_TASK, SCORE_QUEUE, SCORE_TASK
from workers.jobs import WorkArea

ASK = BaselineAsk("a", "key", Baseline(Origin.FIRST))


def test_comparisons_are_taken_last_and_keep_their_place_when_they_are_given_back(
    url: str, client: redis.Redis, tmp_path: Path
) -> None:
    assert client.ping()
    app = make_app(Settings(), url)
    queue = CeleryQueue(app, WorkArea(tmp_path))
    queue.compare([ASK], language="ko")
    queue.compare([ASK], language="ko")
    app.send_task(SCORE_TASK, args=["a.csv", "a", "key"])
    assert queue.depth() == (1, 0, 0, 2)
    taken: list[str] = []
    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        channel.basic_qos(0, 1)

        def take(message: Any) -> None:
            taken.append(message.headers["task"])
            if len(taken) == 2:  # a comparison, in the hands of a worker that ends
                assert queue.depth() == (0, 1, 0, 1)
                app.send_task(REPORT_TASK, args=["a", "key"])
                message.requeue()
                assert queue.depth() == (1, 0, 0, 2)
            else:
                message.ack()

        with Consumer(channel, [Queue(SCORE_QUEUE), Queue(REPORT_QUEUE)], on_message=take):
            while len(taken) < 5:
                connection.drain_events(timeout=5)
    assert taken == [SCORE_TASK, COMPARE_TASK, REPORT_TASK, COMPARE_TASK, COMPARE_TASK]
    assert queue.depth() == (0, 0, 0, 0)


def test_the_queue_in_this_process_is_counted_by_tasks(tmp_path: Path) -> None:
    app = make_app(Settings(), "memory://")
    queue = CeleryQueue(app, WorkArea(tmp_path))
    before = queue.depth()
    assert before is not None
    queue.compare([ASK], language="ko")
    app.send_task(SCORE_TASK, args=["a.csv", "a", "key"])
    try:
        after = queue.depth()
        assert after is not None
        assert (after.waiting - before.waiting, after.comparing - before.comparing) == (1, 1)
    finally:
        app.control.purge()
