"""The page of a comparison: filters, answers side by side, and links into both reports."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Watched, need_browser, until

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = "sample/compare.html"


def _found(watched: Watched) -> list[int]:
    """Queries that are found, and all."""
    text = watched.page.locator("#found").inner_text()
    return sorted(int(word) for word in text.replace("개", "").split() if word.isdigit())


def test_filters_leave_the_queries_that_fit(watched: Watched) -> None:
    page = watched.visit(PAGE)
    data = json.loads((watched.out / "sample/compare.json").read_bytes())
    lists = {name: data[name] for name in ("now_fails", "now_passes", "dropped", "rose")}
    total = sum(map(len, lists.values()))
    assert _found(watched) == [total, total]
    page.locator("#f-list").select_option("now_fails")
    assert _found(watched) == sorted([len(lists["now_fails"]), total])
    assert page.locator("section.list:visible").count() == 1
    page.locator("#f-track").select_option(label="Track 3")
    wanted = [query for query in lists["now_fails"] if query["track"] == 3]
    assert _found(watched) == sorted([len(wanted), total])
    page.get_by_role("button", name="초기화").click()
    until(page, "document.querySelectorAll('article.pair[hidden]').length === 0")
    first = lists["now_fails"][0]["query_id"]
    page.locator("#f-text").fill(first)
    assert page.locator("article.pair:visible").count() >= 1
    assert first in page.locator("article.pair:visible").first.inner_text()


def test_answers_are_side_by_side_and_on_a_phone_below_each_other(watched: Watched) -> None:
    page = watched.visit(PAGE)
    page.locator("article.pair summary").first.click()
    sides = page.locator("article.pair .answers > div:not(.both)")
    boxes = [sides.nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    page.set_viewport_size({"width": 390, "height": 844})
    boxes = [sides.nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] < boxes[1]["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_link_opens_the_query_in_the_report(watched: Watched) -> None:
    page = watched.visit(PAGE)
    watched.visited.append((watched.out / "sample/report.html").resolve().as_uri())
    query = page.locator("article.pair h4").first.inner_text().split()[0]
    page.locator("article.pair a").first.click()
    page.wait_for_selector("#panel[open]")
    assert query in page.locator("#panel-title").inner_text()


def test_paper_has_every_answer_and_no_filters(watched: Watched) -> None:
    page = watched.visit(PAGE)
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible()
    assert page.locator("article.pair").first.is_visible()
