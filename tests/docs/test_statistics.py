"""docs/statistics.md: the examples in its tables are what the functions give."""

import re

from scoring.statistics import (
    ALPHA,
    Attempts,
    Share,
    change_interval,
    corrected_points,
    mean_interval,
    mean_interval_of_queries,
    query_mean,
    reliability,
    shift,
    sign_flip,
    spread_of,
    whole_steps,
)
from tests.inner import t_quantile
from tests.paths import ROOT
from tests.scoring.statistics.cases import queries_of

PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


def _examples(first_column: str, columns: int | None = None) -> list[list[str]]:
    """Rows of the table whose first column has this heading. columns: of the table, where several have the heading."""
    tables = re.findall(rf"^(\| {re.escape(first_column)} \|.*)\n\|[-|]+\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    (table,) = [rows for title, rows in tables if columns is None or title.count("|") == columns + 1]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert len(rows) > 2
    return rows


def _quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_intervals() -> None:
    for items, *figures in _examples("items of each query"):
        points = [tuple(map(float, query.split())) for query in _quoted(items)]
        queries = queries_of([{str(at): one for at, one in enumerate(query)} for query in points])
        value = query_mean([query_mean(query) for query in points])
        interval = mean_interval(value, queries, top=5.0)
        assert interval is not None
        found = [value, spread_of(value, queries, top=5.0).worth(value / 5), *interval]
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
    for differences, p in _examples("differences", 2):
        numbers = [int(number) for quoted in _quoted(differences) for number in quoted.split()]
        assert f"{sign_flip(numbers):.4g}" == p, differences


def test_intervals_of_a_change() -> None:
    for differences, verdict, *ends in _examples("differences on a scale of 5"):
        (quoted,) = _quoted(differences)
        numbers = [float(number) for number in quoted.split()]
        is_found = sign_flip(whole_steps(numbers, 5.0)) <= ALPHA
        assert is_found is (verdict != "no"), differences
        interval = change_interval(numbers, length=5.0, is_found=is_found)
        assert [f"{end:.2f}" for end in interval] == ends, differences


def test_shifts() -> None:
    for differences, estimate, *ends in _examples("differences", 4):
        (quoted,) = _quoted(differences)
        found = shift([float(number) for number in quoted.split()])
        assert f"{found.estimate:.4g}" == estimate
        shown = ["—", "—"] if found.interval is None else [f"{end:.4g}" for end in found.interval]
        assert shown == ends, differences


def test_corrected_points() -> None:
    for scores, theirs, *figures in _examples("points of the report"):
        (ours,), (people,) = _quoted(scores), _quoted(theirs)
        found = corrected_points(
            [float(one) for one in ours.split()], dict(enumerate(map(float, people.split()))), top=5.0
        )
        shown = ["—"] * 3 if found is None else [f"{one:.2f}" for one in (found.value, *found.interval)]
        assert shown == figures, scores


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
