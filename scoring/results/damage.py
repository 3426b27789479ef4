"""Which figures of a set are damaged: too much of what they are made from was left out or could not be read.

What each code takes away from is part of its record (`touches`): rows, every item's values, or only grades.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from scoring.findings import Finding
from scoring.results.item_table import Traits
from scoring.rubric import RUBRICS, TOTAL, Rubric
from texts import codes

PASS = "pass"  # noqa: S105 -- share of the items that pass
ANSWERED = "answered"
SECONDS = "seconds"
INTENT = "intent"
STABILITY = "stability"
UNGRADED = ("", "none", "status", "copy")  # origins of points that nobody gave for this answer

_MOST_LOST = 0.05
_ROWS, _GRADES, _VALUES = "rows", "grades", "values"


class Damage(msgspec.Struct, frozen=True):
    """A figure of which more than 5 % is lost. share: of the items or rows. codes: of the findings that touch it."""

    metric: str
    share: float
    codes: tuple[str, ...]


def leading_figure(metrics: Sequence[str], *, has_total: bool, has_pass: bool, is_graded: bool) -> str:
    """The one figure that is tested by itself: total, share that passes, points of the answers or share answered.

    metrics: that a report shows. is_graded: at least half of the items have a grade that is not that of their status.
    """
    if has_total:
        return TOTAL
    if has_pass:
        return PASS
    return INTENT if is_graded and INTENT in metrics else ANSWERED


def copies_of(rubric: Rubric) -> dict[str, str]:
    """Metrics that say what another figure says, with that figure.

    Accuracy that is that of another metric, and stability that tells no more than whether an item is answered.
    """
    names = [metric.name for metric in rubric.metrics]
    copies = {name: origin for name in names if (origin := rubric.origin_of(name)) != name and origin in names}
    points = rubric.status_points.get(STABILITY, {})
    ends = {True: rubric.points.highest, False: rubric.points.lowest}
    if STABILITY in names and points and all(points[one] == ends[one in rubric.pass_statuses] for one in points):
        copies[STABILITY] = ANSWERED
    return copies


def leading_of(rubric: Rubric, kinds: Mapping[Traits, int]) -> str:
    """The leading figure of a set, as its data decides it. kinds: how many items there are of each."""
    graded = sum(n for kind, n in kinds.items() if kind.intent_source not in UNGRADED)
    return leading_figure(
        [metric.name for metric in rubric.metrics],
        has_total=bool(rubric.weights),
        has_pass=rubric.pass_points is not None,
        is_graded=2 * graded >= sum(kinds.values()) > 0,
    )


def find_damage(findings: Iterable[Finding], items: int, rubric: Rubric) -> tuple[Damage, ...]:
    """The damaged figures, in the order of a table."""
    touching: dict[str, dict[str, int]] = {}
    for finding in findings:
        known = codes().get(finding.code)
        if known is not None and known.touches and known.touches != _VALUES:
            touching.setdefault(known.touches, {})[finding.code] = finding.count
    rows = touching.pop(_ROWS, {})
    shares = {_ROWS: _share(rows, items + sum(rows.values()))}
    shares |= {touched: _share(counts, items) for touched, counts in touching.items()}
    damaged = []
    for metric in _damageable(rubric):
        lost = {
            touched: share
            for touched, share in shares.items()
            if share > _MOST_LOST and (touched != _GRADES or _is_graded(metric, rubric))
        }
        if lost:
            named = [code for touched in lost for code in (rows if touched == _ROWS else touching[touched])]
            damaged.append(Damage(metric, max(lost.values()), tuple(named)))
    return tuple(damaged)


def _share(counts: Mapping[str, int], whole: int) -> float:
    return min(sum(counts.values()) / whole, 1.0) if whole else 0.0


def _damageable(rubric: Rubric) -> list[str]:
    total = [TOTAL] if rubric.weights else []
    share = [ANSWERED] if rubric.pass_points is None else [PASS, ANSWERED]
    return [*total, *share, *(metric.name for metric in rubric.metrics), SECONDS]


def _is_graded(metric: str, rubric: Rubric) -> bool:
    """Is a figure made from grades, by itself or as part of another?"""
    if metric == TOTAL:
        return any(_is_graded(part, rubric) for part in rubric.weights)
    if metric == PASS and rubric.pass_points is not None:
        return _is_graded(rubric.pass_points.metric, rubric)
    return rubric.origin_of(metric) in {INTENT, RUBRICS}
