"""What a rubric document names: fields of columns, measures and tracks.

Fields are what columns of a file can fill. Measures are further numbers of an item, such as tokens or cost
(docs/scoring.md#measures): a measure has no scale and gives no points. It is summed, averaged and compared, as the
seconds are. Tracks are numbers, or texts that a document names (docs/scoring.md#track-numbers).
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import msgspec

from scoring.rubric.written import AnyPaths, Clean, Fault, Key, Text, TrackName
from scoring.text import CellMemo, normalise

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


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A number that an item may have.

    title, unit: for people; unit is "" for a mere number. column: title of its column, "" where the payload has it.
    paths: into the payload, tried in order; empty where a column has it. decimals: that are shown, None for as many as
    the size of the number asks for; with 0 the numbers are whole.
    """

    name: str
    title: Text
    unit: Clean = ""
    column: Clean = ""
    paths: Annotated[AnyPaths, Key("payload")] = ()
    decimals: int | None = None
    better: Better = Better.LOWER

    def faults(self) -> Iterator[Fault]:
        """It has one place, and no more decimals than a number."""
        if bool(self.column) is bool(self.paths):
            yield Fault("rubric-kinds", (), values={"choices": "column, payload"})
        if self.decimals is not None and not 0 <= self.decimals <= _MOST_DECIMALS:
            limit = {"limit": str(_MOST_DECIMALS)}
            yield Fault("rubric-measure-decimals", ("decimals",), str(self.decimals), limit)

    @property
    def key(self) -> str:
        """Its name among metrics: `measure.tokens`."""
        return f"{MEASURE_PREFIX}{self.name}"


def is_measure(metric: str) -> bool:
    """Is this the name of a measure among metrics?"""
    return metric.startswith(MEASURE_PREFIX)


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
