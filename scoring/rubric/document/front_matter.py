"""Front matter of a rubric document: YAML -> declarations, every fault with its line.

Decides whether the front matter is well formed, its values of the right types, its texts and lists filled, each
declaration without faults. Whether declarations fit together is decided by `scoring.rubric.document.profile`.
"""

import re
import types
import typing
import unicodedata
from collections.abc import Iterable
from enum import EnumType
from functools import cache
from typing import Any, NamedTuple

import msgspec
import yaml
from msgspec.structs import FieldInfo, fields

from scoring.json_values import parse_path
from scoring.problems import Problem
from scoring.rubric.document.schema import FrontMatter
from scoring.rubric.points import STATUSES, Status
from scoring.rubric.written import (
    EITHER,
    FILLED,
    HIGHEST,
    ONE_OR_MORE,
    PATH,
    RECORD_PATH,
    TEXT,
    UNWRITTEN,
    WHOLE_RECORD,
    Fault,
    Key,
    Made,
    Text,
)

MAX_FRONT_MATTER = 32_768  # characters
MAX_DEPTH = 12
_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(\.[0-9]{1,15})?")

_UNIONS = {types.UnionType, typing.Union}

Path = tuple[str | int, ...]


class Split(NamedTuple):
    """A document cut in two. front: None without front matter. body_line: number of the body's first line."""

    front: str | None
    body: str
    body_line: int


class Parsed(NamedTuple):
    """YAML as plain values, with the line of every value and key by path (the last part of a path is the key)."""

    value: object
    lines: dict[Path, int]
    problems: tuple[Problem, ...]


def split_front_matter(text: str) -> Split:
    """Cut at the `---` lines; the first line of the text has to be one. Raises ValueError when it is never closed."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return Split(None, text, 1)
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in {"---", "..."}:
            return Split("\n".join(lines[1:number]), "\n".join(lines[number + 1 :]), number + 2)
    raise ValueError("front matter is not closed")


def parse_yaml(text: str) -> Parsed:
    """The front matter (its first line is line 2 of the document) as values.

    Only what a person needs is YAML here: a map of maps, lists, texts, plain numbers, true and false. Aliases, tabs,
    repeated keys and deep nesting are problems; `no`, `1:30` and dates stay the text they are.
    """
    if len(text) > MAX_FRONT_MATTER:
        return Parsed(None, {}, (refusal("rubric-front-matter-size", 2, limit=str(MAX_FRONT_MATTER)),))
    if "\t" in text:
        line = text[: text.index("\t")].count("\n") + 2
        return Parsed(None, {}, (refusal("rubric-yaml", line, reason="a tab"),))
    try:
        node = _Loader(text).get_single_node()
    except _RefusedYAMLError as error:
        return Parsed(None, {}, (error.problem,))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 2
        return Parsed(None, {}, (refusal("rubric-yaml", line, reason=error.problem or str(error)),))
    except yaml.YAMLError as error:  # a character that YAML does not allow
        return Parsed(None, {}, (refusal("rubric-yaml", _reader_line(text, error), reason=str(error).split("\n")[0]),))
    if node is None:  # nothing but comments
        return Parsed({}, {}, ())
    if not isinstance(node, yaml.MappingNode):
        line = node.start_mark.line + 2
        return Parsed(None, {}, (refusal("rubric-yaml", line, reason="no map of names and values"),))
    reader = _NodeReader()
    value = reader.read(node, ())
    return Parsed(value, reader.lines, tuple(reader.problems))


def convert_front_matter(parsed: Parsed) -> tuple[FrontMatter | None, tuple[Problem, ...]]:
    """Check types, keys, texts, lists and each declaration by itself, and clean the texts.

    None when keys or types are wrong; other problems leave it to be checked further.
    """
    converter = _Converter(parsed.lines)
    value = converter.convert(parsed.value, FrontMatter, ())
    faults = problems_of(converter.faults, parsed.lines) if value is not None else ()
    return value, (*converter.problems, *faults)


@cache
def keys_of(declaration: type[msgspec.Struct]) -> dict[str, FieldInfo]:
    """What the front matter may say of a declaration, by key, in the order of messages and documents."""
    keys = {}
    for field in fields(declaration):
        marked = [marker for marker in typing.get_args(field.type) if isinstance(marker, Key)]
        keys[marked[-1] if marked else field.name] = field
    keys.pop(UNWRITTEN, None)
    order = getattr(declaration, "KEYS", "").split()
    return {key: keys[key] for key in order} or keys


def is_declaration(kind: Any) -> bool:
    """Is this type written as a map of keys?"""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def problems_of(faults: Iterable[Fault], lines: dict[Path, int]) -> tuple[Problem, ...]:
    """Faults as problems, each with the line that its path has."""
    return tuple(
        refusal(
            fault.code, nearest_line(lines, fault.path), found=fault.found, path=show_path(fault.path), **fault.values
        )
        for fault in faults
    )


def show_path(path: Path) -> str:
    """`columns[4].name`: places in a list count from 1, as people count."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def refusal(code: str, line: int, *, found: str = "", **values: str) -> Problem:
    """A problem of a rubric document; the source is added at the end."""
    return Problem(code=code, line=line, found=found, values=values)


