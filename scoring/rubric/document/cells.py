"""Readings of one cell, header or label of a rubric document: conditions, points, statuses, words.

A condition, as people write it, gives an interval of numbers: `<= 5`, `latencySec <= 5`, `5 < latencySec <= 8`,
`5~8초`, `ratio = 1.0`, `0 < ratio < 0.25` and, with the words of the document, `latencySec > 60 또는 누락` or
`5초 이하`. Joining the intervals of a table is left to `scoring.rubric.document.levels`.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from scoring.rubric.model import Vocabulary
from scoring.rubric.points import STATUSES, Status

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
_POINTS = re.compile(r"([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(.*)")
_BETWEEN_STATUSES = re.compile(r"[/,·+|]|\s+")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")


class BandError(ValueError):
    """A cell that is no band; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class WrittenInterval(NamedTuple):
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

    interval: WrittenInterval | None
    missing: bool
    variable: str
    has_unit: bool


class _Token(NamedTuple):
    kind: str  # N number, V other word, ~ or - between numbers, P postfix comparison, or a kind of _WORD_ROLES
    text: str


def read_band(cell: str, words: Vocabulary) -> BandCell:
    """The condition in a cell.

    A range (`5~8`) is right-closed, but one that starts at 0 includes the 0; `20~` is above 20, `~5` up to 5.
    Raises BandError: rubric-band-unreadable, or rubric-band-reversed where the lower end is not the lower one.
    """
    tokens = _tokens(cell, words)
    interval: WrittenInterval | None = None
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


def _interval(tokens: Sequence[_Token]) -> WrittenInterval:
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
            start = WrittenInterval(numbers[0], math.inf, numbers[0] == 0, high_closed=False)
            return _both(start, _compared("<=", numbers[1]))
        case "N~" | "VN~":
            return _compared(">", numbers[0])
        case "~N" | "V~N":
            return _compared("<=", numbers[0])
        case _:
            raise BandError("rubric-band-unreadable")


def _compared(sign: str, number: float) -> WrittenInterval:
    if sign == "=":
        return WrittenInterval(number, number, low_closed=True, high_closed=True)
    if sign in {"<", "<="}:
        return WrittenInterval(-math.inf, number, low_closed=False, high_closed=sign == "<=")
    return WrittenInterval(number, math.inf, low_closed=sign == ">=", high_closed=False)


def _both(first: WrittenInterval, second: WrittenInterval) -> WrittenInterval:
    """The numbers in both; one has to bound them from below and the other from above."""
    lower, upper = (first, second) if first.low > second.low else (second, first)
    if lower.low == -math.inf or upper.low != -math.inf or lower.high != math.inf or upper.high == math.inf:
        raise BandError("rubric-band-unreadable")
    if lower.low >= upper.high:
        raise BandError("rubric-band-reversed")
    return WrittenInterval(lower.low, upper.high, lower.low_closed, upper.high_closed)


class CellReader:
    """Reads cells by the words of a document."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._units = {fold(word) for word in words.points}
        self._phrases: dict[str, tuple[Status, ...]] = {status.value: (status,) for status in Status}
        self._phrases |= {fold(phrase): statuses for phrase, statuses in words.statuses.items()}

    def points(self, cell: str) -> float | None:
        """`5`, `4.5` or `5점` as a number; None for anything else."""
        match = _POINTS.fullmatch(plain_symbols(cell).strip())
        if match is None or (match[2] and fold(match[2]) not in self._units):
            return None
        return float(match[1])

    def is_points(self, cell: str) -> bool:
        """Is it a number of points?"""
        return self.points(cell) is not None

    def band(self, cell: str) -> BandCell | None:
        """The band in a cell; None when it is none."""
        try:
            return read_band(cell, self._words)
        except BandError:
            return None

    def condition(self, cell: str) -> tuple[Status, ...] | None:
        """Statuses that a condition means: any of those between `/`, all of those between `+`; None when unknown.

        A remark in brackets at the end is left out.
        """
        either: list[Status] = []
        for alternative in re.split(r"[/,]", without_remark(cell)):
            sets = [self._phrases.get(fold(part)) for part in alternative.split("+")]
            meant = [statuses for statuses in sets if statuses is not None]
            if len(meant) < len(sets):
                return None
            either += [status for status in Status if all(status in statuses for statuses in meant)]
        return tuple(dict.fromkeys(either)) or None

    def statuses(self, cell: str) -> Sequence[Status]:
        """Statuses named in a cell, one named twice listed twice; none when any word is unknown."""
        names = _status_names(cell)
        if names and all(name in STATUSES for name in names):
            return [STATUSES[name] for name in names]
        return self.condition(cell) or ()

    def names_a_status(self, cell: str) -> bool:
        """Does the cell name at least one status?"""
        return any(name in STATUSES for name in _status_names(cell)) or self.condition(cell) is not None


def mentions(text: str, words: Iterable[str]) -> bool:
    """Does a heading or header hold one of the words?"""
    folded = fold(text)
    return any(_pattern(fold(word)).search(folded) for word in words)


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    """A Latin word is delimited ("multi", not "multiple"); a Korean one may carry a particle."""
    before = r"(?<![0-9a-z])" if word[:1].isascii() else ""
    after = r"(?![0-9a-z])" if word[-1:].isascii() else ""
    return re.compile(before + re.escape(word) + after)


def fold(text: str) -> str:
    """The form in which words of a document are compared."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def without_remark(cell: str) -> str:
    """The cell without a remark in brackets at its end."""
    return _REMARK.sub("", cell)


def _status_names(cell: str) -> list[str]:
    return [name for name in _BETWEEN_STATUSES.split(cell.casefold()) if name]
