"""JUnit XML of gates: a suite per set, a case per rule and, where that is asked for, per query.

The common schema of Jenkins, GitLab and others. A rule or query that fails is a `failure`, a rule that cannot be
decided an `error`. A query that says nothing, or whose failures are known, is `skipped`. No clock: the same reports and
rules give the same bytes.

A case is known again in the next job by its class and its name. The class is therefore the profile, since the name of a
set often holds the number of a job, and no two cases of a file have the same two.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import fsum
from xml.etree import ElementTree as ET

from reporting.gate.reasons import QueryState, query_state, reason_text, rule_name, state_name
from reporting.runs import SetGate
from reporting.wording import clean, excerpt, known_name, status_name
from scoring.comparison import Query
from scoring.gate import GateState, RuleResult
from scoring.rubric import Status
from scoring.sets import COLUMN_PREFIX, shown
from texts import Texts

_TEXT_CHARS = 500
_NAME_CHARS = 200
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_WITHOUT = {QueryState.FEW: "gate.too-few-items", QueryState.UNASSESSED: "gate.unassessed"}
_TAGS = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))


def encode_junit(gates: Sequence[SetGate], t: Texts, *, with_queries: bool = False) -> bytes:
    """The file, UTF-8. with_queries: a case per query too."""
    root = ET.Element("testsuites", name="scorewatch")
    cases = _Cases()
    for gate in gates:
        suite = ET.SubElement(root, "testsuite", name=_allowed(clean(shown(gate.set_name))))
        cases.profile = _allowed(clean(gate.profile))
        _add_properties(suite, gate)
        for result in gate.result.rules:
            _rule_case(cases, suite, result, gate, t)
        for query in gate.queries if with_queries else ():
            _query_case(cases, suite, query, gate, t)
        suite.set("tests", str(len(suite.findall("testcase"))))
        for what, tag in _TAGS:
            suite.set(what, str(sum(case.find(tag) is not None for case in suite)))
        _set_time(suite)
    for what in ("tests", "failures", "errors"):
        root.set(what, str(sum(int(suite.get(what, "0")) for suite in root)))
    _set_time(root)
    ET.indent(root, " ")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_properties(suite: ET.Element, gate: SetGate) -> None:
    """What people say of the run, before the cases as the schema wants it."""
    said = {} if gate.reported is None else gate.reported.run.info.said
    properties = ET.SubElement(suite, "properties") if said else suite
    for key, value in said.items():
        ET.SubElement(properties, "property", name=f"{COLUMN_PREFIX}{key}", value=_allowed(clean(value)))


class _Cases:
    """Makes cases, none of them like another. profile: of the cases to come."""

    def __init__(self) -> None:
        self.profile = ""
        self._known: set[tuple[str, str]] = set()
        self._times: Counter[tuple[str, str]] = Counter()

    def add(self, suite: ET.Element, name: str, seconds: float) -> ET.Element:
        """A case. One that is like an earlier one has a number behind its name: `q1 (2)`."""
        named = wanted = self.profile, _allowed(excerpt(name, _NAME_CHARS))
        while named in self._known:
            self._times[wanted] += 1
            named = self.profile, f"{wanted[1]} ({self._times[wanted] + 1})"
        self._known.add(named)
        return ET.SubElement(suite, "testcase", classname=named[0], name=named[1], time=f"{seconds:.3f}")


def _set_time(parent: ET.Element) -> None:
    parent.set("time", f"{fsum(float(child.get('time', '0')) for child in parent):.3f}")


def _rule_case(cases: _Cases, suite: ET.Element, result: RuleResult, gate: SetGate, t: Texts) -> None:
    case = cases.add(suite, rule_name(result, t), 0.0)
    if result.state is GateState.PASSED:
        return
    tag = "failure" if result.state is GateState.FAILED else "error"
    reason = _allowed(reason_text(result, t))
    inner = ET.SubElement(case, tag, message=f"{state_name(result, t)}: {reason}", type=result.state.value)
    queries = {query.query_id: query for query in gate.queries} if result.queries else {}
    inner.text = "\n".join(chain([reason], (_named_query(name, queries.get(name), t) for name in result.queries)))


def _named_query(query_id: str, query: Query | None, t: Texts) -> str:
    """`Q-1: 1 of 2 items pass: TimeoutError after 90 s`."""
    told = [] if query is None else [_passes(query, t), _first_error(query)]
    return _allowed(": ".join([excerpt(query_id, _NAME_CHARS), *filter(None, told)]))


def _query_case(cases: _Cases, suite: ET.Element, query: Query, gate: SetGate, t: Texts) -> None:
    seconds = fsum([answer.seconds for answer in query.answers if answer.seconds is not None])
    case = cases.add(suite, query.query_id, seconds)
    state = query_state(query, gate.rules)
    known = None if gate.known is None else gate.known.known.get(query.query_id)
    if known is not None:
        told = [known_name(known, t), excerpt(known.reason, _TEXT_CHARS), _passes(query, t), _first_error(query)]
        ET.SubElement(case, "skipped", message=_allowed(": ".join(filter(None, told))))
    elif state is QueryState.FAILED:
        error = _first_error(query)
        message = _allowed(": ".join(filter(None, [_passes(query, t), error])))
        inner = ET.SubElement(case, "failure", message=message, type=state.value)
        inner.text = _allowed("\n".join(filter(None, [error, *_query_lines(query, t)])))
    elif state is not QueryState.PASSED:
        ET.SubElement(case, "skipped", message=t(_WITHOUT[state]))


def _passes(query: Query, t: Texts) -> str:
    return t("gate.query-passes", n=str(query.passed), of=str(query.assessed))


def _first_error(query: Query) -> str:
    """The first error among the items that do not pass, else the first answer of one; "" without either."""
    failing = [answer for answer in query.answers if answer.passes is False]
    said = chain((answer.error for answer in failing), (answer.text for answer in failing))
    return excerpt(next(filter(None, said), ""), _TEXT_CHARS)


def _query_lines(query: Query, t: Texts) -> Iterator[str]:
    """The question, and the status of every item by round."""
    if query.question:
        yield excerpt(query.question, _TEXT_CHARS)
    for answer in query.answers:
        known = answer.status in list(Status)
        status = status_name(Status(answer.status), t) if known else excerpt(answer.status, _NAME_CHARS)
        passes = (
            "" if answer.passes is None else f", {t('gate.state.passed' if answer.passes else 'gate.state.failed')}"
        )
        yield f"{excerpt(answer.round, _NAME_CHARS)}: {status}{passes}"


def _allowed(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold, not even escaped."""
    return _FORBIDDEN.sub("\ufffd", text)
