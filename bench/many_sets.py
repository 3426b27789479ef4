"""What one more set costs where there are many: the index, the trends, the choice of baselines, and memory.

    python -m bench.many_sets [--sets 1000 10000 20000 50000] [--repeats 7]

The sets are those of `bench.set_folders`: of one profile, each compared with the one before, one of a hundred refused.
Times are CPU, medians of the repeats with their range. The memory of a whole watcher: `python -m bench.pipeline idle`.
Needs /proc.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.set_folders import Sets
from bench.targets import exponents, spread
from reporting.index import INDEX_HTML, Index
from reporting.runs import Baselines
from reporting.store import KnownSets

SIZES = (1_000, 10_000, 20_000, 50_000)
REPEATS = 7
TARGET_SECONDS = 0.15  # for one more set at TARGET_SETS
TARGET_SETS = 20_000
TARGET_BYTES = 125  # of the page for a set; the marks of its two shares are 4 of them
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
        sets = Sets(Path(home, "out"), Path(home, "in"))
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
