"""`make soak`: an hour of random drops, kills and broker restarts. Fails when a file is lost or memory grows.

    python -m bench.soak [--minutes 60] [--seed 1] [--keep DIR] [--publications 20000]

Every minute it stops dropping and waits until each set has a report or problem for the bytes that lie there; at the
end every report must be, byte for byte, what `scorewatch score` writes. After that, a watcher's memory must stay level
over many publications into few names (`bench.flat`). Needs /proc.
"""

import argparse
import contextlib
import hashlib
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import flat
from bench.ending import EndingUp, end_on_signals
from bench.make_csv import write_file
from tests.faults import test_kills as kills
from tests.faults.harness import Up, children_of, report_files, score_directly, wait_for

MOST_SETS = 120
MOST_ROWS = 354
CHECK_SECONDS = 60.0
DISTURB_SECONDS = (8.0, 20.0)
SETTLE_SECONDS = 240.0  # a lost message waits for a scan; a machine may be busy with other things
SAMPLE_SECONDS = 2.0
LIVED_SECONDS = 120.0  # younger processes say nothing about growth
MOST_GROWTH_SHARE = 0.15
MOST_GROWTH_MB = 12.0

# Weights: the death of a worker's parent or of everything ends the life over which memory is judged.
DISTURBANCES: dict[Callable[[Up], None], int] = {
    kills.kill_child: 8,
    kills.kill_broker: 4,
    kills.flush: 3,
    kills.wipe_work_area: 2,
    kills.kill_worker: 1,
    kills.stall_then_kill: 1,
    kills.kill_all: 1,
}


class Sample(NamedTuple):
    """at: seconds since the start; megabytes: resident."""

    at: float
    megabytes: float


class Life(NamedTuple):
    """The memory of one process. role: up, worker, child or broker."""

    role: str
    pid: int


