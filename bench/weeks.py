"""How often people are told *worse again* in 20 weeks: of an agent that does not change, and of one that fell.

    python -m bench.weeks [--series 200] [--seed 27]

The world is that of `bench.conclusions`: 82 queries, 3 rounds a week. A fall: 10 easy queries fail from a week on,
which takes half a point of the mean. Three baselines: the mean of the four runs before both, the one run before both,
and a pin.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from bench.conclusions import Array, Line, rates, run_of
from scoring.comparison import LEAST_BEFORE, MOST_BEFORE, Run, worse_again

QUERIES, ROUNDS, WEEKS, BROKEN = 82, 3, 20, 10
_EASY = 0.97
_STILL_ANSWERED = 0.39  # of the answers of a broken query: with it 10 of 82 take 0.5 points
Before = Callable[[Sequence[Run], int], Sequence[Run]]


def of_four(runs: Sequence[Run], at: int) -> Sequence[Run]:
    """The runs before that of a week and the one before it, whose mean is taken."""
    found = runs[max(at - 1 - MOST_BEFORE, 0) : at - 1]
    return found if len(found) >= LEAST_BEFORE else of_one(runs, at)


def of_one(runs: Sequence[Run], at: int) -> Sequence[Run]:
    """The run before both."""
    return runs[at - 2 : at - 1]


def of_pin(runs: Sequence[Run], at: int) -> Sequence[Run]:
    """The first run, whatever the week."""
    del at
    return runs[:1]


BASELINES: dict[str, tuple[Before, float, float]] = {
    "mean of four": (of_four, 0.05, 0.85),
    "previous": (of_one, 0.10, 0.75),
    "pin": (of_pin, 0.10, 0.75),
}


def week_lines(series: int, random: np.random.Generator) -> Iterator[Line]:
    """False notifications in a series without a change, and falls that are told with the second run."""
    false, found = dict.fromkeys(BASELINES, 0), dict.fromkeys(BASELINES, 0)
    for _ in range(series):
        rate = rates(QUERIES, random)
        runs = [_week(rate, at, random) for at in range(WEEKS)]
        fallen = rate.copy()
        fallen[random.permutation(np.flatnonzero(rate == _EASY))[:BROKEN]] = 0.0
        answered = np.where(fallen == 0.0, _STILL_ANSWERED, 0.5)
        after = [*runs[: WEEKS - 2], *(_week(fallen, at, random, answered) for at in (WEEKS - 2, WEEKS - 1))]
        for name, (before, _, _) in BASELINES.items():
            false[name] += any(worse_again(runs[at], runs[at - 1], before(runs, at)) for at in range(2, WEEKS))
            last = WEEKS - 1
            found[name] += bool(worse_again(after[last], after[last - 1], before(after, last)))
    for name, (_, most, least) in BASELINES.items():
        yield Line(f"told of an unchanged agent in {WEEKS} weeks, {name}", false[name] / series, most)
        yield Line(f"fall told with its second run, {name}", found[name] / series, least, is_least=True)


def _week(rate: Array, at: int, random: np.random.Generator, answered: float | Array = 0.5) -> Run:
    """A run whose answers are its own: equal ones with other grades would count as graded anew."""
    run = run_of(rate, ROUNDS, f"week {at}", random, answered_share=answered)
    queries = {
        name: replace(query, answers=tuple(replace(one, text_hash=f"{at} {one.round}") for one in query.answers))
        for name, query in run.queries.items()
    }
    return replace(run, queries=queries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a figure; 1 where one is on the wrong side of its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=27)
    chosen = parser.parse_args(arguments)
    is_missed = False
    for line in week_lines(chosen.series, np.random.default_rng(chosen.seed)):
        sign = ">=" if line.is_least else "<="
        print(f"{line.what:55} {line.found:.3f} {sign} {line.limit:.2f}{'  MISSED' if line.is_missed else ''}")
        is_missed = is_missed or line.is_missed
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
