"""How often the interval of a corrected figure holds what people would give: simulated judges that people check.

    python -m bench.corrected [--runs 4000] [--seed 34] [--others]

`--others` measures two other intervals of the points in the same worlds: a jackknife over the questions with the same
t, and BCa (B. Efron, JASA 82 (1987) 171-185).
The world is that of bench.conclusions: 82 or 300 questions in 3 rounds, people's points of an answer 5, or 0, 2 or 4
for a failed one. A judge sees them through an error of its own. People grade the answers of questions drawn at random,
all rounds of each. The truth is what they would give over all questions that could be asked. Everything is computed by
the product itself.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
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
from scoring.statistics.distributions import t_quantile

ROUNDS = 3
SIZES = ((82, 15), (82, 30), (82, 60), (300, 30), (300, 60))
ENOUGH, ENOUGH_OF_FEW = 0.91, 0.85  # the second: below the number from which an interval is shown
LESS_WHERE_FAILURES_ARE_HIDDEN = 0.04  # few questions are graded otherwise, so that a sample may have none
PASS = 3.0
_EASY, _HARD, _EASY_SHARE = 0.97, 0.60, 0.75
_FAILED = np.array([0.0, 2.0, 4.0])
_RESAMPLES = 600

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


def others(judge: Judge, queries: int, reviewed: int, runs: int, random: np.random.Generator) -> tuple[float, float]:
    """Share of runs in which a jackknife, and BCa, hold what people would give."""
    easy = _EASY_SHARE * _EASY + (1 - _EASY_SHARE) * _HARD
    truth = easy * TOP + (1 - easy) * float(_FAILED.mean())
    held = np.zeros(2)
    for _ in range(runs):
        people = points(rates(queries, random), ROUNDS, random)
        judged = judge.grade(people, random).mean(axis=1)
        drawn = random.choice(queries, reviewed, replace=False)
        ours, theirs = judged[drawn], people[drawn].mean(axis=1)
        every = np.arange(reviewed)
        value = _line(ours, theirs, every[None], judged.mean())[0]
        without = np.array([np.delete(every, at) for at in every])
        left = _line(ours, theirs, without, judged.mean())
        rests = np.polyval(np.polyfit(ours, theirs, 1), ours) - theirs if np.ptp(ours) > 0 else theirs - theirs.mean()
        explained = max(theirs.var(ddof=1) - float(rests @ rests) / (reviewed - 2), 0.0) / queries
        half = t_quantile(reviewed - 2) * np.sqrt(left.var() * (reviewed - 1) + explained)
        moved = judged.mean() + random.normal(0.0, ours.std(ddof=1) / np.sqrt(queries), _RESAMPLES)
        again = _line(ours, theirs, random.integers(0, reviewed, (_RESAMPLES, reviewed)), moved)
        low, high = _bca(again, value, left)
        held += [abs(truth - value) <= half, low <= truth <= high]
    return float(held[0]) / runs, float(held[1]) / runs


def _line(ours: Array, theirs: Array, samples: NDArray[np.int64], mean: Array | float) -> Array:
    """The corrected points of each sample of the reviewed questions. mean: of the report."""
    x, y = ours[samples], theirs[samples]
    around = x - x.mean(axis=1, keepdims=True)
    spread = (around**2).sum(axis=1)
    slope = np.where(spread > 0, (around * y).sum(axis=1) / np.where(spread > 0, spread, 1.0), 0.0)
    found: Array = y.mean(axis=1) + slope * (mean - x.mean(axis=1))
    return found


def _bca(again: Array, value: float, left: Array) -> tuple[float, float]:
    below = min(max(float((again < value).mean()), 1 / _RESAMPLES), 1 - 1 / _RESAMPLES)
    bias, around = NormalDist().inv_cdf(below), left.mean() - left
    spread = float((around**2).sum())
    skew = float((around**3).sum()) / (6 * spread**1.5) if spread else 0.0
    ends = [bias + NormalDist().inv_cdf(level) for level in (0.025, 0.975)]
    low, high = (float(np.quantile(again, NormalDist().cdf(bias + end / (1 - skew * end)))) for end in ends)
    return low, high


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module. 1 when an interval covers less than is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--others", action="store_true")
    options = parser.parse_args(arguments)
    for row, judge in enumerate(JUDGES if options.others else ()):
        for column, (queries, reviewed) in enumerate(SIZES):
            random = np.random.default_rng([options.seed, row, column])
            jackknife, bca = others(judge, queries, reviewed, options.runs, random)
            print(f"{judge.name}, {reviewed} of {queries}: jackknife {jackknife:.3f}, BCa {bca:.3f}", flush=True)
    if options.others:
        return 0
    missed = 0
    for line in table(options.runs, options.seed):
        missed += line.is_missed
        print(f"{line.what:40}{line.found:8.3f} >= {line.limit:.2f}{' *' if line.is_missed else ''}")
    print(f"missed: {missed}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
