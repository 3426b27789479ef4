"""How often the intervals of a report hold the truth: simulated runs of which the truth is known.

    python -m bench.coverage [--runs 20000] [--seed 14]

A run asks some queries in some rounds; the truth is the mean over all queries that could have been asked. An interval
at 95 % ought to hold it in 95 of 100 runs. Beside the product's interval: the Wilson interval that takes the items as
independent.

The formula runs here over all runs at once, in numpy; a part of the runs of every line is computed by the product as
well, and any difference stops the program.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import Rounds, Values, mean_interval
from scoring.statistics.distributions import NORMAL, t_quantile
from scoring.statistics.intervals import wilson

TOP = 5.0
ENOUGH = 0.93
ENOUGH_OF_HARD = 0.92  # where a few queries always fail
ENOUGH_OF_A_ROUND_WITH_ONE_QUERY = 0.90

_CHECKED = 200  # runs of each line that the product computes too
_TOLERANCE = 1e-9
_NO_VARIANCE = 1e-15
_FAILED_POINTS = np.array([0.0, 2.0, 4.0])
_BLOCK_RUNS = 5_000  # against memory

Array = NDArray[np.float64]
Shape = tuple[int, int, int]  # runs, queries, rounds


class Layout(NamedTuple):
    """How many queries are asked in how many rounds. last: queries of the last round, None for all."""

    queries: int
    rounds: int
    last: int | None = None

    @property
    def name(self) -> str:
        """`82 x 3`, `82 x 3, last 20`."""
        return f"{self.queries} x {self.rounds}" + ("" if self.last is None else f", last {self.last}")

    def mask(self) -> Array:
        """1 for every item that there is, by query and round."""
        mask = np.ones((self.queries, self.rounds))
        if self.last is not None:
            mask[self.last :, -1] = 0
        return mask


LAYOUTS = (
    *(Layout(queries, rounds) for queries in (82, 25) for rounds in (1, 2, 3, 5, 10)),
    Layout(8, 3),
    Layout(82, 3, 20),
    Layout(25, 3, 6),
    Layout(82, 3, 1),
    Layout(25, 3, 1),
)


class Model(NamedTuple):
    """Where items come from. truth: the mean over all queries that could be asked. enough: share that is wanted."""

    name: str
    top: float
    truth: float
    draw: Callable[[Shape, np.random.Generator], Array]
    enough: float = ENOUGH


def rates(a: float, b: float) -> Model:
    """A query passes at a rate drawn from Beta(a, b); its items pass or fail at that rate."""

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        return _passes(a, b, shape, random).astype(np.float64)

    return Model(f"rate, Beta({a:g}, {b:g})", 1.0, a / (a + b), draw)


def points(a: float, b: float) -> Model:
    """The same, with 5 points for an item that passes, else 0, 2 or 4."""

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        return np.where(_passes(a, b, shape, random), TOP, random.choice(_FAILED_POINTS, shape))

    truth = (a * TOP + b * float(_FAILED_POINTS.mean())) / (a + b)
    return Model(f"points, Beta({a:g}, {b:g})", TOP, truth, draw)


def steps(a: float, b: float) -> Model:
    """An item gains each of 5 points at the rate of its query."""

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        return random.binomial(5, np.broadcast_to(_rates(a, b, shape, random), shape)).astype(np.float64)

    return Model(f"steps, Beta({a:g}, {b:g})", TOP, TOP * a / (a + b), draw)


def resume() -> Model:
    """Three of four queries are easy (97 %), the others hard (60 %); a failed answer has 0, 2 or 4 points."""

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        rate = np.where(random.random((shape[0], shape[1], 1)) < 0.75, 0.97, 0.60)
        return np.where(random.random(shape) < rate, TOP, random.choice(_FAILED_POINTS, shape))

    share = 0.75 * 0.97 + 0.25 * 0.60
    return Model("like resume-agent", TOP, share * TOP + (1 - share) * float(_FAILED_POINTS.mean()), draw)


def rare() -> Model:
    """Answers of 4 and 5 points, and 0 for one item in fifty."""

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        return np.where(random.random(shape) < 0.02, 0.0, random.choice(np.array([4.0, TOP]), shape))

    return Model("4 and 5, rarely 0", TOP, 0.98 * 4.5, draw)


def jitter() -> Model:
    """One query in ten always has 0 points, the others 4 or 5 by chance.

    The hardest kind that was found: the repeats of a query differ, yet say nothing about whether queries fail.
    """

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        fails = random.random((shape[0], shape[1], 1)) < 0.1
        return np.where(fails, 0.0, random.choice(np.array([4.0, TOP]), shape))

    return Model("one in ten always fails", TOP, 0.9 * 4.5, draw, ENOUGH_OF_HARD)


class Coverage(NamedTuple):
    """Share of runs whose interval holds the truth, by the product's interval and by one over items."""

    ours: float
    over_items: float


MODELS = (
    *(kind(a, b) for kind in (rates, points, steps) for a, b in ((1.8, 0.2), (9.0, 1.0))),
    resume(),
    rare(),
    jitter(),
)


