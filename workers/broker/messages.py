"""What the headers of a queued message may say: only what our own senders write, whoever wrote it (docs/limits.md).

Celery trusts them: a time limit that is no number, or an id that is a list, would end the worker that takes it.
"""

from __future__ import annotations

import base64
from typing import Annotated, Literal

import msgspec

MAX_BODY = 4_000_000  # characters; the longest that is sent has some ten thousand
MAX_TEXT = 8_192  # characters of any other value

_Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]  # as the setting has them


class _Headers(msgspec.Struct):
    """Headers that a worker uses. None and nothing else is the value of what we never ask Celery for."""

    task: _Text
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    lang: Literal["py"] | None = None
    shadow: None = None
    eta: None = None
    expires: None = None
    group: None = None
    group_index: None = None
    retries: _Count | None = None
    timelimit: tuple[_Seconds | None, None] | None = None  # Celery writes that of the task when it is tried again
    root_id: _Text | None = None
    parent_id: _Text | None = None
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    origin: _Text | None = None
    ignore_result: bool | None = None
    replaced_task_nesting: _Count | None = None
    stamped_headers: Annotated[list[_Text], msgspec.Meta(max_length=0)] | None = None
    stamps: Annotated[dict[str, str], msgspec.Meta(max_length=0)] | None = None
    redelivered: bool | None = None
    compression: None = None
    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


class _DeliveryInfo(msgspec.Struct):
    exchange: _Text
    routing_key: _Text
    redelivered: bool | None = None


class _Properties(msgspec.Struct):
    delivery_tag: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    delivery_info: _DeliveryInfo
    body_encoding: Literal["base64"]
    correlation_id: _Text | None = None
    reply_to: _Text | None = None
    delivery_mode: _Count | None = None
    priority: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None


class _Message(msgspec.Struct):
    body: Annotated[str, msgspec.Meta(max_length=MAX_BODY)]
    headers: _Headers
    properties: _Properties
    content_type: Literal["application/json"] = msgspec.field(name="content-type")
    content_encoding: Literal["utf-8"] = msgspec.field(name="content-encoding")


class _Embedded(msgspec.Struct):
    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


_Body = tuple[list[object], dict[str, object], _Embedded]
_body = msgspec.json.Decoder(_Body)


def message_fault(message: object, tasks: frozenset[str]) -> str | None:
    """What a decoded message has that no sender of ours writes; None when a worker can take it. tasks: known names."""
    try:
        checked = msgspec.convert(message, _Message)
        if checked.headers.task not in tasks:
            return "unknown task"
        _body.decode(base64.b64decode(checked.body, validate=True))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return str(error)
    return None


def named(message: object) -> dict[str, str]:
    """Task and id of a message, as far as it has them, to name it in a log."""
    headers = message.get("headers") if isinstance(message, dict) else None
    found = headers if isinstance(headers, dict) else {}
    return {name: str(found[name])[:MAX_TEXT] for name in ("task", "id") if name in found}
