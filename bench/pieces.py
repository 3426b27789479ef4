"""One huge file on one core and on two: CPU of each stage, and wall time beside that of the floor.

    python -m bench.pieces [--rows 100000] [--times 7] [--stages] [FILE]

`--stages` prints the CPU seconds alone, which hold on a machine that does other work too, and the wall time that they
come to on two idle cores.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple, TypeVar

from bench.make_csv import write_file
from bench.score import DATA, run, run_product
from bench.targets import TIMES, Figure, Target, alternate, print_table
from config import profile_named, shipped_rubrics
from reporting.runs import publish_report
from reporting.store import Destination
from scoring import hash_spans, join_pieces, open_piece, plan_pieces, score_piece
from scoring.items.spool import SpoolSpace, encode_stored
from scoring.results import merge
from scoring.sets import SetId

CORES = 2
LEAST_FASTER = Target(1.7, is_least=True)
MOST_FLOORS = Target(1.3)

T = TypeVar("T")


ALL, ONE = "all cores", "one core"


class Stage(NamedTuple):
    """CPU seconds of a stage. on: the cores that it takes."""

    name: str
    seconds: float
    on: str = ONE


def stages(path: Path) -> list[Stage]:
    """What `scorewatch score` does with a large file, here one after the other."""
    rubric = profile_named("resume-agent", shipped_rubrics())
    found: list[Stage] = []

    def timed(name: str, work: Callable[[], T], on: str = ONE) -> T:
        before = time.process_time()
        result = work()
        found.append(Stage(name, time.process_time() - before, on))
        return result

    with TemporaryDirectory() as folder, ExitStack() as opened:
        stream = opened.enter_context(path.open("rb"))
        plan = timed("plan", lambda: plan_pieces(stream, name=path.name, rubric=rubric))
        if plan is None:
            raise ValueError(f"{path}: not scored in pieces")
        hashes = timed("hash", lambda: hash_spans(stream, plan), ALL)

        def score() -> None:
            for number in range(len(plan.spans)):
                piece = score_piece(
                    stream, name=path.name, rubric=rubric, plan=plan, number=number, space=SpoolSpace(TemporaryFile)
                )
                with Path(folder, str(number)).open("wb") as file:
                    file.writelines(encode_stored(piece))

        timed(f"{len(plan.spans)} pieces", score, ALL)
        files = [opened.enter_context(Path(folder, str(number)).open("rb")) for number in range(len(plan.spans))]
        pieces = timed("open pieces", lambda: list(map(open_piece, files)))
        part = timed(
            "join",
            lambda: join_pieces(stream, pieces, name=path.name, rubric=rubric, plan=plan, hashes=hashes),
        )
        assert part is not None
        out = Path(folder, "out")
        destination = Destination(out=out, language="ko")
        result = timed("figures", lambda: merge([(path.name, part)], rubric))
        timed("pages and tables", lambda: publish_report(result, SetId("set", "0" * 64), destination))
    return found


def stage_lines(found: Sequence[Stage]) -> Iterator[str]:
    """The stages as a Markdown table, and what they come to."""
    yield "| stage | CPU | on |"
    yield "|---|---:|---|"
    for stage in found:
        yield f"| {stage.name} | {stage.seconds:.2f} s | {stage.on} |"
    one, parallel = (sum(stage.seconds for stage in found if stage.on == on) for on in (ONE, ALL))
    several = one + parallel / CORES
    yield f"| one core | {one + parallel:.2f} s | |"
    yield f"| {CORES} idle cores: wall | {several:.2f} s | {(one + parallel) / several:.2f} times as fast |"


def compare(path: Path, times: int) -> list[Figure]:
    """Wall time with two processes beside one, and beside the floor."""
    pairs = alternate(
        lambda: run_product(path, "--jobs", "1").wall_seconds,
        lambda: run_product(path, "--jobs", str(CORES)).wall_seconds,
        times,
    )
    floor_command = [sys.executable, "-m", "bench.floor", str(path)]
    beside = alternate(
        lambda: run(floor_command).wall_seconds,
        lambda: run_product(path, "--jobs", str(CORES)).wall_seconds,
        times,
    )
    floors = [floor for floor, _ in beside]
    return [
        Figure("two processes: times as fast", [one / two for one, two in pairs], "x", LEAST_FASTER),
        Figure("two processes: wall", [two / floor for floor, two in beside], "x", MOST_FLOORS, floors),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module; 0 when the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="made when not given")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args(arguments)
    path: Path = options.file or DATA / f"resume_agent_{options.rows}.csv"
    if options.file is None:
        write_file(path, options.rows)
    print("\n".join(stage_lines(stages(path))), flush=True)
    return 0 if options.stages else print_table(compare(path, options.times))


if __name__ == "__main__":
    sys.exit(main())
