"""What one more set costs where there are many: the index, the trends, the choice of baselines, and memory.

    python -m bench.many_sets [--sets 1000 10000 20000 50000] [--repeats 7]

The sets have nothing but the small files that are read: `status.json`, `baseline.json`. They are of one profile, each
compared with the one before, and one of a hundred is refused. Times are CPU, medians of the repeats with their range.
Needs /proc.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from bench.targets import exponents, spread
from reporting.index import INDEX_HTML, Index
from reporting.runs import Baselines
from reporting.store import KnownSets, StatusFile
from tests.reporting.index.folders import (
    a_status,
    refused,
    with_figures,
    write_comparison,
    write_front_page_mark,
    write_status,
)

SIZES = (1_000, 10_000, 20_000, 50_000)
REPEATS = 7
TARGET_SECONDS = 0.15  # for one more set at TARGET_SETS
TARGET_SETS = 20_000
TARGET_BYTES = 120  # of the page for a set
METRICS = ("intent", "consistency", "accuracy", "latency", "stability")
REFUSED_EACH = 100
TITLES = (
    "sets",
    "one more: index and trend",
    "its growth",
    "choosing baselines",
    "written once",
    "check",
    "look at all",
    "memory",
    "page a set",
)
_FIRST = datetime(2026, 1, 1)  # noqa: DTZ001 -- as the times of the data, without a zone


class Figures(NamedTuple):
    """CPU seconds. first: of writing everything once. The others are of each repeat, the last two of one look each."""

    sets: int
    first: float
    write: list[float]
    choose: list[float]
    check: float
    look: float
    megabytes: float
    page_bytes: float


class Sets:
    """A folder of reports that grows. `last` is the run that the next one is compared with."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._base = a_status(out)
        self._last: StatusFile | None = None
        self.number = 1

    def add(self) -> str:
        """One more set; its name."""
        number = self.number
        at = _FIRST + timedelta(minutes=5 * number)
        metrics: dict[str, float | None] = {
            name: number * place % 400 / 100 + 0.5 for place, name in enumerate(METRICS, start=3)
        }
        intervals = {name: (value - 0.12, value + 0.09) for name, value in metrics.items() if value is not None}
        status = msgspec.structs.replace(
            self._base,
            set=f"resume_agent_{at:%y%m%d}_{number:05}",
            key=f"{number:064x}",
            executed=at.isoformat(),
            inputs=dict.fromkeys(self._base.inputs, f"{number:064x}"),
        )
        status = with_figures(
            status,
            n=354,
            answered=300 + number % 54,
            answered_rate=(300 + number % 54) / 354,
            metrics=metrics,
            intervals=intervals,
        )
        if number % REFUSED_EACH == 0:
            status = refused(status, f"{status.set}.csv: ")
        write_status(self.out, status)
        if status.headline is not None:
            write_comparison(self.out, status, self._last)
            self._last = status
        write_front_page_mark(self.out, status)
        self.number += 1
        return status.set


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of this process for some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def megabytes() -> float:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def measure(sets: Sets, repeats: int) -> Figures:
    """What one more set costs in a watcher that has just started over these sets."""
    before = megabytes()
    known = KnownSets(sets.out)
    index, baselines = Index(known, language="ko"), Baselines(known, language="ko")
    count = sets.number
    first = cpu_seconds(index.write)
    baselines.missing()
    write, choose = [], []
    for _ in range(repeats):
        name = sets.add()
        looked = cpu_seconds(partial(known.look_at, [name]))
        write.append(looked + cpu_seconds(index.write))
        choose.append(cpu_seconds(baselines.missing))
    used = megabytes() - before
    check, look = cpu_seconds(known.look_at_changed), cpu_seconds(known.look)
    page_bytes = (sets.out / INDEX_HTML).stat().st_size / sets.number
    return Figures(count, first, write, choose, check, look, used, page_bytes)


def table(found: Sequence[Figures]) -> list[str]:
    """Lines of a Markdown table."""
    sizes = [one.sets for one in found]
    growth = exponents(sizes, [median(one.write) for one in found])
    lines = [
        f"| {' | '.join(TITLES)} |",
        f"|{'---:|' * len(TITLES)}",
    ]
    for one, grown in zip(found, growth, strict=True):
        cells = [
            f"{one.sets:,}",
            spread(one.write, " s", 3),
            grown,
            spread(one.choose, " s", 3),
            f"{one.first:.2f} s",
            f"{one.check:.2f} s",
            f"{one.look:.2f} s",
            f"{one.megabytes:.0f} MB",
            f"{one.page_bytes:.0f} bytes",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def misses(found: Sequence[Figures]) -> list[str]:
    """The targets that are missed."""
    at_target = [one for one in found if one.sets <= TARGET_SETS]
    missed = [f"{one.sets} sets: {median(one.write):.3f} s" for one in at_target if median(one.write) > TARGET_SECONDS]
    missed += [
        f"{one.sets} sets: {median(one.choose):.3f} s" for one in at_target if median(one.choose) > TARGET_SECONDS
    ]
    return missed + [
        f"{one.sets} sets: {one.page_bytes:.0f} bytes a set"
        for one in found
        if one.sets >= TARGET_SETS and one.page_bytes > TARGET_BYTES
    ]


def main(arguments: Sequence[str]) -> int:
    """Run; 0 when every target is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args(arguments)
    found = []
    with tempfile.TemporaryDirectory(prefix="scorewatch-sets-") as home:
        sets = Sets(Path(home))
        for size in sorted(options.sets):
            while sets.number < size:
                sets.add()
            found.append(measure(sets, options.repeats))
            print(f"{size:,} sets measured", file=sys.stderr, flush=True)
        print("\n".join(table(found)))
        print(
            f"target: {TARGET_SECONDS} s for one more of {TARGET_SETS:,} sets, {TARGET_BYTES} bytes a set in the page"
        )
        for miss in misses(found):
            print(f"missed: {miss}", flush=True)
    return int(bool(misses(found)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
