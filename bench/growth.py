"""How the CPU time of `scorewatch score` grows with rows, queries and files, whole processes.

    python -m bench.growth [--times 3] [--scale 1.0]

An exponent of 1 is growth in proportion. Sets: `python -m bench.many_sets`.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.make_csv import write_file
from bench.score import run_product
from bench.targets import exponents, spread

TIMES = 3
START = 2  # a file of so few rows costs the start alone
ROWS = 50_000
ROWS_OF_FILE = 20


class Step(NamedTuple):
    """One size. make: writes the input of this size into an empty folder, and gives its path."""

    size: int
    make: Callable[[Path], Path]


def of_rows(scale: float) -> Iterator[Step]:
    """Files of more rows, each query in two rounds."""
    for rows in _scaled((2_000, 20_000, 200_000), scale):
        yield Step(rows, partial(_file, rows=rows))


def of_queries(scale: float) -> Iterator[Step]:
    """Files of as many rows, over more queries."""
    rows = round(ROWS * scale)
    for queries in _scaled((250, 2_500, 25_000), scale):
        yield Step(queries, partial(_file, rows=rows, queries=queries))


def of_files(scale: float) -> Iterator[Step]:
    """Folders of more small files, each a set."""
    for files in _scaled((20, 200, 2_000), scale):
        yield Step(files, partial(_folder, files=files))


KINDS = {"rows": of_rows, "queries": of_queries, "files": of_files}


def measure(steps: Sequence[Step], times: int, start: float) -> list[list[float]]:
    """CPU seconds of every run of each step, without `start`."""
    found = []
    for step in steps:
        with tempfile.TemporaryDirectory(prefix="scorewatch-growth-") as home:
            path = step.make(Path(home))
            found.append([run_product(path, "--quiet").cpu_seconds - start for _ in range(times)])
    return found


def _scaled(sizes: Sequence[int], scale: float) -> list[int]:
    return [max(round(size * scale), START) for size in sizes]


def _file(home: Path, rows: int, *, queries: int | None = None) -> Path:
    path = home / "resume_agent_growth.csv"
    write_file(path, rows, queries=queries)
    return path


def _folder(home: Path, files: int) -> Path:
    for number in range(files):
        write_file(home / f"resume_agent_{number:05}.csv", ROWS_OF_FILE, seed=number)
    return home


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes")
    options = parser.parse_args(arguments)
    (starts,) = measure([Step(START, partial(_file, rows=START))], options.times, 0.0)
    print("| what | CPU beyond the start, median (range) | growth |\n|---|---:|---:|")
    for what, steps_of in KINDS.items():
        steps = list(steps_of(options.scale))
        found = measure(steps, options.times, min(starts))
        growth = exponents([step.size for step in steps], list(map(median, found)))
        for step, seconds, grown in zip(steps, found, growth, strict=True):
            print(f"| {step.size:,} {what} | {spread(seconds, ' s')} | {grown} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
