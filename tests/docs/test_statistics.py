"""docs/statistics.md: the examples in its tables are what the functions give."""

from __future__ import annotations

import re

from scoring.statistics import (
    Attempts,
    Share,
    Values,
    mean_interval,
    mean_interval_of_queries,
    query_mean,
    reliability,
    sign_flip,
)
from tests.inner import effective_n, t_quantile
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


def _examples(first_column: str) -> list[list[str]]:
    """Rows of the table whose first column has this heading."""
    (table,) = re.findall(rf"^\| {re.escape(first_column)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert len(rows) > 4
    return rows


def _quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_intervals() -> None:
    for items, *figures in _examples("items of each query"):
        queries: list[Values] = [tuple(map(float, query.split())) for query in _quoted(items)]
        value = query_mean([query_mean(query) for query in queries])
        interval = mean_interval(value, queries, top=5.0)
        assert interval is not None
        found = [value, effective_n(value, queries, top=5.0), *interval]
        assert [f"{figure:.2f}" for figure in found] == figures, items


def test_intervals_of_measures() -> None:
    for means, value, *figures in _examples("query means"):
        (quoted,) = _quoted(means)
        numbers = [float(number) for number in quoted.split()]
        assert query_mean(numbers) == float(value)
        interval = mean_interval_of_queries(float(value), numbers, is_above_0=min(numbers) >= 0)
        if interval is None:
            assert figures == ["—"] * 3
            continue
        shown = [f"{t_quantile(len(numbers) - 1):.3f}", *figures[1:]]
        assert shown == figures
        assert [float(end) for end in figures[1:]] == [float(f"{end:.{_places(cell)}f}") for end, cell in
                                                       zip(interval, figures[1:], strict=True)]  # fmt: skip


def _places(cell: str) -> int:
    return len(cell.partition(".")[2])


def test_p_values() -> None:
    for differences, p in _examples("differences"):
        numbers = [int(number) for quoted in _quoted(differences) for number in quoted.split()]
        assert f"{sign_flip(numbers):.4g}" == p, differences


def test_reliability() -> None:
    for attempts, *figures in _examples("passes of attempts"):
        queries = [Attempts(*map(int, quoted.split("/"))) for quoted in _quoted(attempts)]
        found = reliability(queries, int(figures[0]))
        shown = [
            str(found.k),
            str(found.queries),
            str(found.left_out),
            _shown(found.all_pass),
            _shown(found.any_passes),
        ]
        assert shown == figures, attempts


def _shown(share: Share) -> str:
    return "—" if share.value is None else f"{share.value:.3f}"
