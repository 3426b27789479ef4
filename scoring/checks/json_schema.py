"""Validates values against JSON Schemas that come from files, within a budget (docs/scoring.md#json-schema).

A small schema can ask for endless work: references that multiply, patterns, addresses in the network. So a schema is
measured first, and taken only if the work that it asks for is bounded by its size times that of the value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from math import frexp, log10
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.rubric import PATTERN_STEPS, is_found, is_pattern, program_size

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MAX_PLACES = 5_000  # values in a schema, every reference counted with what it refers to
MAX_DEPTH = 64
_JSON_STEP = 32  # characters of JSON that take as long as one more value
_STEPS = 4  # places x values that take as long as one comparison
_TEXT_PLACES = 80  # places that take as long as a format
# The same for words whose time is not that of one place; measured, like the rest.
_WORD_PLACES = {"uniqueItems": 80, "propertyNames": 20}
_PATTERN_STEPS = 130  # of a `pattern` with one text
_DIVISION_STEPS = 250  # of a `multipleOf`: places x values that take as long as one division
_DIGIT_STEPS = 8  # more for every digit of the exponents: both numbers become fractions of integers
_PLAIN_DIGITS = 18  # of a number that is compared as a machine compares numbers
_SQUARE_DIGITS = 180  # of longer ones, squared: as long as one more value
_DRAFTS = frozenset(
    {
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    }
)
# Keywords that are not taken: names of patterns are matched by another engine than RE2, and the others make validation
# go over the same value again and again, or follow references that only a value decides.
_REFUSED = frozenset(
    {
        "patternProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "$dynamicRef",
        "$recursiveRef",
        "contentSchema",
    }
)

_LOG_2 = log10(2)
_NAMING = (dict, bool, str)  # what a keyword has as its value


class _Size(NamedTuple):
    """How much validation a part of a schema asks for.

    places: values at and below it. height: how deep they are nested. programs: instructions of its patterns. Whatever a
    reference means counts every time. more: places that the time of its words adds, beyond the limit on places.
    patterns, divisions: words `pattern` and `multipleOf`. digits: the most digits of an exponent of the latter.
    """

    places: int
    height: int = 0
    programs: int = 0
    more: int = 0
    patterns: int = 0
    divisions: int = 0
    digits: int = 0


class BrokenRule(NamedTuple):
    """A rule of a schema that a value breaks.

    place: in the value, as a JSON pointer. keyword: `minimum`, `required`; wanted: its value, None behind a reference.
    found: what the value has at the place.
    """

    place: str
    keyword: str
    wanted: object
    found: object


class Schema(NamedTuple):
    """A schema that is taken. size: of the schema, references followed. written: as it was given."""

    validator: Validator
    size: _Size
    written: object

    def cost(self, value: object) -> int:
        """Comparisons that take at least as long as validating the value."""
        size = self.size
        characters = len(value if isinstance(value, str) else repr(value))
        values = _values_in(value)
        steps = (size.places + size.more) * (values.number + values.more + characters // _JSON_STEP)
        steps += size.divisions * values.number * (_DIVISION_STEPS + _DIGIT_STEPS * (size.digits + values.digits))
        steps += size.patterns * values.texts * _PATTERN_STEPS
        return 1 + steps // _STEPS + characters * size.programs // PATTERN_STEPS

    def fits(self, value: object) -> bool:
        """Is the value valid? One that JSON can't hold (half a character) is not."""
        try:
            return bool(self.validator.is_valid(value))
        except (ValueError, RecursionError):
            return False

    def broken_rule(self, value: object) -> BrokenRule | None:
        """The first rule that the value breaks; None of a valid one, and of one that JSON can't hold."""
        try:
            error = next(iter(self.validator.iter_errors(value)), None)
        except (ValueError, RecursionError):
            return None
        if error is None:
            return None
        path = list(error.schema_path)
        keyword = str(path[-1]) if path else ""
        wanted: object = self.written
        for step in path:
            wanted = _below(wanted, step)
        return BrokenRule("/" + "/".join(map(str, error.instance_path)), keyword, wanted, error.instance)


def _below(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None


def read_schema(value: object) -> Schema | None:
    """The schema in a value or in its JSON text; None when it is none, or asks for what is not taken."""
    if not isinstance(value, dict | bool):
        return None
    try:
        return _compiled(json.dumps(value))
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=32)  # of the largest schemas 1.4 MB each
def _compiled(text: str) -> Schema | None:
    value = json.loads(text)
    try:
        size = _Measure(value).size(value, 0, is_root=True)
    except _NotTakenError:
        return None
    from jsonschema_rs import ValidationError, validator_for  # 0.1 s, which only checks with a schema spend

    try:
        validator = validator_for(
            value,
            validate_formats=True,
            ignore_unknown_formats=False,
            keywords={"pattern": _Pattern},
            offline=True,
        )
    except (ValidationError, ValueError):
        return None
    return Schema(validator, size, value)


