"""What question sets ask, by digest, in the shared work area. Lost files are made again from the reports."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.staging import write_atomic
from scoring.comparison.asked import Asked, asked_digest
from scoring.reading.regular_file import read_named

ASKED_FOLDER = "asked"


def keep_asked(out: Path, asked: Asked) -> str:
    """Write down what a question set asks, unless that was done. Returns its digest. Raises OSError."""
    digest = asked_digest(asked)
    path = out / WORK_AREA / ASKED_FOLDER / f"{digest}.json"
    if digest and not path.exists():
        write_atomic(work_area(out, ASKED_FOLDER) / path.name, msgspec.json.encode(asked))
    return digest


def read_asked(out: Path, digest: str) -> Asked | None:
    """What the question set of this digest asks; None when it is not known, or the file is damaged."""
    with suppress(OSError, ValueError):
        asked = msgspec.json.decode(read_named(out / WORK_AREA / ASKED_FOLDER / f"{digest}.json"), type=Asked)
        if asked_digest(asked) == digest:
            return asked
    return None
