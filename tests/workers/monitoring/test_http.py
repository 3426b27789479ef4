"""The HTTP side of health and metrics."""

import http.client
import json
import socket
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector
from structlog.testing import capture_logs

from config import ListenAddress
from reporting.data import Health, decode_health, encode_health, merge_health
from tests.faults.harness import wait_for
from workers.monitoring import http as module
from workers.monitoring.http import Endpoint


class Source(Collector):
    found = Health()
    is_failing = False

    def health(self) -> Health:
        if self.is_failing:
            raise RuntimeError("hidden from the prober")
        return self.found

    def describe(self) -> Iterator[Metric]:
        return iter(())

    def collect(self) -> Iterator[Metric]:
        if self.is_failing:
            raise RuntimeError("hidden from the prober")
        yield CounterMetricFamily("taken", "Tasks taken.", value=3)

    def registry(self) -> CollectorRegistry:
        registry = CollectorRegistry()
        registry.register(self)
        return registry


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def endpoint(source: Source) -> Iterator[Endpoint]:
    endpoint = Endpoint(ListenAddress("127.0.0.1", 0), health=source.health, registry=source.registry())
    endpoint.start()
    yield endpoint
    endpoint.stop()


def _get(endpoint: Endpoint, path: str, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(endpoint.address.host, endpoint.address.port, timeout=5)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.mark.parametrize(
    ("health", "status", "state"),
    [
        (Health(), 200, "ok"),
        (Health(degraded=("files: 1",)), 200, "degraded"),
        (Health(failing=("loop: silent",)), 503, "failing"),
    ],
)
def test_health_is_a_status_and_its_reasons(
    endpoint: Endpoint, source: Source, health: Health, status: int, state: str
) -> None:
    source.found = health
    found, body = _get(endpoint, "/healthz?from=probe")
    assert found == status
    assert json.loads(body) == {"state": state, "failing": list(health.failing), "degraded": list(health.degraded)}
    assert decode_health(body) == health
    assert _get(endpoint, "/healthz", "HEAD") == (status, b"")


def test_nothing_else_is_served(endpoint: Endpoint) -> None:
    assert _get(endpoint, "/../etc/passwd") == (404, b"/healthz /metrics\n")
    assert _get(endpoint, "/metrics/") == _get(endpoint, "/") == (404, b"/healthz /metrics\n")
    assert _get(endpoint, "/metrics", "POST") == _get(endpoint, "/healthz", "PUT") == (405, b"GET HEAD\n")


def test_metrics_are_the_registry_in_the_format_that_the_client_accepts(endpoint: Endpoint) -> None:
    text = b"# HELP taken_total Tasks taken.\n# TYPE taken_total counter\ntaken_total 3.0\n"
    assert _get(endpoint, "/metrics") == (200, text)
    assert _get(endpoint, "/metrics", "HEAD") == (200, b"")
    connection = http.client.HTTPConnection(*endpoint.address, timeout=5)
    connection.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    answer = connection.getresponse()
    assert answer.read().endswith(b"taken_total 3.0\n# EOF\n")
    connection.close()
    assert (answer.headers["Server"], answer.headers["Cache-Control"]) == ("scorewatch", "no-store")
    assert str(answer.headers["Content-Type"]).startswith("application/openmetrics-text; version=1.0.0")


@pytest.mark.parametrize("path", ["/metrics", "/healthz"])
def test_failing_source_is_logged_and_not_shown_to_the_prober(
    endpoint: Endpoint, source: Source, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source.is_failing = True
    with capture_logs() as lines:
        assert _get(endpoint, path) == (500, b"failed\n")
    assert [line["event"] for line in lines] == ["probe failed"]
    assert "hidden" not in capfd.readouterr().err, "the server has logs of its own"


def test_taken_port_raises_and_a_stopped_endpoint_frees_it(endpoint: Endpoint, source: Source) -> None:
    with pytest.raises(OSError, match="in use"):
        Endpoint(endpoint.address, health=source.health, registry=source.registry())
    endpoint.stop()
    with socket.create_server(endpoint.address):
        pass


def test_no_name_is_looked_up_at_the_start(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that does not answer would hold up the start for seconds."""
    asked: list[str] = []
    monkeypatch.setattr(socket, "getfqdn", asked.append)
    endpoint = Endpoint(ListenAddress("127.0.0.1", 0), health=source.health, registry=source.registry())
    endpoint.stop()
    assert (asked, endpoint.address.port > 0) == ([], True)


def test_connections_beyond_the_bound_are_turned_away_until_one_ends(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_REQUESTS", 2)
    endpoint = Endpoint(ListenAddress("127.0.0.1", 0), health=source.health, registry=source.registry())
    endpoint.start()
    try:
        with (
            socket.create_connection(endpoint.address),
            socket.create_connection(endpoint.address),
            socket.create_connection(endpoint.address, timeout=5) as third,
        ):
            assert third.recv(1) == b""
        wait_for(lambda: _is_answered(endpoint), "an answer")
    finally:
        endpoint.stop()


def _is_answered(endpoint: Endpoint) -> bool:
    try:
        return _get(endpoint, "/healthz")[0] == 200
    except (http.client.HTTPException, OSError):
        return False


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated"),
        (b"{}", "no health"),
        (b"[]", "Expected `object`"),
        (b'{"failing": "x", "degraded": []}', "no health"),
    ],
)
def test_other_answers_are_no_health(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_health(data)


def test_merged_reasons_name_their_part() -> None:
    watcher, worker = Health(("a",), ("b",)), Health((), ("c",))
    merged = merge_health([("watcher", watcher), ("worker", worker)])
    assert merged == Health(("watcher: a",), ("watcher: b", "worker: c"))
    assert decode_health(encode_health(merged)) == merged
