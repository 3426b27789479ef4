"""Which broker is in use, and the condition of its queue as values: how long it is, and why it cannot be used.

Imports no client of a broker: `status` asks before it knows that there is a queue to look at.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from config import Settings

MEMORY_URL = "memory://"
URL_NAME = "url"


def broker_folder(state: Path) -> Path:
    """The folder of the files of the embedded broker."""
    return state.absolute() / "broker"


def running_url(state: Path) -> str | None:
    """URL of the broker that an `up` in this state folder runs; None when there is none."""
    try:
        return (broker_folder(state) / URL_NAME).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def broker_address(settings: Settings) -> str:
    """The broker URL: the configured one, else that of the running embedded broker, else the in-memory transport."""
    if settings.broker_url is not None:
        return settings.broker_url.get_secret_value()
    return running_url(settings.state) or MEMORY_URL


class Depth(NamedTuple):
    """Tasks waiting to score or report, tasks reserved by workers, and those waiting for a judge, or to compare."""

    waiting: int
    running: int
    judging: int = 0
    comparing: int = 0

    @property
    def untaken(self) -> int:
        """Tasks that a worker of reports could take."""
        return self.waiting + self.comparing


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
