"""The rows of the index: the order of the sets, and the comparison of each with its baseline.

Problems are on top, then the sets published last.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reporting.store.baseline import BaselineFile, run_key
from reporting.store.gate import GateFile
from reporting.store.sources import SourceMark
from reporting.store.status import State, StatusFile
from reporting.view.headline import leading_metrics, measures_of
from reporting.wording.names import ORDER
from scoring.comparison.order import OrderKey, order_key

TREND = 12  # values of a sparkline
_Key = tuple[bool, int, str]


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components.

    published_ns: when its status was written. gate: how its rules
    ended, None where that is not known. compared: what the comparison beside the report says, outdated ones too; None
    without one. first_published_ns: of a run without a date, 0 for others.
    """

    set_name: str
    status: StatusFile
    published_ns: int = 0
    gate: GateFile | None = None
    compared: BaselineFile | None = None
    first_published_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexRow:
    """compared: with the baseline as it is now, None while that is outdated or missing.

    trend: shares that lead, of the runs of the profile up to this one in the order of their data, its own last.
    Rows are equal when made from the same objects, so that a drawn row can be cached.
    """

    entry: IndexEntry
    mark: SourceMark | None
    compared: BaselineFile | None
    trend: tuple[float, ...]

    def __hash__(self) -> int:
        return hash((self.entry.set_name, self.entry.published_ns, self.trend))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IndexRow)
            and self.entry.status is other.entry.status
            and self.entry.gate is other.entry.gate
            and self.compared is other.compared
            and self.entry.set_name == other.entry.set_name
            and (self.mark, self.trend) == (other.mark, other.trend)
        )


def index_rows(entries: Sequence[IndexEntry], sources: Mapping[str, SourceMark]) -> list[IndexRow]:
    """One row per set, in the order in which an index shows them."""
    keys = {entry.set_name: run_key(entry.status.key, entry.status.judge_digest) for entry in entries}
    trends: dict[str, deque[float]] = {}
    rows = []
    for entry in sorted(entries, key=order_of):
        headline = entry.status.headline
        rates = trends.setdefault(entry.status.profile, deque(maxlen=TREND))
        if headline is not None and headline.share is not None:
            rates.append(headline.share)
        rows.append(
            IndexRow(
                entry=entry,
                mark=sources.get(entry.set_name),
                compared=_compared(entry, keys),
                trend=() if headline is None else tuple(rates),
            )
        )
    rows.sort(key=_place)
    return rows


def profiles_in_order(entries: Iterable[IndexEntry]) -> dict[str, list[IndexEntry]]:
    """The reports of each profile in the order of their data."""
    found: defaultdict[str, list[IndexEntry]] = defaultdict(list)
    for entry in sorted(entries, key=order_of):
        if entry.status.state is State.REPORT:
            found[entry.status.profile].append(entry)
    return dict(sorted(found.items()))


def order_of(entry: IndexEntry) -> OrderKey:
    """The place of a run among those of its profile."""
    return _order_of(entry.status.executed, entry.set_name, entry.first_published_ns)


@lru_cache(maxsize=65_536)
def _order_of(executed: str, name: str, published: int) -> OrderKey:
    return order_key(executed, name, published=published)


def _compared(entry: IndexEntry, keys: Mapping[str, str]) -> BaselineFile | None:
    """The comparison of the report that is there with the baseline that is there."""
    found = entry.compared
    if found is None or not found.is_about(entry.status):
        return None
    return found if not found.baseline_key or keys.get(found.baseline) == found.baseline_key else None


def metric_columns(entries: Sequence[IndexEntry]) -> list[str]:
    """Names of the metrics that any set has, those that lead first; the usual ones when none has any. Then measures.

    Those of a latency class are left out: they are parts of the latency.
    """
    found = dict.fromkeys(
        name
        for entry in entries
        if entry.status.headline is not None
        for name in entry.status.headline.metrics
        if "." not in name
    )
    leading = leading_metrics(found)
    others = sorted(found.keys() - {*ORDER, *leading})
    usual = [name for name in ORDER if name in found or not found]
    return [*leading, *usual, *others, *measures_of([entry.status.headline for entry in entries])]


def _place(row: IndexRow) -> _Key:
    return row.entry.status.state is not State.PROBLEM, -row.entry.published_ns, row.entry.set_name
