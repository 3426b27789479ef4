"""Memory of the watcher over many publications into few names. Fails when it grows.

    python -m bench.flat [--publications 20000]

The parts of the watcher as the service has them, in this process, on real folders; a worker in a process of its own
publishes a problem each time, and the clock is moved by hand. `make soak` checks the same on a whole service. Needs
/proc.
"""

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import structlog

from reporting.index import write_index
from tests.watcher.world import World, publish
from watcher.settle import Hint

NAMES = 30
WARM = 500  # publications after which it should stay as it is
MOST_GROWTH_MB = 5.0


def megabytes() -> float:
    """Resident memory of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def replace_file(world: World, number: int) -> None:
    """Replace one file, by a rename of a temporary name that is new each time, and let it be published."""
    temporary = f".upload-{number}.part"
    world.write(temporary, f"content {number}")
    target = world.root / f"resume_agent_{number % NAMES}.csv"
    (world.root / temporary).rename(target)
    world.events.hints[str(world.root / temporary)] = Hint.CLOSED
    world.events.hints[str(target)] = Hint.CLOSED


def work(world: World, workers: Executor) -> None:
    """Let the worker do everything that was asked."""
    list(workers.map(partial(publish, out=world.out), [plan for plan, _ in world.queue.asked]))
    world.queue.asked.clear()


def run(home: Path, publications: int, *, say: bool = True) -> float:
    """Megabytes by which the memory after all is more than that after WARM publications."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        return _run(World(home), publications, workers, say=say)


def _run(world: World, publications: int, workers: Executor, *, say: bool) -> float:
    def write(*, unclaimed: Iterable[str], waiting: Mapping[str, float]) -> bool:
        del waiting
        return write_index(world.out, unclaimed=unclaimed)

    world.watcher._write_index = write  # noqa: SLF001 -- the real one
    marks = sorted({WARM, *(round(publications * share) for share in (0.25, 0.5, 0.75, 1.0))})
    figures: dict[int, float] = {}
    done = 0
    while done < publications:
        for _ in range(min(NAMES, publications - done)):
            replace_file(world, done)
            done += 1
        world.files.scan_soon()
        world.run(0.5)
        work(world, workers)
        world.run(2.5)
        while marks and done >= marks[0]:
            figures[marks.pop(0)] = megabytes()
            if say:
                print(f"{done:7} publications: {megabytes():6.1f} MB", flush=True)
    return list(figures.values())[-1] - next(iter(figures.values()))


def main(arguments: Sequence[str]) -> int:
    """Run; 0 when the memory stayed within MOST_GROWTH_MB."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publications", type=int, default=20_000)
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    with tempfile.TemporaryDirectory(prefix="scorewatch-flat-") as home:
        growth = run(Path(home) / "world", options.publications)
    print(f"growth {growth:.1f} MB of at most {MOST_GROWTH_MB:g}")
    return int(growth > MOST_GROWTH_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
