"""The summary for a CI job: short, and readable away from the reports."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reporting.summary.gates import MOST_LINES, gates_summary
from tests.reporting.gate.gates import gate_of
from tests.scoring.gate.runs import query_of
from texts import texts

EN, KO = texts("en"), texts("ko")


def test_summary_shows_figures_rules_and_queries_that_fail() -> None:
    text = gates_summary([gate_of("intent >= 4.0", "pass_rate >= 0.9")], EN)
    assert text.splitlines() == [
        "# Gate: sets passed 0, failed 1, undecidable 0",
        "",
        "## nightly: failed",
        "",
        "answered 3/4 = 75.0% (30.0–95.0%)",
        "",
        "| Rule | Result | Why |",
        "|---|---|---|",
        "| pass_rate >= 0.9 | failed | value 89.5% |",
        "| intent >= 4.0 | passed | value 4.37 |",
        "",
        "| Queries that do not pass | Result |  |",
        "|---|---|---|",
        "| q2 | 1 of 2 items pass | question q2 |",
    ]


def test_reason_shows_the_interval_where_the_rules_ask_for_its_bad_end() -> None:
    assert "값 4.37 (3.96–4.63)" in gates_summary([gate_of("intent >= 4.0", confident=True)], KO)


def test_value_that_looks_like_its_limit_is_shown_with_all_digits() -> None:
    assert "| pass_rate >= 0.8951 | failed | value 0.895 |" in gates_summary([gate_of("pass_rate >= 0.8951")], EN)


def test_sets_that_fail_come_first_and_those_without_rules_say_so() -> None:
    gates = [gate_of(name="none"), gate_of("intent >= 4", name="good"), gate_of("intent >= 4.5", name="bad")]
    titles = [line for line in gates_summary(gates, EN).splitlines() if line.startswith("## ")]
    assert titles == ["## bad: failed", "## none: no rules", "## good: passed"]


def test_sixty_lines_hold_whatever_there_is() -> None:
    rules = [f"intent >= {at / 100}" for at in range(100)]
    queries = [query_of(f"q{at}", "f") for at in range(500)]
    for n in (1, 2, 7, 40):
        text = gates_summary([gate_of(*rules, name=f"s{at}", queries=queries) for at in range(n)], EN)
        assert len(text.splitlines()) <= MOST_LINES
        assert " more" in text


@given(st.text(max_size=60), st.text(max_size=60))
def test_text_of_files_is_inert_and_nothing_is_linked(name: str, question: str) -> None:
    text = gates_summary(
        [gate_of("intent >= 4.5", name=name or "s", queries=[query_of(name or "q", "f", text=question)])], EN
    )
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert not re.search(r"<(?:a|img|script|h3|ul|ol|code|em|strong|blockquote)\b", html)
    assert html.count("<h2>") == html.count("<h1>") == 1
