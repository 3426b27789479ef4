"""A figure over runs, from left to right: its values in the band of their intervals, on an axis that fits them.

And the metrics of a set over its versions: a line each, with the first and the latest value as numbers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import ceil, floor, log10
from typing import NamedTuple

from reporting.document.charts.svg import (
    FONT_SIZE,
    WIDTH,
    Chart,
    Drawing,
    curve,
    line,
    number,
    plain,
    polyline,
    rect,
    text,
    text_width,
    upright_whisker,
)
from reporting.store import Headline
from reporting.wording import metric_place, score
from scoring.rubric import RUBRICS, SHARE, Scale
from scoring.statistics import Interval
from texts import Texts

_LEFT, _RIGHT = 58.0, 344.0
_TALL, _SMALL = 240.0, 84.0
_MOST_MARKS = 40  # runs that have a mark each
_MOST_LABELS = 12
_LABEL_WIDTH = 66.0  # of a name below the axis, which is turned where there are several
_TURN = 40
_FEW_LETTERS = 2
_LABEL_ROOM = 60.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SEPARATORS = re.compile(r"[-_./ ]")
_ELLIPSIS = "…"


class RunPoint(NamedTuple):
    """A run. value, interval: None without one. changed: what differs from the run before, "" for nothing.

    mark: a sign above the value, "" for none. is_damaged: is the value crossed, beside the line through the others, and
    not told? is_apart: does no line join it to the run before, as it was scored otherwise?
    """

    label: str
    value: float | None
    interval: Interval | None = None
    changed: str = ""
    mark: str = ""
    is_damaged: bool = False
    is_apart: bool = False


class Axis(NamedTuple):
    """What an axis reaches from and to, and where it has lines."""

    lowest: float
    highest: float
    ticks: tuple[float, ...]


class Limit(NamedTuple):
    """A line that the values are held against, and what it is called."""

    value: float
    title: str


def runs_chart(
    name: str,
    title: str,
    points: Sequence[RunPoint],
    show: Callable[[float], str],
    *,
    scale: Scale | None = None,
    limit: Limit | None = None,
    is_small: bool = False,
    told: str = "",
) -> Chart:
    """The chart of at least one run.

    show: a value in words. scale: what values can be, None for anything. is_small: for a card, with the names of the
    first and the last run alone. told: the same in words.
    """
    known = [point for point in points if point.value is not None]
    values = [value for point in known for value in (point.value, *(point.interval or ())) if value is not None]
    axis = fitted_axis([*values, *([] if limit is None else [limit.value])], scale, lines=2 if is_small else 5)
    drawing = Drawing(16.0 if any(point.changed for point in points) and not is_small else 8.0)
    top, height = drawing.y, _SMALL if is_small else _TALL
    step = (_RIGHT - _LEFT) / max(len(points) - 1, 1)

    def y(value: float) -> float:
        share = (value - axis.lowest) / (axis.highest - axis.lowest)
        return top + height * (1 - min(max(share, 0.0), 1.0))

    for tick in axis.ticks:
        drawing.pieces += [line(_LEFT, y(tick), _RIGHT, y(tick)), text(_LEFT - 6, y(tick) + 4, show(tick), "m e")]
    spots = [(_LEFT + at * step, point) for at, point in enumerate(points)]
    sound = [(x, point) for x, point in spots if not point.is_damaged]
    drawing.pieces += _changes(spots, top, height, is_small=is_small)
    for run in _unbroken(sound, lambda point: point.interval is not None):
        drawing.pieces += _band([(x, y(low), y(high)) for x, low, high in _ends(run)])
    if limit is not None:
        at = number(y(limit.value))
        drawing.pieces.append(f'<path d="M{number(_LEFT)} {at}H{number(_RIGHT)}" class="o l4" stroke-dasharray="6 3"/>')
        drawing.pieces.append(_limit_title(limit, points, y))
    for run in _unbroken(sound, lambda point: point.value is not None):
        drawing.pieces.append(polyline([(x, y(point.value)) for x, point in run if point.value is not None], "o l1"))
    if len(points) <= _MOST_MARKS:
        marks = [(x, y(point.value)) for x, point in sound if point.value is not None]
        drawing.pieces += [rect(x - 2.5, at - 2.5, 5, 5, "c1") for x, at in marks]
    crossed = [(x, y(point.value)) for x, point in spots if point.value is not None and point.is_damaged]
    drawing.pieces += [_cross(x, at) for x, at in crossed]
    signs = [(x, y(point.value), point.mark) for x, point in spots if point.value is not None and point.mark]
    drawing.pieces += [text(x, max(at - 6, top + 8), sign, "c") for x, at, sign in signs]
    if known and known[-1].value is not None and not known[-1].is_damaged:
        drawing.pieces.append(text(WIDTH, y(known[-1].value) + 4, show(known[-1].value), "b e"))
    drawing.y = top + height + 6
    is_level = is_small or len(points) == 1
    labels = short_labels([point.label for point in points], _LABEL_WIDTH if len(points) > 1 else _RIGHT - _LEFT)
    drawing.pieces += _few_labels(labels, drawing.y) if is_level else _turned_labels(labels, step, drawing.y)
    drawing.y += FONT_SIZE + 8 if is_level else _LABEL_ROOM
    drawing.sentences.append(told)
    return drawing.chart(name, title)


def fitted_axis(values: Sequence[float], scale: Scale | None, *, lines: int) -> Axis:
    """An axis that holds the values with little to spare, within the scale. lines: about how many it has.

    Without any value it is the scale, or from 0 to 1.
    """
    ends = (0.0, 1.0) if scale is None else (scale.lowest, scale.highest)
    lowest, highest = (min(values), max(values)) if values else ends
    if scale is not None:  # a figure of a file that was edited may lie anywhere
        lowest, highest = (min(max(end, scale.lowest), scale.highest) for end in (lowest, highest))
    least = max(abs(lowest), abs(highest), 1e-6) * 0.02 if scale is None else scale.length * 0.04
    room = max(highest - lowest, least) * 0.1
    lowest, highest = lowest - room, highest + room
    step = _nice((highest - lowest) / lines)
    lowest, highest = floor(lowest / step) * step, ceil(highest / step) * step
    if scale is not None:
        lowest, highest = max(lowest, scale.lowest), min(highest, scale.highest)
    first, last = ceil(lowest / step - 1e-6), floor(highest / step + 1e-6)
    return Axis(lowest, highest, tuple(at * step for at in range(first, min(last, first + 3 * lines) + 1)))


def short_labels(names: Sequence[str], room: float = _LABEL_WIDTH) -> list[str]:
    """The names without what all of them begin and end with, up to a separator, each no wider than there is room.

    Where no more than a number of one or two digits is left, as of `week 9`, they stay whole if there is room.
    """
    ends = [end[::-1] for end in _without_start([name[::-1] for name in _without_start(names)])]
    if max(map(len, ends)) <= _FEW_LETTERS and all(text_width(name) <= room for name in names):
        return list(names)
    return [_fitting(end or name, room) for name, end in zip(names, ends, strict=True)]


def _without_start(names: Sequence[str]) -> list[str]:
    first, last = min(names), max(names)
    common = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), 0)
    start = max((found.end() for found in _SEPARATORS.finditer(first[:common])), default=0)
    return [name[start:] for name in names]


def _nice(step: float) -> float:
    """The next larger number that is 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next((power * one for one in _STEPS if power * one >= step * (1 - 1e-9)), power * 10)


