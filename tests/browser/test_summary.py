"""The front page of a set in a browser: what *Copy summary* copies, and the page away from its folder."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.main import main
from reporting.document import plain_text
from scoring.known import KNOWN_COLUMNS
from tests.browser.bench import copied, watch_clipboard
from tests.browser.conftest import need_browser, until
from tests.cli.place import rows

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Watched

need_browser()
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

COPY = "요약 복사"
READ = """async (kind) => {
    const [item] = await navigator.clipboard.read();
    return (await item.getType(kind)).text();
}"""


@pytest.fixture
def page(watched: Watched) -> Page:
    page = watched.visit("sample/summary.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('')")
    return page


def test_the_summary_is_copied_as_text_and_as_it_looks(watched: Watched, page: Page) -> None:
    page.get_by_role("button", name=COPY).click()
    until(page, "document.querySelector('#copied').textContent")
    assert page.locator("#copied").inner_text() == "복사했습니다."
    text = page.evaluate(READ, "text/plain").replace("\r\n", "\n")
    assert text == plain_text((watched.out / "sample/summary.md").read_text(encoding="utf-8"))
    assert not [mark for mark in ("\\", "**", "# ", "](") if mark in text]
    looks = page.evaluate(READ, "text/html")
    verdict = page.locator("main .lead").first.inner_text()
    assert verdict in looks
    for told in ("요약</h1>", "한 줄로", "먼저 볼 답변", "왜 ", "믿을 수 있나"):
        assert told in looks
    left_out = ("<a ", "<button", "<svg", "<script", "<details", 'class="charts"', "전체 보고서", COPY)
    assert not [sign for sign in left_out if sign in looks]


def test_the_warning_of_damaged_figures_is_copied_first_and_printed_dark(page: Page) -> None:
    """A line as on the pages of a damaged set; paper has no background colours."""
    page.evaluate("""document.body.insertAdjacentHTML("afterbegin", '<p class="damaged">Do not use</p>')""")
    page.get_by_role("button", name=COPY).click()
    until(page, "document.querySelector('#copied').textContent")
    looks = page.evaluate(READ, "text/html")
    assert looks.index("Do not use") < looks.index("요약</h1>")
    page.emulate_media(media="print")
    colour = page.evaluate("getComputedStyle(document.querySelector('.damaged')).color")
    assert colour == "rgb(0, 0, 0)"


def test_without_the_new_way_to_copy_the_text_is_copied_by_the_older_one(watched: Watched, page: Page) -> None:
    page.evaluate(
        """Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = (name) => { window.held = document.activeElement.value; return name === "copy"; };"""
    )
    page.get_by_role("button", name=COPY).click()
    until(page, "window.held")
    assert page.evaluate("held") == plain_text((watched.out / "sample/summary.md").read_text(encoding="utf-8"))
    assert page.locator("#copied").inner_text() == "복사했습니다."


def test_links_lead_on_in_the_folder_of_the_set_alone(watched: Watched, page: Page, tmp_path: Path) -> None:
    assert page.locator("#ways a:visible").count() == 5  # report, comparison, changes, trend, index
    inside = page.locator("main a[href]").count()
    assert inside >= 5 + 2
    shutil.copy(watched.out / "sample/summary.html", tmp_path / "summary.html")
    url = (tmp_path / "summary.html").as_uri()
    watched.visited.append(url)
    page.goto(url)
    assert page.locator("main a[href]").count() == 0
    assert page.locator("#ways:visible").count() == 0
    assert "sample/report.html" in page.locator("main").inner_text()
    assert page.get_by_role("button", name=COPY).is_visible()


def test_the_page_says_it_all_without_a_script(watched: Watched) -> None:
    browser = watched.page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((watched.out / "sample/summary.html").resolve().as_uri())
    text = page.locator("body").inner_text()
    context.close()
    assert COPY not in text
    for told in ("믿을 수 있나", "먼저 볼 답변", "왜 ", "sample/report.html"):
        assert told in text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949"])
def test_lines_that_are_copied_make_the_failures_known_once_a_ticket_is_written(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """Pasted into a spreadsheet and saved as CSV; errors like formulas and without a text are among them."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    texts = {"i0": 'HTTP 502, "gateway" 🚫', "i1": "=SUM(A1:A9)", "i2": "응답 대기 90000ms 초과\n두 줄"}
    lines = list(csv.reader(io.StringIO(rows("Q1", "Q2", "Q3", "Q4", "Q5"))))
    for line in lines[1:5]:
        line[8], line[9], line[13] = "", texts.get(line[1], ""), "{}"
    with Path("in/resume_agent_a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    table = [list(KNOWN_COLUMNS), ["", "Q9", "", "", "known", "HR-1", "", "", ""]]

    def told() -> str:
        with Path("in/known.csv").open("w", encoding=encoding, newline="") as file:
            csv.writer(file).writerows(table)
        assert main(["score", "in", "--out", "out"]) == 0
        return Path("out/resume_agent_a/summary.md").read_text(encoding="utf-8")

    assert "티켓 없는 실패 4 · 알려진 실패 0" in told()
    watched.out = tmp_path / "out"
    page = watched.visit("resume_agent_a/summary.html")
    watch_clipboard(page)
    for button in page.get_by_role("button", name="행으로 복사").all():
        button.click()
        pasted = csv.reader(io.StringIO(copied(page)["text/plain"], newline=""), dialect="excel-tab")
        table += [[*cells[:5], "HR-123", *cells[6:]] for cells in pasted]
    assert {tuple(cells[:3]) for cells in table[2:]} == {
        ("resume-agent", "Q4", ""),
        ("resume-agent", "", 'HTTP *, "gateway" *'),
        ("resume-agent", "", "'=SUM(A*:A*)"),
    }
    assert "티켓 없는 실패 1 · 알려진 실패 3 (HR-123: 3)" in told()


@pytest.mark.parametrize("name", ["sample", "hostile_text", "cut"])
@pytest.mark.parametrize("language", ["ko", "en"])
def test_nothing_sticks_out_of_a_phone(watched: Watched, name: str, language: str) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 844})
    page = watched.visit(f"../{language}/{name}/summary.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
