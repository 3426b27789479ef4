"""kombu's Redis transport, changed to free the prefetch slot of a task even if its acknowledgement times out.

In kombu, such a message occupies its slot as long as the connection lasts, so a worker with one child takes no more
tasks.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class QoS(redis.QoS):
    """Frees the slot of a message whose acknowledgement fails, and acknowledges it together with the next one.

    A message that is never acknowledged is delivered again after the visibility timeout; its task finds its work done.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unacknowledged: list[str] = []

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises as the client does."""
        self._unacknowledged.append(delivery_tag)
        virtual.QoS.ack(self, delivery_tag)
        while self._unacknowledged:
            self._remove_from_indices(self._unacknowledged[-1]).execute()  # type: ignore[attr-defined]  # not in kombu's stubs
            self._unacknowledged.pop()


def install_qos() -> None:
    """Use it for all connections of this process to Redis and Valkey."""
    redis.Channel.QoS = QoS
