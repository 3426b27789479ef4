"""A person disagrees with grades on a page, saves that as a file, and the file counts as any review file does."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from config import shipped_rubrics
from scoring.review import ItemKey, Sample, read_review
from tests.browser.bench import ROWS, address, opened
from tests.browser.conftest import Watched, need_browser
from tests.cli.conftest import place  # noqa: F401 - a fixture
from tests.cli.place import Place, rows
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result

if TYPE_CHECKING:
    from playwright.sync_api import Page

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SET = "resume_agent_week"
COMMENT = '=1+1 "근거", 없음\n둘째 줄 <b>'
CAUSE = "@원인, <img src=x>"
NAME = "-김 검수/자"
MARKED = "<b>굵게</b> & '따옴표'"


def _disagree(page: Page, side: str, grade: str, comment: str = "", cause: str = "") -> None:
    """Fill in the form of an answer. The name is asked for by the first one alone."""
    form = page.locator(f"section[aria-labelledby=side-{side}] .disagree")
    form.locator("summary").click()
    form.locator("select").first.select_option(label=grade)
    form.locator("textarea").fill(comment)
    form.locator("input").first.fill(cause)
    if form.locator("input").count() > 1:
        form.locator("input").last.fill(NAME)
    form.locator("form > button").click()


def _saved(page: Page, path: Path) -> Path:
    with page.expect_download() as download:
        page.locator("#review button", has_text="CSV").click()
    assert download.value.suggested_filename == "review_-김_검수_자.csv"
    download.value.save_as(path)
    return path


def _asks(page: Page) -> bool:
    """Does leaving ask?"""
    return not page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def _items(folder: Path) -> list[dict[str, str]]:
    with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _leave_downloads(watched: Watched) -> None:
    """A file that the page makes of its own data is no request."""
    watched.visited += [url for url in watched.requested if url.startswith("blob:")]


def test_what_a_person_disagrees_with_counts_once_the_saved_file_is_merged(
    watched: Watched,
    place: Place,  # noqa: F811
) -> None:
    cells = rows(*(f"Q{number}@{at}/1" for at in (1, 2) for number in range(4))).replace("3명,,,,,", "3명,,,4,,")
    place.file(f"docs/test-result/{SET}.csv", cells)
    assert place.score("docs/test-result", "--out", "docs/reports").code == 0
    folder = place.root / "docs/reports" / SET
    page = watched.visit(str(folder / "report.html"))
    assert page.locator("#review").is_hidden()
    page.locator(ROWS).first.click()
    query = opened(page)
    kept = address(page, "query=")
    _disagree(page, "right", "1", COMMENT, CAUSE)
    assert page.evaluate("document.activeElement.closest('.disagree') !== null")
    assert _asks(page)
    _disagree(page, "left", "2")
    assert page.locator("#disagreements li").count() == 2
    assert page.locator(".disagree summary").all_inner_texts() == [
        "동의하지 않음: 의도 충족 1",
        "동의하지 않음: 의도 충족 2",
    ]
    assert page.evaluate("location.href") == kept
    path = _saved(page, place.root / "mine.csv")
    assert not _asks(page)
    with path.open("rb") as stream:
        found = read_review(stream, path.name)
    assert found is not None
    assert (found.problems, found.refused) == ((), ())
    assert [(one.grade, one.reviewer, one.comment, one.cause) for one in found.grades] == [
        ("1", NAME, COMMENT, CAUSE),
        ("2", NAME, "", ""),
    ]
    merged = place.run("review", "--merge", path)
    assert "행 2개 = 반영 2 + 빈칸 0 + 쓰지 않음 0" in merged.out
    items = {(one["query_id"], one["round"]): one for one in _items(folder)}
    assert {one["intent"] for one in items.values() if one["query_id"] == query} == {"1", "2"}
    assert sorted(one["reviewed_by"] for one in items.values()) == [""] * 6 + [f"'{NAME}"] * 2  # no formula there
    report = json.loads((folder / "report.json").read_bytes())
    assert report["headline"]["metrics"]["intent"] == pytest.approx((6 * 4 + 1 + 2) / 8)
    page = watched.visit(str(folder / "report.html"))
    page.locator(ROWS).first.click()
    assert NAME in page.locator("#pane-body").inner_text()
    _leave_downloads(watched)


def test_both_sides_of_a_comparison_have_their_keys(watched: Watched, tmp_path: Path) -> None:
    page = watched.visit("sample/compare.html")
    page.locator(ROWS).first.click()
    query = opened(page)
    _disagree(page, "left", "0")
    _disagree(page, "right", "5", "맞는 답")
    with _saved(page, tmp_path / "both.csv").open(encoding="utf-8-sig", newline="") as stream:
        saved = list(csv.DictReader(stream))
    keys = [ItemKey.read(one["scorewatch-key"]) for one in saved]
    items = {one["round"]: one for one in _items(watched.out / "sample") if one["query_id"] == query}
    assert keys == [
        ItemKey("resume-agent", "sample", query, label, 1, "intent", Sample.FLAGGED, items[label]["text_hash"])
        for label in ("1/1", "2/1")
    ]
    assert [(one["검수 점수"], one["검수 코멘트"]) for one in saved] == [("0", ""), ("5", "맞는 답")]
    _leave_downloads(watched)


def test_it_works_by_keyboard_and_can_be_taken_back(watched: Watched) -> None:
    page = watched.visit("sample/report.html")
    page.locator(ROWS).first.click()
    page.locator("section[aria-labelledby=side-right] .disagree summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.keyboard.type("까닭/둘")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("김")
    page.keyboard.press("Enter")
    assert page.locator("#disagreements li").count() == 1
    assert "까닭/둘" in page.locator("#disagreements").inner_text()
    assert page.locator("#reviewer").input_value() == "김"
    page.keyboard.press("Enter")  # the form again, as it was filled in
    assert page.locator(".sides > .chosen textarea").input_value() == "까닭/둘"
    page.keyboard.press("Escape")
    assert page.locator("#pane").is_visible()
    assert page.locator(".disagree[open]").count() == 0
    page.locator("#disagreements button").last.click()
    assert page.locator("#review").is_hidden()
    assert not _asks(page)
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


def test_levels_and_causes_of_a_document_stay_text(watched: Watched, tmp_path: Path) -> None:
    rubric = next(one for one in shipped_rubrics() if one.profile == "resume-agent")
    result = make_result(make_item(query_id=MARKED), rubric=replace(rubric, causes=(MARKED, "=b")))
    publish_report(result, set_name="s", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "s/report.html"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(ROWS).first.click()
    page.locator(".disagree summary").click()
    assert page.locator(".disagree select").last.locator("option").all_inner_texts() == ["", MARKED, "=b"]
    assert page.locator(".disagree b, .disagree img").count() == 0
    page.locator(".disagree select").first.select_option(index=1)
    page.locator(".disagree select").last.select_option(label="=b")
    page.locator(".disagree input").fill(NAME)
    page.locator(".disagree form > button").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    path = _saved(page, tmp_path / "x.csv")
    with path.open("rb") as stream:
        found = read_review(stream, path.name)
    assert found is not None
    (grade,) = found.grades
    assert (grade.cause, grade.key.query_id) == ("=b", MARKED)
    _leave_downloads(watched)


def test_without_a_script_nothing_of_it_is_there(watched: Watched) -> None:
    context = watched.page.context.browser
    assert context is not None
    plain = context.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto((watched.out / "sample/report.html").resolve().as_uri())
    assert page.locator("#review").is_hidden()
    assert "동의하지 않음" not in page.inner_text("body")
    plain.close()
