"""CPU time of one report beyond scoring, by output, on a set of the usual size in a warm process.

    python -m bench.report [--rows 354] [--times 30]

The smallest of many runs counts: everything else on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.make_csv import write_file
from config.rubric_store import claiming, shipped_rubrics
from reporting import report_json
from reporting.catalogue import texts
from reporting.charts import draw_charts
from reporting.item_data import embed_items
from reporting.items_csv import encode_items
from reporting.json_text import encode_json
from reporting.markdown import render_report, render_round_pages
from reporting.pages import report_pages
from reporting.publish import publish_report
from reporting.view import build_view
from scoring.aggregate import merge
from scoring.insights import find_insights
from scoring.result import SetResult
from scoring.score import score_file

DATA = Path("bench/data")


def scored(rows: int) -> SetResult:
    """A set of one made-up file."""
    path = DATA / f"resume_agent_{rows}.csv"
    write_file(path, rows)
    rubric = claiming(path.name, shipped_rubrics())
    assert rubric is not None
    with path.open("rb") as stream:
        return merge([(path.name, score_file(stream, name=path.name, rubric=rubric))], rubric)


def measure(rows: int, times: int) -> None:
    """Print milliseconds of CPU for each output and for a publication with all of them."""
    result, t = scored(rows), texts()
    insights = find_insights(result)
    view = build_view(result, set_name="bench", t=t, insights=insights)
    drawn = draw_charts(result, t)
    report = report_json.build_report(result, insights, set_name="b", key="k", language="ko", files={})
    steps: dict[str, Callable[[], object]] = {
        "insights": lambda: find_insights(result),
        "items.csv": lambda: b"".join(encode_items(result)),
        "rounds/": lambda: list(render_round_pages(result, set_name="bench", t=t)),
        "view": lambda: build_view(result, set_name="bench", t=t, insights=insights),
        "charts": lambda: [chart.file() for chart in draw_charts(result, t)],
        "report.md": lambda: render_report(view, t, drawn=drawn),
        "items in report.html": lambda: embed_items(result, insights, t),
        "report.html, report.md, charts": lambda: list(report_pages(result, insights, view, t)),
        "report.json": lambda: encode_json(report),
    }
    print(f"{rows} items, CPU milliseconds, the best of {times}")
    for name, step in steps.items():
        print(f"  {name:32} {_best(step, times):7.2f}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        numbers = iter(range(10**6))

        def publish() -> object:
            number = next(numbers)
            return publish_report(result, set_name=f"s{number}", key=f"k{number}", out=out)

        best = _best(publish, times)
    print(f"  {'everything, written':32} {best:7.2f}  ({1000 / best:.0f} reports a second)")


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
    options = parser.parse_args()
    measure(options.rows, options.times)


if __name__ == "__main__":
    main()
