"""`gate.json`: how the rules of the gate ended for the report in the folder of a set.

It is no part of the report, and not among its marks: with other rules the same report gets another. It names the report
and the rules that it is about, so that one that is left from before is passed over.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from reporting.store.json import encode_json
from reporting.store.staging import write_atomic
from reporting.store.status import StatusFile
from scoring.gate.result import GateResult
from scoring.reading.regular_file import read_named

GATE_JSON = "gate.json"
FORMAT_VERSION = 1


class GateFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `gate.json`.

    key, judge_digest: of the report. rules: digest of the rules. baseline: key of the run that it was
    compared with, "" without one; uncompared: why then, "" where the rules need no baseline.
    """

    format_version: int = FORMAT_VERSION
    set: str
    key: str
    judge_digest: str
    rules: str
    baseline: str = ""
    uncompared: str = ""
    result: GateResult

    def is_about(self, status: StatusFile) -> bool:
        """Is it about this version of the report?"""
        return (self.key, self.judge_digest) == (status.key, status.judge_digest)


def read_gate(folder: Path, status: StatusFile) -> GateFile | None:
    """How the gate ended for the report with this status; None when that is not known yet."""
    found = decode_gate(folder / GATE_JSON)
    return found if found is not None and found.is_about(status) else None


def decode_gate(path: Path) -> GateFile | None:
    """The file at `path`; None when it is missing, damaged or of another format."""
    try:
        found = msgspec.json.decode(read_named(path), type=GateFile)
    except (OSError, ValueError):
        return None
    return found if found.format_version == FORMAT_VERSION else None


def write_gate(folder: Path, gate: GateFile) -> None:
    """Replace the file, unless it holds the same. Raises OSError."""
    data = encode_json(gate)
    with suppress(OSError):
        if read_named(folder / GATE_JSON) == data:
            return
    write_atomic(folder / GATE_JSON, data)


def remove_gate(folder: Path) -> None:
    """Remove the file, if there is one. Raises OSError."""
    (folder / GATE_JSON).unlink(missing_ok=True)
