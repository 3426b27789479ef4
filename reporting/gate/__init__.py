"""A report becomes figures of a gate, outcomes become reasons and JUnit."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.gate.junit import encode_junit
    from reporting.gate.reasons import QueryState, outlook_lines, query_state, reason_text, rule_line, rule_name
    from reporting.gate.reasons import state_line, state_name
else:
    __getattr__ = door(__name__)
