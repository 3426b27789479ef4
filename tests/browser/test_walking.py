"""Walking through the pages: every Query ID opens its query, figures lead to items, the address holds the state."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reporting.index import write_index
from reporting.runs import compare_missing
from reporting.store import Destination, KnownSets
from reporting.summary import summarise_missing
from scoring.rubric import Status
from tests.browser.bench import ROWS, address, choose, found, ids, opened, preset
from tests.browser.conftest import Watched, need_browser, until
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, sha_of

need_browser()

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPORT = "sample/report.html"


@pytest.mark.parametrize("name", [REPORT, "h_full/report.html", "judged/report.html", "ten_rounds/report.html"])
def test_every_query_id_opens_its_query_with_all_rounds(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    data = json.loads(page.locator("#data").inner_text() or page.evaluate("JSON.stringify(data)"))
    seen = set()
    for link in page.locator("main a[href^='#query=']").all():
        query = link.inner_text()
        if query in seen or not link.is_visible():
            continue
        seen.add(query)
        link.click()
        assert opened(page) == query
        n = sum(row[0] == data["queries"].index(query) for row in data["items"])
        assert page.locator("#choose-right option").count() == (n if n > 1 else 0)
        page.keyboard.press("Escape")
        page.locator("#pane").wait_for(state="hidden")
        assert page.evaluate("document.activeElement.textContent") == query  # the focus is back on the link
        if len(seen) > 8:
            break
    assert seen


def test_a_figure_shows_as_many_items_as_it_counts(watched: Watched) -> None:
    page = watched.visit(REPORT)
    figures = page.locator("#places td.r a[href*='status=']")
    assert figures.count() > 10
    for at in range(0, figures.count(), 5):
        number = int(figures.nth(at).inner_text().replace(",", ""))
        figures.nth(at).click()
        until(page, f"/ {number}$|\\D{number}\\D*$/.test(document.getElementById('found').textContent)")
        assert page.locator("#found").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1440, 1000), (390, 844)])
@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_way_from_the_index_to_one_answer_is_three_clicks(
    watched: Watched, language: str, width: int, height: int
) -> None:
    """A set, and the first answer that its front page says to look at; its rounds are on the screen at once."""
    watched.page.set_viewport_size({"width": width, "height": height})
    page = watched.visit(f"../{language}/index.html")
    watched.visited += [
        (watched.out.parent / language / name).resolve().as_uri() for name in (REPORT, "sample/summary.html")
    ]
    clicks = 0

    def click(target: Locator) -> None:
        nonlocal clicks
        clicks += 1
        target.click()

    click(page.get_by_role("link", name="sample", exact=True))
    page.wait_for_url("**/sample/summary.html")
    assert page.locator("html").get_attribute("lang") == language
    first = page.locator("a[href^='report.html#query=']").first
    wanted = (first.get_attribute("href") or "").partition("#query=")[2]
    click(first)
    page.wait_for_url(f"**/{REPORT}**")
    assert opened(page) == wanted
    answer = page.locator("#pane-body .sides > section .bad").first
    assert answer.inner_text().strip()
    assert answer.is_visible()
    assert clicks <= 3


def test_what_there_is_to_look_at_leads_to_its_items_or_to_where_it_is_described(watched: Watched) -> None:
    page = watched.visit("h_full/report.html")
    for place in ("#findings-of-data", "#checklist"):
        page.locator(f"#figures li a[href='{place}']").click()
        assert page.locator(place).is_visible()
    entries = page.locator("#quality li a[href^='#finding=']")
    assert entries.count() >= 2
    total, seen = found(page).items, set()
    for at in range(entries.count()):
        entries.nth(at).click()
        until(page, "document.getElementById('chips').childElementCount === 1")
        assert 0 < found(page).items < total
        assert page.locator("#f-finding").input_value() != ""
        seen.add(page.locator("#f-finding").input_value())
    assert len(seen) == entries.count()


def test_report_index_trend_and_comparison_lead_to_each_other(watched: Watched) -> None:
    page = watched.visit(REPORT)
    steps = (
        ("nav a[href$='index.html']", "index.html"),
        ("a[href$='trend-resume-agent.html']", "trend-resume-agent.html"),
        ("td a[href='sample/summary.html']", "sample/summary.html"),  # no comparison: it is the first of the trend
        (".ways a[href='report.html']", REPORT),
        ("nav a[href='compare.html']", "sample/compare.html"),
        ("nav a[href$='index.html']", "index.html"),
        ("a[href='sample/summary.html']", "sample/summary.html"),
        (".ways a[href='report.html']", REPORT),
        ("nav a[href='compare.html']", "sample/compare.html"),
    )
    for link, name in steps:
        watched.visited.append((watched.out / name).resolve().as_uri())
        page.locator(link).first.click()
        page.wait_for_url(f"**/{name}")


def test_an_earlier_version_says_so_and_leads_to_the_newest(watched: Watched) -> None:
    kept = "sample/history/0001-k1/report.html"
    page = watched.visit(kept)
    assert page.locator("#older").is_visible()
    assert "이것은 이전 판" in page.locator("#older").inner_text()
    assert (watched.out / kept).read_bytes().count(b'id="older" class="note" hidden') == 1  # it is a byte copy
    targets = page.locator("#older a, nav a[data-top]").evaluate_all("found => found.map(one => one.href)")
    root = watched.out.resolve()
    names = (
        "sample/report.html",
        "sample/changes.html",
        "sample/compare.html",
        "trend-resume-agent.html",
        "index.html",
    )
    front = "sample/summary.html"  # which is made with the comparison, and not here
    assert set(targets) == {(root / name).as_uri() for name in (*names, front)}
    assert all((root / name).is_file() for name in names)
    watched.visited.append((root / names[0]).as_uri())
    page.locator("#older a").first.click()
    page.wait_for_url("**/sample/report.html")
    assert page.locator("#older").is_hidden()
    page = watched.visit(f"../en/{kept}")
    assert "earlier version" in page.locator("#older").inner_text()


def test_state_is_in_the_address_and_survives_a_reload(watched: Watched) -> None:
    page = watched.visit(REPORT)
    page.locator("#more summary").click()
    choose(page, "정상")
    page.locator("#f-round").select_option(index=2)
    choose(page, "Track 1")
    page.locator("#f-category").select_option(label="필터/학력")
    page.locator("#f-metric").select_option(label="응답 속도")
    page.locator("#f-from").fill("1")
    page.locator("#f-below").fill("5")
    page.locator("#f-text").fill("필터")
    page.locator("#f-sort").select_option("seconds")
    page.locator(ROWS).first.click()
    state = opened(page), found(page), page.locator("#chips").inner_text()
    written = address(page, "query=")
    for part in (
        "report=",
        "status=ok",
        "round=2/1",
        "track=1",
        "category=",
        "metric=latency",
        "from=1",
        "below=5",
        "text=",
        "sort=seconds",
    ):
        assert part in written, part
    page = watched.reopen(written)
    assert (opened(page), found(page), page.locator("#chips").inner_text()) == state
    assert page.locator("#f-sort").input_value() == "seconds"
    page.keyboard.press("Escape")
    until(page, "!location.hash.includes('query=')")
    assert "status=ok" in page.url
    page.locator("nav a[href='#places']").click()  # a place in the page does not take the place of the state
    address(page, "status=ok")
    page.locator("#f-text").fill("이런 말은 없다 q9z")
    page.locator("#clear").click()
    until(page, "location.hash === '' || location.hash.includes('sort=')")


@pytest.mark.parametrize(
    ("name", "count"),
    [("pattern", 11), ("finding", 3), ("repeat", 14)],
)
def test_filters_of_patterns_findings_and_repeats(watched: Watched, name: str, count: int) -> None:
    page = watched.visit(REPORT)
    page.locator("#more summary").click()
    total = found(page).items
    data = page.evaluate("data")
    facet = next(one for one in data["facets"] if one["name"] == name)
    at = 11 + [one["name"] for one in data["facets"]].index(name)
    for value in range(len(facet["keys"])):
        page.locator(f"#f-{name}").select_option(str(value))
        sets = facet.get("sets") or [[place] for place in range(len(facet["keys"]))]
        wanted = [row for row in data["items"] if row[at] >= 0 and value in sets[row[at]]]
        assert 0 < found(page).items == len(wanted) <= total
    assert count


def test_what_an_address_names_and_the_report_lacks_is_told(watched: Watched) -> None:
    page = watched.visit(REPORT, "query=Q-99999")
    assert "Q-99999" in page.locator("#notice").inner_text()
    assert not page.locator("#pane").is_visible()
    page = watched.visit(REPORT, "status=no-such&track=1")
    assert "status=no-such" in page.locator("#notice").inner_text()
    assert page.locator("#f-track").input_value() != ""
    page = watched.visit(REPORT, "at=99999")
    assert "99999행" in page.locator("#notice").inner_text()


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("metric=nosuch&below=3", ["metric=nosuch", "below=3"]),
        ("metric=intent&below=abc", ["below=abc"]),
        ("metric=intent&from=1,5", ["from=1,5"]),
        ("below=3", ["below=3"]),
        ("sort=nosuch", ["sort=nosuch"]),
        ("sort=-nosuch&status=error", ["sort=-nosuch"]),
        ("foo=bar", ["foo=bar"]),
        ("Status=error", ["Status=error"]),
        ("preset=nosuch", ["preset=nosuch"]),
        ("status=error&status=ok", ["status=ok"]),
        ("text=" + "x" * 300, ["text=xxx"]),
        ("text=" + "x" * 5000, ["text=xxx"]),
    ],
)
def test_what_of_an_address_is_not_applied_is_told(watched: Watched, address: str, named: list[str]) -> None:
    page = watched.visit(REPORT, address)
    told = page.locator("#notice").inner_text()
    assert [part for part in named if part not in told] == []


@pytest.mark.parametrize(
    "address", ["status=error", "metric=intent&below=3", "metric=intent", "sort=-query", "text=a", "preset=mixed"]
)
def test_an_address_that_is_applied_has_no_notice(watched: Watched, address: str) -> None:
    page = watched.visit(REPORT, address)
    assert page.locator("#notice").is_hidden()


@pytest.mark.parametrize("address", ["preset=nosuch", "foo=bar", "track=9&status=ok", "side=now", "text=" + "x" * 300])
def test_what_of_an_address_of_a_comparison_is_not_applied_is_told(watched: Watched, address: str) -> None:
    page = watched.visit("sample/compare.html", address)
    assert address.split("&", maxsplit=1)[0][:20] in page.locator("#notice").inner_text()


def test_an_address_of_another_report_is_ignored_with_a_line(watched: Watched) -> None:
    page = watched.visit(REPORT, "report=00000000&status=error&query=Q-00056")
    assert "다른 보고서" in page.locator("#notice").inner_text()
    assert found(page).items == page.evaluate("items.length")
    assert not page.locator("#pane").is_visible()


@pytest.mark.parametrize(
    "fragment",
    [
        "query=<img src=x onerror=alert(1)>", "text=</script><script>alert(1)</script>", "%E0%A4%A=%", "=", "&&&=&=",
        "sort=__proto__", "metric=constructor&from=1", "status=" + "9" * 3000, "query=" + "a" * 100_000, "at=-1&in=..",
        "from=NaN&below=1e999&metric=intent", "round=%00", "text=" + "(a" * 150, "__proto__=1", "of=1/1&query=",
    ],
)  # fmt: skip
def test_hostile_addresses_do_nothing(watched: Watched, fragment: str) -> None:
    page = watched.visit(REPORT, fragment)
    assert page.locator("#found").inner_text()
    assert page.locator("main img, main script").count() == 0
    preset(page, "fails")
    assert page.locator("#found").inner_text()


def test_filters_of_a_comparison_are_in_the_address(watched: Watched) -> None:
    page = watched.visit("sample/compare.html")
    preset(page, "now_passes")
    shown = page.locator("#found").inner_text()
    page = watched.reopen(address(page, "preset=now_passes"))
    assert page.locator("#found").inner_text() == shown
    assert page.locator("#presets [aria-pressed=true]").get_attribute("data-preset") == "now_passes"
    page = watched.visit("sample/compare.html", "report=0&preset=now_passes")
    assert "다른 보고서" in page.locator("#notice").inner_text()
    assert page.locator("#presets [aria-pressed=true]").get_attribute("data-preset") == "now_fails"


class _Clicks:
    """A reader's presses of the mouse, counted."""

    def __init__(self, watched: Watched) -> None:
        self.page = watched.page
        self.n = 0

    def on(self, one: Locator) -> None:
        one.click()
        self.n += 1

    def back(self) -> None:
        """By the button of the browser."""
        self.page.go_back()
        self.n += 1


