"""The fields of JSON objects by path: how often each is filled, and the values as columns of a table."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scoring.items import Opened, open_payload
from scoring.json_values import as_text, having_step, is_nothing, name_step, parse_path
from scoring.proposal.names import likely_meanings
from scoring.text import normalise

MAX_FIELDS = 400  # paths that are kept
MAX_DEPTH = 8  # names of a path
MAX_SHAPE = 4  # names of a path that tell shapes apart
MAX_ELEMENTS = 20  # of a list, that are looked into
EACH = "[*]"
_LONGEST_NAME = 64  # characters of a name in a path

# Last names of a list of tool calls, and paths inside a call, the likeliest first.
_CALLS = (
    *("tool_calls", "toolCalls", "function_calls", "functionCalls", "tools_called", "toolInvocations"),
    *("tool_invocations", "tools_used", "calls"),
)
_CALL_NAMES = ("function.name", "name", "toolName", "tool_name", "tool", "function")
_CALL_ARGUMENTS = ("function.arguments", "arguments", "args", "input", "parameters", "params")
_ERRORS = ("error", "exception")  # objects count as a text here, which says why an answer failed
MAX_NAMED = 50  # scores in lists
_NAMES = (
    "name",
    "metric",
    "metric_name",
    "metricName",
    "key",
    "grader",
    "evaluator",
    "scorer",
    "criterion",
)  # of a score in a list of scores
_SCORES = ("score", "value")
_TEXTS = ("content", "text")  # of messages
_UI = ("dataUIList", "ui", "widgets", "cards")


class JsonField(NamedTuple):
    """A path, in which objects it has a value, and what most of its values are: text, number, list or object."""

    path: str
    kind: str
    at: frozenset[int]

    @property
    def filled(self) -> int:
        """In how many objects it has a value."""
        return len(self.at)


class Calls(NamedTuple):
    """Where tool calls are. path: of the list. name, arguments: inside a call; "" where there are none."""

    path: str
    name: str
    arguments: str


class Flat(NamedTuple):
    """Objects as a table. fields: every path, in the order in which they come. paths: those that are columns.

    rows: a text for each of `paths`, "" where an object has no value.
    """

    fields: tuple[JsonField, ...]
    paths: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def objects_in(cells: Iterable[str]) -> list[Mapping[str, object]]:
    """The JSON objects among the cells of a column."""
    return [opened.value for opened in map(open_payload, cells) if isinstance(opened, Opened)]


def flatten(objects: Sequence[Mapping[str, object]]) -> Flat:
    """The fields of objects; a field becomes a column where its values are texts, numbers or lists of these.

    Texts of messages in a list are lines of one cell. A list of objects without any is a column, as JSON, where its
    name means an answer: the calls that an agent wrote.
    """
    kinds: dict[str, list[str]] = {}
    places: dict[str, list[int]] = {}
    cells: list[dict[str, str]] = []
    written: list[dict[str, str]] = []
    scored: dict[str, None] = {}
    for number, one in enumerate(objects):
        row: dict[str, str] = {}
        lists: dict[str, str] = {}
        found: dict[str, str] = {}
        for path, value in _walk(one, "", 0):
            if path in kinds or path in found or len(kinds) + len(found) < MAX_FIELDS:
                found.setdefault(path, _kind(value))
                last = names_of(path)[-1].casefold()
                if EACH not in path and (_is_plain(value) or last in _ERRORS):
                    row[path] = as_text(value)
                elif EACH not in path and isinstance(value, list) and (named := _scores_by_name(path, value)):
                    row |= {one: text for one, text in named.items() if one in scored or len(scored) < MAX_NAMED}
                    scored |= dict.fromkeys(named)
                elif EACH not in path and isinstance(value, list) and _means_answer(path):
                    lists[path] = as_text(value)
                elif EACH in path and last in _TEXTS and isinstance(value, str):
                    row[path] = "\n".join(filter(None, (row.get(path, ""), as_text(value))))
        for path, kind in found.items():
            kinds.setdefault(path, []).append(kind)
            places.setdefault(path, []).append(number)
        cells.append(row)
        written.append(lists)
    has_texts = {path for path in kinds if any(f"{path}{EACH}." in text for row in cells for text in row)}
    for row, lists in zip(cells, written, strict=True):
        row |= {path: text for path, text in lists.items() if path not in has_texts}
    fields = tuple(
        JsonField(path, max(found, key=found.count), frozenset(places[path])) for path, found in kinds.items()
    )
    paths = tuple(path for path in (*kinds, *scored) if any(path in row for row in cells))
    return Flat(fields, paths, tuple(tuple(row.get(path, "") for path in paths) for row in cells))


def shape_of(value: object, depth: int = MAX_SHAPE) -> Hashable:
    """The names in an object, those of scores in lists too, so that objects of one shape are looked into once."""
    if isinstance(value, dict) and depth:
        return tuple((name, shape_of(inner, depth - 1)) for name, inner in value.items())
    if isinstance(value, list):
        named = (one for one in value[:MAX_ELEMENTS] if isinstance(one, dict))
        return tuple(text for one in named for key in _NAMES if isinstance(text := one.get(key), str))
    return value is None


def find_calls(fields: Sequence[JsonField]) -> Calls | None:
    """The list of tool calls that most objects have, with the paths inside a call; None without one."""
    path = _first(fields, _CALLS)
    prefix = f"{path}{EACH}."
    inside = {one.path.removeprefix(prefix) for one in fields if path and one.path.startswith(prefix)}
    name = next((one for one in _CALL_NAMES if one in inside), "")
    if not name:
        return None
    return Calls(path, name, next((one for one in _CALL_ARGUMENTS if one in inside), ""))


def nested_answers(fields: Iterable[JsonField]) -> str:
    """The path of answers that records have several of, in lists; "" without one."""
    return next((one.path for one in fields if EACH in one.path and one.kind == "text" and _means_answer(one.path)), "")


def nested_results(fields: Iterable[JsonField]) -> str:
    """The list of graded objects that records have, "" without one."""
    graded = (one.path.partition(EACH)[0] for one in fields if EACH in one.path and _means_grade(one.path))
    return next(graded, "")


def find_ui(fields: Sequence[JsonField]) -> str:
    """The list of UI items, "" without one."""
    return _first(fields, _UI)


def names_of(path: str) -> tuple[str, ...]:
    """The names of a path, without places in lists."""
    return tuple(step for step in parse_path(path) or () if isinstance(step, str))


def _first(fields: Iterable[JsonField], names: Sequence[str]) -> str:
    """The path of a list that ends in the first of these names; the fullest of several."""
    ranked = [
        (names.index(last), -one.filled, one.path)
        for one in fields
        if one.kind == "list" and EACH not in one.path and (last := names_of(one.path)[-1]) in names
    ]
    return min(ranked)[-1] if ranked else ""


def _walk(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    """Every filled value below an object, with its path; the elements of a list share one."""
    if path and not is_nothing(value):
        yield path, value
    if depth == MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if _is_nameable(name):
                yield from _walk(inner, f"{path}{name_step(name)}" if path else first_step(name), depth + 1)
    elif isinstance(value, list) and path:
        for inner in value[:MAX_ELEMENTS]:
            if isinstance(inner, dict):
                yield from _walk(inner, f"{path}{EACH}", depth)


def _is_nameable(name: str) -> bool:
    """Can a path of a document have this name as a step?"""
    is_plain = len(name) <= _LONGEST_NAME and name.isprintable() and normalise(name) == name
    return is_plain and parse_path(first_step(name)) == (name,)


def first_step(name: str) -> str:
    """A name as the first step of a path: `a`, `["b.c"]`."""
    return name_step(name).removeprefix(".")


def _scores_by_name(path: str, values: Sequence[object]) -> dict[str, str]:
    """Of a list of objects with a name and a score each the scores, by a path that tells them apart; {} for another."""
    found: dict[str, str] = {}
    for one in values[:MAX_ELEMENTS]:
        if not isinstance(one, dict):
            return {}
        by = next((key for key in _NAMES if isinstance(one.get(key), str)), "")
        value = next((key for key in _SCORES if isinstance(one.get(key), int | float)), "")
        place = f"{path}{having_step(by, str(one.get(by)))}.{value}"
        if by and value and parse_path(place) is not None:
            found[place] = as_text(one[value])
    return found


def _means_answer(path: str) -> bool:
    return any(one.field == "response" and one.is_whole for one in likely_meanings(path))


def _means_grade(path: str) -> bool:
    return any(one.field in {"intent_verdict", "llm_score"} and one.is_whole for one in likely_meanings(path))


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(one, dict | list) for one in value)
    return not isinstance(value, dict)


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "list"
    if isinstance(value, dict):
        return "object"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "text"
