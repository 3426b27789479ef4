"""How often the interval of a corrected figure holds what people would give: simulated judges that people check.

    python -m bench.corrected [--runs 4000] [--seed 34]

The world is that of bench.conclusions: 82 or 300 questions in 3 rounds, people's points of an answer 5, or 0, 2 or 4
for a failed one. A judge sees them through an error of its own. People grade the answers of questions drawn at random,
all rounds of each. The truth is what they would give over all questions that could be asked. Everything is computed by
the product itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.conclusions import TOP, Line, points, rates
from scoring.statistics import (
    QUERIES_FOR_INTERVAL,
    Graded,
    Values,
    corrected_points,
    in_one_round,
    rogan_gladen,
    spread_of,
)

ROUNDS = 3
SIZES = ((82, 15), (82, 30), (82, 60), (300, 30), (300, 60))
ENOUGH, ENOUGH_OF_FEW = 0.91, 0.85  # the second: below the number from which an interval is shown
LESS_WHERE_FAILURES_ARE_HIDDEN = 0.04  # few questions are graded otherwise, so that a sample may have none
PASS = 3.0
_EASY, _HARD, _EASY_SHARE = 0.97, 0.60, 0.75
_FAILED = np.array([0.0, 2.0, 4.0])

Array = NDArray[np.float64]


class Judge(NamedTuple):
    """What makes a judge's points of people's."""

    name: str
    grade: Callable[[Array, np.random.Generator], Array]
    hides_failures: bool = False


def _noisy(people: Array, random: np.random.Generator) -> Array:
    seen: Array = np.clip(people + random.choice(np.array([-1.0, 0.0, 0.0, 1.0]), people.shape), 0.0, TOP)
    return seen


def _lenient(people: Array, random: np.random.Generator) -> Array:
    return np.where(random.random(people.shape) < 0.3, TOP, people)


def _blunt(people: Array, random: np.random.Generator) -> Array:
    """Sees half of the failures, and one in twenty where there is none."""
    seen = np.where(people < TOP, random.random(people.shape) < 0.5, random.random(people.shape) < 0.05)
    return np.where(seen, random.choice(_FAILED, people.shape), TOP)


JUDGES = (Judge("noisy", _noisy), Judge("lenient", _lenient, True), Judge("blunt", _blunt, True))


def coverage(judge: Judge, queries: int, reviewed: int, runs: int, random: np.random.Generator) -> tuple[float, float]:
    """Share of runs whose interval holds the truth: of the points, and of the share that people pass.

    A run whose judge cannot tell has no share, and takes no part in the second.
    """
    easy = _EASY_SHARE * _EASY + (1 - _EASY_SHARE) * _HARD
    true_points = easy * TOP + (1 - easy) * float(_FAILED.mean())
    true_share = easy + (1 - easy) * float((_FAILED >= PASS).mean())
    held = held_share = with_share = 0
    for _ in range(runs):
        people = points(rates(queries, random), ROUNDS, random)
        judged = judge.grade(people, random)
        drawn = random.choice(queries, reviewed, replace=False)
        found = corrected_points(
            [float(one) for one in judged.mean(axis=1)],
            {int(at): float(people[at].mean()) for at in drawn},
            top=TOP,
        )
        held += found is not None and found.interval.low <= true_points <= found.interval.high
        passes = (judged >= PASS).astype(float)
        share = float(passes.mean())
        of_queries: list[Values] = [tuple(map(float, row)) for row in passes]
        worth = spread_of(share, in_one_round(of_queries), top=1.0).worth(share)
        corrected = rogan_gladen(share, worth, graded(judged[drawn] >= PASS, people[drawn] >= PASS))
        if corrected is not None:
            with_share += 1
            held_share += corrected.interval.low <= true_share <= corrected.interval.high
    return held / runs, held_share / with_share if with_share else 1.0


def graded(judged: NDArray[np.bool_], people: NDArray[np.bool_]) -> Graded:
    """What people and the judge pass. Both by query and round."""
    return Graded(
        true_positives=int((judged & people).sum()),
        positives=int(people.sum()),
        true_negatives=int((~judged & ~people).sum()),
        negatives=int((~people).sum()),
        positive_queries=int(people.any(axis=1).sum()),
        negative_queries=int((~people).any(axis=1).sum()),
    )


def table(runs: int, seed: int) -> Iterator[Line]:
    """All lines, each from random numbers of its own."""
    for row, judge in enumerate(JUDGES):
        for column, (queries, reviewed) in enumerate(SIZES):
            found = coverage(judge, queries, reviewed, runs, np.random.default_rng([seed, row, column]))
            enough = ENOUGH if reviewed >= QUERIES_FOR_INTERVAL else ENOUGH_OF_FEW
            limit = enough - LESS_WHERE_FAILURES_ARE_HIDDEN * judge.hides_failures
            for what, one in zip(("points", "share passed"), found, strict=True):
                yield Line(f"{judge.name}, {reviewed} of {queries}, {what}", one, limit, is_least=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module. 1 when an interval covers less than is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=34)
    options = parser.parse_args(arguments)
    missed = 0
    for line in table(options.runs, options.seed):
        missed += line.is_missed
        print(f"{line.what:40}{line.found:8.3f} >= {line.limit:.2f}{' *' if line.is_missed else ''}")
    print(f"missed: {missed}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
