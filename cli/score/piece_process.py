"""A process that scores pieces of one file, as `cli.score.pieces` asks for them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

from cli.process_exit import collect_rarely
from scoring.items.spool.space import SpoolSpace
from scoring.pieces.score_pieces import PiecePlan, SpanHashes, encode_piece, hash_spans, score_piece
from scoring.problems import TransientError
from scoring.reading.regular_file import open_named
from scoring.rubric.model import Rubric, decode_rubric

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HASH = -1  # number of the job that hashes the file, beside those of the pieces
END = -2


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
            file.writelines(encode_piece(piece))
    except OSError as error:
        raise TransientError(error.strerror or str(error)) from error
    return None
