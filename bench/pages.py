"""How long the large pages work in a browser: until one is open, and until a filter shows what it leaves.

    python -m bench.pages [--items 20000] [--sets 20000] [--times 7]

Seconds of the page's own processor time, in turn with an empty page. Needs chromium.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.make_csv import write_file
from bench.pictures import launch
from bench.start import fill
from bench.targets import TIMES, Figure, Target, alternate, print_table
from cli.main import main as scorewatch
from reporting.index import write_index

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession

RUNS = "resume_agent_20260304", "resume_agent_20260311"
WORSE = 200  # queries that newly fail
MOST_OF_OPENING, MOST_OF_FILTER = Target(1.0), Target(0.1)
FILTERS = {
    "report.html": (("status", ""), ("text", "지원자 검색"), ("text", ""), ("category", "")),
    "compare.html": (("status", ""), ("text", "지원자 검색"), ("text", ""), ("category", "")),
    "index.html": (("text", "_00042"), ("text", "")),
}
# A list takes its second choice, a field the text. Reading a size makes the browser lay the page out at once.
FILTER = """([name, value]) => {
  const field = document.getElementById("f-" + name);
  if (field.options) field.selectedIndex = 1;
  else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.offsetHeight;
}"""


def write_pages(home: Path, items: int, sets: int) -> list[Path]:
    """A report and a comparison of two runs of so many items in two rounds, and a board of so many sets."""
    out = home / "reports"
    for name, worse in zip(RUNS, (0, WORSE), strict=True):
        write_file(home / "runs" / f"{name}.csv", items, worse=worse)
    scorewatch(["score", str(home / "runs"), "--out", str(out), "--quiet"])
    fill(home / "board", sets, out / RUNS[0])
    write_index(home / "board")
    return [out / RUNS[1] / "report.html", out / RUNS[1] / "compare.html", home / "board" / "index.html"]


def measure(browser: Browser, path: Path, times: int) -> list[Figure]:
    """Opening the page beside an empty one, and the filter that takes longest."""
    pairs = alternate(lambda: _open(browser, None)[0], lambda: _open(browser, path)[0], times)
    floors, openings = zip(*pairs, strict=True)
    filters = [max(_open(browser, path)[1]) for _ in range(times)]
    return [
        Figure(f"{path.name}: open", openings, " s", MOST_OF_OPENING, floors),
        Figure(f"{path.name}: filter", filters, " s", MOST_OF_FILTER, digits=3),
    ]


def _open(browser: Browser, path: Path | None) -> tuple[float, list[float]]:
    """Seconds until a page, None for an empty one, is open, and of each of its filters."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto("about:blank" if path is None else path.as_uri())
    opened, took = _worked(session, "TaskDuration"), []
    page.wait_for_timeout(1_500)  # texts to search in are made while nothing else is to do
    for chosen in () if path is None else FILTERS[path.name]:
        before = _worked(session, "ScriptDuration", "LayoutDuration")
        page.evaluate(FILTER, list(chosen))
        took.append(_worked(session, "ScriptDuration", "LayoutDuration") - before)
    page.close()
    return opened, took


def _worked(session: CDPSession, *parts: str) -> float:
    """Seconds of the processor that the page has taken for these parts of its work."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(sum(one["value"] for one in metrics if one["name"] in parts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure in a temporary folder; 0 when every target is met."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--sets", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=TIMES)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        paths = write_pages(Path(folder), asked.items, asked.sets)
        figures = [figure for path in paths for figure in measure(browser, path, asked.times)]
        browser.close()
    return print_table(figures)


if __name__ == "__main__":
    sys.exit(main())
