"""The index in a browser: the same rows with and without a script, orders, filters, a phone, paper and many sets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from reporting.index import write_index
from reporting.store import SourceMark, SourceState, write_sources
from scoring.comparison import Verdict
from tests.browser.conftest import Watched, need_browser, until
from tests.reporting.index.folders import Folder, a_status, refused, with_figures, write_comparison, write_status

need_browser()

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MANY = 20_000
LONG = "아주 긴 까닭 " * 60


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert complaints == []


def _visit(page: Page, out: Path) -> None:
    page.goto((out / "index.html").as_uri())


def _texts(page: Page, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_inner_texts()
    return found


def _fits(page: Page) -> bool:
    found: bool = page.evaluate(
        "[document.documentElement, document.getElementById('sets')].every(e => e.scrollWidth <= e.clientWidth)"
    )
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_script_draws_the_rows_that_the_page_has_without_it(
    browser: Browser, open_page: Page, tmp_path: Path, seed: int
) -> None:
    folder = Folder(tmp_path, seed)
    for _ in range(120):
        folder.change()
    for language in ("ko", "en"):
        write_index(tmp_path, language=language)
        plain = browser.new_context(java_script_enabled=False)
        page = plain.new_page()
        _visit(page, tmp_path)
        rows = page.locator("#rows tr")
        before = [rows.nth(at).evaluate("row => row.outerHTML") for at in range(rows.count())]
        assert page.locator("#filters").is_hidden()
        assert page.locator("noscript").count() == 1
        plain.close()
        _visit(open_page, tmp_path)
        drawn = open_page.locator("#rows tr").evaluate_all("rows => rows.map(row => row.outerHTML)")
        assert drawn == before
        assert len(drawn) > 3


def _few(out: Path) -> None:
    """A run that got worse and one that did not, a refused set with a long text, and one whose file is gone."""
    status = a_status(out)
    before = msgspec.structs.replace(status, set="run_260301", executed="2026-03-01T09:30:00", key="1")
    metrics = {"total": 3.456, "intent": 2.0, "accuracy": 4.5}
    after = with_figures(
        msgspec.structs.replace(status, set="run_260302", executed="2026-03-02T09:30:00", key="2"),
        answered=19, passed=18, assessed=20, metrics=metrics, intervals=dict.fromkeys(metrics),
    )  # fmt: skip
    gone = msgspec.structs.replace(status, set="old_260101", key="3")
    for one in (before, after, gone):
        write_status(out, one)
    write_comparison(out, before, None)
    write_comparison(out, after, before, verdict=Verdict.WORSE)
    write_status(out, refused(msgspec.structs.replace(status, set="cut", key="4"), f"cut.csv: {LONG}"))
    write_sources(out, {"old_260101": SourceMark(SourceState.REMOVED)})
    write_index(out, unclaimed=["other.csv"], patterns={"resume-agent": ["resume_agent*.csv"]})


def test_it_sorts_by_the_time_of_the_data_and_back(open_page: Page, tmp_path: Path) -> None:
    _few(tmp_path)
    _visit(open_page, tmp_path)
    names = "#rows a.name"
    assert _texts(open_page, f"{names}:visible") == ["cut", "first", "run_260302", "run_260301"]
    heading = open_page.get_by_role("columnheader", name="실행시각")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"  # the latest first
    assert _texts(open_page, f"{names}:visible")[:2] == ["run_260302", "run_260301"]
    heading.get_by_role("button").press("Enter")
    assert _texts(open_page, f"{names}:visible")[:2] == ["run_260301", "run_260302"]
    assert _texts(open_page, "#rows td:nth-child(4)")[:2] == ["2026-03-01 09:30", "2026-03-02 09:30"]
    open_page.locator("#f-sort").select_option(index=0)
    assert _texts(open_page, f"{names}:visible") == ["cut", "first", "run_260302", "run_260301"]
    assert open_page.locator("#titles th[aria-sort]").count() == 0


def test_sets_whose_files_are_gone_are_apart_and_can_be_asked_for(open_page: Page, tmp_path: Path) -> None:
    _few(tmp_path)
    _visit(open_page, tmp_path)
    assert _texts(open_page, "#found") == ["4 / 4세트"]
    assert "scorewatch forget" in open_page.locator("main").inner_text()
    assert open_page.locator("h2 ~ ul a").last.get_attribute("href") == "old_260101/summary.html"
    open_page.locator("#f-state").select_option(label="원본 없음")
    assert _texts(open_page, "#rows a.name") == ["old_260101"]
    assert _texts(open_page, "#found") == ["1 / 1세트"]
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert text.index("## 원본이 없는 세트") < text.index("| [old_260101]")


def test_a_remedy_is_never_cut_and_names_that_are_scored_are_told(open_page: Page, tmp_path: Path) -> None:
    _few(tmp_path)
    _visit(open_page, tmp_path)
    text = open_page.locator("#rows tr.bad .why:visible").inner_text()
    assert text.startswith("cut.csv: 아주 긴 까닭")
    assert text.endswith("다시 넣으세요. [empty-file]")
    assert "채점하는 파일 이름: resume_agent*.csv (resume-agent)" in open_page.locator("main").inner_text()
    open_page.locator("#f-text").fill("다시 넣으세요")
    assert _texts(open_page, "#rows tr.bad a.name:visible") == ["cut"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_score_and_verdict_without_scrolling(open_page: Page, tmp_path: Path, scheme: str) -> None:
    _few(tmp_path)
    open_page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    open_page.set_viewport_size({"width": 390, "height": 844})
    _visit(open_page, tmp_path)
    assert _fits(open_page)
    assert _texts(open_page, "#titles th:visible") == ["세트", "점수", "살펴볼 것"]
    row = open_page.locator("#rows tr", has_text="run_260302")
    lead = row.locator("td.narrow:visible").inner_text().split()
    assert lead == ["3.46", "종합", "점수", "90.0%", "통과율", "▽", "나빠짐:", "응답", "성공률"]
    box = row.locator("td.narrow").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    assert "2026-03-02 09:30" in row.locator("td").first.inner_text()
    assert open_page.locator("#rows td:visible").evaluate_all("cells => cells.every(c => c.offsetWidth > 0)")


def test_a_table_that_fits_is_no_tab_stop_and_the_filter_is_near(open_page: Page, tmp_path: Path) -> None:
    _few(tmp_path)
    _visit(open_page, tmp_path)
    assert open_page.locator("#sets").get_attribute("tabindex") is None
    for _ in range(8):
        open_page.keyboard.press("Tab")
        if open_page.evaluate("document.activeElement.id") == "f-text":
            break
    assert open_page.evaluate("document.activeElement.id") == "f-text"
    open_page.set_viewport_size({"width": 700, "height": 900})
    until(open_page, "document.getElementById('sets').tabIndex === 0")


def test_all_columns_fit_in_english_on_a_screen_of_1100(open_page: Page, tmp_path: Path) -> None:
    _few(tmp_path)
    write_index(tmp_path, language="en")
    open_page.set_viewport_size({"width": 1100, "height": 900})
    _visit(open_page, tmp_path)
    assert _fits(open_page)


def _many(out: Path) -> None:
    """Twenty thousand sets of a profile, each compared with the one before, one of a hundred refused."""
    status = a_status(out)
    before = None
    for number in range(MANY):
        month, day, minute = number // 2000 + 1, number // 80 % 28 + 1, number % 60
        one = msgspec.structs.replace(
            status,
            set=f"resume_agent_26{month:02}{day:02}_{number:05}",
            key=f"{number:064x}",
            inputs={f"resume_agent_26{month:02}{day:02}_{number:05}.csv": f"{number:064x}"},
            executed=f"2026-{month:02}-{day:02}T{number % 80 // 4:02}:{minute:02}:00",
        )
        metrics = {name: (number * place % 400) / 100 + 0.5 for place, name in enumerate(METRICS, start=3)}
        intervals = {name: (value - 0.12, value + 0.09) for name, value in metrics.items()}
        one = with_figures(one, n=354, answered=300 + number % 54, metrics=metrics, intervals=intervals)
        if number % 100 == 0:
            one = refused(one, f"{one.set}.csv: ")
        write_status(out, one)
        if one.headline is not None:
            write_comparison(out, one, before)
            before = one
    write_index(out)


METRICS = ("intent", "consistency", "accuracy", "latency", "stability")


@pytest.mark.timeout(900)
def test_twenty_thousand_sets_are_small_and_drawn_by_the_hundred(open_page: Page, tmp_path: Path) -> None:
    """How long it takes: bench.pages."""
    _many(tmp_path)
    page = (tmp_path / "index.html").read_bytes()
    assert len(page) <= 120 * MANY
    _visit(open_page, tmp_path)
    open_page.locator("#filters").wait_for()
    assert _texts(open_page, "#found") == ["20,001 / 20,001세트"]
    assert open_page.locator("#rows tr").count() == 100
    open_page.locator("#f-text").fill("_00042")
    until(open_page, "document.querySelectorAll('#rows tr').length === 1")
    assert _texts(open_page, "#rows a.name:visible") == ["resume_agent_260101_00042"]
    open_page.get_by_role("button", name="초기화").click()
    until(open_page, "document.querySelectorAll('#rows tr').length === 100")
    assert open_page.locator("#page").inner_text() == "1 / 201쪽"


def test_on_paper_there_are_all_rows_that_the_filter_leaves(open_page: Page, tmp_path: Path) -> None:
    status = a_status(tmp_path)
    for number in range(130):
        write_status(tmp_path, msgspec.structs.replace(status, set=f"s{number:03}", key=str(number)))
    write_index(tmp_path)
    _visit(open_page, tmp_path)
    assert open_page.locator("#rows tr").count() == 100
    open_page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert open_page.locator("#rows tr").count() == 131
    open_page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert open_page.locator("#rows tr").count() == 100
    assert len(re.findall(rb"/Type\s*/Page\b", open_page.pdf(prefer_css_page_size=True))) > 2


def test_the_trend_shows_its_figures_on_a_phone(watched: Watched) -> None:
    page = watched.visit("trend-resume-agent.html")
    page.set_viewport_size({"width": 390, "height": 844})
    cells = page.locator("table.trend tbody tr").first.locator("td:visible")
    box = cells.nth(1).bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    assert "%" in cells.nth(1).inner_text()
