"""The pages in a browser: finding items, reading one, in the dark, on paper, by keyboard, and with hostile data."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.bench import found
from tests.browser.conftest import Watched, need_browser

need_browser()

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGES = (
    "sample/report.html", "sample/changes.html", "sample/compare.html", "h_full/report.html", "cut/problem.html",
    "index.html", "trend-resume-agent.html", "h_full/compare.html",
)  # fmt: skip
MORE_PAGES = (
    "judged/report.html",
    "rubric.html",
    "hostile_text/compare.html",
    "../en/sample/compare.html",
    "sample/history/0001-k1/report.html",
    "../en/sample/report.html",
    "../en/judged/report.html",
    "../en/sample/changes.html",
    "../en/cut/problem.html",
    "../en/index.html",
    "../en/rubric.html",
    "../en/trend-resume-agent.html",
    "../en/h_full/report.html",
    "../en/h_full/compare.html",
    "../en/hostile_text/compare.html",
    "unmade/compare.html",
    "../en/unmade/compare.html",
)
PRINTED_IN_ENGLISH = (
    "../en/sample/report.html", "../en/h_full/report.html", "../en/judged/report.html", "../en/sample/compare.html",
    "../en/index.html", "../en/cut/problem.html",
)  # fmt: skip
LEAST_CHARTS = {"judged": 3}
# To axe, which takes seconds for a page, an earlier version is no other page than the last one.
SAME_MARKUP = ("sample/history/0001-k1/report.html",)


def _items(out: Path, name: str = "sample") -> list[dict[str, str]]:
    with (out / name / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _found(watched: Watched) -> int:
    text = watched.page.locator("#found").inner_text()
    return int(text.split(" / ")[0].replace(",", ""))


def _column(watched: Watched, number: int) -> list[str]:
    texts: list[str] = watched.page.locator(f"#rows tr td:nth-child({number})").all_inner_texts()
    return texts


def test_an_item_is_read_by_keyboard_alone(watched: Watched) -> None:
    page = watched.visit("sample/report.html")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link that skips to the search
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#rows') !== null"):
            break
    query = page.evaluate("document.activeElement.textContent")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    panel = page.locator("#pane")
    panel.wait_for(state="visible")
    assert panel.get_by_role("heading", level=3).inner_text()[:20] in query
    page.keyboard.press("Escape")
    panel.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.textContent") == query


def test_scores_of_levels_are_filtered_on_their_own_scale(watched: Watched) -> None:
    page = watched.visit("judged/report.html")
    page.locator("#more summary").click()
    below = page.locator("#f-below")
    assert (below.get_attribute("max"), below.get_attribute("step")) == ("1", "0.1")
    below.fill("0.3")
    assert found(page).items == 1
    below.fill("0.6")
    assert found(page).items == 2
    assert page.evaluate("document.getElementById('f-below').validity.valid")
    orders = page.locator("#f-sort option").all_inner_texts()
    assert not any(title.startswith("초") for title in orders)  # it has none


def test_panel_shows_level_and_reason_of_a_judge_as_text(watched: Watched) -> None:
    page = watched.visit("judged/report.html")
    page.locator("#f-text").fill("1887")
    page.locator("#rows button").first.click()
    graded = page.locator("#pane-body .sides > :last-child .grades")
    assert graded.locator("dt").all_inner_texts() == ["상태", "Rubrics Score", "등급", "등급을 고른 이유(평가 모델)"]
    score, level, reason = graded.locator("dd").all_inner_texts()[1:]
    assert score == "0.25\n평가 모델이 고른 ‘2 부족함’: 0.25"
    assert reason.startswith("</script><img src=x onerror=alert(1)> [링크](javascript:alert(1)) 가가")
    assert level
    assert page.locator("#pane img, #pane a, #pane script").count() == 0


def test_index_is_searched_and_leads_to_a_report(watched: Watched) -> None:
    page = watched.visit("index.html")
    assert _found(watched) == 6
    assert _column(watched, 1)[0].startswith("cut")  # problems first
    cards = page.locator("article.card")
    assert cards.count() > 1
    assert page.locator("article.card svg.chart").count() == cards.count()
    page.locator("#f-text").fill("samp")
    assert _found(watched) == 1
    watched.visited.append((watched.out / "sample/summary.html").as_uri())
    page.get_by_role("link", name="sample").click()
    page.wait_for_url("**/sample/summary.html")
    assert "sample" in page.title()


def test_index_shows_every_column_and_what_is_wrong_at_once(watched: Watched) -> None:
    page = watched.visit("index.html")
    assert page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('.scroll'))"
    )
    row = page.locator("#rows tr.bad")
    assert "따옴표로 묶인 칸 안에서 파일이 끝났습니다" in row.inner_text()
    height = row.bounding_box()
    assert height is not None
    assert height["height"] < 100
    titles = page.locator("#titles th:visible").all_inner_texts()
    metrics = ["종합 점수", "Rubrics Score", "의도 충족", "일관성", "정확성", "응답 속도", "안정성"]
    rates = ["통과율", "응답 성공률"]
    assert titles == ["세트", "상태", "실행시각", "문항", *rates, *metrics, "비교 대상", "살펴볼 것"]


def test_index_sorts_by_every_column_and_filters(watched: Watched) -> None:
    page = watched.visit("index.html")
    titles = page.locator("#titles th:visible")
    first = page.locator("#rows tr:first-child td:visible").first
    for at in range(titles.count()):
        titles.nth(at).get_by_role("button").click()
        way = titles.nth(at).get_attribute("aria-sort")
        assert way in {"ascending", "descending"}
        titles.nth(at).get_by_role("button").click()
        assert titles.nth(at).get_attribute("aria-sort") in {"ascending", "descending"} - {way}
    titles.nth(0).get_by_role("button").click()
    rising = first.inner_text()
    titles.nth(0).get_by_role("button").click()
    assert titles.nth(0).get_attribute("aria-sort") == "descending"
    assert first.inner_text() != rising
    total = _found(watched)
    page.locator("#f-state").select_option("1")
    refused = _found(watched)
    page.locator("#f-state").select_option("0")
    assert (0 < refused < total, _found(watched)) == (True, total - refused)
    page.get_by_role("button", name="초기화").click()
    page.locator("#f-profile").select_option(index=1)
    assert 0 < _found(watched) < total
    assert page.locator("#f-gate").is_hidden()  # no set has one


@pytest.mark.parametrize("name", PAGES)
def test_pages_follow_the_dark_scheme(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(18, 22, 28)")


@pytest.mark.parametrize("name", [*PAGES, *MORE_PAGES])
def test_nothing_sticks_out_of_the_window(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    for width in (1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_rows_on_a_phone_are_no_taller_than_their_texts(watched: Watched) -> None:
    page = watched.visit("index.html")
    page.set_viewport_size({"width": 390, "height": 844})
    heights = page.locator("#rows tr:not(.bad)").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert 0 < max(heights) < 120


def test_the_list_is_on_paper_where_it_is_asked_for(watched: Watched) -> None:
    page = watched.visit("judged/report.html")
    page.locator("#with-items").check()
    page.emulate_media(media="print")
    assert page.locator("#rows > li").first.is_visible()
    assert page.locator("#bench :is(form, .presets, .pager, .pane):visible").count() == 0
    for paper, width in (("A4", 595), ("Letter", 612)):
        data = page.pdf(format=paper, prefer_css_page_size=True)
        boxes = {box.split()[2].partition(b".")[0] for box in re.findall(rb"/MediaBox\s*\[([^\]]+)\]", data)}
        assert boxes <= {str(width).encode(), str(width + 1).encode()}


@pytest.mark.parametrize("name", [*PAGES, *PRINTED_IN_ENGLISH])
def test_pages_print_on_a4(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    data = page.pdf(format="A4", prefer_css_page_size=True, print_background=True)
    assert data.startswith(b"%PDF")
    boxes = {tuple(round(float(n)) for n in box.split()) for box in re.findall(rb"/MediaBox\s*\[([^\]]+)\]", data)}
    assert {(width, height) for _, _, width, height in boxes} <= {(595, 842), (595, 841), (596, 842), (596, 843)}
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 within its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    assert page.locator("form.filters:visible, nav:visible, .pager button:visible").count() == 0
    if name.endswith("report.html"):
        assert page.locator("svg.chart:visible").count() >= LEAST_CHARTS.get(
            name.rpartition("/")[0].rpartition("/")[2], 5
        )
        assert page.locator("#bench").is_hidden()  # the list is no part of the paper


@pytest.mark.parametrize(
    "name", ["hostile_text/report.html", "hostile_text/compare.html", "judged/report.html", "index.html"]
)
def test_hostile_data_do_nothing(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    assert page.locator("img, iframe, object, embed, form[action], base").count() == 0
    scripts = page.locator("script").evaluate_all("found => found.map(one => one.type)")
    assert scripts in (["application/json", ""], [""])
    for button in page.locator("#rows button").all()[:20]:
        button.click()
        assert page.locator("#pane img, #pane script").count() == 0
        page.keyboard.press("Escape")
    schemes = page.locator("a[href]").evaluate_all("found => found.map(one => one.protocol)")
    assert set(schemes) == {"file:"}
    handlers = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames().filter(n => n.startsWith('on')))"
    assert page.evaluate(handlers) == []


def test_policy_stops_what_gets_into_the_page_all_the_same(watched: Watched) -> None:
    page = watched.visit("sample/report.html")
    page.evaluate(
        """const image = '<img src="https://example.org/x.png" onerror="window.hit = 1">';
        document.body.insertAdjacentHTML("beforeend", image);
        const script = document.createElement("script");
        script.textContent = "window.hit = 2";
        document.body.append(script);
        document.body.style.setProperty("background", "url(https://example.org/y.png)");"""
    )
    while len(watched.complaints) < 4:  # of the image, its handler, the script and the background
        page.wait_for_event("console")
    assert page.evaluate("window.hit") is None
    assert all("Content Security Policy" in text for text in watched.complaints)
    watched.complaints.clear()
    watched.requested[:] = [url for url in watched.requested if "example.org" not in url]


@pytest.mark.parametrize("name", [name for name in (*PAGES, *MORE_PAGES) if name not in SAME_MARKUP])
def test_axe_finds_nothing(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    _assert_accessible(page)
    page.emulate_media(color_scheme="dark")
    if page.locator("#rows button").count():
        page.locator("#rows button").first.click()
    _assert_accessible(page)


def _assert_accessible(page: Page) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # Without a list of everything that is as it should be: two megabytes, a third of the time.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], one["nodes"]) for one in found] == []
