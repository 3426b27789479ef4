"""Chat completions of one OpenAI-compatible endpoint, through the official client, each reply up to a limit.

Classifies failures: of the endpoint, which ends the judging for now, or of one request. Imported only where a judge is
configured: the client takes about a second to import.
"""

import contextlib
import errno
import logging
import os
import zlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from typing import Any, NamedTuple

import httpx2
import msgspec
import openai
from openai import AsyncOpenAI

from workers.judge.errors import CallFailed, JudgeDownError, Slug, redacted

REPLY_LIMIT = 1 << 20  # bytes, decoded; a reply is a level and a reason of some hundred characters
TOO_LARGE = "scorewatch-too-large"  # extension of a response of which only the start was read
_WINDOW_BITS = {"": None, "identity": None, "gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
MAX_RETRIES = 4  # of one request, by the client: back-off from 0.5 s, or as `Retry-After` says
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"  # the client requires one; endpoints without keys ignore it
_MAX_DETAIL = 200
_QUIET = ("openai", "httpx2", "httpcore2")  # they log addresses, and bodies at debug level
_SCHEMA, _TEMPERATURE = "response_format", "temperature"
# What endpoints write when they refuse a parameter. `guided_json` is vLLM's.
_SIGNS = {
    _TEMPERATURE: ("temperature",),
    _SCHEMA: ("response_format", "response format", "json_schema", "schema", "guided", "grammar", "structured output"),
}
_TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "exceed_context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "maximum number of tokens",
    "max_model_len",
    "reduce the length",
    "string_above_max_length",
)
_last_status: ContextVar[int] = ContextVar("last_status", default=0)


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


class Completion(NamedTuple):
    """text: what the model wrote. is_cut: it ran out of tokens. is_refused: by the model or by a filter.

    prompt_tokens, completion_tokens: as the endpoint counted them, None where it did not.
    """

    text: str
    is_cut: bool
    is_refused: bool
    prompt_tokens: int | None
    completion_tokens: int | None


class _Message(msgspec.Struct):
    content: Any = None
    refusal: Any = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None


class _Usage(msgspec.Struct):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Body)


