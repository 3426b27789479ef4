"""JSON text of a record -> the texts of its values, none of them decoded before it is wanted.

Numbers and nested values stay as they are written: nothing is rounded, and nothing is encoded again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from scoring.json_values import ANY_KEY, EACH, Diagnosis, Having, Path, diagnose, is_too_deep
from scoring.rubric import HOLDER
from scoring.text import showable

Buffer: TypeAlias = bytes | msgspec.Raw
CUT, INVALID, NOT_AN_OBJECT, TOO_DEEP = "cut", Diagnosis.INVALID, Diagnosis.NOT_AN_OBJECT, Diagnosis.TOO_DEEP

_QUOTE, _OBJECT, _LIST, _NULL = (ord(sign) for sign in '"{[n')
_KEYWORDS_AND_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|NaN|-?Infinity', re.DOTALL)
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.")
_AT_BYTE = re.compile(r"\(byte (\d+)\)")
_NEAR = 40  # bytes before and after an error that are shown
_MOST_LOOKED_AT = 1 << 20  # characters
_LONE = len(r"\ud83d")
_CONTROL = re.compile("[\x00-\x1f]")  # within a text: a raw line break or tab, which is part of it
_LINE_BREAK = "\\u000a"


class UnreadableError(Exception):
    """A record that can't be read.

    reason: CUT or a Diagnosis. line, near: where it failed, None and "" where that is not known.
    """

    def __init__(self, reason: str, line: int | None = None, near: str = "") -> None:
        super().__init__(reason, line, near)
        self.reason = reason
        self.line = line
        self.near = near


class Fields(NamedTuple):
    """An object. values: JSON text by name. twice: names that it has more than once; the last one counts."""

    values: dict[str, bytes]
    twice: tuple[str, ...]


class _Name:
    """A name that equals no other one, so that an object with a name twice has both."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_names = msgspec.json.Decoder(dict[_Name, msgspec.Raw], dec_hook=lambda _, text: _Name(text)).decode
_decode_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_any = msgspec.json.Decoder(msgspec.Raw).decode
_decode_text = msgspec.json.Decoder(str).decode


class _Shape:
    """What the text of an object with these names is made of, apart from its values."""

    __slots__ = ("spaced", "spaces", "written")

    def __init__(self, names: tuple[str, ...]) -> None:
        keys = [json.dumps(name, ensure_ascii=False).encode(errors="replace") for name in names]
        self.written = sum(map(len, keys)) + 2 * len(keys) + 1  # bytes of `{"a":,"b":}`
        self.spaces = max(2 * len(keys) - 1, 0)
        self.spaced = b"{%b}" % b", ".join(key.replace(b"%", b"%%") + b": %b" for key in keys)


_SHAPES: dict[tuple[str, ...], _Shape] = {}
_MAX_SHAPES = 1_000


def open_object(data: bytes) -> Fields:
    """The values of an object by name. data: without white space around it.

    Raises UnreadableError, and UnicodeDecodeError for bytes that are no UTF-8.
    """
    if data[:1] != b"{":
        check_json(data)
        raise UnreadableError(NOT_AN_OBJECT)
    values = dict(zip((found := _decoded(data, _decode_object)), map(bytes, found.values()), strict=True))
    return Fields(values, () if _has_each_once(data, values) else open_large(data)[1])


def check_json(data: bytes) -> None:
    """Raise UnreadableError, or UnicodeDecodeError, for what is no JSON."""
    _decoded(data, _decode_any)


def open_list(data: Buffer) -> list[msgspec.Raw]:
    """The elements of a list, which are not copied. Errors: as of `open_object`."""
    found: list[msgspec.Raw] = _decoded(data, _decode_list)
    return found


def open_large(data: Buffer) -> tuple[dict[str, msgspec.Raw], tuple[str, ...]]:
    """The values of an object, which are not copied, and names that it has more than once. Errors: the same."""
    values: dict[str, msgspec.Raw] = {}
    twice: dict[str, None] = {}
    for name, value in _decoded(data, _decode_names).items():
        if name.text in values:
            twice[name.text] = None
        values[name.text] = value
    return values, tuple(twice)


