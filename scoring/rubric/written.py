"""How the front matter of a rubric document writes what is declared: markers of types, and faults.

A declaration is one class: the rule that scores by it. Its fields are keys of the front matter, read by the markers of
their types in `scoring.rubric.document.front_matter`, and its `faults` are what can be wrong with its values together.
"""

import typing
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

CLEAN, TEXT, FILLED, ONE_OR_MORE, HIGHEST = "clean", "text", "filled", "one or more", "highest"
EITHER = "either"  # a map is the first of two types, anything else the second
PATH, RECORD_PATH = "path", "path of a record"
WHOLE_RECORD = "$"  # the path of a JSON record, or of a JSON document, itself
HOLDER = "^"  # the first step of a path to what holds the list of records


class Key(str):
    """The key of a field, where it is not called as the field is; "" where the front matter has none."""

    __slots__ = ()


class Made(NamedTuple):
    """A value that a document writes as another type. written: that type. make: the value of what is written."""

    written: Any
    make: Callable[[Any], Any]


class Fault(NamedTuple):
    """What is wrong with a declaration. path: of the value to blame, inside the declaration. found: that value."""

    code: str
    path: tuple[str | int, ...]
    found: str = ""
    values: Mapping[str, str] = MappingProxyType({})


def _one_or_all(paths: tuple[str, ...]) -> str | tuple[str, ...]:
    return paths[0] if len(paths) == 1 else paths


UNWRITTEN = Key("")  # tables or other keys say it
Clean = typing.Annotated[str, CLEAN]  # NFC and stripped
Text = typing.Annotated[str, TEXT]  # the same, and not empty
Words = tuple[Text, ...]
FilledWords = typing.Annotated[Words, FILLED]  # at least one
AnyWords = typing.Annotated[Words, ONE_OR_MORE]
OneOrMore = typing.Annotated[FilledWords, ONE_OR_MORE]  # a single one may be written as a text
CleanPath = typing.Annotated[Clean, PATH]
TextPath = typing.Annotated[Text, PATH]
AnyPaths = typing.Annotated[tuple[TextPath, ...], ONE_OR_MORE]
RecordPath = typing.Annotated[Text, RECORD_PATH]  # or the whole record
RecordPaths = typing.Annotated[tuple[RecordPath, ...], ONE_OR_MORE]
_FilledPaths = typing.Annotated[tuple[TextPath, ...], FILLED, ONE_OR_MORE]
# A JSON path, or several tried in order; older digests count a single one as a text.
Paths = typing.Annotated[str | tuple[str, ...], Made(_FilledPaths, _one_or_all)]
TrackName = int | Text
