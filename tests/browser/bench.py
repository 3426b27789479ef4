"""What the tests of the workbench share: numbers of its list, its pane, and what it copies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from tests.browser.conftest import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS = "#rows button"


class Found(NamedTuple):
    """questions of total: in the list. items: of these, that the filters leave; in a comparison of the later run."""

    questions: int
    total: int
    items: int


def found(page: Page) -> Found:
    """What the list says that it found."""
    numbers = re.findall(r"\d[\d,]*", page.locator("#found").inner_text())
    questions, total, *items = [int(number.replace(",", "")) for number in numbers]
    return Found(questions, total, items[-1])


def preset(page: Page, key: str) -> int:
    """Choose a preset; gives the number that it says."""
    button = page.locator(f"#presets [data-preset={key}]")
    button.click()
    return int(button.inner_text().rpartition(" ")[2].replace(",", ""))


def choose(page: Page, name: str) -> None:
    """Press the button of a track or a status."""
    page.locator("#quick").get_by_role("button", name=name, exact=True).click()


def ids(page: Page) -> list[str]:
    """Query IDs of the rows."""
    return [text.rpartition(" · ")[2] for text in page.locator(f"{ROWS} small").all_inner_texts()]


def opened(page: Page) -> str:
    """The Query ID of the question in the pane, once it is open."""
    page.locator("#pane").wait_for(state="visible")
    terms = page.locator("#pane-body > dl").first
    return terms.locator("dt", has_text="Query ID").locator("+ dd").inner_text().partition(" · ")[0]


def address(page: Page, part: str) -> str:
    """The address once it has a part; it is written a moment after what changed it."""
    until(page, f"location.hash.includes({json.dumps(part)})")
    return str(page.evaluate("location.href"))


def watch_clipboard(page: Page) -> None:
    """Keep what is copied from now on, by kind; a browser without a screen has no clipboard to look at."""
    page.evaluate(
        """window.kept = [];
        const keep = async (kinds) => { kept.push(kinds); };
        window.ClipboardItem = class { constructor(kinds) { this.kinds = kinds; } };
        const write = async ([item]) => {
          const kinds = {};
          for (const [kind, blob] of Object.entries(item.kinds)) kinds[kind] = await blob.text();
          await keep(kinds);
        };
        const writeText = (text) => keep({ "text/plain": text });
        Object.defineProperty(navigator, "clipboard", { value: { write, writeText } });"""
    )


def copied(page: Page) -> dict[str, str]:
    """What was copied last, by kind."""
    until(page, "kept.length > 0")
    kinds: dict[str, str] = page.evaluate("kept.pop()")
    return kinds
