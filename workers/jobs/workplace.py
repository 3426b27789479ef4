"""Where a worker works: folders, limits, how far it is with a large file, and who else is at a key."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path

from reporting import store
from scoring import LEAST_BYTES, PIECE_BYTES, ScorewatchError, TransientError
from scoring.items import ENGINE_VERSION
from scoring.reading import LARGE_BYTES
from scoring.rubric import Rubric
from scoring.sets import Plan, PlannedInput, unescape_path
from workers.jobs.attempts import Strikes
from workers.jobs.inputs import GiveUpError
from workers.jobs.work_area import PartId, WorkArea

EVERY_SECONDS = 0.5


@contextlib.contextmanager
def note_reading(out: Path, set_name: str, path: str, size: int) -> Iterator[Callable[[int], None] | None]:
    """A function to be told how many bytes are read, for as long as the file is; None for a file that is not large."""
    if size < LARGE_BYTES:
        yield None
        return
    try:
        yield note_piece(out, set_name, path, size)
    finally:
        store.clear_reading(out, set_name, path)


def note_piece(
    out: Path, set_name: str, path: str, size: int, *, before: int = 0, started_at: float | None = None
) -> Callable[[int], None]:
    """The function for a piece of a file; the note stays for the next piece.

    before: bytes of the file that are read. started_at: when its first piece was asked for; None for now.
    """
    next_at = time.time()
    start = next_at if started_at is None else started_at

    def tell(done: int) -> None:
        nonlocal next_at
        now = time.time()
        if now >= next_at:
            next_at = now + EVERY_SECONDS
            done = min(before + done, size)
            store.write_reading(
                out, store.Reading(set=set_name, path=path, size=size, done=done, started_at=start, at=now)
            )

    return tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """The folders and limits of a worker.

    reports: where and how they are published; language and titles are those of a plan. time_limit_seconds: of one task.
    memory_limit_megabytes: of one process. least_cut_bytes: of a file that is scored in pieces of piece_bytes.
    """

    watch: Path
    reports: store.Destination
    area: WorkArea
    strikes: Strikes
    time_limit_seconds: float
    memory_limit_megabytes: int = 4096
    least_cut_bytes: int = LEAST_BYTES
    piece_bytes: int = PIECE_BYTES

    @property
    def out(self) -> Path:
        """The folder of reports."""
        return self.reports.out

    def destination(self, plan: Plan) -> store.Destination:
        """Where and how the report of a plan is published."""
        return replace(self.reports, language=plan.language, csv_titles=plan.csv_titles)

    def find_plan(self, set_name: str, key: str) -> Plan:
        """The plan of a set's key. Raises GiveUpError when there is none, or it is for another engine."""
        plan = self.area.read_plan(set_name, key)
        if plan is None:
            raise GiveUpError("no-plan", key)
        if plan.engine_version != ENGINE_VERSION:
            raise GiveUpError("engine", f"asked for engine {plan.engine_version}, this worker has {ENGINE_VERSION}")
        return plan

    def progress(self, set_name: str, key: str) -> Progress:
        """How far the key is, by status.json, the files beside it and the state of its judge."""
        status = store.status_of_set(self.out, set_name)
        if status is None or status.key != key or not store.verify_set(self.out, set_name, deep=False):
            return Progress.NOTHING
        return Progress.SETTLED if status.is_final else Progress.REPORTED


class Progress(Enum):
    """What the folder of a set has for a key."""

    NOTHING = 0
    REPORTED = 1  # the judge has not completed it
    SETTLED = 2


class BeingScoredError(ScorewatchError):
    """Another process is scoring this input; the watcher asks for its result."""


@contextmanager
def alone_at(place: Workplace, set_name: str, work: str) -> Iterator[None]:
    """Exclude other processes from the same work on the set: concurrent attempts would count as deaths.

    work: the start of a hash, and the number of a piece. Ignores a process that has held the lock for longer than a
    task may take: it may hang.
    """
    with ExitStack() as stack:
        try:
            path = store.lock_path(place.out, set_name).with_suffix(f".{work}")
            try:
                stack.enter_context(store.exclusive(path, timeout_seconds=0))
                os.utime(path)  # the file may be a leftover
            except TransientError:
                if time.time() - path.stat().st_mtime < place.time_limit_seconds:
                    raise BeingScoredError from None
        except FileNotFoundError:
            raise BeingScoredError from None  # it has just ended
        except OSError as error:
            raise GiveUpError("storage", str(error.strerror or error)) from error
        yield


def part_id_of(plan: Plan, planned: PlannedInput) -> PartId:
    """Id of the part of one planned input."""
    kind = os.path.splitext(unescape_path(planned.path))[1].lower()  # noqa: PTH122 -- names that are no UTF-8
    return PartId(planned.sha256, plan.rubric_digest, kind, plan.engine_version)


@lru_cache(maxsize=16)
def load_rubric(area: WorkArea, digest: str) -> Rubric:
    """A rubric by its digest. Raises GiveUpError when the work area has none; the next ask writes it again."""
    rubric = area.read_rubric(digest)
    if rubric is None:
        raise GiveUpError("no-rubric", digest)
    return rubric
