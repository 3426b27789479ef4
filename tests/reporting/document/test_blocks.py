"""Every kind of block shows its texts in both formats, and a text from a file is only text in any of them."""

import re

import pytest
from markdown_it import MarkdownIt

from reporting.document.blocks import (
    BLANK,
    BREAK,
    DOT,
    Block,
    Check,
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
    Passage,
    Quote,
    Section,
    Strong,
    Text,
    in_line,
    linked,
    titled,
)
from reporting.document.html_renderer import html, html_page
from reporting.document.markdown import markdown_page
from reporting.document.tables import table
from reporting.wording import link
from tests.reporting.seen import Seen
from texts import texts

HOSTILE = "<script>alert(1)</script> [x](http://a.example) **b** | \"q\" 'a' {} ${index.title} %s"
ROWS = table(["name", ">n"], [[HOSTILE, "1"]]).named(HOSTILE)
KINDS: dict[str, list[Block]] = {
    "heading": [Heading(2, HOSTILE)],
    "paragraph": [Paragraph(HOSTILE, "lead")],
    "parts": [Paragraph(titled(HOSTILE, in_line([HOSTILE, Strong(HOSTILE)], DOT)))],
    "link": [Paragraph(Link(HOSTILE, "a.html", "a.md"))],
    "own code": [Paragraph(Coded(HOSTILE))],
    "each": [Paragraph(Each(HOSTILE, HOSTILE))],
    "linked": [Paragraph(link(HOSTILE, "#all=1")), Paragraph(linked(HOSTILE))],
    "markup": [html("<p>{}</p>\n", HOSTILE), OnlyMarkdown([Paragraph(HOSTILE)])],
    "items": [Items([HOSTILE, Item(HOSTILE, [Items([HOSTILE])])])],
    "numbered": [Items([HOSTILE], kind="problems")],
    "checks": [Checks([Check(True, HOSTILE, HOSTILE), Check(False, "q", "a")], "fine", "look")],
    "near": [Items([Item("place", [BREAK, Near(HOSTILE, ["row", HOSTILE], [["1", HOSTILE], ["2", "x"]], 0)])])],
    "table": [ROWS],
    "section": [Section("s", HOSTILE, [Paragraph(HOSTILE)])],
    "details": [Details(HOSTILE, [Paragraph(HOSTILE)])],
    "quote": [OnlyMarkdown([Quote([Paragraph(HOSTILE)])]), OnlyHtml([Paragraph(HOSTILE)])],
    "passage": Passage(HOSTILE, HOSTILE, ROWS).blocks("section", texts()),
}


def drawn(*blocks: Block) -> tuple[str, str]:
    page = Page("title", [], blocks)
    text = str(html_page(page, texts()))
    return markdown_page(page), text[text.index("<main") : text.index("</main>") + len("</main>")]


@pytest.mark.parametrize("kind", KINDS)
def test_text_is_shown_as_it_is_and_never_more(kind: str) -> None:
    in_markdown, in_html = drawn(*KINDS[kind])
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(in_markdown)
    for text in (rendered, in_html):
        seen = Seen(text)
        assert "".join(HOSTILE.split()) in "".join("".join(seen.text).split())
        assert not {tag for tag, _ in seen.tags} & {"script", "img", "em"}
        assert {attributes.get("href") for tag, attributes in seen.tags if tag == "a"} <= {"a.html", "a.md", "#all=1"}


def test_a_format_trusts_its_own_type_alone() -> None:
    both: Text = (Markdown("*m*"), Html("<b>h</b>"))
    in_markdown, in_html = drawn(Paragraph(both))
    assert in_markdown == "*m*&lt;b>h&lt;/b>\n"
    assert "<p>*m*<b>h</b></p>" in in_html


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("다음 (Q-015)", ["Q-015"]),
        ("2026-03-02 10:00:05까지, run-2026-03-09-1.", ["2026-03-02", "run-2026-03-09-1"]),
        ("71.1–93.2% of HR-123", ["71.1–93.2%", "HR-123"]),
        ("well-known 3, a-b, −1.28", []),
        (f"Q-{'0' * 40} 1-2-3-4-5-6", []),  # too long for a line of a phone: it may break
        (Link("run-2", "run-2/report-1.html"), ["run-2"]),
        (Html('<i title="run-2">x</i>'), []),
    ],
)
def test_ids_dates_and_intervals_stay_on_their_line(text: Text, kept: list[str]) -> None:
    for block in (Paragraph(text), Items([text])):
        _, in_html = drawn(block)
        assert re.findall("<bdi>(.*?)</bdi>", in_html) == kept


def test_blocks_of_one_format_are_nothing_in_the_other() -> None:
    in_markdown, in_html = drawn(
        Markdown("m\n"), Html("h\n"), OnlyMarkdown([Paragraph("M")]), OnlyHtml([Paragraph("H")])
    )
    assert in_markdown == "m\n\nM\n"
    assert in_html.partition(">\n")[2] == "h\n<p>H</p>\n</main>"


def test_an_empty_line_stands_between_blocks_of_markdown_and_more_where_it_is_asked_for() -> None:
    assert drawn(Paragraph("a"), Paragraph("b"))[0] == "a\n\nb\n"
    assert drawn(Paragraph("a"), BLANK, Paragraph("b"))[0] == "a\n\n\nb\n"


def test_data_of_a_page_is_in_it_as_it_is() -> None:
    page = Page("title", [], [Paragraph("x")], data=b"{}")
    text = str(html_page(page, texts()))
    assert text == bytes(html_page(page, texts())).decode()
    assert '</main>\n<script type="application/json" id="data">{}</script>\n<script>' in text
    assert text.count("<script") == 2
