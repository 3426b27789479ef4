"""How often the intervals of a report hold the truth: simulated runs of which the truth is known.

    python -m bench.coverage [--runs 20000] [--seed 14]

A run asks some queries in some rounds; the truth is the mean over all queries that could have been asked. An interval
at 95 % ought to hold it in 95 of 100 runs. Beside the product's interval: the Wilson interval that takes the items as
independent.

The formula runs here over all runs at once, in numpy; a part of the runs of every line is computed by the product as
well, and any difference stops the program.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import mean_interval
from scoring.statistics.intervals import wilson

QUERIES = (4, 12, 25, 82)
ROUNDS = (2, 3, 5)
TOP = 5.0
ENOUGH = 0.93

_CHECKED = 200  # runs of each line that the product computes too
_TOLERANCE = 1e-9
_FAILED_POINTS = np.array([0.0, 2.0, 4.0])
_BLOCK_RUNS = 5_000  # against memory

Array = NDArray[np.float64]
Shape = tuple[int, int, int]  # runs, queries, rounds


class Model(NamedTuple):
    """Where items come from. truth: the mean over all queries that could be asked. judged: has to cover ENOUGH."""

    name: str
    top: float
    truth: float
    draw: Callable[[Shape, np.random.Generator], Array]
    judged: bool = True


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


def jitter() -> Model:
    """One query in ten always has 0 points, the others 4 or 5 by chance.

    The hardest kind that was found: the repeats of a query differ, yet say nothing about whether queries fail.
    """

    def draw(shape: Shape, random: np.random.Generator) -> Array:
        fails = random.random((shape[0], shape[1], 1)) < 0.1
        return np.where(fails, 0.0, random.choice(np.array([4.0, TOP]), shape))

    return Model("jitter", TOP, 0.9 * 4.5, draw, judged=False)


class Coverage(NamedTuple):
    """Share of runs whose interval holds the truth, by the product's interval and by one over items."""

    ours: float
    over_items: float


MODELS = (
    *(kind(a, b) for kind in (rates, points, steps) for a, b in ((1.8, 0.2), (9.0, 1.0))),
    jitter(),
)


def effective_n(values: Array, top: float) -> Array:
    """`scoring.statistics.intervals.effective_n` of each run."""
    means = values.mean(axis=2)
    value, variance = means.mean(axis=1), means.var(axis=1)
    equal = values.min(axis=2) == values.max(axis=2)
    cap = np.where(equal, 1, values.shape[2]).sum(axis=1).astype(np.float64)
    spread = variance > (top * 1e-12) ** 2
    worth = value * (top - value) * values.shape[1] / np.where(spread, variance, 1.0)
    n: Array = np.where(spread, np.minimum(worth, cap), cap)
    return n


def intervals(values: Array, top: float, n: Array) -> Array:
    """Low and high end of each run: the Wilson interval with n observations."""
    share = values.mean(axis=2).mean(axis=1) / top
    square = 1.959963984540054**2
    centre = n * share + square / 2
    half = np.sqrt(square * (n * share * (1 - share) + square / 4))
    ends: Array = np.clip(np.stack([centre - half, centre + half]) / (n + square), 0.0, 1.0) * top
    return ends


def coverage(model: Model, queries: int, rounds: int, runs: int, random: np.random.Generator) -> Coverage:
    """Simulate runs of this size. Raises RuntimeError where the product computes another interval."""
    held = np.zeros(2)
    for size in _blocks(runs):
        values = model.draw((size, queries, rounds), random)
        ours = intervals(values, model.top, effective_n(values, model.top))
        over_items = intervals(values, model.top, np.full(size, float(queries * rounds)))
        check(values[:_CHECKED], model.top, ours[:, :_CHECKED], over_items[:, :_CHECKED])
        held += [_held(ours, model.truth), _held(over_items, model.truth)]
    return Coverage(*(held / runs))


def check(values: Array, top: float, ours: Array, over_items: Array) -> None:
    """Compute the same intervals with the product. Raises RuntimeError at the first that differs."""
    for at, run in enumerate(values):
        share = float(run.mean(axis=1).mean()) / top
        right = mean_interval(share * top, [tuple(map(float, query)) for query in run], top=top)
        plain = wilson(share, run.size)
        if right is None or abs(np.array(right) - ours[:, at]).max() > _TOLERANCE:
            raise RuntimeError(f"{run.tolist()}: {right} by the product, {ours[:, at]} here")
        if abs(np.array(plain) * top - over_items[:, at]).max() > _TOLERANCE:
            raise RuntimeError(f"{run.tolist()}: {plain} by the product, {over_items[:, at]} here, over items")


def table(runs: int, seed: int) -> Iterator[tuple[Model, int, int, Coverage]]:
    """All lines, each from random numbers of its own."""
    for row, model in enumerate(MODELS):
        for queries in QUERIES:
            for rounds in ROUNDS:
                random = np.random.default_rng([seed, row, queries, rounds])
                yield model, queries, rounds, coverage(model, queries, rounds, runs, random)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module. 1 when an interval covers less than ENOUGH."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=14)
    options = parser.parse_args(arguments)
    print(f"{'model':24}{'queries':>8}{'rounds':>8}{'ours':>8}{'items':>8}")
    lowest = 1.0
    for model, queries, rounds, found in table(options.runs, options.seed):
        print(f"{model.name:24}{queries:8}{rounds:8}{found.ours:8.3f}{found.over_items:8.3f}")
        if model.judged:
            lowest = min(lowest, found.ours)
    print(f"lowest, without jitter: {lowest:.3f}; wanted: {ENOUGH}")
    return int(lowest < ENOUGH)


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
