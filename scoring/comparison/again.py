"""Decides whether a figure is worse again: in a run and in the one before it, against one baseline of earlier runs.

One run that is worse may be chance, or a bad day. Two in a row are told to people.
"""

from collections.abc import Iterable, Sequence
from math import fsum

import msgspec

from scoring.comparison.changes import Verdict
from scoring.comparison.compare import NoSharedQueryError, changes_of_all_queries
from scoring.comparison.run import Query, Run

MOST_BEFORE = 4  # runs whose mean is the baseline
LEAST_BEFORE = 2  # fewer: the baseline of the run before is taken


def worse_again(run: Run, previous: Run, before: Sequence[Run]) -> dict[str, str]:
    """The figures that are worse in both runs, each with the one that it copies by its document, "" for none.

    before: the runs that are the baseline together.
    """
    baseline = mean_run(before)
    if both := _worse(baseline, previous):
        both &= _worse(baseline, run)
    return {metric: run.basis.copies.get(metric, "") for metric in run.basis.names if metric in both}


def mean_run(runs: Sequence[Run]) -> Run:
    """A run of the mean values of each query that all of these have. runs: at least one."""
    first, *others = runs
    if not others:
        return first
    shared = [name for name in first.queries if all(name in run.queries for run in others)]
    queries = {name: _mean_query([run.queries[name] for run in runs]) for name in shared}
    return msgspec.structs.replace(first, queries=queries, key=" ".join(run.key for run in runs), inputs=())


def _worse(before: Run, after: Run) -> set[str]:
    try:
        changes = changes_of_all_queries(before, after)
    except NoSharedQueryError:
        return set()
    return {change.metric for change in changes if change.verdict is Verdict.WORSE}


def _mean_query(sides: Sequence[Query]) -> Query:
    """The query with the means of its values, and with all its answers."""
    first = sides[0]
    names = [name for name in first.values if all(name in side.values for side in sides)]
    return msgspec.structs.replace(
        first,
        questions=_union(side.questions for side in sides),
        expected=_union(side.expected for side in sides),
        n=sum(side.n for side in sides),
        passed=sum(side.passed for side in sides),
        assessed=sum(side.assessed for side in sides),
        values={name: fsum(side.values[name] for side in sides) / len(sides) for name in names},
        answers=tuple([answer for side in sides for answer in side.answers]),
    )


def _union(texts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(sorted({text for one in texts for text in one}))
