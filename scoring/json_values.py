"""JSON: texts in the dialect that counts, paths into values, values as they are compared, and faults.

The dialect is described in docs/scoring.md#json-dialect; Python's own `json` reads what msgspec refuses. A path is
`a.b`, `a["b.c"]` for a name with dots or brackets, and of a list `[*]` for every element, `[0]` for one, `[name=text]`
for objects with a text, in quotation marks where it has brackets, `[name!=text]` for the others
(docs/scoring.md#check-paths). It is taken literally: names are compared as written, nothing is searched for elsewhere.
Values become text or numbers in one form (docs/scoring.md#check-operators).
"""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from scoring.text import is_blank, normalise, number, stripped

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


EACH: Final = -1  # every element of a list
ANY_KEY: Final = "*"  # every value of an object, where no name is written so
MAX_STEPS = 40
_CONDITION_AT = 1  # the step after `$`
MAX_CHARACTERS = 400
# Deeper payloads are refused before any parser sees them: the outcome must not depend on the caller's stack.
MAX_DEPTH = 500
_INT_DIGITS = 4_300  # Python and msgspec refuse longer whole numbers
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_QUOTED = re.compile(rb'"[^"]*"?')
_LONGEST_NUMBER = 400
_sorted = msgspec.json.Encoder(order="sorted")


class Having(NamedTuple):
    """The objects of a list whose value of this name is this text; of an object itself where it is no list.

    text: "" for those without a value of this name. is_not: the others.
    """

    name: str
    text: str
    is_not: bool = False

    @property
    def holds_without(self) -> bool:
        """Does it hold for an object that has no value of this name?"""
        return (not self.text) is not self.is_not


Step = str | int | Having  # a name, the index of an element or EACH, or some of the elements


Path = tuple[Step, ...]


_STEP = re.compile(
    r"\[(?:(?P<each>\*)|(?P<index>[0-9]{1,9}))\]"
    r'|(?P<before>\.)?\[(?P<quoted>"(?:[^"\\]|\\.)+")\]'
    r'|\[(?P<key>[^.\[\]=*]+?)(?P<not>!?)=(?:\s*(?P<told>"(?:[^"\\]|\\.)+")\s*|(?P<text>[^\[\]]*))\]'
    r"|(?P<dot>\.)?(?P<name>[^.\[\]]+)"
)


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path | None:
    """`dataUIList[*].uiValue.formType` -> ("dataUIList", EACH, "uiValue", "formType"); None when it is no path.

    The first step is a name, or after `$` a condition of the whole object: `$[kind=2].error`, or of one without a
    value, `$[kind=].error`; several have to hold together. A name after another step has a dot before it, or stands in
    brackets as JSON writes it: `["a.b"]`.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        return None
    steps: list[Step] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or len(steps) == MAX_STEPS:
            return None
        position = match.end()
        step = _step(match, is_first=not steps)
        if step is None:
            return None
        steps.append(step)
    if len(steps) > _CONDITION_AT and steps[0] == "$" and isinstance(steps[_CONDITION_AT], Having):
        return tuple(steps[_CONDITION_AT:])
    return tuple(steps) if isinstance(steps[0], str) else None


def _step(match: re.Match[str], *, is_first: bool) -> Step | None:
    if match["name"] is not None:
        return match["name"].strip() or None if bool(match["dot"]) is not is_first else None
    if match["quoted"] is not None:
        if match["before"] and is_first:
            return None
        return _told(match["quoted"])
    if match["key"] is not None:
        text = match["text"].strip() if match["told"] is None else _told(match["told"])
        return None if text is None else Having(match["key"].strip(), text, bool(match["not"]))
    return EACH if match["each"] else int(match["index"])


def _told(quoted: str) -> str | None:
    """What a JSON text says; None for none."""
    try:
        text: str = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return text


def find_values(root: object, path: Path, count: Callable[[int], object] | None = None) -> list[object]:
    """Values at `path`, in order; null counts as nothing. Every `[*]` may give several values.

    count: called once with the number of values that were looked at.
    """
    values = [root]
    looked_at = 0
    for step in path:
        found: list[object] = []
        for value in values:
            if isinstance(step, str):
                if isinstance(value, dict):
                    found.append(value.get(step))
            elif isinstance(value, list):
                found += _elements(value, step)
            elif isinstance(step, Having):
                found += _elements([value], step)
        looked_at += len(found)
        values = [value for value in found if value is not None]
        if not values:
            break
    if count is not None:
        count(looked_at)
    return values


def _elements(values: list[object], step: int | Having) -> list[object]:
    if isinstance(step, Having):
        objects = (value for value in values if isinstance(value, dict))
        return [value for value in objects if _is_text(value.get(step.name), step.text) is not step.is_not]
    return values if step == EACH else values[step : step + 1]


def _is_text(value: object, text: str) -> bool:
    """A text as it is written; of other plain values the text that a cell shows."""
    return value == text if isinstance(value, str) else not isinstance(value, dict | list) and as_text(value) == text


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
        return json.loads(text, parse_int=_whole, strict=False)  # line breaks and tabs within a text are part of it
    except json.JSONDecodeError as error:
        return Refusal(diagnose(text, error))
    except RecursionError:  # a caller that is itself deep in the stack
        return Refusal(Diagnosis.TOO_DEEP)


def sorted_json(value: object) -> bytes:
    """JSON with sorted keys and without blanks: the same bytes for equal values."""
    try:
        return _sorted.encode(value)
    except (UnicodeError, RecursionError):  # what `load_json` reads and msgspec does not write
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _whole(digits: str) -> float:
    return int(digits) if len(digits) <= _INT_DIGITS else math.inf


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


def as_text(value: object) -> str:
    """Text NFC and stripped, `true`/`false`, numbers without `.0`, JSON for the rest; "" for null."""
    if isinstance(value, str):
        return normalise(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, int):
        return str(value)
    return normalise(json.dumps(value, ensure_ascii=False, sort_keys=True))


def is_nothing(value: object) -> bool:
    """null, blank text, `[]` and `{}`."""
    if isinstance(value, str):
        return is_blank(value)
    return value is None or (isinstance(value, list | dict) and not value)


def exact_number(value: object) -> Decimal | None:
    """The exact number of a number or of a text that is one, else None: ids of 17 digits stay apart."""
    if isinstance(value, list | dict) or value is None:
        return None
    text = as_text(value)
    if len(text) > _LONGEST_NUMBER or number(text) is None:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:  # the exponent is too large
        return None


def are_equal(first: object, second: object) -> bool:
    """By value where both are or read as numbers, `true` and "true" alike, else as text."""
    if isinstance(first, bool) or isinstance(second, bool):
        return as_text(first).casefold() == as_text(second).casefold()
    one, other = exact_number(first), exact_number(second)
    if one is not None and other is not None:
        return one == other
    return as_text(first) == as_text(second)


def name_step(name: str) -> str:
    """A name as a step of a path that follows others: `.b`, `["b.c"]`."""
    return f".{name}" if parse_path(name) == (name,) else f"[{json.dumps(name, ensure_ascii=False)}]"


def having_step(name: str, text: str) -> str:
    """A condition as a step of a path: `[name=a b]`, `[name="a [b]"]`."""
    plain = f"[{name}={text}]"
    is_plain = parse_path(f"a{plain}") == ("a", Having(name, text))
    return plain if is_plain else f"[{name}={json.dumps(text, ensure_ascii=False)}]"
