"""What writers of JSON Lines put around a record, and files of another layout (docs/rubrics.md#json-input)."""

from __future__ import annotations

import json
from itertools import islice
from typing import NamedTuple

from scoring.problems import Problem, refused
from scoring.reading.records.values import CUT, UnreadableError, check_json, open_list

SPACE = b" \t\r\n"
SEPARATOR = b"\x1e"  # before each record of a JSON text sequence (RFC 7464)
_AROUND = SPACE + SEPARATOR + b","
_COMMENTS = (b"#", b"//")
_LOOKED_AT = 200  # lines
_OBJECT, _LIST = "{", "["


class Line(NamedTuple):
    """A line without what stands around its record. code: of the finding about that, "" for none."""

    data: bytes
    code: str = ""


def read_line(line: bytes) -> Line:
    """The text of the record in a line, b"" for a blank line and for a comment."""
    data = line.strip(SPACE)
    if data[:1] == b"{" and data[-1:] == b"}":
        return Line(data)
    if data.startswith(_COMMENTS):
        return Line(b"", "record-comment")
    if data[:1] == SEPARATOR:
        return Line(data.strip(SEPARATOR + SPACE), "record-separator")
    inside = data.strip(_AROUND)
    return Line(inside, "record-comma") if inside != data and inside[:1] == b"{" else Line(data)


def may_be_no_lines(head: str) -> bool:
    """Does a file that begins like this perhaps not have one object a line? Sure to be False where it does."""
    first, line_break, _ = head.lstrip().partition("\n")
    first = first.strip()
    return first.startswith(_LIST) or bool(line_break and first.startswith(_OBJECT) and not first.endswith(("}", "},")))


def other_layout(data: bytes) -> tuple[Problem, ...]:
    """Why a file is no JSON Lines although each of its objects may be right; nothing where it is not clear.

    data: all of it, in UTF-8. Raises UnicodeDecodeError for bytes that are none.
    """
    data = data.strip()
    if data[:1] == b"{":
        return _of_objects(data)
    problem = refused("record-list", reason="list")
    try:
        check_json(data)
    except UnreadableError as error:
        if _has_lines(data):
            return ()
        near = Problem(code="json-unreadable", line=error.line, found=error.near, values={"reason": error.reason})
        return (problem, refused("record-cut", line=error.line) if error.reason == CUT else near)
    return (problem,) if _has_objects(data) else ()


def _of_objects(data: bytes) -> tuple[Problem, ...]:
    if _is_json(data):
        return (refused("record-list", reason="document"),)
    return (refused("record-over-lines"),) if _begins_with_object(data) else ()


def _has_lines(data: bytes) -> bool:
    """Is the first line a whole value, or are two others whole objects, without the comma of an element?"""
    first, *others = data.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    objects = (line for line in others if line.strip(SPACE)[-1:] == b"}" and _is_json(line))
    return _is_json(first) or len(list(islice(objects, 2))) > 1


def _is_json(data: bytes) -> bool:
    try:
        check_json(data)
    except UnreadableError:
        return False
    return True


def _has_objects(data: bytes) -> bool:
    return any(bytes(memoryview(element)[:1]) == b"{" for element in open_list(data))


def _begins_with_object(data: bytes) -> bool:
    """Is there an object over several lines, with another one behind it?"""
    text = data.decode()
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip(", \t\r\n\x1e").startswith(_OBJECT)
