"""Health and metrics of a worker, counted in its parent process. Imported only when SCOREWATCH_METRICS_ADDRESS is set.

Healthy means that work moves: a worker that is connected and takes no tasks is failing. The parent sees the start and
the end of every task, so the children of a prefork pool share no counters on disk.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.signals import worker_ready, worker_shutdown
from celery.worker.request import Request
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from config import Settings, split_address
from reporting.data import Health
from workers.broker import dropped
from workers.celery_settings import JUDGE_QUEUE
from workers.jobs import WorkArea
from workers.monitoring.http import Endpoint
from workers.processes import JUDGE, WORKER, address_file
from workers.queue import CeleryQueue

BEAT_SECONDS = 1.0
SILENT_SECONDS = 15.0  # without a beat of the event loop: it hangs, or has no connection
OVERDUE_SECONDS = 30.0  # that a task may run past its time limit
PREFIX = "scorewatch_worker"
OURS = "scorewatch."  # names of our tasks
STUCK_SECONDS = 30.0  # tasks wait so long beside a free child
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 180.0, 300.0)
_log = structlog.get_logger()


class Activity:
    """Tasks taken and ended, and beats of the event loop. Thread-safe.

    clock: monotonic seconds. finished: called with (task, outcome, seconds) for every task that ended.
    """

    def __init__(self, clock: Callable[[], float], *, finished: Callable[[str, str, float], object]) -> None:
        self._clock = clock
        self._finished = finished
        self._lock = threading.Lock()
        self._running: dict[Hashable, tuple[str, float]] = {}
        self._beat_at: float | None = None
        self._moved_at = clock()
        self._waiting_since: float | None = None

    def beat(self) -> None:
        """The event loop turns and has a connection."""
        self._beat_at = self._clock()

    def take(self, task_id: Hashable, task: str) -> None:
        """A child started a task."""
        with self._lock:
            self._moved_at = now = self._clock()
            self._running[task_id] = (task, now)

    def end(self, task_id: Hashable, outcome: str) -> None:
        """A task ended: "done", "failed" or "timeout". Only the first end of a started task counts."""
        with self._lock:
            begun = self._running.pop(task_id, None)
            if begun is None:
                return
            self._moved_at = now = self._clock()
        self._finished(begun[0], outcome, now - begun[1])

    def running(self) -> int:
        """Number of tasks that run now."""
        return len(self._running)

    def idle_seconds(self) -> float:
        """Since a task was last taken or ended."""
        return self._clock() - self._moved_at

    def beat_age_seconds(self) -> float | None:
        """Since the last beat; None for a pool without an event loop."""
        return None if self._beat_at is None else self._clock() - self._beat_at

    def judge(
        self, *, waiting: int | None, capacity: int, queues: int, stuck_seconds: float, limit_seconds: float
    ) -> Health:
        """Is work moving?

        waiting: tasks in the queues, None when the broker does not answer. capacity: tasks at a time. queues: number of
        queues consumed. stuck_seconds: how long tasks may wait while a child is free. limit_seconds: of one task.
        """
        now = self._clock()
        failing = []
        age = self.beat_age_seconds()
        if age is not None and age > SILENT_SECONDS:
            failing.append(f"loop: silent for {age:.0f} s")
        if waiting is None:
            failing.append("broker: no answer")
        if not queues:
            failing.append("consumer: takes from no queue")
        with self._lock:
            oldest = min((began for _, began in self._running.values()), default=now)
            is_starved = bool(waiting) and len(self._running) < capacity
            if not is_starved:
                self._waiting_since = None
            elif self._waiting_since is None or self._waiting_since < self._moved_at:
                self._waiting_since = now
            since = self._waiting_since
        if since is not None and now - since >= stuck_seconds:
            failing.append(f"consumer: {waiting} waiting, none taken for {now - since:.0f} s")
        if now - oldest > limit_seconds + OVERDUE_SECONDS:
            failing.append(f"task: running for {now - oldest:.0f} s")
        return Health(tuple(failing))


class Monitor(Collector):
    """One worker's activity, its consumer and its endpoint."""

    def __init__(self, settings: Settings, app: Celery) -> None:
        self._settings = settings
        self._queue = CeleryQueue(app, WorkArea(settings.out))
        self._consumer: Any = None  # Celery's, once it is connected
        self._consumed: frozenset[str] = frozenset()  # queues that it last consumed from
        self._endpoint: Endpoint | None = None
        self._address_file: Path | None = None
        # They would double the series of every counter.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._ended = Counter(f"{PREFIX}_tasks", "Tasks that ended.", ["task", "outcome"], registry=self._registry)
        self._seconds = Histogram(
            f"{PREFIX}_task_seconds",
            "Time from taking a task to its end.",
            ["task"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self.activity = Activity(time.monotonic, finished=self._observe)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def connect(self, consumer: Any) -> None:
        """Celery's consumer has a new connection."""
        self._consumer = consumer

    def start(self, **_: Any) -> None:
        """Serve. A taken port is logged; the worker runs without metrics."""
        assert self._settings.metrics_address is not None
        address = split_address(self._settings.metrics_address)
        try:
            self._endpoint = Endpoint(address, health=self.health, registry=self._registry, tend=self._keep_address)
        except OSError as error:
            _log.error("metrics not served", host=address.host, port=address.port, reason=error.strerror or str(error))
            return
        if not address.port:
            self._queues()
            name = JUDGE if self._consumed == {JUDGE_QUEUE} else WORKER
            self._address_file = address_file(self._settings.state, name)
            with contextlib.suppress(OSError):
                self._address_file.unlink()  # of a worker that was killed
        self._endpoint.start()

    def _keep_address(self) -> None:
        """Write the address file where it is missing: at the start, and after the state folder was deleted."""
        if self._address_file is None or self._endpoint is None or self._address_file.exists():
            return
        served = self._endpoint.address
        with contextlib.suppress(OSError):  # the next turn tries again
            self._address_file.parent.mkdir(parents=True, exist_ok=True)
            self._address_file.write_text(f"{served.host}:{served.port}\n", encoding="ascii")

    def stop(self, **_: Any) -> None:
        """Stop the endpoint."""
        if self._endpoint is not None:
            self._endpoint.stop()
        if self._address_file is not None:
            self._address_file.unlink(missing_ok=True)

    def health(self) -> Health:
        """Does this worker take tasks?"""
        depth, queues = self._queue.depth(), self._queues()
        waiting = None
        if depth is not None:
            waiting = depth.judging if self._consumed == {JUDGE_QUEUE} else depth.untaken
        return self.activity.judge(
            waiting=waiting,
            capacity=self._capacity(),
            queues=len(queues),
            stuck_seconds=STUCK_SECONDS,
            limit_seconds=self._settings.task_time_limit_seconds,
        )

    def describe(self) -> Iterator[Metric]:
        """Nothing: registration must not collect."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The current values."""
        activity = self.activity
        yield _gauge("healthy", "1 when work is moving.", float(self.health().is_ok))
        yield _gauge("tasks_running", "Tasks that run now.", activity.running())
        yield _gauge("processes", "Tasks that can run at a time.", self._capacity())
        yield _gauge("queues", "Queues that are consumed from.", len(self._queues()))
        yield _gauge("idle_seconds", "Since a task was last taken or ended.", activity.idle_seconds())
        refused = "Messages that no sender of ours writes, dropped."
        yield CounterMetricFamily(f"{PREFIX}_messages_dropped", refused, value=dropped.count)
        age = activity.beat_age_seconds()
        if age is not None:
            yield _gauge("beat_age_seconds", "Since the event loop last turned.", age)

    def _observe(self, task: str, outcome: str, seconds: float) -> None:
        self._ended.labels(task, outcome).inc()
        self._seconds.labels(task).observe(seconds)

    def _capacity(self) -> int:
        return int(getattr(getattr(self._consumer, "pool", None), "num_processes", None) or 1)

    def _queues(self) -> frozenset[str]:
        with contextlib.suppress(AttributeError):  # between two connections there is no consumer
            found = frozenset(queue.name for queue in self._consumer.task_consumer.queues)
            self._consumed = found or self._consumed
            return found
        return frozenset()


class MonitoredRequest(Request):
    """A task as the parent sees it: Celery calls these methods in the parent, for every kind of pool."""

    def on_accepted(self, pid: str, time_accepted: float) -> None:
        """A child started it."""
        _current().activity.take(self.id, self.name.removeprefix(OURS))
        super().on_accepted(pid, time_accepted)

    def on_failure(self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False) -> Any:
        """It raised, or its child died."""
        _current().activity.end(self.id, "failed")
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def on_timeout(self, soft: bool, timeout: float) -> Any:
        """It exceeded a time limit; the hard limit has killed its child."""
        if not soft:
            _current().activity.end(self.id, "timeout")
        return super().on_timeout(soft, timeout)

    def acknowledge(self) -> Any:
        """Acknowledged late, so after success; any other end was counted before."""
        _current().activity.end(self.id, "done")
        return super().acknowledge()


class BeatStep(bootsteps.StartStopStep):
    """Reports every new connection and every turn of the event loop to the monitor."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    timer: Any = None

    def start(self, c: Any) -> None:
        """Celery has connected."""
        monitor = _monitor
        if monitor is None:  # an in-process worker: the process has a monitor of its own
            return
        monitor.connect(c)
        if c.hub is not None:
            if self.timer is not None:
                self.timer.cancel()
            monitor.activity.beat()
            self.timer = c.hub.call_repeatedly(BEAT_SECONDS, monitor.activity.beat)


_monitor: Monitor | None = None


def install(settings: Settings, app: Celery) -> None:
    """Monitor the worker of this process."""
    global _monitor  # noqa: PLW0603 -- one worker a process; Celery makes requests and steps itself
    _monitor = Monitor(settings, app)
    for name, task in app.tasks.items():
        if name.startswith(OURS):
            task.Request = f"{__name__}:{MonitoredRequest.__name__}"
    worker_ready.connect(_monitor.start, weak=False)
    worker_shutdown.connect(_monitor.stop, weak=False)


def _current() -> Monitor:
    assert _monitor is not None
    return _monitor


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", meaning, value=value)
