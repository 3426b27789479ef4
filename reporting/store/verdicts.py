"""`verdicts.jsonl` beside a report: the answers of judges, one a line. They are paid for, so nothing removes them.

The file is no part of a report: no key, mark or history includes it. An index by content in the work area lets a set
of another name with the same files inherit its verdicts; losing the index costs verdicts asked for again.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import msgspec

from reporting.store.locks import set_lock
from reporting.store.set_folders import CHARTS, HISTORY, ROUNDS, VERDICTS, set_folder, work_area
from reporting.store.stored_file import sync_folder, write_all, write_atomic
from scoring import ScorewatchError, TransientError
from scoring.judging import Tokens, Verdict
from scoring.reading import open_named, read_named

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Verdict)
INDEX_FOLDER = "judged"
_WITHOUT_SETS = (CHARTS, HISTORY, ROUNDS)
_TAIL = 65_536  # bytes at the end of a file in which a line is searched for before it is added
_LONGEST_LINE = 65_536  # bytes; a line is a hash, a level and a reason of some hundred characters


def read_verdicts(out: Path, set_name: str) -> dict[str, Verdict]:
    """The verdicts of a set by hash: of several the first with a level, else the last failure. No file: none.

    A level never changes: where two machines asked at once, both make the same report of it. Unreadable lines, such as
    a cut one, are left out. Raises InputError when the file is outside of `out`, TransientError when it cannot be read.
    """
    return VerdictReader(out, set_name).read()


class VerdictReader:
    """Reads the verdicts of a set repeatedly: of a file that only grew, just the new lines."""

    def __init__(self, out: Path, set_name: str) -> None:
        self._out = out
        self._set_name = set_name
        self._restart()

    def read(self) -> dict[str, Verdict]:
        """As `read_verdicts`; the same dictionary each time, as long as the file is the same."""
        path = set_folder(self._out, self._set_name) / VERDICTS
        try:
            with open_named(path) as stream:
                self._go_on(stream)
        except FileNotFoundError:
            self._restart()
        except OSError as error:
            raise TransientError(f"{path}: {error.strerror or error}") from error
        return self._verdicts

    def _restart(self) -> None:
        self._verdicts: dict[str, Verdict] = {}
        self._file: tuple[int, int] | None = None
        self._end = 0  # of the last whole line
        self._last = b""  # that line, or its tail

    def _go_on(self, stream: BinaryIO) -> None:
        found = os.fstat(stream.fileno())
        stream.seek(self._end - len(self._last))
        # A tidied file is a new one; inode numbers are reused, so the content has to agree as well.
        if self._file != (found.st_dev, found.st_ino) or stream.read(len(self._last)) != self._last:
            self._restart()
            stream.seek(0)
            self._file = (found.st_dev, found.st_ino)
        while line := stream.readline(_LONGEST_LINE):
            _take(line, self._verdicts)
            if line.endswith(b"\n"):
                self._end, self._last = stream.tell(), line


def append_verdicts(out: Path, set_name: str, verdicts: Iterable[Verdict]) -> None:
    """Add verdicts to those of the set; they are on disk when this returns.

    One that would change nothing, as when an interrupted writer tries again, is left out.
    Raises TransientError when the file system refuses, InputError when the file is outside of `out`.
    """
    verdicts = tuple(verdicts)
    if not verdicts:
        return
    with set_lock(out, set_name) as folder:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(
            folder / VERDICTS, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            tail = _tail(descriptor, end)
            data = b"".join(_new_lines(tail, verdicts))
            write_all(descriptor, data if not tail or tail.endswith(b"\n") else b"\n" + data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if end == 0:
            sync_folder(folder)


def note_verdicts(out: Path, set_name: str, contents: Iterable[str]) -> None:
    """Note that the set has verdicts. contents: SHA-256 of its inputs, any order."""
    with suppress(OSError):  # a full disk costs the note
        path = work_area(out, INDEX_FOLDER) / _content_name(contents)
        write_atomic(path, set_name.encode(errors="surrogateescape"), temporary=work_area(out, "tmp"))


def known_verdicts(out: Path, set_name: str, contents: Iterable[str]) -> dict[str, Verdict]:
    """The verdicts of the set by hash. When it has none, the levels of the set that had its contents become its own.

    Raises as `read_verdicts` and `append_verdicts` do.
    """
    verdicts = read_verdicts(out, set_name)
    if verdicts:
        return verdicts
    append_verdicts(out, set_name, _inherited(out, set_name, contents))
    return read_verdicts(out, set_name)


def found_verdicts(out: Path, set_name: str, contents: Iterable[str]) -> dict[str, Verdict]:
    """As `known_verdicts`, and writes nothing."""
    inherited = {} if read_verdicts(out, set_name) else {one.hash: one for one in _inherited(out, set_name, contents)}
    return read_verdicts(out, set_name) or inherited


def spent_tokens(out: Path) -> Tokens:
    """The tokens of all verdicts below `out`, also of failed tries and of other models. Unreadable files are left out.

    Files that look as they did when they were last counted are not read again.
    """
    total = Tokens()
    for folder, names, files in os.walk(out):
        names[:] = [name for name in names if name[0] != "." and name not in _WITHOUT_SETS]
        if VERDICTS in files:
            with suppress(OSError):
                path = Path(folder, VERDICTS)
                found = os.lstat(path)
                if stat.S_ISREG(found.st_mode):
                    total = total.plus(_tokens_in(path, (found.st_ino, found.st_size, found.st_mtime_ns)))
    return total


@lru_cache(maxsize=65_536)
def _tokens_in(path: Path, _: tuple[int, int, int]) -> Tokens:
    total = Tokens()
    for verdict in _read(path).values():
        total = total.plus(verdict.tokens)
    return total


def forget_failures(out: Path, set_name: str) -> int:
    """Remove failures from the file, so that they are asked again; returns their number.

    Votes received before a failure are paid for: they stay, and the next try continues from them. So do tokens.
    """
    with set_lock(out, set_name) as folder:
        verdicts = _read(folder / VERDICTS)
        failed = [verdict for verdict in verdicts.values() if verdict.failure]
        for verdict in failed:
            if verdict.votes or any(verdict.tokens):
                verdicts[verdict.hash] = msgspec.structs.replace(verdict, failure="", tries=0)
            else:
                del verdicts[verdict.hash]
        if failed:
            _replace(out, folder, tidied(verdicts))
        return len(failed)


def put_in_order(out: Path, folder: Path) -> None:
    """Rewrite the file of a set's folder with one line per hash, in their order. The caller holds the lock of the set.

    Raises OSError; the file is whole then.
    """
    data = tidied(_read(folder / VERDICTS))
    if data and data != read_named(folder / VERDICTS):
        _replace(out, folder, data)


def tidied(verdicts: Mapping[str, Verdict]) -> bytes:
    """The file with one line per hash, in their order: the same verdicts give the same bytes."""
    return b"".join(_ENCODER.encode(verdicts[key]) + b"\n" for key in sorted(verdicts))


def _replace(out: Path, folder: Path, data: bytes) -> None:
    write_atomic(folder / VERDICTS, data, temporary=work_area(out, "tmp"), strict=True)


def _read(path: Path) -> dict[str, Verdict]:
    verdicts: dict[str, Verdict] = {}
    try:
        stream = open_named(path)
    except FileNotFoundError:
        return verdicts
    with stream:
        while line := stream.readline(_LONGEST_LINE):
            _take(line, verdicts)
    return verdicts


def _take(line: bytes, verdicts: dict[str, Verdict]) -> None:
    """Add the verdict of a line, if it is one."""
    try:
        verdict = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    earlier = verdicts.get(verdict.hash)
    if earlier is None or not earlier.level:
        verdicts[verdict.hash] = verdict


def _tail(descriptor: int, end: int) -> bytes:
    start = max(end - _TAIL, 0)
    os.lseek(descriptor, start, os.SEEK_SET)
    tail = b""
    while piece := os.read(descriptor, end - start - len(tail)):
        tail += piece
    return tail


def _new_lines(tail: bytes, verdicts: Iterable[Verdict]) -> Iterator[bytes]:
    """Lines for those of the verdicts that the tail of a file does not hold. A writer may have left half a line."""
    known: dict[str, Verdict] = {}
    for line in tail.splitlines():
        _take(line, known)
    for verdict in verdicts:
        earlier = known.get(verdict.hash)
        if earlier is None or not (earlier.level or earlier == verdict):
            known[verdict.hash] = verdict
            yield _ENCODER.encode(verdict) + b"\n"


def _inherited(out: Path, set_name: str, contents: Iterable[str]) -> list[Verdict]:
    try:
        other = read_named(work_area(out, INDEX_FOLDER) / _content_name(contents)).decode(errors="surrogateescape")
        found = read_verdicts(out, other) if other != set_name else {}
    except (OSError, ScorewatchError):  # without it the judge is asked
        return []
    return [verdict for verdict in found.values() if verdict.level]


def _content_name(contents: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(contents)).encode("ascii")).hexdigest()