@lru_cache(maxsize=1_024)  # each of a page's charts has the same names
def _fitting(name: str, room: float) -> str:
    """A name in the room for it: what runs are told apart by is mostly at the end."""
    name = name[-60:]
    if text_width(name) <= room:
        return name
    while name and text_width(_ELLIPSIS + name) > room:
        name = name[1:]
    return _ELLIPSIS + name


_Spot = tuple[float, RunPoint]


def _unbroken(spots: Sequence[_Spot], has: Callable[[RunPoint], bool]) -> Iterator[list[_Spot]]:
    """The runs between those that lack something or are apart."""
    found: list[_Spot] = []
    for spot in spots:
        if found and (spot[1].is_apart or not has(spot[1])):
            yield found
            found = []
        if has(spot[1]):
            found.append(spot)
    if found:
        yield found


def _cross(x: float, y: float) -> str:
    return f'<path d="M{number(x - 4)} {number(y - 4)}l8 8m0-8l-8 8" class="o l4"/>'


def _ends(run: Sequence[_Spot]) -> Iterator[tuple[float, float, float]]:
    for x, point in run:
        if point.interval is not None:
            yield x, point.interval.low, point.interval.high


def _band(ends: Sequence[tuple[float, float, float]]) -> list[str]:
    """Intervals of neighbours as one shape, that of a single run as a whisker."""
    if len(ends) == 1:
        return upright_whisker(*ends[0])
    edge = [(x, low) for x, low, _ in ends] + [(x, high) for x, _, high in reversed(ends)]
    path = "L".join(f"{number(x)} {number(y)}" for x, y in edge)
    return [f'<path d="M{path}Z" class="c1" fill-opacity=".18"/>']


