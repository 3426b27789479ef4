"""Every link of the documents leads to a file or heading, and every module that a page names exists."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
IN_CODE = re.compile(r"docs/([a-z.]+)\.md#([\w-]+)")
MODULE = re.compile(r"python -m (\w+\.[\w.]+)|from (\w+\.[\w.]+) import")
FOLDERS = ("texts", "scoring", "config", "reporting", "watcher", "workers", "cli", "scorewatch", "tests", "bench")


@cache
def _anchors(page: Path) -> frozenset[str]:
    """Anchors of the headings, as GitHub makes them; of a repeated heading only the first."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            dead.append(link)
    assert dead == []


def _modules() -> Iterator[str]:
    for page in PAGES:
        for run, imported in MODULE.findall(page.read_text(encoding="utf-8")):
            yield run or imported


def test_every_module_that_a_page_names_exists() -> None:
    named = set(_modules())
    assert len(named) > 1
    assert [name for name in named if find_spec(name) is None] == []


def test_pages_link_to_each_other() -> None:
    assert {"README.md", "README.ko.md", "scoring.md", "settings.md", "settings.ko.md"} <= {page.name for page in PAGES}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in ("scoring", "settings", "rubrics", "errors", "operations", "glossary"):
        assert f"](docs/{page}.md" in readme


def test_every_rule_that_a_comment_names_is_a_heading() -> None:
    named = [
        (source, page, anchor)
        for folder in FOLDERS
        for source in (ROOT / folder).rglob("*.py")
        for page, anchor in IN_CODE.findall(source.read_text(encoding="utf-8"))
    ]
    assert [entry for entry in named if entry[2] not in _anchors(ROOT / "docs" / f"{entry[1]}.md")] == []
