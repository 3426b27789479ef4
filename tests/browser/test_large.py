"""Pages of 20,000 items: how long one works until it is open, and until a filter shows what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reporting.runs import publish_comparison, read_run
from reporting.store import Destination
from scoring.comparison import compare_runs
from scoring.items import Item
from scoring.rubric import Status
from tests.browser.conftest import Watched, need_browser
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result

need_browser()

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ITEMS = 20_000
OPEN_SECONDS = 1.0
FILTER_SECONDS = 0.1


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of 10,000 queries in two rounds, of which some fail, with what changed between them."""
    out = tmp_path_factory.mktemp("large")
    for name, failing in (("before", 9), ("after", 7)):
        publish_report(make_result(*_items(failing)), set_name=name, key=name, out=out)
    runs = [read_run(out / name) for name in ("before", "after")]
    publish_comparison(compare_runs(*runs), out / "after", Destination(out=out, language="ko"))
    return out / "after"


def _items(failing: int) -> list[Item]:
    """One of so many fails."""
    words = [f"낱말{n}" for n in range(211)]

    def text(start: int, n: int) -> str:
        return " ".join(words[(start * 7 + at * at) % len(words)] for at in range(n))

    failed = {"status": Status.ERROR, "why": "error", "intent": 0.0, "response": "", "message": ""}
    return [
        make_item(
            row,
            query_id=f"Q-{row % 10_000:05d}",
            round=f"{row // 10_002 + 1}/1",
            track=row % 3 + 1,
            category=f"분류{row % 17}",
            question=text(row, 12),
            **({"error": f"TimeoutError {row}", **failed} if row % failing == 0 else {"response": text(row + 1, 40)}),
        )
        for row in range(2, ITEMS + 2)
    ]


def _worked(session: CDPSession) -> dict[str, float]:
    """Seconds of the processor that the page has taken, which other processes of the machine do not change much."""
    return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}


@pytest.mark.parametrize("name", ["report.html", "compare.html"])
def test_a_page_of_20_000_items_opens_and_filters_at_once(watched: Watched, large: Path, name: str) -> None:
    page = watched.page
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    watched.visit(str(large / name))
    assert _worked(session)["TaskDuration"] < OPEN_SECONDS
    assert page.evaluate("items.length") == ITEMS
    assert page.locator("#cut").count() == (name == "compare.html")  # of 40,000 items of both runs
    page.wait_for_timeout(1_500)  # texts to search in are made while nothing else is to do
    page.locator("#filters").scroll_into_view_if_needed()
    for field, value in (("status", "낱말"), ("text", "낱말7 낱말98"), ("text", ""), ("category", "")):
        before = _worked(session)
        page.evaluate(
            """([name, value]) => {
              const field = document.getElementById("f-" + name);
              if (field.options) field.selectedIndex = 1;
              else field.value = value;
              field.dispatchEvent(new Event("input", { bubbles: true }));
              document.body.offsetHeight;
            }""",
            [field, value],
        )
        after = _worked(session)
        took = sum(after[part] - before[part] for part in ("ScriptDuration", "LayoutDuration"))
        assert took < FILTER_SECONDS, field
