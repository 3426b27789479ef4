"""report.md and its pages: accepted byte for byte, inert whatever the cells hold, every line filled."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reporting.document.blocks import Page
from reporting.document.problem import problem_page
from reporting.document.rounds import render_round_pages
from reporting.page_files import problem_pages
from scoring import MAX_LISTED_PROBLEMS, NearRow, Problem, group_problems
from scoring.results import SetResult
from scoring.rubric import Status
from tests.examples import examples
from tests.golden import assert_golden
from tests.reporting.document.reports import FURTHER_HEADINGS, HEADINGS, part_of, scored
from tests.reporting.results import make_item, make_result
from tests.reporting.shown import report_files
from texts import texts

GOLDEN_CASES = (
    "excel_dates_en",
    "hostile_text",
    "llm_scores",
    "nfd",
    "one_round",
    "published_table",
    "ragged",
    "raw_json_faults",
    "ten_rounds",
    "track_spellings",
)
OWN_LINK = re.compile(
    r"(?:\.\./\.\./)?(?:items\.csv|queries\.csv|report\.json|report\.md)|report\.html|changes\.md|rounds/[\w%-]+/track-[\w%-]+\.md"
)
OWN_IMAGE = re.compile(r"charts/[\w%-]+\.svg")
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _written(result: SetResult, set_name: str = "resume_agent", language: str = "ko") -> dict[str, str]:
    t = texts(language)
    pages = dict(render_round_pages(result, set_name=set_name, t=t))
    return {"report.md": report_files(result, set_name, language)["report.md"], **pages}


def _problem(page: Page) -> dict[str, str]:
    return {path: str(text) for path, text in problem_pages(page, texts())}


def _tokens(text: str) -> Iterator[Token]:
    for token in RENDERER.parse(text):
        yield token
        yield from token.children or ()


def _assert_inert(text: str) -> None:
    for token in _tokens(text):
        assert token.type not in {"html_inline", "html_block", "fence", "code_block"}, token
        if token.type == "image":
            assert OWN_IMAGE.fullmatch(str(token.attrs["src"])), token
        if token.type == "link_open":
            assert OWN_LINK.fullmatch(str(token.attrs["href"])), token
    for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
        widths = {len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) for line in table.splitlines()}
        assert len(widths) == 1, table


@pytest.mark.usefixtures("items_in")
@pytest.mark.parametrize("case", GOLDEN_CASES)
def test_report_is_as_accepted(case: str) -> None:
    written = _written(scored(case))
    for text in written.values():
        _assert_inert(text)
    assert_golden(case, written)


@pytest.mark.usefixtures("items_in")
def test_report_of_a_folder_names_the_refused_file() -> None:
    result = scored("three_rounds", "truncated_upload", "ragged")
    written = _written(result, "회차/resume-agent")
    inputs = [(entry.name, entry.sha256) for entry in result.inputs if entry.refused]
    page = problem_page("회차/resume-agent", inputs, result.refusals, has_report=True, t=texts())
    written |= _problem(page)
    assert "- 읽지 못해 제외한 파일: resume_agent_truncated_upload.csv" in written["report.md"]
    assert "칸이 14개여야" not in written["problem.md"]
    assert_golden("folder_set", written)


def test_problem_page_is_as_accepted() -> None:
    name, part = part_of("truncated_upload")
    problems = [problem.at(name) for problem in part.problems]
    page = problem_page("truncated", [(name, part.sha256)], problems, t=texts())
    assert_golden("refused", _problem(page))


def test_pages_take_failed_items_first() -> None:
    items = [make_item(row) for row in range(2, 302)]
    items += [make_item(row, status=Status.EMPTY, why="nothing", message="", response="") for row in range(302, 312)]
    ((path, text),) = render_round_pages(make_result(*items), set_name="x", t=texts())
    assert path == "rounds/1-1/track-1.md"
    rows = re.findall(r"(?m)^\| (Q-\d+) ", text)
    assert rows == [f"Q-{row}" for row in [*range(2, 192), *range(302, 312)]]
    assert "110문항은 생략했습니다." in text
    assert "| Q-302 | 지원자 수 알려줘 | 빈 응답 (메시지와 UI 없음) | 5.00 |" in text


def test_page_shows_llm_verdict_reason_and_error() -> None:
    item = make_item(
        2, status=Status.ERROR, why="payload:excel-cut", llm_status="FAIL", recorded="1", seconds=None, message=""
    )
    ((_, text),) = render_round_pages(make_result(item), set_name="x", t=texts())
    assert "오류 (Raw JSON을 읽을 수 없음: Excel 셀 한도(32,767자)에서 잘림)" in text
    assert "| — | FAIL 1 | 19,164명입니다. |" in text


def test_problem_page_leads_back_and_shows_the_same_rows_once() -> None:
    around = (NearRow(number=1, cells=("질의", "응답")), NearRow(number=2, cells=("a", "b")))
    first = Problem(code="missing-columns", source="a.csv", row=1, around=around)
    others = [replace(first, code="renamed-column"), replace(first, source="b.csv")]
    written = _problem(problem_page("weeks/1", [("a.csv", "0" * 64)], [first, *others], t=texts()))
    assert written["problem.html"].count('class="around"') == 2  # of two files
    assert '<a href="../../index.html" data-top>모든 보고서</a>' in written["problem.html"]
    assert '<a href="summary.html" data-top>' in written["problem.html"]


def test_problem_page_lists_what_where_and_how() -> None:
    problems = [
        Problem(code="cell-count", source="a.csv", row=3, values={"expected": "14", "found": "3"}),
        Problem(code="open-quote", source="<b>a|.csv", row=4, line=7),
    ]
    inputs = [("<b>a|.csv", "0" * 64)]
    problems += problems[:1] * (MAX_LISTED_PROBLEMS + 1)
    page = problem_page("<i>set</i>", inputs, problems, t=texts())
    text = _problem(page)["problem.md"]
    _assert_inert(text)
    assert text.startswith("# 읽지 못한 파일: &lt;i>set&lt;/i>\n")
    assert "1. &lt;b>a\\|.csv 4행 (7번째 줄): " in text
    assert "2. a.csv 3행: 칸이 14개여야 하는데 3개입니다." in text
    assert "외 3건이 더 있습니다." in text


HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "<img src=x onerror=alert(1)>",
            "| a | b |\n| - | - |",
            "[x](javascript:alert(1))",
            "{{ 7*7 }}",
            "\n# 제목\n\n```\ncode",
            "http://example.invalid @team #1",
            "\u202e\x1b[31m\x00",
            "a\\",
        ]
    ),
)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_text_of_a_file_becomes_markup(data: st.DataObject) -> None:
    texts = {
        name: data.draw(HOSTILE, label=name)
        for name in (
            "run_id", "query_id", "round", "category", "question", "response", "message", "error", "why", "recorded",
            "llm_status", "llm_model", "executed_at", "failure_word",
        )
    }  # fmt: skip
    texts["query_id"] = texts["query_id"] or "q"
    texts["round"] = texts["round"] or "r"
    name = data.draw(HOSTILE, label="name") or "a.csv"
    result = make_result(
        make_item(2, status=Status.ERROR, seconds=99.0, track=3, **texts),
        make_item(3, **{**texts, "round": "2/1"}),
        name=name,
        findings=group_problems([Problem(code="cell-count", row=2, column=texts["why"], found=texts["question"])]),
    )
    written = _written(result, set_name=name)
    for text in written.values():
        _assert_inert(text)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    headings = [line for line in written["report.md"].split("\n") if line.startswith("#")]
    assert len(headings) == len(set(headings))
    assert set(headings) <= {*HEADINGS, *FURTHER_HEADINGS}
