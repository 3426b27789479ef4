"""Scores a large file on several cores: pieces of it in processes, joined to what one process gives.

Whatever goes wrong with a piece, a killed process included, leaves the file to be scored in one piece.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from cli.process_exit import collect_rarely
from reporting.store import private_folder
from scoring import (
    LEAST_BYTES,
    PIECE_BYTES,
    PiecePlan,
    SpanHashes,
    TransientError,
    hash_spans,
    join_pieces,
    open_piece,
    plan_pieces,
    score_piece,
)
from scoring.items.spool import Part, SpoolSpace, encode_stored
from scoring.reading import open_named
from scoring.rubric import Rubric, decode_rubric, encode_rubric

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

LOOK_SECONDS = 0.1
_FAULT_BYTES = 500


class PieceFailedError(Exception):
    """A piece that was not scored."""


class PieceJobs(msgspec.Struct, frozen=True, kw_only=True):
    """What each process is told. parent: pid of the process that waits for it."""

    path: str
    rubric: bytes
    plan: PiecePlan
    folder: str
    parent: int

    def piece_file(self, number: int) -> Path:
        """Where a scored piece is."""
        return Path(self.folder) / f"piece-{number}"


class SharedMemory(NamedTuple):
    """Memory of all processes. next: number of the piece that none has taken. done: bytes of each piece that are read.

    fault: why there is no place for a piece.
    """

    next: Synchronized[int]
    done: Any
    fault: Any

    def take(self) -> int:
        """The next piece is for the process that calls this."""
        with self.next.get_lock():
            self.next.value += 1
            return self.next.value - 1


def run(jobs: PieceJobs, shared: SharedMemory) -> None:
    """Score one piece after the other until none is left, or the process that waits is gone."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    collect_rarely()
    rubric = decode_rubric(jobs.rubric)
    try:
        with open_named(jobs.path) as stream:
            while (number := shared.take()) < len(jobs.plan.spans):
                _score(jobs, number, stream, rubric, shared)
    except TransientError as error:
        shared.fault.value = str(error).encode()[:_FAULT_BYTES]
        sys.exit(1)
    except (OSError, MemoryError, PieceFailedError):
        sys.exit(1)


def _score(jobs: PieceJobs, number: int, stream: BinaryIO, rubric: Rubric, shared: SharedMemory) -> None:
    def progress(done: int) -> None:
        shared.done[number] = done
        if os.getppid() != jobs.parent:
            sys.exit(1)

    space = SpoolSpace(lambda: TemporaryFile(dir=jobs.folder))  # noqa: SIM115 -- closed with its last reader
    piece = score_piece(
        stream, name=jobs.path, rubric=rubric, plan=jobs.plan, number=number, progress=progress, space=space
    )
    if piece.read is None:
        raise PieceFailedError
    try:
        with jobs.piece_file(number).open("wb") as file:
            file.writelines(encode_stored(piece))
    except OSError as error:
        raise TransientError(error.strerror or str(error)) from error


class Pieces:
    """How `scorewatch score` scores large files.

    jobs: number of processes; 1 for none. out: folder of reports, whose work area takes the pieces, or None.
    """

    def __init__(
        self,
        jobs: int,
        out: Path | None,
        *,
        least_bytes: int = LEAST_BYTES,
        piece_bytes: int = PIECE_BYTES,
    ) -> None:
        self._jobs = jobs
        self._out = out
        self._least_bytes = least_bytes
        self._piece_bytes = piece_bytes

    def score(
        self, file: Path, stream: BinaryIO, *, rubric: Rubric, progress: Callable[[int], None] | None = None
    ) -> Part | None:
        """The part of a file; None when it is to be scored in one piece.

        stream: the file, opened. progress: as for `score_file`. Raises OSError, TransientError when the disk is full.
        """
        if self._jobs == 1:
            return None
        plan = plan_pieces(
            stream, name=str(file), rubric=rubric, least_bytes=self._least_bytes, piece_bytes=self._piece_bytes
        )
        if plan is None:
            return None
        with ExitStack() as ending:
            try:
                folder = ending.enter_context(self._folder())
            except OSError:  # the items of one piece may need none
                return None
            jobs = PieceJobs(
                path=str(file), rubric=encode_rubric(rubric), plan=plan, folder=str(folder), parent=os.getpid()
            )
            try:
                hashes = _score_all(jobs, stream, min(self._jobs, len(plan.spans)), progress)
                pieces = [open_piece(open_named(jobs.piece_file(number))) for number in range(len(plan.spans))]
            except (PieceFailedError, msgspec.DecodeError):
                return None
            return join_pieces(stream, pieces, name=str(file), rubric=rubric, plan=plan, hashes=hashes)

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """A folder that is removed at the end, or after the end of this process by the next sweep."""
        if self._out is not None:
            with private_folder(self._out) as folder:
                yield folder
            return
        with TemporaryDirectory(prefix="scorewatch-pieces-") as name:
            yield Path(name)


def _score_all(jobs: PieceJobs, stream: BinaryIO, count: int, progress: Callable[[int], None] | None) -> SpanHashes:
    """Hash the file while `count` processes score its pieces.

    Raises PieceFailedError, and TransientError when the disk is full; no process is left then.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    # A fork costs nothing, but is safe only where no library starts threads of its own.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    processes: list[Any] = []
    try:
        with suppress(OSError):  # at the limit on processes or files: those that there are do it all
            done, fault = context.RawArray("q", len(jobs.plan.spans)), context.RawArray("c", _FAULT_BYTES)
            shared = SharedMemory(context.Value("q", 0), done, fault)
            for _ in range(count):
                process = context.Process(target=run, args=(jobs, shared), daemon=True)
                process.start()
                processes.append(process)
        if not processes:
            raise PieceFailedError
        hashes = hash_spans(stream, jobs.plan)
        while True:
            codes = [process.exitcode for process in processes]
            if any(codes):
                raise TransientError(fault.value.decode(errors="replace")) if fault.value else PieceFailedError
            if progress is not None:
                progress(sum(done))
            if None not in codes:
                return hashes
            wait([process.sentinel for process in processes if process.exitcode is None], LOOK_SECONDS)
    finally:
        for process in processes:
            process.kill()
            process.join()
