"""Bands as people write them: a cell -> an interval, a table of intervals -> `scoring.rubric.Bands`.

Reads `<= 5`, `latencySec <= 5`, `5 < latencySec <= 8`, `5~8초`, `ratio = 1.0`, `0 < ratio < 0.25` and, with the
words of the document, `latencySec > 60 또는 누락` or `5초 이하`. Which table is which, and what a wrong
one means for the document, is left to `scoring.rubric_document`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from scoring.rubric import Bands, Vocabulary

MAX_CELL = 200  # characters; a condition is a few words
MAX_DIGITS = 12

_SYMBOLS = str.maketrans(
    {
        **dict.fromkeys("≤≦⩽", "<="),
        **dict.fromkeys("≥≧⩾", ">="),
        **dict.fromkeys("〜∼∿⁓〰", "~"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_WORD_ROLES = {
    "missing": "M",
    "either": "C",
    "seconds": "U",
    "at_most": "<=",
    "above": ">",
    "at_least": ">=",
    "below": "<",
}


class BandError(ValueError):
    """A cell that is no band; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Interval(NamedTuple):
    """Numbers from low to high; an infinite end is open. A single number has both ends closed."""

    low: float
    high: float
    low_closed: bool
    high_closed: bool


class BandCell(NamedTuple):
    """What one cell says.

    interval: None when the cell speaks of the missing value only. missing: does it (also) speak of it?
    variable: the name compared, "" when the cell names none. has_unit: is a number followed by a unit of time?
    """

    interval: Interval | None
    missing: bool
    variable: str
    has_unit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BandRow:
    """One row of a band table: its place, its cell as written and read, and its points."""

    line: int
    cell: str
    band: BandCell
    points: float


class BandFault(NamedTuple):
    """What is wrong with a table of bands: a code, the row to blame and further facts by name."""

    code: str
    row: BandRow
    values: dict[str, str]


class JoinedBands(NamedTuple):
    """bands: None when there are faults. missing: the points of the missing value, None when no row gives them.

    `bands.missing` is 0.0 where no row gives it; the caller decides what then holds.
    """

    bands: Bands | None
    missing: float | None
    faults: tuple[BandFault, ...]


class _Token(NamedTuple):
    kind: str  # N number, V other word, ~ or - between numbers, P postfix comparison, or a kind of _WORD_ROLES
    text: str


def read_band(cell: str, words: Vocabulary) -> BandCell:
    """The condition in a cell.

    A range (`5~8`) is right-closed, but one that starts at 0 includes the 0; `20~` is above 20, `~5` up to 5.
    Raises BandError: rubric-band-unreadable, or rubric-band-reversed where the lower end is not the lower one.
    """
    tokens = _tokens(cell, words)
    interval: Interval | None = None
    missing = False
    variable = ""
    for alternative in _alternatives(tokens):
        kinds = "".join(token.kind for token in alternative)
        if kinds == "M":
            if missing:
                raise BandError("rubric-band-unreadable")
            missing = True
        elif interval is None:
            interval = _interval(alternative)
            variable = " ".join(token.text for token in alternative if token.kind == "V")
        else:
            raise BandError("rubric-band-unreadable")
    return BandCell(
        interval=interval, missing=missing, variable=variable, has_unit=any(token.kind == "U" for token in tokens)
    )