def _changes(spots: Sequence[_Spot], top: float, height: float, *, is_small: bool) -> list[str]:
    """An upright line where something else than the answers changed, and what it was where there is room for it."""
    pieces, free = [], 0.0
    for x, point in spots:
        if not point.changed:
            continue
        pieces.append(line(x, top, x, top + height, "g d"))
        width = text_width(point.changed)
        left = min(x + 2, WIDTH - width)
        if not is_small and left >= free and width <= WIDTH / 2:
            pieces.append(text(left, top - 4, point.changed, "m"))
            free = left + width + 8
    return pieces


def _limit_title(limit: Limit, points: Sequence[RunPoint], y: Callable[[float], float]) -> str:
    """What the line is called: above or below it, where it covers fewer of the first values."""
    width = text_width(limit.title) / (_RIGHT - _LEFT)
    first = [point.value for point in points[: max(ceil(width * len(points)), 1)] if point.value is not None]
    is_above = sum(value > limit.value for value in first) * 2 > len(first)
    return text(_LEFT + 4, y(limit.value) + (14 if is_above else -4), limit.title, "m")


def _few_labels(labels: Sequence[str], y: float) -> list[str]:
    """The first and the last."""
    if len(labels) == 1:
        return [text(_LEFT, y + FONT_SIZE, labels[0], "m")]
    return [text(_LEFT, y + FONT_SIZE, labels[0], "m"), text(_RIGHT, y + FONT_SIZE, labels[-1], "m e")]


def _turned_labels(labels: Sequence[str], step: float, y: float) -> list[str]:
    """As many names as there is room for, the last one always."""
    each = ceil(len(labels) / _MOST_LABELS)
    pieces = []
    for at in range(len(labels) - 1, -1, -each):
        x, height = number(_LEFT + at * step + 4), number(y + 8)
        turn = f'transform="rotate(-{_TURN} {x} {height})"'
        pieces.append(f'<text x="{x}" y="{height}" class="m e" {turn}>{plain(labels[at])}</text>')
    return pieces


_LINE_LEFT = 44.0
_LINE_RIGHT = 352.0
_LINE_HEIGHT = 30.0


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
            *curve(values, of_metric, y + 20, left=_LINE_LEFT, right=_LINE_RIGHT, height=_LINE_HEIGHT),
            text(_LINE_LEFT - 6, y + 38, score(values[0]), "m e"),
            text(WIDTH, y + 38, score(values[-1]), "b e"),
        ]
        drawing.sentences.append(f"{word(name)}: {', '.join(map(score, values))}")
        drawing.y += 20 + _LINE_HEIGHT + 10
    return drawing.chart("trend", t("chart.trend"))
