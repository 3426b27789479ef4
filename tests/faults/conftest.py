"""One running service that many tests disturb, one after the other."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.harness import Up


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """It has to keep going, whatever is done to it; every test drops files of its own names."""
    home: Path = tmp_path_factory.mktemp("service")
    with Up(home) as up:
        up.pool_pids()
        yield up
        assert up.stop(signal.SIGTERM) == 0
        assert up.children() == []
