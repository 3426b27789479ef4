"""`/healthz` and `/metrics` over HTTP, for the watcher and for the parent of a worker's processes.

Each request has a thread of its own, so the health function and the collectors must be quick and thread-safe.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import WSGIApplication

import structlog
from prometheus_client import CollectorRegistry, make_wsgi_app

from config import ListenAddress
from reporting.data import Health, encode_health

REQUEST_SECONDS = 10.0
TURN_SECONDS = 0.2
MOST_REQUESTS = 32  # at a time; further connections are closed
_HEADERS = [("Server", "scorewatch"), ("Cache-Control", "no-store")]

_log = structlog.get_logger()


class Endpoint:
    """A small HTTP server.

    health: called for every request. tend: called several times a second by the thread that serves; must not raise.
    Raises OSError when the address is not available.
    """

    def __init__(
        self,
        address: ListenAddress,
        *,
        health: Callable[[], Health],
        registry: CollectorRegistry,
        tend: Callable[[], None] = lambda: None,
    ) -> None:
        self._server = _Server(address, _application(health, registry), tend)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": TURN_SECONDS}, name="endpoint", daemon=True
        )
        self.address = ListenAddress(address.host, self._server.server_port)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._server.socket.close)  # a child must not keep the port

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()
        _log.info("metrics served", host=self.address.host, port=self.address.port)

    def stop(self) -> None:
        """Stop the server and free its port."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(timeout=2)
        self._server.server_close()


def _application(health: Callable[[], Health], registry: CollectorRegistry) -> WSGIApplication:
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]

        def start(status: str, headers: list[tuple[str, str]]) -> None:
            start_response(status, headers + _HEADERS)

        def say(status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8") -> Iterable[bytes]:
            start(f"{status.value} {status.phrase}", [("Content-Type", kind)])
            return [body]

        try:
            if method not in {"GET", "HEAD"}:
                return say(HTTPStatus.METHOD_NOT_ALLOWED, b"GET HEAD\n")
            if path == "/metrics":
                body: Iterable[bytes] = metrics({**environ, "REQUEST_METHOD": "GET"}, start)
            elif path == "/healthz":
                found = health()
                status = HTTPStatus.OK if found.is_ok else HTTPStatus.SERVICE_UNAVAILABLE
                body = say(status, encode_health(found), "application/json")
            else:
                body = say(HTTPStatus.NOT_FOUND, b"/healthz /metrics\n")
        except Exception:  # noqa: BLE001 -- a probe needs an answer in every case
            _log.exception("probe failed", path=path)
            body = say(HTTPStatus.INTERNAL_SERVER_ERROR, b"failed\n")
        return [] if method == "HEAD" else body

    return answer


class _Server(ThreadingMixIn, WSGIServer):
    """IPv4 or IPv6, as the address is."""

    daemon_threads = True

    def __init__(self, address: ListenAddress, application: WSGIApplication, tend: Callable[[], None]) -> None:
        self._tend = tend
        self.address_family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        self._free = threading.BoundedSemaphore(MOST_REQUESTS)
        super().__init__(address, _Handler)
        self.set_app(application)

    def server_bind(self) -> None:
        """Bind without the reverse lookup of `HTTPServer`, for which a resolver may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()

    def service_actions(self) -> None:
        """Called after each turn of the loop that accepts."""
        self._tend()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread if one is free. Waiting for one would block `shutdown`."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer in the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect before the answer."""


class _Handler(WSGIRequestHandler):
    timeout = REQUEST_SECONDS

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- signature of the base class
        """Keep probes out of the log."""
