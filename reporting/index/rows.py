"""The rows of the index: the order of the sets, and how each compares with an earlier one.

Problems are on top, then the sets published last. A set is compared with its own earlier version; one without is
compared with the set of the same profile that was published before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reporting.store.gate import GateFile
from reporting.store.sources import SourceMark
from reporting.store.status import Headline, State, StatusFile
from reporting.view.headline import leading_metrics
from reporting.wording.names import ORDER

TREND = 12  # values of a sparkline
_Key = tuple[bool, int, str]


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components.

    published_ns: when its status was written. earlier: figures of the kept versions, oldest first. gate: how its rules
    ended, None where that is not known.
    """

    set_name: str
    status: StatusFile
    published_ns: int = 0
    earlier: tuple[Headline, ...] = ()
    gate: GateFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexRow:
    """before: figures to compare with, None when there are none. trend: shares that lead, oldest first, its own last.

    against: name of the set whose figures `before` are, "" for its own earlier version.
    Rows are equal when made from the same objects, so that a drawn row can be cached.
    """

    entry: IndexEntry
    mark: SourceMark | None
    before: Headline | None
    against: str
    trend: tuple[float, ...]

    def __hash__(self) -> int:
        return hash((self.entry.set_name, self.entry.published_ns, self.trend))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IndexRow)
            and self.entry.status is other.entry.status
            and self.entry.gate is other.entry.gate
            and self.before is other.before
            and self.entry.set_name == other.entry.set_name
            and (self.mark, self.against, self.trend) == (other.mark, other.against, other.trend)
        )


def index_rows(entries: Sequence[IndexEntry], sources: Mapping[str, SourceMark]) -> list[IndexRow]:
    """One row per set, in the order in which an index shows them."""
    latest: dict[str, tuple[str, Headline]] = {}  # by profile: name of the set and its figures
    trends: dict[str, deque[float]] = {}
    rows = []
    for entry in sorted(entries, key=lambda entry: (entry.published_ns, entry.set_name)):
        headline, profile = entry.status.headline, entry.status.profile
        before: Headline | None = None
        against = ""
        trend: tuple[float, ...] = ()
        if headline is not None:
            rates = trends.setdefault(profile, deque(maxlen=TREND))
            if headline.share is not None:
                rates.append(headline.share)
            own = [earlier.share for earlier in (*entry.earlier, headline) if earlier.share is not None]
            if entry.earlier:
                before = entry.earlier[-1]
            elif profile in latest:
                against, before = latest[profile]
            trend = tuple(own[-TREND:]) if entry.earlier else tuple(rates)
            latest[profile] = entry.set_name, headline
        rows.append(
            IndexRow(entry=entry, mark=sources.get(entry.set_name), before=before, against=against, trend=trend)
        )
    rows.sort(key=_place)
    return rows


def metric_columns(entries: Sequence[IndexEntry]) -> list[str]:
    """Names of the metrics that any set has, those that lead first; the usual ones when none has any.

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
    return [*leading, *(name for name in ORDER if name in found or not found), *others]


def _place(row: IndexRow) -> _Key:
    return row.entry.status.state is not State.PROBLEM, -row.entry.published_ns, row.entry.set_name
