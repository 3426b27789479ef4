"""A real browser on real pages. Where none can be had, the tests are skipped with one line that says so.

With BROWSER_TESTS=required, as where CI has one, they fail instead.

Every page is watched: a console message of level error, a script that fails, or a request for anything but the page
itself fails the test that caused it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from config import shipped_rubrics
from reporting.index import write_index
from reporting.runs import announce_comparison, compare_missing, publish_comparison, read_run
from reporting.store import Destination, KnownSets, SourceMark, SourceState, write_sources
from reporting.summary import summarise_missing
from scoring.comparison import compare_runs
from scoring.items import score_file
from scoring.items.spool import Items, Part
from scoring.results import SetResult, merge
from scoring.rubric import Rubric
from tests.inner import rubric_page
from tests.paths import ROOT
from tests.reporting.comparison.runs import hostile_comparison
from tests.reporting.publishing import publish_problem, publish_report
from tests.scoring.judged_sets import IDENTITY, SCORES, judging, requests_of, scores_part, verdict
from texts import texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/usr/lib/chromium/chromium")
REASON = "</script><img src=x onerror=alert(1)> [링크](javascript:alert(1)) \u202e" + "가" * 200
SAMPLE = ROOT / "tests/samples/resume_agent_two_rounds.csv"
CASES = ROOT / "tests/cases"


def need_browser() -> None:
    """Skip or fail the module that calls this where it cannot run: the whole of it, so that it is one line."""
    reason = None
    if find_spec("playwright") is None:
        reason = "playwright has no wheel for this platform"
    elif find_browser() is None:
        reason = "no browser on this machine: `apt install chromium` to test the pages"
    if reason is not None and os.environ.get("BROWSER_TESTS") == "required":
        pytest.fail(f"BROWSER_TESTS=required, but {reason}", pytrace=False)
    if reason is not None:
        pytest.skip(reason, allow_module_level=True)


def find_browser() -> str | None:
    """Path of a browser of this machine."""
    found = filter(None, (*map(shutil.which, NAMES), *(place for place in PLACES if Path(place).exists())))
    return next(found, None)


def until(page: Page, condition: str) -> None:
    """Wait for a condition. The way of Playwright itself is one that the policy of our pages forbids."""
    for _ in range(400):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never true: {condition}")


class Watched:
    """A page with what must not happen on it. visited: what it was sent to; requested: what it asked for."""

    def __init__(self, page: Page, out: Path) -> None:
        self.page = page
        self.out = out
        self.visited: list[str] = []
        self.requested: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requested.append(request.url.partition("#")[0]))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._console)
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def visit(self, name: str, fragment: str = "") -> Page:
        """Open a file of the output folder, anew where it is open already."""
        url = (self.out / name).resolve().as_uri()
        self.visited.append(url)
        if fragment:
            self.page.goto("about:blank")  # else only the fragment would change
            self.visited.append("about:blank")
        self.page.goto(f"{url}#{fragment}" if fragment else url)
        return self.page

    def reopen(self, address: str) -> Page:
        """Open an address of a page that was visited as another window would."""
        assert address.partition("#")[0] in self.visited
        return self.visit(
            address.partition("#")[0].removeprefix(self.out.resolve().as_uri() + "/"), address.partition("#")[2]
        )


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # not on every platform

    path = find_browser()
    assert path is not None
    with sync_playwright() as driver:
        arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        running = driver.chromium.launch(executable_path=path, args=arguments, timeout=60_000)
        yield running
        running.close()


@pytest.fixture(scope="package")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder: a sample in two versions, hostile, refused and judged sets, other profiles, and the index.

    Beside it `en`, the same in English.
    """
    base = tmp_path_factory.mktemp("pages")
    for language in ("ko", "en"):
        _write_pages(base / language, language)
    return base / "ko"


def _write_pages(folder: Path, language: str) -> None:
    sample = _scored(SAMPLE)
    publish_report(merge([("a.csv", sample)], _rubric()), set_name="sample", key="k1", out=folder, language=language)
    changed = [item for item in sample.items if item.query_id != sample.items[0].query_id]
    sample.items = Items.of(changed)
    sample.rows = len(changed)
    publish_report(merge([("a.csv", sample)], _rubric()), set_name="sample", key="k2", out=folder, language=language)
    for name, profile in (("hostile_text", "resume-agent"), ("ten_rounds", "resume-agent"), ("h_full", "h-recruit")):
        publish_report(merged(CASES / name, profile), set_name=name, key="k", out=folder, language=language)
    publish_report(merged(CASES / "one_round"), set_name="gone", key="k", out=folder, language=language)
    write_sources(folder, {"gone": SourceMark(SourceState.REMOVED)})
    publish_report(_judged(), set_name="judged", key="k", out=folder, language=language)
    (path,) = (CASES / "truncated_upload").glob("*.csv")
    part = _scored(path)
    publish_problem(
        [problem.at(path.name) for problem in part.problems],
        inputs=[(path.name, part.sha256)],
        set_name="cut",
        key="k",
        out=folder,
        profile="resume-agent",
        language=language,
    )
    destination = Destination(out=folder, language=language)
    compare_missing(destination)
    known = KnownSets(folder)
    known.look()
    assert summarise_missing(destination, known) == []
    (folder / "unmade").mkdir()
    announce_comparison("unmade", destination)
    sides = [read_run(folder / "sample", selection=label) for label in ("1/1", "2/1")]
    reports = folder / "sample", folder / "sample"
    publish_comparison(compare_runs(*sides), folder / "sample", destination, reports=reports)
    publish_comparison(hostile_comparison(), folder / "hostile_text", destination)
    patterns = {rubric.profile: rubric.files for rubric in shipped_rubrics()}
    unclaimed = ["<img src=x onerror=alert(1)>.csv"]
    write_index(folder, unclaimed=unclaimed, language=language, patterns=patterns)
    page = rubric_page(_rubric("rubrics-score"), None, source="rubrics-score.md", t=texts(language))
    (folder / "rubric.html").write_text(page, encoding="utf-8")


def merged(case: Path, profile: str = "resume-agent") -> SetResult:
    """The set of a handed case."""
    (path,) = case.glob("*.csv")
    return merge([(path.name, _scored(path, profile))], _rubric(profile))


def _judged() -> SetResult:
    """Two rounds of one question: a level that was recorded, and one that a judge picked for a hostile reason."""
    question = {"id": "Q1", "질의": "언제 지었나요?", "카테고리": "역사", "등급": ""}
    part = scores_part(
        [
            question | {"round": "1/1", "응답": "1889년", "등급": "5"},
            question | {"round": "2/1", "응답": "1887년"},
            question | {"id": "Q2", "round": "1/1", "응답": "탑입니다", "등급": "3"},
        ]
    )
    (request,) = requests_of(part.items, SCORES, IDENTITY)
    return merge([("scores.csv", part)], SCORES, judging(verdict(request, "2", reason=REASON)))


@pytest.fixture
def watched(browser: Browser, out: Path) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(60_000)
    seen = Watched(context.new_page(), out)
    yield seen
    context.close()
    assert seen.complaints == []
    assert set(seen.requested) <= set(seen.visited)


def _rubric(profile: str = "resume-agent") -> Rubric:
    return next(rubric for rubric in shipped_rubrics() if rubric.profile == profile)


def _scored(path: Path, profile: str = "resume-agent") -> Part:
    with path.open("rb") as stream:
        return score_file(stream, name=path.name, rubric=_rubric(profile))
