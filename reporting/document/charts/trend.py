"""The metrics of a set over its versions: a line each, with the first and the latest value as numbers."""

from collections.abc import Callable, Sequence

from reporting.document.charts.svg import WIDTH, Chart, Drawing, curve, text
from reporting.store import Headline
from reporting.wording import metric_place, score
from scoring.rubric import RUBRICS, SHARE, Scale
from texts import Texts

_LEFT = 44.0
_RIGHT = 352.0
_HEIGHT = 30.0


def trend_chart(versions: Sequence[Headline], scale: Scale, word: Callable[[str], str], t: Texts) -> Chart:
    """versions: oldest first, at least one. scale: of the points. word: what a metric is called."""
    found = dict.fromkeys(name for version in versions for name in version.metrics)
    drawing = Drawing()
    for name in sorted(found, key=metric_place):
        values = [version.metrics.get(name) for version in versions]
        if all(value is None for value in values):
            continue
        y, of_metric = drawing.y, SHARE if name == RUBRICS else scale
        drawing.pieces += [
            text(0, y + 11, word(name), "b"),
            *curve(values, of_metric, y + 20, left=_LEFT, right=_RIGHT, height=_HEIGHT),
            text(_LEFT - 6, y + 38, score(values[0]), "m e"),
            text(WIDTH, y + 38, score(values[-1]), "b e"),
        ]
        drawing.sentences.append(f"{word(name)}: {', '.join(map(score, values))}")
        drawing.y += 20 + _HEIGHT + 10
    return drawing.chart("trend", t("chart.trend"))
