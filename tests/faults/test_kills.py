"""kill -9 and lost memory while files are on their way: every file ends in exactly one right report."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.harness import Up, drop, report_files, score_directly, wait_for
from workers.broker import running_url
from workers.strikes import redis_client

pytestmark = [pytest.mark.service, pytest.mark.timeout(120)]

COUNT = 8


def kill_child(up: Up) -> None:
    for pid in up.pool_pids():
        os.kill(pid, signal.SIGKILL)


def kill_worker(up: Up) -> None:
    os.kill(up.pid_of("worker"), signal.SIGKILL)


def kill_broker(up: Up) -> None:
    os.kill(up.pid_of("broker"), signal.SIGKILL)


def kill_all(up: Up) -> None:
    for pid in (*up.pool_pids(), up.pid_of("worker"), up.pid_of("broker")):
        os.kill(pid, signal.SIGKILL)


def flush(up: Up) -> None:
    url = running_url(up.state)
    assert url is not None
    redis_client(url).flushall()


def wipe_work_area(up: Up) -> None:
    shutil.rmtree(up.out / ".scorewatch", ignore_errors=True)


def stall_then_kill(up: Up) -> None:
    """Lose a message between its pop and the bookkeeping: a stopped worker gets it, and is killed."""
    pid = up.pid_of("worker")
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)


DISTURBANCES = (kill_child, kill_worker, kill_broker, kill_all, flush, wipe_work_area, stall_then_kill)


@pytest.mark.parametrize("disturb", DISTURBANCES)
@pytest.mark.parametrize("seed", range(int(os.environ.get("FAULT_ROUNDS", "1"))))
def test_every_file_ends_in_the_same_report(
    service: Up, tmp_path: Path, disturb: Callable[[Up], None], seed: int
) -> None:
    settled_before = (seed + DISTURBANCES.index(disturb)) % (COUNT // 2)  # the point of the work at which it happens
    names = [f"resume_agent_{disturb.__name__}_{seed}_{number}" for number in range(COUNT)]
    drop(tmp_path / "in", *(f"{name}.csv" for name in names), seed=1000 * (seed + 1) + 20 * DISTURBANCES.index(disturb))
    expected = report_files(score_directly(tmp_path, tmp_path / "in"))
    for name in names:
        shutil.copy(tmp_path / "in" / f"{name}.csv", service.watch)
    wait_for(lambda: count_settled(service, names) >= settled_before, f"{settled_before} sets")
    disturb(service)
    wait_for(lambda: count_settled(service, names) == COUNT, "all sets", seconds=40)
    wait_for(lambda: published(service, expected) == expected, "the same reports")


def count_settled(up: Up, names: list[str]) -> int:
    return sum((up.out / name / "status.json").exists() for name in names)


def published(up: Up, expected: dict[str, bytes]) -> dict[str, bytes]:
    tops = {name.split("/", 1)[0] for name in expected}
    return {name: data for name, data in report_files(up.out).items() if name.split("/", 1)[0] in tops}


def test_children_end_with_a_killed_parent_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        up.pool_pids()
        drop(up.watch, *(f"resume_agent_{number}.csv" for number in range(COUNT)))
        wait_for(lambda: any(up.out.glob("*/status.json")), "a first report")
        assert up.process is not None
        os.kill(up.process.pid, signal.SIGKILL)
        up.process.wait()
        wait_for(lambda: not up.children(), "children to end with their parent")
        up.start()
        wait_for(lambda: len(list(up.out.glob("*/status.json"))) == COUNT, "all sets")
        assert report_files(up.out) == report_files(score_directly(tmp_path, up.watch))
        assert up.stop() == 0
