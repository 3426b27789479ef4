"""index.md: every set in a line of its own."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.document import Markdown, Table, md, table, table_row
from reporting.index.cells import RowTexts
from reporting.index.rows import IndexRow
from reporting.store import COMPARE_MD, PROBLEM_MD, REPORT_MD, SUMMARY_MD, link
from reporting.wording import NONE
from texts import Texts

_BLOCKS = "▁▂▃▄▅▆▇█"
SETS, GONE = "\x1e", "\x1f"  # where the lines are put: no text has these characters once it is clean


def table_of_sets(trend: str, metrics: Sequence[str], t: Texts) -> Table:
    """The table without its lines. trend, metrics: titles of their columns."""
    titles = [t("index-js.set"), t("index-js.state"), t("index-js.executed"), f">{t('changes.items')}"]
    titles += [f">{t('headline.pass-rate')}", f">{t('headline.answered-rate')}", trend]
    titles += [f">{title}" for title in metrics]
    titles += [t("index-js.against"), f">{t('index-js.look-at')}"]
    return table(titles, [])


def markdown_row(row: IndexRow, texts: RowTexts) -> bytes:
    """The line of a set."""
    name, page = row.entry.set_name, REPORT_MD if row.is_report else PROBLEM_MD
    against = Markdown(f"[{md(texts.baseline)}]({link(name, COMPARE_MD)})") if texts.baseline else NONE
    cells = [
        Markdown(f"[{md(texts.name)}]({link(name, SUMMARY_MD)}), [{page}]({link(name, page)})"),
        f"{texts.state}, {texts.notes}" if texts.notes else texts.state,
        texts.executed,
        texts.n,
        texts.passed,
        texts.answered,
        _blocks(row.trend),
        *[f"{cell.sure} {cell.mark}".rstrip() for cell in texts.metrics],
        against,
        texts.look_at,
    ]
    return f"{table_row(cells)}\n".encode(errors="replace")


def _blocks(shares: Sequence[float]) -> str:
    """A sparkline in characters; "" for fewer than two."""
    if len(shares) < 2:
        return ""
    return "".join(_BLOCKS[min(int(share * len(_BLOCKS)), len(_BLOCKS) - 1)] for share in shares)
