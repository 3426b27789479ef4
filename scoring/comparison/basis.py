"""What of a rubric is needed to reduce scored items to one value per query (docs/compare.md).

It is kept in `report.json`, so that a published run can be compared after its rubric changed.
"""

from __future__ import annotations

from typing import Self

import msgspec

from scoring.rubric.measures import Better, Measure, is_measure, measure_named
from scoring.rubric.model import RUBRICS, TOTAL, Rubric, Status
from scoring.rubric.points import Scale
from scoring.rubric.rules import PassRule
from scoring.rubric.tracks import TrackId

CONSISTENCY = "consistency"
PASS = "pass"  # noqa: S105 -- share of the items that pass
ANSWERED = "answered"
SECONDS = "seconds"
SHARES = (PASS, ANSWERED)


class Basis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How items of a profile become values of queries.

    metrics: names that a report shows, in its order. scale: highest points, floor: lowest, absent where it is 0.
    answered: statuses of an answer. passes: what an item passes by, null where the document does not say. pairs: what
    passes when rounds are compared, null where the status decides. single: consistency of a query that was run once,
    where labels and signatures are compared; null where pairs of rounds are. weights: of the total, empty without one.
    edition, document: of the rubric, for people. measures: further numbers of the items, left out where there are none.
    scores_as: digest of the rubric that this one is a translation of; absent where it is none. tracks: in the order of
    the document where any is a text, else absent.
    """

    metrics: tuple[str, ...]
    scale: float
    answered: tuple[Status, ...]
    passes: PassRule | None
    pairs: PassRule | None
    single: float | None
    weights: dict[str, float]
    edition: str
    document: str
    scores_as: str = ""
    measures: tuple[Measure, ...] = ()
    floor: float | None = None
    tracks: tuple[TrackId, ...] = ()

    @classmethod
    def of(cls, rubric: Rubric) -> Self:
        """The basis of a rubric."""
        return cls(
            metrics=tuple(metric.name for metric in rubric.metrics),
            scale=rubric.scale,
            answered=rubric.pass_statuses,
            passes=rubric.pass_points,
            pairs=rubric.pass_rule,
            single=None if rubric.agreement is None else rubric.agreement.single,
            weights=dict(rubric.weights),
            edition=rubric.edition,
            document=rubric.document,
            scores_as=rubric.scores_as,
            measures=rubric.measures,
            floor=rubric.floor or None,  # a float is not recognised as the default that is left out
            tracks=rubric.listed_tracks,
        )

    @property
    def points(self) -> Scale:
        """The scale of the points."""
        return Scale(self.floor or 0.0, self.scale)

    def has_metric(self, name: str) -> bool:
        """Does a report show it? "latency" also means its classes."""
        return any(metric == name or metric.startswith(f"{name}.") for metric in self.metrics)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that two runs can be compared by, in the order of a table: the figures that lead come first."""
        total = (TOTAL,) if self.weights else ()
        share = (ANSWERED,) if self.passes is None else (PASS, ANSWERED)
        return (*total, *share, *self.metrics, SECONDS, *(measure.key for measure in self.measures))

    def better(self, metric: str) -> Better:
        """Which values of a metric are the good ones."""
        measure = measure_named(self.measures, metric)
        return usual_better(metric) if measure is None else measure.better

    @property
    def leading(self) -> str:
        """The one figure that a comparison is told by: total, level score, share that passes, or share answered."""
        if self.weights:
            return TOTAL
        if RUBRICS in self.metrics:
            return RUBRICS
        return ANSWERED if self.passes is None else PASS


def has_no_scale(metric: str) -> bool:
    """Do its values have no highest one? Seconds and measures are compared by their ranks."""
    return metric == SECONDS or is_measure(metric)


def usual_better(metric: str) -> Better:
    """Which values of a metric that is no measure are the good ones."""
    return Better.LOWER if metric == SECONDS else Better.HIGHER


def length_of(metric: str, length: float) -> float:
    """How far apart two values of a metric can be. length: of the scale of points."""
    return 1.0 if metric in {*SHARES, RUBRICS} else length
