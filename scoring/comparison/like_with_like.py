"""Says of every figure whether two runs made its values in the same way, and why not (docs/compare.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from scoring.comparison.pairing import Pair
from scoring.comparison.run import ACCURACY, CONSISTENCY, GRADED, LATENCY, NO_CHECKS, RECORDED_AS, Basis, Query, Run
from scoring.results import INTENT, PASS, SECONDS
from scoring.rubric import LATENCY_PREFIX, RUBRICS, TOTAL, Source

_LEAST_SHARE = 0.05  # of an origin or a model that the other side lacks
_MOST_APART = 0.20  # of the share of an origin
_ROUNDING = 1e-9
_HAS, _LACKS = "has", ""  # checks or seconds


class WhyKind(StrEnum):
    """In what two runs differ, so that a figure is not comparable."""

    GRADED = "graded"  # by what points were given
    MODEL = "model"  # who gave the grades
    CHECKS = "checks"  # how many items have anything to check
    SECONDS = "seconds"  # how many answers have seconds
    DAMAGED = "damaged"
    RULES = "rules"  # profile, rubric or engine


class Why(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a figure is not comparable. what: the origin, the model before, codes of findings, or of rules that differ.

    before, after: shares. other: the model after.
    """

    kind: WhyKind
    what: str = ""
    before: float | None = None
    after: float | None = None
    other: str = ""


def unlike_figures(before: Run, after: Run, shared: Sequence[Pair]) -> dict[str, Why]:
    """The figures that are not comparable, each with the first reason."""
    sides = [_Side.of([pair[at] for pair in shared], run) for at, run in enumerate((before, after))]
    lost = {damage.metric: damage for run in (before, after) for damage in run.damaged}
    found: dict[str, Why] = {}
    for metric in after.basis.names:
        sources = set(sources_of(metric, after.basis))
        damage = next((lost[name] for name in lost if name in sources or name == metric), None)
        reasons = (why for source in sorted(sources) for why in _differences(source, *sides))
        why = next(reasons, None)
        if damage is not None:
            why = Why(WhyKind.DAMAGED, ", ".join(damage.codes), damage.share)
        if why is not None:
            found[metric] = why
    return found


class _Side(msgspec.Struct):
    """How the values of one run were made, over its shared queries. Counts are of items.

    origins: by metric of GRADED, of answered items. models: of those that somebody graded. checks, seconds: how many
    items have any and how many not.
    """

    origins: dict[str, Counter[str]] = msgspec.field(default_factory=lambda: {metric: Counter() for metric in GRADED})
    models: dict[str, Counter[str]] = msgspec.field(default_factory=lambda: {metric: Counter() for metric in GRADED})
    checks: Counter[str] = msgspec.field(default_factory=Counter)
    seconds: Counter[str] = msgspec.field(default_factory=Counter)

    @classmethod
    def of(cls, queries: Iterable[Query], run: Run) -> _Side:
        """The side of a run."""
        side = cls()
        alike = Counter(
            (answer.status, answer.own_grade, answer.seconds is not None)
            for query in queries
            for answer in query.answers
        )
        for (status, grade, is_timed), times in alike.items():
            checked = grade.origins[GRADED.index(ACCURACY)]
            if checked:
                side.checks[_LACKS if checked == NO_CHECKS else _HAS] += times
            if status not in run.basis.answered:
                continue
            side.seconds[_HAS if is_timed else _LACKS] += times
            for metric, origin in zip(GRADED, grade.origins, strict=True):
                side.origins[metric][origin] += times
                model = run.judge.model if origin == Source.JUDGE else grade.model if origin in RECORDED_AS else ""
                if model:
                    side.models[metric][model] += times
        return side


def sources_of(metric: str, basis: Basis) -> Iterator[str]:
    """What the values of a figure are made from: GRADED, "seconds", or a figure that nothing but the status gives."""
    metric = basis.source_of(metric)
    if metric == TOTAL:
        for part in basis.weights:
            yield from sources_of(part, basis)
    elif metric == PASS and basis.passes is not None:
        yield from sources_of(basis.passes.metric, basis)
    elif metric == CONSISTENCY and basis.pairs is not None:
        yield from sources_of(basis.pairs.metric, basis)
    elif metric in {SECONDS, LATENCY} or metric.startswith(LATENCY_PREFIX):
        yield SECONDS
    else:
        yield metric


def _differences(source: str, before: _Side, after: _Side) -> Iterator[Why]:
    if source == SECONDS:
        yield from _apart(WhyKind.SECONDS, before.seconds, after.seconds)
    elif source == ACCURACY:
        yield from _apart(WhyKind.CHECKS, before.checks, after.checks)
    elif source in {INTENT, RUBRICS}:
        yield from _apart(WhyKind.GRADED, before.origins[source], after.origins[source])
        yield from _other_model(before.models[source], after.models[source])


def _apart(kind: WhyKind, before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Why]:
    """Origins that one side lacks, or that have another share there; the largest difference first."""
    old, new = _shares(before), _shares(after)
    if not old or not new:
        return
    found = []
    for origin in sorted((old.keys() | new.keys()) - {_LACKS}):
        one, other = old.get(origin, 0.0), new.get(origin, 0.0)
        is_missing = not min(one, other) and max(one, other) >= _LEAST_SHARE - _ROUNDING
        if is_missing or abs(other - one) > _MOST_APART + _ROUNDING:
            found.append(Why(kind, origin, one, other))
    yield from sorted(found, key=lambda why: -abs((why.after or 0.0) - (why.before or 0.0)))


def _other_model(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Why]:
    old, new = _shares(before), _shares(after)
    if not old or not new:
        return  # not graded on one side, or no model is named there
    if any(max(old.get(model, 0.0), new.get(model, 0.0)) >= _LEAST_SHARE for model in old.keys() ^ new.keys()):
        yield Why(WhyKind.MODEL, ", ".join(sorted(old)), other=", ".join(sorted(new)))


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    whole = sum(counts.values())
    return {name: n / whole for name, n in counts.items() if n} if whole else {}
