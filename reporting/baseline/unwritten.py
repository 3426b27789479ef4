"""The baseline of a run without a report: what it would be compared with if it were published among the reports."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from reporting.comparison.runs import UnreadableRunError, read_run
from reporting.gate.evaluate_set import uncompared
from reporting.known.entries import order_of
from reporting.known.sets import find_sets
from reporting.store.asked import read_asked
from reporting.store.baseline import run_key
from reporting.store.pins import read_pins
from reporting.store.set_folder import set_folder
from reporting.store.status import State
from scoring.comparison.asked import Asked, asked_digest, asked_of_queries
from scoring.comparison.baseline import Origin, Overlaps, RunMark, choose_baselines
from scoring.comparison.order import order_key
from scoring.comparison.run import Run
from scoring.gate.baseline import Uncompared

_NOW = sys.maxsize  # a run without a date comes after all that are published


def find_baseline(out: Path, run: Run) -> Run | Uncompared:
    """The pinned run, else the nearest earlier one that asks the same; why there is none otherwise.

    out: folder of the reports. A report of the same name is that of the run itself, so it is no baseline.
    """
    asks = asked_of_queries(run.queries.values())
    own = RunMark(order_key(run.executed, run.name, published=_NOW), run.name, run.key, asked_digest(asks))
    others = [
        RunMark(order_of(entry), entry.set_name, run_key(status.key, status.judge_digest), status.asked)
        for entry in find_sets(out)
        if (status := entry.status).state is State.REPORT
        and status.profile == run.profile
        and entry.set_name != run.name
    ]

    @cache
    def asked(digest: str) -> Asked:
        return asks if digest == own.asked else read_asked(out, digest) or {}

    chosen = choose_baselines([*others, own], read_pins(out).get(run.profile), Overlaps(asked))
    baseline = next(found for mark, found in chosen if mark is own)
    if not baseline.exists:
        return uncompared(baseline.origin, baseline.name)
    try:
        return read_run(set_folder(out, baseline.name))
    except UnreadableRunError:
        return uncompared(Origin.PIN_GONE if baseline.origin is Origin.PINNED else baseline.origin, baseline.name)
