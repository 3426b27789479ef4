"""Why a text is no JSON: the cause that its writer can mend (docs/scoring.md#payload)."""

from __future__ import annotations

import json
import re

# Excel holds at most this many UTF-16 units in a cell and silently drops the rest.
EXCEL_CELL_UNITS = 32_767
_EXCEL_SLACK = 8  # an exporter that mimics Excel may stop at a whole character or escape
_CUT_TAIL = 6  # an escape or literal that was cut in two
_CURLY = (
    "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb\u2033\uff02"  # quotation marks but the straight one
)
_BEFORE = 200  # characters before a fault that are looked at


class Diagnosis:
    """Why a cell is no payload; the part counts them as `payload:<diagnosis>`."""

    EXCEL_CUT = "excel-cut"
    PYTHON_DICT = "python-dict"
    CURLY_QUOTES = "curly-quotes"
    ENTITIES = "entities"
    DOUBLED_QUOTES = "doubled-quotes"
    ESCAPED_QUOTES = "escaped-quotes"
    INNER_QUOTE = "inner-quote"
    SINGLE_BACKSLASH = "single-backslash"
    TRAILING_COMMA = "trailing-comma"
    UNQUOTED_NAME = "unquoted-name"
    TRUNCATED = "truncated"
    NOT_AN_OBJECT = "not-an-object"
    TOO_DEEP = "too-deep"
    INVALID = "invalid"


# What stands where the reader stopped, with the white space before it.
_AT_FAULT = (
    (Diagnosis.CURLY_QUOTES, re.compile(rf"\s*[{_CURLY}]")),
    (Diagnosis.ENTITIES, re.compile(r"\s*&(?:quot|#34|#[xX]22|lsquo|rsquo|ldquo|rdquo);")),
    (Diagnosis.ESCAPED_QUOTES, re.compile(r'\s*\\+"')),
    (Diagnosis.PYTHON_DICT, re.compile(r"\s*'|\s*(?:True|False|None)\b")),
    (Diagnosis.TRAILING_COMMA, re.compile(r",\s*[}\]]")),  # as newer Pythons place it
    (Diagnosis.UNQUOTED_NAME, re.compile(r"\s*[^\W\d][\w.-]*\s*:")),
)
_PYTHON_DICT = re.compile(r"\{\s*'")
_DOUBLED = re.compile(r'[\[{]\s*""\s*[^\s:,}\]]')
_SEVERAL_MARKS = re.compile(rf"[{{,]\s*[{_CURLY}]|[{_CURLY}]\s*:")  # of a name


def diagnose(text: str, error: json.JSONDecodeError) -> str:
    """The Diagnosis of a text without white space around it, by where the reader stopped."""
    units = len(text.encode("utf-16-le", errors="surrogatepass")) // 2
    if EXCEL_CELL_UNITS - _EXCEL_SLACK <= units <= EXCEL_CELL_UNITS:
        return Diagnosis.EXCEL_CUT
    if _PYTHON_DICT.match(text):
        return Diagnosis.PYTHON_DICT
    if error.msg == "Extra data":  # the first value is whole
        return Diagnosis.INVALID
    return Diagnosis.TRUNCATED if _is_cut(text, error) else _at_fault(text, error) or Diagnosis.INVALID


def _at_fault(text: str, error: json.JSONDecodeError) -> str:
    """The cause that the characters around the fault tell, "" for none."""
    if error.msg.startswith("Invalid \\"):
        return Diagnosis.SINGLE_BACKSLASH
    before = text[max(error.pos - _BEFORE, 0) : error.pos].rstrip()
    if before.endswith(",") and text[error.pos] in "}]":
        return Diagnosis.TRAILING_COMMA
    if _DOUBLED.match(text):
        return Diagnosis.DOUBLED_QUOTES
    for diagnosis, sign in _AT_FAULT:
        if sign.match(text, error.pos):
            return diagnosis
    if _SEVERAL_MARKS.search(text, max(error.pos - _BEFORE, 0), error.pos + 1):
        return Diagnosis.CURLY_QUOTES
    is_inside = error.msg.startswith("Expecting ',' delimiter") and before.endswith('"')
    return Diagnosis.INNER_QUOTE if is_inside and error.pos < len(text) else ""


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    return text[:1] in '{["' and (
        error.msg.startswith("Unterminated string")
        or error.pos >= len(text)
        or (len(text) - error.pos <= _CUT_TAIL and not text.endswith(("}", "]")))
    )
