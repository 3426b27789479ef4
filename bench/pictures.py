"""`python -m bench.pictures`: take the pictures of docs/tour.md in both languages, in the browser of the machine.

Two runs of the sample are scored: the second answers fewer questions of Track 3. The pages are opened from disk.
"""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.sample import SAMPLE
from cli.main import main
from texts import LANGUAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
FIRST, SECOND = "resume_agent_20260304", "resume_agent_20260311"
WIDTH, HEIGHT = 1180, 720
PICTURES = {  # name -> page, and what is shown of it
    "board": "index.html",
    "summary": f"{SECOND}/summary.html",
    "answer": f"{SECOND}/report.html#track=3&status=error&query=Q-00056&of=1/1",
    "comparison": f"{SECOND}/compare.html",
}


def write_runs(folder: Path) -> None:
    """The two runs. Every third answer of Track 3 is an error in the second."""
    with (ROOT / SAMPLE).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name, day in ((FIRST, 0), (SECOND, 7)):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            for at, row in enumerate(rows):
                date = row["실행시각"]
                moved = {"실행시각": date and f"{date[:8]}{int(date[8:10]) + day:02}{date[10:]}"}
                if day and row["Track"] == "Track 3" and at % 3 == 0:
                    moved |= {"오류": "TimeoutError: 90000 ms", "응답": "", "LLM 점수": "0", "Raw JSON": ""}
                writer.writerow(row | moved)


def take(browser: Browser, reports: Path, language: str) -> None:
    """The pictures of one language."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    for name, address in PICTURES.items():
        page.goto(f"file://{reports}/{address}")
        page.wait_for_timeout(300)
        page.screenshot(path=IMAGES / f"tour-{name}.{language}.png")
    page.close()


def launch(playwright: Playwright) -> Browser:
    """The browser of the machine. Exits with one line where there is none."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        sys.exit("no chromium on PATH")
    arguments = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    return playwright.chromium.launch(executable_path=executable, args=[*arguments, "--no-sandbox"])


def take_all() -> None:
    """Score both runs in each language and take the pictures."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs = Path(folder) / "runs"
        runs.mkdir()
        write_runs(runs)
        browser = launch(playwright)
        for language in LANGUAGES:
            reports = Path(folder) / language
            main(["score", str(runs), "--out", str(reports), "--language", language, "--quiet"])
            take(browser, reports, language)
        browser.close()


if __name__ == "__main__":
    take_all()
