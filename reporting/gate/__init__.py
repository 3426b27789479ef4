"""A report becomes figures of a gate, outcomes become reasons, JUnit and a summary."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.gate.decidable import outlook_lines
    from reporting.gate.junit import encode_junit
    from reporting.gate.reasons import reason_text, rule_line, rule_name, state_name
    from reporting.gate.summary import gate_summary, state_line
else:
    __getattr__ = door(__name__)
