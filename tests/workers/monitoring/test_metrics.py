"""Health and metrics of a real worker on a real broker."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import redis
from celery import Celery
from prometheus_client.parser import text_string_to_metric_families

from config import Settings
from reporting.data import Health, decode_health
from tests.faults.harness import ROOT, SHORT, environment, wait_for
from workers.broker import EmbeddedBroker
from workers.celery_settings import REPORT_TASK, SCORE_TASK
from workers.queue import make_app

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

CHANGES: tuple[dict[str, object], ...] = (
    {},
    {"id": ["x"], "timelimit": None},
    {"stamped_headers": 5},
    {"eta": {}},
    {"task": "no"},
)
HEADERS: dict[str, object] = {"task": SCORE_TASK, "id": "1", "timelimit": ["x", "y"], "lang": "py"}
PROPERTIES = {"delivery_tag": "t", "delivery_info": {"exchange": "", "routing_key": "score"}, "body_encoding": "base64"}
FORGED = (
    "no JSON",
    "[]",
    *(
        json.dumps(
            {
                "body": "W1tdLHt9LHt9XQ==",
                "content-type": "application/json",
                "content-encoding": "utf-8",
                "headers": HEADERS | changed,
                "properties": PROPERTIES,
            }
        )
        for changed in CHANGES
    ),
)


class Worker(NamedTuple):
    app: Celery
    port: int
    process: subprocess.Popen[bytes]

    def health(self) -> Health:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10) as answer:
                return decode_health(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return decode_health(error.read())
        except OSError:
            return Health(("no answer",))

    def metrics(self) -> dict[tuple[str, ...], float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def control(self, command: str, queue: str) -> None:
        """A remote command to the one worker there is; returns when it was carried out."""
        done = self.app.control.broadcast(command, arguments={"queue": queue}, reply=True, limit=1, timeout=20)
        assert done is not None
        assert len(done) == 1

    def ask(self) -> None:
        """Send a task that is taken and given up: nobody planned it."""
        self.app.send_task(REPORT_TASK, args=["a", "key"], queue="report", ignore_result=True)


@pytest.fixture
def worker(broker: EmbeddedBroker, tmp_path: Path) -> Iterator[Worker]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "in").mkdir()
    settings = {**SHORT, "REMOTE_CONTROL": "true", "BROKER_URL": broker.url, "METRICS_ADDRESS": f"127.0.0.1:{port}"}
    app = make_app(Settings(out=tmp_path / "out"), broker.url)
    with (
        (tmp_path / "worker.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.quick", "worker"],
            cwd=ROOT,
            env=environment(tmp_path / "in", tmp_path / "out", tmp_path / "state", **settings),
            stderr=log,
        ) as process,
    ):
        found = Worker(app, port, process)
        wait_for(lambda: found.health() == Health(), "a healthy worker")
        try:
            yield found
        finally:
            process.send_signal(signal.SIGCONT)
            app.control.purge()
            process.terminate()
            process.wait(timeout=30)
            app.close()


def test_tasks_are_counted_in_the_parent(worker: Worker) -> None:
    for _ in range(3):
        worker.ask()
    done = ("scorewatch_worker_tasks_total", "done", "assemble_report")
    wait_for(lambda: worker.metrics().get(done) == 3, "three tasks counted")
    metrics = worker.metrics()
    assert metrics["scorewatch_worker_healthy",] == 1
    assert metrics["scorewatch_worker_processes",] == 1
    assert metrics["scorewatch_worker_queues",] == 2
    assert metrics["scorewatch_worker_tasks_running",] == 0
    assert metrics["scorewatch_worker_task_seconds_count", "assemble_report"] == 3
    assert metrics["scorewatch_worker_beat_age_seconds",] < 15


def test_forged_messages_end_no_worker_and_are_counted(worker: Worker, client: redis.Redis) -> None:
    client.lpush("score", *FORGED)
    wait_for(lambda: worker.metrics()["scorewatch_worker_messages_dropped_total",] == len(FORGED), "all to be dropped")
    worker.ask()
    done = ("scorewatch_worker_tasks_total", "done", "assemble_report")
    wait_for(lambda: worker.metrics().get(done) == 1, "a task after them")
    assert worker.process.poll() is None
    assert client.hlen("unacked") == 0


def test_worker_that_is_connected_and_consumes_nothing_turns_red(worker: Worker) -> None:
    for queue in ("score", "report"):
        worker.control("cancel_consumer", queue)
    worker.ask()
    assert worker.process.poll() is None
    wait_for(lambda: "consumer: takes from no queue" in worker.health().failing, "red for having no queue")
    wait_for(
        lambda: any(reason.startswith("consumer: 1 waiting, none taken for") for reason in worker.health().failing),
        "red for work that waits",
    )
    for queue in ("score", "report"):
        worker.control("add_consumer", queue)
    wait_for(lambda: worker.health() == Health(), "green again")


def test_dead_broker_is_red_until_it_is_back(worker: Worker, broker: EmbeddedBroker) -> None:
    pid = broker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: "broker: no answer" in worker.health().failing, "red for the broker")
    wait_for(lambda: broker.pid is None, "the broker's death")
    broker.restart()
    wait_for(lambda: worker.health() == Health(), "green again")
    worker.ask()
    done = ("scorewatch_worker_tasks_total", "done", "assemble_report")
    wait_for(lambda: worker.metrics().get(done) == 1, "a task after the restart")
