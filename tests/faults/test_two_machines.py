"""A watcher and a worker on two machines: a broker over TCP with a password, and nothing shared but two folders."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
import redis

from tests.faults.harness import IS_LONG, Up, drop, processes_of, wait_for
from tests.faults.undisturbed import Undisturbed
from tests.inner import bundled_server

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

COUNT = 6
PASSWORD = "비밀-p@ss:word/1"
QUOTED = "%EB%B9%84%EB%B0%80-p%40ss%3Aword%2F1"
DOWN_SECONDS = 30.0 if IS_LONG else 3.0
HANG_SECONDS = 12.0 if IS_LONG else 5.0


class Server:
    """A server of its own on a free port of this machine, without persistence."""

    def __init__(self, home: Path) -> None:
        self._home = home
        home.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://:{QUOTED}@127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        found = bundled_server()
        assert found is not None
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "requirepass": PASSWORD,
            "appendonly": "no",
            "save": "",
            "dir": str(self._home),
            "maxmemory-policy": "noeviction",
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", value)]
        with (self._home / "server.log").open("ab") as log:
            self.process = subprocess.Popen([found.path, *arguments], stdout=log, stderr=log)
        wait_for(self._answers, "the server")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        with (
            suppress(redis.ConnectionError),
            redis.Redis(port=self.port, password=PASSWORD, socket_timeout=2) as client,
        ):
            return bool(client.ping())
        return False


class Machine(Up):
    """`scorewatch watch` or `scorewatch worker` with a state folder of its own. shared: holds both shared folders."""

    def __init__(self, home: Path, command: str, shared: Path, url: str) -> None:
        super().__init__(home, BROKER_URL=url)
        self._command = command
        self.watch, self.out = shared / "in", shared / "out"
        self.watch.mkdir(parents=True, exist_ok=True)

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.faults.quick", self._command]

    def children(self) -> list[str]:
        """Those of the other machine, which shares our folders, are not ours."""
        return processes_of(str(self.state))

    def kill(self) -> None:
        """As a loss of power: all of it at once."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Site:
    """A server and two machines; the worker has the shared folders under another path, as a mount."""

    def __init__(self, home: Path) -> None:
        shared, mount = home / "shared", home / "mount"
        shared.mkdir()
        mount.symlink_to(shared)
        self.server = Server(home / "server")
        self.watcher = Machine(home / "machine-1", "watch", shared, self.server.url)
        self.worker = Machine(home / "machine-2", "worker", mount, self.server.url)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Machines that start before their server does."""
    site = Site(tmp_path_factory.mktemp("site"))
    with site.server, site.watcher, site.worker:
        yield site
        assert site.watcher.stop(signal.SIGTERM) == 0
        assert site.worker.stop(signal.SIGTERM) == 0
        assert site.watcher.children() == site.worker.children() == []
        assert PASSWORD not in site.watcher.log.read_text() + site.worker.log.read_text()
        assert QUOTED not in site.watcher.log.read_text() + site.worker.log.read_text()


def drop_some(site: Site, name: str, seed: int) -> None:
    drop(site.watcher.watch, *(f"resume_agent_{name}_{number}.csv" for number in range(COUNT)), seed=seed)


def test_broker_that_is_down_at_the_start(site: Site, tmp_path: Path) -> None:
    with Undisturbed(site.watcher, tmp_path):
        drop_some(site, "early", 400)
        drop(site.watcher.watch, "방/resume_agent_1.csv", "방/resume_agent_2.csv", seed=408)
        wait_for(lambda: any(event["event"] == "queue down" for event in site.watcher.events()), "it to be told")
        time.sleep(DOWN_SECONDS)  # the fault itself
        assert not any(site.watcher.out.glob("*/status.json"))
        site.server.start()


def test_broker_that_goes_down_and_forgets(site: Site, tmp_path: Path) -> None:
    with Undisturbed(site.watcher, tmp_path):
        drop_some(site, "before", 420)
        site.server.kill()
        drop_some(site, "meanwhile", 430)
        time.sleep(DOWN_SECONDS)  # the fault itself
        site.server.start()


def test_broker_that_hangs(site: Site, tmp_path: Path) -> None:
    assert site.server.process is not None
    with Undisturbed(site.watcher, tmp_path):
        drop_some(site, "before_hang", 440)
        site.server.process.send_signal(signal.SIGSTOP)
        drop_some(site, "in_hang", 450)
        time.sleep(HANG_SECONDS)  # the fault itself
        site.server.process.send_signal(signal.SIGCONT)


def test_machine_of_the_worker_is_lost(site: Site, tmp_path: Path) -> None:
    with Undisturbed(site.watcher, tmp_path):
        drop_some(site, "lost_worker", 460)
        wait_for(lambda: any(site.watcher.out.glob("resume_agent_lost_worker_*/status.json")), "a first report")
        site.worker.kill()
        site.worker.start()


def test_machine_of_the_watcher_is_lost(site: Site, tmp_path: Path) -> None:
    with Undisturbed(site.watcher, tmp_path):
        drop_some(site, "lost_watcher", 470)
        wait_for(lambda: any(site.watcher.out.glob("resume_agent_lost_watcher_*/status.json")), "a first report")
        site.watcher.kill()
        drop_some(site, "while_away", 480)
        site.watcher.start()
