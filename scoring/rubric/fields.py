"""What a rubric document names: fields of columns, measures and tracks.

Fields are what columns of a file can fill. Measures are further numbers of an item, such as tokens or cost
(docs/scoring.md#measures): a measure has no scale and gives no points. It is summed, averaged and compared, as the
seconds are. Tracks are numbers, or texts that a document names (docs/scoring.md#track-numbers).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

import msgspec

from scoring.rubric.points import Scale
from scoring.rubric.written import UNWRITTEN, AnyPaths, Clean, Fault, Key, Text, TrackName
from scoring.text import CellMemo, normalise
from texts import words

FIELDS = (
    "run_id",
    "item_id",
    "query_id",
    "track",
    "question",
    "expected",
    "category",
    "round",
    "response",
    "error",
    "llm_status",
    "llm_score",
    "llm_comment",
    "raw_json",
    "executed_at",
    "llm_model",
    "response_seconds",
    "latency_ms",
)
# Columns that only some profiles declare; nothing is spent on them elsewhere.
DETAIL_FIELDS = ("intent_verdict", "intent_label", "latency_class", "accuracy_checks", "criteria", "rubric_level")
SESSION_FIELDS = ("session", "turn")  # of profiles whose items are turns of conversations
MEASURE_PREFIX = "measure."  # before the name of a measure, where it is among metrics
SCORE_PREFIX = "score."  # before that of a named score, everywhere
ALL = "all"  # the group of all items
UNASSIGNED = "unassigned"  # the group of items without a track (미지정)
_ESCAPE = "="  # before a text that would have the key of another group
TrackId = int | str
TrackPlace = tuple[int, int, str]  # tracks in the order of their places
_MOST_DECIMALS = 12


def normalise_header(text: str) -> str:
    """The form in which headers are compared: NFC, case-folded, without white space, invisible characters, `_`, `-`."""
    return _KNOWN[text]


def _normalised(text: str) -> str:
    folded = unicodedata.normalize("NFC", normalise(text).casefold())
    return "".join(folded.replace("_", " ").replace("-", " ").split())


_KNOWN = CellMemo(_normalised, limit=2_000)  # a file compares its header some 400 times with the titles of a document


class Better(StrEnum):
    """Which values of a metric are the good ones; NONE: neither large nor small ones."""

    LOWER = "lower"
    HIGHER = "higher"
    NONE = "none"


class MatchRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A score from comparing an answer with the expected one.

    answer, expected: paths into the payload; "" for the answer, and for the column of expected results. tolerance: of
    numbers. strict: texts as they are written.
    """

    kind: Annotated[Literal["exact", "includes", "number", "choice", "one of", "f1", "json"], Key("as")]
    answer: Clean = ""
    expected: Annotated[Clean, Key("with")] = ""
    tolerance: float = 0.0
    strict: bool = False
    passes: Annotated[Clean, Key("pass")] = ">= 1"

    def faults(self) -> Iterator[Fault]:
        """A tolerance is no less than nothing."""
        if self.tolerance < 0:
            yield Fault("rubric-value-too-small", ("tolerance",), f"{self.tolerance:g}", {"low": "0"})


_ROUNDING = 1e-9  # of the scale: cosines of tools may be 1.0000000000000002


class ScoreRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes a measure a score: its scale, the limit that passes (`>= 0.7`, "" for none), its weight in the total.

    reason_column, reason_paths: where it is said why. match: how answers are compared, None where the file has the
    score. key, maps: of a score of a map (`scoring.rubric.score_maps`), and the paths of the map as declared.
    is_judged: a judge picks its level. by_name: of a map, the name of each key says whether less is better. values:
    numbers that words stand for. other_columns: of a map, where the first one has no value. has_points: without them it
    is read as a score of a map and is a mere measure.
    """

    lowest: float
    highest: float
    passes: str = ""
    weight: float | None = None
    reason_column: str = ""
    reason_paths: tuple[str, ...] = ()
    match: MatchRule | None = None
    key: str = ""
    maps: tuple[str, ...] = ()
    is_judged: bool = False
    by_name: bool = False
    values: tuple[tuple[str, float], ...] = ()
    other_columns: tuple[str, ...] = ()
    has_points: bool = True

    def on_scale(self, value: float) -> float | None:
        """The value; the end of the scale that it is beyond by a rounding error only; None outside."""
        slack = _ROUNDING * (self.highest - self.lowest)
        if not self.lowest - slack <= value <= self.highest + slack:
            return None
        return min(max(value, self.lowest), self.highest)

    def share(self, value: float, better: Better) -> float:
        """The place of a value between the worst and the best, 0 to 1."""
        share = (value - self.lowest) / (self.highest - self.lowest)
        return 1 - share if better is Better.LOWER else share


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A number that an item may have.

    title, unit: for people; unit is "" for a mere number. column: title of its column, "" where the payload has it.
    paths: into the payload, tried in order; empty where a column has it. decimals: that are shown, None for as many as
    the size of the number asks for; with 0 the numbers are whole. score: of a named score, which documents declare as
    one; its name begins with `score.`.
    """

    name: str
    title: Text
    unit: Clean = ""
    column: Clean = ""
    paths: Annotated[AnyPaths, Key("payload")] = ()
    decimals: int | None = None
    better: Better = Better.LOWER
    score: Annotated[ScoreRule | msgspec.UnsetType, UNWRITTEN] = msgspec.UNSET

    @property
    def rule(self) -> ScoreRule | None:
        """What makes it a score; None for a mere measure."""
        return self.score if isinstance(self.score, ScoreRule) and self.score.has_points else None

    def on(self, points: Scale, value: float) -> float:
        """A value of a score on another scale, the best at its top. Raises TypeError for a mere measure."""
        if not isinstance(self.score, ScoreRule):
            raise TypeError(self.name)
        return points.at(self.score.share(value, self.better), 1)

    def faults(self) -> Iterator[Fault]:
        """It has one place, and no more decimals than a number."""
        if bool(self.column) is bool(self.paths):
            yield Fault("rubric-kinds", (), values={"choices": "column, payload"})
        if self.decimals is not None and not 0 <= self.decimals <= _MOST_DECIMALS:
            limit = {"limit": str(_MOST_DECIMALS)}
            yield Fault("rubric-measure-decimals", ("decimals",), str(self.decimals), limit)

    @property
    def key(self) -> str:
        """Its name among metrics: `measure.tokens`, `score.faithfulness`."""
        return key_of_measure(self.name)


def key_of_measure(name: str) -> str:
    """The name among metrics of a measure, or of a score, which has its own."""
    return name if is_score(name) else f"{MEASURE_PREFIX}{name}"


def is_measure(metric: str) -> bool:
    """Is this the name of a measure or a score among metrics?"""
    return metric.startswith((MEASURE_PREFIX, SCORE_PREFIX))


def is_score(metric: str) -> bool:
    """Is this the name of a named score?"""
    return metric.startswith(SCORE_PREFIX)


def measure_named(measures: Iterable[Measure], metric: str) -> Measure | None:
    """The measure of this name among metrics (`measure.tokens`); None for other metrics and unknown measures."""
    return next((measure for measure in measures if measure.key == metric), None)


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """A track. number: or its text. meaning: what its questions are about, "" where the document does not say it.

    items: how many a round should have; None where nobody declared it.
    """

    number: Annotated[TrackName, Key("track")]
    meaning: Clean = ""
    items: int | None = None

    def faults(self) -> Iterator[Fault]:
        """Nothing has less than no items."""
        if self.items is not None and self.items < 0:
            yield Fault("rubric-value-too-small", ("items",), str(self.items), {"low": "0"})


