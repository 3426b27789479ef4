"""The connection to a judge, with a limit on what it reads of a reply (docs/limits.md)."""

from __future__ import annotations

import contextlib
import zlib

import httpx2

REPLY_LIMIT = 1 << 20  # bytes, decoded; a reply is a level and a reason of some hundred characters
TOO_LARGE = "scorewatch-too-large"  # extension of a response of which only the start was read
_WINDOW_BITS = {"": None, "identity": None, "gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class LimitedTransport(httpx2.AsyncBaseTransport):
    """Reads whole responses, of at most REPLY_LIMIT bytes before and after decoding.

    A longer one, or one in an encoding that was not asked for, comes without a body and marked as TOO_LARGE. The
    client would read all of it, and decode whatever a block of it stands for.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, its body read."""
        request.headers["Accept-Encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        body: bytes | None = b""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        try:
            async with contextlib.aclosing(response.aiter_raw()) as blocks:
                async for block in blocks:
                    assert body is not None
                    body += block
                    if len(body) > REPLY_LIMIT:
                        body = None
                        break
        finally:
            await response.aclose()
        body = None if body is None else _decoded(body, encoding)
        headers = [pair for pair in response.headers.raw if pair[0].lower() not in _OF_THE_BODY]
        extensions = {name: value for name, value in response.extensions.items() if name != "network_stream"}
        return httpx2.Response(
            response.status_code,
            headers=headers,
            content=body or b"",
            extensions=extensions | ({TOO_LARGE: True} if body is None else {}),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


_OF_THE_BODY = {b"content-encoding", b"content-length", b"transfer-encoding"}


def _decoded(body: bytes, encoding: str) -> bytes | None:
    """The body without its encoding; None when that is unknown, damaged, or too much comes out of it."""
    if encoding not in _WINDOW_BITS:
        return None
    bits = _WINDOW_BITS[encoding]
    if bits is None:
        return body
    try:
        decoded = zlib.decompressobj(bits).decompress(body, REPLY_LIMIT + 1)
    except zlib.error:
        return None
    return decoded if len(decoded) <= REPLY_LIMIT else None
