"""CPU time, memory and start-up of `scorewatch score`, whole processes beside the floor.

    python -m bench.score [--rows 100000] [FILE]

Absolute times drift with the machine; the ratio to a floor that runs just before and just after holds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.make_csv import write_file

DATA = Path("bench/data")
TIMES = 5
SMALL_ROWS = 354
SMALL_TIMES = 7
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


def compare(path: Path) -> None:
    """Floor, product, floor, TIMES times; print each and the medians."""
    floor_command = [sys.executable, "-m", "bench.floor", str(path)]
    ratios: list[float] = []
    peaks: list[float] = []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as out:
            before, product, after = run(floor_command), run(product_command(path, Path(out))), run(floor_command)
        ratios.append(2 * product.cpu_seconds / (before.cpu_seconds + after.cpu_seconds))
        peaks.append(product.peak_megabytes)
        print(
            f"floor {before.cpu_seconds:.2f} s, product {product.cpu_seconds:.2f} s CPU "
            f"({product.wall_seconds:.2f} s wall, {product.peak_megabytes:.0f} MB), floor {after.cpu_seconds:.2f} s: "
            f"{ratios[-1]:.2f}x"
        )
    print(f"median CPU ratio {statistics.median(ratios):.2f}x, highest peak {max(peaks):.0f} MB")


def start_up() -> None:
    """A file of the usual size, start-up included, beside a bare interpreter and `--version`."""
    path = DATA / f"resume_agent_{SMALL_ROWS}.csv"
    write_file(path, SMALL_ROWS)
    with tempfile.TemporaryDirectory() as out:
        commands = {
            "bare interpreter": [sys.executable, "-c", ""],
            "scorewatch --version": [sys.executable, "-m", "cli.main", "--version"],
            f"score, {SMALL_ROWS} rows, all outputs": product_command(path, Path(out)),
        }
        for name, command in commands.items():
            wall = statistics.median(run(command).wall_seconds for _ in range(SMALL_TIMES))
            print(f"{name}: {wall * 1000:.0f} ms")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="made when not given")
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args(arguments)
    path: Path | None = options.file
    if path is None:
        path = DATA / f"resume_agent_{options.rows}.csv"
        write_file(path, options.rows)
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB")
    compare(path)
    start_up()
    return 0


if __name__ == "__main__":
    sys.exit(main())
