"""One OpenAI-compatible endpoint, asked for chat completions by the official client.

Decides what a failure means: a fault of the endpoint, which ends the judging for now, or of one request. Imported only
where a judge is configured: the client costs about a second.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, Self

import httpx2
import msgspec
import openai
from openai import AsyncOpenAI

from workers.judge.errors import CallFailed, JudgeDownError, Slug
from workers.judge.redaction import redacted

MAX_RETRIES = 4  # of one request, by the client: back-off from 0.5 s, or as `Retry-After` says
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"  # the client insists on one; endpoints that need none look at none
_MAX_DETAIL = 200
_QUIET = ("openai", "httpx2", "httpcore2")  # they log addresses, and bodies at debug level

_SCHEMA, _TEMPERATURE = "response_format", "temperature"
# What endpoints say when they do not take a parameter; "format" covers `text.format`, `guided_json` is vLLM's.
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


class Completion(NamedTuple):
    """text: what the model wrote. is_cut: it ran out of tokens. is_refused: it, or a filter, would not."""

    text: str
    is_cut: bool
    is_refused: bool
    prompt_tokens: int
    completion_tokens: int


class _Message(msgspec.Struct):
    content: Any = None
    refusal: Any = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None


class _Usage(msgspec.Struct):
    prompt_tokens: Any = 0
    completion_tokens: Any = 0


class _Body(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Body)


class Parameters:
    """Which optional parameters the endpoint takes; learnt from what it refuses, for as long as this lives."""

    def __init__(self) -> None:
        self.taken = frozenset({_SCHEMA, _TEMPERATURE})


class JudgeClient:
    """Asks one endpoint. Belongs to one event loop; close it by `async with`.

    parameters: shared by the clients of one judge. requests: HTTP requests sent, tries again included.
    """

    def __init__(
        self, *, base_url: str, api_key: str, model: str, timeout_seconds: float, parameters: Parameters
    ) -> None:
        for name in _QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.requests = 0
        self.has_answered = False
        self._model = model
        self._key = api_key
        self._parameters = parameters
        # No redirects: the key goes to the address that was set, nowhere else. No proxy, no netrc of the environment;
        # SSL_CERT_FILE and SSL_CERT_DIR count, an endpoint inside a company may have its own authority.
        transport = httpx2.AsyncClient(
            follow_redirects=False,
            trust_env=False,
            verify=httpx2.create_ssl_context(),
            event_hooks={"request": [self._on_request], "response": [self._on_response]},
        )
        self._client = AsyncOpenAI(
            api_key=api_key or _NO_KEY,
            base_url=base_url,
            timeout=httpx2.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds)),
            max_retries=MAX_RETRIES,
            http_client=transport,
        )
        # What it took from OPENAI_* of the environment is nobody's setting here.
        self._client.organization = self._client.project = None
        self._client.admin_api_key = self._client.webhook_secret = None
        self._client._custom_headers = {}  # noqa: SLF001 -- OPENAI_CUSTOM_HEADERS; there is no public way

    async def __aenter__(self) -> Self:
        """Nothing is connected before the first request."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._client.close()

    async def complete(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object]) -> Completion:
        """The model's answer to the messages, of the form `schema` where the endpoint can force it.

        A parameter that the endpoint does not take is left out from then on. Raises CallFailed for this request,
        JudgeDownError for the endpoint.
        """
        taken = self._parameters.taken
        while True:
            try:
                body = await self._send(messages, schema, taken)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                text = error.response.text[:10_000].casefold()
                if any(sign in text for sign in _TOO_LONG):
                    raise CallFailed(Slug.TOO_LONG) from None
                refused = _refused_parameter(text, taken)
                if refused is None:
                    raise CallFailed(Slug.REFUSED) from None
                taken -= {refused}
                continue
            except openai.APIStatusError as error:
                raise self._status_failure(error) from None
            except openai.APIConnectionError as error:
                raise _connection_failure(error) from None
            self._parameters.taken &= taken
            self.has_answered = True
            return _completion(body)

    def is_put_off(self) -> bool:
        """Did the endpoint's last answer to this task say "not now"?"""
        return _last_status.get() in {429, 502, 503}

    async def _send(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object], taken: frozenset[str]
    ) -> bytes:
        prompt: Any = messages  # of the roles that every endpoint knows
        optional: dict[str, Any] = {}
        if _TEMPERATURE in taken:
            optional[_TEMPERATURE] = 0
        if _SCHEMA in taken:
            optional[_SCHEMA] = {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": schema},
            }
        # The raw body: servers leave out fields that the client's own types promise.
        response = await self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=prompt, **optional
        )
        content: bytes = response.http_response.content
        return content

    async def _on_request(self, _: httpx2.Request) -> None:
        self.requests += 1
        _last_status.set(0)

    async def _on_response(self, response: httpx2.Response) -> None:
        _last_status.set(response.status_code)

    def _status_failure(self, error: openai.APIStatusError) -> CallFailed | JudgeDownError:
        status = error.status_code
        # Some gateways forbid single texts; a key that was good a moment ago is not what is wrong then.
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
        """The status, with what the endpoint says of it."""
        said = " ".join(error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ").split())
        shown = redacted(said, self._key)[:_MAX_DETAIL]
        return f"HTTP {error.status_code}: {shown}" if shown else f"HTTP {error.status_code}"


def _refused_parameter(text: str, taken: frozenset[str]) -> str | None:
    """The parameter to try without after a bad request; None when there is none left."""
    named = [name for name, signs in _SIGNS.items() if name in taken and any(sign in text for sign in signs)]
    return next(iter([*named, *(name for name in (_SCHEMA, _TEMPERATURE) if name in taken)]), None)


def _connection_failure(error: openai.APIConnectionError) -> CallFailed | JudgeDownError:
    cause = error.__cause__
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol):
        return JudgeDownError(Slug.UNREACHABLE, _system_reason(cause))
    if isinstance(error, openai.APITimeoutError):
        return CallFailed(Slug.TIMEOUT)
    return CallFailed(Slug.CONNECTION_LOST)


def _system_reason(error: BaseException) -> str:
    """What the system said of a connection that could not be made."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, OSError) and found.strerror:
            # The event loop puts the address into it, the resolver has errors of its own.
            code = found.errno or 0
            return os.strerror(code) if code in errno.errorcode else found.strerror[:_MAX_DETAIL]
        found = found.__cause__ or found.__context__
    return " ".join(str(error).split())[:_MAX_DETAIL]


def _completion(body: bytes) -> Completion:
    """Raises CallFailed for a body that is no chat completion."""
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


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48 else 0
