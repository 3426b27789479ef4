"""Measures: further numbers of an item that a document names, such as tokens or cost (docs/scoring.md#measures).

A measure has no scale and gives no points. It is summed, averaged and compared, as the seconds are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MEASURE_PREFIX = "measure."  # before the name of a measure, where it is among metrics


class Better(StrEnum):
    """Which values of a metric are the good ones; NONE: neither large nor small ones."""

    LOWER = "lower"
    HIGHER = "higher"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number that an item may have.

    title, unit: for people; unit is "" for a mere number. column: title of its column, "" where the payload has it.
    paths: into the payload, tried in order; empty where a column has it. decimals: that are shown, None for as many as
    the size of the number asks for; with 0 the numbers are whole.
    """

    name: str
    title: str
    unit: str = ""
    column: str = ""
    paths: tuple[str, ...] = ()
    decimals: int | None = None
    better: Better = Better.LOWER

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
