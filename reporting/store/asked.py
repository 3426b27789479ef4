"""What question sets ask, by digest, in the shared work area. Lost files are made again from the reports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.stored_file import StoredFile, write_atomic
from scoring.comparison.asked import Asked, asked_digest

ASKED_FOLDER = "asked"
_ASKED = StoredFile(Asked)
_AT_ONCE = 10_000  # queries


def keep_asked(out: Path, asked: Asked) -> str:
    """Write down what a question set asks, unless that was done. Returns its digest. Raises OSError."""
    digest = asked_digest(asked)
    path = out / WORK_AREA / ASKED_FOLDER / f"{digest}.json"
    if digest and not path.exists():
        write_atomic(work_area(out, ASKED_FOLDER) / path.name, _encoded(asked))
    return digest


def _encoded(asked: Asked) -> Iterator[bytes]:
    """As JSON, piece by piece: that of 500,000 queries takes 25 MB, and as much again while it grows."""
    queries = iter(asked.items())
    before = b"{"
    while piece := dict(islice(queries, _AT_ONCE)):
        yield before + msgspec.json.encode(piece)[1:-1]
        before = b","
    yield b"}"


def read_asked(out: Path, digest: str) -> Asked | None:
    """What the question set of this digest asks; None when it is not known, or the file is damaged."""
    asked = _ASKED.read_at(out / WORK_AREA / ASKED_FOLDER / f"{digest}.json")
    return asked if asked is not None and asked_digest(asked) == digest else None
