"""The world of a watcher that is tested, and who hears of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watcher.receiver import Receiver
from tests.watcher.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setenv("NO_PROXY", "*")
    receiver = Receiver()
    yield receiver
    receiver.end()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder
