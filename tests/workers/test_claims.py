"""Several machines watch the same folders: one of them tells about a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.broker import MEMORY_URL, EmbeddedBroker, find_server
from workers.claims import claimer
from workers.state import StateFolder


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    server = find_server(bundled_only=True)
    assert server is not None
    with StateFolder(tmp_path / "state") as folder:
        broker = EmbeddedBroker(folder, server)
        broker.start()
        yield broker
        broker.stop()


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


def test_alone_without_a_broker_everything_may_be_told() -> None:
    assert claimer(MEMORY_URL)("key", "a")
