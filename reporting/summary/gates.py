"""The front pages of the sets of one command in Markdown, with the rules of their gates: for a CI job or a comment.

At most 60 lines, and without relative links or images: it is read away from the reports.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from reporting.comparison import ComparisonReport, build_comparison
from reporting.document import Markdown, headline_pieces, markdown_blocks, md, table_row
from reporting.gate import QueryState, query_state, reason_text, rule_name, state_line, state_name
from reporting.runs import SetGate, known_of_report
from reporting.summary.facts import Facts, leading_metric
from reporting.summary.page import main_blocks
from reporting.wording import count, excerpt, known_name
from scoring.comparison import Comparison, Origin
from scoring.gate import GateState
from scoring.known import KnownFailures
from scoring.sets import shown
from texts import Texts

MOST_LINES = 60
_NAME_CHARS = 120
_TEXT_CHARS = 160
_MOST_QUERIES = 10  # of a set
_LEAST_TABLE = 4  # lines: a blank one, its head, and a row
_RULES_ROOM = 12  # lines that are kept for rules


def gates_summary(gates: Sequence[SetGate], t: Texts) -> str:
    """The text. Sets that fail come first; what does not fit is counted in the last line."""
    states = list(GateState)
    ordered = sorted(gates, key=lambda gate: states.index(gate.result.state))
    has_rules = any(gate.rules is not None for gate in gates)
    lines = [f"# {md(state_line(gates, t) if has_rules else t('nav.summary'))}"]
    shown_sets = 0
    for gate in ordered:
        room = MOST_LINES - 2 - len(lines)
        of_set = list(_set_lines(gate, t, room=room, is_alone=len(gates) == 1, has_rules=has_rules))
        if not of_set:
            break
        lines += of_set
        shown_sets += 1
    if shown_sets < len(gates):
        lines += ["", t("gate.more", n=count(len(gates) - shown_sets))]
    return "\n".join(lines[:MOST_LINES]) + "\n"


def facts_of_gate(gate: SetGate, t: Texts) -> Facts:
    """What a front page says of a set that was evaluated, whether it has a folder or not."""
    reported, against = gate.reported, gate.against
    compared = None
    if isinstance(against, ComparisonReport):
        compared = against
    elif isinstance(against, Comparison):
        compared = build_comparison(against, key="", pages=("", ""), files={}, t=t)
    return Facts(
        set_name=gate.set_name,
        report=None if reported is None else reported.report,
        problems=gate.problems,
        compared=compared,
        why=t("baseline.none") if gate.mark is None else gate.mark.sentence,
        is_pinned=gate.mark is not None and gate.mark.origin is Origin.PINNED,
        again={} if gate.mark is None or gate.mark.again is UNSET else gate.mark.again,
        queries={} if reported is None else reported.run.queries,
        known=_known(gate),
    )


def _known(gate: SetGate) -> KnownFailures | None:
    """With the points that they lost, which a gate does not need."""
    if gate.reported is None or gate.known is None:
        return None
    report, run = gate.reported
    return known_of_report(report, run.queries, gate.known.lines, leading_metric(report))


def _set_lines(gate: SetGate, t: Texts, *, room: int, is_alone: bool, has_rules: bool) -> Iterator[str]:
    """Nothing when not even the heading and a rule fit. is_alone: the whole front page is shown.

    has_rules: for some set.
    """
    if room < 2 * _LEAST_TABLE:
        return
    name = md(excerpt(shown(gate.set_name), _NAME_CHARS))
    yield ""
    state = t("gate.no-rules") if gate.rules is None else t(f"gate.state.{gate.result.state}")
    yield f"## {name}: {state}" if has_rules else f"## {name}"
    rows = _rule_rows(gate, t)
    lines = _page_lines(gate, t, is_short=not is_alone)
    kept = lines[: max(room - 2 - (_RULES_ROOM if rows else 0), 0)]
    yield from kept
    room -= 2 + len(kept)
    for table in (rows, _query_rows(gate, t)):
        if table and room >= _LEAST_TABLE:
            listed = table if len(table) < room else table[: room - 2]
            yield ""
            yield from listed
            room -= 1 + len(listed)
            if len(listed) < len(table):
                yield table_row([t("gate.more", n=count(len(table) - len(listed))), "", ""])
                room -= 1


def _page_lines(gate: SetGate, t: Texts, *, is_short: bool) -> list[str]:
    """The front page of a set, with a blank line before it; its figures alone where nothing else is known."""
    if gate.reported is None and not gate.problems:
        against = [t("gate.against", name=excerpt(gate.baseline, _NAME_CHARS))] if gate.baseline else []
        figures = [] if gate.headline is None else [*headline_pieces(gate.headline, t), *against]
        return ["", md(" · ".join(figures))] if figures else []
    text = markdown_blocks(main_blocks(facts_of_gate(gate, t), t, is_short=is_short, has_gate=False)).rstrip("\n")
    return ["", *text.split("\n")]


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
    """A table of the queries that do not pass with its header, the known ones last; nothing without rules or such."""
    known = {} if gate.known is None else gate.known.known
    failing = [query for query in gate.queries if query_state(query, gate.rules) is QueryState.FAILED]
    failing.sort(key=lambda query: query.query_id in known)
    if not failing or gate.rules is None:
        return []
    rows = [table_row([t("gate.failing"), t("gate.result"), ""]), "|---|---|---|"]
    for query in failing[:_MOST_QUERIES]:
        passes = t("gate.query-passes", n=str(query.passed), of=str(query.assessed))
        line = known.get(query.query_id)
        told = passes if line is None else f"{passes} ({known_name(line, t)})"
        rows.append(table_row([excerpt(query.query_id, _NAME_CHARS), told, excerpt(query.question, _TEXT_CHARS)]))
    if len(failing) > _MOST_QUERIES:
        rows.append(table_row([Markdown(t("gate.more", n=count(len(failing) - _MOST_QUERIES))), "", ""]))
    return rows
