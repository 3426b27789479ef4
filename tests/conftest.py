"""All tests: on several processes at once, on a machine that is busy with them."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
import structlog
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

# Seconds tell of the machine; the time limit of a test is against hanging.
settings.register_profile("busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("busy"), max_examples=10)  # `make test-slow` draws all
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts in turn.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONG = ("tests/faults/", "tests/browser/", "tests/bench/", "tests/deploy/", "tests/judge/")
# Their tests share no more than what every process can have, as a service.
SCATTERED = (
    *(f"tests/faults/test_{name}.py" for name in ("kills", "end_to_end", "engine_version", "stopping")),
    *(f"tests/judge/test_{name}.py" for name in ("service_judge", "score_judge", "judge")),
    "tests/manifest/test_manifest.py",
)
BY_MODE = "tests/faults/test_drops.py"


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types of its own
    """Hands out whole modules, so that their fixtures are made once, in the order of collection."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        module, _, test = nodeid.partition("::")
        if module in SCATTERED:
            return nodeid
        if module == BY_MODE:
            return module + test.rpartition("[")[2].rstrip("]").partition("-")[0]
        return module


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each process import another part of the test modules first.

    Every process collects all tests, and most of that is to compile their modules. So each is compiled by one process
    and read from the cache by the others. A module that cannot be imported is left to the collection, which says so.
    """
    gc.disable()  # what is collected lives to the end
    if (process := getattr(session.config, "workerinput", None)) is None:
        return
    modules = sorted(path for folder in session.config.args for path in Path(folder).resolve().rglob("test_*.py"))
    for path in modules[int(process["workerid"].removeprefix("gw")) :: process["workercount"]]:
        name = ".".join(path.relative_to(session.config.rootpath).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits goes first: the rest fills the gaps, and its tests are short when the last process ends.

    Real processes are watched through /proc, which macOS does not have.
    """
    if not Path("/proc/self").exists():
        unseen = pytest.mark.skip(reason="no /proc to watch processes through")
        for item in items:
            if item.get_closest_marker("service") is not None:
                item.add_marker(unseen)
    items.sort(key=lambda item: not item.nodeid.startswith(LONG) and item.get_closest_marker("service") is None)


@pytest.fixture(autouse=True, scope="session")
def _loggers_follow_their_configuration() -> Iterator[None]:
    """A logger that kept the configuration of a test before would say nothing to `capture_logs`."""
    configure = structlog.configure
    with patch("structlog.configure", lambda **how: configure(**how | {"cache_logger_on_first_use": False})):
        yield
