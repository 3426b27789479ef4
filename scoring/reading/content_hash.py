"""SHA-256 over whole files, read in blocks."""

from __future__ import annotations

import hashlib
from typing import BinaryIO, NamedTuple

_BLOCK = 1 << 20


class ContentHash(NamedTuple):
    """sha256: hex digest of all bytes; size: their number."""

    sha256: str
    size: int


def whole_hash(stream: BinaryIO) -> ContentHash:
    """Hash `stream` (seekable, at any place) from its first byte to its last; the empty file has a hash too."""
    stream.seek(0)
    digest = hashlib.sha256()
    size = 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
    return ContentHash(digest.hexdigest(), size)
