"""How a measurement is printed: the median of several pairs with their range, beside the floor and the target.

Absolute times drift with the machine. A measurement therefore alternates with something that stays as it is, and where
there is such a floor its target is a ratio.
"""

from collections.abc import Callable, Sequence
from math import log
from statistics import median
from typing import NamedTuple, TypeVar

TIMES = 7  # pairs
TITLES = ("what", "median (range)", "floor of the same run", "target")

R = TypeVar("R")


class Target(NamedTuple):
    """A limit in the unit of the figure. is_least: the figure may not be below it, else not above."""

    limit: float
    is_least: bool = False

    def is_met(self, value: float) -> bool:
        """Does a figure keep it?"""
        return value >= self.limit if self.is_least else value <= self.limit


class Figure(NamedTuple):
    """One line of a table. values: one per pair, the figure is their median. unit: as it is printed, "x" or " s".

    floor: values of what was measured in between, in `floor_unit`; empty without a floor.
    """

    what: str
    values: Sequence[float]
    unit: str
    target: Target | None = None
    floor: Sequence[float] = ()
    floor_unit: str = " s"
    digits: int = 2

    @property
    def is_missed(self) -> bool:
        """Is there a target that the median does not keep?"""
        return self.target is not None and not self.target.is_met(median(self.values))

    def line(self) -> str:
        """As a line of a Markdown table."""
        target = ""
        if self.target is not None:
            word = "at least" if self.target.is_least else "at most"
            target = f"{word} {self.target.limit:g}{self.unit}{' **missed**' if self.is_missed else ''}"
        floor = spread(self.floor, self.floor_unit, self.digits) if self.floor else ""
        return f"| {self.what} | {spread(self.values, self.unit, self.digits)} | {floor} | {target} |"


def spread(values: Sequence[float], unit: str, digits: int = 2) -> str:
    """Median and range of some values."""
    return f"{median(values):.{digits}f}{unit} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def exponents(sizes: Sequence[int], values: Sequence[float]) -> list[str]:
    """How the values grow from size to size: 1 is in proportion; "" for the first, and where one is not above 0."""
    pairs = zip(zip(sizes, values, strict=True), zip(sizes[1:], values[1:], strict=True), strict=False)
    return ["", *(f"{log(b / a) / log(m / n):.2f}" if min(a, b) > 0 else "" for (n, a), (m, b) in pairs)]


def alternate(first: Callable[[], R], second: Callable[[], R], times: int = TIMES) -> list[tuple[R, R]]:
    """Results of both in pairs, (of the first, of the second); every other pair begins with the second."""
    pairs = []
    for number in range(times):
        if number % 2:
            after = second()
            pairs.append((first(), after))
        else:
            pairs.append((first(), second()))
    return pairs


def print_table(figures: Sequence[Figure]) -> int:
    """Print the figures; 1 when any target is missed, else 0, as an exit code."""
    print(f"| {' | '.join(TITLES)} |\n|---|---:|---:|---|")
    for figure in figures:
        print(figure.line(), flush=True)
    return int(any(figure.is_missed for figure in figures))
