"""index.md: every set in a line of its own."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.index.cells import RowTexts
from reporting.index.lists import Frame
from reporting.index.rows import IndexRow
from reporting.pages.markdown import Markdown, md, render_markdown, table_row, table_rows
from reporting.store.set_folder import COMPARE_MD, PROBLEM_MD, REPORT_MD, link
from reporting.view.tables import table
from reporting.wording.display import NONE
from texts import Texts

_BLOCKS = "▁▂▃▄▅▆▇█"
_ROWS, _GONE = "\x1e", "\x1f"  # where the rows are put: no text has these characters once it is clean


def index_markdown(
    frame: Frame, rows: Sequence[bytes], gone: Sequence[bytes], metrics: Sequence[str], t: Texts
) -> bytes:
    """The page. rows, gone: lines of the sets, and of those whose files are gone, each ending in a line break.

    metrics: titles of their columns.
    """
    titles = [t("index-js.set"), t("index-js.state"), t("index-js.executed"), f">{t('changes.items')}"]
    titles += [f">{t('headline.pass-rate')}", f">{t('headline.answered-rate')}", frame.trend_title]
    titles += [f">{title}" for title in metrics]
    titles += [t("index-js.against"), f">{t('index-js.look-at')}"]
    head = table_rows(table(titles, []))
    page = render_markdown(
        "index.md.j2",
        t=t,
        frame=frame,
        sets=Markdown(head + _ROWS) if rows else "",
        gone=Markdown(head + _GONE) if gone else "",
    )
    chunks, rest = [], page.encode(errors="replace")
    for place, lines in ((_ROWS.encode(), rows), (_GONE.encode(), gone)):
        if lines:
            before, _, rest = rest.partition(place)
            chunks += [before, *lines]
    return b"".join([*chunks, rest])


def markdown_row(row: IndexRow, texts: RowTexts) -> bytes:
    """The line of a set."""
    name = row.entry.set_name
    target = link(name, REPORT_MD if row.is_report else PROBLEM_MD)
    against = Markdown(f"[{md(texts.baseline)}]({link(name, COMPARE_MD)})") if texts.baseline else NONE
    cells = [
        Markdown(f"[{md(texts.name)}]({target})"),
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
