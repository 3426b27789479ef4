"""Reading items: what differs, failed checks, payloads, the keyboard, paper, and a phone."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import CASES, Watched, merged, need_browser, until
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result

need_browser()

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPORT = "sample/report.html"
PAGES = (
    REPORT,
    "sample/changes.html",
    "sample/compare.html",
    "cut/problem.html",
    "index.html",
    "trend-resume-agent.html",
)


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        pytest.param("가 나 다", "가 나 다", [], [], id="same"),
        pytest.param("", "가", [], ["가"], id="from-nothing"),
        pytest.param("a b c d", "a x y d", ["b c"], ["x y"], id="words-side-by-side"),
        pytest.param("a b c", "a c", ["b "], [], id="gone"),
        pytest.param("<b>x</b>", "<i>x</i>", ["b", "b"], ["i", "i"], id="markup-is-text"),
    ],
)  # fmt: skip
def test_differing_words(watched: Watched, before: str, after: str, old: list[str], new: list[str]) -> None:
    page = watched.visit(REPORT)
    found = page.evaluate("([a, b]) => differingWords(a, b)", [before, after])
    for side, text, changed in zip(found, (before, after), (old, new), strict=True):
        assert "".join(piece for piece, _ in side) == text
        assert [piece for piece, is_changed in side if is_changed] == changed


def test_long_texts_are_marked_whole(watched: Watched) -> None:
    """Looking for the words in common would take the square of their number."""
    page = watched.visit(REPORT)
    texts = ["".join(f"{'가나다라'[at * step % 4]}-" for at in range(4096)) for step in (3, 7)]
    sides = page.evaluate("texts => differingWords(...texts)", ["x" + texts[0] + "y", "v" + texts[1][2:] + "w"])
    assert [[is_changed for _, is_changed in side] for side in sides] == [[True], [True]]


def test_a_failed_check_says_what_it_expected_and_what_it_got(watched: Watched) -> None:
    page = watched.visit("h_full/report.html")
    data = page.evaluate("data")
    assert data["checks"]
    item = page.evaluate("items.find((item) => checksOf(item).length && checksOf(item)[0][3]).index")
    page.evaluate("index => { location.hash = addressOf(addressOfItem(items[index])); }", item)
    checked = page.locator("#pane-body .checked").first
    checked.wait_for()
    text = checked.inner_text()
    path, _, expected, found, _ = page.evaluate("index => checksOf(items[index])[0]", item)
    assert found
    assert re.search(rf"{re.escape(path)}.*기대\s*{re.escape(expected)}\s*실제\s*{re.escape(found)}", text, re.DOTALL)


def test_the_payload_is_a_tree_that_opens_branch_by_branch(watched: Watched, tmp_path: Path) -> None:
    payload = json.dumps({"list": [{"a<b>": "x\u202ey"}], "many": list(range(300)), "n": None}, ensure_ascii=False)
    twice = json.dumps(json.dumps({"inner": 1}))
    cells = (payload, twice, "{broken <img src=x>", "")
    items = [make_item(at + 2, query_id="Q", round=f"{at + 1}/1", payload=cell) for at, cell in enumerate(cells)]
    publish_report(make_result(*items), set_name="s", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "s/report.html"))
    page.locator("#rows button").first.click()

    def shown(at: int) -> Locator:
        """What else is known of the answer of a round."""
        page.locator("#choose-right").select_option(index=at)
        more = page.locator(".sides > .chosen > div > details")
        more.locator("summary").first.click()
        return more

    more = shown(0)
    tree = more.locator(".branch").first
    assert tree.locator("details").count() == 0  # folded
    tree.locator("summary").click()
    tree.locator("summary").nth(2).wait_for()  # a branch is made when it is opened
    assert tree.locator("summary").all_inner_texts() == ["Raw JSON {3}", "list [1]", "many [300]"]
    tree.locator("summary").nth(1).click()
    tree.locator("summary").nth(3).wait_for()
    tree.locator("summary").nth(2).click()
    tree.locator(".leaf").nth(1).wait_for()
    assert tree.locator(".leaf").all_inner_texts() == ["a<b>: xy", "n: null"]
    tree.locator("summary").last.click()
    tree.locator(".leaf").nth(2 + 200).wait_for()
    assert tree.locator(".leaf").count() == 2 + 200 + 1
    tree = shown(1).locator(".branch").first
    tree.locator("summary").click()
    tree.locator(".leaf").wait_for()
    assert tree.locator(".leaf").all_inner_texts() == ["inner: 1"]
    assert "Raw JSON: {broken <img src=x>" in shown(2).inner_text()
    assert "입력 파일의 해당 행" in shown(3).inner_text()
    assert page.locator("#pane img").count() == 0


@pytest.mark.parametrize("name", [REPORT, "h_full/report.html", "../en/sample/report.html"])
def test_the_filter_is_at_most_eight_keys_away(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    for _ in range(7):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "#f-text":
            break
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'f-text'")


@pytest.mark.parametrize("name", [*PAGES, "h_full/report.html", "rubric.html"])
@pytest.mark.parametrize("width", [1440, 390])
def test_only_tables_that_scroll_are_a_stop(watched: Watched, name: str, width: int) -> None:
    page = watched.visit(name)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    wrong = """boxes => boxes.filter(box => box.checkVisibility())
      .filter(box => (box.tabIndex === 0) !== (box.scrollWidth > box.clientWidth + 1))
      .map(box => box.getAttribute("aria-label"))"""
    assert page.locator(".scroll").evaluate_all(wrong) == []
    stops = page.locator(".scroll[tabindex]").count()
    assert stops < page.locator(".scroll").count() or width == 390


def test_charts_are_told_apart_without_colours(watched: Watched) -> None:
    page = watched.visit(REPORT)
    page.emulate_media(media="print")
    colours = page.evaluate(
        """[1, 2, 3, 4, 5, 6].map((n) => "--c" + n)
          .map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""
    )
    greys = sorted(_grey(colour) for colour in colours)
    assert min(after - before for before, after in pairwise(greys)) >= 20


