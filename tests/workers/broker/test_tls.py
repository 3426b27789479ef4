"""`rediss://` verifies the certificate for Celery and for everything else alike."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import redis
import structlog
from kombu.exceptions import OperationalError

from config import Settings
from tests.workers.broker.tls import CERTIFICATE, TlsEndpoint
from workers.broker.condition import FaultKind
from workers.broker.server import LEASE_NAME, redis_client, watcher_lease
from workers.jobs import Strikes, WorkArea
from workers.queue import CeleryQueue, fault_of, make_app

pytestmark = pytest.mark.service
TRUSTED = {"no verification": {"ssl_cert_reqs": "none"}, "authority": {"ssl_ca_certs": CERTIFICATE}}


@pytest.fixture
def endpoint(url: str) -> Iterator[TlsEndpoint]:
    """A new one for each test: kombu shares connections by host and port, whatever their TLS options."""
    with TlsEndpoint(Path(unquote(urlsplit(url).path))) as endpoint:
        yield endpoint


@pytest.mark.parametrize("options", [{}, {"ssl_cert_reqs": "required"}], ids=["default", "required"])
def test_unknown_certificate_is_refused_everywhere(
    client: redis.Redis, endpoint: TlsEndpoint, tmp_path: Path, *, options: dict[str, str]
) -> None:
    address = endpoint.url(**options)
    app = make_app(Settings(), address)
    with pytest.raises(OperationalError) as refused:
        app.send_task("scorewatch.score_file", args=["a", "b", "c"], queue="score")
    assert fault_of(refused.value).kind is FaultKind.CERTIFICATE
    with pytest.raises(redis.ConnectionError, match="CERTIFICATE_VERIFY_FAILED"):
        redis_client(address).ping()
    queue = CeleryQueue(app, WorkArea(tmp_path))
    assert queue.depth() is None
    assert queue.fault is not None
    assert queue.fault.kind is FaultKind.CERTIFICATE
    assert client.dbsize() == 0  # nothing went over the connection


@pytest.mark.parametrize("options", TRUSTED.values(), ids=TRUSTED)
def test_tasks_lease_and_strikes_use_the_same_connection(
    client: redis.Redis, endpoint: TlsEndpoint, tmp_path: Path, *, options: dict[str, str | Path]
) -> None:
    address = endpoint.url(**options)
    app = make_app(Settings(), address)
    app.send_task("scorewatch.score_file", args=["a", "b", "c"], queue="score")
    assert client.llen("score") == 1
    queue = CeleryQueue(app, WorkArea(tmp_path))
    assert queue.depth() == (1, 0, 0, 0)
    with structlog.testing.capture_logs() as lines:
        assert watcher_lease(address, holder="first", retry_seconds=30.0).hold(0.0)
        assert Strikes(redis_client(address)).take("set", "a") == 1
    assert lines == []
    assert client.get(LEASE_NAME) == b"first"


def test_name_of_the_host_is_verified_unless_that_is_switched_off(endpoint: TlsEndpoint) -> None:
    other = endpoint.url(ssl_ca_certs=CERTIFICATE).replace("localhost", "127.0.0.2")
    with pytest.raises(redis.ConnectionError):
        redis_client(other).ping()
