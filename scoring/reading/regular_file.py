"""Opens and hashes files that others may replace at any moment: inputs, rubric documents, settings, reports.

A pipe, socket or device never blocks the opening, and only a regular file is read.
"""

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import BinaryIO, NamedTuple

LARGE_BYTES = 20_000_000  # from here on reading takes so long that people are shown how far it is
# Missing ones do not exist on Windows, which has no pipes in folders either.
_FLAGS = os.O_RDONLY
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BLOCK = 1 << 20
_SMALL_BLOCK = 1 << 16


for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


class NotRegularError(OSError):
    """A pipe, socket, device, folder or link in place of a file."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EINVAL, "not a regular file", path)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open the regular file at `path` for reading.

    Follows no link in the last component: a caller that allows links resolves them (`os.path.realpath`), and decides by
    the result. Raises NotRegularError for what is no regular file, OSError as the system does.
    """
    return _open(os.fspath(path), _FLAGS | _NO_LINK)


def open_named(path: str | os.PathLike[str]) -> BinaryIO:
    """`open_regular` of a path that a person gave, or a folder of theirs or a report has: links are followed."""
    return _open(os.fspath(path), _FLAGS)


def read_named(path: str | os.PathLike[str], *, most: int = sys.maxsize) -> bytes:
    """All bytes of the regular file at `path`; links are followed.

    most: bytes. Raises as `open_regular`, and ValueError for a larger file.
    """
    descriptor = _descriptor(os.fspath(path), _FLAGS)
    try:  # without a stream, which costs as much as reading a small file
        if (size := os.fstat(descriptor).st_size) > most:
            raise ValueError(size)
        return b"".join(iter(partial(os.read, descriptor, _SMALL_BLOCK), b""))
    finally:
        os.close(descriptor)


def read_at(stream: BinaryIO, at: int, size: int) -> bytes:
    """Up to `size` bytes from `at` of a file that has no bytes waiting to be written; raises OSError.

    Processes that share the file may read it at once: its place is not moved where the system has a call for that.
    """
    if isinstance(stream, BytesIO) or not hasattr(os, "pread"):  # in memory; Windows
        stream.seek(at)
        return stream.read(size)
    return os.pread(stream.fileno(), size, at)


def _open(name: str, flags: int) -> BinaryIO:
    return open(name, "rb", opener=lambda *_: _descriptor(name, flags))  # it knows its path, see `path_of`


def _descriptor(name: str, flags: int) -> int:
    try:
        descriptor = os.open(name, flags)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}:  # a link, a socket, a device
            raise NotRegularError(name) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegularError(name)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def path_of(stream: BinaryIO) -> str | None:
    """The path by which a file was opened here; None of any other stream."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else None


class ContentHash(NamedTuple):
    """sha256: hex digest of all bytes; size: their number."""

    sha256: str
    size: int


def whole_hash(stream: BinaryIO, *, each_block: Callable[[], object] = lambda: None) -> ContentHash:
    """Hash `stream` (seekable, at any place) from its first byte to its last; the empty file has a hash too.

    each_block: called after each block of 1 MB; what it raises ends the reading.
    """
    stream.seek(0)
    digest = hashlib.sha256()
    size = 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
        each_block()
    return ContentHash(digest.hexdigest(), size)
