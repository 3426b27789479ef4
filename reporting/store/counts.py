"""What is counted of a set: of each of many sets a third of the work that reading all its status says would be."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from reporting.store.catalogue import mark_of, walk
from reporting.store.gate import GATE, GATE_JSON, GateFile
from reporting.store.status import FORMAT_VERSION, STATUS_JSON, CountedStatus, State, StatusFile
from reporting.store.stored_file import StoredFile
from scoring import Severity
from scoring.judging import JudgeState

_STATUS = StoredFile(CountedStatus, STATUS_JSON, FORMAT_VERSION)


class CountedSet(NamedTuple):
    """published_ns: when its status was written. is_bad: something was refused, left out or replaced.

    gate: how its rules ended, None where that is not known.
    """

    set_name: str
    published_ns: int
    state: State
    judge: JudgeState
    engine_version: int
    is_bad: bool
    gate: GateFile | None

    @classmethod
    def of(cls, name: str, published_ns: int, status: CountedStatus | StatusFile, gate: GateFile | None) -> Self:
        """What is counted of a set. gate: the file beside its status, which may be about another version."""
        is_bad = status.state is State.PROBLEM or any(one.severity is not Severity.NOTE for one in status.findings)
        gate = gate if gate is not None and gate.is_about(status) else None
        return cls(name, published_ns, status.state, status.judge, status.engine_version, is_bad, gate)


def count_sets(out: Path) -> Iterator[CountedSet]:
    """The sets that `find_sets` finds, in the order of the disk. Raises as that."""
    for name, files in walk(out):
        folder = f"{out}/{name}"
        status = _STATUS.read(folder)
        if status is not None:
            gate = GATE.read(folder) if GATE_JSON in files else None
            yield CountedSet.of(name, mark_of(files[STATUS_JSON])[2], status, gate)
