"""Which failures of a set are known: by Query ID, by the text of their error, or both. Figures are none of it.

A query that fails is known when each of its items that fail is; one unknown failure makes it a new one. Lines that are
overdue know nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from math import fsum
from typing import NamedTuple

import msgspec

from scoring.comparison import Answer, Query
from scoring.known.lines import KnownLine, KnownLines
from scoring.results import fold
from scoring.rubric import group_key
from scoring.text import Memo, normalise

ANY = "*"
_GAP = re.compile(r"‹[^›]*›|…$")  # what pages show in place of numbers and ids, and of the end of a long text
_TRACK = re.compile(r"(?:track|트랙)\s*(?=\S)", re.IGNORECASE)


class LineState(StrEnum):
    """What a line is for one set. FIXED: what it is about passes in every round. UNMATCHED: the set has no such."""

    OPEN = "open"
    FIXED = "fixed"
    OVERDUE = "overdue"
    UNMATCHED = "unmatched"


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """Known failures of one ticket. name: "" for those without one. points: that they lost. lines: that know them."""

    name: str
    queries: int
    points: float
    lines: tuple[KnownLine, ...]


class Cause(NamedTuple):
    """Failures that no line knows and that have one error text. text: "" for answers without an error."""

    text: str
    status: str
    query_ids: tuple[str, ...]
    items: int


class KnownFailures(msgspec.Struct, frozen=True, kw_only=True):
    """What a set has of the lines. known: Query ID of a query whose failures are all known -> the first line that does.

    new: queries that fail otherwise. tickets: most queries first. states: of each line. causes: of `new`, most items
    first.
    """

    lines: KnownLines
    known: Mapping[str, KnownLine] = {}
    new: tuple[str, ...] = ()
    tickets: tuple[Ticket, ...] = ()
    states: tuple[LineState, ...] = ()
    causes: tuple[Cause, ...] = ()


def known_failures(lines: KnownLines, queries: Iterable[Query], *, metric: str, highest: float) -> KnownFailures:
    """What the lines know of the queries of a set. metric: whose points are lost, of `highest` an item."""
    found = _Found(lines.lines)
    for query in queries:
        if query.passes is not None or any(answer.fails for answer in query.answers):
            found.take(query, metric, highest)
    tickets = [
        Ticket(name=name, queries=len(ids), points=fsum(found.lost[name]), lines=tuple(found.by_ticket[name]))
        for name, ids in found.queries.items()
    ]
    causes = [Cause(*of, tuple(dict.fromkeys(ids)), len(ids)) for of, ids in found.causes.items()]
    return KnownFailures(
        lines=lines,
        known=found.known,
        new=tuple(found.new),
        tickets=tuple(sorted(tickets, key=lambda one: (not one.name, -one.queries, one.name))),
        states=tuple(map(found.state, range(len(lines.lines)))),
        causes=tuple(sorted(causes, key=lambda one: (-one.items, one.text, one.status))),
    )


class _Found:
    """What was found so far of each line, by its index."""

    def __init__(self, lines: Sequence[KnownLine]) -> None:
        self._lines = lines
        self._ids = {at: _pieces(line.query_id) for at, line in enumerate(lines)}
        self._exact: defaultdict[str, list[int]] = defaultdict(list)
        self._others: list[int] = []
        for at, line in enumerate(lines):
            if line.query_id and ANY not in line.query_id:
                self._exact[line.query_id].append(at)
            else:
                self._others.append(at)
        self._patterns = [_pieces(_GAP.sub(ANY, line.pattern)) for line in lines]
        self._fitting = Memo(self._fits_text)
        self._asked, self._failing, self._hit = set[int](), set[int](), set[int]()
        self.known: dict[str, KnownLine] = {}
        self.new: list[str] = []
        self.queries: defaultdict[str, dict[str, None]] = defaultdict(dict)  # by ticket
        self.by_ticket: defaultdict[str, dict[KnownLine, None]] = defaultdict(dict)
        self.lost: defaultdict[str, list[float]] = defaultdict(list)
        self.causes: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def take(self, query: Query, metric: str, highest: float) -> None:
        about = self._about(query)
        self._asked.update(about)
        failing = [answer for answer in query.answers if answer.fails]
        if not failing:
            return
        self._failing.update(about)
        by_answer = [self._line_of(answer, about) for answer in failing]
        if None in by_answer:
            self.new.append(query.query_id)
            for answer, at in zip(failing, by_answer, strict=True):
                if at is None:
                    text = fold(answer.error)
                    self.causes[text, "" if text else answer.status].append(query.query_id)
            return
        for answer, at in zip(failing, by_answer, strict=True):
            assert at is not None
            line = self._lines[at]
            self.known.setdefault(query.query_id, line)
            self.queries[line.ticket][query.query_id] = None
            self.by_ticket[line.ticket][line] = None
            if (points := answer.points.get(metric)) is not None:
                self.lost[line.ticket].append(highest - points)

    def state(self, at: int) -> LineState:
        if at not in self._asked or (at in self._failing and at not in self._hit) or not self._is_named(at):
            return LineState.UNMATCHED
        if at not in self._hit:
            return LineState.FIXED
        return LineState.OVERDUE if self._lines[at].is_overdue else LineState.OPEN

    def _is_named(self, at: int) -> bool:
        """Has it a Query ID, or an error text that was there? That a text is gone does not say that it is fixed."""
        return bool(self._lines[at].query_id) or at in self._hit

    def _about(self, query: Query) -> list[int]:
        """The lines about a query, whatever its error."""
        name, track = normalise(query.query_id), group_key(query.track)
        named = sorted([*self._exact.get(name, ()), *self._others])
        return [at for at in named if self._fits_query(at, name, track)]

    def _fits_query(self, at: int, name: str, track: str) -> bool:
        line = self._lines[at]
        of_track = not line.track or _TRACK.sub("", line.track) in {track, _TRACK.sub("", track)}
        return of_track and (not line.query_id or fits(self._ids[at], name))

    def _line_of(self, answer: Answer, about: Iterable[int]) -> int | None:
        """The first line that knows the failure of an answer."""
        fitting = self._fitting[answer.error]
        hit = [at for at in about if at in fitting]
        self._hit.update(hit)
        return next((at for at in hit if not self._lines[at].is_overdue), None)

    def _fits_text(self, error: str) -> frozenset[int]:
        """The lines that any error, or one of this text, fits: as pages show it, or as it is."""
        texts = (fold(error), " ".join(normalise(error).split()))
        return frozenset(
            at
            for at, pieces in enumerate(self._patterns)
            if not self._lines[at].pattern or any(text and fits(pieces, text) for text in texts)
        )


def as_pattern(text: str) -> str:
    """The pattern of an error text as pages show it, in letters that remain when a spreadsheet saves it as CP949."""
    return "".join(char if _is_in_cp949(char) else ANY for char in _GAP.sub(ANY, text))


def _is_in_cp949(char: str) -> bool:
    try:
        char.encode("cp949")
    except UnicodeEncodeError:
        return False
    return True


def _pieces(pattern: str) -> list[str]:
    """What stands between the wildcards."""
    return " ".join(normalise(pattern).split()).split(ANY)


def fits(pieces: Sequence[str], text: str) -> bool:
    """Are the pieces in the text in order, the first at its start, the last at its end? It takes one pass."""
    if len(pieces) == 1:
        return text == pieces[0]
    first, *middle, last = pieces
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(text) - at >= len(last) and text.endswith(last)
