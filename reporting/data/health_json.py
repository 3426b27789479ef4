"""The answer of `/healthz`: is work moving, and if not, why. Shared by watcher and workers."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec


class Health(NamedTuple):
    """Short reasons, `word` or `word: detail`.

    failing: work does not move, or would not if there were any. degraded: some of it waits for something outside.
    """

    failing: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def is_ok(self) -> bool:
        """Does work move?"""
        return not self.failing

    @property
    def state(self) -> str:
        """One word: "ok", "degraded" or "failing"."""
        return "failing" if self.failing else "degraded" if self.degraded else "ok"


def merge_health(parts: Iterable[tuple[str, Health]]) -> Health:
    """Health of several parts, each reason led by the part's name."""
    named = list(parts)
    return Health(
        tuple(f"{name}: {reason}" for name, health in named for reason in health.failing),
        tuple(f"{name}: {reason}" for name, health in named for reason in health.degraded),
    )


def encode_health(health: Health) -> bytes:
    """JSON object with "state", "failing" and "degraded"."""
    content = {"state": health.state, "failing": health.failing, "degraded": health.degraded}
    return msgspec.json.encode(content) + b"\n"


def decode_health(data: bytes) -> Health:
    """The health that `encode_health` wrote. Raises ValueError when it is something else."""
    content = msgspec.json.decode(data, type=dict[str, str | tuple[str, ...]])
    failing, degraded = content.get("failing"), content.get("degraded")
    if not isinstance(failing, tuple) or not isinstance(degraded, tuple):
        raise ValueError("no health")  # noqa: TRY004 -- the data is wrong, not its use
    return Health(failing, degraded)
