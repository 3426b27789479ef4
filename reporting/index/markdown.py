"""index.md: every set in a line of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reporting.document import Markdown, Table, md, table, table_row
from reporting.index.cells import MetricCell, RowTexts
from reporting.index.rows import OPTIONAL, IndexRow
from reporting.store import COMPARE_MD, PROBLEM_MD, REPORT_MD, SUMMARY_MD, link
from reporting.wording import NONE
from texts import Texts

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
