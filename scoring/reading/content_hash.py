"""SHA-256 over whole files, read in blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

_BLOCK = 1 << 20


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
