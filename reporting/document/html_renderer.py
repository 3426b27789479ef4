"""Blocks as HTML: every text is escaped, except one of the type `Html`; and a content policy that allows no request.

Style and script are inline and allowed by their hash; the only addresses in a page are relative links to our own files.
So a page is the same from a disk, a share or a mail, and text from a file can do nothing in it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain
from string import Template
from typing import Any, NamedTuple

from reporting.document.blocks import (
    Block,
    Charts,
    Checks,
    Coded,
    Details,
    Each,
    Heading,
    Html,
    Item,
    Items,
    Link,
    Markdown,
    Near,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Section,
    Strong,
    Text,
    titled,
)
from reporting.document.charts import CHART_CSS, DARK, FONT, LIGHT, Chart
from reporting.document.tables import Table
from reporting.wording import Linked, pieces_of
from scoring import Memo
from texts import Texts

DATA_START, DATA_END = b'<script type="application/json" id="data">', b"</script>\n"  # around the data of a page
SHORT_CHARS = 16
LONG_CHARS = 32
# The pieces of a page's script, which share the names that they declare: what is used comes first.
_SCRIPTS = {
    "": (),
    "summary.js": ("page.js", "copying.js", "summary.js"),
    "known.js": ("page.js", "copying.js", "summary.js", "known.js"),
    "bench.js": ("page.js", "words.js", "copying.js", "address.js", "items.js", "disagree.js", "pane.js", "bench.js"),
}
_SCRIPTS["ranking.js"] = (*_SCRIPTS["bench.js"][:-1], "ranking.js", "bench.js")
_STYLES = {  # of pages with a style of their own
    "summary.js": ("page.css", "summary.css"),
    "known.js": ("page.css", "summary.css"),
    "bench.js": ("page.css", "bench.css"),
    "ranking.js": ("page.css", "bench.css", "ranking.css"),
}
_FOR_PEOPLE = re.compile(r"(?m)^ *//.*\n|^ +")  # indentation, and lines of comment: what a page need not carry
_HYPHENED = re.compile(  # markup, or a word of up to five short pieces with a digit in it
    r"<[^>]*>|(?<![\w.–-])((?=[\w.–-]*\d)[\w.]{1,12}(?:[–-][\w.]{0,11}\w){1,4}%?)(?![\w–-])"
)
_BETWEEN = "\x1f"  # in no cell, since they are clean
_LIGHT_MORE = ";--link:#0a58ca;--edge:#8c959f;--good:#006b4f;--bad:#b34700;--warn:#fff3cd"
_DARK_MORE = ";--link:#79b8ff;--edge:#6e7681;--good:#4fd1a5;--bad:#ff9a5c;--warn:#4d3d00"


class Pieces(tuple[bytes, ...]):
    """A page in pieces, so that data within it is not decoded and encoded again. As bytes or a text: the whole page."""

    __slots__ = ()

    def __bytes__(self) -> bytes:
        return b"".join(self)

    def __str__(self) -> str:
        return bytes(self).decode()


def html_page(page: Page, t: Texts) -> Pieces:
    """The whole page."""
    frame = _frame(page.script)
    opening = (
        f'<!DOCTYPE html>\n<html lang="{t.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_escape(frame.policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{_escape(page.title)}</title>\n<style>"
    )
    blocks = [
        f'</style>\n</head>\n<body>\n<a class="skip noprint" href="#main">{_escape(t("nav.skip"))}</a>\n',
        *map(_drawn, page.skips),
        *map(_drawn, page.head),
        f'<main id="main"{_class(page.kind)}>\n',
        *map(_drawn, page.blocks),
        "</main>\n",
    ]
    data = () if page.data is None else (DATA_START, page.data, DATA_END)
    texts = [text.encode(errors="replace") for text in (opening, "".join(blocks))]
    return Pieces([texts[0], frame.style, texts[1], *data, frame.script])


def head(title: str, about: str, *blocks: Block) -> list[Block]:
    """What is on top of a page: its title, what it is about, and in HTML blocks below."""
    below = Html("".join(map(_drawn, blocks)))
    markup = '<header class="head">\n<p class="kicker">{}</p>\n<h1>{}</h1>\n{}</header>\n'
    return [OnlyMarkdown([Heading(1, titled(title, about))]), html(markup, about, title, below)]


def banner(text: str) -> list[Block]:
    """What stands above everything on the pages of a set whose figures are not to be used; nothing for ""."""
    if not text:
        return []
    return [OnlyMarkdown([Paragraph(Strong(f"⚠ {text}"))]), html('<p class="damaged" role="alert">{}</p>\n', text)]


def large(value: str, *, is_damaged: bool) -> Html:
    """A value that leads its card or page; no larger than the text around it where it is not to be used."""
    return struck(value) if is_damaged else html("<b>{}</b>", value)


def struck(value: str) -> Html:
    """A value that is not to be used."""
    return html('<s class="muted">{}</s>', value)


def html(markup: str, *texts: Text) -> Html:
    """Markup with texts in its braces, each of them escaped."""
    return Html(markup.format(*map(_inline, texts)))


def fragment(name: str, t: Texts, **values: Text) -> Html:
    """Markup from a file with `${key}` for texts of the catalogue and `${name}` for values, all of them escaped."""
    return Html(_Fragment(_template_text(name)).substitute(_Filled(t, values)))


class _Fragment(Template):
    idpattern = r"[a-z][a-z0-9.-]*"


class _Filled(dict[str, str]):
    """Values by name, and texts by key."""

    def __init__(self, t: Texts, values: Mapping[str, Text]) -> None:
        super().__init__({name: _inline(value) for name, value in values.items()})
        self._t = t

    def __missing__(self, key: str) -> str:
        return _escape(self._t(key))


def _drawn(block: Block) -> str:
    return _KINDS[type(block)](block)


def _heading(heading: Heading) -> str:
    name = f' id="{heading.name}"' if heading.name else ""
    return f"<h{heading.level}{name}>{_inline(heading.text)}</h{heading.level}>\n"


def _paragraph(paragraph: Paragraph) -> str:
    return f"<p{_class(paragraph.kind)}>{_kept(paragraph.text)}</p>\n"


def _items(entries: Items) -> str:
    tag = f'ol class="{entries.kind}"' if entries.kind else "ul"
    return f"<{tag}>\n{''.join(map(_item, entries.items))}</{tag[:2]}>\n"


def _item(entry: Text | Item) -> str:
    if not isinstance(entry, Item):
        return f"<li>{_kept(entry)}</li>\n"
    return f"<li>{_kept(entry.text)}{''.join(map(_drawn, entry.blocks))}</li>\n"


def _near(near: Near) -> str:
    first, *titles = (f'<th scope="col">{_escape(title)}</th>' for title in near.titles)
    rows = []
    for at, (number, *cells) in enumerate(near.rows):
        mark, arrow = (' class="hit"', "→ ") if at == near.hit else ("", "")
        drawn = "".join([f"<td>{_escape(cell)}</td>" for cell in cells])
        rows.append(f'<tr{mark}><th scope="row">{arrow}{_escape(number)}</th>{drawn}</tr>\n')
    return (
        f'<div class="scroll" role="group" aria-label="{_escape(near.name)}"><table class="around">'
        f"<caption>{_escape(near.name)}</caption>\n<thead><tr>{first}{''.join(titles)}</tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody></table></div>\n"
    )


def _checks(entries: Checks) -> str:
    lines = []
    for check in entries.checks:
        kind, mark, means = ("fine", "✔", entries.fine) if check.is_fine else ("look", "!", entries.look)
        lines.append(
            f'<li class="{kind}"><b>{mark}</b>{_escape(check.question)}: {_escape(check.answer)}'
            f' <span class="muted">({_escape(means)})</span></li>\n'
        )
    return f'<ul class="checks">\n{"".join(lines)}</ul>\n'


def _charts(drawings: Charts) -> str:
    return f'<div class="charts">\n{"".join(map(figure, drawings.charts))}</div>\n'


def figure(chart: Chart) -> Html:
    """A drawing with its title."""
    return html("<figure><figcaption>{}</figcaption>{}</figure>\n", chart.title, Html(chart.inline()))


def _section(section: Section) -> str:
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-h">\n'
        f'<h2 id="{section.name}-h">{_inline(section.title)}</h2>\n{_contents(section)}</section>\n'
    )


def _details(details: Details) -> str:
    return f"<details><summary>{_escape(details.summary)}</summary>\n{_contents(details)}</details>\n"


def _contents(block: Section | Details | OnlyHtml) -> str:
    return "".join(map(_drawn, block.blocks))


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _inline(text: Text) -> str:
    if isinstance(text, str):
        return _linked(text) if isinstance(text, Linked) else text if isinstance(text, Html) else _escape(text)
    if isinstance(text, Link):
        return f'<a href="{_escape(text.href)}">{_inline(text.text)}</a>'
    if isinstance(text, Strong):
        return f"<strong>{_escape(text.text)}</strong>"
    if isinstance(text, Coded):
        return _coded(text.text)
    if isinstance(text, Each):
        return _inline(text.html)
    return "".join(map(_inline, text))


def _coded(text: str) -> str:
    """The text of a problem, our own code spans as code."""
    from reporting.wording import code_spans

    return code_spans().sub(lambda span: f"<code>{span[0][1:-1]}</code>", _escape(text))


def _kept(text: Text) -> str:
    """A text whose ids, dates and intervals stay on one line, where a browser would break them at their hyphens."""
    return _HYPHENED.sub(lambda found: f"<bdi>{found[0]}</bdi>" if found[1] else found[0], _inline(text))


def _escape(text: str) -> str:
    """A text outside of tables; `escape` writes quotes in other words."""
    return escape(text, quote=False).replace('"', "&#34;").replace("'", "&#39;")


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


def _kind(cells: Sequence[str]) -> str:
    """Class of a column of texts: short enough to stay on its line, or long enough to need room."""
    longest = max(map(len, cells), default=0)
    return ' class="n"' if longest <= SHORT_CHARS else ' class="q"' if longest >= LONG_CHARS else ""


_escaped = Memo(escape, limit=4096)  # titles repeat
_KINDS: Mapping[type, Callable[[Any], str]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Items: _items,
    Checks: _checks,
    Near: _near,
    Charts: _charts,
    Table: lambda table: f"{_table(table, table.name)}\n",
    Section: _section,
    Details: _details,
    OnlyMarkdown: lambda _: "",
    OnlyHtml: _contents,
    Html: str,
    Markdown: lambda _: "",
}


class _Frame(NamedTuple):
    """What surrounds every page: its policy, its style, and its script up to the end of the page."""

    policy: str
    style: bytes
    script: bytes


@cache
def _frame(script_name: str) -> _Frame:
    style = (
        f":root{{{LIGHT}{_LIGHT_MORE};--font:{FONT}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{DARK}{_DARK_MORE}}}}}\n"
        f"{CHART_CSS}\n{''.join(map(_template_text, _STYLES.get(script_name, ('page.css',))))}"
    )
    pieces = map(_template_text, ("frame.js", *_SCRIPTS.get(script_name, ("page.js", script_name))))
    script = _FOR_PEOPLE.sub("", "".join(pieces))
    policy = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    end = f"<script>{script}</script>\n</body>\n</html>\n"
    return _Frame("; ".join(f"{name} {value}" for name, value in policy.items()), style.encode(), end.encode())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _template_text(name: str) -> str:
    return (files("reporting.document") / "templates" / name).read_text(encoding="utf-8")