def _folder_of_runs(watched: Watched, out: Path) -> Page:
    """The index of a folder of two runs. In the later one Q7 lost all its points, Q8 and Q3 some, Q5 never had any."""
    lost = {"run_260301": {"Q5": (0, 5)}, "run_260302": {"Q3": (0, 2), "Q5": (0, 5), "Q7": (0, 0), "Q8": (0, 2)}}
    for name, of_run in lost.items():
        items = []
        for at in range(1, 10):
            intent, stability = of_run.get(f"Q{at}", (5, 5))
            status = Status.ERROR if f"Q{at}" in of_run else Status.OK
            points = {"intent": float(intent), "accuracy": float(intent), "stability": float(stability)}
            said = {"query_id": f"Q{at}", "question": f"Question {at}", "executed_at": f"2026-03-0{name[-1]} 09:00"}
            items.append(make_item(at + 1, status=status, **said, **points))
        publish_report(make_result(*items, sha256=sha_of(name)), set_name=name, key=name, out=out)
    destination = Destination(out=out, language="ko")
    compare_missing(destination)
    known = KnownSets(out)
    known.look()
    assert summarise_missing(destination, known) == []
    write_index(out)
    pages = ("summary.html", "report.html", "compare.html")
    watched.visited += [(out / "run_260302" / name).resolve().as_uri() for name in pages]
    return watched.visit(str(out / "index.html"))


