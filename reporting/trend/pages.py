"""`trend-<profile>.html` and `trend-<profile>.csv` at the top of the folder of reports: how a profile went, run by run.

They are made from the `status.json` files alone, and show the folder as it is now.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from reporting.comparison import metric_name, value_text
from reporting.document import (
    DOT,
    SPACE,
    Block,
    Charts,
    Details,
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
    struck,
)
from reporting.document.charts import Chart
from reporting.store import COMPARE_HTML, SUMMARY_HTML, StatusFile, link
from reporting.trend.chart import changed_text, figure_chart, run_mark, run_name, run_title, shift_chart, since_text
from reporting.trend.runs import TrendRun, figure_of
from reporting.wording import NONE, between, count, measure_title
from scoring.gate import GateResult
from scoring.rubric import TOTAL
from texts import Texts

MAX_RUNS = 200  # of the page, the latest; the table for programs has all
_PROFILE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_FILE = re.compile(r"trend-(.+)\.(?:html|csv)")
_OPEN = 2  # charts that are seen at once


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
    """The latest runs in the order of their data, at most MAX_RUNS, with their rows.

    total: number of all runs. gate: of the last one, None where nothing was decided.
    """

    runs: Sequence[TrendRun]
    rows: Sequence[str]
    total: int
    gate: GateResult | None = None


def trend_text(profile: str, latest: Latest, metrics: Sequence[str], t: Texts) -> str:
    """The page: what changed with which run, a chart per metric, and the rows, the latest run first."""
    runs, title = latest.runs, t("trend.title")
    statuses = [run.status for run in runs]
    names = [metric_title(metric, statuses, t) for metric in metrics]
    table = trend_table(profile)
    facts = {
        "trend.told": True,
        "trend.dashed-told": any(run.changed for run in runs),
        "trend.marks-told": any(run_mark(run, metric) for run in runs for metric in metrics),
        "trend.damaged-told": any(status.damaged for status in statuses),
    }
    told = " ".join(t(key) for key, is_so in facts.items() if is_so)
    more = t("trend.more", n=count(latest.total - len(runs))) if len(runs) < latest.total else ""
    changed = [since for run in reversed(runs) if (since := since_text(run, t))]
    of_changes: list[Block] = [Heading(2, t("trend.changed")), Items(changed)] if changed else []
    leading_first = sorted(zip(metrics, names, strict=True), key=lambda one: one[0] != TOTAL)
    charts = [
        [figure_chart(f"trend-{at}", name, metric, runs, t, gate=latest.gate), *_shift(at, name, metric, runs, t)]
        for at, (metric, name) in enumerate(leading_first)
    ]
    titles = [t("trend.run"), t("index-js.executed"), t("changes.items"), *names]
    links = in_line([Link(t("index.title"), "index.html"), Link(table, table)], DOT)
    page = Page(
        title=f"{title} · {profile}",
        head=head(title, profile, Paragraph(links)),
        blocks=[
            Paragraph(t("trend.summary", runs=t.counted("runs", count(latest.total))), "lead"),
            Paragraph((told, *([SPACE, more] if more else [])), "muted"),
            Heading(2, t("trend.metrics")),
            Charts([chart for panels in charts[:_OPEN] for chart in panels]),
            *[Details(panels[0].title, [Charts(panels)]) for panels in charts[_OPEN:]],
            *of_changes,
            Heading(2, t("trend.runs")),
            _table(titles, "".join(reversed(latest.rows)), t),
        ],
        kind="trends",
    )
    return str(html_page(page, t))


def _shift(at: int, title: str, metric: str, runs: Sequence[TrendRun], t: Texts) -> list[Chart]:
    """The second panel of a figure, below it: how far it is from the pinned baseline; none without a pin."""
    chart = shift_chart(f"trend-{at}-pin", title, metric, runs, t)
    return [] if chart is None else [chart]


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


def metric_title(metric: str, statuses: Sequence[StatusFile], t: Texts) -> str:
    """What a figure is called; a measure as the latest of the runs that have it."""
    measure = measures_of(status.headline for status in statuses).get(metric)
    return metric_name(metric, t) if measure is None else measure_title(measure.title, measure.unit, t)


def trend_row(run: TrendRun, metrics: Sequence[str], t: Texts) -> str:
    """The row of a run as markup: its name, what changed, numbers. A phone leaves out what is `wide`."""
    headline = run.status.headline
    said = f"<small>{escape(run_title(run))}</small> " if run.info.name else ""
    if run.status.damaged:
        said += f' <small class="down">{escape(t("trend.damaged"))}</small> '
    if changed := changed_text(run, t):
        said += f" <small>{escape(t('trend.changed'))}: {escape(changed)}</small> "
    name = escape(run_name(run.name))
    wide = time_text(run.status.executed), NONE if headline is None else count(headline.n)
    figures = [figure_text(metric, run) for metric in metrics]
    cells = [f'<td class="wide">{escape(text)}</td>' for text in wide]
    cells += [_figure_cell(text, is_damaged=run.status.damaged) for text in figures]
    page, compared = link(run.name, SUMMARY_HTML), link(run.name, COMPARE_HTML)
    link_to = f'<small class="noprint"><a href="{compared}">{escape(t("nav.compare"))}</a></small>'
    compare = "" if run.is_first else link_to
    return f'<tr><td><a href="{page}">{name}</a> {said}{compare}</td>{"".join(cells)}</tr>\n'


def _figure_cell(text: str, *, is_damaged: bool) -> str:
    """A value, and its interval in brackets, which may stand below it; one that is not to be used is struck."""
    value, _, interval = text.partition(" ")
    if is_damaged and value != NONE:
        return f"<td>{struck(value)}</td>"
    return f"<td>{escape(value)}{f' <span>{escape(interval)}</span>' if interval else ''}</td>"


def time_text(executed: str) -> str:
    """An ISO time to the minute; "—" without one."""
    return executed.replace("T", " ")[:16] or NONE


def figure_text(metric: str, run: TrendRun) -> str:
    """A figure of a run with its interval."""
    figure = figure_of(run.status.headline, metric)
    value = value_text(metric, figure.value, figure.decimals)
    if figure.value is None or figure.interval is None:
        return value
    low, high = (value_text(metric, end, figure.decimals) for end in figure.interval)
    return f"{value} ({between(low, high)})"
