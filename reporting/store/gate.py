"""`gate.json`: how the rules of the gate ended for the report in the folder of a set.

It is no part of the report, and not among its marks: with other rules the same report gets another. It names the report
and the rules that it is about, so that one that is left from before is passed over.
"""

from pathlib import Path

import msgspec

from reporting.store.status import CountedStatus, StatusFile
from reporting.store.stored_file import StoredFile
from scoring.gate import GateResult

GATE_JSON = "gate.json"
FORMAT_VERSION = 1


class GateFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `gate.json`.

    key, judge_digest: of the report. rules: digest of the rules. baseline: key of the run that it was
    compared with, "" without one; uncompared: why then, "" where the rules need no baseline. known: digest of the lines
    of known failures, absent where the rules need none.
    """

    format_version: int = FORMAT_VERSION
    set: str
    key: str
    judge_digest: str
    rules: str
    baseline: str = ""
    uncompared: str = ""
    known: str | msgspec.UnsetType = msgspec.UNSET
    result: GateResult

    def is_about(self, status: StatusFile | CountedStatus) -> bool:
        """Is it about this version of the report?"""
        return (self.key, self.judge_digest) == (status.key, status.judge_digest)


GATE = StoredFile(GateFile, GATE_JSON, FORMAT_VERSION)


def read_gate(folder: Path, status: StatusFile) -> GateFile | None:
    """How the gate ended for the report with this status; None when that is not known yet."""
    found = GATE.read(folder)
    return found if found is not None and found.is_about(status) else None
