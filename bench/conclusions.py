"""How often a page concludes what is not so: simulated pairs of runs of which the truth is known.

    python -m bench.conclusions [--runs 1000] [--seed 27]

The world is like resume-agent: three of four queries are easy (97 % pass), the others hard (60 %); failed answers have
0, 2 or 4 of 5 points; every answer has seconds. 3 tracks, 15 categories. Everything is computed by the product itself.

- an interval of a change holds the true change, where some queries broke
- a gate with a margin accepts a loss beyond the margin
- the margin that an unchanged agent passes in 8 of 10 cases
- a page of an unchanged agent claims a change anywhere
- a report of an agent that is equally good everywhere names a weakest place
- the rounds of an unchanged agent are said to differ
- a column that has nothing to do with the answers names a value, or a pair of values, as where it fails
- a ranking of runs of an unchanged agent names a pair that differs
- one agent a quarter of whose answers are graded is not comparable with itself; one that fell stays comparable
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.comparison import (
    Basis,
    Comparison,
    ItemValues,
    Judge,
    MarginVerdict,
    Run,
    compare_runs,
    margin_verdict,
    reduce_items,
)
from scoring.rubric import Better, Measure, Status
from scoring.statistics import (
    ALPHA,
    change_interval,
    holm,
    leaderboard,
    lower_by_chance,
    rounds_alike,
    sample_of,
    sign_flip,
    weak_cells,
    whole_steps,
)

TOP = 5.0
TRACKS, CATEGORIES = 3, 15
SURE_OF_ROUNDS = 0.01
_EASY, _HARD, _EASY_SHARE = 0.97, 0.60, 0.75
_FAILED = np.array([0.0, 2.0, 4.0])
_MEASURES = 4
_LARGE_SETS = 200

Array = NDArray[np.float64]


class Line(NamedTuple):
    """One figure of the table. is_least: the limit is a lower one."""

    what: str
    found: float
    limit: float
    is_least: bool = False

    @property
    def is_missed(self) -> bool:
        """Is it on the wrong side of its limit?"""
        return self.found < self.limit if self.is_least else self.found > self.limit


def rates(n: int, random: np.random.Generator) -> Array:
    """How often each query passes."""
    return np.where(random.random(n) < _EASY_SHARE, _EASY, _HARD)


def points(rate: Array, rounds: int, random: np.random.Generator) -> Array:
    """Points of every query in every round."""
    shape = (len(rate), rounds)
    return np.where(random.random(shape) < rate[:, None], TOP, random.choice(_FAILED, shape))


def change_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Intervals of a change and gates with a margin, where a part of the queries broke."""
    accepted: list[float] = []
    for n in (8, 12, 30, 82):
        for rounds in (1, 3, 10):
            for broken in (0.03, 0.05, 0.10):
                # A query that breaks passes never more: it loses what it had above the mean of a failed answer.
                mean = _EASY_SHARE * _EASY + (1 - _EASY_SHARE) * _HARD
                truth = -broken * mean * (TOP - float(_FAILED.mean()))
                held = beyond = 0
                for _ in range(runs):
                    before = rates(n, random)
                    after = np.where(random.random(n) < broken, 0.0, before)
                    change = points(after, rounds, random).mean(axis=1) - points(before, rounds, random).mean(axis=1)
                    differences = [float(one) for one in change]
                    p = sign_flip(whole_steps(differences, TOP))
                    interval = change_interval(differences, length=TOP, is_found=p <= ALPHA)
                    held += interval.low <= truth <= interval.high
                    verdict = margin_verdict(interval, -truth / 1.05, Better.HIGHER)
                    beyond += verdict is not MarginVerdict.NOT_SHOWN
                yield Line(f"change held, {n} x {rounds}, {broken:.0%} broken", held / runs, 0.92, is_least=True)
                accepted.append(beyond / runs)
    yield Line("loss beyond the margin accepted, at most", max(accepted), 0.04)


