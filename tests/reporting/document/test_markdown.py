"""Whatever a text holds, `md` makes it plain text in every place of a page."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reporting.document.markdown import href, inert, inert_each, md, plain_text, table_rows, with_code
from reporting.document.tables import table
from reporting.wording import clean, describe
from scoring import Problem

RENDERERS = [
    pytest.param(MarkdownIt("commonmark", {"html": html}).enable(["table", "strikethrough"]), id=f"html-{html}")
    for html in (False, True)
]
BLOCKS = {"inline"} | {
    f"{name}_{end}"
    for name in ("paragraph", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item")
    for end in ("open", "close")
}
NASTY = (
    "<script>alert(1)</script>",
    "</td></tr></table><img src=x onerror=alert(1)>",
    "<!-- comment",
    "&lt;b&gt; &#60;i&#62; &copy;",
    "[링크](javascript:alert(1))",
    "![그림](http://example.invalid/x.png)",
    "[ref][1] [^1] [x]",
    "<http://example.invalid> <a@example.invalid>",
    "http://example.invalid/a https://example.invalid ftp://example.invalid",
    "www.example.invalid example.com //example.com mailto:a@example.com xmpp:a@b.co",
    "user@example.com @team owner/repo#12 #34 GH-56",
    "| a | b |\n| --- | --- |\n| c | d |",
    "a \\| b \\\\| c \\",
    "` ``code`` ``` ~~~ ~취소~ 5~8초 9~10초",
    "*강조* **굵게** _기울임_ __굵게__ snake_case __init__",
    "# 제목",
    "###### 제목",
    "- 목록",
    "+ 목록",
    "* 목록",
    "1. 목록",
    "2) 목록",
    "> 인용",
    "---",
    "- - -",
    "===",
    "제목\n===",
    "    들여 쓴 코드",
    "\t탭",
    "$\\ref{a}$ $$b$$",
    ": 정의",
    ":--- | ---:",
    "\u202e뒤집힘\u202c \x1b[31m \x00",
    "\ud800",
    "두 번째 줄\r\n세 번째 줄\u2028네 번째 줄",
    '=HYPERLINK("http://example.invalid")',
    "{{ 7 * 7 }} {% raw %} {# x #}",
)
PIECES = (
    *NASTY,
    *"<>&|\\`*_~[]()!#-+=:.@/$ \n\t0123abAB가한\"'^{}",
    "http",
    "www",
    "com",
    "gh",
    "\\\n",
    "<a",
    "&#",
    "://",
)


def _documents(text: str) -> Iterator[str]:
    yield f"{text}\n"
    yield f"앞 {text} 뒤\n"
    yield f"- 이름: {text}\n"
    yield f"| a | b |\n| --- | --- |\n| {text} | z |\n"


def _tokens(renderer: MarkdownIt, document: str) -> Iterator[Token]:
    for token in renderer.parse(document):
        yield token
        yield from token.children or ()


def _assert_inert(renderer: MarkdownIt, text: str) -> None:
    escaped = md(text)
    assert "\n" not in escaped
    for document in _documents(escaped):
        tokens = list(_tokens(renderer, document))
        assert {token.type for token in tokens} <= BLOCKS | {"text", "text_special"}, document
        cells = sum(token.type in {"td_open", "th_open"} for token in tokens)
        assert cells in {0, 4}, document
    shown = "".join(token.content for token in _tokens(renderer, f"앞 {escaped} 뒤") if token.type == "text")
    assert _plain(shown) == _plain(f"앞 {clean(text)} 뒤")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\u200b", "")).strip()


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_plain_text(renderer: MarkdownIt, text: str) -> None:
    _assert_inert(renderer, text)


@pytest.mark.parametrize("renderer", RENDERERS)
@given(text=st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=8).map("".join)))
def test_any_text_is_plain_text(renderer: MarkdownIt, text: str) -> None:
    _assert_inert(renderer, text)


@pytest.mark.parametrize(
    "text",
    [
        "지원자 5명을 찾았어요. 평균은 4.20점, 최고는 5점입니다.",
        "- 없이 시작한 문장 (괄호, 쉼표) 100% 정상!",
        "resume_agent_2회차.csv",
        "1/1",
        "12:30:45",
        "Track 1=110",
        "req-12 F-01 snake_case",
        "2026-03-02 09:01:02",
    ],
)
def test_plain_prose_stays_as_it_is(text: str) -> None:
    assert md(text).removeprefix("\\") == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("<b>", "&lt;b>"),
        ("pass_rate >= 0.9, p95 <= 60, 1 < 2 > 0", "pass_rate >= 0.9, p95 <= 60, 1 < 2 > 0"),
        ("> 인용", "\\> 인용"),
        ("</b <! <? a<", "&lt;/b &lt;! &lt;? a&lt;"),
        ("5~8초", "5\\~8초"),
        ("http://a.co", "http\\:\\//a\\.co"),
        ("www.1.x", "www\\.1\\.x"),
        ("a@b.co", "a@\u200bb\\.co"),
        ("@team #12 # 12 GH-3", "@\u200bteam #\u200b12 # 12 GH-\u200b3"),
        ("# 제목", "\\# 제목"),
        ("1. 하나", "1\\. 하나"),
        ("1.5", "1.5"),
        ("-1", "-1"),
        ("---", "\\---"),
        ("x.csv.com", "x\\.csv\\.com"),
    ],
)
def test_md_escapes_only_where_it_matters(text: str, escaped: str) -> None:
    assert md(text) == escaped


@given(st.lists(st.sampled_from([*NASTY, "1. 첫째", "٣) 셋째", "_밑줄", "밑줄_", "# 제목", "www.", ".com", "-", ""])))
def test_texts_are_inert_together_as_they_are_alone(texts: list[str]) -> None:
    cleaned = list(map(clean, texts))
    assert inert_each(cleaned) == list(map(inert, cleaned)) == list(map(md, texts))


@given(text=st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=8).map("".join)))
def test_any_text_reads_as_it_is_in_plain_text(text: str) -> None:
    assert plain_text(md(text)) == clean(text).replace("\u200b", "")


def test_a_page_in_plain_text_has_no_marks_and_the_addresses_of_its_links() -> None:
    markdown = "# A \\~ b\n\n**worse\\.** now\n\n- [report\\.html](https://a.example/x%29) ○\n"
    assert plain_text(markdown) == "A ~ b\n\nworse. now\n\n- report.html: https://a.example/x%29 ○\n"


def test_links_are_quoted() -> None:
    assert href("rounds/가 (1)/track-1.md") == "rounds/%EA%B0%80%20%281%29/track-1.md"


def test_table_escapes_titles_and_cells() -> None:
    drawn = table_rows(table(["이름|", ">n"], [["a|b", "1"]]))
    assert drawn == "| 이름\\| | n |\n| --- | ---: |\n| a\\|b | 1 |\n"


def test_code_of_our_own_can_be_copied_and_nothing_else_becomes_code() -> None:
    problem = Problem(code="check-no-equals", source="a`b`.csv", row=2, column="@me", found="`x` @you")
    text = with_code(describe(problem, "en"))
    assert "`@check key=value`" in text
    assert "after `@check`" in text
    (inline,) = [token for token in MarkdownIt("commonmark").parse(text) if token.type == "inline"]
    assert [child.content for child in inline.children or () if child.type == "code_inline"] == [
        "@check",
        "@check key=value",
    ]
    assert "@me" not in text
    assert "@you" not in text


@given(st.text(alphabet="`\\@check key=value<a> \n|"))
def test_hostile_text_around_code_of_our_own_stays_text(text: str) -> None:
    told_text = with_code(f"{text}`@check key=value`{text}")
    (inline,) = [token for token in MarkdownIt("commonmark").parse("- " + told_text) if token.type == "inline"]
    kinds = {child.type for child in inline.children or ()}
    assert kinds <= {"text", "code_inline"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@check grade=A", "`@check` grade=A"),
        ("a @check, and @check.", "a `@check`, and `@check`."),
        ("@checks @check-er a@check", "@\u200bchecks @\u200bcheck-er a@\u200bcheck"),
        ("`@check`", "\\`@\u200bcheck\\`"),
    ],
)
def test_marker_of_checks_can_be_copied(text: str, shown: str) -> None:
    assert md(text) == shown
