"""The metrics of a set over its versions: a line each, with the first, the latest and every value told in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reporting.charts.svg import WIDTH, Chart, line, polyline, rect, text
from reporting.store.status import Headline
from reporting.wording.catalogue import Texts
from reporting.wording.display import score
from reporting.wording.names import metric_place
from scoring.rubric.model import RUBRICS

_LEFT = 44.0
_RIGHT = 352.0
_HEIGHT = 30.0


def trend_chart(versions: Sequence[Headline], scale: float, word: Callable[[str], str], t: Texts) -> Chart:
    """versions: oldest first, at least one. scale: the highest points of a metric. word: what a metric is called."""
    found = dict.fromkeys(name for version in versions for name in version.metrics)
    names = sorted(found, key=metric_place)
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for name in names:
        values = [version.metrics.get(name) for version in versions]
        known = [value for value in values if value is not None]
        if not known:
            continue
        pieces += [
            text(0, y + 11, word(name), "b"),
            *_line(values, 1.0 if name == RUBRICS else scale, y + 20),
        ]
        pieces += [text(_LEFT - 6, y + 38, score(values[0]), "m e"), text(WIDTH, y + 38, score(values[-1]), "b e")]
        told.append(f"{word(name)}: {', '.join(map(score, values))}")
        y += 20 + _HEIGHT + 10
    return Chart(name="trend", title=t("chart.trend"), description="; ".join(told), height=y, body="".join(pieces))


def _line(values: Sequence[float | None], scale: float, y: float) -> list[str]:
    step = (_RIGHT - _LEFT) / max(len(values) - 1, 1)
    points = [
        (_LEFT + at * step, y + _HEIGHT * (1 - min(max(value / scale, 0), 1)))
        for at, value in enumerate(values)
        if value is not None
    ]
    frame = [line(_LEFT, y, _RIGHT, y), line(_LEFT, y + _HEIGHT, _RIGHT, y + _HEIGHT)]
    return [*frame, polyline(points, "o l1"), *(rect(x - 2, top - 2, 4, 4, "c1") for x, top in points)]
