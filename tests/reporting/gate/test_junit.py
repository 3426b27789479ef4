"""JUnit XML: read by `junitparser`, valid for the common schema, and inert whatever a file holds."""

from __future__ import annotations

import time
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from reporting.gate.junit import encode_junit
from reporting.runs import SetGate
from tests.reporting.gate.gates import gate_of
from tests.scoring.gate.runs import query_of
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
    (suite,) = JUnitXml.fromstring(encode_junit(gates, EN))
    assert isinstance(suite, TestSuite)
    return {case.name: case for case in suite}


def _kinds(case: TestCase) -> list[type]:
    return [type(result) for result in case.result]


def test_a_suite_per_set_with_a_case_per_rule_and_per_query() -> None:
    read = JUnitXml.fromstring(encode_junit([gate_of(*RULES), gate_of("intent >= 4", name="방/b")], EN))
    first, second = read
    assert (first.name, first.tests, first.failures, first.errors, first.skipped) == ("nightly", 6, 2, 1, 1)
    assert (second.name, second.tests, second.failures) == ("방/b", 4, 1)
    assert (read.tests, read.failures, read.errors) == (10, 3, 1)
    assert [case.classname for case in first] == ["nightly.gate"] * 3 + ["nightly.queries"] * 3


def test_rules_fail_or_stay_open_with_the_reason() -> None:
    cases = _cases(gate_of(*RULES))
    assert _kinds(cases["intent >= 4.0"]) == []
    (failure,) = cases["pass_rate >= 0.9"].result
    assert (type(failure), failure.message) == (Failure, "failed: value 89.5%")
    (error,) = cases["not worse than baseline"].result
    assert (type(error), error.message) == (Error, "undecidable: there is no baseline")


def test_query_says_its_rounds_statuses_and_first_error() -> None:
    cases = _cases(gate_of(*RULES))
    assert _kinds(cases["q1"]) == []
    (failure,) = cases["q2"].result
    assert failure.message == "1 of 2 items pass"
    assert failure.text.splitlines() == ["question q2", "1/1: OK, passed", "2/1: Error, failed", "timed out"]
    assert _kinds(cases["q3"]) == [Skipped]


def test_rule_about_every_query_decides_for_the_queries() -> None:
    cases = _cases(gate_of("every query passes >= 1 of 2", queries=[query_of("q1", "pf"), query_of("q2", "p")]))
    assert _kinds(cases["q1"]) == []
    assert _kinds(cases["q2"]) == [Skipped]
    assert _kinds(cases["every query passes >= 1 of 2"]) == [Error]


def test_only_what_the_common_schema_knows_is_written() -> None:
    root = ET.fromstring(encode_junit([gate_of(*RULES)], EN))  # noqa: S314 -- our own
    for element in root.iter():
        assert element.attrib.keys() <= KNOWN[element.tag], element.tag
    for suite in root:
        assert {"name", "tests"} <= suite.attrib.keys()
        for case in suite:
            assert {"name", "classname"} <= case.attrib.keys()
            assert len(case) <= 1


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_of_a_file_is_text(text: str) -> None:
    gate = gate_of(*RULES, name=text or "s", queries=[query_of(text or "q", "f", text=text)])
    (suite,) = JUnitXml.fromstring(encode_junit([gate], EN))
    assert (suite.tests, suite.failures, suite.errors) == (4, 2, 1)


def test_hostile_text_is_escaped() -> None:
    name = '"/><script>\x00\ud800\ufffe]]>'
    (case,) = [case for case in _cases(gate_of("intent >= 4", queries=[query_of(name, "f")])).values() if case.result]
    assert case.name == '"/><script>\ufffd\ufffd]]>'


def test_ten_thousand_cases_take_no_second() -> None:
    gate = gate_of(*RULES, queries=[query_of(f"q{at}", "pf", text="x" * 300) for at in range(10_000)])
    began = time.process_time()
    data = encode_junit([gate], EN)
    assert time.process_time() - began < 1.0
    assert data.count(b"<testcase") == 10_003


def test_same_gates_give_the_same_bytes() -> None:
    assert encode_junit([gate_of(*RULES)], EN) == encode_junit([gate_of(*RULES)], EN)