def margin_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """The margin that an unchanged agent passes in 8 of 10 cases; no limit is set."""
    for n, rounds in ((12, 3), (20, 3), (30, 3), (50, 3), (82, 1), (82, 3), (82, 10), (200, 3), (500, 3)):
        needed = []
        for _ in range(runs):
            rate = rates(n, random)
            change = points(rate, rounds, random).mean(axis=1) - points(rate, rounds, random).mean(axis=1)
            differences = [float(one) for one in change]
            p = sign_flip(whole_steps(differences, TOP))
            needed.append(-change_interval(differences, length=TOP, is_found=p <= ALPHA).low)
        yield Line(f"margin passed in 8 of 10, {n} x {rounds}", float(np.quantile(needed, 0.8)), TOP)


def basis(measures: int) -> Basis:
    """What resume-agent reports, with further measures."""
    return Basis(
        metrics=("intent", "consistency", "accuracy", "latency", "stability"),
        scale=TOP,
        answered=(Status.OK, Status.PARTIAL),
        passes=None,
        pairs=None,
        single=None,
        weights={},
        edition="",
        document="",
        copies={"accuracy": "intent", "stability": "answered"},
        measures=tuple(Measure(name=f"m{at}", title=f"m{at}", better=Better.LOWER) for at in range(measures)),
    )


def run_of(
    rate: Array,
    rounds: int,
    name: str,
    random: np.random.Generator,
    *,
    measures: int = 0,
    graded_share: float = 1.0,
    answered_share: float | Array = 0.5,
) -> Run:
    """A run of one agent: `rate` is how often each query gets full points.

    graded_share: of the items that have a recorded grade, chosen at random. answered_share: of the answers without
    full points, of all queries or of each.
    """
    n = len(rate)
    graded = points(rate, rounds, random)
    answered = (graded == TOP) | (random.random(graded.shape) < np.reshape(answered_share, (-1, 1)))
    seconds = random.lognormal(1.5, 0.5, graded.shape)
    amounts = random.lognormal(3, 0.5, (measures, *graded.shape))
    items = []
    for query in range(n):
        for at in range(rounds):
            status = Status.OK if answered[query, at] else Status.ERROR
            intent = float(graded[query, at]) if status is Status.OK else 0.0
            took = float(seconds[query, at])
            items.append(
                ItemValues(
                    query_id=f"Q{query:04}",
                    round=f"{at + 1}/1",
                    track=1 + query % TRACKS,
                    category=f"c{query % CATEGORIES:02}",
                    question="",
                    expected="",
                    answer="",
                    status=status.value,
                    executed_at="",
                    seconds=took,
                    latency_class="",
                    points={
                        "intent": intent,
                        "accuracy": intent,
                        "stability": TOP if status is Status.OK else 0.0,
                        "latency": TOP if took < 5 else 3.0 if took < 10 else 1.0,
                    },
                    accuracy_reason="",
                    label="",
                    signature="",
                    measures={f"measure.m{of}": float(amounts[of, query, at]) for of in range(measures)},
                    intent_source="recorded" if random.random() < graded_share else "status",
                )
            )
    queries = reduce_items(items, basis(measures))
    labels = tuple(f"{at + 1}/1" for at in range(rounds))
    return Run(
        name=name,
        key=name,
        selection="",
        profile="resume-agent",
        rubric_digest="d",
        engine_version=1,
        judge=Judge(),
        basis=basis(measures),
        rounds=labels,
        executed="",
        shown={},
        queries=queries,
    )


def claims(comparison: Comparison) -> bool:
    """Does the page claim a change anywhere?"""
    return any(change.is_found for group in comparison.groups for change in group.changes)


def noise_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Pages of an unchanged agent."""
    layouts = ((82, 3, 0, 0.10), (82, 10, 0, 0.10), (300, 3, 0, 0.10), (82, 3, _MEASURES, 0.15))
    for n, rounds, measures, limit in layouts:
        found = 0
        for _ in range(runs):
            rate = rates(n, random)
            sides = [run_of(rate, rounds, name, random, measures=measures) for name in ("a", "b")]
            found += claims(compare_runs(*sides))
        yield Line(f"noise claims a change, {n} x {rounds}, {5 + measures} figures", found / runs, limit)


def place_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Reports of an agent that is equally good everywhere, and whose rounds are alike."""
    named = differing = 0
    for _ in range(runs):
        rate = rates(82, random)
        graded, took = points(rate, 3, random), np.where(random.random((82, 3)) < 0.7, TOP, 3.0)
        passes = (graded == TOP) * TOP
        p_values = [p for figure in (graded, took, passes) for p in place_tests(figure.mean(axis=1))]
        named += min(holm(p_values), default=1.0) <= ALPHA
        tests = [rounds_alike(Counter(tuple(map(float, row)) for row in figure)) for figure in (graded, took, passes)]
        differing += min(holm([test.p for test in tests if test is not None]), default=1.0) <= SURE_OF_ROUNDS
    yield Line("a weakest place is named", named / runs, 0.05)
    yield Line("rounds are said to differ", differing / runs, 0.02)


