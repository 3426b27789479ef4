"""CPU time of one report beyond scoring, by output, on a set of the usual size in a warm process.

    python -m bench.report [--rows 354] [--times 30] [--out FOLDER]

The smallest of many runs counts: everything else on the machine only adds to it. The last line is about sets that were
not seen before: texts that came up in the same process are escaped and shortened once. The collector of garbage runs as
seldom as in a worker. What the kernel does for the files counts as well, and hangs on the file system: one without a
journal (ext4 in many virtual machines) looks for a free place among all that was deleted there in the last minutes,
which can take longer than all the rest. `--out /dev/shm` measures without a disk.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.make_csv import write_file
from config import claiming, shipped_rubrics
from reporting.data import build_report, embed_items, encode_items
from reporting.document import markdown_page, render_round_pages
from reporting.document.charts import draw_charts
from reporting.document.report import report_page
from reporting.page_files import report_pages
from reporting.runs import publish_report
from reporting.store import Destination, encode_json, set_lock, staging
from reporting.store.set_folders import report_files
from scoring.items import score_file
from scoring.results import SetResult, find_insights, merge
from scoring.sets import SetId
from texts import texts
from workers.jobs.before_fork import GC_THRESHOLDS

SEED = 8
DATA = Path("bench/data")
NEW_SETS = 20


def scored(rows: int, *, seed: int = SEED) -> SetResult:
    """A set of one made-up file."""
    path = DATA / f"resume_agent_{rows}.csv"
    write_file(path, rows, seed=seed)
    rubric = claiming(path.name, shipped_rubrics())
    assert rubric is not None
    with path.open("rb") as stream:
        return merge([(path.name, score_file(stream, name=path.name, rubric=rubric))], rubric)


def measure(rows: int, times: int, parent: str | None) -> None:
    """Print milliseconds of CPU for each output and for a publication with all of them, written below `parent`."""
    new = iter([scored(rows, seed=SEED + number) for number in range(1, NEW_SETS + 1)])
    result, t = scored(rows), texts()
    insights = find_insights(result)
    page = report_page(result, set_name="bench", t=t, insights=insights, charts=draw_charts(result, t))
    report = build_report(result, insights, SetId("b", "k"), language="ko", files={})
    steps: dict[str, Callable[[], object]] = {
        "insights": lambda: find_insights(result),
        "items.csv": lambda: b"".join(encode_items(result)),
        "rounds/": lambda: list(render_round_pages(result, set_name="bench", t=t)),
        "blocks": lambda: report_page(result, set_name="bench", t=t, insights=insights),
        "charts": lambda: [chart.file() for chart in draw_charts(result, t)],
        "report.md": lambda: markdown_page(page),
        "items in report.html": lambda: embed_items(result, insights, t),
        "report.html, report.md, charts": lambda: list(report_pages(result, insights, set_name="bench", t=t)),
        "report.json": lambda: encode_json(report),
    }
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    print(f"{rows} items, CPU milliseconds, the best of {times}")
    for name, step in steps.items():
        print(f"  {name:32} {_best(step, times):7.2f}")
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        out = Path(folder)
        numbers = iter(range(10**6))
        folder_of_set = publish_report(result, SetId("ready", "k"), Destination(out=out, language="ko")).folder
        ready = {name: (folder_of_set / name).read_bytes() for name in report_files(folder_of_set)}

        def place() -> object:
            with set_lock(out, f"f{next(numbers)}") as target, staging(out) as files:
                for name, content in ready.items():
                    files.write(name, [content])
                for name in ready:
                    files.place(name, target)
                return files.marks

        def publish() -> object:
            number = next(numbers)
            return publish_report(result, SetId(f"s{number}", f"k{number}"), Destination(out=out, language="ko"))

        print(f"  {'files, hashed and placed':32} {_best(place, times):7.2f}")

        def publish_new() -> object:
            return publish_report(next(new), SetId(f"n{next(numbers)}", "k"), Destination(out=out, language="ko"))

        best, best_new = _best(publish, times), _best(publish_new, NEW_SETS)
    print(f"  {'everything, written':32} {best:7.2f}  ({1000 / best:.0f} reports a second)")
    print(f"  {'the same, of new texts':32} {best_new:7.2f}  ({1000 / best_new:.0f} reports a second)")


def _best(step: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        step()
        best = min(best, time.process_time() - started)
    return best * 1000


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=354)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--out", help="write below this folder and not in that for temporary files")
    options = parser.parse_args()
    measure(options.rows, options.times, options.out)


if __name__ == "__main__":
    main()
