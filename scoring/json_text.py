"""JSON texts in the dialect that counts, and why a text is none (docs/scoring.md#json-dialect).

Python's own `json` reads what msgspec refuses.
"""

from __future__ import annotations

import json
import math
import re

import msgspec

from scoring.text import is_blank, stripped

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


def open_json(text: str) -> object:
    """The value of a JSON text in the dialect of payloads; None when it is none, nests too deep, or is null."""
    value = load_json(text)
    return None if isinstance(value, Refusal) else value


def opened_text(value: object) -> object:
    """A JSON text as a value, any other text as it is; None for a blank one."""
    if not isinstance(value, str):
        return value
    if is_blank(value):
        return None
    opened = open_json(value)
    return value if opened is None else opened


class Refusal(str):
    """A `Diagnosis`, apart from a text that was decoded."""

    __slots__ = ()


def load_json(text: str) -> object:
    """The value of a JSON text in the dialect of payloads, or a `Refusal`."""
    data = text.encode(errors="surrogatepass")
    if is_too_deep(data):
        return Refusal(Diagnosis.TOO_DEEP)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = stripped(text)
    try:
        return json.loads(text, parse_int=_whole)
    except json.JSONDecodeError as error:
        return Refusal(_diagnose(text, error))
    except RecursionError:  # a caller that is itself deep in the stack
        return Refusal(Diagnosis.TOO_DEEP)


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


def is_too_deep(data: bytes) -> bool:
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
