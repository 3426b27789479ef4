"""Removal of unused files from the work area: by the watcher, every few hours, in short slices."""

from __future__ import annotations

import time
from collections.abc import Iterator

import structlog

from workers.jobs.work_area import WorkArea

AGE_SECONDS = 14 * 86_400.0  # longer than `relatime` delays the access time of a file
EVERY_SECONDS = 6 * 3600.0
SLICE_SECONDS = 0.01

_log = structlog.get_logger()


class Collector:
    """Walks the work area of one output folder. All times but the age are monotonic."""

    def __init__(self, area: WorkArea, *, slice_seconds: float = SLICE_SECONDS) -> None:
        self._area = area
        self._slice_seconds = slice_seconds
        self._round: Iterator[bool] | None = None
        self._next_round = 0.0
        self._removed = 0

    def step(self, now: float) -> None:
        """Continue for one slice; start a round when it is due."""
        if self._round is None:
            if now < self._next_round:
                return
            self._round, self._removed = self._area.collect(older_than_seconds=AGE_SECONDS), 0
        until = time.monotonic() + self._slice_seconds
        for is_removed in self._round:
            self._removed += is_removed
            if time.monotonic() >= until:
                return
        if self._removed:
            _log.info("unused files removed", files=self._removed)
        self._round, self._next_round = None, now + EVERY_SECONDS
