"""`/healthz` and `/metrics` over HTTP, for the watcher and for a worker's parent.

Answers from threads of its own, so many at a time; what it shows comes from two functions that must not block for long.
Nothing else is served and nothing is read from a request but its path.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

import structlog

from config.addresses import Address
from reporting.data.health_json import Health, encode_health

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
TEXT_TYPE = "text/plain; charset=utf-8"
REQUEST_SECONDS = 10.0
MOST_REQUESTS = 32  # at a time; more are turned away

_log = structlog.get_logger()


class Endpoint:
    """A small HTTP server. health, metrics: called anew for every request, from other threads.

    Raises OSError when the address cannot be had.
    """

    def __init__(self, address: Address, *, health: Callable[[], Health], metrics: Callable[[], bytes]) -> None:
        self._server = _Server(address, health, metrics)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.2}, name="endpoint", daemon=True
        )
        self.address = Address(address.host, self._server.server_address[1])
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._server.socket.close)  # a child must not keep the port

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()
        _log.info("metrics served", host=self.address.host, port=self.address.port)

    def stop(self) -> None:
        """End the server; the port is free afterwards."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(timeout=2)
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """IPv4 or IPv6, by the address."""

    daemon_threads = True

    def __init__(self, address: Address, health: Callable[[], Health], metrics: Callable[[], bytes]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        self.health, self.metrics = health, metrics
        self._free = threading.BoundedSemaphore(MOST_REQUESTS)
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind, and look up no name: that of `HTTPServer` asks a resolver, which may not answer."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own if there is one left. It must not wait here: `shutdown` would wait with it."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a prober that went away before its answer."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server_version = "scorewatch"
    sys_version = ""
    timeout = REQUEST_SECONDS

    def do_GET(self) -> None:
        """The page."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """The page without its body."""
        self._answer(with_body=False)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- signature of the base class
        """Keep probes out of the log."""

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        try:
            status, kind, body = self._content(path)
        except Exception:  # noqa: BLE001 -- a probe has to be answered, whatever it finds
            _log.exception("probe failed", path=path)
            status, kind, body = HTTPStatus.INTERNAL_SERVER_ERROR, TEXT_TYPE, b"failed\n"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _content(self, path: str) -> tuple[HTTPStatus, str, bytes]:
        assert isinstance(self.server, _Server)
        if path == "/healthz":
            health = self.server.health()
            status = HTTPStatus.OK if health.is_ok else HTTPStatus.SERVICE_UNAVAILABLE
            return status, "application/json", encode_health(health)
        if path == "/metrics":
            return HTTPStatus.OK, METRICS_TYPE, self.server.metrics()
        return HTTPStatus.NOT_FOUND, TEXT_TYPE, b"/healthz /metrics\n"
