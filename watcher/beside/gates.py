"""The gate of every settled set: evaluated when a set settles, and again when the rules have changed.

`gate.json` in the folder of a set says what was found; it is no part of the report, and made again at the next start
when it is lost. Reports are read a few at a time, so that thousands of them do not hold up the watcher.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import structlog

from reporting.comparison.runs import UnreadableRunError
from reporting.gate.evaluate_set import keep_gate, known_gate
from reporting.store.gate import GateFile, read_gate
from reporting.store.set_folder import set_folder
from reporting.store.status import StatusFile
from scoring.gate.result import GateState
from scoring.gate.rules import GateRules
from scoring.problems import InputError

STEP_SECONDS = 0.1

_log = structlog.get_logger()


class Gates:
    """The gates of one output folder.

    rules: in force since the start. on_done: called with (set name, its status) once its gate is known, or cannot be;
    of a profile without rules at once.
    """

    def __init__(self, out: Path, rules: GateRules, *, on_done: Callable[[str, StatusFile], None]) -> None:
        self._out = out
        self._rules = rules
        self._on_done = on_done
        self._states: dict[str, GateState] = {}
        self._pending: dict[str, StatusFile] = {}

    @property
    def is_idle(self) -> bool:
        """Is no set waiting for its gate?"""
        return not self._pending

    def settle(self, name: str, status: StatusFile, *, may_write: bool) -> None:
        """A set has settled. may_write: False only takes over what another watcher wrote."""
        self._pending.pop(name, None)
        try:
            folder = set_folder(self._out, name)
        except InputError:
            self._done(name, status, None)
            return
        has_rules = self._rules.of(status.profile) is not None
        known = known_gate(folder, status, self._rules) if has_rules and may_write else read_gate(folder, status)
        is_stale = known is None if has_rules else known is not None
        if may_write and is_stale:
            self._pending[name] = status
        else:
            self._done(name, status, known)

    def step(self, seconds: float = STEP_SECONDS) -> list[str]:
        """Evaluate some of the waiting sets, one at least; their names."""
        end = time.monotonic() + seconds
        done = []
        while self._pending:
            name = next(iter(self._pending))
            self._evaluate(name, self._pending.pop(name))
            done.append(name)
            if time.monotonic() >= end:
                break
        return done

    def counts(self, names: Collection[str]) -> dict[str, int]:
        """Number of sets by the state of their gate; every state is there as soon as there are rules. names: known."""
        counted = Counter(state for name, state in self._states.items() if name in names)
        return {state.value: counted[state] for state in GateState} if self._rules or counted else {}

    def _evaluate(self, name: str, status: StatusFile) -> None:
        gate = None
        try:
            gate = keep_gate(set_folder(self._out, name), status, self._rules)
        except (OSError, UnreadableRunError, InputError) as error:
            _log.warning("gate not evaluated", set=name, key=status.key, reason=str(error))
        if gate is not None:
            _log.info("gate", set=name, key=status.key, state=str(gate.result.state))
        self._done(name, status, gate)

    def _done(self, name: str, status: StatusFile, gate: GateFile | None) -> None:
        if gate is None:
            self._states.pop(name, None)
        else:
            self._states[name] = gate.result.state
        self._on_done(name, status)
