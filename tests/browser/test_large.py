"""Pages of 20,000 items: each holds all of them, and draws no more rows than it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.runs import publish_comparison, read_run
from reporting.store import Destination
from scoring.comparison import compare_runs
from scoring.items import Item
from scoring.rubric import Status
from tests.browser.bench import ROWS, found
from tests.browser.conftest import Watched, need_browser
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ITEMS = 20_000
PAGE = 100  # rows that the list draws


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


@pytest.mark.parametrize("name", ["report.html", "compare.html"])
def test_a_page_of_20_000_items_holds_all_and_draws_a_hundred(watched: Watched, large: Path, name: str) -> None:
    """How long it takes: bench.pages."""
    page = watched.visit(str(large / name))
    assert page.evaluate("items.length") == ITEMS
    assert page.locator("#cut").count() == (name == "compare.html")  # of 40,000 items of both runs
    total = found(page).total
    for field, value in (("text", "낱말7 낱말98"), ("status", "error"), ("category", "분류3")):
        watched.visit(str(large / name), f"{field}={value}")
        assert 0 < found(page).questions < total, field
        assert 0 < page.locator(ROWS).count() <= PAGE
