"""The pages whose text and data are accepted under tests/golden, as a browser shows them."""

import json
from pathlib import Path

import pytest

from tests.browser.bench import ROWS, ids, opened
from tests.browser.conftest import CASES, Watched, merged, need_browser
from tests.golden import GOLDEN
from tests.reporting.document.embedded import QUERY, QUESTION, RESPONSE
from tests.reporting.publishing import publish_report
from tests.reporting.seen import Seen, plain

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("case", ["published_table", "hostile_text"])
def test_published_page_shows_what_is_accepted(watched: Watched, tmp_path: Path, case: str) -> None:
    publish_report(merged(CASES / case), set_name="resume_agent", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "resume_agent/report.html"))

    accepted = (GOLDEN / f"{case}_html/report.html.txt").read_text(encoding="utf-8").splitlines()
    lines = Seen(page.content()).lines  # the script has filled some of them
    assert [line for line in accepted if not any(one.startswith(line) for one in lines)] == []

    data = json.loads((GOLDEN / f"{case}_html/report.html.json").read_bytes())
    strings, queries, items = data["strings"], data["queries"], data["items"]
    shown = ids(page)
    while page.locator("#next").is_visible() and page.locator("#next").is_enabled():
        page.locator("#next").click()
        shown += ids(page)
    assert sorted(shown) == sorted(queries)

    for button, query_id in zip(page.locator(ROWS).all()[:3], shown, strict=False):
        button.click()
        assert opened(page) == query_id
        pane = plain(page.locator("#pane").inner_text())
        rounds = [item for item in items if queries[item[QUERY]] == query_id][:2]
        assert [answer for item in rounds if plain(answer := strings[item[RESPONSE]]) not in pane] == []
        assert any(plain(strings[item[QUESTION]])[:60] in pane for item in rounds)
        page.keyboard.press("Escape")
