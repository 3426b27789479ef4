"""Why the queue cannot be used, as a real server says it."""

from pathlib import Path
from typing import Any

import pytest
import redis
from kombu.exceptions import OperationalError

from config import Settings
from workers.broker.condition import BrokerFault, FaultKind
from workers.broker.embedded import socket_url
from workers.broker.server import redis_client
from workers.jobs import WorkArea
from workers.queue import PROBE_NAME, CeleryQueue, fault_of, make_app

pytestmark = pytest.mark.service

# Kind, what is done to the server, how that is undone.
REFUSALS = [
    ("credentials", "CONFIG SET requirepass secret", "CONFIG SET requirepass ''"),
    ("read-only", "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
    ("memory", "CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
]


def found(url: str, out: Path) -> list[BrokerFault | None]:
    """The fault as looking at the queue and as sending a task find it."""
    app = make_app(Settings(), url)
    queue = CeleryQueue(app, WorkArea(out))
    assert queue.depth() is None
    with pytest.raises((OperationalError, redis.RedisError)) as refused:
        app.send_task("scorewatch.score_file", args=["a", "b", "c"], queue="score")
    return [queue.fault, fault_of(refused.value)]


@pytest.mark.parametrize(("kind", "done", "undone"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_refusal_is_named(client: Any, url: str, tmp_path: Path, *, kind: str, done: str, undone: str) -> None:
    client.execute_command(*done.split())
    try:
        faults = found(url, tmp_path)
    finally:
        client.execute_command(*(word.strip("'") for word in undone.split()))
    assert [fault and fault.kind for fault in faults] == [kind, kind]
    queue = CeleryQueue(make_app(Settings(), url), WorkArea(tmp_path))
    assert queue.depth() is not None
    assert queue.fault is None


def test_wrong_password_is_named_and_not_shown(client: redis.Redis, url: str, tmp_path: Path) -> None:
    client.config_set("requirepass", "right")
    try:
        faults = found(url.replace("redis+socket://", "redis+socket://:SECRET@"), tmp_path)
    finally:
        client.config_set("requirepass", "")
    assert [fault and fault.kind for fault in faults] == [FaultKind.CREDENTIALS, FaultKind.CREDENTIALS]
    assert not [fault for fault in faults if "SECRET" in str(fault)]


def test_missing_database_is_named(url: str, tmp_path: Path) -> None:
    faults = found(url.replace("virtual_host=0", "virtual_host=99"), tmp_path)
    assert [fault and fault.kind for fault in faults] == [FaultKind.DATABASE, FaultKind.DATABASE]


def test_missing_server_is_unreachable(tmp_path: Path) -> None:
    faults = found(socket_url(tmp_path / "gone.sock"), tmp_path)
    assert [fault and fault.kind for fault in faults] == [FaultKind.UNREACHABLE, FaultKind.UNREACHABLE]


def test_probe_leaves_nothing(client: redis.Redis, url: str, tmp_path: Path) -> None:
    CeleryQueue(make_app(Settings(), url), WorkArea(tmp_path)).depth()
    assert 0 < redis_client(url).pttl(PROBE_NAME) <= 1000
    assert client.keys() == [PROBE_NAME.encode()]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (redis.exceptions.BusyLoadingError("Redis is loading the dataset in memory"), "other"),
        (redis.exceptions.ResponseError("MISCONF Errors writing to the AOF file"), "other"),
        (redis.exceptions.TimeoutError("Timeout reading from socket"), "unreachable"),
        (ConnectionRefusedError(111, "Connection refused"), "unreachable"),
    ],
    ids=["loading", "disk", "hangs", "refused"],
)
def test_other_faults(error: Exception, kind: str) -> None:
    assert fault_of(error).kind == kind
