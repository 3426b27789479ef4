"""The processes of `scorewatch up`: broker and worker, watched over and ended in order. Main thread only."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import structlog
from pydantic import SecretStr

import workers
from config.errors import SettingsError
from config.settings import PREFIX, Settings
from workers.broker import MEMORY_URL, BrokerError, EmbeddedBroker, find_server
from workers.celery_settings import REPORT_QUEUE, SCORE_QUEUE
from workers.children import Child
from workers.state import StateFolder

FINISH_SECONDS = 20.0  # for running tasks, at the end
KILL_SECONDS = 2.0
RESTART_LIMIT_SECONDS = 30.0
HEALTHY_SECONDS = 5.0  # a worker that lived so long is started again at once

_log = structlog.get_logger()


class Processes:
    """Broker (unless one is named in the settings) and worker of one state folder.

    worker_log: where the worker's log goes; None shares our standard error.
    """

    def __init__(self, settings: Settings, state: StateFolder, *, worker_log: IO[bytes] | None = None) -> None:
        self._settings = settings
        self._state = state
        self._worker_log = worker_log
        self._name = f"scorewatch-{hashlib.sha256(os.fsencode(state.path)).hexdigest()[:12]}"
        self._worker = Child("worker", state.run, marker=self._name)
        self._broker: EmbeddedBroker | None = None
        self._deaths = 0
        self._started_at = 0.0
        self._restart_at: float | None = None
        self.broker_url = ""

    @property
    def is_durable(self) -> bool:
        """Does the queue outlive this process?"""
        return self.broker_url != MEMORY_URL

    @property
    def worker_pid(self) -> int | None:
        """Process id of the worker's parent while it runs."""
        return self._worker.pid

    @property
    def broker_pid(self) -> int | None:
        """Process id of the embedded broker while it runs."""
        return self._broker.pid if self._broker is not None else None

    def start_broker(self) -> None:
        """Start or find the broker; `broker_url` names it afterwards. Raises SettingsError when it does not start."""
        self._worker.reap()
        if self._settings.broker_url is not None:
            self.broker_url = self._settings.broker_url.get_secret_value()
            return
        server = find_server(bundled_only=self._settings.force_bundled_broker)
        if server is None:
            self.broker_url = MEMORY_URL
            _log.warning("no broker binary fits: in-memory queue, not durable")
            return
        self._broker = EmbeddedBroker(self._state, server)
        try:
            self._broker.start()
        except (BrokerError, OSError) as error:
            raise SettingsError((f"내장 브로커가 뜨지 않습니다: {error}",)) from error
        self.broker_url = self._broker.url
        _log.info("broker ready", server=server.name, version=server.version, pid=self._broker.pid)

    def start_worker(self) -> None:
        """Start the worker process."""
        self._started_at = time.monotonic()
        self._restart_at = None
        self._worker.start(
            worker_command(self._settings, self._name),
            environment={**os.environ, **worker_environment(self._settings, self.broker_url), **self._kept_here()},
            stdout=subprocess.DEVNULL,
            stderr=self._worker_log,
        )
        _log.info("worker started", pid=self._worker.pid)

    def _kept_here(self) -> dict[str, str]:
        """What the worker gets instead of our own: a free port, which it tells us, and no secret it does not need."""
        metrics = "127.0.0.1:0" if self._settings.metrics_address is not None else ""
        return {f"{PREFIX}METRICS_ADDRESS": metrics, f"{PREFIX}WEBHOOK_URL": ""}

    def check(self) -> bool:
        """Restart what died. True when something had: what it held may be lost."""
        lost = False
        if self._broker is not None and not self._broker.is_reachable:
            _log.error("broker died" if self._broker.pid is None else "broker cut off: its socket or address is gone")
            try:
                self._broker.restart()
            except (BrokerError, OSError) as error:
                _log.exception("broker not restarted", reason=str(error))
            lost = True
        now = time.monotonic()
        if self._worker.exit_code is not None and self._restart_at is None:
            self._deaths = 1 if now - self._started_at > HEALTHY_SECONDS else self._deaths + 1
            self._restart_at = now + min(2.0 ** (self._deaths - 2), RESTART_LIMIT_SECONDS) * (self._deaths > 1)
            _log.error("worker died", exit_code=self._worker.exit_code)
            self._worker.kill()  # its children, where they did not end with it
            lost = True
        if self._restart_at is not None and now >= self._restart_at:
            self.start_worker()
        return lost

    def restart_worker(self) -> None:
        """End and start the worker: it is there and does nothing."""
        self._worker.end(KILL_SECONDS)
        self.start_worker()

    def stop(self, *, finish_seconds: float) -> None:
        """Let running tasks finish, then end worker and broker. No process, no socket, no pid file stays."""
        self._worker.signal(signal.SIGTERM)
        if not self._worker.wait(finish_seconds) and finish_seconds:
            _log.warning("worker killed", after_seconds=finish_seconds)
        self._worker.end(0.0)
        if self._broker is not None:
            self._broker.stop()

    def kill(self) -> None:
        """End the worker at once, with whatever its children do, then the broker."""
        self._worker.kill()
        self._worker.forget()
        if self._broker is not None:
            self._broker.stop()


def worker_command(settings: Settings, name: str) -> list[str]:
    """Command line of a worker; the absolute path of the interpreter first."""
    concurrency = settings.workers or available_cores()
    return [
        *(sys.executable, "-P", "-m", "workers", "--quiet", "worker"),
        *("--queues", f"{SCORE_QUEUE},{REPORT_QUEUE}", "--concurrency", str(concurrency)),
        *("--hostname", f"{name}@%h", "--loglevel", settings.log_level),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


def worker_environment(settings: Settings, broker_url: str) -> dict[str, str]:
    """Environment that gives a child exactly these settings, whatever files it finds."""
    environment = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if name == "broker_url":
            value = None if broker_url == MEMORY_URL else broker_url
        if isinstance(value, Path):
            value = value.absolute()
        elif isinstance(value, SecretStr):
            value = value.get_secret_value()
        elif isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, tuple):
            value = ",".join(value)
        if value is not None:
            environment[PREFIX + name.upper()] = str(value)
    root = str(Path(workers.__file__).resolve().parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return environment


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
