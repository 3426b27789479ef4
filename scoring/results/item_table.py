"""What figures need of every item, in 30 bytes each: what recurs is held once and numbered.

One pass over the items of a set fills the table; no figure reads the items again, which may be in files. Error texts
are folded, so that those that differ in numbers, ids, addresses and paths only are one pattern. Items that are alike in
everything that figures are made of are counted, because there are few different ones.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, count
from math import isnan, nan
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.items import NO_DETAILS, Item, ItemDetails, RecordedScores
from scoring.items.spool import Items
from scoring.results.execution import Execution
from scoring.rubric import Rubric, Status, TrackId
from scoring.text import Memo, compared_text, is_blank


class Traits(msgspec.Struct, frozen=True, gc=False):
    """Fields of `Item`. details: None for profiles without rules of their own, else with the fields of DETAILS only.

    Label and signature are among them for profiles that compare these.
    """

    track: TrackId | None
    round: str
    category: str
    status: Status
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    intent_source: str
    recorded_issue: str
    why: str
    failure_word: str
    details: ItemDetails | None = None


FIELDS = Traits.__struct_fields__[:-1]


DETAILS = (
    "rubrics",
    "latency_class",
    "accuracy_reason",
    "verdict",
    "ratio",
    "rubrics_level",
    "rubrics_source",
    "verdict_why",
    "rubrics_why",
    "passed",
)


COMPARED = ("label", "signature")


Scored = Item | Traits  # whatever has the fields of both


def names_of_details(rubric: Rubric) -> tuple[str, ...]:
    """The fields of the details that the traits of a profile have."""
    if not rubric.has_details and rubric.pass_points is None:
        return ()
    return (*DETAILS, *COMPARED) if rubric.agreement is not None else DETAILS


NUMBER = "‹n›"
IDENTIFIER = "‹id›"
PATH = "‹path›"
ADDRESS = "‹url›"
_READ = 400  # characters looked at: error texts say what happened at their start
_KEPT = 160
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,9}://[^\s\"'<>]+", re.IGNORECASE)
_QUOTED_PATH = re.compile(r"([\"'`])(?:[A-Za-z]:\\|\.{0,2}/|~/)[^\"'`]*\1")
_BARE_PATH = re.compile(r"(?<![\w/])(?:[A-Za-z]:\\|~?/)[\w.-]+(?:[/\\][\w.-]+)+")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z_-]*[0-9][A-Za-z0-9_-]*")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_HEX = re.compile(r"(?:0x)?[0-9a-f]{8,}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MIXED = re.compile(r"\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]")
_SHORTEST_MIXED = 5
_OF_REQUEST = re.compile(r" ?\((?:request|trace|req)[ _-]?id ?[=:][^()]*\)?$", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"[(\[][^()\[\]]*{NUMBER}[^()\[\]]*[)\]]")
_MEASURED = re.compile(
    rf"(?:\b(?:after|over|in|within|for)\s+)?[^\s:]*{NUMBER}[^\s:]*(?:\s+(?:ms|s|secs?|seconds?|mins?|minutes?|초|분)\b)?",
    re.IGNORECASE,
)
_AROUND = " .,:;-–—"
_OTHERS = (
    "query_id",
    "row",
    "seconds",
    "question",
    "error",
    "recorded",
    "executed_at",
    "run_id",
    "llm_model",
    "llm_status",
    "details",
)


def fold(text: str) -> str:
    """The pattern of an error text, NFC, on one line, at most 160 characters.

    Numbers, ids (UUID, hex, letters mixed with digits), addresses and paths become placeholders, so that
    `req_8f3a2: over 30.5 s` and `req_77b1c: over 31 s` are one pattern; `(requestId=…)` at the end is left out. Empty
    text stays empty.
    """
    folded = without_request_id(unicodedata.normalize("NFC", text[: 2 * _READ].strip()[:_READ]))
    if "/" in folded or "\\" in folded:
        folded = _BARE_PATH.sub(PATH, _QUOTED_PATH.sub(PATH, _ADDRESS.sub(ADDRESS, folded)))
    folded = _NUMBER.sub(NUMBER, _TOKEN.sub(_identifier, folded))
    return folded if len(folded) <= _KEPT else folded[: _KEPT - 1].rstrip() + "…"


def without_request_id(text: str) -> str:
    """A text on one line without `(requestId=…)` at its end, which is another one in every answer."""
    line = " ".join(text.split())
    return _OF_REQUEST.sub("", line) or line


def cause_of(text: str) -> str:
    """An error text without its numbers, the words that belong to them, and case: two texts of one cause are alike.

    `90초 시간 초과`, `시간 초과(90초)` and `시간 초과` are one, and so are `Timeout after 90 s` and `timeout`. A text
    of numbers alone stays its pattern.
    """
    pattern = fold(text)
    rest = _MEASURED.sub(" ", _IN_BRACKETS.sub(" ", pattern)).strip(_AROUND)
    return " ".join(rest.split()).casefold() or pattern


def _identifier(match: re.Match[str]) -> str:
    token = match[0]
    if token.isdigit():
        return token
    return _SEGMENT.sub(_segment, _UUID.sub(IDENTIFIER, token))


def _segment(match: re.Match[str]) -> str:
    segment = match[0]
    if segment.isalpha() or segment.isdigit():
        return segment
    is_hex = _HEX.fullmatch(segment) is not None
    is_mixed = len(segment) >= _SHORTEST_MIXED and _MIXED.search(segment) is not None
    return IDENTIFIER if is_hex or is_mixed else segment


class OtherQuestion(NamedTuple):
    """A query that is asked in a second way. at: index of the first item that does so. first, second: as written."""

    at: int
    first: str
    second: str


class ItemTable:
    """The items of a set as columns of numbers.

    distinct: the traits that occur, in order of first appearance; numbers: of each item their place. query_ids and
    queries: likewise its Query ID. seconds: NaN where an item has none. rows: of its file. patterns: of each item that
    is not answered the place of its error text in `pattern_texts`, as `fold` has it; 0, which is "", for others.
    measures: for each measure a column, NaN where an item has no value.
    questions: by query, of its last item in its last round. other_questions: by query, of those with several questions.
    executed, run_ids, llm_models, llm_statuses, recorded: what all items together have.
    """

    def __init__(self, items: Items, place: Mapping[str, int], rubric: Rubric) -> None:
        """place: index of each round by its label."""
        self.distinct: list[Traits] = []
        self.numbers = array("I")
        self.query_ids: list[str] = []
        self.queries = array("I")
        self.seconds = array("d")
        self.rows = array("q")
        self.patterns = array("I")
        self.measures = [array("d") for _ in rubric.measures]
        self.questions: list[str] = []
        self.other_questions: dict[int, OtherQuestion] = {}
        self.executed = Execution()
        self.run_ids: set[str] = set()
        self.llm_models: set[str] = set()
        self.llm_statuses: Counter[str] = Counter()
        self.recorded = RecordedScores()
        self._place = place
        self._latest = array("I")  # by query: index of its last round
        self._asked: list[str] = []  # by query: its first question that is not blank
        self._failing = frozenset(Status) - frozenset(rubric.pass_statuses)
        self._folded = Memo(fold)
        self._names = names_of_details(rubric)
        self._numbers: defaultdict[tuple[Any, ...], int] = defaultdict(count().__next__)
        self._queries: defaultdict[str, int] = defaultdict(count().__next__)
        self._patterns: defaultdict[str, int] = defaultdict(count(1).__next__, {"": 0})
        for columns in items.columns(*FIELDS, *_OTHERS):
            self._add(dict(zip((*FIELDS, *_OTHERS), columns, strict=True)))
        self.query_ids = list(self._queries)
        self.pattern_texts = list(self._patterns)
        self.distinct = [self._traits(key) for key in self._numbers]
        sizes = Counter(self.queries)
        self._starts = array("q", accumulate((sizes[query] for query in range(len(self.query_ids))), initial=0))
        del self._numbers, self._queries, self._patterns, self._folded, self._latest, self._asked

    def __len__(self) -> int:
        return len(self.numbers)

    def traits(self) -> Iterator[Traits]:
        """Of every item what it has in common with others."""
        return map(self.distinct.__getitem__, self.numbers)

    def traits_at(self, index: int) -> Traits:
        """Of one item."""
        return self.distinct[self.numbers[index]]

    def query_ids_of_items(self) -> Iterator[str]:
        """The Query ID of every item."""
        return map(self.query_ids.__getitem__, self.queries)

    def query_id_at(self, index: int) -> str:
        """The Query ID of one item."""
        return self.query_ids[self.queries[index]]

    def pattern_at(self, index: int) -> str:
        """The folded error text of one item; "" where it is answered."""
        return self.pattern_texts[self.patterns[index]]

    def counts(self) -> list[int]:
        """Number of items of each of `distinct`."""
        counted = Counter(self.numbers)
        return [counted[number] for number in range(len(self.distinct))]

    def seconds_by(self, keys: Sequence[int], n: int) -> list[array[float]]:
        """The seconds of the items, in `n` groups. keys: the group of each of `distinct`."""
        found = [array("d") for _ in range(n)]
        add = [found[key].append for key in keys]
        for number, seconds in zip(self.numbers, self.seconds, strict=True):
            if seconds >= 0:  # not NaN
                add[number](seconds)
        return found

    def by_query(self, column: array[float]) -> Callable[[int], Sequence[float]]:
        """A function from the number of a query to the values of its items. column: NaN where an item has none."""
        starts = self._starts
        ends = starts[:-1]
        ordered = array("d", bytes(8 * len(column)))
        for query, value in zip(self.queries, column, strict=True):
            if not isnan(value):
                ordered[ends[query]] = value
                ends[query] += 1
        return lambda query: ordered[starts[query] : ends[query]]

    def _add(self, of: Mapping[str, Sequence[Any]]) -> None:
        start = len(self.numbers)
        keys = zip(*[of[name] for name in FIELDS], strict=True)
        if self._names:
            pick = attrgetter(*self._names)
            keys = zip(*[of[name] for name in FIELDS], [pick(one or NO_DETAILS) for one in of["details"]], strict=True)
        self.numbers.extend(map(self._numbers.__getitem__, keys))
        self.queries.extend(map(self._queries.__getitem__, of["query_id"]))
        self.rows.extend(of["row"])
        self.seconds.extend([nan if seconds is None else seconds for seconds in of["seconds"]])
        measured = zip(*[(one or NO_DETAILS).measures for one in of["details"]], strict=True)
        for column, amounts in zip(self.measures, measured, strict=True):
            column.extend([nan if amount is None else amount for amount in amounts])
        self.patterns.extend(
            [
                self._patterns[self._folded[error]] if error and status in self._failing else 0
                for status, error in zip(of["status"], of["error"], strict=True)
            ]
        )
        self.executed.add(of["executed_at"])
        self.run_ids.update(of["run_id"])
        self.llm_models.update(of["llm_model"])
        self.llm_statuses.update(of["llm_status"])
        self.recorded.add(of["recorded"], of["recorded_issue"])
        self._ask(start, of["round"], of["question"])

    def _ask(self, start: int, rounds: Sequence[str], questions: Sequence[str]) -> None:
        """Note what the queries of the items from `start` on ask."""
        latest, known, asked = self._latest, self.questions, self._asked
        items = zip(range(start, len(self.queries)), map(self._place.__getitem__, rounds), questions, strict=True)
        for index, at, question in items:
            query = self.queries[index]
            if query == len(latest):
                latest.append(at)
                known.append(question)
                asked.append("" if is_blank(question) else question)
                continue
            if at >= latest[query]:
                latest[query] = at
                if known[query] != question:
                    known[query] = question
            if question != asked[query]:
                self._ask_again(index, query, question)

    def _ask_again(self, index: int, query: int, question: str) -> None:
        if query in self.other_questions or is_blank(question):
            return
        first = self._asked[query]
        if not first:
            self._asked[query] = question
        elif compared_text(question) != compared_text(first):
            self.other_questions[query] = OtherQuestion(index, first, question)

    def _traits(self, key: tuple[Any, ...]) -> Traits:
        if not self._names:
            return Traits(*key)
        details = ItemDetails(**dict(zip(self._names, key[-1], strict=True)))
        return Traits(*(*key[:-1], details))


def kind_of(traits: Traits) -> Traits:
    """What items count by: those that agree in all of it count alike."""
    return replace(traits, why="", failure_word="", details=None)


def count_kinds(table: ItemTable) -> dict[Traits, int]:
    """Number of items of each kind, in the order in which they first appear."""
    counted: defaultdict[Traits, int] = defaultdict(int)
    for traits, n in zip(table.distinct, table.counts(), strict=True):
        counted[kind_of(traits)] += n
    return dict(counted)
