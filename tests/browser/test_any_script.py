"""Texts in any script, turned around, or of 100 KB, in a real browser: nothing overflows, fails or is changed."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reporting.index import write_index
from tests.browser.conftest import Watched, need_browser, until
from tests.reporting.seen import embedded_data
from tests.reporting.summary.test_files import summarise
from tests.reporting.test_any_script import LONG, SCRIPTS, TURNED, publish

if TYPE_CHECKING:
    from playwright.sync_api import Browser

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BEFORE, AFTER = "run_260301", f"run_260302_{SCRIPTS['arabic']}"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of every script, the second with failures, and the pages around them."""
    out = tmp_path_factory.mktemp("scripts")
    for name in (BEFORE, AFTER):
        publish(out, name, broken=name == AFTER)
    summarise(out)
    write_index(out, unclaimed=[f"{TURNED}{LONG}.csv", *SCRIPTS.values()])
    return out


@pytest.fixture
def narrow(browser: Browser, folder: Path) -> Watched:
    """A page as wide as a phone, watched."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    return Watched(context.new_page(), folder)


@pytest.mark.parametrize("name", ["report.html", "compare.html", "summary.html", "../index.html"])
def test_a_page_of_any_script_fits_a_phone_and_no_script_of_it_fails(narrow: Watched, name: str) -> None:
    page = narrow.visit(f"{AFTER}/{name}")
    assert page.evaluate(OVERFLOW) <= 0
    assert narrow.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", ["report.html", "compare.html"])
def test_answers_of_any_script_are_shown_as_they_are(narrow: Watched, name: str) -> None:
    """Every question is opened; what its pane says is what the page carries, in the order of its characters."""
    page = narrow.visit(f"{AFTER}/{name}", "preset=all")
    until(page, "!document.getElementById('bench').hidden")
    data = json.loads(embedded_data((narrow.out / AFTER / name).read_text(encoding="utf-8")))
    rows = page.locator("#rows button")
    assert rows.count() == len(data["queries"]) == 2 * (len(SCRIPTS) + 2)
    seen = set()
    for at in range(rows.count()):
        page.evaluate(f"document.querySelectorAll('#rows button')[{at}].click()")
        assert page.evaluate(OVERFLOW) <= 0
        seen |= set(page.evaluate("[...document.querySelectorAll('#pane .text')].map(one => one.textContent)"))
        page.locator("#close").click()
    for text in SCRIPTS.values():
        assert unicodedata.normalize("NFC", text) in seen or text in seen, text
    assert seen >= {text for text in data["strings"] if text.startswith("가<b>|`")}
    assert narrow.complaints == []
    page.context.close()
