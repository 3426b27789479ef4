"""How failed checks are named: every operator in both languages, turned around or with an amount."""

import pytest

from reporting.document.report.accuracy import operator_text
from reporting.prompt import evaluation_prompt
from scoring.rubric import Operator
from scoring.rubric.document import parse_rubric
from tests.inner import SHIPPED_FOLDER, value_lines
from texts import texts


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_operator_has_a_name(language: str) -> None:
    t = texts(language)
    names = {operator: operator_text(operator.value, t) for operator in Operator}
    assert all(t.has(f"operator.{operator.value}") for operator in Operator)
    assert len(set(names.values())) == len(names) - 1  # `in` and `one of` ask the same


@pytest.mark.parametrize(
    ("operator", "korean", "english"),
    [
        ("contains", "포함", "contains"),
        ("not contains", "포함 아님", "not: contains"),
        ("not matches-all", "정규식 모두 아님", "not: all regular expressions"),
        ("eq ×0", "같음 ×0", "equal ×0"),
        ("", "(알 수 없음)", "(unknown)"),
        ("address", "address", "address"),
    ],
)
def test_operator_of_a_failed_check(operator: str, korean: str, english: str) -> None:
    assert (operator_text(operator, texts("ko")), operator_text(operator, texts("en"))) == (korean, english)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_place_of_tool_calls_is_shown_where_a_document_names_it(language: str) -> None:
    text = (SHIPPED_FOLDER / "h-recruit.md").read_text(encoding="utf-8")
    calls = "      calls: { paths: [tool_calls], name: function.name }\n"
    rubric = parse_rubric(text.replace("      none: [", f"{calls}      none: [", 1), source="x.md")
    t = texts(language)
    places = {"name": "function.name", "arguments": "arguments"}
    assert t("values.calls", paths="tool_calls", **places) in "\n".join(value_lines(rubric, t))
    assert t("prompt.check-calls", paths="tool_calls", **places) in evaluation_prompt(rubric, t)
    assert "tool_calls" not in evaluation_prompt(parse_rubric(text, source="x.md"), t)
