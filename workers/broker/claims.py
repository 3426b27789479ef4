"""Which machine tells about a key, when several watch the same folders: whoever claims it first, in the broker."""

from __future__ import annotations

from collections.abc import Callable

import redis
import structlog

from workers.broker.embedded import MEMORY_URL
from workers.jobs.attempts import redis_client

EXPIRY_SECONDS = 30 * 86_400

_log = structlog.get_logger()


def claimer(broker_url: str) -> Callable[[str, str], bool]:
    """(key, machine) -> may this machine tell about the key?

    A machine keeps what it claimed. A broker that does not answer, or none, stands in nobody's way.
    """
    if broker_url == MEMORY_URL:
        return lambda _key, _machine: True
    client = redis_client(broker_url)

    def claim(key: str, machine: str) -> bool:
        name = f"scorewatch:told:{key}"
        try:
            if client.set(name, machine, nx=True, ex=EXPIRY_SECONDS):
                return True
            return client.get(name) in {machine, machine.encode(), None}
        except redis.RedisError as error:
            _log.warning("key not claimed", key=key, reason=type(error).__name__)
            return True

    return claim
