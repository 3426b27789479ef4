"""What the `Raw JSON` cell of a row says, or why it is no payload (docs/scoring.md#payload).

Cells are decoded once: by `read_plain` into the few wanted fields, or by `open_payload` into everything, which costs
three times as much. Python's own `json` reads what msgspec refuses, because its dialect is the one that counts.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from scoring.items.quantities import MILLISECONDS, MOST_SECONDS, read_seconds
from scoring.json_values import is_nothing
from scoring.text import BLANK_STARTS, is_blank

# Deeper payloads are refused before any parser sees them: the outcome must not depend on the caller's stack.
MAX_DEPTH = 500
# Excel holds at most this many UTF-16 units in a cell and silently drops the rest.
EXCEL_CELL_UNITS = 32_767
_EXCEL_SLACK = 8  # an exporter that mimics Excel may stop at a whole character or escape
_INT_DIGITS = 4_300  # Python and msgspec refuse longer whole numbers
_CUT_TAIL = 6  # an escape or literal that was cut in two

_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_QUOTED = re.compile(rb'"[^"]*"?')
_PYTHON_DICT = re.compile(r"\{\s*'")


class Diagnosis:
    """Why a cell is no payload; the part counts them as `payload:<diagnosis>`."""

    EXCEL_CUT = "excel-cut"
    PYTHON_DICT = "python-dict"
    TRUNCATED = "truncated"
    NOT_AN_OBJECT = "not-an-object"
    TOO_DEEP = "too-deep"
    INVALID = "invalid"


class Payload(msgspec.Struct, frozen=True, gc=False):
    """The wanted fields of a payload.

    message: assistantMessage as text (JSON text of a value that is no text), "" when blank.
    has_ui: dataUIList holds a non-empty element. error: as text, "" when blank or a false value.
    response_seconds, latency: seconds, the text of a value that is none, or None where nothing is written.
    notes: codes of oddities for data quality, usually none. value: the whole object, where it was asked for.
    """

    message: str
    has_ui: bool = False
    error: str = ""
    response_seconds: float | str | None = None
    latency: float | str | None = None
    notes: tuple[str, ...] = ()
    value: dict[str, object] | None = None


class _Element(msgspec.Struct, gc=False):
    """Any object."""


class PlainFields(msgspec.Struct, gc=False):
    """The wanted fields in the types that the agent writes; payloads with other types are not plain."""

    message: str | None = msgspec.field(name="assistantMessage", default=None)
    ui: list[_Element] | None = msgspec.field(name="dataUIList", default=None)
    error: str | bool | None = None
    response_seconds: float | str | None = msgspec.field(name="responseTimeSec", default=None)
    latency_ms: float | str | None = None
    latency_ms_camel: float | str | None = msgspec.field(name="latencyMs", default=None)


class PlainCells(NamedTuple):
    """One entry per cell. fields: None where the cell is no plain payload.

    messages, seconds: of the payloads that need no second look, because they have both, no error and no other
    latency; "" and None for the others.
    """

    fields: list[PlainFields | None]
    messages: list[str]
    seconds: list[float | None]


_decode_plain = msgspec.json.Decoder(PlainFields).decode


def read_plain(cells: Iterable[str]) -> PlainCells:
    """Decode many cells. Where `fields` is None or `messages` is "", `complete` gives the payload."""
    all_fields: list[PlainFields | None] = []
    messages: list[str] = []
    all_seconds: list[float | None] = []
    # One frame for many cells: 0.6 s instead of 0.9 s per 100,000 payloads of 1.85 KB.
    for cell in cells:
        fields = None
        try:
            data = cell.encode()  # decoding from bytes is a fifth cheaper than from text
            if not _is_too_deep(data):
                fields = _decode_plain(data)
        except (msgspec.DecodeError, UnicodeError):
            pass
        all_fields.append(fields)
        if (
            fields is not None
            and (message := fields.message)
            and message[0] not in BLANK_STARTS
            and not fields.error
            and type(seconds := fields.response_seconds) is float
            and 0 < seconds <= MOST_SECONDS
            and fields.latency_ms is None
            and fields.latency_ms_camel is None
        ):
            messages.append(message)
            all_seconds.append(seconds)
        else:
            messages.append("")
            all_seconds.append(None)
    return PlainCells(all_fields, messages, all_seconds)


def complete(cell: str, fields: PlainFields | None) -> Payload | str | None:
    """The payload of a cell that `read_plain` decoded to `fields`; see `read_payload`."""
    # The wanted fields do not tell whether a UI item is empty, which matters for an answer without a message.
    if fields is None or (fields.ui and is_blank(fields.message or "")):
        return read_payload(cell)
    return _payload(
        message=fields.message,
        ui=_Ui(bool(fields.ui), ""),
        error=fields.error,
        seconds=fields.response_seconds,
        milliseconds=(fields.latency_ms, fields.latency_ms_camel),
    )


def read_payload(cell: str) -> Payload | str | None:
    """The payload in a cell with everything in it, the Diagnosis of why there is none, or None for a blank cell."""
    if is_blank(cell):
        return None
    value = _loads(cell)
    notes: tuple[str, ...] = ()
    if isinstance(value, str) and not isinstance(value, _Refusal):
        opened = _loads(value)
        # Text that was never meant as an object is not a damaged one.
        if isinstance(opened, _Refusal) and opened != Diagnosis.TOO_DEEP and value.lstrip()[:1] != "{":
            return Diagnosis.NOT_AN_OBJECT
        value, notes = opened, ("double-encoded",)
    if isinstance(value, _Refusal):
        return str(value)
    if not isinstance(value, dict):
        return Diagnosis.NOT_AN_OBJECT
    return _payload(
        message=value.get("assistantMessage"),
        ui=_read_ui(value.get("dataUIList")),
        error=value.get("error"),
        seconds=value.get("responseTimeSec"),
        milliseconds=(value.get("latency_ms"), value.get("latencyMs")),
        notes=notes,
        value=value,
    )


def open_json(text: str) -> object:
    """The value of a JSON text in the dialect of payloads; None when it is none, nests too deep, or is null."""
    value = _loads(text)
    return None if isinstance(value, _Refusal) else value


class _Ui(NamedTuple):
    """Is there a UI item, and what was odd about the field ("" as a rule)."""

    has_ui: bool
    note: str


_NO_UI = _Ui(False, "")


def _payload(
    *,
    message: object,
    ui: _Ui,
    error: object,
    seconds: object,
    milliseconds: tuple[object, object],
    notes: tuple[str, ...] = (),
    value: dict[str, object] | None = None,
) -> Payload:
    response_seconds = read_seconds(seconds)
    if seconds is not None and not isinstance(response_seconds, float):
        notes = (*notes, "field-type:responseTimeSec")
    if ui.note:
        notes = (*notes, ui.note)
    snake, camel = (read_seconds(one, per_second=MILLISECONDS) for one in milliseconds)
    latency = snake if isinstance(snake, float) or camel is None else camel
    return Payload(_text(message), ui.has_ui, _text(error), response_seconds, latency, notes, value)


def _text(value: object) -> str:
    """A field as text: unchanged, JSON text of another value, "" for nothing."""
    if type(value) is str:
        return "" if is_blank(value) else value
    return "" if _is_nothing(value) else json.dumps(value, ensure_ascii=False)


def _read_ui(value: object) -> _Ui:
    if isinstance(value, list):
        return _Ui(not all(map(_is_nothing, value)), "")
    if isinstance(value, dict):
        return _Ui(True, "ui-object") if value else _NO_UI
    if isinstance(value, str) and isinstance(opened := open_json(value), list | dict):
        return _Ui(_read_ui(opened).has_ui, "json-in-ui")
    return _NO_UI if _is_nothing(value) else _Ui(False, "field-type:dataUIList")


def _is_nothing(value: object) -> bool:
    """null, false, {}, [], blank text and numbers that are none."""
    return value is False or is_nothing(value) or (isinstance(value, float) and not math.isfinite(value))


class _Refusal(str):
    """A Diagnosis, apart from a text that was decoded."""

    __slots__ = ()


def _loads(text: str) -> object:
    data = text.encode(errors="surrogatepass")
    if _is_too_deep(data):
        return _Refusal(Diagnosis.TOO_DEEP)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = text.strip()
    try:
        return json.loads(text, parse_int=_whole)
    except json.JSONDecodeError as error:
        return _Refusal(_diagnose(text, error))
    except RecursionError:  # a caller that is itself deep in the stack
        return _Refusal(Diagnosis.TOO_DEEP)


def _whole(digits: str) -> float:
    return int(digits) if len(digits) <= _INT_DIGITS else math.inf


def _diagnose(text: str, error: json.JSONDecodeError) -> str:
    units = len(text.encode("utf-16-le", errors="surrogatepass")) // 2
    if EXCEL_CELL_UNITS - _EXCEL_SLACK <= units <= EXCEL_CELL_UNITS:
        return Diagnosis.EXCEL_CUT
    if _PYTHON_DICT.match(text):
        return Diagnosis.PYTHON_DICT
    if error.msg == "Extra data":  # the first value is whole
        return Diagnosis.INVALID
    if text[:1] in '{["' and (
        error.msg.startswith("Unterminated string")
        or error.pos >= len(text)
        or (len(text) - error.pos <= _CUT_TAIL and not text.endswith(("}", "]")))
    ):
        return Diagnosis.TRUNCATED
    return Diagnosis.INVALID


def _is_too_deep(data: bytes) -> bool:
    """Do brackets outside quoted text nest deeper than MAX_DEPTH?

    Removes one layer of closed brackets after another; brackets that never close count as layers too.
    """
    # `[]` takes 2 bytes a layer and `{"":}` 6: most payloads are too short to be deep, whatever they hold.
    lists = len(data) - len(data.replace(b"[", b""))  # half the time of `bytes.count` where there are few
    if lists + len(data) // 6 <= MAX_DEPTH or lists + data.count(b"{") <= MAX_DEPTH:
        return False
    structure = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(_ONE_KIND, _NOT_STRUCTURE)
    # Two quotes side by side are an empty text, or the seam of two texts: there is nothing between them.
    structure = _QUOTED.sub(b"", structure.replace(b'""', b""))
    layers = 0
    while layers <= MAX_DEPTH and b"[]" in structure:
        structure = structure.replace(b"[]", b"")
        layers += 1
    return layers + structure.count(b"[") > MAX_DEPTH
