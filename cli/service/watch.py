"""Builds the watcher from its parts and the settings, and runs it: start, step, wait, stop."""

import contextlib
import os
import platform
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

import structlog
from celery import Celery

from cli.localised import refusing_to_start
from cli.screen import set_line, unscored_line
from cli.service.documents import MOST_LOOKED_AT, Documents, KnownFile, QuestionFiles, UnclaimedFiles
from cli.service.listeners import Listeners
from cli.service.saved_snapshot import SNAPSHOT_NAME, SNAPSHOT_SECONDS, save_snapshot, take_nudge
from cli.service.stopping import HurriedError
from config import Settings, claiming, packed_patterns, set_patterns
from reporting.index import Index
from reporting.store import IndexEntry, KnownSets, State, StatusFile, keep_known, read_set, sweep
from reporting.wording import clean, count, describe, tally
from scoring import Problem
from scoring.judging import JudgeState
from scoring.review import ReviewFile
from scoring.rubric import Rubric
from scoring.sets import CsvTitles
from texts import texts
from watcher import (
    CACHE_NAME,
    AskPolicy,
    Comparisons,
    FolderObserver,
    Gates,
    Hashes,
    InputFiles,
    InputFolder,
    Planner,
    Reconciler,
    ReviewFiles,
    SettlePolicy,
    Watcher,
)
from workers import CeleryQueue
from workers.broker import SAY_SECONDS, watcher_lease
from workers.jobs import Collector, WorkArea
from workers.processes import give_back_memory, keep_little_memory

LONGEST_WAIT_SECONDS = 0.5
IDLE_SNAPSHOT_SECONDS = 10.0
GIVE_BACK_SECONDS = 60.0

Tell = Callable[[str, IndexEntry | None], None]  # a line, and the set that it is about

_log = structlog.get_logger()


