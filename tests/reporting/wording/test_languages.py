"""One report in two languages: the same figures, headings and anchors, and no word of one in the other."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import normalize

import pytest
from msgspec.structs import replace

from reporting.document import render_round_pages
from reporting.index import write_index
from scoring import Problem, group_problems
from scoring.results import SetResult
from scoring.rubric import Column, LatencyClass, Rubric, Status
from tests.golden import assert_golden
from tests.inner import SEVERITIES, MetricInfo
from tests.paths import ROOT
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import make_item, make_result, make_rubric
from tests.reporting.shown import report_files
from tests.scoring.files import score_shipped
from texts import texts

HANGUL = re.compile("[\uac00-\ud7a3\u3131-\u318e]+")
DIGEST = re.compile("SHA-256 [0-9a-f]+")  # of the document, which is another in each language
PLACE = re.compile(r' (?:x|textLength)="[\d.]+"')  # of a drawing
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
CASES = (
    "excel_dates_en", "h_accuracy", "h_check_lookup", "h_consistency", "h_full", "hostile_text", "llm_scores",
    "move_urls", "nfd", "one_round", "plan_prose", "published_table", "ragged", "raw_json_faults", "ten_rounds",
    "track_spellings",
)  # fmt: skip
TEMPLATES = sorted(path for path in (ROOT / "reporting/document/templates").iterdir() if path.suffix not in {"", ".py"})


class _Frame(HTMLParser):
    """What stands in a page whatever the language: elements with their ids, targets and classes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(f"{name}={value}" for name, value in attrs if name in {"id", "href", "for"})))


def _input(case: str) -> Path:
    (path,) = (path for path in (ROOT / "tests/cases" / case).iterdir() if path.suffix in {".csv", ".xlsx"})
    return path


@cache
def _scored(case: str, language: str) -> SetResult:
    return score_shipped(_input(case), language)


@cache
def _written(case: str, language: str) -> dict[str, str]:
    result, t = _scored(case, language), texts(language)
    return {
        **report_files(result, case, language),
        **dict(render_round_pages(result, set_name=case, t=t)),
    }


def _figures(line: str) -> list[str]:
    """The numbers of a line but those that follow the width of its words."""
    return sorted(NUMBER.findall(DIGEST.sub("", unescape(PLACE.sub("", line)))))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_korean(path: Path) -> None:
    assert HANGUL.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("case", CASES)
def test_figures_headings_and_anchors_are_the_same(case: str) -> None:
    korean, english = _written(case, "ko"), _written(case, "en")
    assert list(english) == list(korean)
    for name, text in korean.items():
        lines, others = text.splitlines(), english[name].splitlines()
        assert len(others) == len(lines), name
        for line, other in zip(lines, others, strict=True):
            assert _figures(other) == _figures(line), (name, line, other)
            if name.endswith(".md"):
                assert re.match("#*", other)[0] == re.match("#*", line)[0], (name, line)  # type: ignore[index]
                assert re.findall(r"\]\([^)]*\)", other) == re.findall(r"\]\([^)]*\)", line), (name, line)
        if name.endswith((".html", ".svg")):
            assert _Frame(english[name]).found == _Frame(text).found, name


@pytest.mark.parametrize("case", CASES)
def test_korean_of_an_english_report_is_that_of_the_data(case: str) -> None:
    result = replace(_scored(case, "en"), rubric=_english_rubric())
    data = f"{result}{[*result.items]}{[*result.queries]}"
    known = set(HANGUL.findall(normalize("NFC", data)))
    for name, text in _written(case, "en").items():
        plain = text.replace("\u200b", "")
        strange = {word for word in HANGUL.findall(plain) if not any(word in one for one in known)}
        assert strange == set(), name


@pytest.mark.usefixtures("items_in")
def test_english_report_is_as_accepted() -> None:
    assert_golden("published_table_en", _written("published_table", "en"))


def _english_rubric() -> Rubric:
    plain = make_rubric()
    return make_rubric(
        title="Applicant agent",
        columns=tuple(
            Column(name=name, title=name, required=name in {"query_id", "round"})
            for name in ("query_id", "round", "question", "error", "llm_score")
        ),
        partial_words=("which one",),
        failure_words=("failed",),
        latency_classes=tuple(
            LatencyClass(name=entry.name, title=entry.name, tracks=entry.tracks, bands=entry.bands, slow_seconds=9.0)
            for entry in plain.latency_classes
        ),
        metrics=tuple(MetricInfo(name=info.name, title=info.name.title()) for info in plain.metrics),
    )


def _english_set(rubric: Rubric, *, seconds: float) -> SetResult:
    common = {"category": "notices", "question": "How many?", "expected": "a number", "response": "Three."}
    items = [
        make_item(2, query_id="A", message="Three.", **common),
        make_item(3, query_id="A", round="2/1", message="It failed.", failure_word="failed", seconds=seconds, **common),
        make_item(4, query_id="B", track=3, status=Status.EMPTY, why="nothing", intent=0.0, message="", **common),
        make_item(5, query_id="C", track=None, status=Status.ERROR, why="payload:excel-cut", message="", **common),
        make_item(
            6, query_id="D", track=9, status=Status.PARTIAL, why="word:which one", message="Which one?", **common
        ),
    ]
    counts = {"restored-date": 1, "payload:excel-cut": 1, "seconds-missing": 2, "field-type:error": 1}
    findings = group_problems(Problem(code=code, row=3, found="x") for code in SEVERITIES)
    return make_result(
        *items,
        rubric=rubric,
        rows=7,
        blank_rows=2,
        counts=counts,
        restored_rounds=("1/1", "1/2"),
        findings=findings,
    )


def test_english_data_give_pages_without_any_korean(tmp_path: Path) -> None:
    rubric = _english_rubric()
    for key, seconds in (("k1", 4.0), ("k2", 99.0), ("k3", 12.0)):
        result = _english_set(rubric, seconds=seconds)
        publish_report(result, set_name="applicants", key=key, out=tmp_path, language="en", history_versions=2)
    cut = Problem(code="open-quote", source="b.csv", row=4, line=7)
    inputs = [("b.csv", "0" * 64)]
    publish_problem([cut], inputs=inputs, set_name="cut", key="k", out=tmp_path, profile="resume-agent", language="en")
    write_index(tmp_path, unclaimed=["c.txt"], language="en")
    pages = [path for path in tmp_path.rglob("*") if path.suffix in {".md", ".html", ".svg", ".json", ".csv"}]
    assert {path.name for path in pages} >= {
        "report.md", "report.html", "changes.md", "changes.html", "problem.md", "problem.html", "index.md",
        "index.html", "status.json", "track-1.md", "metrics.svg",
    }  # fmt: skip
    found = {path.relative_to(tmp_path).as_posix(): HANGUL.findall(path.read_text("utf-8")) for path in pages}
    assert {name: words for name, words in found.items() if words} == {}
