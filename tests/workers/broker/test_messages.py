"""A message that no sender of ours writes is dropped before Celery sees it, counted and named."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from kombu import Connection, Consumer, Queue
from structlog.testing import capture_logs

from config import Settings
from workers.broker.redis_transport import dropped, install_transport, message_fault
from workers.celery_settings import REPORT_QUEUE, SCORE_QUEUE, SCORE_TASK, TASKS
from workers.queue import make_app

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def sent(url: str, client: redis.Redis, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """A message as the watcher sends it."""
    app = make_app(Settings(out=tmp_path / "out"), url)
    app.send_task(SCORE_TASK, args=["a.csv", "a", "key"], queue=SCORE_QUEUE, ignore_result=True)
    message: dict[str, Any] = json.loads(client.lpop(SCORE_QUEUE))  # type: ignore[arg-type]
    yield message
    app.close()


def header(name: str, value: object) -> Change:
    return lambda message: message["headers"].update({name: value})


def of_body(value: object) -> Change:
    text = base64.b64encode(json.dumps(value).encode()).decode()
    return lambda message: message.update(body=text)


FORGED: dict[str, Change] = {
    "time limits that are texts": header("timelimit", ["x", "y"]),
    "a time limit of no seconds": header("timelimit", [1e-9, None]),
    "one time limit": header("timelimit", [1]),
    "a time limit of days": header("timelimit", [10**9, None]),
    "an id that is a list": header("id", ["x"]),
    "no id": lambda message: message["headers"].pop("id"),
    "a task that is a number": header("task", 5),
    "another task": header("task", "os.system"),
    "a start that is no time": header("eta", {"a": 1}),
    "an end that is no time": header("expires", []),
    "a callback": header("errbacks", [{"task": "x"}]),
    "a chord": header("chord", {"task": "x"}),
    "stamps": header("stamped_headers", ["x"]),
    "a compression": header("compression", "application/x-gzip"),
    "no headers": lambda message: message.update(headers=None),
    "no properties": lambda message: message.pop("properties"),
    "a priority that is a text": lambda message: message["properties"].update(priority="x"),
    "no tag": lambda message: message["properties"].pop("delivery_tag"),
    "another type": lambda message: message.update({"content-type": "application/x-python-serialize"}),
    "a body of another shape": of_body({"a": 1}),
    "a body with a chain": of_body([[], {}, {"chain": [{"task": "x"}]}]),
    "a body in no base64": lambda message: message.update(body="가"),
}


def test_a_message_of_ours_is_taken(sent: dict[str, Any]) -> None:
    assert message_fault(sent, TASKS) is None
    sent["headers"]["redelivered"] = sent["properties"]["delivery_info"]["redelivered"] = True
    assert message_fault(sent, TASKS) is None


def test_a_task_that_is_tried_again_carries_its_time_limit_and_is_taken(sent: dict[str, Any]) -> None:
    sent["headers"] |= {"retries": 1, "timelimit": [300, None]}
    assert message_fault(sent, TASKS) is None


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_a_forged_message_has_a_fault(sent: dict[str, Any], change: Change) -> None:
    change(sent)
    assert message_fault(sent, TASKS)


@pytest.mark.parametrize("text", ["", "[]", "no JSON", '{"a": {"__type__": "uuid", "__value__": 5}}', "[" * 10_000])
def test_what_is_no_message_is_dropped_and_the_next_one_is_delivered(
    url: str, client: redis.Redis, sent: dict[str, Any], text: str
) -> None:
    taken = _take_after(url, client, text, json.dumps(sent))
    assert taken == [sent["headers"]["id"]]


def test_a_dropped_message_is_counted_and_named(url: str, client: redis.Redis, sent: dict[str, Any]) -> None:
    before = dropped.count
    forged = json.loads(json.dumps(sent))
    forged["headers"] |= {"timelimit": ["x", "y"], "id": "bad"}
    with capture_logs() as logs:
        assert _take_after(url, client, json.dumps(forged), json.dumps(sent)) == [sent["headers"]["id"]]
    assert dropped.count == before + 1
    line = next(entry for entry in logs if entry["event"] == "message dropped")
    assert (line["task"], line["id"], line["queue"]) == (SCORE_TASK, "bad", SCORE_QUEUE)
    assert "timelimit" in line["reason"]


def _take_after(url: str, client: redis.Redis, bad: str, good: str) -> list[str]:
    """Ids of the messages that a consumer takes: the bad one comes first."""
    install_transport()
    client.lpush(SCORE_QUEUE, bad)
    client.lpush(SCORE_QUEUE, good)
    taken: list[str] = []
    with Connection(url) as connection:
        queues = [Queue(SCORE_QUEUE), Queue(REPORT_QUEUE)]
        consumer = Consumer(connection.default_channel, queues, on_message=lambda message: _keep(message, taken))
        with consumer:
            while not taken:
                connection.drain_events(timeout=5)
    return taken


def _keep(message: Any, taken: list[str]) -> None:
    message.ack()
    taken.append(message.headers["id"])