class Watch:
    """The watcher with its queue, lease, observer, hash cache and listeners. Use from one thread.

    app: Celery application of the broker. holder: name under which the lease is held; unique among running watchers,
    and reused after a kill. workers: name -> file in which a worker of the same `up` writes the address of its metrics.
    documents: None reads those of the settings. tell: is given a line of each set that settles, once it is compared and
    its gate known, unless it was found settled without a problem.
    Raises SettingsError when the output folder cannot be written to, RubricError for a document with problems.
    """

    def __init__(
        self,
        settings: Settings,
        app: Celery,
        *,
        holder: str,
        workers: Mapping[str, Path] = MappingProxyType({}),
        documents: Documents | None = None,
        tell: Tell = lambda _line, _entry: None,
    ) -> None:
        keep_little_memory()
        area = WorkArea(settings.out)
        with refusing_to_start("service.not-writable"):
            area.prepare()
        self._documents = documents or Documents(settings)
        rubrics = self._documents.rubrics
        broker_url, out = str(app.conf.broker_url), settings.out.absolute()
        self.queue = CeleryQueue(app, area, rubrics)
        self._tell = tell
        self._language = settings.language
        self._wake = threading.Event()
        self._state = settings.state.absolute()
        self._is_native = settings.observer == "native"
        self._listen_at = self._snapshot_at = self._present_at = self._give_back_at = 0.0
        self._found: Counter[State] = Counter()  # sets found settled since the last line about them
        self._folder = InputFolder(settings.watch, out=out, ignore=settings.ignore, packed=packed_patterns(rubrics))
        self.observer = FolderObserver(self._folder.root, mode=settings.observer, wake=self._wake)
        self._hashes = Hashes(self._state / CACHE_NAME, str(self._folder.root))
        asking = AskPolicy(judging_seconds=settings.visibility_timeout_seconds)
        settling = SettlePolicy(settle_seconds=settings.settle_seconds, polling=settings.observer == "polling")
        files = InputFiles(
            self._folder,
            self.observer,
            self._hashes,
            settling,
            rescan_seconds=settings.rescan_seconds,
            backoff=asking.backoff,
        )
        self._reviews = ReviewFiles(
            self._folder, out, adjudicator=settings.adjudicator or "", on_file=self._tell_of_review
        )
        self._told: list[Problem] = []  # what of review files and run info is not used, as it was told last
        self._unused: list[Problem] = []  # and of tables
        planner = Planner(
            files,
            _claiming(rubrics),
            language=settings.language,
            csv_titles=CsvTitles(settings.csv_titles),
            set_quiet_seconds=settings.set_quiet_seconds,
            judge=settings.judge,
            reviews=self._reviews,
            patterns=set_patterns(rubrics),
        )
        self._lease = watcher_lease(broker_url, holder=holder, retry_seconds=asking.stalled_seconds)
        self._collector = Collector(area)
        self._known = KnownSets(out)
        self._changes = self._known.follow()
        self._replacing: list[Problem] = []  # runs that take the place of none
        self._index = Index(self._known, language=settings.language, patterns=_patterns(rubrics))
        self._unclaimed = UnclaimedFiles(self._folder.root, rubrics, language=settings.language)
        self._planner, self._question_files = planner, QuestionFiles(settings)
        self._look_at_questions()
        self._known_file = KnownFile(settings)
        self._look_at_known()
        self._gates = Gates(out, self._documents.rules, on_done=self._gated)
        self._comparisons = Comparisons(
            self._known,
            self.queue,
            language=settings.language,
            public_url=settings.public_url or "",
            xlsx=settings.xlsx,
            limit_seconds=settings.task_time_limit_seconds,
            is_settled=lambda name: name in self.watcher.settled,
            on_done=self._compared,
        )
        self._compared_scans = 0
        self._rescored: tuple[str, ...] = ()  # profiles whose documents have changed
        self._untold: set[str] = set()  # sets that have settled
        self._listeners = Listeners(settings, self.queue, broker_url=broker_url, workers=workers)
        self.watcher = Watcher(
            files,
            planner,
            Reconciler(asking),
            self.queue,
            known=self._known,
            write_index=self._write_index,
            on_settled=self._settle,
        )

    def step(self, now: float) -> None:
        """One round; `now` is monotonic."""
        self.watcher.is_leading = self._lease.hold(now)
        self.watcher.step(now)
        if self._found:
            _log.info("found settled", **{state.value: self._found[state] for state in State})
            self._found.clear()
        self._comparisons.look_at(self.watcher.retold)
        self.watcher.retold.clear()
        self._compare(now)
        self._comparisons.look_at(self._gates.step())
        if self._index.is_behind:
            self.watcher.index_changed()
        if self.watcher.is_leading:
            self._collector.step(now)
        if now >= self._listen_at:
            self._listen_at = now + SNAPSHOT_SECONDS
            self._look_at_documents()
            if not self.watcher.files.degraded:
                self._look_at_sheets(now)
            self._look_at_unclaimed()
            self._look_at_unused()
            if take_nudge(self._state):
                self.watcher.files.scan_soon()
            self._listeners.update(self.watcher, self._gates, self.observer, now)
            if now >= self._present_at:
                self._present_at = now + SAY_SECONDS
                self.queue.say_present(is_leading=self.watcher.is_leading)
            if now >= self._give_back_at:
                self._give_back_at = now + GIVE_BACK_SECONDS
                give_back_memory()
            if self.watcher.reconciler.unsettled() or now >= self._snapshot_at:
                self._snapshot_at = now + IDLE_SNAPSHOT_SECONDS
                self._save()

    def _look_at_documents(self) -> None:
        """Apply documents and rules that have changed, or say why they are not in force."""
        before, rules = _marks_of(self._documents.rubrics), self._documents.rules
        if not self._documents.look():
            return
        rubrics, t = self._documents.rubrics, texts(self._language)
        told = self._documents.told(t)
        changed = sorted({mark.profile for mark in before ^ _marks_of(rubrics)})
        _log.info("documents changed", profiles=changed, told=told)
        if changed:
            self.queue.use([*rubrics, *self._question_files.questions.every(rubrics)])
            self._unclaimed.use(rubrics)
            self._folder.use(packed_patterns(rubrics))
            self.watcher.use(_claiming(rubrics), set_patterns(rubrics))
        self._index.use(_patterns(rubrics))
        self._rescored = tuple(sorted({*self._rescored, *changed}))
        self.watcher.index_changed()
        if self._documents.rules != rules:
            self._gates.use(self._documents.rules)
            self._settle_gates()
        if told:
            self._tell(told, None)
        if changed or self._documents.rules != rules or not told:
            self._tell(t("service.documents-applied", profiles=", ".join(map(clean, changed)) or t("none")), None)
        self._snapshot_at = 0.0  # `status` says so as well

    def _look_at_sheets(self, now: float) -> None:
        """Apply sheets of questions and known failures that have changed."""
        self._look_at_questions()
        if self._look_at_known():
            self._comparisons.check(now)
            self._settle_gates()

    def _settle_gates(self) -> None:
        """See which gates are decided by other rules or known failures than those in force."""
        for name in self.watcher.settled:
            if (known := self._known.entries.get(name)) is not None:
                self._gates.settle(name, known.unpack().status, may_write=self.watcher.is_leading)

    def _look_at_questions(self) -> None:
        """Put sheets of questions that have changed into force, and say what is wrong with them."""
        rubrics = self._documents.rubrics
        changed = self._question_files.look([rubric.profile for rubric in rubrics])
        if changed is None:
            return
        for problem in self._question_files.problems:
            self._tell(describe(problem, self._language), None)
        if changed:
            _log.info("questions changed", profiles=sorted(changed))
            questions = self._question_files.questions
            self.queue.use(questions.every(rubrics))
            self._planner.ask(questions, changed)

    def _look_at_known(self) -> bool:
        """Put known failures that have changed into force, and say what is wrong with them. True when they changed."""
        if not self._known_file.look([rubric.profile for rubric in self._documents.rubrics]):
            return False
        lines, t = self._known_file.lines, texts(self._language)
        try:
            is_changed = keep_known(self._known.out, lines)
        except OSError as error:
            _log.warning("known failures not written", reason=error.strerror or str(error))
            self._known_file.forget()
            return False
        if lines is not None:
            _log.info("known failures", file=lines.name, lines=len(lines.lines), refused=len(lines.problems))
            self._tell(t("known.read", file=clean(lines.name), n=count(len(lines.lines))), None)
            for problem in lines.problems:
                self._tell(describe(problem, self._language), None)
        return is_changed

    def _look_at_unclaimed(self) -> None:
        """Say which files are not scored for their name alone."""
        for problem in self._unclaimed.look_at(self.watcher.planner.unclaimed[:MOST_LOOKED_AT]):
            _log.info("not scored", file=problem.source, profile=problem.values["profile"])
            self._tell(unscored_line(problem, texts(self._language), time.time()), None)
            self.watcher.index_changed()

    def _look_at_unused(self) -> None:
        """Say which rows of review files are not used, and which runs take the place of none, each once."""
        planner, lines = self.watcher.planner, self._known_file.lines
        if planner.must_group:
            return
        if not self.watcher.reconciler.unsettled() and self._changes.take()[0]:  # all are in that may be named
            self._replacing = self._known.replacing_nothing()
        told = [*self._reviews.unused(planner.sets), *self._replacing]
        for problem in told:
            if problem not in self._told:
                self._tell(describe(problem, self._language), None)
        unused = [*told, *self._question_files.problems, *(() if lines is None else lines.problems)]
        if unused != self._unused:
            self.watcher.index_changed()
        self._told, self._unused = told, unused

    def _write_index(self, *, unclaimed: Iterable[str], waiting: Mapping[str, float]) -> bool:
        return self._index.write(
            unclaimed=self._unclaimed.named(unclaimed),
            waiting=waiting,
            changed=self._since_changes(),
            unused=self._unused,
        )

    def _since_changes(self) -> str:
        """What happens since rubric documents or rules have changed; "" for nothing."""
        t = texts(self._language)
        if told := self._documents.told(t):
            return told
        left = len(self.watcher.reconciler.unsettled())
        if not left:
            self._rescored = ()
        if not self._rescored:
            return ""
        return t("index.changed", profiles=", ".join(map(clean, self._rescored)), n=count(left))

    def _compare(self, now: float) -> None:
        """Ask for missing comparisons; after a scan, look for what somebody else has changed."""
        if self.watcher.is_starting:
            return
        if self._compared_scans != self.watcher.files.scans:
            self._compared_scans = self.watcher.files.scans
            self._comparisons.check(now)
        is_busy = bool(self.watcher.reconciler.unsettled())
        self._comparisons.step(now, may_ask=self.watcher.is_leading, is_busy=is_busy)

    def _save(self) -> None:
        """Write the hash cache and the snapshot that `status` reads."""
        if not self.watcher.reconciler.unsettled():
            self._hashes.save()
        observer = "polling" if self.observer.is_polling else "native"
        try:
            save_snapshot(
                self._state,
                replace(
                    self.watcher.snapshot(),
                    likely=self._unclaimed.texts(),
                    outdated=self._documents.told(texts(self._language)),
                ),
                observer=observer,
                reason=self.observer.reason,
                queue=self.queue.depth(),
                fault=self.queue.fault,
                processes=self.queue.processes(),
            )
        except OSError as error:
            _log.debug("snapshot not saved", reason=error.strerror or str(error))
        except Exception:  # noqa: BLE001 -- a fault of the snapshot must not end the watcher
            _log.exception("snapshot not saved")

    def wait(self, now: float) -> None:
        """Wait until something is due or an event arrives; at most half a second, so that signals are handled."""
        if self._gates.is_idle:
            self._wake.wait(min(self.watcher.wait_seconds(now), LONGEST_WAIT_SECONDS))
        self._wake.clear()

    def is_drained(self) -> bool:
        """Is everything settled, or has it failed too often to wait for, compared, and every gate known?"""
        return self.watcher.is_drained() and self._comparisons.is_idle and self._gates.is_idle

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None and issubclass(kind, HurriedError):
            self.abandon()
        else:
            self.stop()

    def abandon(self) -> None:
        """Stop without waiting; the threads are daemons."""
        (self._state / SNAPSHOT_NAME).unlink(missing_ok=True)

    def start(self) -> None:
        """Create the watched folder if it is missing, and observe it.

        Raises SettingsError when it cannot be created or observed; nothing is left running then.
        """
        with refusing_to_start("service.watch-unusable"):
            self._folder.root.mkdir(parents=True, exist_ok=True)
        sweep(self._state)
        self._hashes.load()
        with refusing_to_start("service.no-events" if self._is_native else "service.watch-unusable"):
            self.observer.start()
        try:
            self._listeners.start()
        except BaseException:
            self.observer.stop()
            raise

    def stop(self) -> None:
        """Stop the observer, write the index and the marks of sources, release the lease, save the hash cache."""
        self.observer.stop()
        for name in sorted(self._untold):  # their comparison is not there yet
            if (known := self._known.entries.get(name)) is not None:
                self._tell_of(name, known.unpack().status)
        with contextlib.suppress(OSError):
            self.watcher.finish(time.monotonic())
        self._lease.release()
        self.queue.say_gone()
        self._listeners.stop()
        self._hashes.save()
        (self._state / SNAPSHOT_NAME).unlink(missing_ok=True)

    def _settle(self, name: str, status: StatusFile) -> None:
        """Log a settled set, and before that a report that a judge has to complete; those of before are counted."""
        event = "settled" if status.is_final else "reported"
        judge = {} if status.judge is JudgeState.NONE else {"judge": str(status.judge)}
        self._listeners.settled(self.watcher, name, status)
        figures = {"findings": len(status.findings), "errors": status.errors}
        is_fresh = self.watcher.reconciler.was_asked(name)
        if is_fresh:
            _log.info(event, set=name, key=status.key, state=str(status.state), **figures, **judge)
        else:
            self._found[status.state] += 1
        if is_fresh or status.state is State.PROBLEM:
            self._untold.add(name)
        self._comparisons.settle(name, status, time.monotonic(), may_ask=self.watcher.is_leading, is_fresh=is_fresh)

    def _compared(self, name: str, status: StatusFile) -> None:
        """Evaluate the gate of a set once its comparison is there, which rules may need."""
        self._gates.settle(name, status, may_write=self.watcher.is_leading)

    def _gated(self, name: str, status: StatusFile) -> None:
        """Tell and notify of a set once its gate is known, which both show."""
        self._listeners.notify(name, status)
        self._tell_of(name, status)

    def _tell_of_review(self, file: ReviewFile) -> None:
        """Say what a review file holds; which of its grades do not count is told once their sets have reports."""
        found, t = tally(file, ()), texts(self._language)
        refused = [*file.refused, *file.problems]
        _log.info("review file", file=file.name, rows=file.rows, blank=file.blank, refused=len(refused))
        numbers = {"filled": count(found.elsewhere), "blank": count(found.blank)}
        self._tell(t("review.read", file=clean(file.name), **numbers), None)

    def _tell_of(self, name: str, status: StatusFile) -> None:
        if name in self._untold:
            self._untold.discard(name)
            entry = read_set(self._known.out, name)
            if entry is None or entry.status.key != status.key:
                entry = IndexEntry(name, status, time.time_ns())
            self._tell(set_line(entry, texts(self._language), has_time=True), entry)


class _Mark(NamedTuple):
    """What tells that a document has changed."""

    profile: str
    digest: str
    set_pattern: str


def _marks_of(rubrics: Iterable[Rubric]) -> set[_Mark]:
    return {_Mark(rubric.profile, rubric.digest, rubric.set_pattern) for rubric in rubrics}


def _claiming(rubrics: Sequence[Rubric]) -> Callable[[str], Rubric | None]:
    return partial(claiming, rubrics=rubrics)


def _patterns(rubrics: Iterable[Rubric]) -> dict[str, tuple[str, ...]]:
    return {rubric.profile: rubric.files for rubric in rubrics}


def holder_name(settings: Settings, *, alone: bool) -> str:
    """Name of the lease's holder. alone: no lock keeps a second watcher from using the same state folder."""
    name = f"{platform.node()}:{settings.state.absolute()}"
    return f"{name}:{os.getpid()}" if alone else name
