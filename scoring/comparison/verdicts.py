"""Tests all figures of a comparison together, so that chance alone seldom makes any of them a change.

The leading figure is one planned test; the other figures of all queries are a family of their own, and so are the
tracks and categories (docs/statistics.md#several-figures-at-once). Figures that change alike for every query are one.
"""

from collections.abc import Callable, Mapping, Sequence

from scoring.comparison.changes import Change, Measured
from scoring.comparison.like_with_like import Why
from scoring.statistics import ALPHA, benjamini_hochberg, holm

MetricChanges = Mapping[str, Measured]  # of one group, by metric


def changes_of_all(
    measured: MetricChanges,
    copies: Mapping[str, str],
    *,
    leading: str,
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> tuple[Change, ...]:
    """The changes over all queries. copies: the metric that stands for each. leading: tested by itself."""
    tested = [name for name in _tested(measured, copies, unlike) if name != copies[leading]]
    p_values = dict(zip(tested, holm([measured[name].p for name in tested]), strict=True))
    return _changes(measured, copies, p_values, unlike, margin_of)


def changes_of_groups(
    groups: Sequence[MetricChanges],
    copies: Mapping[str, str],
    *,
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> list[tuple[Change, ...]]:
    """The changes of tracks and categories, one family over all of them."""
    tested = [(at, name) for at, group in enumerate(groups) for name in _tested(group, copies, unlike)]
    p_values = benjamini_hochberg([groups[at][name].p for at, name in tested])
    found: list[dict[str, float]] = [{} for _ in groups]
    for (at, name), p in zip(tested, p_values, strict=True):
        found[at][name] = p
    return [_changes(group, copies, of_group, unlike, margin_of) for group, of_group in zip(groups, found, strict=True)]


def _tested(measured: MetricChanges, copies: Mapping[str, str], unlike: Mapping[str, Why]) -> list[str]:
    return [name for name, one in measured.items() if copies[name] == name and name not in unlike and one.is_tested]


def _changes(
    measured: MetricChanges,
    copies: Mapping[str, str],
    p_values: Mapping[str, float],
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> tuple[Change, ...]:
    changes = []
    for name, one in measured.items():
        p = p_values.get(copies[name], one.p)
        copy_of = "" if copies[name] == name else copies[name]
        change = one.change(p=p, is_found=p <= ALPHA, margin=margin_of(name), copy_of=copy_of, why=unlike.get(name))
        changes.append(change)
    return tuple(changes)
