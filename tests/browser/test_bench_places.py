"""Where the row, the pane and its buttons are on the screen, from opening a question to coming back to the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.browser.bench import ROWS, address, opened
from tests.browser.conftest import Watched, need_browser, until

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPORT, COMPARISON = "sample/report.html", "sample/compare.html"
DESKTOP, PHONE = (1440, 900), (390, 844)
PAGES = pytest.mark.parametrize("name", [REPORT, COMPARISON])


class _Sides(NamedTuple):
    top: float
    bottom: float


def _visit(watched: Watched, name: str, size: tuple[int, int], fragment: str = "preset=all") -> Page:
    watched.page.set_viewport_size({"width": size[0], "height": size[1]})
    return watched.visit(name, fragment)


def _sides(one: Locator) -> _Sides:
    """In pixels from the top of the screen."""
    return _Sides(*one.evaluate("one => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"))


def _is_in_sight(one: Locator) -> bool:
    """Whole on the screen but for parts of a pixel, below the list of sections that stays on top of it."""
    page = one.page
    top, bottom = map(round, _sides(one))
    height: int = page.evaluate("innerHeight")
    return _sides(page.locator("nav.bar")).bottom <= top < bottom <= height


def _row(page: Page, at: int, block: str) -> Locator:
    """A row that is scrolled to that place of the screen."""
    row = page.locator(ROWS).nth(at)
    row.evaluate("(row, block) => row.scrollIntoView({ block })", block)
    return row


@PAGES
@pytest.mark.parametrize(
    ("at", "block"), [(0, "nearest"), (0, "center"), (20, "center"), (20, "end"), (-1, "center"), (-1, "start")]
)
def test_the_row_that_is_opened_and_the_buttons_of_the_pane_are_in_sight(
    watched: Watched, name: str, at: int, block: str
) -> None:
    page = _visit(watched, name, DESKTOP)
    row = _row(page, at, block)
    before = _sides(row).top
    row.click()
    assert _is_in_sight(row)
    assert _is_in_sight(page.locator("#close"))
    if block == "center":
        assert abs(_sides(row).top - before) < 4
    row.click()
    page.keyboard.press("Escape")
    assert _is_in_sight(row)
    assert row.evaluate("row => row === document.activeElement")
    until(page, "history.state === null")
    assert abs(_sides(row).top - before) < 4


@PAGES
def test_arrows_keep_the_row_and_the_buttons_in_sight_and_the_last_one_has_the_focus(
    watched: Watched, name: str
) -> None:
    page = _visit(watched, name, DESKTOP)
    _row(page, 0, "center").click()
    for key in ["ArrowDown"] * 12 + ["ArrowUp"] * 3:
        page.keyboard.press(key)
        assert _is_in_sight(page.locator(f"{ROWS}[aria-current]"))
        assert _is_in_sight(page.locator("#close"))
    for _ in range(4):  # the list goes along
        page.locator("#following").click()
        assert _is_in_sight(page.locator(f"{ROWS}[aria-current]"))
    page.locator("#close").click()
    until(page, "history.state === null")
    page.wait_for_timeout(100)
    focused = page.locator(f"{ROWS}:focus")
    assert page.locator(ROWS).nth(13).evaluate("row => row === document.activeElement")
    assert _is_in_sight(focused)


@PAGES
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_an_address_brings_the_answer_and_its_buttons_in_sight(
    watched: Watched, name: str, size: tuple[int, int]
) -> None:
    page = _visit(watched, name, size)
    page.locator(ROWS).nth(30).click()
    query = opened(page)
    page = watched.reopen(address(page, "query="))
    assert opened(page) == query
    assert _is_in_sight(page.locator("#close"))
    assert size == PHONE or _is_in_sight(page.locator(f"{ROWS}[aria-current]"))
    page.locator("#close").click()
    assert _is_in_sight(page.locator(f"{ROWS}:focus"))


@PAGES
@pytest.mark.parametrize(("at", "block"), [(0, "nearest"), (0, "start"), (20, "center"), (-1, "end")])
def test_on_a_phone_the_answer_begins_below_the_sections_and_the_list_is_found_as_it_was(
    watched: Watched, name: str, at: int, block: str
) -> None:
    page = _visit(watched, name, PHONE)
    row = _row(page, at, block)
    before = _sides(row).top
    row.click()
    assert _is_in_sight(page.locator("#close"))
    assert _is_in_sight(page.locator("#pane-title"))
    page.evaluate("scrollBy(0, 1500)")
    page.go_back()
    page.locator("#rows").wait_for(state="visible")
    page.wait_for_timeout(100)
    assert row.evaluate("row => row === document.activeElement")
    assert _is_in_sight(row)
    assert abs(_sides(row).top - before) < 4
    row.click()
    for _ in range(3):
        page.locator("#following" if at == 0 else "#previous").click()
        assert _is_in_sight(page.locator("#pane-title"))
    page.locator("#close").click()
    until(page, "history.state === null")
    page.wait_for_timeout(100)
    assert _is_in_sight(page.locator(f"{ROWS}:focus"))


@pytest.mark.parametrize("folder", ["", "../en/"])
@PAGES
def test_on_a_phone_the_first_question_is_in_the_upper_half_of_the_workbench(
    watched: Watched, folder: str, name: str
) -> None:
    page = _visit(watched, folder + name, PHONE)
    page.evaluate("document.getElementById('bench').scrollIntoView()")
    assert _sides(page.locator(ROWS).first).top < PHONE[1] / 2 + 56  # which is below the sections
    tops = "buttons => new Set(buttons.map(button => button.getBoundingClientRect().top)).size"
    assert page.locator("#presets button").evaluate_all(tops) == 1
    assert page.locator("#quick button").evaluate_all(tops) == 1
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    last = page.locator("#presets button").last
    last.click()  # within reach
    assert last.get_attribute("aria-pressed") == "true"


@PAGES
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_what_an_address_could_not_do_is_told_beside_the_answer(
    watched: Watched, name: str, size: tuple[int, int]
) -> None:
    page = _visit(watched, name, size)
    query = page.locator(f"{ROWS} small").first.inner_text().rpartition(" · ")[2]
    page = _visit(watched, name, size, f"colour=red&query={query}")
    assert opened(page) == query
    said = page.locator("#noted")
    assert "colour=red" in said.inner_text()
    assert _is_in_sight(said)
    assert _is_in_sight(page.locator("#close"))
    page.locator("#close").click()
    assert "colour=red" in page.locator("#notice").inner_text()
    assert page.locator("#notice").is_visible()


@PAGES
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_what_an_address_could_not_do_is_in_sight_above_the_list(
    watched: Watched, name: str, size: tuple[int, int]
) -> None:
    page = _visit(watched, name, size, "query=Q-999999&colour=red")
    notice = page.locator("#notice")
    assert "Q-999999" in notice.inner_text()
    assert _is_in_sight(notice)
