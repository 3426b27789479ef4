"""The `Raw JSON` cell: which few fields count, and why a cell that is no payload is none (spec §1).

The fast route decodes straight into the wanted fields; whatever it refuses goes through Python's own
`json`, whose dialect is the one that counts. Both routes give the same Payload.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from scoring.text import BLANK_STARTS, is_blank, number

# Deeper payloads are refused before any parser sees them: the outcome must not hang on the caller's stack.
MAX_DEPTH = 500
# Excel holds at most this many UTF-16 units in a cell and drops the rest without a word.
EXCEL_CELL_UNITS = 32_767
_EXCEL_SLACK = 8  # an exporter that mimics Excel may stop at a whole character or escape
_INT_DIGITS = 4_000  # Python refuses to read longer whole numbers
_CUT_TAIL = 6  # an escape or literal that the cut went through

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

    message: assistantMessage as text as it stands (JSON text of a non-text value), "" when blank.
    has_ui: dataUIList holds a non-empty element. error: as text, "" when blank or a false value.
    response_seconds, latency_ms: usable numbers (seconds, milliseconds) or None.
    notes: codes of oddities for data quality, usually none.
    """

    message: str
    has_ui: bool
    error: str
    response_seconds: float | None
    latency_ms: float | None
    notes: tuple[str, ...]


class _Ui(NamedTuple):
    """Is there a UI item, and what was odd about the field ("" as a rule)."""

    has_ui: bool
    note: str


_NO_UI = _Ui(False, "")


class _Fields(msgspec.Struct, gc=False):
    message: object = msgspec.field(name="assistantMessage", default=None)
    ui: msgspec.Raw = msgspec.field(name="dataUIList", default=msgspec.Raw(b"null"))
    error: object = None
    response_seconds: object = msgspec.field(name="responseTimeSec", default=None)
    latency_ms: object = None
    latency_ms_camel: object = msgspec.field(name="latencyMs", default=None)


_decode = msgspec.json.Decoder(_Fields).decode


class _Element(msgspec.Struct, gc=False):
    """Any object."""


class PlainPayload(msgspec.Struct, gc=False):
    """The wanted fields where they have the types that the agent writes; see `read_plain_payloads`."""

    message: str = msgspec.field(name="assistantMessage", default="")
    ui: list[_Element] | None = msgspec.field(name="dataUIList", default=None)
    error: str | None = None
    response_seconds: float = msgspec.field(name="responseTimeSec", default=0.0)
    latency_ms: object = None
    latency_ms_camel: object = msgspec.field(name="latencyMs", default=None)

    def complete(self) -> Payload:
        """The same as `read_payload` gives it, but for the UI items, which say nothing beside a message."""
        return Payload(self.message, self.ui is not None, "", self.response_seconds, None, ())


_decode_plain = msgspec.json.Decoder(PlainPayload).decode
NOT_PLAIN = PlainPayload()


def read_payload(cell: str) -> Payload | str:
    """The payload in a non-blank cell, or the Diagnosis of why there is none."""
    data = cell.encode(errors="surrogatepass")
    if _is_too_deep(data):
        return Diagnosis.TOO_DEEP
    try:
        fields = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _read_slowly(cell)
    raw = bytes(fields.ui)
    if raw.startswith(b'[{"'):
        ui = _Ui(True, "")
    elif raw in (b"[]", b"null"):
        ui = _NO_UI
    else:
        ui = _read_ui(json.loads(raw, parse_int=_whole))
    return _payload(fields, ui)


def read_plain_payloads(cells: Iterable[str]) -> list[PlainPayload]:
    """For each cell its payload where that is plain: with a message and seconds, without error and other latency.

    The others, which are to be asked of `read_payload`, stand there as one without a message.
    """
    plain: list[PlainPayload] = []
    # One frame for many cells: 0.6 s instead of 0.9 s per 100,000 payloads of 1.85 KB.
    for cell in cells:
        try:
            data = cell.encode()  # decoding from bytes is a fifth cheaper than from text
            payload = NOT_PLAIN if _is_too_deep(data) else _decode_plain(data)
        except (msgspec.DecodeError, UnicodeError):
            payload = NOT_PLAIN
        if (
            payload.message[:1] in BLANK_STARTS
            or payload.error
            or not 0 < payload.response_seconds < math.inf
            or payload.latency_ms is not None
            or payload.latency_ms_camel is not None
        ):
            payload = NOT_PLAIN
        plain.append(payload)
    return plain


def usable_number(value: object) -> float | None:
    """A finite number >= 0, or text that is one; booleans and everything else are None."""
    if type(value) is float:
        return value + 0.0 if 0 <= value < math.inf else None
    if isinstance(value, str):
        parsed = number(value)
        return parsed if parsed is not None and parsed >= 0 else None
    if type(value) is int and value >= 0:
        try:
            return float(value)
        except OverflowError:
            return None
    return None


