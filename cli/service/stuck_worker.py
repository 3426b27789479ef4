"""Does the worker take tasks? It may be connected and take nothing, after its broker was restarted. Pure."""

from __future__ import annotations

from workers.queue import Depth

STUCK_SECONDS = 30.0
MOST_DOUBLINGS = 4


class Consumption:
    """Fed with the depth of the queue every few seconds. limit_seconds: time limit of one task."""

    def __init__(self, *, limit_seconds: float) -> None:
        self._limit_seconds = limit_seconds
        self._before: tuple[Depth, int] | None = None
        self._since = 0.0
        self._told = 0  # in a row

    def is_stuck(self, depth: Depth, settled: int, now: float) -> bool:
        """Have tasks waited while none was taken? settled: sets so far. Tells it once, then begins anew.

        What a dead worker held counts as running until it is given back, so tasks that run and never end tell too.
        Each time in a row takes twice as long: on a machine so busy that a worker takes minutes to start, one that is
        ended for it never does.
        """
        before, self._before = self._before, (depth, settled)
        if before is None:
            self._since = now
            return False
        if not depth.waiting or self._has_moved(before, depth, settled):
            self._since = now
            self._told = 0
            return False
        longest = STUCK_SECONDS * 2 ** min(self._told, MOST_DOUBLINGS) + (self._limit_seconds if depth.running else 0.0)
        if now - self._since < longest:
            return False
        self._before = None
        self._told += 1
        return True

    @staticmethod
    def _has_moved(before: tuple[Depth, int], depth: Depth, settled: int) -> bool:
        earlier, settled_before = before
        return depth.waiting < earlier.waiting or depth.running != earlier.running or settled != settled_before
