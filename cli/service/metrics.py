"""Health and metrics of the watcher, under `up` with those of its workers. Imported only when an address is set.

The watcher's loop assigns its figures every two seconds and counts settled sets; the threads of the endpoint read them
and never use the watcher.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from cli.localised import spoken
from config import ListenAddress, SettingsError, split_address
from reporting.data import Health, decode_health, merge_health
from reporting.store import State
from reporting.wording import in_words
from scoring.items import ENGINE_VERSION
from watcher import Figures, HealthPolicy, judge
from workers import CeleryQueue
from workers.monitoring import Endpoint
from workers.processes import WORKER

if TYPE_CHECKING:
    from watcher import Notifier  # brings an HTTP client

PREFIX = "scorewatch"
WORKER_PREFIX = "scorewatch_worker_"
ASK_WORKER_SECONDS = 3.0
SECONDS = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)


class WatchMonitor(Collector):
    """Serves the figures of a watcher.

    queue: None when it is in this process. workers: name -> file in which a worker of the same `up` writes its address.
    """

    def __init__(
        self,
        policy: HealthPolicy,
        queue: CeleryQueue | None,
        *,
        address: ListenAddress,
        workers: Mapping[str, Path],
        notifier: Notifier | None,
    ) -> None:
        self._policy = policy
        self._notifier = notifier
        self._queue = queue
        self._address = address
        self._workers = dict(workers)
        self.figures = Figures(at=time.monotonic(), scanned_at=None, moved_at=time.monotonic())
        self._endpoint: Endpoint | None = None
        # They would double the series of every counter.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._settled = Counter(
            f"{PREFIX}_settled",
            "Sets settled since the start, without those found settled.",
            ["state"],
            registry=self._registry,
        )
        self._drop_to_report = Histogram(
            f"{PREFIX}_drop_to_report_seconds",
            "From the last change seen of a set's files to its report or problem.",
            buckets=SECONDS,
            registry=self._registry,
        )
        for state in State:
            self._settled.labels(state.value)
        Info(f"{PREFIX}_build", "What runs.", registry=self._registry).info(
            {"version": version("scorewatch"), "engine": str(ENGINE_VERSION)}
        )
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def settled(self, state: State, seconds: float | None) -> None:
        """Count a set that was asked for. seconds: since its files changed; None when that is unknown."""
        self._settled.labels(state.value).inc()
        if seconds is not None:
            self._drop_to_report.observe(seconds)

    def start(self) -> None:
        """Start to serve. Raises SettingsError when the address cannot be bound."""
        try:
            self._endpoint = Endpoint(self._address, health=self.health, registry=self._registry)
        except OSError as error:
            where = f"{self._address.host}:{self._address.port}"
            t = spoken()
            reason = in_words(error.strerror or str(error), t)
            raise SettingsError((t("service.address", where=where, reason=reason),)) from error
        self._endpoint.start()

    def stop(self) -> None:
        """Stop the endpoint."""
        if self._endpoint is not None:
            self._endpoint.stop()

    def health(self) -> Health:
        """Health of the watcher and of our workers."""
        own = self._own_health(has_broker=self._queue is None or self._queue.depth() is not None)
        if not self._workers:
            return own
        return merge_health([("watcher", own), *((name, self._worker_health(name)) for name in self._workers)])

    def describe(self) -> Iterator[Metric]:
        """Describe nothing: the registry must not collect at registration."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The last figures of the watcher, and the present depth of the queue."""
        figures, now = self.figures, time.monotonic()
        depth = self._queue.depth() if self._queue is not None else None
        has_broker = self._queue is None or depth is not None
        known = figures.snapshot
        is_ok = self._own_health(has_broker=has_broker).is_ok
        yield _gauge("watcher_healthy", "1 when work is moving.", float(is_ok))
        yield _gauge("watcher_leading", "1 when it does the work, 0 when it stands by.", float(known.is_leading))
        yield _gauge("loop_age_seconds", "Since the watcher last said what it knows.", now - figures.at)
        yield _gauge("observer_alive", "1 while file events are listened for.", float(figures.is_observing))
        yield _gauge("folders_polled", "Folders without an inotify watch, polled.", figures.polled_folders)
        yield _gauge("observer_polling", "1 when polling, 0 with native events.", float(figures.is_polling))
        yield CounterMetricFamily(f"{PREFIX}_observer_restarts", "Times it was restarted.", value=figures.restarts)
        yield CounterMetricFamily(f"{PREFIX}_scans", "Scans that could be believed.", value=figures.scans)
        if figures.scanned_at is not None:
            yield _gauge("scan_age_seconds", "Since the last such scan.", now - figures.scanned_at)
        yield _gauge("folder_degraded", "1 when the watched folder is missing or emptied.", float(bool(known.degraded)))
        sets = {State.REPORT.value: known.settled - known.problems, State.PROBLEM.value: known.problems}
        yield _by_label(GaugeMetricFamily, "sets", "Sets by what is published in their folder.", "state", sets)
        yield _by_label(GaugeMetricFamily, "gate_sets", "Sets by the state of their gate.", "state", figures.gates)
        yield _gauge("sets_wanted", "Sets in the watched folder.", known.sets)
        yield _gauge("sets_asked", "Sets that workers were asked for and have not settled.", known.asked)
        yield _gauge("sets_judging", "Sets reported that wait for verdicts of a judge.", known.judging)
        yield _gauge("oldest_waiting_seconds", "Age of the oldest set not reported.", figures.oldest_waiting_seconds)
        yield _gauge("tried_again", "Sets and files that failed for a passing reason.", len(known.troubles))
        yield _gauge("files_settling", "Files that do not stand still yet.", known.settling)
        yield _gauge("files_unclaimed", "Files that are not scored.", known.unclaimed_count)
        yield _gauge("broker_up", "1 when the queue answers.", float(has_broker))
        if depth is not None:
            yield _by_label(GaugeMetricFamily, "queue_tasks", "Tasks in the queue.", "state", depth._asdict())
        yield from self._judge()
        if self._notifier is not None:
            yield _gauge("webhook_waiting", "Notifications that wait.", self._notifier.waiting)
            outcomes = dict(self._notifier.outcomes)
            yield _by_label(CounterMetricFamily, "webhook", "Attempts to notify, by outcome.", "outcome", outcomes)
        yield from self._worker_metrics()

    def _judge(self) -> Iterator[Metric]:
        """Requests to judges by all machines."""
        counts = self._queue.judge_counts() if self._queue is not None else None
        if counts is None:
            return
        yield _counter("judge_requests", "Requests to the judge, tries again included.", counts.requests)
        yield _counter("judge_verdicts", "Levels that came of it.", counts.verdicts)
        yield _counter("judge_failures", "Tries at an item that brought none.", counts.failures)
        yield _counter("judge_known", "Items that had their verdict already.", counts.known)
        tokens = {"prompt": counts.prompt_tokens, "completion": counts.completion_tokens}
        yield _by_label(CounterMetricFamily, "judge_tokens", "Tokens of the verdicts.", "kind", tokens)
        assert self._queue is not None
        if costs := self._queue.judge_costs():
            yield _by_label(CounterMetricFamily, "judge_cost", "Money that they cost.", "currency", costs)

    def _own_health(self, *, has_broker: bool) -> Health:
        health = judge(self.figures, self._policy, time.monotonic(), has_broker=has_broker)
        if self._notifier is None or not self._notifier.paused:
            return health
        return health._replace(degraded=(*health.degraded, f"notifications: paused, {self._notifier.paused}"))

    def _worker_health(self, name: str) -> Health:
        try:
            return decode_health(self._ask_worker(name, "/healthz"))
        except (OSError, ValueError, http.client.HTTPException):
            return Health(("no answer",))

    def _worker_metrics(self) -> list[Metric]:
        """Those of our own worker that scores, without the figures of its process, whose names are ours too."""
        if WORKER not in self._workers:
            return []
        try:
            families = list(text_string_to_metric_families(self._ask_worker(WORKER, "/metrics").decode()))
        except (OSError, ValueError, http.client.HTTPException):
            return []
        return [family for family in families if family.name.startswith(WORKER_PREFIX)]

    def _ask_worker(self, name: str, path: str) -> bytes:
        address = split_address(self._workers[name].read_text(encoding="ascii").strip())
        connection = http.client.HTTPConnection(address.host, address.port, timeout=ASK_WORKER_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{PREFIX}_{name}", meaning, value=value)


def _by_label(
    family: type[GaugeMetricFamily | CounterMetricFamily],
    name: str,
    meaning: str,
    label: str,
    values: Mapping[str, float],
) -> Metric:
    """One family with a value for each value of a label."""
    metric = family(f"{PREFIX}_{name}", meaning, labels=[label])
    for labelled, value in values.items():
        metric.add_metric([labelled], value)
    return metric


def _counter(name: str, meaning: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(f"{PREFIX}_{name}", meaning, value=value)
