"""Which failures are known, what each line is for a set, and what is left."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.comparison import Query
from scoring.known import KnownFailures, KnownLine, KnownLines, LineState, Resolution, as_pattern, known_failures
from tests.inner import fits
from tests.scoring.gate.runs import query_of
from tests.scoring.steps import steps

OPEN, FIXED, OVERDUE, UNMATCHED = LineState.OPEN, LineState.FIXED, LineState.OVERDUE, LineState.UNMATCHED
SLOW = "TimeoutError: 90000 ms (req_8f3a2)"


def line(**fields: object) -> KnownLine:
    return KnownLine(**{"row": 2, "resolution": Resolution.KNOWN, "ticket": "HR-1", **fields})  # type: ignore[arg-type]


def found(lines: Sequence[KnownLine], *queries: Query) -> KnownFailures:
    return known_failures(KnownLines(name="known.csv", lines=tuple(lines)), queries, metric="intent", highest=5.0)


@pytest.mark.parametrize(
    ("one", "query", "state"),
    [
        (line(query_id="q1"), query_of("q1", "pf"), OPEN),
        (line(query_id="q*"), query_of("q1", "pf"), OPEN),
        (line(query_id="q1"), query_of("q1", "pp"), FIXED),
        (line(query_id="q1", is_overdue=True), query_of("q1", "pf"), OVERDUE),
        (line(query_id="q1", is_overdue=True), query_of("q1", "pp"), FIXED),
        (line(query_id="q2"), query_of("q1", "pf"), UNMATCHED),
        (line(query_id="q1"), query_of("q1", "--"), UNMATCHED),
        (line(query_id="q1", track="Track 1"), query_of("q1", "pf", track=1), OPEN),
        (line(query_id="q1", track="1"), query_of("q1", "pf", track=1), OPEN),
        (line(query_id="q1", track="2"), query_of("q1", "pf", track=1), UNMATCHED),
        (line(pattern="TimeoutError: ‹n› ms (‹id›)"), query_of("q1", "f", errors=[SLOW]), OPEN),
        (line(pattern="TimeoutError: ‹숫자› ms (‹ID›)"), query_of("q1", "f", errors=[SLOW]), OPEN),
        (line(pattern="TimeoutError: 90000 ms*"), query_of("q1", "f", errors=[SLOW]), OPEN),
        (line(pattern="Timeout*"), query_of("q1", "f", errors=["HTTP 500"]), UNMATCHED),
        (line(pattern="Timeout*"), query_of("q1", "p"), UNMATCHED),
        (line(query_id="q1", pattern="Timeout*"), query_of("q1", "f", errors=["HTTP 500"]), UNMATCHED),
        (line(query_id="q1", pattern="Timeout*"), query_of("q1", "p"), FIXED),
    ],
)
def test_state_of_a_line(one: KnownLine, query: Query, state: LineState) -> None:
    of_set = found([one], query)
    assert of_set.states == (state,)
    assert list(of_set.known) == (["q1"] if state is OPEN else [])
    assert list(of_set.new) == ([] if state in {OPEN, FIXED} or query.passes in {True, None} else ["q1"])


def test_an_error_that_a_rubric_does_not_assess_is_a_failure_too() -> None:
    query = query_of("q1", "--", errors=[SLOW, SLOW])
    query = replace(query, answers=tuple(replace(one, status="error") for one in query.answers))
    assert found([line(query_id="q1")], query).states == (OPEN,)
    assert found([line(pattern="Timeout*")], query).states == (OPEN,)
    assert found([], query).new == ("q1",)


@pytest.mark.parametrize("error", [SLOW, "cut " * 200, "실패 🚫 – naïve 漢 90 ‹n›", "*** 5"])
def test_the_pattern_of_a_cause_survives_cp949_and_knows_it(error: str) -> None:
    query = query_of("q1", "f", errors=[error])
    (cause,) = found([], query).causes
    pattern = as_pattern(cause.text)
    assert found([line(pattern=pattern.encode("cp949").decode("cp949"))], query).states == (OPEN,)


def test_one_unknown_failure_makes_the_query_a_new_one_and_only_that_is_left() -> None:
    query = query_of("q1", "ff", errors=[SLOW, "HTTP 500: worker-3"])
    of_set = found([line(pattern="Timeout*")], query)
    assert (of_set.known, of_set.new, of_set.tickets) == ({}, ("q1",), ())
    assert [(cause.text, cause.query_ids, cause.items) for cause in of_set.causes] == [
        ("HTTP ‹n›: worker-‹n›", ("q1",), 1)
    ]


def test_points_lost_and_queries_per_ticket_those_without_one_last() -> None:
    def lost(query: Query, *points: float | None) -> Query:
        answers = [replace(one, points={"intent": of}) for one, of in zip(query.answers, points, strict=True)]
        return replace(query, answers=tuple(answers))

    lines = [
        line(query_id="b*"),
        line(query_id="a1", ticket="", resolution=Resolution.MUTED),
        line(query_id="a2", ticket="HR-2"),
    ]
    of_set = found(
        lines,
        lost(query_of("a1", "f"), 1.0),
        lost(query_of("a2", "f"), None),
        lost(query_of("b1", "pf"), 5.0, 0.0),
        lost(query_of("b2", "ff"), 2.0, 3.5),
    )
    assert [(one.name, one.queries, one.points) for one in of_set.tickets] == [
        ("HR-1", 2, 5.0 + 3.0 + 1.5),
        ("HR-2", 1, 0.0),
        ("", 1, 4.0),
    ]


def test_failures_without_an_error_are_told_by_their_status() -> None:
    of_set = found([], query_of("q1", "f"), query_of("q2", "f"), query_of("q3", "p"))
    assert [(cause.text, cause.status, cause.query_ids) for cause in of_set.causes] == [("", "error", ("q1", "q2"))]


@given(st.text("ab*", max_size=8), st.text("ab", max_size=12))
def test_a_wildcard_stands_for_any_text(pattern: str, text: str) -> None:
    import re

    expected = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
    assert fits(pattern.split("*"), text) is expected


def test_a_pattern_that_would_blow_up_takes_one_pass() -> None:
    lines = [line(pattern="*".join("a" * 240) + "b")] * 20
    short, long = (query_of("q1", "f", errors=["a" * n]) for n in (500, 2_000))
    assert found(lines, short).new == found(lines, long).new == ("q1",)
    assert steps(lambda: found(lines, short)) == steps(lambda: found(lines, long))
