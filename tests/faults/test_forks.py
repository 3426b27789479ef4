"""A large set, whose `items.csv` a fork of its worker writes: kills end in the report of one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bench.make_csv import write_file
from reporting import usable_cores
from tests.faults.harness import Up, children_of, wait_for
from tests.faults.processes import HoldingUp
from tests.faults.undisturbed import Undisturbed

pytestmark = [
    pytest.mark.service,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(usable_cores() < 2, reason="nothing is gained by a fork"),
]

ROWS = 4_000
SLOW_FORKS = (
    "import time; from reporting import report; from reporting.runs import publish; report.LARGE_SET = 1_000;"
    "quick = publish.encode_items;"
    "publish.encode_items = lambda *given: (time.sleep(0.1) or chunk for chunk in quick(*given))"
)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    with HoldingUp(tmp_path, in_workers=SLOW_FORKS, WORKERS="2") as up:
        up.pool_pids()
        yield up


def forks_of(up: Up) -> list[int]:
    return [fork for worker in children_of(up.pid_of("worker")) for fork in children_of(worker)]


@pytest.mark.parametrize("killed", ["fork", "child", "worker"])
def test_a_large_set_ends_in_the_report_of_one_process(up: Up, tmp_path: Path, killed: str) -> None:
    with Undisturbed(up, tmp_path):
        path = tmp_path / "new.csv"
        write_file(path, ROWS, seed=9)
        path.rename(up.watch / "resume_agent_large.csv")
        wait_for(lambda: bool(forks_of(up)), "a fork", every=0.01)
        forks = forks_of(up)
        pids = {"fork": forks, "child": up.pool_pids(), "worker": [*up.pool_pids(), up.pid_of("worker")]}[killed]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not any(Path(f"/proc/{fork}").exists() for fork in forks), "the end of the fork")