def join_bands(
    rows: Sequence[BandRow], *, low: float = 0.0, high: float = math.inf, first_holds: bool = False
) -> JoinedBands:
    """Bands that cover low..high without gap and overlap, from rows in any order.

    low, high: the least and the greatest possible value, both included when finite.
    first_holds: `>= 0.75` ends where a higher row begins (the ratio table of seed 000); without it such rows overlap.
    Points have to rise or fall with the value; neighbours may have the same.
    """
    faults = []
    missing_rows = [row for row in rows if row.band.missing]
    faults += [BandFault("rubric-band-missing-twice", row, {}) for row in missing_rows[1:]]
    placed = [(row.band.interval, row) for row in rows if row.band.interval is not None]
    if first_holds:
        placed = _narrowed(placed)
    placed.sort(key=lambda pair: (pair[0].low, not pair[0].low_closed, pair[0].high))
    faults += _coverage_faults(placed, low, high)
    faults += _order_faults([row for _, row in placed])
    missing = missing_rows[0].points if missing_rows else None
    if faults or not placed:
        return JoinedBands(None, missing, tuple(faults))
    upper = tuple(interval.low_closed for interval, _ in placed[1:])
    bands = Bands(
        edges=tuple(interval.low for interval, _ in placed[1:]),
        points=tuple(row.points for _, row in placed),
        missing=0.0 if missing is None else missing,
        upper=upper if any(upper) else (),
    )
    return JoinedBands(bands, missing, ())


def plain_symbols(text: str) -> str:
    """Full-width forms, `≤`, long dashes and the like as their plain ASCII spelling."""
    return unicodedata.normalize("NFKC", text).translate(_SYMBOLS)


def _tokens(cell: str, words: Vocabulary) -> list[_Token]:
    text = plain_symbols(cell).strip()
    if not text or len(text) > MAX_CELL:
        raise BandError("rubric-band-unreadable")
    pattern, roles = _lexicon(words)
    tokens: list[_Token] = []
    position = 0
    while match := pattern.match(text, position):
        position = match.end()
        token = _token(match, roles, after_number=bool(tokens) and tokens[-1].kind == "N")
        if token is not None:
            tokens.append(token)
    if position < len(text):
        raise BandError("rubric-band-unreadable")
    return tokens


def _token(match: re.Match[str], roles: dict[str, str], *, after_number: bool) -> _Token | None:
    found = match.group()
    match match.lastgroup:
        case "number" if len(found) > MAX_DIGITS or after_number:
            raise BandError("rubric-band-unreadable")
        case "number":
            return _Token("N", found)
        case "comparison":
            return _Token("O", found)
        case "sign":
            return _Token("C" if found in ",/" else found, found)
        case "known":
            role = roles[found.casefold()]
            if role == "U":
                return _Token("U" if after_number else "V", found)
            return _Token(role if role in "MC" else "P", role)
        case "word":
            return _Token("V", found)
        case _:  # white space
            return None