def shares_and_worth(shares: Array, mask: Array) -> tuple[Array, Array]:
    """The shown value of each run, and how many observations it is worth, as the product has them.

    shares: items on a scale from 0 to 1, by run, query and round.
    """
    queries = mask.shape[0]
    weights = mask / mask.sum(axis=0) / mask.shape[1]
    shown = (shares * weights).sum(axis=(1, 2))
    moved = ((shares - shown[:, None, None]) * weights).sum(axis=2)
    variance = (moved**2).sum(axis=1)
    kish = 1 / (weights.sum(axis=1) ** 2).sum()
    n = mask.sum(axis=1)
    means = (shares * mask).sum(axis=2) / n
    spread = (((shares - means[:, :, None]) ** 2) * mask).sum(axis=2) / n
    even = means * (1 - means)
    worth = 1 + np.where(spread > _NO_VARIANCE, (n - 1) * spread / np.where(even > 0, even, 1.0), 0.0)
    cap = worth.sum(axis=1) * kish / queries
    has_spread = variance > _NO_VARIANCE
    factor = (NORMAL / t_quantile(queries - 1)) ** 2
    found = shown * (1 - shown) / np.where(has_spread, variance, 1.0) * factor
    return shown, np.where(has_spread, np.minimum(found, cap), cap)


def intervals(share: Array, n: Array) -> Array:
    """Low and high end of each run, from 0 to 1: the Wilson interval with n observations."""
    square = NORMAL**2
    centre = n * share + square / 2
    half = np.sqrt(square * (n * share * (1 - share) + square / 4))
    ends: Array = np.clip(np.stack([centre - half, centre + half]) / (n + square), 0.0, 1.0)
    return ends


def coverage(model: Model, layout: Layout, runs: int, random: np.random.Generator) -> Coverage:
    """Simulate runs of this size. Raises RuntimeError where the product computes another interval."""
    held = np.zeros(2)
    mask = layout.mask()
    for size in _blocks(runs):
        values = model.draw((size, layout.queries, layout.rounds), random)
        share, n = shares_and_worth(values / model.top, mask)
        items = np.full(size, mask.sum())
        over_items = (values / model.top * mask).sum(axis=(1, 2)) / mask.sum()
        ours, plain = intervals(share, n), intervals(over_items, items)
        check(values[:_CHECKED], mask, model.top, ours[:, :_CHECKED], plain[:, :_CHECKED])
        held += [_held(ours, model.truth / model.top), _held(plain, model.truth / model.top)]
    return Coverage(*(held / runs))


def check(values: Array, mask: Array, top: float, ours: Array, over_items: Array) -> None:
    """Compute the same intervals with the product. Raises RuntimeError at the first that differs."""
    weights = mask / mask.sum(axis=0) / mask.shape[1]
    for at, run in enumerate(values):
        queries: defaultdict[Rounds, dict[Values, int]] = defaultdict(dict)
        for items, present in zip(run, mask, strict=True):
            rounds = tuple(int(place) for place in np.flatnonzero(present))
            found = tuple(float(items[place]) for place in rounds)
            queries[rounds][found] = queries[rounds].get(found, 0) + 1
        right = mean_interval(float((run * weights).sum()), queries, top=top)
        plain = wilson(float((run * mask).sum() / mask.sum() / top), float(mask.sum()))
        if right is None or abs(np.array(right) / top - ours[:, at]).max() > _TOLERANCE:
            raise RuntimeError(f"{run.tolist()}: {right} by the product, {ours[:, at] * top} here")
        if abs(np.array(plain) - over_items[:, at]).max() > _TOLERANCE:
            raise RuntimeError(f"{run.tolist()}: {plain} by the product, {over_items[:, at]} here, over items")


def wanted(model: Model, layout: Layout) -> float:
    """The share of runs whose interval has to hold the truth."""
    return ENOUGH_OF_A_ROUND_WITH_ONE_QUERY if layout.last == 1 else model.enough


def table(runs: int, seed: int) -> Iterator[tuple[Model, Layout, Coverage]]:
    """All lines, each from random numbers of its own."""
    for row, model in enumerate(MODELS):
        for column, layout in enumerate(LAYOUTS):
            random = np.random.default_rng([seed, row, column])
            yield model, layout, coverage(model, layout, runs, random)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module. 1 when an interval covers less than is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=14)
    options = parser.parse_args(arguments)
    print(f"{'model':26}{'queries x rounds':>18}{'ours':>8}{'wanted':>8}{'items':>8}")
    missed = 0
    for model, layout, found in table(options.runs, options.seed):
        least = wanted(model, layout)
        is_missed = found.ours < least
        missed += is_missed
        sign = " *" if is_missed else ""
        print(f"{model.name:26}{layout.name:>18}{found.ours:8.3f}{least:8.2f}{found.over_items:8.3f}{sign}")
    print(f"missed: {missed}")
    return int(missed > 0)


def _rates(a: float, b: float, shape: Shape, random: np.random.Generator) -> Array:
    return random.beta(a, b, (shape[0], shape[1], 1))


def _passes(a: float, b: float, shape: Shape, random: np.random.Generator) -> NDArray[np.bool_]:
    return random.random(shape) < _rates(a, b, shape, random)


def _blocks(runs: int) -> Iterator[int]:
    for begin in range(0, runs, _BLOCK_RUNS):
        yield min(_BLOCK_RUNS, runs - begin)


def _held(found: Array, truth: float) -> int:
    low, high = found
    return int(((low <= truth) & (truth <= high)).sum())


if __name__ == "__main__":
    sys.exit(main())
