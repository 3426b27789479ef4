"""JUnit XML of gates: a suite per set, a case per rule and per query.

The common schema of Jenkins, GitLab and others. A rule or query that fails is a `failure`, a rule that cannot be
decided an `error`, a query that says nothing `skipped`. No clock: the same reports and rules give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from reporting.gate.reasons import QueryState, query_state, reason_text, state_name
from reporting.runs import SetGate
from reporting.wording import clean, excerpt, status_name
from scoring.comparison import Query
from scoring.gate import GateState, RuleResult
from scoring.rubric import Status
from scoring.sets import shown
from texts import Texts

_TEXT_CHARS = 500
_NAME_CHARS = 200
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_WITHOUT = {QueryState.FEW: "gate.too-few-items", QueryState.UNASSESSED: "gate.unassessed"}


def encode_junit(gates: Sequence[SetGate], t: Texts) -> bytes:
    """The file, UTF-8."""
    root = ET.Element("testsuites", name="scorewatch")
    for gate in gates:
        _suite(root, gate, t)
    for what in ("tests", "failures", "errors"):
        root.set(what, str(sum(int(suite.get(what, "0")) for suite in root)))
    ET.indent(root, " ")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _suite(root: ET.Element, gate: SetGate, t: Texts) -> None:
    name = _allowed(clean(shown(gate.set_name)))
    suite = ET.SubElement(root, "testsuite", name=name)
    for result in gate.result.rules:
        _rule_case(suite, f"{name}.gate", result, t)
    for query in gate.queries:
        _query_case(suite, f"{name}.queries", query, gate, t)
    suite.set("tests", str(len(suite)))
    for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(what, str(sum(case.find(tag) is not None for case in suite)))


def _rule_case(suite: ET.Element, class_name: str, result: RuleResult, t: Texts) -> None:
    case = ET.SubElement(suite, "testcase", classname=class_name, name=_named(result.rule))
    if result.state is GateState.PASSED:
        return
    tag = "failure" if result.state is GateState.FAILED else "error"
    reason = _allowed(reason_text(result, t))
    inner = ET.SubElement(case, tag, message=f"{state_name(result, t)}: {reason}", type=result.state.value)
    inner.text = "\n".join([reason, *map(_named, result.queries)])


def _query_case(suite: ET.Element, class_name: str, query: Query, gate: SetGate, t: Texts) -> None:
    case = ET.SubElement(suite, "testcase", classname=class_name, name=_named(query.query_id))
    state = query_state(query, gate.rules)
    if state is QueryState.FAILED:
        message = t("gate.query-passes", n=str(query.passed), of=str(query.assessed))
        inner = ET.SubElement(case, "failure", message=message, type=state.value)
        inner.text = _allowed("\n".join(_query_lines(query, t)))
    elif state is not QueryState.PASSED:
        ET.SubElement(case, "skipped", message=t(_WITHOUT[state]))


def _query_lines(query: Query, t: Texts) -> Iterable[str]:
    """The question, the status of every item by round, and the text of the first one that does not pass."""
    if query.question:
        yield excerpt(query.question, _TEXT_CHARS)
    for answer in query.answers:
        known = answer.status in list(Status)
        status = status_name(Status(answer.status), t) if known else excerpt(answer.status, _NAME_CHARS)
        passes = (
            "" if answer.passes is None else f", {t('gate.state.passed' if answer.passes else 'gate.state.failed')}"
        )
        yield f"{excerpt(answer.round, _NAME_CHARS)}: {status}{passes}"
    failing = next((answer.text for answer in query.answers if answer.passes is False and answer.text), "")
    if failing:
        yield excerpt(failing, _TEXT_CHARS)


def _named(text: str) -> str:
    return _allowed(excerpt(text, _NAME_CHARS))


def _allowed(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold, not even escaped."""
    return _FORBIDDEN.sub("\ufffd", text)
