"""Which set has verdicts on which contents: a set of another name with the same files pays for none of them again.

Lies in the shared work area. Losing it costs verdicts asked for again, and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from reporting.store.staging import staging, work_area
from reporting.store.verdicts import append_verdicts, read_verdicts
from scoring.judging.verdicts import Verdict
from scoring.problems import ScorewatchError

FOLDER = "judged"


def note_verdicts(out: Path, set_name: str, contents: Iterable[str]) -> None:
    """Note that the set has verdicts. contents: SHA-256 of its inputs, any order."""
    name = _name(contents)
    with suppress(OSError), staging(out) as files:  # a full disk costs the note
        files.write(name, [set_name.encode(errors="surrogateescape")])
        files.place(name, work_area(out, FOLDER))


def known_verdicts(out: Path, set_name: str, contents: Iterable[str]) -> dict[str, Verdict]:
    """The verdicts of the set by hash. When it has none, the levels of the set that had its contents become its own.

    Raises as `read_verdicts` and `append_verdicts` do.
    """
    verdicts = read_verdicts(out, set_name)
    if verdicts:
        return verdicts
    append_verdicts(out, set_name, _inherited(out, set_name, contents))
    return read_verdicts(out, set_name)


def _inherited(out: Path, set_name: str, contents: Iterable[str]) -> list[Verdict]:
    try:
        other = (work_area(out, FOLDER) / _name(contents)).read_bytes().decode(errors="surrogateescape")
        found = read_verdicts(out, other) if other != set_name else {}
    except (OSError, ScorewatchError):  # whatever stands there, without it the judge is asked
        return []
    return [verdict for verdict in found.values() if verdict.level]


def _name(contents: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(contents)).encode("ascii")).hexdigest()
