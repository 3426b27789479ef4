"""Every code has a text, and no value can break a sentence."""

import ast
import re
from collections.abc import Iterator

import pytest

from reporting.wording.problems import describe, explain
from scoring import Problem
from tests.paths import ROOT
from texts import LANGUAGES, codes, texts

FOLDERS = ("scoring", "reporting", "config", "watcher", "workers", "cli")
SLUG = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
MAKERS = re.compile(r"Problem|_?(?:refusal|problem|place|clash|report|refuse)")


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        pytest.param(
            Problem(
                code="recorded-out-of-range",
                source="3회차.csv",
                row=14,
                column="LLM 점수",
                found="85",
                values={"lowest": "0", "highest": "5"},
            ),
            "3회차.csv 14행 'LLM 점수': '85'는 0~5 범위를 벗어나 쓰지 않았습니다. 다음 출처(보통 답변 상태)가 있으면 "
            "그것으로 점수를 주었습니다. 0에서 5 사이 숫자로 고치거나 비워 두세요. [recorded-out-of-range]",
            id="row-and-column",
        ),
        pytest.param(
            Problem(code="open-quote", source="a.csv", row=4, line=9),
            "a.csv 4행 (9번째 줄): 따옴표로 묶인 칸 안에서 파일이 끝났습니다. "
            "여기서 시작하는 행이 잘려 있어 채점하지 않았습니다. 원본 파일 전체를 다시 넣으세요. [open-quote]",
            id="row-and-line",
        ),
        pytest.param(
            Problem(code="empty-file"),
            "파일이 비어 있습니다. 내보내기가 끝난 파일인지 확인하고 다시 넣으세요. [empty-file]",
            id="no-place",
        ),
        pytest.param(
            Problem(code="missing-columns", source="a.csv", row=1, values={"missing": "응답", "found": "질의, Track"}),
            "a.csv 1행: 필요한 열이 없습니다: 응답 (파일에 있는 열: 질의, Track). "
            "이름이 다른 열이면 첫 행의 이름을 고치고, 아예 없는 열이면 값까지 채워 넣으세요. [missing-columns]",
            id="values",
        ),
        pytest.param(
            Problem(code="missing-columns", source="a.csv", row=1, values={"missing": "응답", "found": ""}),
            "a.csv 1행: 필요한 열이 없습니다: 응답 (파일에 있는 열: 없음). "
            "이름이 다른 열이면 첫 행의 이름을 고치고, 아예 없는 열이면 값까지 채워 넣으세요. [missing-columns]",
            id="no-columns",
        ),
        pytest.param(
            Problem(code="records-not-found", source="a.json", values={"paths": "samples"}),
            "a.json: samples 위치에 레코드 목록이 없습니다 (문서에 있는 목록과 길이: 없음). "
            "루브릭 문서의 `records`에 맞는 목록을 적으세요. [records-not-found]",
            id="no-lists",
        ),
        pytest.param(
            Problem(code="zip-as-text", source="a.csv", values={"kind": "zip"}),
            "a.csv: 확장자는 텍스트인데 내용은 압축 파일이나 스프레드시트입니다 (ZIP 또는 XLSX). "
            "확장자를 .xlsx로 바꾸거나 CSV로 다시 저장하세요. [zip-as-text]",
            id="slug-among-the-values",
        ),
        pytest.param(
            Problem(code="name-clash", source="b/a.csv", values={"set": "a", "first": "a.csv", "second": "A.csv"}),
            "b/a.csv: 보고서 이름이 같아지는 파일이 둘 이상 있습니다: a.csv, A.csv. "
            "하나만 남기고 이름을 바꾸세요. 대소문자만 다른 이름도 같은 이름으로 봅니다. [name-clash]",
            id="two-names",
        ),
        pytest.param(
            Problem(code="never-heard-of"),
            "알 수 없는 문제입니다. 이 줄을 그대로 Scorewatch 담당자에게 알려 주세요. [never-heard-of]",
            id="unknown-code",
        ),
    ],
)
def test_describe_says_where_what_and_what_to_do(problem: Problem, line: str) -> None:
    assert describe(problem) == line


def test_another_language_is_refused() -> None:
    with pytest.raises(KeyError, match="xx"):
        describe(Problem(code="empty-file"), "xx")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_two_sentences_that_hostile_values_cannot_break(language: str) -> None:
    assert len(codes()) > 200
    assert [code for code in sorted(codes()) if not _is_two_sentences(code, language)] == []


def _is_two_sentences(code: str, language: str) -> bool:
    t = texts(language)
    said = t.named("what", code) or t.named("finding", code)
    values = dict.fromkeys(re.findall(r"{(\w+)}", f"{said} {t.named('fix', code)}"), "{x}\n\u202e%s{0}")
    text = explain(Problem(code=code, source="a\nb.csv", found="{}\x1b[31m" + "가" * 500, values=values), language)
    line = describe(Problem(code=code, values=values), language)
    return (
        text.place == "a ⏎ b.csv"
        and line.isprintable()
        and all(one.endswith(".") and not one.endswith("..") and len(one) < 1000 for one in (text.what, text.fix))
        and ("{x} ⏎ %s{0}" in line or not set(values) - {"value", "column"})
    )


def test_english_says_it_without_hangul() -> None:
    problem = Problem(
        code="rubric-table-missing", source="a.md", row=3, line=7, values={"role": "latency.multi", "words": "x, y"}
    )
    assert describe(problem, "en") == (
        "a.md row 3 (line 7): The table of response time with several tools (latency.multi) is missing. "
        "Put one of these words into a heading, and the table below it: x, y. [rubric-table-missing]"
    )
    spreadsheet = Problem(code="bad-spreadsheet", source="a.xlsx", line=2, column="c", values={"reason": "ole"})
    assert describe(spreadsheet, "en").startswith(
        "a.xlsx line 2 'c': The spreadsheet cannot be opened (old .xls format, or protected by a password). "
    )


def _codes_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if MAKERS.fullmatch(name):
            constants = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            yield from (
                leaf.value
                for constant in constants
                for leaf in ast.walk(constant)
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str) and SLUG.fullmatch(leaf.value)
            )


def test_every_code_in_the_source_has_a_text() -> None:
    found: set[str] = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            found.update(_codes_in(ast.parse(path.read_text(encoding="utf-8"))))
    assert {"empty-file", "missing-columns", "rubric-too-large"} <= found
    assert found - set(codes()) == set()
