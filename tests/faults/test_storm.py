"""Very many files at once, while the watcher starts."""

import threading
from pathlib import Path

import pytest

from tests.faults.harness import IS_LONG, Up, drop
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(1800)]

COUNT = 2000 if IS_LONG else 100
ROWS = 3


def test_files_dropped_at_once_while_the_watcher_starts(tmp_path: Path) -> None:
    """Some before it looks, some while it lists the folder, some when it observes it."""
    up = Up(tmp_path, WORKERS="2")
    names = [f"resume_agent_{number:04}.csv" for number in range(COUNT // 2)]
    names += [f"방 {number // 5}/resume_agent_{number:04}.csv" for number in range(COUNT // 2)]
    storm = threading.Thread(target=lambda: drop(up.watch, *names, rows=ROWS))
    storm.start()
    with up, Undisturbed(up, tmp_path, whole=True, seconds=1200):
        storm.join()
