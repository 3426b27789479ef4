"""Markdown out: escaping of everything that is interpolated, and the templates.

`md` makes any text inert on CommonMark, GitHub and markdown-it with linkify: no tag, link, image, table break, heading,
list, code, mention or reference. Templates escape by themselves, except text of the type `Markdown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import quote

from reporting.wording.display import NONE, clean, count
from scoring.text import Memo
from texts import Texts, texts

if TYPE_CHECKING:
    import jinja2

    from reporting.charts.svg import Chart
    from reporting.view.metrics import Block
    from reporting.view.report import ReportView
    from reporting.view.tables import Table

_SHORT = 256  # texts up to this length recur (scores, statuses, names, questions), so they are cached
_ZWSP = "\u200b"  # GitHub looks for mentions and addresses after resolving escapes; this breaks them

# A special character, and where it is special. Each alternative starts with a character of its own, so that the search
# skips to the next one: a third of the time of one class with conditions.
_NO_FILE = r"(?!(?:csv|tsv|xlsx|jsonl?|ndjson)(?![\w.:/-]))"  # no domain ends so: names of inputs stay readable
_SPECIAL = re.compile(
    rf"\.(?:(?=[^\W\d_])(?<=\S\.){_NO_FILE}|(?=\w)(?<=[^\W\d_]\.){_NO_FILE}|(?<=[wW]{{3}}\.))"  # host.tld, www.
    r"|:(?:(?=/)|(?=\S)(?<=[A-Za-z\u017f\u212a]:))|/(?=/)"  # https://, //host, mailto:
    r"|-(?=\d)(?<=[Gg][Hh]-)|\#(?=\d)"  # issue references
    r"|@(?:(?<![\w`]@)check(?![\w`-])|(?=\S))"  # mentions, addresses
    r"|_(?:(?<![^\W_]_)|(?![^\W_]))"  # inside a word it is text
    r"|\\|`|\*|~|\||\$|\[|\]|<|>|&"
)
_REPLACED = (
    {mark: "\\" + mark for mark in "\\`*~|$[]_:/."}
    | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    | {mark: mark + _ZWSP for mark in "@#-"}
    | {"@check": "`@check`"}  # code is no mention either, and can be copied
)
_OPENING = re.compile(r"(?:\#{1,6}|[-+=])(?=\s|$)|[-=:][-=:\s]*$|:(?=\s)|(?<=\d)(?:[.)](?=\s|$))")
_OPENERS = "#-+=:"  # and digits
_OPENING_NUMBER = re.compile(r"\d{1,9}(?=[.)](?:\s|$))")


class Markdown(str):
    """Text that is Markdown already and needs no escape."""

    __slots__ = ()


def md(text: str) -> str:
    """`text` as inert inline Markdown, for running text and table cells alike.

    Cleaned and on one line; reads as plain text where it is plain. Empty text stays empty.
    """
    return _known[text]


class _Escapes(Memo[str, str]):
    """Escaped texts. Long texts rarely recur, so they are escaped each time."""

    def __missing__(self, text: str) -> str:
        return super().__missing__(text) if len(text) <= _SHORT else self._work(text)


def inert(text: str) -> str:
    """`md` of a text that is `clean` already, as excerpts are."""
    return _unopened(_SPECIAL.sub(_replaced, text))


def inert_each(texts: Sequence[str]) -> list[str]:
    """`inert` of each, as one text: a `clean` text has no line break, and a line break is not special."""
    return list(map(_unopened, _SPECIAL.sub(_replaced, "\n".join(texts)).split("\n"))) if texts else []


def _unopened(text: str) -> str:
    """`text` with what is special only at the start of a line escaped."""
    first = text[:1]
    if first not in _OPENERS and not first.isdecimal():
        return text
    number = _OPENING_NUMBER.match(text)
    opening = _OPENING.match(text, number.end() if number else 0)
    if opening is None:
        return text
    return f"{text[: opening.start()]}\\{text[opening.start() :]}"


_known = _Escapes(lambda text: inert(clean(text)), limit=4096)


def _replaced(match: re.Match[str]) -> str:
    return _REPLACED[match[0]]


def with_code(text: str) -> Markdown:
    """The text of a problem: our own code spans stay code, to be copied; all else is inert."""
    from reporting.wording.problems import code_spans

    pieces = []
    start = 0
    for span in code_spans().finditer(text):
        pieces += [_kept(text[start : span.start()]), span[0]]
        start = span.end()
    return Markdown("".join([*pieces, _kept(text[start:])]))


def _kept(text: str) -> str:
    """`md` with the spaces around."""
    inner = text.strip(" ")
    if not inner:
        return text
    before = text[: len(text) - len(text.lstrip(" "))]
    return f"{before}{md(inner)}{text[len(before) + len(inner) :]}"


def table_rows(table: Table) -> Markdown:
    """A table as Markdown, every cell escaped; a line break at its end."""
    line = f"| {' | '.join(['%s'] * len(table.titles))} |\n"
    cells = tuple(map(_known.__getitem__, chain.from_iterable(table.rows)))
    return Markdown("\n".join([*table_head(table), line * len(table.rows) % cells]))


def _listing(t: Texts, table: Table) -> str:
    """A table and how many rows it leaves out; one word when there is nothing to list."""
    if not table.rows:
        return f"{md(t('none'))}\n"
    more = t("listing.more", n=table.more_text, items="[items.csv](items.csv)") if table.more else ""
    return f"{table_rows(table)}\n{more}\n" if more else table_rows(table)


def _piece(t: Texts, block: Block) -> str:
    """A piece of a section."""
    heading = f"#### {md(block.heading)}\n\n" if block.heading else ""
    text = f"{md(block.text)}\n\n" if block.text else ""
    rows = f"{table_rows(block.table)}\n" if block.table else ""
    if not block.table or not block.table.more:
        return f"{heading}{text}{rows}"
    files = {"report": "[report.json](report.json)", "items": "[items.csv](items.csv)"}
    return f"{heading}{text}{rows}{t('block.more', n=block.table.more_text, **files)}\n\n"


def table_head(table: Table) -> list[str]:
    """The two lines that a table begins with."""
    return [table_row(table.titles), table_row(Markdown("---:" if right else "---") for right in table.right)]


def table_row(cells: Iterable[str]) -> str:
    """One line of a table, every cell escaped."""
    escaped = [cell if type(cell) is Markdown else _known[cell] for cell in cells]
    return f"| {' | '.join(escaped)} |"


def render_report(view: ReportView, t: Texts, *, drawn: Sequence[Chart] = ()) -> str:
    """report.md of a set. drawn: the charts under charts/ beside it."""
    return render_markdown("report.md.j2", t=t, view=view, drawn=drawn)


def render_markdown(template: str, *, t: Texts, **values: object) -> str:
    """Any other page from a template of this package."""
    return environment(t.language).get_template(template).render(t=t, **values)


@cache
def environment(language: str) -> jinja2.Environment:
    """The environment of Markdown in a language: `finalize` escapes every interpolation.

    Jinja2 is imported with the first page.
    """
    from reporting.pages.templating import template_environment

    t = texts(language)
    filters = {
        "href": _href,
        "rows": table_rows,
        "listing": lambda table: Markdown(_listing(t, table)),
        "piece": lambda block: Markdown(_piece(t, block)),
        "markdown": Markdown,
        "thousands": count,
        "with_code": with_code,
    }
    return template_environment(__file__, filters, language=language, autoescape=False, finalize=_interpolated)


def _href(path: str) -> Markdown:
    """A relative path of our own making as a link target."""
    return Markdown(quote(path, safe="/-_."))


def _interpolated(value: object) -> str:
    if isinstance(value, str):
        return value if isinstance(value, Markdown) else md(value)
    if value is None:
        return NONE
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"a template shows strings, not {type(value).__name__}")
