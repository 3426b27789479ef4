"""What every settled set is given beside its report: a comparison with its baseline, and the outcome of its gate.

As everywhere the folders are the truth: what a comparison names has to be what is chosen from the reports now, else the
workers are asked for it again. A gate is evaluated when a set settles, and again when the rules have changed.
`gate.json` in the folder of a set says what was found; it is no part of the report, and made again at the next start
when it is lost. Reports are read a few at a time, so that thousands of them do not hold up the watcher. All state is in
memory and may be lost at any time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import structlog

from reporting.runs import BaselineAsk, Baselines, UnreadableRunError, keep_gate, known_gate
from reporting.store import GateFile, KnownSets, State, StatusFile, read_gate, set_folder
from scoring import InputError, TransientError
from scoring.gate import GateRules, GateState
from scoring.items import ENGINE_VERSION

BUNDLE = 10  # comparisons of one task
MOST_ASKED = 40  # that wait in the queue at a time: a new file's report waits for these few, however many are outdated
POLL_SECONDS = 0.3
POLL_MOST = 500  # folders that are looked at in a poll, in turn
BUSY_SECONDS = 5.0  # between looks while reports are being made: a nearer baseline may follow
LOOK_REST = 10.0  # times as long as a look took
FIND_SECONDS = 60.0  # between looks for folders that the watcher did not ask for
FIND_REST = 100.0  # times as long as such a look took
AGAIN_SECONDS = 30.0  # doubled for every try
AGAIN_LIMIT_SECONDS = 600.0
HOLD_SECONDS = 60.0  # that a notification waits for its comparison
HOPELESS_TRIES = 3
_DOWN_SECONDS = 2.0
_log = structlog.get_logger()
STEP_SECONDS = 0.1


@dataclass(slots=True)
class _Wanted:
    """A comparison that is not there. again_at: when it is to be asked for. tries: asks that went unanswered."""

    ask: BaselineAsk
    again_at: float = 0.0
    tries: int = 0


@dataclass(slots=True)
class _Held:
    status: StatusFile
    since: float


class Comparisons:
    """The comparisons of one output folder.

    known: its sets, whose folders are looked at again here. submit: asks the workers for some. on_done: called with
    (set name, its status) once the comparison of a set that has settled is there, or cannot be waited for any longer;
    at once for a set without a report.
    """

    def __init__(
        self,
        known: KnownSets,
        submit: Callable[[Sequence[BaselineAsk]], None],
        *,
        language: str,
        on_done: Callable[[str, StatusFile], None],
    ) -> None:
        self._known = known
        self._submit = submit
        self._language = language
        self._on_done = on_done
        self._baselines = Baselines(known, language=language)
        self._must_find = True  # all folders are to be looked at
        self._wanted: dict[str, _Wanted] = {}
        self._held: dict[str, _Held] = {}
        self._is_outdated = True
        self._looked_at = -BUSY_SECONDS
        self._look_rest = 0.0
        self._poll_at = self._send_at = self._find_at = 0.0
        self._polled = 0

    @property
    def is_idle(self) -> bool:
        """Is every comparison there, or has it been asked for too often to wait for it?"""
        return not self._held and all(wanted.tries >= HOPELESS_TRIES for wanted in self._wanted.values())

    def settle(self, name: str, status: StatusFile, now: float, *, may_ask: bool) -> None:
        """A set has settled. may_ask: False while another watcher asks for comparisons."""
        entry = self._known.entries.get(name)
        if entry is None or entry.status != status:
            self._changed([name])
        if may_ask and status.state is State.REPORT:
            self._held[name] = _Held(status, now)
            self._is_outdated = True  # the next look says whether it has to wait
        else:
            self._held.pop(name, None)
            self._on_done(name, status)

    def check(self, now: float) -> None:
        """After a scan: find pins and folders that somebody else has changed, from time to time new ones too."""
        self._is_outdated = True
        if now >= self._find_at:
            self._must_find = True
        else:
            self._known.look_at_changed()

    def step(self, now: float, *, may_ask: bool, is_busy: bool) -> bool:
        """Look, ask, and see what is done. True when a comparison was made, or a report is gone.

        is_busy: reports are being made.
        """
        if not may_ask:
            self._release(tuple(self._held))
            self._wanted.clear()
            self._is_outdated = self._must_find = True
            return False
        is_changed = self._poll(now) if now >= self._poll_at else False
        rest = max(BUSY_SECONDS if is_busy else POLL_SECONDS, self._look_rest)
        if self._is_outdated and now >= self._looked_at + rest:
            self._look(now)
        self._send(now)
        self._release([name for name, held in self._held.items() if now - held.since > HOLD_SECONDS])
        return is_changed

    def _changed(self, names: Iterable[str]) -> None:
        """Look at these folders again, and choose the baselines anew."""
        self._is_outdated = True
        self._known.look_at(names)

    def _look(self, now: float) -> None:
        started = time.monotonic()
        self._looked_at, self._look_rest = now, _DOWN_SECONDS
        try:
            if self._must_find:
                self._known.look()
                self._must_find = False
                self._find_at = now + max(FIND_SECONDS, (time.monotonic() - started) * FIND_REST)
            missing = {ask.set_name: ask for ask in self._baselines.missing()}
        except OSError as error:
            _log.warning("reports not found", reason=error.strerror or str(error))
            return
        self._is_outdated = False
        self._wanted = {
            name: known if (known := self._wanted.get(name)) is not None and known.ask == ask else _Wanted(ask)
            for name, ask in missing.items()
        }
        self._release([name for name, held in self._held.items() if name not in missing and self._is_here(name, held)])
        self._look_rest = (time.monotonic() - started) * LOOK_REST

    def _is_here(self, name: str, held: _Held) -> bool:
        """Is the report that settled the one that was looked at? Of another engine none is compared."""
        entry = self._known.entries.get(name)
        return entry is None or entry.status.key == held.status.key or entry.status.engine_version != ENGINE_VERSION

    def _poll(self, now: float) -> bool:
        """Take over the comparisons that were made."""
        self._poll_at = now + POLL_SECONDS
        asked = [name for name, wanted in self._wanted.items() if wanted.tries]
        start = self._polled if self._polled < len(asked) else 0
        looked_at = asked[start : start + POLL_MOST]
        self._polled = start + len(looked_at)
        self._known.look_at(looked_at)
        done = []
        for name in looked_at:
            entry = self._known.entries.get(name)
            found = None if entry is None else entry.compared
            if found is not None and self._wanted[name].ask.is_met(found, self._language):
                done.append(name)
        for name in done:
            del self._wanted[name]
        self._release(done)
        return bool(done)

    def _send(self, now: float) -> None:
        if now < self._send_at:
            return
        left = MOST_ASKED - sum(1 for wanted in self._wanted.values() if now < wanted.again_at)
        due = list(islice((wanted for wanted in self._wanted.values() if now >= wanted.again_at), max(left, 0)))
        for start in range(0, len(due), BUNDLE):
            bundle = due[start : start + BUNDLE]
            try:
                self._submit([wanted.ask for wanted in bundle])
            except (OSError, TransientError) as error:
                _log.warning("comparisons not asked for", n=len(due) - start, reason=str(error))
                self._send_at = now + _DOWN_SECONDS
                return
            for wanted in bundle:
                if wanted.tries:  # the folder may have changed since it was looked at
                    self._changed([wanted.ask.set_name])
                wanted.again_at = now + min(AGAIN_SECONDS * 2**wanted.tries, AGAIN_LIMIT_SECONDS)
                wanted.tries += 1

    def _release(self, names: Iterable[str]) -> None:
        for name in names:
            held = self._held.pop(name, None)
            if held is not None:
                self._on_done(name, held.status)


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