@pytest.mark.parametrize(
    ("number", "worst"), [("새로 실패 3", ["Q7", "Q3", "Q8"]), ("실패한 문항 4", ["Q7", "Q3", "Q8", "Q5"])]
)
def test_the_worst_answer_and_back_to_the_list_is_three_clicks_from_the_index(
    watched: Watched, tmp_path: Path, number: str, worst: list[str]
) -> None:
    page = _folder_of_runs(watched, tmp_path)
    clicks = _Clicks(watched)
    clicks.on(page.get_by_role("link", name=number))
    page.locator(ROWS).first.wait_for(state="visible")
    assert ids(page) == worst  # what lost most is first, and of equal ones the first ID
    first = page.locator(ROWS).first.bounding_box()
    assert first is not None
    assert 0 < first["y"] < 1000  # without scrolling
    clicks.on(page.locator(ROWS).first)
    assert opened(page) == "Q7"
    clicks.back()
    page.locator("#pane").wait_for(state="hidden")
    assert ids(page) == worst
    assert page.evaluate("document.activeElement.textContent").startswith("Question 7")
    assert clicks.n == 3


def test_the_worst_answer_by_the_front_page_and_back_to_it_is_three_clicks_from_the_index(
    watched: Watched, tmp_path: Path
) -> None:
    page = _folder_of_runs(watched, tmp_path)
    clicks = _Clicks(watched)
    clicks.on(page.locator("article.card a[href$='/summary.html']"))
    clicks.on(page.locator("#answers a").first)
    assert opened(page) == "Q7"
    clicks.back()
    page.wait_for_url("**/summary.html")
    assert clicks.n == 3
