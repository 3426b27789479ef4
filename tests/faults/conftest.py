"""One running service that many tests disturb, one after the other."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.harness import IS_LONG, Up


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """It has to keep going, whatever is done to it; every test drops files of its own names."""
    home: Path = tmp_path_factory.mktemp("service")
    with Up(home) as up:
        up.pool_pids()
        yield up
        assert up.stop(signal.SIGTERM) == 0
        assert up.children() == []


# What the short form within `make test` leaves to `make faults`: variants of a fault that another test shows.
LONG_ONLY = (
    "test_engine_version.py::test_an_older_engine_leaves_a_newer_ones_report_and_says_so",
    "test_engine_version.py::test_a_worker_of_another_engine_refuses_and_says_so[older]",
    "test_sources.py::test_removed_renamed_and_doubled_files_are_told_and_reports_stay[polling]",
    "test_stopping.py::test_a_drain_that_takes_too_long_says_so",
    "test_stopping.py::test_a_second_signal_ends_at_once[15]",
    "test_stopping.py::test_a_running_task_is_finished[15]",
    "test_two_machines.py::test_broker_that_hangs",
    "test_without_a_broker_binary.py::test_health_needs_no_broker_here",
    "[blind-",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if IS_LONG:
        return
    left = [item for item in items if "tests/faults/" in item.nodeid and any(name in item.nodeid for name in LONG_ONLY)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
