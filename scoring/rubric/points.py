"""Points: of a status, and of a number by bands."""

from bisect import bisect_left
from enum import StrEnum
from typing import NamedTuple

import msgspec


class Scale(NamedTuple):
    """The lowest and the highest points of a metric; losses count from the lowest."""

    lowest: float
    highest: float

    @property
    def length(self) -> float:
        """What an item can lose."""
        return self.highest - self.lowest

    def at(self, part: float, whole: float) -> float:
        """The points of a share, `part` of `whole`."""
        return self.lowest + self.length * part / whole


SHARE = Scale(0.0, 1.0)
USUAL_SCALE = Scale(0.0, 5.0)


class Status(StrEnum):
    """Outcome of one item, in order of precedence (docs/scoring.md#status)."""

    ERROR = "error"
    EMPTY = "empty"
    PARTIAL = "partial"
    OK = "ok"

    # That of Enum is written in Python: in the key of a count it costs more than the counting.
    __hash__ = str.__hash__


STATUSES = {status.value: status for status in Status}


class Bands(msgspec.Struct, frozen=True, kw_only=True):
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


UNREAD = Bands(edges=(), points=(), missing=0.0)  # in force only until a table is found, which is required
