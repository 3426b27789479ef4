"""kill -9, hangs and lost memory while files are on their way: every file ends in exactly one right report."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
import redis

from bench.make_csv import write_file
from tests.faults.harness import IS_LONG, LONGEST_SECONDS, ROOT, ROUNDS, SEEDS, Up, drop, wait_for
from tests.faults.processes import HoldingUp, wait_event
from tests.faults.undisturbed import Undisturbed
from tests.inner import broker_folder, redis_client, running_url
from workers.processes import StateFolder

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

COUNT = 8
IMPATIENT = "import workers.celery_settings; workers.celery_settings.PUBLISH_SECONDS = 0.5"  # tries take seven of them
HANG_SECONDS = 12.0 if IS_LONG else 5.0  # longer than every time-out of a client, tries included
LARGE_ROWS = 2000
TRIES = 5


def kill_child(up: Up) -> None:
    for pid in up.pool_pids():
        kill(pid)


def kill_worker(up: Up) -> None:
    kill(up.pid_of("worker"))


def kill_broker(up: Up) -> None:
    kill(up.pid_of("broker"))


def kill_all(up: Up) -> None:
    for pid in (*up.pool_pids(), up.pid_of("worker"), up.pid_of("broker")):
        kill(pid)


def forget_broker(up: Up) -> None:
    """A broker that comes back without what it had written."""
    kill(up.pid_of("broker"))
    shutil.rmtree(broker_folder(up.state) / "appendonlydir", ignore_errors=True)


def cut_connections(up: Up) -> None:
    """Workers end what they are doing when theirs is lost."""
    url = running_url(up.state)
    assert url is not None
    with suppress(redis.ConnectionError):  # a broker that is down has none to cut
        redis_client(url).client_kill_filter(_type="normal", skipme=True)


def wipe(folder: Path) -> None:
    """At once, so that nothing is made in it meanwhile."""
    shutil.rmtree(folder.rename(folder.with_name("wiped")))


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
    time.sleep(0.3)  # the broker hands it a message meanwhile, if there is one: what it does not read shows nowhere
    os.kill(pid, signal.SIGKILL)


def kill(pid: int) -> None:
    """Kill -9; one that ended by itself meanwhile is as dead."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


KILLS = (kill_child, kill_worker, kill_broker, kill_all, forget_broker, stall_then_kill)
DISTURBANCES = (*KILLS, flush, wipe_work_area, cut_connections)


