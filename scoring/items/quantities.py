"""Reads numbers, seconds and amounts as people and spreadsheets write them (docs/scoring.md#seconds)."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from statistics import median
from typing import NamedTuple

from scoring.findings import FindingLog
from scoring.json_values import as_text, is_nothing
from scoring.problems import Problem
from scoring.rubric import Rubric
from scoring.text import Memo, cut, is_blank, normalise, number, showable

ISSUE_NOT_A_NUMBER = "not-a-number"
ISSUE_OUT_OF_RANGE = "out-of-range"
GUARD = "'"  # what exporters write before a cell that a spreadsheet would take for a formula
MOST_SECONDS = 1_000_000
_KNOWN_SCORES = 4_096
MILLISECONDS = 1000  # per second
_SHORTEST = 0.1  # seconds: a median below it is that of another unit
_LEAST_MIXED, _MIXED_SHARE = 2, 0.1  # values of another unit among others
_LEAST_MILLISECONDS = 100_000_000_000  # since 1970: in seconds that is the year 5138
MOST_MEASURED = 1_000_000_000_000  # of a measure, above and below 0: sums of all items stay far from the end of a float

_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*|[+-]?[0-9]{1,3}(?:,[0-9]{3}){2,}")
_WHOLE_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_GROUPED_BY_DOTS = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]*|[+-]?[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_WHOLE_GROUPED_BY_DOTS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_ONE_DOT_GROUP = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
# A space, also one that does not break, or an apostrophe, as in Switzerland.
_GROUPED_BY_MARKS = re.compile(r"[+-]?[0-9]{1,3}(?:[ \u00a0\u2009\u202f'’][0-9]{3})+(?:[.,][0-9]*)?")
_GROUP_MARKS = re.compile(r"[ \u00a0\u2009\u202f'’]")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,([0-9]+)(?:[eE][+-]?[0-9]+)?")
_GROUP_DIGITS = 3

_WITH_UNITS = re.compile(
    r"(?:([0-9]{1,9})\s*(?:h|hrs?|hours?|시간|ч)\s*)?"
    r"(?:([0-9]{1,9})\s*(?:m|mins?|minutes?|분|мин)\.?\s*)?"
    r"(?:([0-9.,e+-]+)\s*(?:(ms|msecs?|millis|milliseconds?|밀리초|мс)|s|secs?|seconds?|초|с|сек)\.?)?"
)
_CLOCK = re.compile(r"(?:([0-9]{1,3}):)?([0-9]{1,2}):([0-9]{1,2}(?:[.,][0-9]+)?)")


class Recorded(NamedTuple):
    """value: a recorded score that is used, else None with the issue ("" for a blank cell)."""

    value: float | None
    issue: str


def unguarded(text: str) -> str:
    """The text without white space around it and without the apostrophe that keeps it from being a formula."""
    text = text.strip()
    return text[1:].lstrip() if text.startswith(GUARD) else text


def read_number(text: str, *, has_decimal_comma: bool) -> float | None:
    """The finite number that a cell is; None for anything else, and where a comma can be read in two ways.

    has_decimal_comma: `9,694` is 9.694 here, as in files that separate cells by `;`.
    """
    text = unguarded(text)
    value = number(text)
    if value is not None:
        return value
    if _GROUPED_BY_MARKS.fullmatch(text):
        return number(_GROUP_MARKS.sub("", text).replace(",", "."))
    if _GROUPED.fullmatch(text):
        return number(text.replace(",", ""))
    if _GROUPED_BY_DOTS.fullmatch(text):
        return number(text.replace(".", "").replace(",", "."))
    decimal = _DECIMAL_COMMA.fullmatch(text)
    if decimal is None or (len(decimal[1]) == _GROUP_DIGITS and not has_decimal_comma):
        return None
    return number(text.replace(",", "."))


def may_be_grouped(cell: str) -> bool:
    """Is this a number such as `1.234`, whose dot may divide thousands where a comma is the decimal point?"""
    return "." in cell and _ONE_DOT_GROUP.fullmatch(unguarded(cell)) is not None


def read_recorded(cell: str, *, allowed: tuple[float, float], has_decimal_comma: bool) -> Recorded:
    """A recorded score. allowed: lowest and highest that is used."""
    if is_blank(unguarded(cell)):
        return Recorded(None, "")
    value = read_number(normalise(cell), has_decimal_comma=has_decimal_comma)
    if value is None:
        return Recorded(None, ISSUE_NOT_A_NUMBER)
    lowest, highest = allowed
    return Recorded(value, "") if lowest <= value <= highest else Recorded(None, ISSUE_OUT_OF_RANGE)


def read_seconds(value: object, *, per_second: int = 1, has_decimal_comma: bool = False) -> float | str | None:
    """Seconds from a cell or a field; the text of a value that cannot be used; None where nothing is written.

    per_second: of the unit of a bare number, 1000 for milliseconds, which are whole: `1.234` are 1234 of them where a
    comma is the decimal point.
    """
    if type(value) is float or type(value) is int:
        return _usable(value, per_second, 0, MOST_SECONDS)
    if not isinstance(value, str) or is_blank(value):
        return _no_number(value)
    text = unguarded(normalise(value)).casefold()
    is_whole = has_decimal_comma and per_second == MILLISECONDS
    plain = _read_amount(text, is_whole=is_whole, has_decimal_comma=has_decimal_comma)
    seconds = plain / per_second if plain is not None else _written_out(text, has_decimal_comma=has_decimal_comma)
    return seconds if seconds is not None and 0 <= seconds <= MOST_SECONDS else cut(showable(value.strip()))


def read_amount(
    value: object, *, unit: str = "", is_whole: bool = False, has_decimal_comma: bool = False
) -> float | str | None:
    """The number of a measure; the text of a value that cannot be used; None where nothing is written.

    unit: may be written before or after the number. is_whole: `9,694` is 9694, with a decimal comma `9.694` is.
    """
    if type(value) is float or type(value) is int:
        return _usable(value, 1, -MOST_MEASURED, MOST_MEASURED)
    if not isinstance(value, str) or is_blank(value):
        return _no_number(value)
    text = unguarded(normalise(value))
    amount = _read_amount(text, is_whole=is_whole, has_decimal_comma=has_decimal_comma)
    if amount is None and unit:
        folded, mark = text.casefold(), normalise(unit).casefold()
        bare = folded.removesuffix(mark) if folded.endswith(mark) else folded.removeprefix(mark)
        amount = _read_amount(bare.strip(), is_whole=is_whole, has_decimal_comma=has_decimal_comma)
    return amount if amount is not None and abs(amount) <= MOST_MEASURED else cut(showable(value.strip()))


class RecordedScores:
    """The recorded scores that are used: how many, the lowest and the highest; 0 and infinite ones for none."""

    def __init__(self) -> None:
        self.n = 0
        self.lowest, self.highest = math.inf, -math.inf
        self._read = Memo(partial(read_number, has_decimal_comma=True), limit=_KNOWN_SCORES)

    def add(self, written: Sequence[str], issues: Sequence[str]) -> None:
        """Add those of some items. written: as in the file, "" for none. issues: why one is not used."""
        if not any(written):
            return
        for text, issue in zip(written, issues, strict=True):
            if text and not issue and (value := self._read[text]) is not None:
                self.n += 1
                self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)


def find_other_units(
    scores: RecordedScores, seconds: Sequence[float], answered: Iterable[bool], rubric: Rubric, log: FindingLog
) -> None:
    """Log scores of a set that look like shares of 1, and seconds that look like those of another unit.

    seconds: NaN for items without. answered: which of the items have an answer; a failure may take no time.
    """
    if scores.n and rubric.recorded_range[1] > 1 and scores.lowest >= 0 and 0 < scores.highest <= 1:
        column = next((column.title for column in rubric.columns if column.name == "llm_score"), "")
        found = f"{scores.lowest:g}~{scores.highest:g}"
        log.add(Problem(code="scores-0-to-1", column=column, found=found), scores.n)
    ordered = sorted([value for value in seconds if not math.isnan(value)])
    if not ordered:
        return
    long = ordered if median(ordered) > MILLISECONDS else ordered[bisect_right(ordered, MILLISECONDS) :]
    if long is ordered or _are_many(long, ordered):
        log.add(Problem(code="seconds-milliseconds", found=_range(long)), len(long))
    if ordered[bisect_right(ordered, 0) :][:1] < [_SHORTEST]:
        _find_short([value for value, has_answer in zip(seconds, answered, strict=True) if has_answer], log)


def _find_short(seconds: Iterable[float], log: FindingLog) -> None:
    """Log times in which no agent answers: most of them, or many beside times of more than a second."""
    ordered = sorted([value for value in seconds if value > 0])
    short = ordered[: bisect_left(ordered, _SHORTEST)]
    is_mixed = _are_many(short, ordered) and ordered[-1] > 1
    if short and (median(ordered) < _SHORTEST or is_mixed):
        log.add(Problem(code="seconds-too-short", found=_range(short)), len(short))


def _are_many(some: Sequence[float], values: Sequence[float]) -> bool:
    return len(some) >= _LEAST_MIXED and len(some) >= len(values) * _MIXED_SHARE


def _range(ordered: Sequence[float]) -> str:
    return f"{ordered[0]:g}~{ordered[-1]:g}"


def _usable(value: float, per_unit: int, lowest: float, highest: float) -> float | str | None:
    try:
        amount = value / per_unit + 0.0
    except OverflowError:
        return cut(str(value)[:1] + "…")
    if not math.isfinite(amount):
        return None  # what Python writes for nothing
    return amount if lowest <= amount <= highest else f"{value:g}"


def _no_number(value: object) -> str | None:
    """The text of a JSON value that is neither a number nor a filled text; None for nothing and false."""
    return None if value is False or is_nothing(value) else cut(showable(as_text(value)))


def _read_amount(text: str, *, is_whole: bool, has_decimal_comma: bool) -> float | None:
    if is_whole and not has_decimal_comma and _WHOLE_GROUPED.fullmatch(text):
        text = text.replace(",", "")
    elif is_whole and has_decimal_comma and _WHOLE_GROUPED_BY_DOTS.fullmatch(text):
        text = text.replace(".", "")
    return read_number(text, has_decimal_comma=has_decimal_comma)


def _written_out(text: str, *, has_decimal_comma: bool) -> float | None:
    """Seconds with a unit (`4.2s`, `1분 20초`, `9694 ms`, `pt4.2s`) or as on a clock (`0:00:12.5`)."""
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, rest = clock.groups()
        if hours is None and rest.isdigit():
            return None  # hours and minutes, or minutes and seconds
        return (int(hours or 0) * 60 + int(minutes)) * 60 + float(rest.replace(",", "."))
    written = _WITH_UNITS.fullmatch(text.removeprefix("pt"))
    if written is None or not any(written.groups()):
        return None
    hours, minutes, rest, is_milliseconds = written.groups()
    amount = read_number(rest, has_decimal_comma=has_decimal_comma) if rest is not None else 0.0
    if amount is None:
        return None
    seconds = amount / MILLISECONDS if is_milliseconds else amount
    return (int(hours or 0) * 60 + int(minutes or 0)) * 60 + seconds


def elapsed_of(found: Sequence[Sequence[object]], *, is_sum: bool) -> float | str | None:
    """Seconds from what is found at each path: the sum of all numbers, or the time between a start and an end.

    The text of what cannot be used; None where something is not there. Times are ISO 8601, or seconds or milliseconds
    since 1970.
    """
    if is_sum:
        amounts = [read_seconds(one) for values in found for one in values]
        numbers = [amount for amount in amounts if isinstance(amount, float)]
        if len(numbers) < len(amounts):
            return next((amount for amount in amounts if isinstance(amount, str)), None)
        return math.fsum(numbers) if numbers else None
    ends = [next(iter(values), None) for values in found]
    if None in ends:
        return None
    times = [_moment(one) for one in ends]
    shown = " ~ ".join(cut(showable(str(one))) for one in ends)
    if times[0] is None or times[1] is None or times[1] < times[0]:
        return shown
    return times[1] - times[0]


def _moment(value: object) -> float | None:
    """Seconds since 1970 of a time; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    amount = float(value) if isinstance(value, int | float) else read_number(value, has_decimal_comma=False)
    if amount is not None:
        return amount / MILLISECONDS if amount >= _LEAST_MILLISECONDS else amount
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return time.replace(tzinfo=time.tzinfo or UTC).timestamp()