def place_tests(means: Array) -> Iterator[float]:
    """The p-values of all tracks and categories of a figure. means: of the queries."""
    places = np.arange(len(means))
    for groups in (TRACKS, CATEGORIES):
        for group in range(groups):
            own = Counter(map(float, means[places % groups == group]))
            others = Counter(map(float, means[places % groups != group]))
            p = lower_by_chance(sample_of(own), sample_of(others), length=TOP)
            if p is not None:
                yield p


def slice_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Columns whose values are shuffled: of the questions, or of every item."""
    large = min(runs, _LARGE_SETS)
    for n, rounds, is_of_items, sets in (
        (82, 3, False, runs),
        (82, 3, True, runs),
        (40, 1, False, runs),
        (2_050, 1, False, large),
    ):
        named = 0
        for _ in range(sets):
            shares = points(rates(n, random), rounds, random) / TOP
            shape = (n, rounds if is_of_items else 1)
            columns = [np.broadcast_to(random.integers(values, size=shape), (n, rounds)) for values in (2, 4, 8)]
            of = np.repeat(np.arange(n), rounds).tolist()
            named += bool(weak_cells(of, shares.ravel().tolist(), [column.ravel().tolist() for column in columns]))
        what = "items" if is_of_items else "questions"
        yield Line(f"shuffled columns of {what} name a slice, {n} x {rounds}", named / sets, 0.065)


def ranking_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Rankings of runs of one agent, of which no pair differs."""
    for agents, n, rounds in ((3, 82, 3), (5, 82, 3), (10, 25, 2)):
        wrong = 0
        for _ in range(runs):
            rate = rates(n, random)
            means = [points(rate, rounds, random).mean(axis=1) for _ in range(agents)]
            pairs = {(a, b): list(map(float, means[b] - means[a])) for b in range(agents) for a in range(b)}
            wrong += any(pair.is_found for pair in leaderboard(pairs, agents, length=TOP).pairs)
        yield Line(f"a false pair of a ranking, {agents} runs of {n} x {rounds}", wrong / runs, 0.05)


def grading_lines(runs: int, random: np.random.Generator) -> Iterator[Line]:
    """Runs of one agent with grades for a quarter of its answers, and of one that falls by 30 points."""
    for n, rounds in ((50, 2), (100, 3)):
        unlike = fell = 0
        for _ in range(runs):
            rate = rates(n, random)
            sides = [run_of(rate, rounds, name, random, graded_share=0.25) for name in ("a", "b")]
            unlike += not compare_runs(*sides).is_like_with_like
            sides = [run_of(one, rounds, "a", random, graded_share=0.9) for one in (rate, np.maximum(rate - 0.3, 0.0))]
            fell += compare_runs(*sides).is_like_with_like
        items = n * rounds
        yield Line(f"graded in part is not comparable, {items} items", unlike / runs, 0.02)
        yield Line(f"fell by 30 points and is comparable, {items} items", fell / runs, 0.98, is_least=True)


Part = Callable[[int, np.random.Generator], Iterator[Line]]
PARTS: tuple[Part, ...] = (
    change_lines,
    margin_lines,
    noise_lines,
    place_lines,
    grading_lines,
    ranking_lines,
    slice_lines,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module. 1 when a figure is on the wrong side of its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=27)
    options = parser.parse_args(arguments)
    missed = 0
    for at, part in enumerate(PARTS):
        for line in part(options.runs, np.random.default_rng([options.seed, at])):
            missed += line.is_missed
            sign = ">=" if line.is_least else "<="
            print(f"{line.what:60}{line.found:8.3f}  {sign} {line.limit}{' *' if line.is_missed else ''}", flush=True)
    print(f"missed: {missed}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
