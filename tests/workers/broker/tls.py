"""A TLS endpoint before a server's Unix socket: the bundled server has no TLS of its own."""

import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

CERTIFICATE = Path(__file__).with_name("localhost.pem")  # self-signed, for localhost, with its key; no secret
_CHUNK = 1 << 16


class TlsEndpoint:
    """Accepts TLS on a free port of localhost and forwards what it decrypts. A context manager."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(CERTIFICATE)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def url(self, **options: str | Path) -> str:
        """Broker URL of the endpoint."""
        query = "&".join(f"{name}={quote(str(value))}" for name, value in options.items())
        return f"rediss://localhost:{self.port}/0{'?' if query else ''}{query}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for connection in (self._listener, *self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        try:
            client = self._context.wrap_socket(plain, server_side=True)
        except OSError:  # the client refused the certificate
            plain.close()
            return
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._target))
        self._open += [client, server]
        threading.Thread(target=_forward, args=(server, client), daemon=True).start()
        _forward(client, server)


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    for connection in (source, target):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
