"""The world of a watcher that is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.watcher.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
