"""The page of the index: the board, the rows of all sets, and the sets that are listed apart.

index.md has every set in a line of its own.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from reporting.document import (
    BLANK,
    Block,
    Coded,
    Heading,
    Items,
    Link,
    Markdown,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Table,
    Text,
    html,
    md,
    table,
    table_row,
    table_rows,
)
from reporting.index.board import MAX_LISTED, Card, ToDo, card_blocks, to_do_blocks
from reporting.index.cells import MetricCell, RowTexts, column_titles, set_title
from reporting.index.html import PageRows, first_rows, rows_data
from reporting.index.rows import OPTIONAL, IndexRow, Rows
from reporting.store import COMPARE_MD, PROBLEM_MD, REPORT_MD, SUMMARY_HTML, SUMMARY_MD, link
from reporting.wording import NONE, count
from texts import Texts


class Marks(NamedTuple):
    """Where the lines of the sets and of those whose files are gone are put; "" where there are none."""

    sets: str
    gone: str


def index_page(
    rows: Rows, cards: Sequence[Card], drawn: PageRows, marks: Marks, *, trends: Sequence[str], todo: ToDo, t: Texts
) -> Page:
    """index.md, whose lines are put in later, and index.html. trends: profiles that have a page."""
    metrics = column_titles(rows, t)
    table = table_rows(table_of_sets(metrics, rows.columns, t))
    sets: list[Block] = [Markdown(table + marks.sets), Paragraph(t("index.compared"))] if marks.sets else []
    return Page(
        title=t("index.title"),
        head=[
            OnlyMarkdown([Heading(1, t("index.title"))]),
            html('<header class="head"><h1 class="top">{}</h1></header>\n', t("index.title")),
        ],
        blocks=[
            Paragraph(_summary(*rows.counts(), t), "lead"),
            *card_blocks(cards, trends, t),
            *to_do_blocks(rows, todo, t),
            Heading(2, t("index.sets")),
            first_rows(drawn, metrics, rows.columns, t),
            OnlyMarkdown(sets),
            *_gone(rows, table + marks.gone, t),
        ],
        script="index.js",
        data=rows_data(drawn, metrics, rows, t),
    )


def _gone(rows: Rows, lines: str, t: Texts) -> list[Block]:
    """The sets whose files are gone: in Markdown all of them, in HTML the first."""
    gone, title = sorted(rows.gone), t("index.gone")
    if not gone:
        return []
    links: list[Text] = []
    for row in map(rows.row, gone[:MAX_LISTED]):
        page = link(row.entry.set_name, SUMMARY_HTML)
        links.append(html('<a href="{}">{}</a>', page, set_title(row.entry.set_name)))
    if len(gone) > MAX_LISTED:
        more = t("quality.more-files", n=count(len(gone) - MAX_LISTED))
        links.append((more, Markdown(" ("), Link("index.md", "index.md"), Markdown(")")))
    told = Paragraph(Coded(t("index.gone-told")))
    return [
        OnlyMarkdown([Heading(2, title), told, Markdown(lines), BLANK]),
        OnlyHtml([Heading(2, f"{title} ({count(len(gone))})"), told, Items(links)]),
    ]


def _summary(total: int, reports: int, t: Texts) -> str:
    """How many sets there are, without those that are listed apart."""
    text = t("index.summary", sets=t.counted("sets", count(total)), reports=t.counted("reports", count(reports)))
    return text + t("index.refused", n=count(total - reports)) if reports < total else text


SETS, GONE = "\x1e", "\x1f"  # where the lines are put: no text has these characters once it is clean


def table_of_sets(metrics: Sequence[str], columns: Collection[str], t: Texts) -> Table:
    """The table without its lines. metrics: titles of their columns. columns: of `Rows`."""
    titles = {
        "set": t("index-js.set"),
        "state": t("index-js.state"),
        "executed": t("index-js.executed"),
        "n": f">{t('changes.items')}",
        "passed": f">{t('headline.pass-rate')}",
        "answered": f">{t('headline.answered-rate')}",
        **{f"metric {at}": f">{title}" for at, title in enumerate(metrics)},
        "against": t("index-js.against"),
        "look-at": f">{t('index-js.look-at')}",
    }
    return table([title for name, title in titles.items() if name in columns or name not in OPTIONAL], [])


def markdown_row(row: IndexRow, texts: RowTexts, columns: Collection[str]) -> bytes:
    """The line of a set. columns: of `Rows`."""
    name, page = row.entry.set_name, REPORT_MD if row.is_report else PROBLEM_MD
    compared = f"{md(texts.baseline)}, [{COMPARE_MD}]({link(name, COMPARE_MD)})"
    against = Markdown(compared) if texts.baseline else NONE
    cells = {
        "set": Markdown(f"[{md(texts.name)}]({link(name, SUMMARY_MD)}), [{page}]({link(name, page)})"),
        "state": f"{texts.state}, {texts.notes}" if texts.notes else texts.state,
        "executed": texts.executed,
        "n": texts.n,
        "passed": _marked(texts.passed),
        "answered": _marked(texts.answered),
        **{f"metric {at}": _marked(cell) for at, cell in enumerate(texts.metrics)},
        "against": against,
        "look-at": texts.look_at,
    }
    shown = [cell for place, cell in cells.items() if place in columns or place not in OPTIONAL]
    return f"{table_row(shown)}\n".encode(errors="replace")


def _marked(cell: MetricCell) -> str:
    return f"{cell.sure} {cell.mark}".rstrip()
