"""CPU time and memory of `scorewatch score`, whole processes beside the floor.

    python -m bench.score [--rows 100000] [--times 7] [FILE]

Each run of the product alternates with one of the floor; the ratio of the two holds when the machine drifts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.make_csv import write_file
from bench.targets import TIMES, Figure, Target, alternate, print_table

DATA = Path("bench/data")
SMALL_ROWS = 354
MOST_FLOORS = Target(1.9)
_KILOBYTES = 1 if sys.platform != "darwin" else 1024  # ru_maxrss: kilobytes on Linux, bytes on macOS


class Cost(NamedTuple):
    """What one process took: CPU and wall seconds, peak resident memory in MB (10^6 bytes)."""

    cpu_seconds: float
    wall_seconds: float
    peak_megabytes: float


def run(command: Sequence[str]) -> Cost:
    """Run a command to its end. Raises RuntimeError with its output when it does not exit with 0."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            raise RuntimeError(
                f"{' '.join(command)}: exit {process.returncode}\n{output.read().decode(errors='replace')}"
            )
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / _KILOBYTES * 1024 / 1e6)


def product_command(path: Path, out: Path) -> list[str]:
    """Score one file with all outputs."""
    return [sys.executable, "-m", "cli.main", "score", str(path), "--out", str(out)]


def run_product(path: Path, *options: str) -> Cost:
    """Score one file into a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as out:
        return run([*product_command(path, Path(out)), *options])


def compare(path: Path, rows: int, times: int) -> list[Figure]:
    """The product beside the floor."""
    floor_command = [sys.executable, "-m", "bench.floor", str(path)]
    pairs = alternate(lambda: run(floor_command), lambda: run_product(path, "--jobs", "1"), times)
    floors, products = zip(*pairs, strict=True)
    name = f"`score`, {rows:,} rows" if rows else f"`score {path.name}`"
    ratios = [product.cpu_seconds / floor.cpu_seconds for floor, product in pairs]
    return [
        Figure(f"{name}: CPU", ratios, "x", MOST_FLOORS, [floor.cpu_seconds for floor in floors]),
        Figure(f"{name}: CPU", [product.cpu_seconds for product in products], " s"),
        Figure(f"{name}: peak memory", [product.peak_megabytes for product in products], " MB", digits=0),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module; 0 when the target is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="made when not given")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=TIMES)
    options = parser.parse_args(arguments)
    path: Path | None = options.file
    if path is not None:
        return print_table(compare(path, 0, options.times))
    path = DATA / f"resume_agent_{options.rows}.csv"
    write_file(path, options.rows)
    return print_table(compare(path, options.rows, options.times))


if __name__ == "__main__":
    sys.exit(main())
