"""A set of the catalogue in little memory: what is asked of every set as it is, the rest packed.

Statuses are alike: compressed beside the first ones of its profile, one with its gate and comparison takes half a
kilobyte in place of ten, and opening it costs as much as opening a file.
"""

from __future__ import annotations

import sys
import zlib
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from reporting.store.gate import GateFile
from reporting.store.run_info import RunInfoFile
from reporting.store.status import ShownFinding, State, StatusFile, run_key
from scoring.comparison import OrderKey, name_of, order_key

if TYPE_CHECKING:
    from reporting.store.baselines import BaselineFile

_SAMPLE_BYTES = 16_384  # of the first sets of a profile, beside which the others are compressed
_LEVEL, _RAW, _WORK = 6, -15, 8  # no header; memory for the work of one compression
_MARKS = Struct("<" + 5 * "Qqq")  # an inode has no sign, a time before 1970 has

Mark = tuple[int, int, int]  # inode, size and time of a file: every publication makes a new one
Marks = tuple[Mark, Mark, Mark, Mark, Mark]  # of status, gate, comparison, front page and what is said of the run


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components.

    published_ns: when its status was written. gate: how its rules
    ended, None where that is not known. compared: what the comparison beside the report says, outdated ones too; None
    without one. first_published_ns: of a run without a date, 0 for others. summary: key of its front page, "" without.
    told: what is said of the run.
    """

    set_name: str
    status: StatusFile
    published_ns: int = 0
    gate: GateFile | None = None
    compared: BaselineFile | None = None
    first_published_ns: int = 0
    summary: str = ""
    told: RunInfoFile = RunInfoFile()

    @property
    def order(self) -> OrderKey:
        """Its place among the runs of its profile."""
        return order_key(self.status.executed, self.set_name, published=self.first_published_ns)


class Packed(NamedTuple):
    """What is packed. first_published_ns, summary, told: as above. compared: a `BaselineFile`, decoded where it is.

    Name and key, which are kept beside, are "" in both files where they are the same.
    """

    first_published_ns: int
    status: StatusFile
    gate: GateFile | None
    compared: msgspec.Raw
    summary: str
    told: RunInfoFile


_decoder = msgspec.msgpack.Decoder(Packed)
_NOTHING = msgspec.msgpack.encode(None)


class PackedEntry:
    """A set, and what its files looked like.

    order: its place among the runs of its profile, which ends with its name. key, state, profile, is_final: of its
    status; run_key: of its run. They are asked of many sets at once.
    """

    __slots__ = ("_beside", "_marks", "_packed", "is_final", "key", "order", "profile", "run_key", "state")

    def __init__(self, entry: IndexEntry, marks: Marks, beside: bytes, packed: bytes) -> None:
        status = entry.status
        self.order = entry.order
        self.key = sys.intern(status.key)  # as the watcher wants it
        self.run_key = run_key(self.key, status.judge_digest)
        self.state = status.state
        self.profile = sys.intern(status.profile)
        self.is_final = status.is_final
        self._marks = _MARKS.pack(*chain.from_iterable(marks))
        self._beside = beside
        self._packed = packed

    @property
    def set_name(self) -> str:
        """Its name."""
        return name_of(self.order)

    @property
    def marks(self) -> Marks:
        """Of status, gate, comparison, front page and what is said of the run."""
        found = _MARKS.unpack(self._marks)
        return found[:3], found[3:6], found[6:9], found[9:12], found[12:]

    @property
    def is_told(self) -> bool:
        """Do files say what the run was?"""
        return any(self.marks[4])

    def unpack(self) -> IndexEntry:
        """What its files say, but for the texts of the findings of a report: whoever shows them reads the file."""
        found = _decoder.decode(zlib.decompressobj(_RAW, zdict=self._beside).decompress(self._packed))
        name, compared = self.set_name, None
        if bytes(found.compared) != _NOTHING:
            from reporting.store.baselines import BaselineFile  # a set without a comparison needs no statistics

            compared = msgspec.msgpack.decode(found.compared, type=BaselineFile)
            if not compared.set:
                compared = msgspec.structs.replace(compared, set=name, key=self.run_key)
        status = msgspec.structs.replace(found.status, set=found.status.set or name, key=self.key)
        written_ns, first = self.marks[0][2], found.first_published_ns
        return IndexEntry(name, status, written_ns, found.gate, compared, first, found.summary, found.told)


class Packer:
    """Packs the sets of one folder, each beside the first ones of its profile."""

    def __init__(self) -> None:
        self._beside: dict[str, bytes] = {}

    def pack(self, entry: IndexEntry, marks: Marks) -> PackedEntry:
        """The set in little memory."""
        compared, status = entry.compared, entry.status
        if compared is not None and compared.set == entry.set_name and compared.is_about(status):
            compared = msgspec.structs.replace(compared, set="", key="")
        found = _without_texts(status) if status.state is State.REPORT else status
        found = msgspec.structs.replace(found, set="" if status.set == entry.set_name else status.set, key="")
        packed = Packed(entry.first_published_ns, found, entry.gate, _encoded(compared), entry.summary, entry.told)
        data = msgspec.msgpack.encode(packed)
        beside = self._beside.get(entry.status.profile, b"")
        work = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, _WORK, zlib.Z_DEFAULT_STRATEGY, beside)
        if len(beside) < _SAMPLE_BYTES:
            self._beside[entry.status.profile] = (beside + data)[:_SAMPLE_BYTES]
        return PackedEntry(entry, marks, beside, work.compress(data) + work.flush())


def _encoded(compared: BaselineFile | None) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(compared))


def _without_texts(status: StatusFile) -> StatusFile:
    """The same without the texts of its findings."""
    findings = tuple([ShownFinding(found.code, found.severity, found.count, "") for found in status.findings])
    return msgspec.structs.replace(status, findings=findings)
