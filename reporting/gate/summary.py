"""A summary of gates in Markdown, for the step summary of a CI job or a comment.

At most 60 lines, and without relative links or images: it is read away from the reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.document import Markdown, headline_pieces, md, table_row
from reporting.gate.reasons import QueryState, query_state, reason_text, rule_name, state_name
from reporting.runs import SetGate
from reporting.wording import count, excerpt
from scoring.gate import GateState
from scoring.sets import shown
from texts import Texts

MOST_LINES = 60
_NAME_CHARS = 120
_TEXT_CHARS = 160
_MOST_QUERIES = 10  # of a set
_OF_A_SET = 6  # lines around its tables


def gate_summary(gates: Sequence[SetGate], t: Texts) -> str:
    """The text. Sets that fail come first; what does not fit is counted in the last line."""
    states = list(GateState)
    ordered = sorted(gates, key=lambda gate: states.index(gate.result.state))
    lines = [f"# {md(state_line(gates, t))}"]
    shown_sets = 0
    for gate in ordered:
        of_set = list(_set_lines(gate, t, room=MOST_LINES - 2 - len(lines)))
        if not of_set:
            break
        lines += of_set
        shown_sets += 1
    if shown_sets < len(gates):
        lines += ["", t("gate.more", n=count(len(gates) - shown_sets))]
    assert len(lines) <= MOST_LINES, len(lines)
    return "\n".join(lines) + "\n"


def state_line(gates: Sequence[SetGate], t: Texts) -> str:
    """`Gate: passed 1, failed 0, undecidable 0`."""
    states = [gate.result.state for gate in gates if gate.rules is not None]
    return t("gate.summary", **{state.value: count(states.count(state)) for state in GateState})


def _set_lines(gate: SetGate, t: Texts, *, room: int) -> Iterator[str]:
    """Nothing when not even the heading, the figures and a rule fit."""
    if room < _OF_A_SET + 1:
        return
    state = t("gate.no-rules") if gate.rules is None else t(f"gate.state.{gate.result.state}")
    yield ""
    yield f"## {md(excerpt(shown(gate.set_name), _NAME_CHARS))}: {state}"
    room -= 2
    if gate.headline is not None:
        yield ""
        pieces = headline_pieces(gate.headline, t)
        against = [t("gate.against", name=excerpt(gate.baseline, _NAME_CHARS))] if gate.baseline else []
        yield md(" · ".join([*pieces, *against]))
        room -= 2
    tables = [_rule_rows(gate, t), _query_rows(gate, t)]
    for rows in tables:
        if rows and room >= 4:
            kept = rows[: room - 1] if len(rows) <= room - 1 else rows[: room - 2]
            yield ""
            yield from kept
            room -= 1 + len(kept)
            if len(kept) < len(rows):
                yield table_row([t("gate.more", n=count(len(rows) - len(kept))), "", ""])
                room -= 1


def _rule_rows(gate: SetGate, t: Texts) -> list[str]:
    """A table of rules with its header, those that did not pass first; nothing without rules."""
    if not gate.result.rules:
        return []
    states = list(GateState)
    ordered = sorted(gate.result.rules, key=lambda result: states.index(result.state))
    rows = [table_row([t("gate.rule"), t("gate.result"), t("gate.why")]), "|---|---|---|"]
    for result in ordered:
        reason = excerpt(reason_text(result, t), _TEXT_CHARS)
        rows.append(table_row([excerpt(rule_name(result, t), _TEXT_CHARS), state_name(result, t), reason]))
    return rows


def _query_rows(gate: SetGate, t: Texts) -> list[str]:
    """A table of the queries that do not pass with its header; nothing without such a query."""
    failing = [query for query in gate.queries if query_state(query, gate.rules) is QueryState.FAILED]
    if not failing:
        return []
    rows = [table_row([t("gate.failing"), t("gate.result"), ""]), "|---|---|---|"]
    for query in failing[:_MOST_QUERIES]:
        passes = t("gate.query-passes", n=str(query.passed), of=str(query.assessed))
        rows.append(table_row([excerpt(query.query_id, _NAME_CHARS), passes, excerpt(query.question, _TEXT_CHARS)]))
    if len(failing) > _MOST_QUERIES:
        rows.append(table_row([Markdown(t("gate.more", n=count(len(failing) - _MOST_QUERIES))), "", ""]))
    return rows