def text_of(value: bytes) -> str:
    """A value as a cell: a text itself, "" for null, anything else as written.

    Raises UnreadableError for one that nests too deep, UnicodeDecodeError for bytes that are no UTF-8.
    """
    start = value[0]
    if start == _QUOTE:
        try:
            return _decode_text(value)
        except msgspec.DecodeError:  # half of a surrogate pair
            return showable(json.loads(value))
    if start == _NULL:
        return ""
    if start in {_OBJECT, _LIST} and is_too_deep(value):
        raise UnreadableError(TOO_DEEP)
    return value.decode()


def elements_at(data: Buffer, step: int | Having) -> list[msgspec.Raw]:
    """The elements of a list that a step of a path leads to. Errors: as of `open_object`."""
    elements = open_list(data)
    if isinstance(step, Having):
        return [element for element in elements if _meets(bytes(element), step)]
    return elements if step == EACH else elements[step : step + 1]


def _meets(data: bytes, having: Having) -> bool:
    if data[:1] != b"{":
        return False
    value = open_object(data).values.get(having.name, b"null")
    has_text = value[0] not in {_OBJECT, _LIST} and text_of(value) == having.text
    return has_text is not having.is_not


class Holder:
    """The object that records lie in, which the paths of a record call `^`. holder: the one that it lies in itself.

    within: the name of what leads to the records, which is no part of it.
    """

    __slots__ = ("_data", "_within", "holder", "record")

    def __init__(self, data: Buffer, within: str, holder: Holder | None) -> None:
        self._data = data
        self._within = within
        self.holder = holder
        self.record: Record | None = None

    def find(self, path: Path) -> list[bytes]:
        """The values at a path in it. Raises as `open_object`."""
        if self.record is None:
            fields = {name: bytes(value) for name, value in open_large(self._data)[0].items() if name != self._within}
            self.record = Record(as_object(fields), self.holder)
        return self.record.find(path)


def _field(field: tuple[str, bytes]) -> bytes:
    name, value = field
    return msgspec.json.encode(name) + b":" + value


def with_field(name: str, value: str, data: Buffer) -> bytes:
    """The text of an object with one more text in front."""
    rest = bytes(data)[1:].lstrip()
    return b"{%b%b%b" % (_field((name, msgspec.json.encode(value))), b"" if rest[:1] == b"}" else b",", rest)


def as_object(fields: dict[str, bytes]) -> bytes:
    """The text of an object with these values."""
    return b"{%b}" % b",".join(map(_field, fields.items()))


def of_row(names: Sequence[Buffer], cells: Sequence[Buffer]) -> bytes:
    """The text of an object with these names, which are JSON texts, and values."""
    return b"{%b}" % b",".join(b"%b:%b" % (bytes(name), bytes(cell)) for name, cell in zip(names, cells, strict=True))


class Record:
    """One object, opened as deep as paths ask for. names_twice: names found more than once in an object opened.

    holder: of the list that it is in, None where it lies in no object.
    """

    def __init__(self, data: bytes, holder: Holder | None = None) -> None:
        """Raises as `open_object`."""
        self.data = data
        self.holder = holder
        fields = open_object(data)
        self.fields = fields.values
        self.names_twice = list(fields.twice)
        self._objects: dict[Path, list[dict[str, bytes]]] = {(): [fields.values]}

    def find(self, path: Path) -> list[bytes]:
        """The values at a path, in order, without null. Raises as `open_object`.

        Where there are none, the last names of the path may be one name with dots in it: `{"input.value": 1}`.
        """
        if path[:1] == (HOLDER,):
            return [] if self.holder is None else self.holder.find(path[1:])
        found = self._found(path)
        for at in range(1, len(path) - 1):
            if not found and (name := _joined(path[at:])):
                found = [fields[name] for fields in self._opened(path[:at]) if name in fields]
        return [value for value in found if value[0] != _NULL]

    def names(self, path: Path) -> list[str]:
        """The names of the objects at a path that have a value. Raises as `open_object`."""
        return [name for fields in self._opened(path) for name, value in fields.items() if value[0] != _NULL]

    def _found(self, path: Path) -> list[bytes]:
        if not path:
            return [self.data]
        *before, step = path
        if isinstance(step, str):
            opened = self._opened(tuple(before))
            if step == ANY_KEY and not any(step in fields for fields in opened):
                return [value for fields in opened for value in fields.values()]
            return [fields[step] for fields in opened if step in fields]
        found: list[bytes] = []
        for value in self._found(tuple(before)):
            if value[0] == _LIST:
                found += map(bytes, elements_at(value, step))
            elif isinstance(step, Having) and _meets(value, step):
                found.append(value)
        return found

    def _opened(self, path: Path) -> list[dict[str, bytes]]:
        if path not in self._objects:
            opened = [open_object(value) for value in self._found(path) if value[0] == _OBJECT]
            self.names_twice += (name for fields in opened for name in fields.twice)
            self._objects[path] = [fields.values for fields in opened]
        return self._objects[path]