class Soak:
    """One service, disturbed until the time is over."""

    def __init__(self, home: Path, *, minutes: float, seed: int) -> None:
        self._random = random.Random(seed)
        self._home = home
        self._seconds = minutes * 60
        self._files: dict[str, int] = {}  # relative path -> seed of its content
        self.up = EndingUp(home, WORKERS="2", RESCAN_SECONDS="5", RETRY_SECONDS="5", LOG_LEVEL="warning")
        self.done: Counter[str] = Counter()
        self.samples: dict[Life, list[Sample]] = defaultdict(list)
        self.slowest_check = 0.0

    def run(self) -> None:
        """Drop, disturb, check. Raises AssertionError when something is lost."""
        began = time.monotonic()
        disturb_at = began + self._random.uniform(*DISTURB_SECONDS)
        check_at = began + CHECK_SECONDS
        sample_at = began
        restarts = [began + self._seconds * share for share in (0.1, 0.95)]
        with self.up:
            self.up.pool_pids()
            while (now := time.monotonic()) < began + self._seconds:
                self._drop()
                if now >= sample_at:
                    sample_at = now + SAMPLE_SECONDS
                    self._sample(now - began)
                if now >= disturb_at:
                    disturb_at = now + self._random.uniform(*DISTURB_SECONDS)
                    self._disturb()
                if restarts and now >= restarts[0]:
                    restarts.pop(0)
                    self._restart()
                if now >= check_at:
                    self._check()
                    check_at = time.monotonic() + CHECK_SECONDS
                    self._say(time.monotonic() - began)
                time.sleep(self._random.uniform(0.05, 0.6))  # the pace of the drops
            self._check()
            self._compare()
            assert self.up.stop() == 0
            assert self.up.children() == []

    @property
    def files(self) -> int:
        """Files that lie in the watched folder."""
        return len(self._files)

    def _drop(self) -> None:
        chosen = self._random.random()
        if len(self._files) >= MOST_SETS or (self._files and chosen < 0.3):
            name = self._random.choice(list(self._files))
        elif chosen < 0.8:
            name = f"resume_agent_{len(self._files)}.csv"
        else:
            name = f"방 {self._random.randrange(6)}/resume_agent_{len(self._files)}.csv"
        self._files[name] = seed = self._random.randrange(1 << 30)
        made = self._home / "made.csv"
        write_file(made, self._random.randrange(4, MOST_ROWS), seed=seed)
        target = self.up.watch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        kind = self._random.choice(("copy", "rename", "slow", "broken"))
        self.done[kind] += 1
        if kind == "broken":
            target.write_bytes(made.read_bytes()[: self._random.randrange(0, 4000)] or b"\n")
        elif kind == "rename":
            made.rename(target)
        elif kind == "copy":
            shutil.copyfile(made, target)
        else:
            data = made.read_bytes()
            cut = self._random.randrange(len(data))
            with target.open("wb") as stream:
                stream.write(data[:cut])
                stream.flush()
                time.sleep(self._random.uniform(0.0, 0.5))  # a slow writer
                stream.write(data[cut:])

    def _disturb(self) -> None:
        (disturb,) = self._random.choices(list(DISTURBANCES), list(DISTURBANCES.values()))
        self.done[disturb.__name__] += 1
        with contextlib.suppress(ProcessLookupError, OSError):  # it may be down already
            disturb(self.up)

    def _restart(self) -> None:
        """End the whole service, once gently and once not, and start it again."""
        assert self.up.process is not None
        hard = self._random.random() < 0.5
        self.done["restart"] += 1
        self.up.process.send_signal(signal.SIGKILL if hard else signal.SIGINT)
        self.up.process.wait(timeout=60)
        wait_for(lambda: not self.up.children(), "children to end with their parent")
        self.up.start()
        self.up.pool_pids()

    def _check(self) -> None:
        began = time.monotonic()
        sets: dict[str, set[str]] = defaultdict(set)
        for name in self._files:
            folder, _, base = name.rpartition("/")
            digest = hashlib.sha256((self.up.watch / name).read_bytes()).hexdigest()
            sets[f"{folder}/resume-agent" if folder else base.removesuffix(".csv")].add(digest)
        late = dict(sets)

        def all_settled() -> bool:
            for name in list(late):
                status = self.up.status(name)
                if status is not None and set(status["inputs"].values()) == late[name]:
                    del late[name]
            return not late

        try:
            wait_for(all_settled, "every set to settle", SETTLE_SECONDS, every=0.2)
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(late)}") from error
        self.slowest_check = max(self.slowest_check, time.monotonic() - began)
        self.done["checks"] += 1

    def _compare(self) -> None:
        """Every report is the one that an undisturbed run writes."""
        expected = report_files(score_directly(self._home, self.up.watch))
        assert expected
        try:
            wait_for(lambda: report_files(self.up.out) == expected, "the same reports as without the service", 60)
        except AssertionError as error:
            found = report_files(self.up.out)
            other = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
            raise AssertionError(f"{error}: {len(other)} differ: {other[:10]}") from error
        self.done["files compared"] = len(expected)

    def _sample(self, at: float) -> None:
        assert self.up.process is not None
        pids = [("up", self.up.process.pid)]
        for role in ("worker", "broker"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                pids.append((role, int((self.up.state / "run" / f"{role}.pid").read_text().split()[0])))
        workers = [pid for role, pid in pids if role == "worker"]
        pids += [("child", child) for worker in workers for child in children_of(worker)]
        for role, pid in pids:
            with contextlib.suppress(OSError, ValueError, IndexError):
                pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                self.samples[Life(role, pid)].append(Sample(at, pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)))

    def _say(self, seconds: float) -> None:
        print(f"{seconds / 60:5.1f} min, {len(self._files)} files, {dict(self.done)}", flush=True)

    def summary(self) -> list[str]:
        """One line per role: lives, largest, and how the memory of the longest life went."""
        lines = []
        for role in ("up", "worker", "child", "broker"):
            lives = {life: found for life, found in self.samples.items() if life.role == role}
            largest = max((sample.megabytes for found in lives.values() for sample in found), default=0.0)
            longest = max(lives.values(), key=lambda found: found[-1].at - found[0].at, default=[])
            first, last = _quarters(longest)
            lived = longest[-1].at - longest[0].at if longest else 0.0
            lines.append(
                f"{role:7} lives {len(lives):3}  largest {largest:6.1f} MB  "
                f"longest life {lived:6.0f} s: {first:6.1f} -> {last:6.1f} MB"
            )
        return lines

    def growth(self) -> list[str]:
        """Processes that lived long and grew."""
        grown = []
        for life, found in self.samples.items():
            if found[-1].at - found[0].at >= LIVED_SECONDS:
                first, last = _quarters(found)
                if last - first > max(MOST_GROWTH_MB, first * MOST_GROWTH_SHARE):
                    grown.append(f"{life.role} {life.pid}: {first:.1f} -> {last:.1f} MB")
        return grown


def _quarters(found: Sequence[Sample]) -> tuple[float, float]:
    """Median memory of the second and of the last quarter: a process warms up in its first."""
    if not found:
        return 0.0, 0.0
    values = [sample.megabytes for sample in found]
    quarter = max(len(values) // 4, 1)
    return statistics.median(values[quarter : 2 * quarter] or values), statistics.median(values[-quarter:])


def main(arguments: Sequence[str]) -> int:
    """Run; 0 when nothing was lost and nothing grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED", "1")))
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in this folder and leave it")
    parser.add_argument("--publications", type=int, default=20_000, help="of bench.flat, 0 to leave it out")
    options = parser.parse_args(arguments)
    end_on_signals()
    with contextlib.ExitStack() as stack:
        home = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scorewatch-soak-")))
        soak = Soak(home, minutes=options.minutes, seed=options.seed)
        try:
            soak.run()
        except AssertionError as error:
            print(f"LOST: {error}", flush=True)
            print("\n".join(soak.summary()))
            return 1
    grown = soak.growth()
    print(f"lost 0 of {soak.files} files in {options.minutes:g} min: {dict(soak.done)}")
    print(f"slowest check: all settled within {soak.slowest_check:.1f} s")
    print("\n".join(soak.summary()))
    for line in grown:
        print(f"GROWN: {line}")
    is_flat = not options.publications or flat.main(["--publications", str(options.publications)]) == 0
    return 0 if is_flat and not grown else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
