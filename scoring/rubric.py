"""What a rubric document says, as values.

`scoring.rubric_document` reads Markdown into these; everything that scores
reads numbers and words from here, so that the code itself holds none.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec


class Status(StrEnum):
    """Outcome of one item (seed 002 §2), in order of precedence."""

    ERROR = "error"
    EMPTY = "empty"
    PARTIAL = "partial"
    OK = "ok"


class DateOrder(StrEnum):
    """How an Excel date that once was `room/repeat` is read back."""

    MONTH_FIRST = "month_first"
    DAY_FIRST = "day_first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that the profile wants.

    name: field name in code, one of `scoring.columns.FIELDS` ("query_id").
    title: the header as people know it ("Query ID"); also matched, like each alias.
    """

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """Bands over a number: value -> points.

    edges: where one band ends and the next begins, ascending, finite; a band of a single value has its edge twice.
    points: one more than edges (the last is beyond the last edge). missing: points when there is no value.
    upper: for each edge whether the edge itself belongs to the band above it; empty (all latency bands of
    the seeds) when every edge belongs to the band below, that is, when the bands are right-closed.
    """

    edges: tuple[float, ...]
    points: tuple[float, ...]
    missing: float
    upper: tuple[bool, ...] = ()

    def score(self, value: float | None) -> float:
        """Points for `value`; exactly on an edge the bands say which of the two it belongs to."""
        if value is None:
            return self.missing
        band = bisect_left(self.edges, value)
        if self.upper:
            while band < len(self.edges) and self.edges[band] == value and self.upper[band]:
                band += 1
        return self.points[band]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Words by which the tables of a rubric document are read; they score nothing by themselves.

    missing: no value ("누락"). either: joins two conditions of one cell ("또는"). seconds: units of time.
    points: the word for points, as a unit and as a header. at_most, above, at_least, below: comparisons that stand
    behind their number ("5초 이하"). headings: role of a table ("intent", "latency", "latency.single") -> words
    that name it in the heading, list line or caption above.
    """

    missing: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    seconds: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    headings: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyClass:
    """One latency class ("single", "multi"), its tracks and its bands.

    tracks: the tracks that the document names for this class.
    slow_seconds: items at or above are listed as slow; None lists none.
    """

    name: str
    title: str
    tracks: tuple[int, ...]
    bands: Bands
    slow_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """A profile: files, columns, words, points and bands (spec §2, §5).

    scale: the highest points of a metric; consistency is scale x agreeing / compared.
    recorded_range: lowest and highest recorded LLM score that is used.
    status_points: metric ("intent", "stability") -> points per status. Accuracy copies `accuracy_of`.
    default_class: latency class of tracks that no class names, and of items without a track.
    vocabulary: how a document that holds tables only is read against this rubric.
    """

    profile: str
    title: str
    files: tuple[str, ...]
    columns: tuple[Column, ...]
    no_error_words: tuple[str, ...]
    partial_words: tuple[str, ...]
    failure_words: tuple[str, ...]
    track_words: tuple[str, ...]
    date_order: DateOrder
    scale: float
    recorded_range: tuple[float, float]
    status_points: dict[str, dict[Status, float]]
    accuracy_of: str
    pass_statuses: tuple[Status, ...]
    latency_classes: tuple[LatencyClass, ...]
    default_class: str
    max_rounds: int
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def latency_class(self, track: int | None) -> LatencyClass:
        """The class whose bands score an item of `track`."""
        for latency_class in self.latency_classes:
            if track in latency_class.tracks or (
                latency_class.name == self.default_class and not self.names_track(track)
            ):
                return latency_class
        raise AssertionError(f"no default latency class in {self.profile}")

    def names_track(self, track: int | None) -> bool:
        """Does the document name this track?"""
        return any(track in latency_class.tracks for latency_class in self.latency_classes)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the parsed values: prose does not count, every number and word does."""
        return hashlib.sha256(encode_rubric(self)).hexdigest()


def encode_rubric(rubric: Rubric) -> bytes:
    """Canonical JSON of a rubric; the same values give the same bytes."""
    return msgspec.json.encode(rubric, order="deterministic")


def decode_rubric(data: bytes) -> Rubric:
    """Inverse of `encode_rubric`. Raises msgspec.DecodeError on anything else."""
    return msgspec.json.decode(data, type=Rubric)
