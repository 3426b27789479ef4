"""Blocks as Markdown: every text is escaped, except one of the type `Markdown`.

`md` makes any text inert on CommonMark, GitHub and markdown-it with linkify: no tag, link, image, table break, heading,
list, code, mention or reference.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import quote

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
    Quote,
    Section,
    Strong,
    Text,
)
from reporting.document.tables import Table
from reporting.wording import clean
from scoring import Memo

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
    r"|<(?![^\nA-Za-z/!?])"  # what may begin a tag; `>` without one is text, but for the start of a line
    r"|\\|`|\*|~|\||\$|\[|\]|&"
)
_REPLACED = (
    {mark: "\\" + mark for mark in "\\`*~|$[]_:/."}
    | {"<": "&lt;", "&": "&amp;"}
    | {mark: mark + _ZWSP for mark in "@#-"}
    | {"@check": "`@check`"}  # code is no mention either, and can be copied
)
_OPENING = re.compile(r">|(?:\#{1,6}|[-+=])(?=\s|$)|[-=:][-=:\s]*$|:(?=\s)|(?<=\d)(?:[.)](?=\s|$))")
_MARKS = re.compile(rf"\\(?P<escaped>.)|\]\((?P<address>[^)]*)\)|^#+ |\*\*|`|\[|{_ZWSP}|&lt;|&amp;", re.MULTILINE)
_ENTITIES = {"&lt;": "<", "&amp;": "&"}
_OPENERS = "#-+=:>"  # and digits
_OPENING_NUMBER = re.compile(r"\d{1,9}(?=[.)](?:\s|$))")


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
    from reporting.wording import code_spans

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


def table_head(table: Table) -> list[str]:
    """The two lines that a table begins with."""
    return [table_row(table.titles), table_row(Markdown("---:" if right else "---") for right in table.right)]


def table_row(cells: Iterable[str]) -> str:
    """One line of a table, every cell escaped."""
    escaped = [cell if type(cell) is Markdown else _known[cell] for cell in cells]
    return f"| {' | '.join(escaped)} |"


def markdown_page(page: Page) -> str:
    """The whole page: its blocks with an empty line between them."""
    return markdown_blocks([*page.head, *page.blocks])


def markdown_blocks(blocks: Iterable[Block]) -> str:
    """Blocks with an empty line between them."""
    return "\n".join(_drawn(blocks))


def plain_text(markdown: str) -> str:
    """Markdown of ours as it reads: without marks and escapes, the address of a link behind its text."""
    return _MARKS.sub(_read, markdown)


def _read(mark: re.Match[str]) -> str:
    character, address = mark["escaped"], mark["address"]
    if character is not None:
        return character
    return f": {address}" if address is not None else _ENTITIES.get(mark[0], "")


def _drawn(blocks: Iterable[Block]) -> Iterator[str]:
    """The blocks as lines, each text with a line break at its end."""
    for block in blocks:
        yield from _KINDS[type(block)](block)


def _heading(heading: Heading) -> Iterator[str]:
    yield f"{'#' * heading.level} {_inline(heading.text)}\n"


def _paragraph(paragraph: Paragraph) -> Iterator[str]:
    yield f"{_inline(paragraph.text)}\n"


def _items(entries: Items) -> Iterator[str]:
    lines = list(_lines(entries, ""))
    if lines:
        yield "".join(lines)


def _lines(entries: Items, indent: str) -> Iterator[str]:
    """The lines of a list, and of what stands below its items."""
    for number, entry in enumerate(entries.items, start=1):
        item = entry if isinstance(entry, Item) else Item(entry)
        yield f"{indent}{f'{number}.' if entries.kind else '-'} {_inline(item.text)}\n"
        yield from _below(item.blocks)


def _below(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Items):
            yield from _lines(block, _INDENT)
        elif isinstance(block, OnlyMarkdown):
            yield from _below(block.blocks)
        else:
            yield from _drawn([block])


def _near(near: Near) -> Iterator[str]:
    """A table within an item of a list."""
    yield f"\n{_INDENT}{table_row(near.titles)}\n"
    yield f"{_INDENT}| ---: |{' --- |' * (len(near.titles) - 1)}\n"
    for at, (number, *cells) in enumerate(near.rows):
        arrow = "→ " if at == near.hit else ""
        yield f"{_INDENT}| {arrow}{table_row([number, *cells]).removeprefix('| ')}\n"
    yield "\n"


def _checks(entries: Checks) -> Iterator[str]:
    yield f"`[x]` {md(entries.fine)}, `[ ]` {md(entries.look)}\n"
    yield "".join(
        f"- [{'x' if check.is_fine else ' '}] {md(check.question)}: {md(check.answer)}\n" for check in entries.checks
    )


def _charts(drawings: Charts) -> Iterator[str]:
    if drawings.charts:
        yield "".join(f"![{md(chart.title)}](charts/{href(chart.name)}.svg)\n" for chart in drawings.charts)


def _section(section: Section) -> Iterator[str]:
    yield f"## {_inline(section.title)}\n"
    yield from _drawn(section.blocks)


def _quote(quote_: Quote) -> Iterator[str]:
    lines = markdown_blocks(quote_.blocks).rstrip("\n").split("\n")
    yield "".join(f"> {line}\n" if line else ">\n" for line in lines)


def _contents(block: Details | OnlyMarkdown) -> Iterator[str]:
    yield from _drawn(block.blocks)


def _inline(text: Text) -> str:
    if isinstance(text, str):
        return text if isinstance(text, Markdown) else _known[text]
    if isinstance(text, Link):
        return f"[{_inline(text.text)}]({text.markdown or text.href})"
    if isinstance(text, Strong):
        return f"**{md(text.text)}**"
    if isinstance(text, Coded):
        return with_code(text.text)
    if isinstance(text, Each):
        return _inline(text.markdown)
    return "".join(map(_inline, text))


_INDENT = "   "  # of what stands below an item of a list
_KINDS: Mapping[type, Callable[[Any], Iterable[str]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Items: _items,
    Checks: _checks,
    Near: _near,
    Charts: _charts,
    Table: lambda table: (table_rows(table),),
    Section: _section,
    Details: _contents,
    Quote: _quote,
    OnlyMarkdown: _contents,
    OnlyHtml: lambda _: (),
    Html: lambda _: (),
    Markdown: lambda text: (text,),
}


def href(path: str) -> Markdown:
    """A relative path of our own making as a link target."""
    return Markdown(quote(path, safe="/-_."))
