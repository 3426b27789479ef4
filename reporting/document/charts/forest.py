"""Values with their intervals on one axis: a dot each, and a hollow dot for the value before."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reporting.document.charts.svg import WIDTH, Chart, Drawing, line, number, rect, text, whisker
from scoring.rubric import Scale
from scoring.statistics import Interval

_LEFT, _RIGHT, _ROW = 96.0, 306.0, 20.0  # at the right, the width of `100.0→98.9%` and a mark
_BAR_WIDTH, _BAR_HEIGHT = 120, 14


class Dot(NamedTuple):
    """A row. shown: value and interval in words. before: None without one."""

    label: str
    value: float | None
    interval: Interval | None
    shown: str
    before: float | None = None


def forest_chart(name: str, title: str, dots: Sequence[Dot], scale: Scale, show: Callable[[float], str]) -> Chart:
    """A row per dot. show: an end of the axis in words."""
    drawing = Drawing()
    for dot in dots:
        y = drawing.y + 9
        drawing.pieces += [text(_LEFT - 8, y + 4, dot.label, "m e"), line(_LEFT, y, _RIGHT, y)]
        drawing.pieces += _marks(dot, scale, _LEFT, _RIGHT, y)
        drawing.pieces.append(text(WIDTH, y + 4, dot.shown, "m e"))
        drawing.sentences.append(f"{dot.label} {dot.shown}")
        drawing.y += _ROW
    drawing.pieces += [text(_LEFT, drawing.y + 11, show(scale.lowest), "m")]
    drawing.pieces += [text(_RIGHT, drawing.y + 11, show(scale.highest), "m e")]
    drawing.y += 16
    return drawing.chart(name, title)


def bar(dot: Dot, scale: Scale, limit: float | None = None) -> str:
    """One value on its scale, to stand beside it in a table. limit: a line that it is held against."""
    y = _BAR_HEIGHT / 2
    pieces = [line(2, y, _BAR_WIDTH - 2, y), *_marks(dot, scale, 4, _BAR_WIDTH - 4, y)]
    if limit is not None:
        x = _x_of(limit, scale, 4, _BAR_WIDTH - 4)
        pieces.append(line(x, 0, x, _BAR_HEIGHT, "g d"))
    size = f'viewBox="0 0 {_BAR_WIDTH} {_BAR_HEIGHT}" width="{_BAR_WIDTH}" height="{_BAR_HEIGHT}"'
    return f'<svg class="chart bar" {size} aria-hidden="true">{"".join(pieces)}</svg>'


def _marks(dot: Dot, scale: Scale, left: float, right: float, y: float) -> list[str]:
    pieces = []
    if dot.interval is not None:
        low, high = (_x_of(end, scale, left, right) for end in dot.interval)
        pieces += whisker(low, high, y)
    if dot.before is not None:
        middle = number(_x_of(dot.before, scale, left, right))
        pieces.append(f'<circle cx="{middle}" cy="{number(y)}" r="3.5" class="o l4"/>')
    if dot.value is not None:
        x = _x_of(dot.value, scale, left, right)
        pieces.append(rect(x - 3.5, y - 3.5, 7, 7, "c1"))
    ends = [end for end in (dot.value, *(dot.interval or ())) if end is not None]
    pieces += [_arrow(left, y, -1)] if min(ends, default=scale.lowest) < scale.lowest else []
    pieces += [_arrow(right, y, 1)] if max(ends, default=scale.highest) > scale.highest else []
    return pieces


def _arrow(x: float, y: float, way: int) -> str:
    """What goes on beyond the end of its scale. way: -1 to the left, 1 to the right."""
    return f'<path d="M{number(x + 2 * way)} {number(y)}l{-7 * way} -5v10z" class="k"/>'


def _x_of(value: float, scale: Scale, left: float, right: float) -> float:
    return left + (right - left) * min(max((value - scale.lowest) / scale.length, 0.0), 1.0)
