"""The processes of `scorewatch up`: starts, supervises and stops broker and workers. Main thread only."""

import contextlib
import hashlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import IO

import structlog
from pydantic import SecretStr

import workers
from cli.localised import refusing_to_start, spoken
from cli.service.worker_process import WorkerProcess
from config import ENVIRONMENT_ONLY_NAME, PREFIX, Settings, SettingsError, without_settings
from reporting.wording import reason_of
from workers import JUDGE_QUEUE, REPORT_QUEUE, SCORE_QUEUE
from workers.broker import MEMORY_URL, BrokerError, EmbeddedBroker, find_server
from workers.processes import JUDGE, WORKER, StateFolder, address_file, prepare_private, usable_cores

FINISH_SECONDS = 20.0  # of a warm shutdown

_log = structlog.get_logger()


class Processes:
    """Broker (unless the settings name one) and workers of one state folder; with a judge, one worker for it alone.

    worker_log: where the workers' log goes; None shares our standard error.
    """

    def __init__(self, settings: Settings, state: StateFolder, *, worker_log: IO[bytes] | None = None) -> None:
        self._settings = settings
        self._state = state
        self._name = f"scorewatch-{hashlib.sha256(os.fsencode(state.path)).hexdigest()[:12]}"
        self._worker, self._judge = (
            WorkerProcess(name, state.run, marker=self._name, log=worker_log) for name in (WORKER, JUDGE)
        )
        self._workers = [self._worker] if settings.judge is None else [self._worker, self._judge]
        self._broker: EmbeddedBroker | None = None
        self.broker_url = ""

    @property
    def is_durable(self) -> bool:
        """Does the queue survive this process?"""
        return self.broker_url != MEMORY_URL

    @property
    def address_files(self) -> dict[str, Path]:
        """Name of each worker -> file in which it writes the address of its metrics."""
        return {worker.name: address_file(self._settings.state, worker.name) for worker in self._workers}

    @property
    def ended_workers(self) -> int:
        """How often a worker died."""
        return sum(worker.ended for worker in self._workers)

    def start_broker(self) -> None:
        """Start or find the broker, and set `broker_url`. Raises SettingsError when it does not start."""
        self._worker.reap()
        self._judge.reap()
        if self._settings.broker_url is not None:
            self.broker_url = self._settings.broker_url.get_secret_value()
            return
        server = find_server()
        if server is None:
            self.broker_url = MEMORY_URL
            _log.warning("no broker binary fits: in-memory queue, not durable")
            return
        self._broker = EmbeddedBroker(self._state, server)
        try:
            self._broker.start()
        except (BrokerError, OSError) as error:
            t = spoken()
            reason = reason_of(error, t) if isinstance(error, OSError) else str(error)
            raise SettingsError((t("service.broker-fails", reason=reason),)) from error
        self.broker_url = self._broker.url
        _log.info("broker ready", server=server.name, version=server.version, pid=self._broker.pid)

    def start_workers(self) -> None:
        """Start the workers. Raises SettingsError when one cannot be started."""
        refuse_without_semaphores()
        self._clear()
        with refusing_to_start("service.state-unusable"):
            prepare_private(self._state.scratch)
        for worker in self._workers:
            is_judge = worker is self._judge
            command = worker_command(self._settings, self._name, is_judge=is_judge)
            with refusing_to_start("service.worker-fails"):
                worker.start(command, self.environment(is_judge=is_judge))

    def environment(self, *, is_judge: bool) -> dict[str, str]:
        """Environment of a worker. It serves its metrics on a free port, and writes it to its address file."""
        ours = worker_environment(self._settings, self.broker_url, has_judge_key=is_judge)
        if self._settings.metrics_address is not None:
            ours[f"{PREFIX}METRICS_ADDRESS"] = "127.0.0.1:0"
        return {**without_settings(os.environ), **ours, "TMPDIR": str(self._state.scratch)}

    def check(self) -> bool:
        """Restart what died. True when something died: its tasks may be lost."""
        lost = False
        if self._broker is not None and not self._broker.is_reachable:
            _log.error(
                "broker died" if self._broker.pid is None else "broker not reachable: its socket or address is gone"
            )
            try:
                self._broker.restart()
            except (BrokerError, OSError) as error:
                _log.exception("broker not restarted", reason=str(error))
            lost = True
        if not self._state.scratch.exists():
            with contextlib.suppress(OSError):  # the next check tries again
                prepare_private(self._state.scratch)
        died = [worker.check() for worker in self._workers]
        return lost or any(died)

    def restart_worker(self) -> None:
        """Restart the worker that scores."""
        self._worker.restart()

    def stop(self, *, finish_seconds: float) -> None:
        """Let running tasks finish, then stop workers and broker. No process, socket, pid or address file is left."""
        until = time.monotonic() + finish_seconds
        for worker in self._workers:
            worker.ask_to_end()
        for worker in self._workers:
            worker.end(max(until - time.monotonic(), 0.0), after_seconds=finish_seconds)
        self._clear()
        if self._broker is not None:
            self._broker.stop()

    def kill(self) -> None:
        """Kill the workers and their children, then stop the broker."""
        for worker in self._workers:
            worker.kill()
        self._clear()
        if self._broker is not None:
            self._broker.stop()

    def _clear(self) -> None:
        """Remove what workers that were killed could not."""
        shutil.rmtree(self._state.scratch, ignore_errors=True)
        for path in self.address_files.values():
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def refuse_without_semaphores() -> None:
    """Raise SettingsError where the children of a worker cannot share a lock: /dev/shm is missing or closed."""
    from multiprocessing import get_all_start_methods, get_context

    # A lock of "fork" has no name that stays, so no process has to be started that removes it.
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    try:
        get_context(method).Lock()
    except (OSError, ImportError) as error:
        t = spoken()
        reason = reason_of(error, t) if isinstance(error, OSError) else str(error)
        raise SettingsError((t("service.no-semaphores", reason=reason),)) from error


def worker_command(settings: Settings, name: str, *, is_judge: bool = False) -> list[str]:
    """Command line of a worker; the absolute path of the interpreter first.

    is_judge: it only asks the judge, many items at a time in one process.
    """
    queues = JUDGE_QUEUE if is_judge else f"{SCORE_QUEUE},{REPORT_QUEUE}"
    concurrency = 1 if is_judge else settings.workers or usable_cores()
    return [
        *(sys.executable, "-P", "-m", "workers", "--quiet", "worker"),
        *("--queues", queues, "--concurrency", str(concurrency)),
        *("--hostname", f"{name}-{queues.partition(',')[0]}@%h", "--loglevel", settings.log_level),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


def worker_environment(settings: Settings, broker_url: str, *, has_judge_key: bool) -> dict[str, str]:
    """Variables that give a worker exactly these settings, and no secret that it does not need.

    has_judge_key: only a worker that asks a judge needs its key. For an environment without settings of its own.
    """
    environment = {ENVIRONMENT_ONLY_NAME: "1"}
    kept_here = {"webhook_url"} if has_judge_key else {"webhook_url", "judge_api_key"}
    values = {**dict(settings), "broker_url": None if broker_url == MEMORY_URL else broker_url}
    for name, value in values.items():
        if name not in kept_here and value is not None:
            environment[PREFIX + name.upper()] = _as_text(value)
    root = str(Path(workers.__file__).resolve().parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return environment


def _as_text(value: object) -> str:
    """A setting as its environment variable spells it."""
    match value:
        case Path():
            return str(value.absolute())
        case SecretStr():
            return value.get_secret_value()
        case tuple():
            return ",".join(value)
    return str(value)
