"""What a watcher knows of its sets, as values for people and monitors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from reporting.store.status import State
from scoring.judging.verdicts import JudgeState


class Settled(NamedTuple):
    """A settled set as its status.json tells it. errors: findings by which something was refused or left out."""

    key: str
    state: State
    findings: int
    errors: int
    judge: JudgeState = JudgeState.NONE

    @property
    def is_final(self) -> bool:
        """Is nothing left to do for it?"""
        return self.judge is not JudgeState.PENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What the watcher knows, for people.

    sets: wanted; settled, asked, judging, waiting: of them. judging: reported, with verdicts still to come. settling:
    files that do not stand still yet. unclaimed, unclaimed_more: files that are not scored, paths as people see them,
    and how many more there are. troubles: set or path -> reason, of passing faults. degraded: why what the watched
    folder shows is not believed. unwritable: why the output folder cannot be written to, with its path. is_leading:
    False while another watcher does the work. last: names of the sets settled last, newest first.
    """

    sets: int = 0
    settled: int = 0
    asked: int = 0
    judging: int = 0
    problems: int = 0
    settling: int = 0
    unclaimed: tuple[str, ...] = ()
    unclaimed_more: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    queue_depth: int | None = None
    degraded: str = ""
    unwritable: str = ""
    is_leading: bool = True
    last: tuple[str, ...] = ()

    @property
    def unclaimed_count(self) -> int:
        """Number of files that are not scored."""
        return len(self.unclaimed) + self.unclaimed_more