class JudgeClient:
    """Asks one endpoint. Belongs to one event loop; close it with `aclose`.

    refused: optional parameters that the endpoint does not accept; shared by the clients of one judge, which add to it.
    requests: HTTP requests sent, retries included.
    """

    def __init__(self, *, base_url: str, api_key: str, model: str, timeout_seconds: float, refused: set[str]) -> None:
        for name in _QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.requests = 0
        self.has_answered = False
        self._model = model
        self._key = api_key
        self._refused = refused
        # The key goes only to the configured address: no redirects, and no proxy or netrc of the environment.
        # SSL_CERT_FILE and SSL_CERT_DIR still count: a company's endpoint may have an authority of its own.
        transport = httpx2.AsyncClient(
            follow_redirects=False,
            trust_env=False,
            transport=LimitedTransport(httpx2.AsyncHTTPTransport(verify=httpx2.create_ssl_context(), trust_env=False)),
            event_hooks={"request": [self._on_request], "response": [self._on_response]},
        )
        self._client = AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            timeout=httpx2.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds)),
            max_retries=MAX_RETRIES,
            http_client=transport,
        )
        # Discard what it read from OPENAI_* of the environment.
        self._client.organization = self._client.project = None
        self._client.admin_api_key = self._client.webhook_secret = None
        self._client._custom_headers = {}  # noqa: SLF001 -- OPENAI_CUSTOM_HEADERS; there is no public way

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def complete(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object]) -> Completion:
        """The model's answer, of the form `schema` where the endpoint can enforce it.

        Leaves out parameters that the endpoint refuses, from then on. Raises CallFailed for a failure of this request,
        JudgeDownError for one of the endpoint.
        """
        left_out = set(self._refused)
        while True:
            try:
                body = await self._send(messages, schema, left_out)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                text = error.response.text[:10_000].casefold()
                if any(sign in text for sign in _TOO_LONG):
                    raise CallFailed(Slug.TOO_LONG) from None
                refused = _refused_parameter(text, left_out)
                if refused is None:
                    raise CallFailed(Slug.REFUSED) from None
                left_out.add(refused)
                continue
            except openai.APIStatusError as error:
                raise self._status_failure(error) from None
            except openai.APIConnectionError as error:
                raise _connection_failure(error) from None
            self._refused |= left_out
            self.has_answered = True
            return _completion(body)

    def is_put_off(self) -> bool:
        """Did the endpoint's last response to this asyncio task ask for a later retry?"""
        return _last_status.get() in {429, 502, 503}

    async def _send(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object], left_out: AbstractSet[str]
    ) -> bytes:
        prompt: Any = messages
        optional: dict[str, Any] = {}
        if _TEMPERATURE not in left_out:
            optional[_TEMPERATURE] = 0
        if _SCHEMA not in left_out:
            optional[_SCHEMA] = {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": schema},
            }
        # The raw body: servers omit fields that the client's own types require.
        response = await self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=prompt, **optional
        )
        if response.http_response.extensions.get(TOO_LARGE):
            raise CallFailed(Slug.REPLY_TOO_LARGE)
        content: bytes = response.http_response.content
        return content

    async def _on_request(self, _: httpx2.Request) -> None:
        self.requests += 1
        _last_status.set(0)

    async def _on_response(self, response: httpx2.Response) -> None:
        _last_status.set(response.status_code)

    def _status_failure(self, error: openai.APIStatusError) -> CallFailed | JudgeDownError:
        status = error.status_code
        # Some gateways forbid single texts; then the key, which was accepted before, is not the cause.
        if status == 403 and self.has_answered:
            return CallFailed(Slug.REFUSED)
        down = {
            401: Slug.KEY_REFUSED,
            402: Slug.QUOTA,
            403: Slug.KEY_REFUSED,
            404: Slug.NOT_FOUND,
            405: Slug.NOT_FOUND,
            429: Slug.QUOTA if error.code == "insufficient_quota" else Slug.RATE_LIMITED,
            502: Slug.UNAVAILABLE,
            503: Slug.UNAVAILABLE,
        }
        if status < 400:
            return JudgeDownError(Slug.REDIRECTED, f"HTTP {status}")
        if status in down:
            return JudgeDownError(down[status], self._detail(error))
        item = {408: Slug.TIMEOUT, 413: Slug.TOO_LONG, 504: Slug.TIMEOUT}
        return CallFailed(item.get(status, Slug.SERVER_ERROR if status >= 500 or status == 409 else Slug.REFUSED))

    def _detail(self, error: openai.APIStatusError) -> str:
        """The status and the endpoint's message."""
        said = " ".join(error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ").split())
        shown = redacted(said, self._key)[:_MAX_DETAIL]
        return f"HTTP {error.status_code}: {shown}" if shown else f"HTTP {error.status_code}"


def _refused_parameter(text: str, left_out: AbstractSet[str]) -> str | None:
    """The parameter to leave out after a bad request: one that its text names, else any. None when all are left out."""
    named = [name for name, signs in _SIGNS.items() if any(sign in text for sign in signs)]
    return next((name for name in (*named, _SCHEMA, _TEMPERATURE) if name not in left_out), None)


def _connection_failure(error: openai.APIConnectionError) -> CallFailed | JudgeDownError:
    cause = error.__cause__
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol):
        return JudgeDownError(Slug.UNREACHABLE, _system_reason(cause))
    if isinstance(error, openai.APITimeoutError):
        return CallFailed(Slug.TIMEOUT)
    return CallFailed(Slug.CONNECTION_LOST)


def _system_reason(error: BaseException) -> str:
    """The system's reason for a failed connection."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OSError) and found.strerror:
            # The event loop adds the address to the text; the resolver has error codes of its own.
            code = found.errno or 0
            return os.strerror(code) if code in errno.errorcode else found.strerror[:_MAX_DETAIL]
        found = found.__cause__ or found.__context__
    return " ".join(str(error).split())[:_MAX_DETAIL]


def _completion(body: bytes) -> Completion:
    """Raises CallFailed for a body that is not a chat completion."""
    try:
        read = _DECODER.decode(body)
        choice = read.choices[0]
    except (msgspec.MsgspecError, UnicodeDecodeError, IndexError):
        raise CallFailed(Slug.REPLY_INVALID) from None
    content, usage = choice.message.content, read.usage or _Usage()
    return Completion(
        text=content if isinstance(content, str) else "",
        is_cut=choice.finish_reason == "length",
        is_refused=bool(choice.message.refusal) or choice.finish_reason == "content_filter",
        prompt_tokens=_count(usage.prompt_tokens),
        completion_tokens=_count(usage.completion_tokens),
    )


def _count(value: object) -> int | None:
    """None also for 0: no question and no reply has no tokens."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 48 else None
