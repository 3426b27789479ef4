"""The charts of response times: per latency class its tracks as histograms against the edges of the bands."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from reporting.charts.svg import WIDTH, Chart, boxes, file_stem, line, rect, text, triangle
from reporting.view.metrics import shown_groups
from reporting.wording.catalogue import Texts
from reporting.wording.display import count, seconds
from reporting.wording.names import class_name, track_name
from scoring.results.model import Seconds, SetResult
from scoring.results.rounds import group_key
from scoring.rubric.model import ALL, LatencyClass

BINS = 60
BEYOND = 1.25  # the axis ends at this multiple of the last edge; what took longer stands in the last column
_LABEL_WIDTH = 24.0
_ROW = 60.0
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


def _seconds_by_group(result: SetResult) -> dict[tuple[str, str], list[float]]:
    """Seconds by (latency class, key of the track)."""
    found: defaultdict[tuple[str, int | None], list[float]] = defaultdict(list)
    if result.rubric.classes is None:
        for item in result.items:
            if item.seconds is not None:
                found["", item.track].append(item.seconds)
        named = [((result.rubric.latency_class(track).name, track), values) for (_, track), values in found.items()]
    else:
        for item in result.items:
            if item.seconds is not None and item.details is not None:
                found[item.details.latency_class, item.track].append(item.seconds)
        named = list(found.items())
    if shown_groups(result):
        return {(name, group_key(track)): values for (name, track), values in named}
    together: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (name, _), values in named:
        together[name, ALL] += values
    return together


def _chart(entry: LatencyClass, rows: Sequence[tuple[str, list[float], Seconds]], t: Texts) -> Chart:
    edges = sorted({edge for edge in entry.bands.edges if edge > 0})
    limit = edges[-1] * BEYOND
    places = [WIDTH * edge / limit for edge in edges]
    top, bottom = 18.0, 18.0 + _ROW * len(rows)
    bounds = [0.0, *places, float(WIDTH)]
    pieces = list(_points(entry, bounds, t))
    told = []
    for at, (name, values, figures) in enumerate(rows):
        start, end = top + _ROW * at, top + _ROW * (at + 1)
        told.append(_told(name, figures, t))
        pieces.append(text(0, start + 12, told[-1], "s"))
        pieces += [rect(x, start + 17, to_x - x, _ROW - 17, "p") for x, to_x in _every_other(bounds)]
        pieces += [line(x, start + 17, x, end, "g d") for x in places]
        pieces += _histogram(values, figures.mean, limit, end - 8)
    pieces += _axis(edges, places, bottom + 13, t)
    edge_texts = ", ".join(f"{edge:g}" for edge in edges)
    return Chart(
        name=f"latency-{file_stem(entry.name)}",
        title=t("chart.latency", class_name=class_name(entry)),
        description="; ".join([*told, t("chart.latency.edges", edges=edge_texts)]),
        height=bottom + 34,
        body="".join([*pieces, text(0, bottom + 30, t("chart.latency.legend"), "s m")]),
    )


def _told(name: str, figures: Seconds, t: Texts) -> str:
    told = t(
        "chart.latency.row",
        track=name,
        items=t.counted("items", count(figures.n)),
        mean=seconds(figures.mean),
        p50=seconds(figures.p50),
        p95=seconds(figures.p95),
    )
    return told + t("chart.latency.missing", n=count(figures.missing)) if figures.missing else told


def _every_other(places: Sequence[float]) -> Iterator[tuple[float, float]]:
    yield from list(pairwise(places))[::2]


def _points(entry: LatencyClass, places: Sequence[float], t: Texts) -> Iterator[str]:
    """The points of each band above it; bands too narrow for a label, and those of a single value, have none."""
    edges = entry.bands.edges
    if len(places) != len(edges) + 2:
        return
    for x, to_x, given in zip(places, places[1:], entry.bands.points, strict=False):
        if to_x - x >= _LABEL_WIDTH:
            yield text((x + to_x) / 2, 12, t("unit.points", n=f"{given:g}"), "s m h")


def _histogram(values: Sequence[float], mean: float | None, limit: float, bottom: float) -> Iterator[str]:
    """Columns of items per step of seconds; a time on an edge stands left of it, where its points are."""
    per_second = BINS / limit
    counted = Counter([ceil(value * per_second) for value in values])
    heights = [0] * BINS
    for at, n in counted.items():
        heights[min(max(at - 1, 0), BINS - 1)] += n
    most = max(heights)
    yield boxes(0, bottom, WIDTH / BINS, [n and max(_BAR * n / most, 1.5) for n in heights], "c1")
    if mean is not None:
        yield triangle(min(mean / limit, 1) * WIDTH, bottom)


def _axis(edges: Sequence[float], places: Sequence[float], y: float, t: Texts) -> Iterator[str]:
    """The edges in seconds, those left out that would touch the one before."""
    free = 0.0
    for edge, x in zip(edges, places, strict=True):
        if x - _LABEL_WIDTH / 2 >= free:
            yield text(x, y, t("unit.seconds", n=f"{edge:g}"), "s m h")
            free = x + _LABEL_WIDTH / 2
