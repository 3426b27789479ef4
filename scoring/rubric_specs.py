"""What the front matter of a full rubric document declares, as it is written."""

from __future__ import annotations

import typing

import msgspec


class ColumnSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One column; `name` is one of `scoring.columns.FIELDS`."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    required: bool = False


class PointsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with points per status in a table of the document."""

    headings: tuple[str, ...]


class CopySpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric that has the points of another one."""

    headings: tuple[str, ...]
    copies: typing.Literal["intent", "stability"]


class ConsistencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which statuses pass when two rounds are compared."""

    pass_statuses: tuple[str, ...]


class ClassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A latency class, its tracks, and the words that name its table."""

    title: str
    tracks: tuple[int, ...]
    headings: tuple[str, ...]
    slow_seconds: float | None = None


class LatencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Latency classes by name; `default` is the class of tracks that none of them names."""

    headings: tuple[str, ...]
    default: str
    classes: dict[str, ClassSpec]


class MetricsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where each metric has its points from."""

    intent: PointsSpec
    accuracy: CopySpec
    stability: PointsSpec
    consistency: ConsistencySpec
    latency: LatencySpec


class WordsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Words that score (partial, no_error, failure, track) and words by which tables are read."""

    partial: tuple[str, ...]
    no_error: tuple[str, ...]
    failure: tuple[str, ...]
    track: tuple[str, ...]
    missing: tuple[str, ...]
    points: tuple[str, ...]
    seconds: tuple[str, ...]
    either: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a full document declares beside its tables."""

    profile: str
    title: str
    files: tuple[str, ...]
    date_order: typing.Literal["month_first", "day_first"]
    scale: float
    recorded_range: tuple[float, float]
    max_rounds: int
    columns: tuple[ColumnSpec, ...]
    metrics: MetricsSpec
    words: WordsSpec