def group_key(track: TrackId | None) -> str:
    """Key of the `Group` that an item of `track` belongs to: `3`, `easy`, `unassigned`."""
    if track is None:
        return UNASSIGNED
    if isinstance(track, str) and (track in {ALL, UNASSIGNED} or track.startswith(_ESCAPE)):
        return _ESCAPE + track
    return str(track)


def track_of(key: str) -> TrackId | None:
    """The track of a key of `group_key`."""
    if key == UNASSIGNED:
        return None
    return int(key) if is_number(key) else key.removeprefix(_ESCAPE)


def is_number(text: str) -> bool:
    """Is the track of this text a number?"""
    return text.isascii() and text.isdecimal()


def place_of(track: TrackId | None, listed: Sequence[TrackId] = ()) -> TrackPlace:
    """What tracks are sorted by: those that are listed in their order, numbers ascending, texts, none."""
    if track in listed:
        return (0, listed.index(track), "")
    if track is None:
        return (3, 0, "")
    return (1, track, "") if isinstance(track, int) else (2, 0, track)


class Spelling(NamedTuple):
    """What a name may mean. is_whole: is it the whole name, or one word of it? rank: lower is likelier."""

    field: str
    is_whole: bool
    rank: int


_GENERIC = frozenset({"content", "text", "value", "message", "string", "body"})
_IDS = frozenset({"id", "uuid", "uid", "key", "no", "number", "index"})
_GRADES = frozenset({"llm_score", "intent_verdict"})
_FROM_ABOVE = 20  # added to the rank of a name that comes from further up in a path
_SIDES = frozenset({"question", "expected"})
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")  # a unit or a range behind a name
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|[0-9]+")


def _table(kind: str, *, is_whole: bool) -> dict[str, list[Spelling]]:
    table: dict[str, list[Spelling]] = {}
    for field, names in words(kind).items():
        for rank, name in enumerate(names):
            table.setdefault(normalise_header(name), []).append(Spelling(field, is_whole, rank))
    return table


_WHOLE = _table("columns", is_whole=True)
_PARTS = _table("column-words", is_whole=False)


_TASKS = {_WHOLE[name][0] for name in ("task", "problem", "request", "inputs")}


def meanings(header: str) -> Iterator[Spelling]:
    """What a header, or a path into JSON, may mean, whole names first; nothing for a name that is not known.

    A path means what its last name does: `metrics.latency_ms`. Below a question or an expected answer it means that:
    `expected.answer`; a name that says nothing by itself means what the one above it does: `output.content`.
    """
    header = _REMARK.sub("", header) or header
    names = header.split(".") if "." in header and not header.count(" ") else [header]
    *above, last = (name.partition("[")[0] for name in names)
    whole = [_WHOLE.get(normalise_header(name), []) for name in above]
    sides = [found[0] for found in whole if found and _is_side(found[0])]
    own = _own(above, last)
    if sides:
        yield sides[0]
        return
    nearest = next(filter(None, reversed(whole)), [])
    if nearest and normalise_header(last) in _GENERIC:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest]
    elif not own:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest if one.field in _GRADES]
    elif nearest and nearest[0].field == "response":
        own = [one for one in own if one.field != "expected"]  # `output.answer`
    yield from own
    pieces = [piece.casefold() for piece in _PIECES.findall(last)]
    for piece in reversed(pieces if len(pieces) > 1 and not own else ()):  # the last word is the noun
        yield from _PARTS.get(piece, ())


def _own(above: Sequence[str], last: str) -> list[Spelling]:
    """What the last name means; an ID below another name is that of what the name is about: `test_case.id`."""
    if not above:
        return _WHOLE.get(normalise_header(last), [])
    together = _WHOLE.get(normalise_header(f"{above[-1]}_{last}"))
    if together is not None:
        return together
    return [] if normalise_header(last) in _IDS else _WHOLE.get(normalise_header(last), [])


def _is_side(spelling: Spelling) -> bool:
    """Is this what an agent was given, and not what it did? Names of a task may have all of both below them."""
    return spelling.field in _SIDES and spelling not in _TASKS