@lru_cache(maxsize=8)
def _lexicon_of(items: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    known = sorted(dict(items), key=len, reverse=True)
    # A Latin word ends where its letters end ("s" is no part of "score"); a Korean one is written onto the next.
    spellings = [re.escape(word) + (r"(?![0-9A-Za-z_])" if word[-1].isascii() else "") for word in known]
    alternatives = "|".join(spellings) or r"(?!)"
    pattern = re.compile(
        rf"(?P<space>\s+)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<comparison><=|>=|[<>=])|(?P<sign>[~,/-])"
        rf"|(?P<known>{alternatives})|(?P<word>[^\W\d]\w*(?:\.\w+)*)",
        re.IGNORECASE,
    )
    return pattern, dict(items)


def _lexicon(words: Vocabulary) -> tuple[re.Pattern[str], dict[str, str]]:
    return _lexicon_of(
        tuple(
            (plain_symbols(word).casefold(), role)
            for attribute, role in _WORD_ROLES.items()
            for word in getattr(words, attribute)
        )
    )


def _alternatives(tokens: Iterable[_Token]) -> list[list[_Token]]:
    parts: list[list[_Token]] = [[]]
    for token in tokens:
        if token.kind == "C":
            parts.append([])
        elif token.kind != "U":
            parts[-1].append(token)
    return parts


def _interval(tokens: Sequence[_Token]) -> Interval:
    kinds = re.sub("V+", "V", "".join(token.kind for token in tokens))
    numbers = [float(token.text) for token in tokens if token.kind == "N"]
    signs = [token.text for token in tokens if token.kind in "OP"]
    match kinds:
        case "ON" | "VON" | "NP" | "VNP":
            return _compared(signs[0], numbers[0])
        case "NOV":
            return _compared(_FLIPPED.get(signs[0], signs[0]), numbers[0])
        case "NOVON":
            return _both(_compared(_FLIPPED.get(signs[0], signs[0]), numbers[0]), _compared(signs[1], numbers[1]))
        case "NPNP" | "VNPNP":
            return _both(_compared(signs[0], numbers[0]), _compared(signs[1], numbers[1]))
        case "N~N" | "VN~N" | "N-N" | "VN-N":
            start = Interval(numbers[0], math.inf, numbers[0] == 0, high_closed=False)
            return _both(start, _compared("<=", numbers[1]))
        case "N~" | "VN~":
            return _compared(">", numbers[0])
        case "~N" | "V~N":
            return _compared("<=", numbers[0])
        case _:
            raise BandError("rubric-band-unreadable")


def _compared(sign: str, number: float) -> Interval:
    if sign == "=":
        return Interval(number, number, low_closed=True, high_closed=True)
    if sign in {"<", "<="}:
        return Interval(-math.inf, number, low_closed=False, high_closed=sign == "<=")
    return Interval(number, math.inf, low_closed=sign == ">=", high_closed=False)


def _both(first: Interval, second: Interval) -> Interval:
    """The numbers in both; one has to bound them from below and the other from above."""
    lower, upper = (first, second) if first.low > second.low else (second, first)
    if lower.low == -math.inf or upper.low != -math.inf or lower.high != math.inf or upper.high == math.inf:
        raise BandError("rubric-band-unreadable")
    if lower.low >= upper.high:
        raise BandError("rubric-band-reversed")
    return Interval(lower.low, upper.high, lower.low_closed, upper.high_closed)


def _narrowed(placed: Sequence[tuple[Interval, BandRow]]) -> list[tuple[Interval, BandRow]]:
    """Rows without an upper end, cut where the next higher row begins."""
    result = []
    for interval, row in placed:
        higher = [(other.low, not other.low_closed) for other, _ in placed if other.low > interval.low]
        if interval.high == math.inf and higher:
            low, open_low = min(higher)
            result.append((interval._replace(high=low, high_closed=open_low), row))
        else:
            result.append((interval, row))
    return result


def _coverage_faults(placed: Sequence[tuple[Interval, BandRow]], low: float, high: float) -> list[BandFault]:
    if not placed:
        return []
    faults = []
    first, row = placed[0]
    if first.low > low or (first.low == low and not first.low_closed):
        faults.append(BandFault("rubric-band-gap", row, {"start": show_number(low), "end": show_number(first.low)}))
    reach, last_row = placed[0]
    for interval, row in placed[1:]:
        values = {"start": show_number(reach.high), "end": show_number(interval.low), "other": last_row.cell}
        if interval.low > reach.high or (interval.low == reach.high and not (interval.low_closed or reach.high_closed)):
            faults.append(BandFault("rubric-band-gap", row, values))
        elif interval.low < reach.high or (interval.low_closed and reach.high_closed):
            faults.append(BandFault("rubric-band-overlap", row, {"other": last_row.cell, "line": str(last_row.line)}))
        if (interval.high, interval.high_closed) >= (reach.high, reach.high_closed):
            reach, last_row = interval, row
    if reach.high < high or (reach.high == high and not reach.high_closed and high != math.inf):
        faults.append(BandFault("rubric-band-no-end", last_row, {"end": show_number(reach.high)}))
    return faults


def _order_faults(rows: Sequence[BandRow]) -> list[BandFault]:
    if len(rows) < 2:
        return []
    rises = rows[-1].points > rows[0].points
    for before, row in pairwise(rows):
        if before.points != row.points and (row.points > before.points) != rises:
            values = {"before": show_number(before.points), "line": str(before.line), "other": before.cell}
            return [BandFault("rubric-band-order", row, {**values, "points": show_number(row.points)})]
    return []


def show_number(number: float) -> str:
    """The shortest decimal of a number, without `.0`."""
    return str(int(number)) if math.isfinite(number) and number == int(number) else str(number)
