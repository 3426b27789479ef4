"""JUnit XML: read by `junitparser`, valid for the common schema, and inert whatever a file holds."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from reporting.gate.junit import encode_junit
from reporting.runs import SetGate
from scoring.known import KnownLine, KnownLines, Resolution, known_failures
from tests.reporting.gate.gates import gate_of, gate_without_report
from tests.scoring.gate.runs import query_of
from tests.scoring.steps import steps
from texts import texts

EN = texts("en")
RULES = ("intent >= 4.0", "pass_rate >= 0.9", "not worse than baseline")
# The attributes that the schema of Jenkins (junit-10) knows.
KNOWN = {
    "testsuites": {"name", "tests", "failures", "errors", "time", "disabled"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id"},
    "testcase": {"name", "classname", "assertions", "time", "status"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
}


def _cases(*gates: SetGate) -> dict[str, TestCase]:
    (suite,) = JUnitXml.fromstring(encode_junit(gates, EN, with_queries=True))
    assert isinstance(suite, TestSuite)
    return {case.name: case for case in suite}


def _kinds(case: TestCase) -> list[type]:
    return [type(result) for result in case.result]


def test_a_suite_per_set_with_a_case_per_rule() -> None:
    read = JUnitXml.fromstring(encode_junit([gate_of(*RULES), gate_of("intent >= 4", name="방/b")], EN))
    first, second = read
    assert (first.name, first.tests, first.failures, first.errors, first.skipped) == ("nightly", 3, 1, 1, 0)
    assert (second.name, second.tests, second.failures) == ("방/b", 1, 0)
    assert (read.tests, read.failures, read.errors) == (4, 1, 1)
    assert [case.name for case in first] == list(RULES)


def test_a_case_per_query_where_that_is_asked_for() -> None:
    (suite,) = JUnitXml.fromstring(encode_junit([gate_of(*RULES)], EN, with_queries=True))
    assert [case.name for case in suite] == [*RULES, "q1", "q2", "q3"]
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 2, 1, 1)


def test_class_is_the_profile_so_that_the_name_of_a_set_may_hold_the_number_of_a_job() -> None:
    """A system that names what fails newly knows a case again by its class and its name."""
    jobs = [encode_junit([gate_of(*RULES, name=f"resume_agent_{job}")], EN, with_queries=True) for job in (1, 2)]
    known = [[(case.classname, case.name) for case in suite] for data in jobs for suite in JUnitXml.fromstring(data)]
    assert known[0] == known[1]
    assert {of_class for of_class, _ in known[0]} == {"resume-agent"}


def test_no_two_cases_of_a_file_are_one() -> None:
    """Two sets of a profile, a rule twice, IDs that are cut alike, one with a number behind it, one like a rule."""
    queries = [query_of(name, "p") for name in ("x" * 300 + "1", "x" * 300 + "2", "q (2)", "q", "intent >= 4")]
    gates = [gate_of("intent >= 4", "intent >= 4", name=name, queries=queries) for name in ("a", "b")]
    read = JUnitXml.fromstring(encode_junit(gates, EN, with_queries=True))
    named = [(case.classname, case.name) for suite in read for case in suite]
    assert len(set(named)) == len(named) == 14
    assert [name for _, name in named][:2] == ["intent >= 4", "intent >= 4 (2)"]


def test_time_is_that_of_the_answers() -> None:
    read = JUnitXml.fromstring(encode_junit([gate_of(*RULES)], EN, with_queries=True))
    (suite,) = read
    times = {case.name: case.time for case in suite}
    assert times == {**dict.fromkeys(RULES, 0.0), "q1": 2.0, "q2": 2.0, "q3": 2.0}
    assert (suite.time, read.time) == (6.0, 6.0)


def test_rules_fail_or_stay_open_with_the_reason() -> None:
    cases = _cases(gate_of(*RULES))
    assert _kinds(cases["intent >= 4.0"]) == []
    (failure,) = cases["pass_rate >= 0.9"].result
    assert (type(failure), failure.message) == (Failure, "failed: value 89.5%")
    (error,) = cases["not worse than baseline"].result
    assert (type(error), error.message) == (Error, "undecidable: there is no baseline")


def test_query_says_its_first_error_rounds_and_statuses() -> None:
    cases = _cases(gate_of(*RULES))
    assert _kinds(cases["q1"]) == []
    (failure,) = cases["q2"].result
    assert failure.message == "1 of 2 items pass: timed out"
    assert failure.text.splitlines() == ["timed out", "question q2", "1/1: OK, passed", "2/1: Error, failed"]
    assert _kinds(cases["q3"]) == [Skipped]


def test_first_error_goes_before_answers_and_an_answer_stands_where_there_is_none() -> None:
    queries = [
        query_of("q1", "ff", text="답", errors=("", "HTTP 502")),
        query_of("q2", "pf", text="답", errors=("not of this one", "")),
        query_of("q3", "f"),
    ]
    cases = _cases(gate_of(*RULES, queries=queries))
    messages = [cases[name].result[0].message for name in ("q1", "q2", "q3")]
    assert messages == ["0 of 2 items pass: HTTP 502", "1 of 2 items pass: 답", "0 of 1 items pass"]


def test_rule_about_every_query_tells_the_first_error_of_each() -> None:
    queries = [query_of("q1", "pp"), query_of("q2", "pf", errors=("", "HTTP\n502"))]
    (failure,) = _cases(gate_of("every query passes >= 2 of 2", queries=queries))["every query passes >= 2 of 2"].result
    told = ["1 of 2 queries pass too rarely: q2", "q2: 1 of 2 items pass: HTTP ⏎ 502"]
    assert failure.text.splitlines() == told


def test_set_without_a_report_is_one_case() -> None:
    (suite,) = JUnitXml.fromstring(encode_junit([gate_without_report(*RULES)], EN, with_queries=True))
    (case,) = suite
    assert (case.name, case.result[0].message) == ("every rule", "undecidable: there is no report")


def test_rule_about_every_query_decides_for_the_queries() -> None:
    cases = _cases(gate_of("every query passes >= 1 of 2", queries=[query_of("q1", "pf"), query_of("q2", "p")]))
    assert _kinds(cases["q1"]) == []
    assert _kinds(cases["q2"]) == [Skipped]
    assert _kinds(cases["every query passes >= 1 of 2"]) == [Error]


def test_only_what_the_common_schema_knows_is_written() -> None:
    root = ET.fromstring(encode_junit([gate_of(*RULES)], EN, with_queries=True))  # noqa: S314 -- our own
    for element in root.iter():
        assert element.attrib.keys() <= KNOWN[element.tag], element.tag
    for suite in root:
        assert {"name", "tests", "time"} <= suite.attrib.keys()
        for case in suite:
            assert {"name", "classname", "time"} <= case.attrib.keys()
            assert len(case) <= 1


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_of_a_file_is_text(text: str) -> None:
    gate = gate_of(*RULES, name=text or "s", queries=[query_of(text or "q", "f", text=text)])
    (suite,) = JUnitXml.fromstring(encode_junit([gate], EN, with_queries=True))
    assert (suite.tests, suite.failures, suite.errors) == (4, 2, 1)


def test_hostile_text_is_escaped() -> None:
    name = '"/><script>\x00\ud800\ufffe]]>'
    (case,) = [case for case in _cases(gate_of("intent >= 4", queries=[query_of(name, "f")])).values() if case.result]
    assert case.name == '"/><script>\ufffd\ufffd]]>'


def test_a_case_takes_as_much_as_among_few() -> None:
    few, many = (
        gate_of(*RULES, queries=[query_of(f"q{at}", "pf", text="x" * 300) for at in range(n)]) for n in (200, 1_000)
    )
    assert encode_junit([many], EN, with_queries=True).count(b"<testcase") == 1_003
    assert _steps(many) < 5.2 * _steps(few)


def _steps(gate: SetGate) -> int:
    return steps(lambda: encode_junit([gate], EN, with_queries=True))


def test_same_gates_give_the_same_bytes() -> None:
    assert encode_junit([gate_of(*RULES)], EN) == encode_junit([gate_of(*RULES)], EN)


def test_a_query_whose_failures_are_known_is_skipped_with_its_ticket() -> None:
    gate = gate_of(*RULES, queries=[query_of("q1", "pf", errors=["", "slow\x00"]), query_of("q2", "ff")])
    lines = KnownLines(
        name="known.csv", lines=(KnownLine(row=2, resolution=Resolution.KNOWN, query_id="q1", ticket="<T-1>"),)
    )
    cases = _cases(replace(gate, known=known_failures(lines, gate.queries, metric="intent", highest=5.0)))
    assert [_kinds(cases[name]) for name in ("q1", "q2")] == [[Skipped], [Failure]]
    assert cases["q1"].result[0].message == "<T-1>: 1 of 2 items pass: slow"
