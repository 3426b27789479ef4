"""`status`, `watch` and `up` say that the queue cannot be used, why, and how many sets wait."""

import json
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.screen import cells
from tests.cli.place import Place
from tests.faults.harness import Up, drop, wait_for
from tests.inner import bundled_server, redis_client, save_snapshot
from tests.workers.broker.tls import CERTIFICATE, TlsEndpoint
from watcher import Snapshot
from workers.broker import EmbeddedBroker
from workers.processes import StateFolder


@pytest.fixture
def waiting(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Ten files of tests/cases_found/status_broker_down, of which one has its report, and a note that is none."""
    monkeypatch.setenv("SCOREWATCH_WATCH", "in")
    monkeypatch.setenv("SCOREWATCH_OUT", "out")
    for number in range(10):
        place.file(f"in/resume_agent_{number}.csv")
    place.file("in/notes.csv", "a,b\n")
    place.score("in/resume_agent_0.csv", "--out", "out")
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://127.0.0.1:1/0")
    return place


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBroker]:
    server = bundled_server()
    assert server is not None
    with StateFolder(tmp_path_factory.mktemp("state")) as state:
        broker = EmbeddedBroker(state, server)
        broker.start()
        yield broker
        broker.stop()


@pytest.mark.parametrize(
    ("language", "said"),
    [("ko", "큐에 연결할 수 없습니다(Error "), ("en", "The queue cannot be reached (Error ")],
)
def test_status_without_a_broker_says_so_and_how_many_sets_wait(waiting: Place, *, language: str, said: str) -> None:
    ran = waiting.run("status", "--language", language)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert max(map(cells, lines)) <= 100
    first = next(at for at, line in enumerate(lines) if line.startswith(said[:12]))
    last = lines.index({"ko": "기다리는 세트: 9", "en": "Sets waiting: 9"}[language])
    assert "SCOREWATCH_BROKER_URL" in " ".join(lines[first:last])  # what to do is there, however long the address is
    assert any(line.startswith(said) for line in waiting.run("status", "-v", "--language", language).out.splitlines())


def test_status_as_json_has_the_fault_and_the_number(waiting: Place) -> None:
    ran = waiting.run("status", "--json")
    told = json.loads(ran.out)
    assert ran.code == 1
    assert told["queue"] is None
    assert told["queue_fault"]["kind"] == "unreachable"
    assert "127.0.0.1:1" in told["queue_fault"]["reason"]
    assert told["waiting_sets"] == 9


def test_status_takes_the_number_of_a_watcher_that_runs(waiting: Place) -> None:
    seen = Snapshot(sets=40, settled=7, judging=3, asked=5)
    (waiting.root / ".scorewatch").mkdir(exist_ok=True)
    save_snapshot(waiting.root / ".scorewatch", seen, observer="native", reason="")
    ran = waiting.run("status")
    assert ran.code == 1
    assert "기다리는 세트: 30" in ran.out.splitlines()


def test_status_does_not_guess_the_number_where_the_folder_cannot_be_read(
    waiting: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREWATCH_WATCH", "gone")
    assert "기다리는 세트: 모름" in waiting.run("status").out


def test_embedded_broker_is_not_missed_while_nothing_runs(waiting: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOREWATCH_BROKER_URL")
    left = waiting.root / ".scorewatch" / "broker"
    left.mkdir(parents=True)
    (left / "url").write_text(f"redis+socket://{left}/broker.sock?virtual_host=0")  # after a kill of `up`
    ran = waiting.run("status")
    assert ran.code == 0
    assert "큐" not in ran.out


@pytest.mark.service
@pytest.mark.parametrize(
    ("done", "undone", "said"),
    [
        ("CONFIG SET requirepass x", "CONFIG SET requirepass ''", "큐가 암호를 받지 않습니다"),
        ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE", "큐가 읽기만 허락합니다"),
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", "큐의 메모리가 찼습니다"),
        ("PING", "PING", "큐에 그런 데이터베이스 번호가 없습니다"),
    ],
    ids=["password", "replica", "memory", "database"],
)
def test_status_says_why_the_queue_refuses(
    waiting: Place, broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch, *, done: str, undone: str, said: str
) -> None:
    url = broker.url.replace("virtual_host=0", "virtual_host=99") if done == "PING" else broker.url
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", url)
    client: Any = redis_client(broker.url)
    client.execute_command(*shlex.split(done))
    try:
        ran = waiting.run("status", "-v")
    finally:
        client.execute_command(*shlex.split(undone))
    assert ran.code == 1
    assert any(line.startswith(said) for line in ran.out.splitlines())
    assert "기다리는 세트: 9" in ran.out.splitlines()
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", broker.url)
    assert waiting.run("status").code == 0


def test_status_waits_seconds_only_for_a_server_that_hangs(waiting: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.broker.server.PUBLISH_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("SCOREWATCH_BROKER_URL", f"redis://127.0.0.1:{server.getsockname()[1]}/0")
        ran = waiting.run("status", "-v")
    assert ran.code == 1
    assert "큐에 연결할 수 없습니다(Timeout" in ran.out


@pytest.mark.service
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_up_refuses_an_unknown_certificate_and_works_with_its_authority(broker: EmbeddedBroker, tmp_path: Path) -> None:
    """The case tests/cases_found/rediss_unverified."""
    client = redis_client(broker.url)
    client.flushall()
    with TlsEndpoint(Path(broker.url.removeprefix("redis+socket://").partition("?")[0])) as endpoint:
        with Up(tmp_path / "refused", "--drain", "--drain-timeout", "8", BROKER_URL=endpoint.url()) as up:
            drop(up.watch, "resume_agent_1.csv")
            assert up.wait() == 1
            said = up.log.read_text(encoding="utf-8")
            assert said.count("큐의 TLS 인증서를 신뢰할 수 없어") == 2  # at the start and at the end
            assert "기다리는 세트: 1" in said
            assert any(event["event"] == "queue down" for event in up.events())
            assert up.status("resume_agent_1") is None
        assert client.keys() == []
        trusted = endpoint.url(ssl_ca_certs=CERTIFICATE)
        with Up(tmp_path / "trusted", BROKER_URL=trusted) as up:
            drop(up.watch, "resume_agent_1.csv")
            up.wait_settled("resume_agent_1")
            wait_for(lambda: bool(client.exists("scorewatch:watcher")), "the lease")
            assert up.stop() == 0
            assert "lease not renewed" not in up.log.read_text(encoding="utf-8")
