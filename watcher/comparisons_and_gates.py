"""What every settled set is given beside its report: a comparison with its baseline, its gate, and its front page.

As everywhere the folders are the truth: what a comparison or a front page names has to be what is there now, else the
workers are asked for it again. A front page says how the gate ended, so it is asked for once more when that is known.
 A gate is evaluated when a set settles, and again when the rules have changed.
`gate.json` in the folder of a set says what was found; it is no part of the report, and made again at the next start
when it is lost. Reports are read a few at a time, so that thousands of them do not hold up the watcher. All state is in
memory and may be lost at any time.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple, Protocol

import structlog

from reporting.runs import BaselineAsk, Baselines, UnreadableRunError, keep_gate, known_gate
from reporting.store import GateFile, KnownSets, State, StatusFile, read_gate, set_folder
from scoring import InputError, TransientError
from scoring.gate import GateRules, GateState
from scoring.items import ENGINE_VERSION

BUNDLE = 10  # sets of one task
BUNDLE_ITEMS = 5_000  # of the runs in it: a second of work, so that no report waits longer for a worker
MOST_ASKED = 40  # at a time: what is asked for is chosen late, and the queue stays small
POLL_SECONDS = 0.3
QUEUE_SECONDS = 2.0  # between looks at the queue, and how long a task may be in none of its lists
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


class DepthLike(Protocol):
    """Numbers of tasks: comparing, those that wait to be compared, and running, what workers have taken of any kind."""

    @property
    def comparing(self) -> int:
        """Comparisons that wait."""

    @property
    def running(self) -> int:
        """Tasks of any kind that workers have taken."""


class CompareQueueLike(Protocol):
    """How comparisons reach the workers."""

    def compare(self, asks: Sequence[BaselineAsk], *, language: str, public_url: str, xlsx: bool) -> None:
        """Ask for some, in one task. Raises OSError or TransientError when it cannot be sent."""

    def depth(self) -> DepthLike | None:
        """What waits and runs; None when the broker does not answer."""


@dataclass(slots=True)
class _Wanted:
    """A comparison or a front page that is not there. tries: asks so far. again_at: when one may follow a lost one."""

    ask: BaselineAsk
    tries: int = 0
    again_at: float = 0.0


class _Asked(NamedTuple):
    """An ask that waits in the queue, or is being worked on. is_compared: the comparison is there."""

    ask: BaselineAsk
    at: float
    is_compared: bool


@dataclass(slots=True)
class _Held:
    """A set that has settled. status: of one that was made just now; the others are as the known sets have them."""

    key: str
    since: float
    status: StatusFile | None


class Comparisons:
    """The comparisons and front pages of one output folder.

    known: its sets, whose folders are looked at again here. queue: of the workers, who take what else waits first.
    limit_seconds: of one task. is_settled: is the report of a set what is wanted?
    on_done: called with (set name, its status) once the comparison of a set is there that
    has settled or is compared with another baseline, or cannot be waited for any longer; at once for a set without a
    report.

    At most MOST_ASKED are asked for at a time, of each set one. It is asked for again when the queue has lost it, or a
    worker has failed at it: none waits any more, and no task runs that could be it.
    """

    def __init__(
        self,
        known: KnownSets,
        queue: CompareQueueLike,
        *,
        language: str,
        public_url: str = "",
        xlsx: bool = False,
        limit_seconds: float,
        is_settled: Callable[[str], bool],
        on_done: Callable[[str, StatusFile], None],
    ) -> None:
        self._known = known
        self._queue = queue
        self._language = language
        self._public_url, self._xlsx = public_url, xlsx
        self._limit_seconds = limit_seconds
        self._is_settled = is_settled
        self._on_done = on_done
        self._baselines = Baselines(known, language=language, public_url=public_url, xlsx=xlsx)
        self._must_find = True  # all folders are to be looked at
        self._wanted: dict[str, _Wanted] = {}
        self._line: dict[str, None] = {}  # those of them that are asked for next, in this order
        self._asked: dict[str, _Asked] = {}
        self._held: dict[str, _Held] = {}  # in the order of their time
        self._has_others = True  # in the queue: comparisons that an earlier leader has asked for
        self._is_outdated = self._may_ask = True
        self._looked_at = -BUSY_SECONDS
        self._look_rest = 0.0
        self._poll_at = self._send_at = self._find_at = self._queue_at = 0.0
        self._none_waits_since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Is everything there, or has it been asked for too often to wait for it? Not before it was looked for."""
        is_seen = not self._is_outdated or not self._may_ask
        return is_seen and not self._held and all(wanted.tries >= HOPELESS_TRIES for wanted in self._wanted.values())

    def settle(self, name: str, status: StatusFile, now: float, *, may_ask: bool, is_fresh: bool = True) -> None:
        """A set has settled. may_ask: False while another watcher asks for comparisons. is_fresh: it comes first."""
        entry = self._known.entries.get(name)
        if is_fresh or entry is None or entry.key != status.key:
            self.look_at([name])
        self._held.pop(name, None)
        self._is_outdated = True  # the next look says whether it has to wait, and whether its front page is there
        if may_ask and status.state is State.REPORT:
            self._held[name] = _Held(status.key, now, status if is_fresh else None)
        else:
            self._on_done(name, status)

    def look_at(self, names: Collection[str]) -> None:
        """Look at these folders again, and choose the baselines anew."""
        self._is_outdated = self._is_outdated or bool(names)
        self._known.look_at(names)

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
        self._may_ask = may_ask
        if not may_ask:
            self._release(tuple(self._held))
            for kept in (self._wanted, self._line, self._asked):
                kept.clear()
            self._is_outdated = self._must_find = self._has_others = True
            return False
        is_changed = self._poll(now) if now >= self._poll_at else False
        rest = max(BUSY_SECONDS if is_busy else POLL_SECONDS, self._look_rest)
        if self._is_outdated and now >= self._looked_at + rest:
            self._look(now)
        self._send(now)
        waited = takewhile(lambda name: now - self._held[name].since > HOLD_SECONDS, self._held)
        self._release(list(waited))
        return is_changed

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
        self._release([name for name, held in self._held.items() if self._is_done(name, held, missing.get(name))])
        self._line = {name: None for name in sorted(missing, key=self._rank) if name not in self._asked}
        self._look_rest = (time.monotonic() - started) * LOOK_REST

    def _rank(self, name: str) -> tuple[bool, bool]:
        """Place in line: what was asked for already comes last, what was made just now first."""
        held = self._held.get(name)
        return self._wanted[name].tries > 0, held is None or held.status is None

    def _is_done(self, name: str, held: _Held, missing: BaselineAsk | None) -> bool:
        """Is the comparison there of the report that settled? Of another engine none is compared."""
        entry = self._known.entries.get(name)
        if entry is None or (missing is None and entry.unpack().status.engine_version != ENGINE_VERSION):
            return True
        return entry.key == held.key and (missing is None or self._is_compared(missing))

    def _is_compared(self, ask: BaselineAsk) -> bool:
        """Is the comparison there that is asked for?"""
        entry = self._known.entries.get(ask.set_name)
        return entry is not None and ask.is_met(entry.unpack().compared, self._language)

    def _poll(self, now: float) -> bool:
        """Take over the comparisons that were made, and see which are lost."""
        self._poll_at = now + POLL_SECONDS
        if not self._asked:
            return False
        depth = None
        if now >= self._queue_at:
            self._queue_at = now + QUEUE_SECONDS
            depth = self._queue.depth()  # before the folders: what ends in between is there
        self._known.look_at(self._asked)
        compared = [name for name, asked in self._asked.items() if self._is_compared(asked.ask)]
        is_changed = self._take(compared)
        if depth is not None:
            self._find_lost(depth, now)
        return is_changed

    def _take(self, compared: Iterable[str]) -> bool:
        """Take over sets that were asked for and are compared. True when anything of them was made."""
        is_changed = False
        for name in compared:
            asked, wanted, entry = self._asked[name], self._wanted.get(name), self._known.entries[name].unpack()
            is_wanted = wanted is not None and wanted.ask == asked.ask
            if not asked.is_compared:
                self._asked[name] = asked._replace(is_compared=True)
                is_changed = True
                if wanted is None or self._is_compared(wanted.ask):
                    self._tell(name, entry.status)
            if entry.summary == asked.ask.summary:
                del self._asked[name]
                is_changed = True
                if is_wanted:
                    del self._wanted[name]
                elif wanted is not None:
                    self._line[name] = None
        return is_changed

    def _tell(self, name: str, status: StatusFile) -> None:
        """The comparison of a set is there that was not before: of one that settled, or with another baseline."""
        if name in self._held:
            self._release([name])
        elif self._is_settled(name):
            self._on_done(name, status)

    def _find_lost(self, depth: DepthLike, now: float) -> None:
        """Let go of what neither waits nor runs. What is wanted otherwise by now need not wait for the end of a run."""
        if depth.comparing:
            self._none_waits_since = None
            return
        if self._none_waits_since is None:
            self._none_waits_since = now
        for name, asked in tuple(self._asked.items()):
            wanted = self._wanted.get(name)
            taken_at = max(self._none_waits_since, asked.at)
            rest = self._limit_seconds if depth.running else QUEUE_SECONDS
            is_other = wanted is None or wanted.ask != asked.ask
            if now - taken_at >= (QUEUE_SECONDS if is_other else rest):
                del self._asked[name]
                if wanted is not None:
                    self._line[name] = None  # behind those that were not asked for yet
                    self.look_at([name])  # the folder may have changed since it was looked at

    def _send(self, now: float) -> None:
        if now < self._send_at or not self._line:
            return
        if self._has_others:
            depth = self._queue.depth()
            if depth is None or depth.comparing:
                self._send_at = now + _DOWN_SECONDS
                return
            self._has_others = False
        due = (name for name in self._line if now >= self._wanted[name].again_at)
        for bundle in self._bundles(list(islice(due, MOST_ASKED - len(self._asked)))):
            try:
                asks = [self._wanted[name].ask for name in bundle]
                self._queue.compare(asks, language=self._language, public_url=self._public_url, xlsx=self._xlsx)
            except (OSError, TransientError) as error:
                _log.warning("comparisons not asked for", n=len(self._line), reason=str(error))
                self._send_at = now + _DOWN_SECONDS
                return
            self._none_waits_since = None
            for name in bundle:
                wanted = self._wanted[name]
                wanted.again_at = now + min(AGAIN_SECONDS * 2**wanted.tries, AGAIN_LIMIT_SECONDS)
                wanted.tries += 1
                del self._line[name]
                self._asked[name] = _Asked(wanted.ask, now, self._is_compared(wanted.ask))

    def _bundles(self, names: Sequence[str]) -> Iterator[list[str]]:
        """The comparisons of each task. One that is asked for again is alone: it may be what ended the others."""
        together: list[str] = []
        items = 0
        for name in names:
            headline = self._known.entries[name].unpack().status.headline
            added = BUNDLE_ITEMS if self._wanted[name].tries or headline is None else headline.n
            if together and (len(together) >= BUNDLE or items + added > BUNDLE_ITEMS):
                yield together
                together, items = [], 0
            together.append(name)
            items += added
        if together:
            yield together

    def _release(self, names: Iterable[str]) -> None:
        for name in names:
            held = self._held.pop(name, None)
            entry = self._known.entries.get(name)
            if held is not None and held.status is not None:
                self._on_done(name, held.status)
            elif held is not None and entry is not None and entry.key == held.key:  # else it settles once more
                self._on_done(name, entry.unpack().status)
        self._held = self._held or {}  # the table of many is not kept


class Gates:
    """The gates of one output folder.

    rules: in force. on_done: called with (set name, its status) once its gate is known, or cannot be;
    of a profile without rules at once.
    """

    def __init__(self, out: Path, rules: GateRules, *, on_done: Callable[[str, StatusFile], None]) -> None:
        self._out = out
        self._rules = rules
        self._on_done = on_done
        self._states: dict[str, GateState] = {}
        self._pending: dict[str, StatusFile] = {}

    def use(self, rules: GateRules) -> None:
        """Rules have changed; sets that have settled are to be given to `settle` again."""
        self._rules = rules

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
