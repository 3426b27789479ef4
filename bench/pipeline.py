"""Figures of the whole service: seconds from a complete file to its status, files per second, idle and recovery.

    python -m bench.pipeline [latency] [rate] [idle] [recovery] [--drops 20] [--files 1000] [--sets 10000] …

Real processes with the settings' defaults and the wheel's broker, each part in a folder of its own below the
temporary folder. Without a part named all of them run. Needs /proc.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.ending import EndingUp, end_on_signals
from bench.make_csv import write_file
from bench.set_folders import Sets
from bench.stages import measure_stages
from bench.targets import TIMES, Figure, Target, print_table
from tests.faults.harness import Up, children_of, wait_for
from tests.faults.test_kills import is_caught_reading, kill

ROWS = 354
WORKERS = 2  # that the targets are for
LEAST_RATE, MOST_CPU, LEAST_BUSY = Target(25, is_least=True), Target(75), Target(90, is_least=True)
TEMPLATES = 40  # files made row by row; the others differ from one of them in one cell
POLL_SECONDS = 0.002
RARE_POLL_SECONDS = 0.05  # where many files are waited for: a look every 2 ms is a share of what is measured
LONGEST_SECONDS = 1800.0
INDEX_QUIET_SECONDS = 60.0  # it rests ten times as long as it took
_TICK = os.sysconf("SC_CLK_TCK")


class DefaultUp(EndingUp):
    """A service with the settings' defaults."""

    def __init__(self, home: Path, *, workers: int) -> None:
        super().__init__(home)
        self._settings = {"WORKERS": str(workers)}

    def is_settled(self, name: str) -> bool:
        """Is there a status?"""
        return os.path.exists(f"{self.out}/{name}/status.json")  # noqa: PTH110 -- asked every 2 ms

    def cpu(self) -> dict[str, float]:
        """CPU seconds so far by role; children that were replaced count as children."""
        assert self.process is not None
        worker = self.pid_of("worker")
        parent, reaped = _cpu(worker)
        return {
            "watcher": _cpu(self.process.pid)[0],
            "broker": _cpu(self.pid_of("broker"))[0],
            "worker parent": parent,
            "pool children": reaped + sum(_cpu(pid)[0] for pid in children_of(worker)),
        }

    def watcher_megabytes(self) -> tuple[float, float]:
        """Resident memory of the watcher in 10^6 bytes, now and at most since its start."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        found = dict(line.split(":", 1) for line in lines)
        now, peak = (int(found[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))
        return now, peak


class Cpu(NamedTuple):
    """Seconds of one process, and of its children that ended."""

    own: float
    reaped: float


def _cpu(pid: int) -> Cpu:
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    user, system, reaped_user, reaped_system = map(int, fields[11:15])
    return Cpu((user + system) / _TICK, (reaped_user + reaped_system) / _TICK)


def measure_latency(home: Path, options: argparse.Namespace) -> None:
    """A complete file of the usual size, copied (its writer closes it) and moved in (nothing closes)."""
    made = home / "made"
    ways: dict[str, Callable[[Path, Path], object]] = {"cp": shutil.copyfile, "mv": Path.rename}
    made.mkdir()
    with DefaultUp(home, workers=2) as up:
        up.pool_pids()
        warm = _make_files(made, [f"resume_agent_warm_{number}.csv" for number in range(4)], seed=90)
        for path in warm:  # the first task of a child imports what it needs
            path.rename(up.watch / path.name)
        _wait_all(up, [path.stem for path in warm])
        for way, move in ways.items():
            seconds = []
            for path in _make_files(made, [f"resume_agent_{way}_{number}.csv" for number in range(options.drops)]):
                move(path, up.watch / path.name)
                began = time.perf_counter()
                _wait_all(up, [path.stem])
                seconds.append(time.perf_counter() - began)
            settle = {"cp": 0.2, "mv": 1.0}[way]
            print(
                f"{way}: complete file -> status.json, {ROWS} rows, n={len(seconds)}: "
                f"p50 {_share(seconds, 0.5):.2f} s, p95 {_share(seconds, 0.95):.2f} s "
                f"(floor: {settle} s of standing still by settings)"
            )
        up.stop()
    stages = measure_stages(_make_files(made, [f"resume_agent_stage_{number}.csv" for number in range(7)]), home / "st")
    floor = stages.pop("floor")
    print(
        f"in one process, without any queue: {sum(stages.values()):.3f} s of CPU per file; reading alone {floor:.3f} s"
    )


def measure_rate(home: Path, options: argparse.Namespace) -> None:
    """Many files at once, moved in whole, several times; in between the parsing of such files alone."""
    for workers in options.workers:
        place = home / f"rate-{workers}"
        with DefaultUp(place, workers=workers) as up:
            up.pool_pids()
            batches = [
                _measure_batch(place / f"made-{number}", up, number, options.files)
                for number in range(options.times + 1)
            ]
            up.stop()
        del batches[0]  # the first task of a child imports what it needs
        goals: tuple[Target | None, ...] = (None, None, None)
        if workers == WORKERS:
            goals = LEAST_RATE, MOST_CPU, LEAST_BUSY
        name = f"service, {workers} worker{'s' if workers > 1 else ''}, {options.files} files of {ROWS} rows"
        spent = [sum(batch.cpu.values()) for batch in batches]
        floors = [batch.floor * 1000 for batch in batches]
        figures = [
            Figure(name, [options.files / batch.seconds for batch in batches], " files/s", goals[0], digits=1),
            Figure(
                f"{name}: CPU a file",
                [cpu / options.files * 1000 for cpu in spent],
                " ms",
                goals[1],
                floors,
                " ms",
                digits=1,
            ),
            Figure(
                f"{name}: cores busy",
                [cpu / batch.seconds / workers * 100 for cpu, batch in zip(spent, batches, strict=True)],
                " %",
                goals[2],
                digits=0,
            ),
        ]
        figures += [
            Figure(f"of it {role}", [batch.cpu[role] / options.files * 1000 for batch in batches], " ms", digits=1)
            for role in batches[0].cpu
        ]
        options.is_missed = print_table(figures) or options.is_missed


class _Batch(NamedTuple):
    """Files that were moved in together. seconds: until all were settled. cpu: seconds by role. floor: a file."""

    seconds: float
    cpu: dict[str, float]
    floor: float


def _measure_batch(made: Path, up: DefaultUp, number: int, files: int) -> _Batch:
    made.mkdir(parents=True)
    names = [f"resume_agent_{number}_{place:05}.csv" for place in range(files)]
    ready = _make_files(made, names, seed=number + 1)
    stages = measure_stages(ready[:25], made / "stages")
    before, began = up.cpu(), time.perf_counter()
    for path in ready:
        path.rename(up.watch / path.name)
    _wait_all(up, [path.stem for path in ready], every=RARE_POLL_SECONDS)
    seconds = time.perf_counter() - began
    cpu = {role: value - before[role] for role, value in up.cpu().items()}
    shutil.rmtree(made)
    return _Batch(seconds, cpu, stages["floor"])


def measure_idle(home: Path, options: argparse.Namespace) -> None:
    """The watcher over many settled sets, two scans at least."""
    up = DefaultUp(home, workers=1)
    sets = Sets(up.out, up.watch)
    while sets.number <= options.sets:
        sets.add()
    with up:
        up.pool_pids()
        wait_for(lambda: _settled_in_snapshot(up) == options.sets, "the first look", LONGEST_SECONDS)
        wait_for(lambda: _index_age(up) > INDEX_QUIET_SECONDS, "the last index of it", LONGEST_SECONDS)
        before, began = up.cpu(), time.perf_counter()
        time.sleep(options.idle_seconds)  # what is measured
        seconds = time.perf_counter() - began
        spent = {role: value - before[role] for role, value in up.cpu().items()}
        asked = sum(event["event"] == "asked" for event in up.events())
        shares = ", ".join(f"{role} {value / seconds * 100:.2f} %" for role, value in spent.items())
        print(f"idle over {options.sets} settled sets, {seconds:.0f} s: of one core: {shares}; {asked} sets asked for")
        now, peak = up.watcher_megabytes()
        print(f"memory of the watcher: {now:.0f} MB, at most {peak:.0f} MB since its start")
        up.stop()


def measure_recovery(home: Path, options: argparse.Namespace) -> None:
    """From a kill -9 while a worker reads the file to its status."""
    made = home / "made"
    made.mkdir()
    kinds: dict[str, Callable[[DefaultUp], list[int]]] = {
        "pool child": lambda up: up.pool_pids(),
        "worker with its children": lambda up: [up.pid_of("worker")],
        "broker": lambda up: [up.pid_of("broker")],
    }
    with DefaultUp(home, workers=1) as up:
        for kind, pids in kinds.items():
            seconds: list[float] = []
            for number in range(10 * options.kills):
                if len(seconds) == options.kills:
                    break
                (path,) = _make_files(made, [f"resume_agent_{kind.split()[0]}_{number}.csv"], seed=number, rows=3000)
                up.pool_pids()
                target = up.watch / path.name
                path.rename(target)
                if not is_caught_reading(up, target):
                    continue
                for pid in pids(up):
                    kill(pid)
                began = time.perf_counter()
                _wait_all(up, [path.stem])
                seconds.append(time.perf_counter() - began)
            print(
                f"kill -9 of the {kind} while it works -> status.json (3000 rows), n={len(seconds)}: "
                f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s"
            )
        up.stop()


def _make_files(folder: Path, names: Sequence[str], *, seed: int = 1, rows: int = ROWS) -> list[Path]:
    """Files of realistic content, every one another."""
    templates: list[bytes] = []
    files = []
    for number, name in enumerate(names):
        path = folder / name
        if number < TEMPLATES:
            write_file(path, rows, seed=seed * 1000 + number)
            templates.append(path.read_bytes())
        else:
            path.write_bytes(_another(templates[number % TEMPLATES], number))
        files.append(path)
    return files


def _another(data: bytes, number: int) -> bytes:
    """The same work and another content: the first row has another ordinal."""
    return data.replace(b"\n1,", b"\n%d," % (number + 2), 1)


def _settled_in_snapshot(up: Up) -> int:
    try:
        snapshot = json.loads((up.state / "watcher.json").read_bytes())["snapshot"]
    except (OSError, ValueError):
        return -1
    return int(snapshot["settled"])


def _index_age(up: Up) -> float:
    """Seconds since the index was written: a start ends with that, and it takes more than hours of idling."""
    try:
        return time.time() - (up.out / "index.html").stat().st_mtime
    except OSError:
        return -1.0


def _wait_all(up: DefaultUp, names: Sequence[str], *, every: float = POLL_SECONDS) -> None:
    late = list(names)

    def are_settled() -> bool:
        while late and up.is_settled(late[-1]):
            late.pop()
        return not late

    try:
        wait_for(are_settled, "sets to settle", LONGEST_SECONDS, every=every)
    except AssertionError as error:
        raise SystemExit(f"{error}: {late[:5]} and {max(len(late) - 5, 0)} more") from None


def _share(seconds: Sequence[float], share: float) -> float:
    """The value below which this share of them lies; the nearest one that was measured."""
    return sorted(seconds)[min(round(share * (len(seconds) - 1)), len(seconds) - 1)]


def _machine() -> str:
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, {model}, Python {platform.python_version()}, {platform.system()}; load {load}"


PARTS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "latency": measure_latency,
    "rate": measure_rate,
    "idle": measure_idle,
    "recovery": measure_recovery,
}


def main(arguments: Sequence[str]) -> int:
    """Command line, see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all when none is named")
    parser.add_argument("--drops", type=int, default=20, help="files for each way of dropping")
    parser.add_argument("--files", type=int, default=600, help="files dropped at once")
    parser.add_argument("--times", type=int, default=TIMES, help="how often they are dropped")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, WORKERS])
    parser.add_argument("--sets", type=int, default=10_000, help="settled sets that lie there")
    parser.add_argument("--idle-seconds", type=float, default=150.0, help="more than two scans, 30 to 60 s apart")
    parser.add_argument("--kills", type=int, default=5)
    parser.set_defaults(is_missed=0)
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - PARTS.keys()
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    end_on_signals()
    for name in options.parts or PARTS:
        print(f"# {name}: {_machine()}", flush=True)
        with tempfile.TemporaryDirectory(prefix=f"scorewatch-bench-{name}-") as home:
            PARTS[name](Path(home), options)
        sys.stdout.flush()
    return int(options.is_missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
