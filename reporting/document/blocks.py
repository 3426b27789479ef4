"""What a page is made of: a list of blocks, which `markdown` and `html` draw.

A plain text is always escaped by the renderer of the format. Only `Markdown` and `Html` are trusted, each in its own
format: text from a file never has these types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from reporting.document.charts import Chart
from reporting.document.tables import Table
from reporting.wording import Linked, Piece
from texts import Texts


class Markdown(str):
    """Text that is Markdown already and needs no escape; in HTML it is a plain text. As a block: of Markdown alone."""

    __slots__ = ()


class Html(str):
    """Markup that needs no escape. Markdown has nothing in its place."""

    __slots__ = ()


class Link(NamedTuple):
    """A text that leads to a file beside the page. href: quoted. markdown: the target in Markdown, "" for the same."""

    text: Text
    href: str
    markdown: str = ""


class Strong(NamedTuple):
    """A text that stands out."""

    text: str


class Coded(NamedTuple):
    """A text about a problem: the pieces of our own words in backticks stay code in Markdown, to be copied."""

    text: str


class Each(NamedTuple):
    """A text that each format says in its own way."""

    markdown: Text
    html: Text


class Heading(NamedTuple):
    """A title. name: what an address in the page calls it."""

    level: int
    text: Text
    name: str = ""


class Paragraph(NamedTuple):
    """A paragraph. kind: its class in HTML."""

    text: Text
    kind: str = ""


class Item(NamedTuple):
    """An entry of a list with what stands below it."""

    text: Text
    blocks: Sequence[Block] = ()


class Items(NamedTuple):
    """A list. kind: class of a numbered one, "" for a list without numbers."""

    items: Sequence[Text | Item]
    kind: str = ""


class Check(NamedTuple):
    """A line of a checklist. answer: the figures that say so."""

    is_fine: bool
    question: str
    answer: str


class Checks(NamedTuple):
    """A checklist. fine, look: what the two marks mean."""

    checks: Sequence[Check]
    fine: str
    look: str


class Near(NamedTuple):
    """Rows of a file around a place. titles: its name, that of the row numbers, and those of the columns.

    rows: number and cells. hit: index of the row that it is about, None where it is not among them.
    """

    name: str
    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    hit: int | None


class Charts(NamedTuple):
    """Drawings, which lie beside a page in Markdown."""

    charts: Sequence[Chart]


class Section(NamedTuple):
    """A part of a page that its menu leads to."""

    name: str
    title: Text
    blocks: Sequence[Block]


class Details(NamedTuple):
    """What opens on demand where the format can do that."""

    summary: str
    blocks: Sequence[Block]


class Quote(NamedTuple):
    """Blocks set apart, in Markdown alone."""

    blocks: Sequence[Block]


class OnlyMarkdown(NamedTuple):
    """Blocks that HTML has in another form or place."""

    blocks: Sequence[Block]


class OnlyHtml(NamedTuple):
    """Blocks that Markdown has in another form or place."""

    blocks: Sequence[Block]


Text: TypeAlias = "str | Link | Strong | Coded | Each | Sequence[Text]"
Block: TypeAlias = (
    "Heading | Paragraph | Items | Checks | Near | Charts | Table | Section | Details | Quote"
    " | OnlyMarkdown | OnlyHtml | Html | Markdown"
)


class Page(NamedTuple):
    """A page. title: of its window. head: what is above its main part; skips: links to places further down.

    kind: class of the main part. script: name of the file that it runs besides `frame.js`, "" for none. data: what the
    script reads, None for no data.
    """

    title: str
    head: Sequence[Block]
    blocks: Sequence[Block]
    kind: str = ""
    skips: Sequence[Block] = ()
    script: str = ""
    data: bytes | None = None


COLON, SPACE, DOT = Markdown(": "), Markdown(" "), Markdown(" · ")
NEW_LINE = Markdown("  \n")  # within a paragraph
BREAK, BLANK = Html("\n"), Markdown("")  # an empty line more between blocks, in HTML and in Markdown


class Passage(NamedTuple):
    """A piece of a section, each part of it left out when empty: a heading, a paragraph, a table."""

    heading: str = ""
    text: str = ""
    table: Table | None = None

    def blocks(self, section: str, t: Texts) -> list[Block]:
        """section: what its table is called when it has no heading."""
        blocks: list[Block] = []
        if self.heading:
            blocks.append(Heading(4, linked(self.heading)))
        if self.text:
            blocks.append(Paragraph(linked(self.text)))
        if self.table is not None:
            blocks += listing(self.table, self.heading or section, t, more="block.more")
        return [*blocks, BREAK]


def linked(text: str) -> str:
    """A text as one with links, which HTML escapes as it does cells."""
    return text if isinstance(text, Linked) else Linked.of([Piece(text)])


def titled(title: Text, text: Text) -> Text:
    """`title: text`."""
    return title, COLON, text


def in_line(texts: Iterable[Text], joint: Text) -> Text:
    """Texts in one line with a joint between them."""
    line: list[Text] = []
    for text in texts:
        line += [joint, text] if line else [text]
    return tuple(line)


def meanings(words: Iterable[str], t: Texts) -> list[Text]:
    """Words of a page with what they mean, a line each. words: keys of `texts/data/terms.toml`."""
    return [titled(t(f"word.{word}"), t(f"term.{word}")) for word in words]


def words_block(words: Iterable[str], t: Texts, *further: Text) -> OnlyHtml:
    """What words of a page mean, folded under one line, so that it is at hand without taking room.

    words: keys of `texts/data/terms.toml`. further: lines about other words.
    """
    return OnlyHtml([Details(t("about.words"), [Items([*meanings(words, t), *further])])])


def listing(table: Table, name: str, t: Texts, *, more: str = "listing.more") -> list[Block]:
    """A table and how many rows it leaves out; one word when there is nothing to list.

    name: of the table, for screen readers. more: key of the text in Markdown about rows left out.
    """
    if not table.rows:
        return [Paragraph(t("none")), BREAK]
    blocks: list[Block] = [table.named(name)]
    if table.more:
        files = {"report": "[report.json](report.json)", "items": "[items.csv](items.csv)"}
        told = Markdown(t(more, n=table.more_text, **files))
        left_out = t("table.more", n=table.more_text), SPACE, Link("items.csv", "items.csv")
        blocks += [OnlyMarkdown([Paragraph(told)]), OnlyHtml([Paragraph(left_out, "muted")])]
    return [*blocks, BREAK]
