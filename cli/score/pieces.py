"""Scores a large file on several cores: pieces of it in processes, joined to what one process gives.

Whatever goes wrong with a piece, a killed process included, leaves the file to be scored in one piece.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

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
from scoring.items import Part
from scoring.items.spool import SpoolSpace, encode_stored
from scoring.reading import open_named
from scoring.rubric import Rubric, decode_rubric, encode_rubric

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

HASH = -1  # number of the job that hashes the file, beside those of the pieces
END = -2
_END_SECONDS = 5.0


class PieceFailedError(Exception):
    """A piece that was not scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceJobs:
    """What the processes share. inode: device and number of the file, which may be replaced by another one."""

    path: str
    inode: tuple[int, int]
    name: str
    rubric: bytes
    plan: PiecePlan
    folder: str

    def piece_file(self, number: int) -> Path:
        """Where a scored piece is."""
        return Path(self.folder) / f"piece-{number}"


def run(jobs: PieceJobs, pipe: Connection, others: Iterable[Connection]) -> None:
    """Do one job after the other until the end is sent, or the process that asks is gone.

    others: ends of pipes that a fork has copied; they are closed, so that each process hears of the end of the other.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    for other in others:
        other.close()
    collect_rarely()
    try:
        with open_named(jobs.path) as stream:
            stat = os.fstat(stream.fileno())
            if (stat.st_dev, stat.st_ino) != jobs.inode:
                pipe.send(("failed", END, None))
                return
            rubric = decode_rubric(jobs.rubric)
            while (number := pipe.recv()) != END:
                pipe.send(("done", number, _do(jobs, number, stream, rubric, pipe)))
    except TransientError as error:
        pipe.send(("full", END, str(error)))
    except (EOFError, BrokenPipeError):
        return
    except (OSError, MemoryError, PieceFailedError):
        pipe.send(("failed", END, None))


def _do(jobs: PieceJobs, number: int, stream: BinaryIO, rubric: Rubric, pipe: Connection) -> SpanHashes | None:
    if number == HASH:
        return hash_spans(stream, jobs.plan)

    def progress(done: int) -> None:
        pipe.send(("bytes", number, done))

    space = SpoolSpace(lambda: TemporaryFile(dir=jobs.folder))  # noqa: SIM115 -- closed with its last reader
    piece = score_piece(
        stream, name=jobs.name, rubric=rubric, plan=jobs.plan, number=number, progress=progress, space=space
    )
    if piece.read is None:
        raise PieceFailedError
    try:
        with jobs.piece_file(number).open("wb") as file:
            file.writelines(encode_stored(piece))
    except OSError as error:
        raise TransientError(error.strerror or str(error)) from error
    return None


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
            stat = os.fstat(stream.fileno())
            jobs = PieceJobs(
                path=str(file),
                inode=(stat.st_dev, stat.st_ino),
                name=str(file),
                rubric=encode_rubric(rubric),
                plan=plan,
                folder=str(folder),
            )
            try:
                with ExitStack() as working:
                    crew = _Crew(jobs, min(self._jobs, len(plan.spans)), stat.st_size, working)
                    hashes = crew.work(progress)
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


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    number: int = END
    left: list[int] = field(default_factory=list)


class _Crew:
    """The processes of one file, which end with `ending`."""

    def __init__(self, jobs: PieceJobs, count: int, size: int, ending: ExitStack) -> None:
        """count: of processes. size: of the file. Raises PieceFailedError when none can be started."""
        import multiprocessing

        # A fork costs nothing, but is safe only where no library starts threads of its own.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self._waiting = deque([HASH, *range(len(jobs.plan.spans))])
        self._sizes = [(size if span.end is None else span.end) - span.start for span in jobs.plan.spans]
        self._done = [0] * len(self._sizes)  # bytes
        self._hashes: SpanHashes | None = None
        self._workers: dict[Connection, _Worker] = {}
        with suppress(OSError):  # at the limit on processes or files: those that there are do it all
            for _ in range(count):
                self._start(context, jobs, ending)
        if not self._workers:
            raise PieceFailedError

    def _start(self, context: Any, jobs: PieceJobs, ending: ExitStack) -> None:
        """One more process. Raises OSError."""
        ours, theirs = context.Pipe()
        ending.enter_context(closing(ours))
        with closing(theirs):
            process = context.Process(target=run, args=(jobs, theirs, [*self._workers, ours]), daemon=True)
            process.start()
        ending.callback(_end, process)
        self._workers[ours] = _Worker(process, ours)

    def work(self, progress: Callable[[int], None] | None) -> SpanHashes:
        """Score all pieces. Raises PieceFailedError, and TransientError when the disk is full."""
        from multiprocessing.connection import wait

        for pipe in list(self._workers):
            self._give(pipe)
        while self._workers:
            ready: list[Any] = wait(list(self._workers))
            for pipe in ready:
                self._hear(pipe)
            if progress is not None:
                progress(sum(self._done))
        if self._hashes is None:
            raise PieceFailedError
        return self._hashes

    def _give(self, pipe: Connection) -> None:
        """The next job, or the end."""
        with suppress(OSError):  # a process that died is heard of
            pipe.send(self._waiting.popleft() if self._waiting else END)

    def _hear(self, pipe: Connection) -> None:
        try:
            kind, number, value = pipe.recv()
        except (EOFError, OSError) as error:
            worker = self._workers.pop(pipe)
            worker.process.join(_END_SECONDS)
            if worker.process.exitcode != 0:
                raise PieceFailedError from error
            return
        if kind == "bytes":
            self._done[number] = value
        elif kind == "full":
            raise TransientError(value)
        elif kind == "failed":
            raise PieceFailedError
        else:
            if number == HASH:
                self._hashes = value
            else:
                self._done[number] = self._sizes[number]
            self._give(pipe)


def _end(process: BaseProcess) -> None:
    if process.is_alive():
        process.kill()
    process.join()
