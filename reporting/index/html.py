"""index.html: the first rows as markup, which is all that a page without a script shows, and all rows as data.

index.js draws the rows of the other pages, and those that a search or an order leaves, as `html_row` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor
from typing import NamedTuple

from reporting.data.items_in_html import script_json
from reporting.index.cells import (
    NAME_CHARS,
    MetricCell,
    RowTexts,
    column_titles,
    differences,
    leading_column,
    row_texts,
)
from reporting.index.lists import Frame
from reporting.index.packed import MARKS, packed_texts
from reporting.index.rows import IndexRow, Rows
from reporting.pages.html import render
from reporting.store.set_folder import COMPARE_HTML, PROBLEM_HTML, REPORT_HTML, link
from reporting.view.headline import leading_metrics
from reporting.wording.display import NONE, excerpt, percent
from reporting.wording.names import metric_word
from texts import Texts

FIRST_ROWS = 100  # of a page; index.js has the same
_BREAKS = frozenset("-_./")
_WORST_FIRST = ("▼", "≠", "▲", "↕", "–", "=")
_KINDS = {"▲": ' class="up"', "▼": ' class="down"'}
_ROWS, _DATA = "\x1e", "\x1f"  # where they are put: no text has these characters once it is clean


class Title(NamedTuple):
    """The head of a column. kind: classes of its cells."""

    text: str
    kind: str


class PageRows(NamedTuple):
    """first: markup of the first rows. data: of all. told: texts of the problems by key."""

    first: Sequence[str]
    data: Sequence[bytes]
    told: Mapping[str, str]


def index_html(frame: Frame, drawn: PageRows, rows: Rows, t: Texts) -> bytes:
    """The page."""
    metrics = column_titles(rows, t)
    data = {
        "metrics": metrics,
        "leading": len(leading_metrics(rows.metrics)),
        "profiles": [excerpt(profile, NAME_CHARS) for profile in rows.profiles],
        "told": dict(sorted(drawn.told.items())),
        "texts": t.starting("index-js."),
        **packed_texts(t),
        "rows": [_DATA],
    }
    page = render(
        "index.html.j2",
        t,
        script="index.js",
        data=script_json(data).replace(script_json(_DATA), _DATA),
        frame=frame,
        titles=titles(frame, metrics, t),
        rows=_ROWS,
        first_rows=str(FIRST_ROWS),
    )
    before, _, after = page.encode(errors="replace").partition(_ROWS.encode())
    between, _, end = after.partition(_DATA.encode())
    return b"".join([before, "".join(drawn.first).encode(errors="replace"), between, b",\n".join(drawn.data), end])


def titles(frame: Frame, metrics: Sequence[str], t: Texts) -> list[Title]:
    """The columns. metrics: their titles. On a phone those of the class `wide` give way to the `narrow` one."""
    names = [(t("index-js.items"), "r"), (t("index-js.passed"), "r"), (t("index-js.answered"), "r")]
    names += [(frame.trend_title, ""), *((title, "r") for title in metrics), (t("index-js.against"), "")]
    wide = [(t("index-js.state"), ""), (t("index-js.executed"), ""), *names]
    return [
        Title(t("index-js.set"), ""),
        Title(t("index-js.lead"), "narrow"),
        *(Title(text, f"{kind} wide".strip()) for text, kind in wide),
        Title(t("index-js.look-at"), "r"),
    ]


def html_row(row: IndexRow, metrics: Sequence[str], t: Texts) -> str:
    """A row as markup."""
    texts = row_texts(row, metrics, t)
    page = REPORT_HTML if row.is_report else PROBLEM_HTML
    name = f'<a class="name" href="{link(row.entry.set_name, page)}">{_parts(texts.name)}</a>'
    notes = f"<small>{escape(texts.notes)}</small>" if texts.notes else ""
    look_at = f'<td class="r">{escape(texts.look_at)}</td>'
    if row.entry.status.headline is None:
        told = f'<div class="told">{name} · {texts.state}{notes}<span class="why">{escape(texts.problem)}</span></div>'
        wide = f'<td class="wide" colspan="{len(metrics) + 8}">{told}</td>'
        return f'<tr class="bad">{wide}<td class="narrow" colspan="2">{told}</td>{look_at}</tr>\n'
    against = link(row.entry.set_name, COMPARE_HTML)
    baseline = f'<a href="{against}">{_parts(texts.baseline)}</a>' if texts.baseline else NONE
    when = escape(", ".join(filter(None, (texts.notes, texts.executed))))
    cells = [
        f'<td>{name}<small class="narrow">{when}</small></td>',
        f'<td class="narrow">{_lead(row, texts, metrics, t)}</td>',
        f'<td class="n wide">{texts.state}{notes}</td>',
        f'<td class="n wide">{escape(texts.executed)}</td>',
        *[f'<td class="r wide">{text}</td>' for text in (texts.n, texts.passed, texts.answered)],
        f'<td class="wide">{_spark(row.trend, t)}</td>',
        *[_metric(cell, against, _unlike(row, t), t) for cell in texts.metrics],
        f'<td class="against wide">{baseline}</td>',
        look_at,
    ]
    return f"<tr>{''.join(cells)}</tr>\n"


def _parts(name: str) -> str:
    """A long name breaks after its `_`, `-`, `.` and `/`, not within a word."""
    pieces = []
    start = 0
    for at, character in enumerate(name[:-1]):
        if character in _BREAKS:
            pieces.append(escape(name[start : at + 1]))
            start = at + 1
    return "<wbr>".join([*pieces, escape(name[start:])])


def _lead(row: IndexRow, texts: RowTexts, metrics: Sequence[str], t: Texts) -> str:
    """The figure that leads and the verdict, for a page that is too narrow for the columns."""
    leading = leading_column(row, metrics)
    headline = row.entry.status.headline
    assert headline is not None
    if headline.passed is not None:
        share = texts.passed, t("index-js.passed")
    else:
        share = texts.answered, t("index-js.answered")
    figures = [share] if leading is None else [(texts.metrics[leading].value, metric_word(metrics[leading], t)), share]
    pieces = [f"<b>{escape(value)}</b><small>{escape(title)}</small>" for value, title in figures]
    mark = next((mark for mark in _WORST_FIRST if any(cell.mark == mark for cell in texts.metrics)), "")
    if mark:
        pieces.append(f"<small{_KINDS.get(mark, '')}>{mark} {escape(t(f'index.mark-{MARKS[mark]}'))}</small>")
    return "".join(pieces)


def _unlike(row: IndexRow, t: Texts) -> str:
    """What else differs from the baseline; "" where like is compared with like."""
    return ", ".join(t(f"trend.changed.{kind.value}") for kind in differences(row.compared))


def _metric(cell: MetricCell, against: str, unlike: str, t: Texts) -> str:
    title = f' title="{escape(t("index-js.interval", interval=cell.interval))}"' if cell.interval else ""
    mark = ""
    if cell.mark:
        verdict = t(f"index.mark-{MARKS[cell.mark]}")
        told = escape(f"{verdict}: {unlike}" if unlike else verdict)
        mark = f'<small{_KINDS.get(cell.mark, "")}><a href="{against}" title="{told}">{cell.mark}</a></small>'
    return f'<td class="r wide"{title}>{cell.value}{mark}</td>'


def _spark(shares: Sequence[float], t: Texts) -> str:
    """A line of shares; "" for fewer than two."""
    if len(shares) < 2:
        return ""
    step = 90 / (len(shares) - 1)
    points = [(_tenths(3 + at * step), _tenths(21 - 18 * share)) for at, share in enumerate(shares)]
    rates = ", ".join(percent(share, 1) for share in shares)
    line = "L".join(f"{x} {y}" for x, y in points)
    x, y = points[-1]
    return (
        f'<svg class="spark" viewBox="0 0 96 24" role="img"><title>{escape(t("index-js.trend-profile", rates=rates))}'
        f'</title><path d="M{line}"></path><circle cx="{x}" cy="{y}" r="3"></circle></svg>'
    )


def _tenths(value: float) -> str:
    """Rounded as index.js does."""
    return f"{floor(value * 10 + 0.5) / 10:.1f}"