def _grey(colour: str) -> float:
    """Luma of a colour, 0 to 255."""
    digits = colour.removeprefix("#")
    red, green, blue = (int(digits[at : at + 2], 16) for at in (0, 2, 4))
    return 0.299 * red + 0.587 * green + 0.114 * blue


@pytest.mark.parametrize("name", [REPORT, "h_full/report.html", "trend-resume-agent.html", "sample/changes.html"])
def test_texts_of_charts_are_readable_on_a_phone(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    page.set_viewport_size({"width": 390, "height": 844})
    sizes = page.locator("svg.chart text").evaluate_all(
        """texts => texts.map(one => {
          const { a, b } = one.getScreenCTM();  // of a name that is turned, too
          return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b);
        })"""
    )
    assert min(sizes, default=12) >= 12
    beside = page.locator("main figure").evaluate_all(
        """figures => figures.map(one => [one, one.closest("section") || one.closest("main")].map(of => {
          const { left, right } = of.getBoundingClientRect();
          const style = getComputedStyle(of);
          return [left + parseFloat(style.paddingLeft), right - parseFloat(style.paddingRight)];
        })).filter(([[left, right], [from, to]]) => left < from - 1 || right > to + 1)"""
    )
    assert beside == []
    outside = page.locator("svg.chart").evaluate_all(
        """drawn => drawn.flatMap(one => [...one.querySelectorAll("text")].filter(text => {
          const [inner, outer] = [text.getBoundingClientRect(), one.getBoundingClientRect()];
          return inner.left < outer.left - 1 || inner.right > outer.right + 1;
        }).map(text => text.textContent))"""
    )
    assert outside == []


def test_an_id_in_a_table_is_in_one_piece(watched: Watched) -> None:
    page = watched.visit(REPORT)
    pieces = page.locator('td a[href*="#query="]').evaluate_all(
        """ids => ids.map(one => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return range.getClientRects().length;
        })"""
    )
    assert len(pieces) > 5
    assert set(pieces) == {1}


@pytest.mark.parametrize(
    ("name", "title"),
    [(REPORT, "세트 점수"), ("sample/compare.html", "판정"), ("judged/report.html", "세트 점수")],
)
def test_tables_show_score_and_verdict_on_a_phone(watched: Watched, name: str, title: str) -> None:
    page = watched.visit(name)
    page.set_viewport_size({"width": 390, "height": 844})
    cells = page.locator(f"th:has-text('{title}')").evaluate_all(
        "found => found.map(one => one.getBoundingClientRect().right)"
    )
    assert cells
    assert max(cells) <= 390


def test_without_a_script_the_page_is_read_all_the_same(watched: Watched) -> None:
    context = watched.page.context.browser
    assert context is not None
    plain = context.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto((watched.out / REPORT).resolve().as_uri())
    assert page.locator("#figures .lead").inner_text()
    assert page.locator("#failures table").count() > 3
    assert "items.csv" in page.locator("#items noscript").inner_text()
    assert "history/" in page.locator("main > noscript").inner_text()  # whose links need a script
    assert page.locator("#older, #notice").first.is_hidden()
    plain.close()


def test_a_page_that_holds_few_of_the_items_says_so_of_one_that_it_lacks(watched: Watched, tmp_path: Path) -> None:
    result = merged(CASES / "one_round")
    publish_report(result, set_name="s", key="k", out=tmp_path)
    text = (tmp_path / "s/report.html").read_text(encoding="utf-8")
    assert 'id="cut"' not in text
    page = watched.visit(str(tmp_path / "s/report.html"), "query=none")
    assert "다른 판에는 있을 수 있습니다" in page.locator("#notice").inner_text()
