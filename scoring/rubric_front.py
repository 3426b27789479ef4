"""Front matter of a rubric document: YAML -> structs, every fault with its line.

Decides whether the front matter is well formed and of the right types. Whether its values make sense together
is decided by `scoring.rubric_document`.
"""

from __future__ import annotations

import re
import types
import typing
from typing import Any, NamedTuple

import msgspec
import yaml

from scoring.problems import Problem, Severity

MAX_FRONT_MATTER = 32_768  # characters
MAX_DEPTH = 12
_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(\.[0-9]{1,15})?")

Path = tuple[str | int, ...]


class ColumnSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One column; `name` is one of `scoring.columns.FIELDS`."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    required: bool = False


class PointsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with points per status in a table of the document."""

    headings: tuple[str, ...]


class CopySpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric that has the points of another one."""

    headings: tuple[str, ...]
    copies: typing.Literal["intent", "stability"]


class ConsistencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which statuses pass when two rounds are compared."""

    pass_statuses: tuple[str, ...]


class ClassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A latency class, its tracks, and the words that name its table."""

    title: str
    tracks: tuple[int, ...]
    headings: tuple[str, ...]
    slow_seconds: float | None = None


class LatencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Latency classes by name; `default` is the class of tracks that none of them names."""

    headings: tuple[str, ...]
    default: str
    classes: dict[str, ClassSpec]


class MetricsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where each metric has its points from."""

    intent: PointsSpec
    accuracy: CopySpec
    stability: PointsSpec
    consistency: ConsistencySpec
    latency: LatencySpec


class WordsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Words that score (partial, no_error, failure, track) and words by which tables are read."""

    partial: tuple[str, ...]
    no_error: tuple[str, ...]
    failure: tuple[str, ...]
    track: tuple[str, ...]
    missing: tuple[str, ...]
    points: tuple[str, ...]
    seconds: tuple[str, ...]
    either: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a full document declares beside its tables."""

    profile: str
    title: str
    files: tuple[str, ...]
    date_order: typing.Literal["month_first", "day_first"]
    scale: float
    recorded_range: tuple[float, float]
    max_rounds: int
    columns: tuple[ColumnSpec, ...]
    metrics: MetricsSpec
    words: WordsSpec


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


class Converted(NamedTuple):
    """value: None when there are problems."""

    value: FrontMatter | None
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

    Only what a person needs is YAML here: maps, lists, texts, plain numbers, true and false. Aliases,
    repeated keys and deep nesting are problems; `no`, `1:30` and dates stay the text they are.
    """
    if len(text) > MAX_FRONT_MATTER:
        return Parsed(None, {}, (refusal("rubric-front-matter-size", 2, limit=str(MAX_FRONT_MATTER)),))
    try:
        problems = _event_problems(text)
        if problems:
            return Parsed(None, {}, problems)
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 2
        return Parsed(None, {}, (refusal("rubric-yaml", line, reason=error.problem or str(error)),))
    except yaml.YAMLError as error:  # a character that YAML does not allow
        return Parsed(None, {}, (refusal("rubric-yaml", _reader_line(text, error), reason=str(error).split("\n")[0]),))
    reader = _NodeReader()
    value = reader.read(node, ()) if node is not None else None
    return Parsed(value, reader.lines, tuple(reader.problems))


def convert_front_matter(parsed: Parsed) -> Converted:
    """Types checked and unknown or missing keys found, all of them."""
    converter = _Converter(parsed.lines)
    value = converter.convert(parsed.value, FrontMatter, ())
    return Converted(value if not converter.problems else None, tuple(converter.problems))


def show_path(path: Path) -> str:
    """`columns[4].name`: places in a list count from 1, as people count."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def refusal(code: str, line: int, *, found: str = "", **values: str) -> Problem:
    """A problem of a rubric document; the source is added at the end."""
    return Problem(code=code, severity=Severity.REFUSED, line=line, found=found, values=values)


def nearest_line(lines: dict[Path, int], path: Path) -> int:
    """Line of a path, or of the nearest thing around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _event_problems(text: str) -> tuple[Problem, ...]:
    """Faults that have to be found before the nodes are built: each could make building them expensive."""
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        line = event.start_mark.line + 2 if event.start_mark else 2
        if isinstance(event, yaml.AliasEvent):
            return (refusal("rubric-yaml-alias", line, found=f"*{event.anchor}"),)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                return (refusal("rubric-yaml-depth", line, limit=str(MAX_DEPTH)),)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return ()


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
    """Plain values -> structs; goes on after a fault so that all are named."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self._lines = lines
        self.problems: list[Problem] = []

    def convert(self, value: Any, wanted: Any, path: Path) -> Any:
        origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
        if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
            return self._struct(value, wanted, path)
        if origin is dict:
            return self._dict(value, arguments[1], path)
        if origin is tuple and arguments[-1] is Ellipsis:
            return self._tuple(value, arguments[0], path)
        try:
            return msgspec.convert(value, wanted, strict=True)
        except msgspec.ValidationError:
            self._wrong_type(value, wanted, path)
            return None

    def _struct(self, value: Any, wanted: Any, path: Path) -> Any:
        if not isinstance(value, dict):
            return self._wrong_type(value, wanted, path)
        hints = typing.get_type_hints(wanted)
        for key in value:
            if key not in hints:
                self._add("rubric-key-unknown", (*path, key), found=key, known=", ".join(hints))
        required = {info.name for info in msgspec.structs.fields(wanted) if info.required}
        for key in hints:
            if key in required and key not in value:
                self._add("rubric-key-missing", path, key=show_path((*path, key)))
        fields = {key: self.convert(value[key], hint, (*path, key)) for key, hint in hints.items() if key in value}
        return None if self.problems else wanted(**fields)

    def _dict(self, value: Any, wanted: Any, path: Path) -> Any:
        if not isinstance(value, dict) or not value:
            return self._wrong_type(value, dict, path)
        return {key: self.convert(item, wanted, (*path, key)) for key, item in value.items()}

    def _tuple(self, value: Any, wanted: Any, path: Path) -> Any:
        if not isinstance(value, list):
            return self._wrong_type(value, tuple, path)
        return tuple(self.convert(item, wanted, (*path, index)) for index, item in enumerate(value))

    def _wrong_type(self, value: object, wanted: Any, path: Path) -> None:
        self._add("rubric-value-type", path, found=_show(value), expected=_expected(wanted))

    def _add(self, code: str, path: Path, *, found: str = "", **values: str) -> None:
        line = nearest_line(self._lines, path)
        self.problems.append(refusal(code, line, found=found, path=show_path(path), **values))


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
    if isinstance(wanted, types.UnionType):
        return _expected(next(kind for kind in wanted.__args__ if kind is not type(None)))
    if typing.get_origin(wanted) is tuple:
        return "pair"
    names = {str: "text", float: "number", int: "integer", bool: "boolean", tuple: "list"}
    return names.get(wanted, "map")
