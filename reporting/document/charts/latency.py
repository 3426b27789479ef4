"""The charts of response times: per latency class a histogram of each track against the edges of the bands."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from reporting.document.charts.svg import WIDTH, Chart, Drawing, boxes, file_stem, line, rect, text, triangle
from reporting.document.tables import shown_groups
from reporting.wording import class_name, count, seconds, track_name
from scoring.items import latency_class_of
from scoring.results import Seconds, SetResult
from scoring.rubric import ALL, LatencyClass, group_key
from texts import Texts

BINS = 60
BEYOND = 1.25  # the axis ends at this multiple of the last edge; longer times are in the last column
_LABEL_WIDTH = 30.0
_ROW = 80.0
_TEXT = 36.0  # of a row, above its columns
_BAR = 32.0


def latency_charts(result: SetResult, t: Texts) -> Iterator[Chart]:
    """A chart per latency class that has items with a time and edges to hold them against."""
    values = _seconds_by_group(result)
    for entry in result.rubric.latency_classes:
        rows = []
        for key, group in shown_groups(result) or ((ALL, result.groups[0]),):
            found = values.get((entry.name, key))
            if group is None or not found:
                continue
            figures = group.classes[entry.name].set_seconds if entry.name in group.classes else group.set_seconds
            rows.append((track_name(key, t), found, figures))
        if rows and entry.bands.edges and entry.bands.edges[-1] > 0:
            yield _chart(entry, rows, t)


def _seconds_by_group(result: SetResult) -> dict[tuple[str, str], Sequence[float]]:
    """Seconds by (latency class, key of the track)."""
    rubric, distinct = result.rubric, result.table.distinct
    has_tracks = bool(shown_groups(result))
    places: dict[tuple[str, str], int] = {}
    keys = [
        places.setdefault((latency_class_of(one, rubric), group_key(one.track) if has_tracks else ALL), len(places))
        for one in distinct
    ]
    return dict(zip(places, result.table.seconds_by(keys, len(places)), strict=True))


def _chart(entry: LatencyClass, rows: Sequence[tuple[str, Sequence[float], Seconds]], t: Texts) -> Chart:
    edges = sorted({edge for edge in entry.bands.edges if edge > 0})
    limit = edges[-1] * BEYOND
    places = [WIDTH * edge / limit for edge in edges]
    bounds = [0.0, *places, float(WIDTH)]
    drawing = Drawing(18.0)
    drawing.pieces += _points(entry, bounds, t)
    for name, values, figures in rows:
        y, end = drawing.y + _TEXT, drawing.y + _ROW
        lines = _lines(name, figures, t)
        drawing.sentences.append(", ".join(lines))
        drawing.pieces += [text(0, drawing.y + 13 + 16 * at, said) for at, said in enumerate(lines)]
        drawing.pieces += [rect(x, y, to_x - x, _ROW - _TEXT, "p") for x, to_x in list(pairwise(bounds))[::2]]
        drawing.pieces += [line(x, y, x, end, "g d") for x in places]
        drawing.pieces += _histogram(values, figures.mean, limit, end - 8)
        drawing.y = end
    drawing.pieces += _axis(edges, places, drawing.y + 13, t)
    legend = (t("chart.latency.legend"), t("chart.latency.last-column"))
    drawing.pieces += [text(0, drawing.y + 32 + 16 * at, said, "m") for at, said in enumerate(legend)]
    drawing.sentences.append(t("chart.latency.edges", edges=", ".join(f"{edge:g}" for edge in edges)))
    drawing.sentences.append(t("speed.percentiles"))
    drawing.y += 52
    return drawing.chart(f"latency-{file_stem(entry.name)}", t("chart.latency", class_name=class_name(entry)))


def _lines(name: str, figures: Seconds, t: Texts) -> tuple[str, str]:
    """Items of a track, and their times."""
    items = t("chart.latency.items", track=name, items=t.counted("items", count(figures.n)))
    if figures.missing:
        items += t("chart.latency.missing", n=count(figures.missing))
    times = {name: seconds(getattr(figures, name)) for name in ("mean", "p50", "p95")}
    return items, t("chart.latency.times", **times)


def _points(entry: LatencyClass, places: Sequence[float], t: Texts) -> Iterator[str]:
    """The points of each band above it; bands too narrow for a label, and those of a single value, have none."""
    edges = entry.bands.edges
    if len(places) != len(edges) + 2:
        return
    for x, to_x, given in zip(places, places[1:], entry.bands.points, strict=False):
        if to_x - x >= _LABEL_WIDTH:
            yield text((x + to_x) / 2, 12, t("unit.points", n=f"{given:g}"), "m h")


def _histogram(values: Sequence[float], mean: float | None, limit: float, bottom: float) -> Iterator[str]:
    """Columns of items per step of seconds; a time on an edge is left of it, where its points are."""
    per_second = BINS / limit
    counted = Counter([ceil(value * per_second) for value in values])
    heights = [0] * BINS
    for at, n in counted.items():
        heights[min(max(at - 1, 0), BINS - 1)] += n
    most = max(heights)
    yield boxes(0, bottom, WIDTH / BINS, [n and max(_BAR * n / most, 1.5) for n in heights], "c1")
    if mean is not None:
        yield triangle(min(mean / limit * WIDTH, WIDTH - 4), bottom)


def _axis(edges: Sequence[float], places: Sequence[float], y: float, t: Texts) -> Iterator[str]:
    """The edges in seconds, those left out that would touch the one before."""
    free = 0.0
    for edge, x in zip(edges, places, strict=True):
        if x - _LABEL_WIDTH / 2 >= free:
            yield text(x, y, t("unit.seconds", n=f"{edge:g}"), "m h")
            free = x + _LABEL_WIDTH / 2