class Refusals(list[Problem]):
    """Problems of a rubric document so far."""

    def add(self, code: str, line: int, found: str = "", **values: str) -> None:
        """Add one."""
        self.append(refusal(code, line, found=found, **values))


def nearest_line(lines: dict[Path, int], path: Path) -> int:
    """Line of a path, or of the nearest thing around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _RefusedYAMLError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class _Loader(yaml.SafeLoader):
    """Stops at an alias or a deep nest, either of which could make a small text expensive."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 2
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedYAMLError(refusal("rubric-yaml-alias", line, found=f"*{event.anchor}"))
        if event.anchor is not None:
            raise _RefusedYAMLError(refusal("rubric-yaml-alias", line, found=f"&{event.anchor}"))
        if self.depth > MAX_DEPTH:
            raise _RefusedYAMLError(refusal("rubric-yaml-depth", line, limit=str(MAX_DEPTH)))
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _reader_line(text: str, error: yaml.YAMLError) -> int:
    position = getattr(error, "position", 0)
    return text[: position if isinstance(position, int) else 0].count("\n") + 2


class _NodeReader:
    """YAML nodes -> plain values; keeps the line of each path."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []

    def read(self, node: yaml.Node, path: Path) -> object:
        self.lines.setdefault(path, node.start_mark.line + 2)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(child, (*path, index)) for index, child in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, object]:
        result: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 2
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(refusal("rubric-yaml", line, reason="a key is not a text"))
                continue
            if key in result:
                where = show_path((*path, key))
                first = str(self.lines[*path, key])
                self.problems.append(refusal("rubric-yaml-duplicate-key", line, found=key, path=where, first=first))
                continue
            self.lines[*path, key] = line
            result[key] = self.read(value_node, (*path, key))
        return result


def _scalar(node: yaml.Node) -> object:
    text = str(node.value)
    match node.tag.rpartition(":")[2]:
        case "int" if _NUMBER.fullmatch(text):
            return int(text)
        case "float" if _NUMBER.fullmatch(text):
            return float(text)
        case "bool" if text.casefold() in {"true", "false"}:
            return text.casefold() == "true"
        case "null" if text in {"", "~", "null"}:
            return None
        case _:
            return text


class _Converter:
    """Plain values -> declarations; goes on after a problem so that all are named.

    faults: of values, which count where all have their types.
    """

    def __init__(self, lines: dict[Path, int]) -> None:
        self._lines = lines
        self._is_shaped = True
        self.problems: list[Problem] = []
        self.faults: list[Fault] = []

    def convert(self, value: Any, wanted: Any, path: Path) -> Any:
        wanted = _without_none(wanted) if value is not None else wanted
        origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
        if is_declaration(wanted):
            return self._declaration(value, wanted, path)
        if origin is typing.Annotated:
            return self._annotated(value, arguments, path)
        if wanted is Status and isinstance(value, str):
            return self._status(value, path)
        if origin is dict:
            return self._dict(value, arguments[0], arguments[1], path)
        if origin is tuple and arguments[-1] is Ellipsis:
            return self._tuple(value, arguments[0], path)
        if origin in _UNIONS and isinstance(value, str) and Text in arguments:
            return self.convert(value, Text, path)
        try:
            return msgspec.convert(value, wanted, strict=True)
        except msgspec.ValidationError:
            self._wrong_type(value, wanted, path)
            return None

    def _declaration(self, value: Any, wanted: Any, path: Path) -> Any:
        if not isinstance(value, dict):
            return self._wrong_type(value, wanted, path)
        keys = keys_of(wanted)
        for key in value:
            if key not in keys:
                self._misshapen("rubric-key-unknown", (*path, key), found=key, known=", ".join(keys))
        for key, field in keys.items():
            if field.required and key not in value:
                self._misshapen("rubric-key-missing", path, key=show_path((*path, key)))
        given = {
            field.name: self.convert(value[key], field.type, (*path, key))
            for key, field in keys.items()
            if key in value
        }
        return self._faultless(wanted(**given), path) if self._is_shaped else None

    def _faultless(self, declaration: Any, path: Path) -> Any:
        """The declaration, its faults noted where it has any."""
        if hasattr(declaration, "faults"):
            self.faults += (fault._replace(path=(*path, *fault.path)) for fault in declaration.faults())
        return declaration

    def _marked(self, value: Any, marker: str, path: Path) -> Any:
        if isinstance(value, str):
            value = unicodedata.normalize("NFC", value).strip()
            if marker == TEXT and not value:
                self._add("rubric-word-empty", path)
            is_record = marker == RECORD_PATH and value == WHOLE_RECORD
            if marker in {PATH, RECORD_PATH} and not is_record and parse_path(value) is None:
                self.faults.append(Fault("rubric-path", path, value))
        elif marker == FILLED and value == ():
            self._add("rubric-list-empty", path)
        return value

    def _annotated(self, value: Any, arguments: tuple[Any, ...], path: Path) -> Any:
        kind, *markers, last = arguments  # nested markers come as one list, the innermost first
        if isinstance(last, Made):
            written = self.convert(value, last.written, path)
            return None if written is None else last.make(written)
        if last == EITHER:
            map_type, other = typing.get_args(kind)
            return self.convert(value, map_type if isinstance(value, dict) else other, path)
        if last == HIGHEST:
            return self._scale(value, kind, path)
        if last == ONE_OR_MORE and isinstance(value, str):
            value = [value]
        wanted = typing.Annotated[kind, *markers] if markers else kind
        return self._marked(self.convert(value, wanted, path), last, path)

    def _scale(self, value: Any, wanted: Any, path: Path) -> Any:
        """A map, or a number that is the highest of it."""
        if isinstance(value, dict):
            return self._declaration(value, wanted, path)
        highest = self.convert(value, float, path)
        return None if highest is None else wanted(highest=highest)

    def _status(self, value: str, path: Path) -> Status | None:
        if value not in STATUSES:
            self._add("rubric-status-unknown", path, found=value, known=", ".join(STATUSES))
        return STATUSES.get(value)

    def _dict(self, value: Any, key_type: Any, item_type: Any, path: Path) -> Any:
        if not isinstance(value, dict) or not value:
            return self._wrong_type(value, dict, path)
        pairs = [
            (self.convert(key, key_type, (*path, key)), self.convert(item, item_type, (*path, key)))
            for key, item in value.items()
        ]
        return {key: item for key, item in pairs if key is not None}

    def _tuple(self, value: Any, wanted: Any, path: Path) -> Any:
        if not isinstance(value, list):
            return self._wrong_type(value, tuple, path)
        items = [self.convert(item, wanted, (*path, index)) for index, item in enumerate(value)]
        return tuple(item for item in items if item is not None)

    def _wrong_type(self, value: object, wanted: Any, path: Path) -> None:
        self._misshapen("rubric-value-type", path, found=_show(value), expected=_expected(wanted))

    def _misshapen(self, code: str, path: Path, *, found: str = "", **values: str) -> None:
        self._is_shaped = False
        self._add(code, path, found=found, **values)

    def _add(self, code: str, path: Path, *, found: str = "", **values: str) -> None:
        line = nearest_line(self._lines, path)
        self.problems.append(refusal(code, line, found=found, path=show_path(path), **values))


def _without_none(wanted: Any) -> Any:
    """The type `T` of `T | None`, whose faults are then found one by one; anything else as it is."""
    if typing.get_origin(wanted) in _UNIONS:
        kinds = [kind for kind in typing.get_args(wanted) if kind is not type(None)]
        return kinds[0] if len(kinds) == 1 else wanted
    return wanted


def _show(value: object) -> str:
    match value:
        case dict():
            return "{…}"
        case list():
            return "[…]"
        case bool():
            return "true" if value else "false"
        case None:
            return ""
        case _:
            return str(value)


def _expected(wanted: Any) -> str:
    """Stable name of the wanted type: text, number, integer, boolean, list, map, or the words to choose from."""
    if typing.get_origin(wanted) is typing.Literal:
        return " | ".join(typing.get_args(wanted))
    if typing.get_origin(wanted) in _UNIONS:
        return " | ".join(_expected(kind) for kind in typing.get_args(wanted) if kind is not type(None))
    if typing.get_origin(wanted) is typing.Annotated:
        return _expected(typing.get_args(wanted)[0])
    if typing.get_origin(wanted) is tuple:
        return "pair"
    if isinstance(wanted, EnumType) and wanted is not Status:
        return " | ".join(wanted)
    names = {str: "text", float: "number", int: "integer", bool: "boolean", tuple: "list"}
    return names.get(wanted, "map")
