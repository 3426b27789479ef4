"""Pairs alternate, and a figure is printed beside its target."""

import pytest

from bench.targets import Figure, Target, alternate, print_table


def test_every_other_pair_begins_with_the_second() -> None:
    order: list[str] = []

    def note(name: str) -> str:
        order.append(name)
        return name

    assert alternate(lambda: note("a"), lambda: note("b"), 3) == [("a", "b")] * 3
    assert order == ["a", "b", "b", "a", "a", "b"]


def test_a_figure_is_the_median_of_its_values_with_their_range() -> None:
    line = Figure("score", [2.0, 1.5, 9.0], "x", Target(1.9), [3.0, 1.0], digits=1).line()
    assert line == "| score | 2.0x (1.5–9.0) | 2.0 s (1.0–3.0) | at most 1.9x **missed** |"
    assert Figure("sets", [2.0], " s").line() == "| sets | 2.00 s (2.00–2.00) |  |  |"


@pytest.mark.parametrize(
    ("target", "value", "is_missed"),
    [
        (Target(1.9), 1.9, False),
        (Target(1.9), 1.91, True),
        (Target(25, is_least=True), 25, False),
        (Target(25, is_least=True), 24.9, True),
    ],
)
def test_a_missed_target_is_the_exit_code(target: Target, value: float, *, is_missed: bool) -> None:
    assert print_table([Figure("one", [1.0], " s"), Figure("other", [value], " s", target)]) == int(is_missed)