class Opened(NamedTuple):
    """The object in a cell, with codes of what was odd about it."""

    value: dict[str, object]
    notes: tuple[str, ...]


def open_payload(cell: str) -> Opened | str:
    """Everything in a non-blank cell as plain values, or the Diagnosis of why there is nothing.

    Agrees with `read_payload` and costs several times as much.
    """
    return Diagnosis.TOO_DEEP if _is_too_deep(cell.encode(errors="surrogatepass")) else _open(cell)


def open_json(text: str) -> object:
    """The value of a JSON text in the dialect of payloads; None when it is none, nests too deep, or is null."""
    if _is_too_deep(text.encode(errors="surrogatepass")):
        return None
    value = _loads(text)
    return None if isinstance(value, _Refusal) else value


def _read_slowly(cell: str) -> Payload | str:
    opened = _open(cell)
    if isinstance(opened, str):
        return opened
    value = opened.value
    fields = _Fields(
        message=value.get("assistantMessage"),
        error=value.get("error"),
        response_seconds=value.get("responseTimeSec"),
        latency_ms=value.get("latency_ms"),
        latency_ms_camel=value.get("latencyMs"),
    )
    return _payload(fields, _read_ui(value.get("dataUIList")), opened.notes)


def _open(cell: str) -> Opened | str:
    value = _loads(cell)
    notes: tuple[str, ...] = ()
    if isinstance(value, str) and not isinstance(value, _Refusal):
        if _is_too_deep(value.encode(errors="surrogatepass")):
            return Diagnosis.TOO_DEEP
        opened = _loads(value)
        if not isinstance(opened, dict):
            # Text that was never meant as an object is not a damaged one.
            return (
                str(opened) if isinstance(opened, _Refusal) and value.lstrip()[:1] == "{" else Diagnosis.NOT_AN_OBJECT
            )
        value, notes = opened, ("double-encoded",)
    if isinstance(value, _Refusal):
        return str(value)
    return Opened(value, notes) if isinstance(value, dict) else Diagnosis.NOT_AN_OBJECT


def _payload(fields: _Fields, ui: _Ui, notes: tuple[str, ...] = ()) -> Payload:
    seconds = fields.response_seconds
    if type(seconds) is not float or not 0 < seconds < math.inf:
        seconds = usable_number(seconds)
        if seconds is None and fields.response_seconds is not None:
            notes = (*notes, "field-type:responseTimeSec")
    milliseconds = None
    if fields.latency_ms is not None or fields.latency_ms_camel is not None:
        milliseconds = usable_number(fields.latency_ms)
        if milliseconds is None:
            milliseconds = usable_number(fields.latency_ms_camel)
    if ui.note:
        notes = (*notes, ui.note)
    return Payload(_text(fields.message), ui.has_ui, _text(fields.error), seconds, milliseconds, notes)


def _text(value: object) -> str:
    """A field as text: as it stands, JSON text of another value, "" for nothing."""
    if type(value) is str:
        return "" if is_blank(value) else value
    return "" if _is_nothing(value) else json.dumps(value, ensure_ascii=False)


def _read_ui(value: object) -> _Ui:
    if isinstance(value, list):
        return _Ui(any(not _is_nothing(element) for element in value), "")
    if isinstance(value, dict):
        return _Ui(True, "ui-object") if value else _NO_UI
    if isinstance(value, str) and isinstance(opened := open_json(value), list | dict):
        return _Ui(_read_ui(opened).has_ui, "json-in-ui")
    return _NO_UI if _is_nothing(value) else _Ui(False, "field-type:dataUIList")


def _is_nothing(value: object) -> bool:
    """null, false, {}, [], blank text and numbers that are none."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, str):
        return is_blank(value)
    return value is None or value is False or (isinstance(value, list | dict) and not value)


class _Refusal(str):
    """A Diagnosis on its way out."""

    __slots__ = ()


def _loads(text: str) -> object:
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
    if error.msg == "Extra data":  # what was to be read is whole
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

    Takes away one layer of closed brackets after another; brackets that never close count as layers too.
    """
    # `[]` takes 2 bytes a layer and `{"":}` 6: most payloads are too short to be deep, whatever stands in them.
    lists = len(data) - len(data.replace(b"[", b""))  # half the time of `bytes.count` where there are few
    if lists + len(data) // 6 <= MAX_DEPTH or lists + data.count(b"{") <= MAX_DEPTH:
        return False
    structure = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(_ONE_KIND, _NOT_STRUCTURE)
    # Two quotes side by side are an empty text, or the seam of two texts: either way nothing stands between them.
    structure = _QUOTED.sub(b"", structure.replace(b'""', b""))
    layers = 0
    while layers <= MAX_DEPTH and b"[]" in structure:
        structure = structure.replace(b"[]", b"")
        layers += 1
    return layers + structure.count(b"[") > MAX_DEPTH
