"""kombu's Redis transport, of which a worker loses no place when a broker that hangs cannot be told of a task's end.

As it comes, such a message counts among those that are being worked on as long as the connection lasts: a child less
gets tasks, and a worker of one child takes none any more.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class QoS(redis.QoS):
    """Counts a message as worked off when its acknowledgement fails, and acknowledges it with the next one.

    What the broker never hears of it gives out again after the visibility timeout; its task finds everything done.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._untold: list[str] = []

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises as the client does."""
        self._untold.append(delivery_tag)
        virtual.QoS.ack(self, delivery_tag)
        while self._untold:
            self._remove_from_indices(self._untold[-1]).execute()  # type: ignore[attr-defined]  # not in kombu's stubs
            self._untold.pop()


class Channel(redis.Channel):
    """A channel that counts so."""

    QoS = QoS


class Transport(redis.Transport):
    """A transport of such channels."""

    Channel = Channel


def use_transport() -> None:
    """Let connections to Redis and Valkey be made with it, in this process."""
    TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), f"{__name__}:{Transport.__name__}"))
