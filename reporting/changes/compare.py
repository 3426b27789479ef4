"""What changed between two versions of a set: metrics, and the items that got worse or better.

Both sides are read from the files of their reports (`report.json`, `items.csv`), so that a version of an older engine
compares like any other. Items are paired by Query ID and round; of several with the same, the last one counts.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import NamedTuple

from reporting.data.judge_json import JudgeMark, read_judge
from reporting.store.status import Headline, StatusFile
from scoring.reading.regular_file import open_named
from scoring.rubric.model import RUBRICS

_QUERY, _ROUND = 2, 3  # columns of items.csv that the rubric document names
_POINTS = ("intent", "accuracy", "stability", "latency")
_RUBRICS = (RUBRICS, "rubrics_level")  # adjacent columns

_Key = tuple[str, str]


class Files(NamedTuple):
    """One version. items, report: its `items.csv` and `report.json`.

    Neither is read when the status says that there is no report.
    """

    status: StatusFile
    items: Path | None
    report: Path | None


class ItemFigures(NamedTuple):
    """One item: points by metric, None without a value."""

    status: str
    points: dict[str, float | None]
    question: str


class ItemChange(NamedTuple):
    """An item that scores otherwise than before. delta: points over all metrics, negative is worse."""

    query_id: str
    round: str
    before: ItemFigures
    after: ItemFigures
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """before, after: what the index shows of a version; None for one that was refused.

    worse, better: largest change first. paired: items on both sides; added, removed: on one side only.
    numbers: items with a value by metric, before and after; of those that items have points of. judges: who judged,
    before and after. has_new_rules: the rubric or the engine changed, so the scores may differ for that alone.
    """

    before: Headline | None
    after: Headline | None
    worse: tuple[ItemChange, ...]
    better: tuple[ItemChange, ...]
    paired: int
    added: int
    removed: int
    numbers: tuple[Mapping[str, int], Mapping[str, int]]
    judges: tuple[JudgeMark, JudgeMark]
    has_new_rules: bool


def compare(before: Files, after: Files) -> Changes:
    """The changes from one version to the next. Raises OSError, ValueError when a file cannot be read."""
    numbers: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    old = _items(before, numbers[0])
    paired = added = 0
    changed: list[ItemChange] = []
    for key, figures in _items(after, numbers[1]).items():
        earlier = old.pop(key, None)
        if earlier is None:
            added += 1
            continue
        paired += 1
        if (earlier.status, earlier.points) != (figures.status, figures.points):
            changed.append(ItemChange(*key, earlier, figures, _delta(earlier, figures)))
    changed.sort(key=lambda change: (-abs(change.delta), change.query_id, change.round))
    return Changes(
        before=before.status.headline,
        after=after.status.headline,
        worse=tuple([change for change in changed if change.delta < 0]),
        better=tuple([change for change in changed if change.delta > 0]),
        paired=paired,
        added=added,
        removed=len(old),
        numbers=numbers,
        judges=(_judge(before), _judge(after)),
        has_new_rules=(before.status.rubric_digest, before.status.engine_version)
        != (after.status.rubric_digest, after.status.engine_version),
    )


def _delta(before: ItemFigures, after: ItemFigures) -> float:
    """Metrics with a value on one side only are left out."""
    pairs = ((after.points[name], value) for name, value in before.points.items() if name in after.points)
    return fsum(new - old for new, old in pairs if new is not None and old is not None)


def _judge(files: Files) -> JudgeMark:
    return JudgeMark() if files.status.headline is None or files.report is None else read_judge(files.report)


def _items(files: Files, numbers: Counter[str]) -> dict[_Key, ItemFigures]:
    """The items by Query ID and round. numbers: gets those with a value by metric, 0 for one without any."""
    if files.status.headline is None or files.items is None:
        return {}
    found: dict[_Key, ItemFigures] = {}
    for key, figures in _read_items(files.items):
        numbers.update({name: value is not None for name, value in figures.points.items()})
        found[key] = figures
    return found


def _read_items(path: Path) -> Iterator[tuple[_Key, ItemFigures]]:
    with io.TextIOWrapper(open_named(path), encoding="utf-8-sig", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        at = {name: header.index(name) for name in (*_POINTS, "status") if name in header}
        question = header.index("reasons") + 1 if "reasons" in header else None  # 질의 follows it
        points = {name: at[name] for name in _POINTS if name in at}
        if _RUBRICS in list(pairwise(header)):  # a column of the input may have the name of the first
            points[RUBRICS] = list(pairwise(header)).index(_RUBRICS)
        for row in rows:
            if len(row) < len(header):
                continue  # a damaged row is left out
            yield (
                (row[_QUERY], row[_ROUND]),
                ItemFigures(
                    status=row[at["status"]] if "status" in at else "",
                    points={name: _number(row[index]) for name, index in points.items()},
                    question=row[question] if question is not None else "",
                ),
            )


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
