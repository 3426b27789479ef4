"""The condition of the queue as values: how long it is, and why it cannot be used. Imports no client of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Depth(NamedTuple):
    """Tasks waiting to score or report, tasks reserved by workers, and tasks waiting for a judge."""

    waiting: int
    running: int
    judging: int = 0


class FaultKind(StrEnum):
    """What has to be corrected. UNREACHABLE also means that there is no answer in time; OTHER that it is refused."""

    UNREACHABLE = "unreachable"
    CERTIFICATE = "certificate"
    CREDENTIALS = "credentials"
    DATABASE = "database"
    READ_ONLY = "read-only"
    MEMORY = "memory"
    OTHER = "other"


class BrokerFault(NamedTuple):
    """kind, and reason: what the server or the system said, without any password."""

    kind: FaultKind
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"
