"""Peak memory of `scorewatch score` and of a worker on files of very many rows. Fails above the limits.

    python -m bench.memory [--rows 1000000] [--steps]

The files: 82 queries that are asked again and again, and as many queries as a round has rows, with short texts; two
rounds each. `--steps` measures a tenth and a third of the rows as well, which shows what grows. Needs /proc.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.make_csv import write_file
from bench.score import run, run_product
from bench.targets import Figure, Target, print_table
from config import claiming, shipped_rubrics
from reporting import report_set
from reporting.store import Destination, open_spool
from scoring.items import score_file
from scoring.items.spool import Part, SpoolSpace
from scoring.sets import SetId
from workers.jobs import WorkArea
from workers.jobs.work_area import PartId

QUERIES = 82
MOST_MEGABYTES = {QUERIES: 350, None: 600}


def merge_stored(path: Path, out: Path) -> None:
    """What a worker does with a file whose set waits for another: write its part, and read it again to merge it."""
    rubric = claiming(path.name, shipped_rubrics())
    assert rubric is not None, path
    area = WorkArea(out)
    area.prepare()
    part_id = PartId("0" * 64, rubric.digest, path.suffix)
    with path.open("rb") as stream:
        part: Part | None = score_file(
            stream, name=path.name, rubric=rubric, space=SpoolSpace(partial(open_spool, out))
        )
    assert part is not None
    area.write_part(part_id, part)
    part = area.read_part(part_id)
    assert part is not None
    report_set([(path.name, part)], rubric, Destination(out=out, language="ko"), SetId("s", "0" * 64))


def figures(rows: int) -> Iterator[Figure]:
    """Two files of so many rows, each by `score` and as a worker handles it."""
    for queries, limit in MOST_MEGABYTES.items():
        with tempfile.TemporaryDirectory(prefix="scorewatch-memory-") as home:
            path = Path(home) / "resume_agent_memory.csv"
            write_file(path, rows, queries=queries, is_short=queries is None)
            worker = [sys.executable, "-m", "bench.memory", "--merge", str(path), "--out", home]
            of_queries = f"{rows:,} rows, {queries or rows // 2:,} queries"
            target = Target(limit)
            for what, cost in (("`score`", run_product(path)), ("worker", run(worker))):
                yield Figure(f"{what}, {of_queries}", [cost.peak_megabytes], " MB", target, digits=0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module; 0 when the limits are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--steps", action="store_true", help="a tenth and a third of the rows as well")
    parser.add_argument("--merge", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.merge is not None:
        merge_stored(options.merge, options.out)
        return 0
    sizes = [options.rows // 10, options.rows * 3 // 10] if options.steps else []
    return print_table([figure for rows in (*sizes, options.rows) for figure in figures(rows)])


if __name__ == "__main__":
    sys.exit(main())
