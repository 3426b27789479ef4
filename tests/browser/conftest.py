"""A real browser on real pages. Where none can be had, the tests are skipped with one line that says so.

Every page is watched: a console message of level error, a script that fails, or a request for anything but the page
itself fails the test that caused it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from config.rubric_store import shipped_rubrics
from reporting.index import write_index
from reporting.publish import publish_problem, publish_report
from scoring.aggregate import merge
from scoring.part import Part
from scoring.rubric import Rubric
from scoring.score import score_file
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/usr/lib/chromium/chromium")
SAMPLE = ROOT / "docs/test-result/resume_agent_sample.csv"
CASES = ROOT / "tests/cases"


def find_browser() -> str | None:
    """Path of a browser of this machine."""
    found = filter(None, (*map(shutil.which, NAMES), *(place for place in PLACES if Path(place).exists())))
    return next(found, None)


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

    def visit(self, name: str) -> Page:
        """Open a file of the output folder."""
        url = (self.out / name).as_uri()
        self.visited.append(url)
        self.page.goto(url)
        return self.page


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = find_browser()
    assert path is not None
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright for this platform")
    with sync_api.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        running = driver.chromium.launch(executable_path=path, args=arguments, timeout=60_000)
        yield running
        running.close()


@pytest.fixture(scope="package")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder: a sample in two versions, a hostile set, a refused one, another profile, and the index."""
    folder = tmp_path_factory.mktemp("out")
    sample = _scored(SAMPLE)
    publish_report(merge([("a.csv", sample)], _rubric()), set_name="sample", key="k1", out=folder)
    changed = [item for item in sample.items if item.query_id != sample.items[0].query_id]
    sample.items = changed
    sample.rows = len(changed)
    publish_report(merge([("a.csv", sample)], _rubric()), set_name="sample", key="k2", out=folder)
    for name, profile in (("hostile_text", "resume-agent"), ("ten_rounds", "resume-agent"), ("h_full", "h-recruit")):
        (path,) = (CASES / name).glob("*.csv")
        result = merge([(path.name, _scored(path, profile))], _rubric(profile))
        publish_report(result, set_name=name, key="k", out=folder)
    (path,) = (CASES / "truncated_upload").glob("*.csv")
    part = _scored(path)
    problems = [problem.at(path.name) for problem in part.problems]
    inputs = [(path.name, part.sha256)]
    publish_problem(problems, inputs=inputs, set_name="cut", key="k", out=folder, profile="resume-agent")
    write_index(folder, unclaimed=["<img src=x onerror=alert(1)>.csv"])
    return folder


@pytest.fixture
def watched(browser: Browser, out: Path) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.set_default_timeout(8_000)
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
