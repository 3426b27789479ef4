"""One running service for the tests of a module, and what an undisturbed run writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.harness import Up


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A service that a whole module disturbs, test after test; it has to keep going."""
    home: Path = tmp_path_factory.mktemp("service")
    with Up(home) as up:
        up.pool_pids()
        yield up
        assert up.stop() == 0
        assert up.children() == []
