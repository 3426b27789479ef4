"""A real server for the tests that need one, and a client of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.workers.desk import Desk
from workers.broker.embedded import EmbeddedBroker, bundled_server
from workers.broker.server import redis_client
from workers.processes.state_folder import StateFolder


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBroker]:
    server = bundled_server()
    assert server is not None
    with StateFolder(tmp_path_factory.mktemp("state")) as state:
        broker = EmbeddedBroker(state, server)
        broker.start()
        yield broker
        broker.stop()


@pytest.fixture(scope="module")
def url(broker: EmbeddedBroker) -> str:
    return broker.url


@pytest.fixture
def client(url: str) -> redis.Redis:
    client = redis_client(url)
    client.flushall()
    return client


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