class _Pattern:
    """The keyword `pattern` by RE2, as every other pattern of a check."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None:
        del parent_schema, schema_path
        self._pattern = str(value)

    def validate(self, instance: Any) -> None:
        if isinstance(instance, str) and not is_found(self._pattern, instance):
            raise ValueError(self._pattern)


class _Measure:
    """Measures the places of a schema. Raises _NotTakenError where one is over the limit, or is not taken."""

    def __init__(self, schema: object) -> None:
        self._root = schema
        self._known: dict[int, _Size] = {}

    def size(self, value: object, depth: int, *, is_root: bool = False) -> _Size:
        """The size of a place, worked out once however often it is referred to. A circle of references is too deep."""
        if not isinstance(value, dict | list):
            length = len(value) // _JSON_STEP if isinstance(value, str) else _more_of(value)
            return _Size(1 + length)
        size = self._known.get(id(value))
        if size is None:
            if depth >= MAX_DEPTH:
                raise _NotTakenError
            size = self._known[id(value)] = self._add_up(value, depth, is_root=is_root)
        if size.places > MAX_PLACES or depth + size.height > MAX_DEPTH:
            raise _NotTakenError
        return size

    def _add_up(self, value: dict[str, object] | list[object], depth: int, *, is_root: bool) -> _Size:
        within = list(value.values() if isinstance(value, dict) else value)
        places, programs, more, patterns, divisions, digits = 1, 0, 0, 0, 0, 0
        if isinstance(value, dict):
            self._check_keywords(value, is_root=is_root)
            if isinstance(reference := value.get("$ref"), str):
                within.append(self._target(reference))
            if isinstance(value.get("format"), str):
                places += _TEXT_PLACES
            if isinstance(pattern := value.get("pattern"), str):
                places, patterns, programs = places + _TEXT_PLACES, 1, program_size(pattern)
            more = sum(_WORD_PLACES[word] for word in _WORD_PLACES.keys() & value.keys())
            if "multipleOf" in value:
                divisions, digits = 1, _digits(value["multipleOf"])
        sizes = [self.size(one, depth + 1) for one in within]
        return _Size(
            places + sum(one.places for one in sizes),
            1 + max((one.height for one in sizes), default=0),
            programs + sum(one.programs for one in sizes),
            more + sum(one.more for one in sizes),
            patterns + sum(one.patterns for one in sizes),
            divisions + sum(one.divisions for one in sizes),
            max([digits, *(one.digits for one in sizes)]),
        )

    @staticmethod
    def _check_keywords(schema: Mapping[str, object], *, is_root: bool) -> None:
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not is_pattern(pattern):
            raise _NotTakenError
        draft = schema.get("$schema")
        if isinstance(draft, str) and (not is_root or draft.rstrip("#") not in _DRAFTS):
            raise _NotTakenError
        if not is_root and any(isinstance(schema.get(name), str) for name in ("$id", "$anchor")):
            raise _NotTakenError  # would change what a reference means
        if schema.get("format") == "regex" or any(isinstance(schema.get(name), _NAMING) for name in _REFUSED):
            raise _NotTakenError

    def _target(self, reference: str) -> object:
        """What a reference within the schema means: `#`, or `#/$defs/city`."""
        if reference != "#" and not reference.startswith("#/"):
            raise _NotTakenError
        found = self._root
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found or "%" in step:
                raise _NotTakenError
            found = found[name]
        return found


class _NotTakenError(Exception):
    """The schema asks for more than is taken."""


class _Values(NamedTuple):
    """number: of values in a JSON value, itself included. texts: of them. digits: the most digits of an exponent.

    more: values that take as long as its long numbers.
    """

    number: int
    texts: int
    more: int
    digits: int


def _values_in(value: object) -> _Values:
    count = texts = more = digits = 0
    left = [value]
    while left:
        one = left.pop()
        count += 1
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str):
            texts += 1
        elif isinstance(one, int | float):
            more += _more_of(one)
            digits = max(digits, _digits(one))
    return _Values(count, texts, more, digits)


def _digits(number: object) -> int:
    """Digits of the exponent of a number to the base 10: of 1e-300 and of 1e300 there are 300."""
    if isinstance(number, int):
        return int(number.bit_length() * _LOG_2)
    return abs(int(frexp(number)[1] * _LOG_2)) if isinstance(number, float) else 0


def _more_of(number: object) -> int:
    """Values that take as long as a number that is too long for a machine; it is read again for each comparison."""
    digits = _digits(number) if isinstance(number, int) else 0
    return 0 if digits <= _PLAIN_DIGITS else digits * digits // _SQUARE_DIGITS
