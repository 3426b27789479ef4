"""The gate of every settled set: evaluated when a set settles, and again when the rules have changed.

`gate.json` in the folder of a set says what was found; it is no part of the report, and made again when it is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import structlog

from reporting.comparison.runs import UnreadableRunError
from reporting.gate.evaluate_set import keep_gate
from reporting.store.gate import GateFile, read_gate
from reporting.store.set_folder import set_folder
from reporting.store.status import StatusFile
from scoring.gate.result import GateState
from scoring.gate.rules import GateRules
from scoring.problems import InputError

_log = structlog.get_logger()


class Gates:
    """The gates of one output folder. rules: in force since the start."""

    def __init__(self, out: Path, rules: GateRules) -> None:
        self._out = out
        self._rules = rules
        self._states: dict[str, GateState] = {}

    def settle(self, name: str, status: StatusFile, *, may_write: bool) -> GateFile | None:
        """Evaluate the rules for a set that has settled; None where there are none, or it cannot be done now.

        may_write: False only reads what another watcher wrote.
        """
        try:
            folder = set_folder(self._out, name)
            gate = keep_gate(folder, status, self._rules) if may_write else read_gate(folder, status)
        except (OSError, UnreadableRunError, InputError) as error:
            _log.warning("gate not evaluated", set=name, key=status.key, reason=str(error))
            gate = None
        if gate is None:
            self._states.pop(name, None)
        else:
            self._states[name] = gate.result.state
        return gate

    def counts(self, names: Collection[str]) -> dict[str, int]:
        """Number of sets by the state of their gate; every state is there as soon as there are rules. names: known."""
        counted = Counter(state for name, state in self._states.items() if name in names)
        return {state.value: counted[state] for state in GateState} if self._rules or counted else {}
