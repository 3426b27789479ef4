"""`trend-<profile>.html` and `trend-<profile>.csv` at the top of the folder of reports: how a profile went, run by run.

They are made from the `status.json` files alone, and show the folder as it is now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from reporting.comparison import metric_name, value_text
from reporting.document import (
    DOT,
    SPACE,
    Block,
    Charts,
    Heading,
    Html,
    Items,
    Link,
    Page,
    Paragraph,
    head,
    html,
    html_page,
    in_line,
    measures_of,
)
from reporting.document.charts import WIDTH, Chart, Drawing, curve, line, polyline, text
from reporting.store import COMPARE_HTML, REPORT_HTML, link
from reporting.trend.runs import Figure, TrendRun, figure_of
from reporting.wording import NONE, between, count, excerpt, measure_title
from scoring.comparison import SHARES, Difference
from scoring.rubric import RUBRICS, SHARE, USUAL_SCALE, Scale, is_measure
from scoring.sets import shown
from scoring.statistics import Interval
from texts import Texts

MAX_RUNS = 200  # of the page, the latest; the table for programs has all
NAME_CHARS = 60
_PROFILE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_FILE = re.compile(r"trend-(.+)\.(?:html|csv)")
_LEFT, _RIGHT, _HEIGHT = 52.0, 344.0, 48.0
_MOST_WHISKERS = 30


def has_trend(profile: str) -> bool:
    """Is it the name of a profile? A status file that was tampered with may have any."""
    return _PROFILE.fullmatch(profile) is not None


def is_trend(file_name: str) -> bool:
    """Is it the name of a file of a trend?"""
    named = _FILE.fullmatch(file_name) if file_name.startswith("trend-") else None
    return named is not None and has_trend(named[1])


def trend_page(profile: str) -> str:
    """Name of the page of a profile, relative to the folder of reports."""
    return f"trend-{profile}.html"


def trend_table(profile: str) -> str:
    """Name of its table."""
    return f"trend-{profile}.csv"


class Latest(NamedTuple):
    """The latest runs in the order of their data, at most MAX_RUNS, with their rows; total: number of all runs."""

    runs: Sequence[TrendRun]
    rows: Sequence[str]
    total: int


def trend_text(profile: str, latest: Latest, metrics: Sequence[str], t: Texts) -> str:
    """The page: what changed with which run, a chart per metric, and the rows, the latest run first."""
    runs, names, title = latest.runs, _names(latest.runs, metrics, t), t("trend.title")
    table = trend_table(profile)
    more = t("trend.more", n=count(latest.total - len(runs))) if len(runs) < latest.total else ""
    changed = [
        t("trend.since", name=_name(run.name), what=_changed_text(run.changed, t))
        for run in reversed(runs)
        if run.changed
    ]
    of_changes: list[Block] = [Heading(2, t("trend.changed")), Items(changed)] if changed else []
    charts = [_chart(at, metric, name, runs, t) for at, (metric, name) in enumerate(zip(metrics, names, strict=True))]
    titles = [t("trend.run"), t("index-js.executed"), t("changes.items"), *names, t("trend.changed")]
    links = in_line([Link(t("index.title"), "index.html"), Link(table, table)], DOT)
    page = Page(
        title=f"{title} · {profile}",
        head=head(title, profile, Paragraph(links)),
        blocks=[
            Paragraph(t("trend.summary", n=count(latest.total)), "lead"),
            Paragraph((t("trend.told"), *([SPACE, more] if more else [])), "muted"),
            *of_changes,
            Heading(2, t("trend.metrics")),
            Charts(charts),
            Heading(2, t("trend.runs")),
            _table(titles, "".join(reversed(latest.rows)), t),
        ],
    )
    return str(html_page(page, t))


def _table(titles: Sequence[str], rows: str, t: Texts) -> Html:
    """rows: markup. A phone leaves out what is `wide`."""
    kinds = ["", ' class="wide"', ' class="wide"', *[""] * len(titles)]
    heads = [html('<th scope="col"{}>{}</th>', Html(kind), title) for kind, title in zip(kinds, titles, strict=False)]
    return html(
        '<div class="scroll" role="group" aria-label="{}"><table class="trend"><thead><tr>{}</tr></thead><tbody>\n'
        "{}</tbody></table></div>\n",
        t("trend.runs"),
        Html("".join(heads)),
        Html(rows),
    )


def _names(runs: Sequence[TrendRun], metrics: Sequence[str], t: Texts) -> list[str]:
    """What the metrics are called; a measure as the latest run has it."""
    measures = measures_of(run.status.headline for run in runs)
    return [
        measure_title(measures[metric].title, measures[metric].unit, t)
        if metric in measures
        else metric_name(metric, t)
        for metric in metrics
    ]


def trend_row(run: TrendRun, metrics: Sequence[str], t: Texts) -> str:
    """The row of a run as markup: its name, numbers, what changed. A phone leaves out what is `wide`."""
    headline = run.status.headline
    name = escape(_name(run.name))
    wide = time_text(run.status.executed), NONE if headline is None else count(headline.n)
    figures = [_figure_text(metric, figure_of(headline, metric)) for metric in metrics]
    cells = [f'<td class="wide">{escape(text)}</td>' for text in wide]
    cells += [f"<td>{escape(text)}</td>" for text in (*figures, _changed_text(run.changed, t))]
    report, compared = link(run.name, REPORT_HTML), link(run.name, COMPARE_HTML)
    compare = f'<small class="noprint"><a href="{compared}">{escape(t("nav.compare"))}</a></small>'
    return f'<tr><td><a href="{report}">{name}</a> {compare}</td>{"".join(cells)}</tr>\n'


def _name(set_name: str) -> str:
    return excerpt(shown(set_name), NAME_CHARS)


def time_text(executed: str) -> str:
    """An ISO time to the minute; "—" without one."""
    return executed.replace("T", " ")[:16] or NONE


def _figure_text(metric: str, figure: Figure) -> str:
    value = value_text(metric, figure.value, figure.decimals)
    if figure.value is None or figure.interval is None:
        return value
    low, high = (value_text(metric, end, figure.decimals) for end in figure.interval)
    return f"{value} ({between(low, high)})"


def _changed_text(changed: Iterable[Difference], t: Texts) -> str:
    return ", ".join(t(f"trend.changed.{kind}") for kind in changed)


def _chart(at: int, metric: str, name: str, runs: Sequence[TrendRun], t: Texts) -> Chart:
    """The runs from left to right; an upright line where rubric, engine, judge or questions changed."""
    figures = [figure_of(run.status.headline, metric) for run in runs]
    scale = _scale(metric, figures, runs)
    drawing = Drawing()
    y = drawing.y + 4
    step = (_RIGHT - _LEFT) / max(len(runs) - 1, 1)
    known = [figure for figure in figures if figure.value is not None]
    values = [figure.value for figure in figures]
    ends = [figure.interval for figure in figures]
    turns = [_LEFT + place * step for place, run in enumerate(runs) if run.changed]
    drawing.pieces += [line(x, y, x, y + _HEIGHT, "g d") for x in turns]
    drawing.pieces += _curve(values, ends, scale, y)
    if known:
        first, last = (value_text(metric, figure.value, figure.decimals) for figure in (known[0], known[-1]))
        drawing.pieces += [
            text(_LEFT - 6, y + _HEIGHT / 2 + 4, first, "m e"),
            text(WIDTH, y + _HEIGHT / 2 + 4, last, "b e"),
        ]
        drawing.sentences.append(t("trend.chart", first=first, last=last, n=count(len(known))))
    drawing.y = y + _HEIGHT + 8
    return drawing.chart(f"trend-{at}", name)


def _scale(metric: str, figures: Sequence[Figure], runs: Sequence[TrendRun]) -> Scale:
    """The ends of a chart: of points the widest of the runs; those of a measure hold its intervals, and 0."""
    if metric == RUBRICS or metric in SHARES:
        return SHARE
    if not is_measure(metric):
        scales = [run.status.headline.points for run in runs if run.status.headline is not None] or [USUAL_SCALE]
        return Scale(min(scale.lowest for scale in scales), max(scale.highest for scale in scales))
    shown = [figure.value for figure in figures if figure.value is not None]
    shown += [end for figure in figures for end in figure.interval or ()]
    lowest, highest = min([0.0, *shown]), max([0.0, *shown])
    return Scale(lowest, highest if highest > lowest else lowest + 1)


def _curve(values: Sequence[float | None], intervals: Sequence[Interval | None], scale: Scale, y: float) -> list[str]:
    """Few values as marks with whiskers, many as a line in a band."""
    if len(values) <= _MOST_WHISKERS:
        return curve(values, scale, y, left=_LEFT, right=_RIGHT, height=_HEIGHT, intervals=intervals)
    step = (_RIGHT - _LEFT) / (len(values) - 1)

    def point(at: int, value: float) -> tuple[float, float]:
        return _LEFT + at * step, y + _HEIGHT * (1 - min(max((value - scale.lowest) / scale.length, 0.0), 1.0))

    ends = [(at, interval) for at, interval in enumerate(intervals) if interval is not None]
    band = [point(at, interval.low) for at, interval in ends] + [point(at, one.high) for at, one in reversed(ends)]
    known = [point(at, value) for at, value in enumerate(values) if value is not None]
    frame = [line(_LEFT, y, _RIGHT, y), line(_LEFT, y + _HEIGHT, _RIGHT, y + _HEIGHT)]
    return [polyline(band, "p"), *frame, polyline(known, "o l1")]
