"""HTML pages: a template environment that escapes by itself, and a content policy that allows no request.

Style and script are inline and allowed by their hash; the only addresses in a page are relative links to our own files.
So a page is the same from a disk, a share or a mail, and text from a file can do nothing in it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from reporting.charts.svg import CHART_CSS, DARK, FONT, LIGHT, Chart
from reporting.wording.display import count
from reporting.wording.links import Linked, pieces_of
from scoring.text import Memo
from texts import Texts, texts

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

    from reporting.data.items_in_html import ItemData
    from reporting.view.metrics import Block
    from reporting.view.report import ReportView
    from reporting.view.tables import Table

SHORT_CHARS = 16
LONG_CHARS = 32
# The pieces of a page's script, which share the names that they declare: what is used comes first.
_SCRIPTS = {
    "": (),
    "compare.js": ("page.js", "address.js", "compare.js"),
    "report.js": ("page.js", "words.js", "copying.js", "address.js", "items.js", "panel.js", "report.js"),
}
_DATA = '<script type="application/json" id="data">'  # of a report: what its items come after
_BETWEEN = "\x1f"  # in no cell, since they are clean
_LIGHT_MORE = ";--link:#0a58ca;--edge:#8c959f;--good:#006b4f;--bad:#b34700;--warn:#fff3cd"
_DARK_MORE = ";--link:#79b8ff;--edge:#6e7681;--good:#4fd1a5;--bad:#ff9a5c;--warn:#4d3d00"


class Tile(NamedTuple):
    """One headline figure. note: the small print below it."""

    title: str
    score: str
    note: str


class Pieces(tuple[bytes, ...]):
    """A page in pieces, so that data within it is not decoded and encoded again. As a text: the whole page."""

    __slots__ = ()

    def __str__(self) -> str:
        return b"".join(self).decode()


def render_report_html(
    view: ReportView, *, tiles: Sequence[Tile], drawn: Sequence[Chart], items: ItemData, t: Texts
) -> Pieces:
    """report.html of a set."""
    page = render("report.html.j2", t, script="report.js", view=view, tiles=tiles, drawn=drawn, items=items)
    before, opening, after = page.partition(_DATA)  # quotes of texts are escaped, so there is one
    return Pieces([(before + opening).encode(), items.json, after.encode()])


def render(template: str, t: Texts, *, script: str = "", **values: object) -> str:
    """A page from a template. script: name of the file that the page runs besides `frame.js`, "" for none."""
    frame = _frame(script)
    return (
        environment(t.language)
        .get_template(template)
        .render(t=t, policy=frame.policy, style=frame.style, script=frame.script, **values)
    )


def html_table(table: Table, label: str) -> Markup:
    """A table that scrolls by itself on a narrow page. label: its name for screen readers."""
    return _markup(_table(table, label))


def _table(table: Table, label: str) -> str:
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.right)
    kinds = [' class="r"' if right else _kind(cells) for right, cells in zip(table.right, columns, strict=True)]
    titles = [
        f'<th scope="col"{kind}>{_escaped[title]}</th>' if title else "<td></td>"
        for kind, title in zip(kinds, table.titles, strict=True)
    ]
    row = f"<tr>{''.join([f'<td{kind}>%s</td>' for kind in kinds])}</tr>\n"
    rows = row * len(table.rows) % tuple(_drawn_each(list(chain.from_iterable(table.rows))))
    return (
        f'<div class="scroll" role="group" aria-label="{_escaped[label]}"><table><thead><tr>'
        f"{''.join(titles)}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _drawn_each(cells: Sequence[str]) -> list[str]:
    """Cells as markup, with the links that they have."""
    drawn = _escape_each(cells)
    for at, cell in enumerate(cells):
        if type(cell) is Linked:
            drawn[at] = _linked(cell)
    return drawn


def _linked(text: str) -> str:
    """A text with its links as markup. Their targets are quoted by `reporting.wording.links`."""
    return "".join(
        [
            f'<a href="{escape(piece.href)}">{escape(piece.text)}</a>' if piece.href else escape(piece.text)
            for piece in pieces_of(text)
        ]
    )


def _escape_each(cells: Sequence[str]) -> list[str]:
    """`escape` of each, all at once."""
    escaped = escape(_BETWEEN.join(cells)).split(_BETWEEN)
    return escaped if len(escaped) == len(cells) else list(map(escape, cells))  # no cells, or one with the separator


def _listing(t: Texts, table: Table, label: str) -> str:
    """A table and how many rows it leaves out; one word when there is nothing to list."""
    if not table.rows:
        return f"<p>{_escaped[t('none')]}</p>\n"
    if not table.more:
        return f"{_table(table, label)}\n"
    more = _escaped[t("table.more", n=table.more_text)]
    return f'{_table(table, label)}\n<p class="muted">{more} <a href="items.csv">items.csv</a></p>\n'


def _piece(t: Texts, block: Block, label: str) -> str:
    """A piece of a section. label: what its table is called when it has no heading."""
    heading = f"<h4>{_escaped[block.heading]}</h4>\n" if block.heading else ""
    text = f"<p>{_linked(block.text)}</p>\n" if block.text else ""
    listing = f"{_listing(t, block.table, block.heading or label)}\n" if block.table else ""
    return f"{heading}{text}{listing}"


def _markup(page_part: str) -> Markup:
    """What was put together from escaped text, for a template."""
    from markupsafe import Markup

    return Markup(page_part)  # noqa: S704 - every piece of text was escaped before


def _kind(cells: Sequence[str]) -> str:
    """Class of a column of texts: short enough to stay on its line, or long enough to need room."""
    longest = max(map(len, cells), default=0)
    return ' class="n"' if longest <= SHORT_CHARS else ' class="q"' if longest >= LONG_CHARS else ""


_escaped = Memo(escape, limit=4096)  # titles repeat


class _Frame(NamedTuple):
    """What surrounds every page: its policy, style and script."""

    policy: str
    style: str
    script: str


@cache
def _frame(script_name: str) -> _Frame:
    style = (
        f":root{{{LIGHT}{_LIGHT_MORE};--font:{FONT}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{DARK}{_DARK_MORE}}}}}\n"
        f"{CHART_CSS}\n{_template_text('page.css')}"
    )
    script = "".join(map(_template_text, ("frame.js", *_SCRIPTS.get(script_name, ("page.js", script_name)))))
    policy = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return _Frame("; ".join(f"{name} {value}" for name, value in policy.items()), style, script)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _template_text(name: str) -> str:
    return (files("reporting.pages") / "templates" / name).read_text(encoding="utf-8")


@cache
def environment(language: str) -> jinja2.Environment:
    """The environment of HTML pages in a language. Jinja2 is imported with the first page, not before."""
    from reporting.pages.templating import template_environment

    t = texts(language)
    filters = {
        "rows": html_table,
        "linked": lambda text: _markup(_linked(text)),
        "listing": lambda table, label: _markup(_listing(t, table, label)),
        "piece": lambda block, label: _markup(_piece(t, block, label)),
        "thousands": count,
        "href": _href,
    }
    return template_environment(__file__, filters, language=language, autoescape=True)


def _href(path: str) -> str:
    """A relative path of our own making as a link target."""
    return quote(path, safe="/-_.")
