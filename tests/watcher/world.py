"""A watched folder with a clock, events and workers that the test moves by hand."""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from config import claiming, shipped_rubrics
from reporting.store import KnownSets
from scoring import Problem, TransientError
from scoring.sets import Plan
from tests.reporting.publishing import publish_problem
from watcher.content_hashes import Hashes
from watcher.events import FolderObserver
from watcher.folder import InputFolder
from watcher.inputs import InputFiles
from watcher.loop import Watcher
from watcher.plan import Planner
from watcher.reconcile import AskPolicy, Reconciler
from watcher.settle import Hint, SettlePolicy
from workers.jobs import Trouble

POLICY = AskPolicy()


def long_after() -> int:
    """Nanoseconds since the epoch, long after every file was written."""
    return time.time_ns() + 100_000_000_000


class Events(FolderObserver):
    """Hints that the test gives."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, mode="auto", wake=threading.Event())
        self.hints: dict[str, Hint] = {}
        self.missed: list[int] = []

    def drain(self) -> dict[str, Hint]:
        hints, self.hints = self.hints, {}
        return hints

    def check(self) -> bool:
        return False

    def report_scan(self, *, missed: int) -> bool:
        self.missed.append(missed)
        return False


class Queue:
    """Workers that work when the test says so; what they publish is a problem, which settles as well as a report."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.asked: list[tuple[Plan, bool]] = []
        self.troubles: dict[str, str] = {}
        self.is_down = False
        self.full: OSError | None = None

    def submit(self, plans: Sequence[Plan], *, again: bool) -> None:
        if self.full is not None:
            raise self.full
        if self.is_down:
            raise TransientError("down")
        self.asked += ((plan, again) for plan in plans)

    def depth(self) -> tuple[int, ...]:
        return len(self.asked), 0

    def has_troubles(self) -> bool:
        return bool(self.troubles)

    def trouble(self, set_name: str, key: str) -> Trouble | None:
        del key
        kind, _, detail = self.troubles.get(set_name, "").partition(": ")
        return Trouble(kind, detail) if kind else None

    def close(self, set_name: str, key: str) -> None:
        del key
        self.troubles.pop(set_name, None)

    def names(self) -> list[str]:
        return [plan.set_name for plan, _ in self.asked]

    def work(self) -> None:
        """Do everything that was asked."""
        for plan, _ in self.asked:
            publish(plan, self.out)
        self.asked.clear()


def publish(plan: Plan, out: Path) -> None:
    """What a worker makes of a plan: a problem."""
    publish_problem(
        [Problem(code="header-only")],
        inputs=[(entry.name, entry.sha256) for entry in plan.inputs],
        set_name=plan.set_name,
        key=plan.key,
        out=out,
        profile=next(rubric.profile for rubric in shipped_rubrics() if rubric.digest == plan.rubric_digest),
        rubric_digest=plan.rubric_digest,
    )


class World:
    """A watched folder, an output folder and a watcher between them. Its clock is ahead: no file is young."""

    def __init__(self, home: Path) -> None:
        self.root, self.out, self.hashes_file = home / "in", home / "out", home / "hashes"
        self.root.mkdir(parents=True)
        self.queue = Queue(self.out)
        self.now = 1000.0
        self.version = 0
        self.indexed: list[tuple[str, ...]] = []
        self.start()

    def start(self) -> None:
        """A new watcher that remembers nothing."""
        self.events = Events(self.root)
        self.hashes = Hashes(self.hashes_file, "watched", now_ns=long_after)
        self.hashes.load()
        files = self.files = InputFiles(
            InputFolder(self.root, out=self.out),
            self.events,
            self.hashes,
            SettlePolicy(),
            rescan_seconds=30.0,
            backoff=POLICY.backoff,
        )
        planner = Planner(files, lambda name: claiming(name, shipped_rubrics()), language="ko", set_quiet_seconds=5.0)
        self.watcher = Watcher(
            files, planner, Reconciler(POLICY), self.queue, known=KnownSets(self.out), write_index=self._write_index
        )

    def write(self, path: str, text: str, *hints: Hint) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
        self.version += 1
        os.utime(full, (1_600_000_000 + self.version,) * 2)
        for hint in hints:
            self.events.hints[str(full)] = hint

    def run(self, seconds: float) -> None:
        """Let time pass in steps of a tenth, as long as the loop would wait."""
        for _ in range(round(seconds * 10)):
            self.watcher.step(self.now)
            self.now += 0.1

    def _write_index(self, *, unclaimed: Sequence[str], waiting: Mapping[str, float]) -> None:
        if self.queue.full is not None:
            raise self.queue.full
        self.indexed.append(tuple(unclaimed))
        self.waited_for = dict(waiting)
