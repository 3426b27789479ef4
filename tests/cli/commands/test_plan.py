"""`scorewatch plan`: what one more round or more questions would show."""

import json
from collections.abc import Sequence

import pytest

from reporting.runs import UnreadableRunError, read_repeats, read_report
from tests.cli.place import Place, rows

SET = "resume_agent_260301"
ANSWERED = [
    ("Q1", (1, 1)), ("Q2", (1, 0)), ("Q3", (0, 0)), ("Q4", (1, 1)),
]  # fmt: skip


def text_of(queries: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """A file in which each query is answered or not in its rounds."""
    cells = [(query, at, answered) for query, rounds in queries for at, answered in enumerate(rounds, start=1)]
    lines = rows(*(f"{query}@{at}/{len(queries[0][1])}" for query, at, _ in cells)).splitlines()
    broken = [
        line if not at or cells[at - 1][2] else line.replace(",3명,", ",,시간 초과").split('"{')[0] + "{}"
        for at, line in enumerate(lines)
    ]
    return "\r\n".join(broken) + "\r\n"


@pytest.fixture
def planned(place: Place) -> Place:
    place.file(f"docs/test-result/{SET}.csv", text_of(ANSWERED))
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet").code in {0, 1}
    return place


def test_it_says_what_a_round_and_what_questions_would_show(planned: Place) -> None:
    """Passes 1 1, 1 0, 0 0, 1 1: MSW = 0.5 / 4 = 0.125, MSB = 2 (sum of (m - 0.625)²) / 3 = 1.375 / 3."""
    ran = planned.run("plan", SET, "--json", "--find", "50pp")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    between = (1.375 / 3 - 0.125) / 2
    assert found["split"] == pytest.approx(
        {"within": 0.125, "between": between, "icc": between / (between + 0.125), "n0": 2.0}
    )
    assert found["half_width"] == pytest.approx(
        {
            "now": 1.959964 * ((between + 0.0625) / 4) ** 0.5,
            "one_more_round": 1.959964 * ((between + 0.125 / 3) / 4) ** 0.5,
            "that_round_as_new_queries": 1.959964 * ((between + 0.0625) / 6) ** 0.5,
        }
    )
    # 2 * 0.125 * (2.8015852181 / 0.5)² = 7.85: two rounds of four queries, or four queries of two rounds
    assert found["find"] == {"change": 0.5, "needed": {"rounds": 2, "items": 8, "queries": 4, "other": 8}}
    assert (found["figure"], found["flips"], found["rounds_differ"]) == ("answered", 1, False)


def test_the_front_page_has_the_line_and_the_command_the_rest(planned: Place) -> None:
    page = (planned.root / "docs/reports" / SET / "summary.md").read_text(encoding="utf-8")
    line = next(one for one in page.splitlines() if one.startswith("다음 실행"))
    assert "±" in line
    assert "질의 4개 중 1개" in line
    ran = planned.run("plan", SET, "--language", "en", "--find", "50 pp")
    assert ran.out.startswith("Answer rate, 4 queries × 2 rounds: now about ±")
    for said in ("one more round (4 × 3)", "(6 × 2)", "8 of 10", "2 rounds of these queries (8 items)", "1 of 4"):
        assert said in ran.out


@pytest.mark.parametrize("find", ["0.3", "3", "0pp", "-3pp", "101pp", "3xpp", "pp", "nanpp", ""])
def test_a_change_that_is_none_is_refused(planned: Place, find: str) -> None:
    ran = planned.run("plan", SET, f"--find={find}", "--language", "en")
    assert (ran.code, ran.out) == (2, "")
    assert f"written 3pp, above 0 and at most 100: '{find}'" in ran.err


@pytest.mark.parametrize(
    "queries",
    [
        pytest.param([("Q1", (1,)), ("Q2", (0,))], id="one-round"),
        pytest.param([("Q1", (1, 1)), ("Q2", (1, 1))], id="all"),
    ],
)
def test_nothing_is_said_where_nothing_varies(place: Place, queries: Sequence[tuple[str, tuple[int, ...]]]) -> None:
    place.file(f"docs/test-result/{SET}.csv", text_of(queries))
    place.score("docs/test-result", "--out", "docs/reports", "--quiet")
    ran = place.run("plan", SET)
    assert (ran.code, ran.out) == (4, "")
    assert SET in ran.err
    assert "다음 실행" not in (place.root / "docs/reports" / SET / "summary.md").read_text(encoding="utf-8")


def test_a_set_without_a_report_and_no_set_at_all(place: Place) -> None:
    place.file("docs/test-result/resume_agent_bad.csv", "a\r\n1\r\n")
    place.score("docs/test-result", "--out", "docs/reports", "--quiet")
    ran = place.run("plan", "resume_agent_bad", "--language", "en")
    assert (ran.code, ran.out) == (4, "")
    assert "has no report to plan by" in ran.err
    assert place.run("plan").code == place.run("plan", "nothing").code == 2


def test_items_of_another_report_are_not_read(planned: Place) -> None:
    folder = planned.root / "docs/reports" / SET
    report = read_report(folder)
    items = folder / "items.csv"
    items.write_bytes(items.read_bytes().replace(b'"Q1"', b'"Q9"'))
    with pytest.raises(UnreadableRunError):
        read_repeats(folder, report, "answered")
    assert planned.run("plan", SET).code == 2