@pytest.mark.parametrize("disturb", DISTURBANCES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_file_ends_in_the_same_report(
    service: Up, tmp_path: Path, disturb: Callable[[Up], None], seed: int
) -> None:
    settled_before = (seed + DISTURBANCES.index(disturb)) % (COUNT // 2)  # the point of the work at which it happens
    names = [f"resume_agent_{disturb.__name__}_{seed}_{number}" for number in range(COUNT)]
    with Undisturbed(service, tmp_path):
        drop(
            service.watch,
            *(f"{name}.csv" for name in names),
            seed=1000 * (seed + 1) + 20 * DISTURBANCES.index(disturb),
        )
        wait_for(lambda: count_settled(service, names) >= settled_before, f"{settled_before} sets")
        disturb(service)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_kills_at_random_points(service: Up, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    at = sorted(random.sample(range(COUNT), 3 if IS_LONG else 2))
    with Undisturbed(service, tmp_path):
        for number in range(COUNT):
            drop(service.watch, f"resume_agent_random_{seed}_{number}.csv", seed=random.randrange(1 << 30))
            if number in at:
                time.sleep(random.uniform(0.0, 0.8))  # somewhere between the event and the last rename
                random.choice(DISTURBANCES)(service)


def test_idle_worker_is_stopped_then_given_work_then_killed(service: Up, tmp_path: Path) -> None:
    """The message goes from the queue to a process that never hears of it: only the next look asks again."""
    with Undisturbed(service, tmp_path):
        pid = service.pid_of("worker")
        os.kill(pid, signal.SIGSTOP)
        drop(service.watch, "resume_agent_swallowed.csv", seed=11)
        wait_for(
            lambda: any(event.get("set") == "resume_agent_swallowed" for event in service.events()), "it to be asked"
        )
        os.kill(pid, signal.SIGKILL)


def test_broker_that_hangs(service: Up, tmp_path: Path) -> None:
    with Undisturbed(service, tmp_path):
        drop(service.watch, *(f"resume_agent_before_hang_{number}.csv" for number in range(COUNT // 2)), seed=300)
        pid = service.pid_of("broker")
        os.kill(pid, signal.SIGSTOP)
        try:
            drop(service.watch, *(f"resume_agent_in_hang_{number}.csv" for number in range(COUNT // 2)), seed=310)
            time.sleep(HANG_SECONDS)  # the fault itself
        finally:
            os.kill(pid, signal.SIGCONT)


def test_broker_that_hangs_when_a_task_ends(tmp_path: Path) -> None:
    """The end of the task cannot be told; its worker, of one child, has to take the next one all the same."""
    with HoldingUp(tmp_path, in_workers=IMPATIENT) as up, Undisturbed(up, tmp_path):
        up.pool_pids()
        drop(up.watch, "resume_agent_held.csv")
        wait_for(up.begun.exists, "the task to begin")
        pid = up.pid_of("broker")
        os.kill(pid, signal.SIGSTOP)
        up.release()
        try:
            wait_for(
                lambda: any("Couldn't ack" in event["event"] for event in up.events()), "the broker not to be told"
            )
        finally:
            os.kill(pid, signal.SIGCONT)
        worker = up.pid_of("worker")
        drop(up.watch, "resume_agent_next.csv")
        up.wait_settled("resume_agent_next")
        assert up.pid_of("worker") == worker  # nobody had to start it again


def test_state_folder_wiped_while_running(tmp_path: Path) -> None:
    """Socket, queue file, hashes and pid files are gone; what connects from now on finds no broker."""
    with Up(tmp_path) as up, Undisturbed(up, tmp_path):
        worker = up.pid_of("worker")
        up.pool_pids()
        drop(up.watch, *(f"resume_agent_before_{number}.csv" for number in range(COUNT // 2)), seed=320)
        wipe(up.state)
        kill(worker)
        drop(up.watch, *(f"resume_agent_after_{number}.csv" for number in range(COUNT // 2)), seed=330)


def test_state_folder_wiped_while_running_stays_taken(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        up.pool_pids()
        wipe(up.state)
        wait_event(up, "state folder was deleted, created again")
        second = subprocess.run(
            up.command(), env=up.environment(), cwd=ROOT, capture_output=True, timeout=LONGEST_SECONDS, check=False
        )
        assert up.process is not None
        assert (second.returncode, f"프로세스 {up.process.pid}" in second.stderr.decode()) == (2, True)
        drop(up.watch, "resume_agent_after.csv")
        up.wait_settled("resume_agent_after")
        assert up.stop() == 0


def test_state_folder_that_another_service_took_ends_the_first(tmp_path: Path) -> None:
    with Up(tmp_path) as up:
        up.pool_pids()
        assert up.process is not None
        up.process.send_signal(signal.SIGSTOP)
        wipe(up.state)
        with StateFolder(up.state):
            up.process.send_signal(signal.SIGCONT)
            assert up.wait() == 2
        assert f"프로세스 {os.getpid()}" in up.log.read_text()


@pytest.mark.parametrize("how", ["swapped", "rewritten"])
def test_file_replaced_while_it_is_read(service: Up, tmp_path: Path, how: str) -> None:
    """By a rename over it, and in place."""
    caught = []
    with Undisturbed(service, tmp_path):
        for number in range(TRIES):
            path = service.watch / f"resume_agent_{how}_{number}.csv"
            new = tmp_path / "new.csv"
            write_file(tmp_path / path.name, LARGE_ROWS, seed=40 + 2 * number)
            write_file(new, LARGE_ROWS, seed=41 + 2 * number)
            service.pool_pids()
            (tmp_path / path.name).rename(path)
            caught.append(is_caught_reading(service, path))
            if how == "swapped":
                new.replace(path)
            else:
                path.write_bytes(new.read_bytes())
            if caught[-1]:
                break
    assert any(caught), f"none of {TRIES} files was caught while a worker read it"


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_everything_killed_at_once_and_started_again(tmp_path: Path, seed: int) -> None:
    """The watcher dies too; what it had started ends with it."""
    with Up(tmp_path) as up, Undisturbed(up, tmp_path):
        names = [f"resume_agent_{number}" for number in range(COUNT)]
        drop(up.watch, *(f"{name}.csv" for name in names))
        wait_for(lambda: count_settled(up, names) > seed % COUNT, "some reports")
        assert up.process is not None
        os.kill(up.process.pid, signal.SIGKILL)
        up.process.wait()
        wait_for(lambda: not up.children(), "children to end with their parent")
        up.start()


def count_settled(up: Up, names: list[str]) -> int:
    return sum((up.out / name / "status.json").exists() for name in names)


def is_caught_reading(up: Up, path: Path) -> bool:
    """Wait until a worker holds the file open; False when it was too quick to be caught."""
    folders = [Path(f"/proc/{pid}/fd") for pid in up.pool_pids()]
    status = up.out / path.stem / "status.json"

    def is_open() -> bool:
        for folder in folders:
            with suppress(OSError):
                if any(Path(link).readlink() == path for link in folder.iterdir()):
                    return True
        return False

    caught: list[bool] = []

    def is_open_or_reported() -> bool:
        caught.append(is_open())
        return caught[-1] or status.exists()

    wait_for(is_open_or_reported, f"{path.name} to be read or reported", 30, every=0.001)  # it is open for milliseconds
    return caught[-1]
