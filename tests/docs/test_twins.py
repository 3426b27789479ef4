"""Every page for users has a twin in Korean that says the same and leads to the other twins."""

import re

import pytest

from tests.paths import ROOT

DOCS = ROOT / "docs"
TWINS = (
    "errors",
    "glossary",
    "rubrics",
    "scoring",
    "gate",
    "compare",
    "operations",
    "settings",
    "limits",
    "review",
    "exports",
    "tour",
    "known",
    "questions",
)


def _page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _first_cells(page: str) -> set[str]:
    """The code in the first cells of tables: keys, names, options."""
    rows = re.findall(r"^\| (`[^|]*?) \|", page, flags=re.MULTILINE)
    return {code for row in rows for code in re.findall(r"`[^`]+`", row)}


@pytest.mark.parametrize("name", TWINS)
def test_a_page_leads_to_its_twin_and_back(name: str) -> None:
    assert f"]({name}.ko.md" in _page(f"{name}.md")
    assert f"]({name}.md" in _page(f"{name}.ko.md")


def test_every_page_in_korean_is_a_twin() -> None:
    assert {path.name.removesuffix(".ko.md") for path in DOCS.glob("*.ko.md")} == set(TWINS)


@pytest.mark.parametrize("name", TWINS)
def test_a_page_in_korean_leads_to_whole_pages_in_korean(name: str) -> None:
    """A rule by its anchor may be told in English alone."""
    links = set(re.findall(r"\]\(([a-z]+)\.md\)", _page(f"{name}.ko.md")))
    assert links & set(TWINS) <= {name, "scoring"}


def test_glossaries_explain_the_same_words() -> None:
    english = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ", _page("glossary.md"), flags=re.MULTILINE)
    korean = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ", _page("glossary.ko.md"), flags=re.MULTILINE)
    assert len(english) > 60
    words = [(english_word, word) for word, english_word in korean if english_word != "영어"]
    assert words == [pair for pair in english if pair != ("word", "Korean")]
    assert len({pair[0] for pair in words}) == len(words)


def test_both_lists_of_codes_have_the_same_headings() -> None:
    english, korean = (
        re.findall(r"^### (\S+)$", _page(name), flags=re.MULTILINE) for name in ("errors.md", "errors.ko.md")
    )
    assert english == korean


def test_rubrics_in_korean_name_the_keys_of_the_page_in_english() -> None:
    korean, english = (_page(name) for name in ("rubrics.ko.md", "rubrics.md"))
    assert len(_first_cells(korean)) > 30
    assert _first_cells(korean) <= _first_cells(english)
    profiles = r"\[([a-z-]+)\]\(\.\./config/rubrics/[a-z-]+\.md\) \| `[a-z_]+\*`"
    assert re.findall(profiles, korean) == re.findall(profiles, english)


def test_the_summary_of_scoring_has_the_same_rows_in_both_languages() -> None:
    summary = _page("scoring.md").partition("## In one page\n")[2].partition("\n## ")[0]
    anchors = re.compile(r"#[\w-]+")
    korean = [
        set(anchors.findall(line)) for line in _page("scoring.ko.md").splitlines() if line.startswith(("| [", "- "))
    ]
    english = [set(anchors.findall(line)) for line in summary.splitlines() if line.startswith(("| [", "- "))]
    assert english == korean
    assert len(english) > 15
