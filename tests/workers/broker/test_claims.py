"""Several machines watch the same folders: one of them tells about a key."""

from __future__ import annotations

import pytest

from workers.broker.claims import claimer
from workers.broker.embedded import MEMORY_URL, EmbeddedBroker


@pytest.mark.service
def test_first_machine_keeps_the_key(broker: EmbeddedBroker) -> None:
    first, second = claimer(broker.url), claimer(broker.url)
    assert first("key", "a")
    assert first("key", "a")
    assert not second("key", "b")
    assert second("other", "b")


@pytest.mark.service
def test_dead_broker_stands_in_nobodys_way(broker: EmbeddedBroker) -> None:
    claim = claimer(broker.url)
    broker.stop()
    assert claim("key", "a")
    broker.start()  # others use it


def test_alone_without_a_broker_everything_may_be_told() -> None:
    assert claimer(MEMORY_URL)("key", "a")