def _joined(path: Path) -> str:
    """Names with dots between them; "" where a step is none."""
    return ".".join(names) if len(names := [step for step in path if isinstance(step, str)]) == len(path) else ""


def _has_each_once(data: bytes, values: dict[str, bytes]) -> bool:
    """Is it certain, by the number of bytes, that no name is there twice? True for texts as programs write them."""
    names = tuple(values)
    shape = _SHAPES.get(names)
    if shape is None:
        if len(_SHAPES) >= _MAX_SHAPES:
            _SHAPES.clear()
        shape = _SHAPES[names] = _Shape(names)
    rest = len(data) - shape.written - sum(map(len, values.values()))
    return not rest or (rest == shape.spaces and shape.spaced % tuple(values.values()) == data)


def _decoded(data: Buffer, decode: Callable[[Buffer], Any]) -> Any:
    """What `decode` makes of it; where it refuses it, of the text with NaN, Infinity and broken surrogates mended."""
    try:
        return decode(data)
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except msgspec.DecodeError:
        text = _KEYWORDS_AND_TEXTS.sub(_mended, str(data, "utf-8"))
    try:
        return decode(text.encode())
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    except msgspec.DecodeError as error:
        raise _unreadable(text, str(error)) from None


def _unreadable(text: str, message: str) -> UnreadableError:
    """Why a text is no JSON: cut where a text or a bracket is still open at its end."""
    cause = _cause(text)
    rest = _TEXT.sub("", text)
    if cause == INVALID and ('"' in rest or rest.count("{") + rest.count("[") > rest.count("}") + rest.count("]")):
        return UnreadableError(CUT, text.count("\n") + text.count(_LINE_BREAK) + 1)
    if (found := _AT_BYTE.search(message)) is None:
        return UnreadableError(cause)
    data, at = text.encode(), int(found[1])
    near = data[max(at - _NEAR, 0) : at + _NEAR].decode(errors="ignore")
    line = data.count(b"\n", 0, at) + data.count(_LINE_BREAK.encode(), 0, at) + 1
    return UnreadableError(cause, line, near)


def _cause(text: str) -> str:
    """What a writer can mend, or INVALID; also for a long document, and for a record that is cut."""
    try:
        json.loads(text[:_MOST_LOOKED_AT])
    except json.JSONDecodeError as error:
        found = diagnose(text.strip(), error)
        return INVALID if found in {Diagnosis.TRUNCATED, Diagnosis.EXCEL_CUT} else found
    except RecursionError:
        return TOO_DEEP
    return INVALID


def _mended(match: re.Match[str]) -> str:
    """NaN is no value, Infinity the text of one; half of a pair is U+FFFD, as in every text that is shown."""
    found = match[0]
    if found[0] != '"':
        return "null" if found == "NaN" else f'"{found}"'
    escaped = _ESCAPE.sub(lambda escape: "\\ufffd" if len(escape[0]) == _LONE else escape[0], found)
    return _CONTROL.sub(lambda control: f"\\u{ord(control[0]):04x}", escaped)
