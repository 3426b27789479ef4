"""Detects a worker that is connected and takes no tasks, as after a restart of the broker. Pure."""

from __future__ import annotations

from workers.broker.condition import Depth

STUCK_SECONDS = 30.0
MOST_DOUBLINGS = 4


class Consumption:
    """Follows the depth of the queue, given every few seconds. limit_seconds: time limit of one task."""

    def __init__(self, *, limit_seconds: float) -> None:
        self._limit_seconds = limit_seconds
        self._before: tuple[Depth, int] | None = None
        self._since = 0.0
        self._detections = 0  # in a row

    def is_stuck(self, depth: Depth, settled: int, now: float) -> bool:
        """Have tasks waited while none was taken? True once, then it starts again. settled: number of sets so far.

        Tasks held by a dead worker count as running until they are restored, so with running tasks it takes longer.
        The time doubles with each detection in a row: a busy machine may need minutes to start a worker.
        """
        before, self._before = self._before, (depth, settled)
        if before is None:
            self._since = now
            return False
        earlier, settled_before = before
        has_moved = depth.waiting < earlier.waiting or depth.running != earlier.running or settled != settled_before
        if not depth.waiting or has_moved:
            self._since = now
            self._detections = 0
            return False
        limit = STUCK_SECONDS * 2 ** min(self._detections, MOST_DOUBLINGS) + (
            self._limit_seconds if depth.running else 0.0
        )
        if now - self._since < limit:
            return False
        self._before = None
        self._detections += 1
        return True
