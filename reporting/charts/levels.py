"""The chart of the rubrics metric: items per level, those without one below."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.charts.svg import WIDTH, Chart, rect, text
from reporting.wording.catalogue import Texts
from reporting.wording.display import count, excerpt, percent
from scoring.results.model import SetResult

_LABEL_CHARS = 18
_LEFT = 140.0
_SHARE = 80.0  # room for `1,234 (56.7%)`


def level_charts(result: SetResult, t: Texts) -> Iterator[Chart]:
    """One chart for profiles with the metric."""
    rule = result.rubric.rubrics
    if rule is None or not result.levels:
        return
    counts = result.levels[0]
    shares = sorted(zip(rule.levels, counts.set, strict=True), key=lambda pair: -pair[0].points)
    rows = [(f"{rule.spelling(level)} {excerpt(level.name, _LABEL_CHARS)}", n, "c1") for level, n in shares]
    if none := sum(counts.none):
        rows.append((t("chart.levels.none"), none, "c6"))
    total = sum(n for _, n, _ in rows)
    most = max((n for _, n, _ in rows), default=0)
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for label, n, kind in rows:
        width = (WIDTH - _LEFT - _SHARE) * n / most if most else 0.0
        share = f"{count(n)} ({percent(n, total)})"
        pieces += [text(_LEFT - 8, y + 11, label, "m e"), rect(_LEFT, y + 1, width, 13, kind)]
        pieces.append(text(_LEFT + width + 6, y + 11.5, share, "m"))
        told.append(f"{label} {share}")
        y += 18
    yield Chart(name="levels", title=t("chart.levels"), description=", ".join(told), height=y, body="".join(pieces))
