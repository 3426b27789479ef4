"""Slices: what is named, what is not, and that all of it is decided together."""

from random import Random

import pytest

from scoring.statistics.slices import MOST_SHUFFLED, weak_cells
from tests.scoring.steps import steps

EN, KO = 0, 1


def _named(of: list[int], outcomes: list[float], *columns: list[int]) -> list[tuple[tuple[int, int], ...]]:
    return [one.cells for one in weak_cells(of, outcomes, columns)]


def test_a_value_that_has_all_failures_is_named_and_its_twin_of_another_column_too() -> None:
    codes = [at % 3 for at in range(60)]
    outcomes = [float(code != EN) for code in codes]
    assert _named(list(range(60)), outcomes, codes) == [((0, EN),)]
    assert _named(list(range(60)), outcomes, codes, codes) == [((0, EN),), ((1, EN),)]  # their pair adds nothing


def test_nothing_is_better_than_a_value_of_nine_queries() -> None:
    for n, found in ((9, []), (10, [((0, EN),)])):
        codes = [EN] * n + [KO] * 50
        assert _named(list(range(n + 50)), [float(code != EN) for code in codes], codes) == found


def test_a_pair_is_named_where_it_is_worse_than_both_of_its_values() -> None:
    first, second = [at % 2 for at in range(80)], [at // 2 % 2 for at in range(80)]
    outcomes = [float((a, b) != (0, 0)) for a, b in zip(first, second, strict=True)]
    assert _named(list(range(80)), outcomes, first, second)[0] == ((0, 0), (1, 0))


def test_a_column_that_differs_between_the_rounds_of_a_query_is_tested() -> None:
    of = [at // 2 for at in range(60)]
    codes = [(at + at // 2) % 2 for at in range(60)]  # one of the two items of every query, in either round
    assert _named(of, [float(code != EN) for code in codes], codes) == [((0, EN),)]


def test_values_that_are_not_listed_take_no_part() -> None:
    codes = [-1] * 20 + [KO] * 40
    assert _named(list(range(60)), [float(code == KO) for code in codes], codes) == []


@pytest.mark.parametrize("outcomes", [[1.0] * 40, [0.0] * 40])
def test_nothing_is_named_where_all_items_are_alike(outcomes: list[float]) -> None:
    assert _named(list(range(40)), outcomes, [at % 2 for at in range(40)]) == []
    assert weak_cells([], [], [[]]) == []


def test_many_queries_are_tested_by_welch_and_give_what_shuffles_give() -> None:
    random = Random(5)
    for n in (MOST_SHUFFLED, MOST_SHUFFLED + 1):
        codes = [random.randrange(4) for _ in range(n)]
        others = [random.randrange(4) for _ in range(n)]
        outcomes = [float(random.random() < (0.7 if code == EN else 0.9)) for code in codes]
        assert _named(list(range(n)), outcomes, codes, others)[0] == ((0, EN),)
        assert ((1, EN),) not in _named(list(range(n)), outcomes, codes, others)


def test_many_queries_of_a_column_that_differs_within_them() -> None:
    of = [at // 2 for at in range(2 * MOST_SHUFFLED + 2)]
    codes = [(at + at // 2) % 2 for at in range(len(of))]
    outcomes = [1.0 if code == KO else float(query % 3 > 0) for query, code in zip(of, codes, strict=True)]
    assert _named(of, outcomes, codes) == [((0, EN),)]


@pytest.mark.parametrize("draws", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_shuffled_columns_name_a_slice_as_often_as_chance_may(draws: int) -> None:
    random, named = Random(11), 0
    for _ in range(draws):
        rates = [random.choice([0.97, 0.97, 0.6]) for _ in range(40)]
        of = [query for query in range(40) for _ in range(2)]
        outcomes = [float(random.random() < rates[query]) for query in of]
        columns = [[random.randrange(values) for _ in range(40)] for values in (2, 3)]
        named += bool(_named(of, outcomes, *([codes[query] for query in of] for codes in columns)))
    assert 0 < named / draws <= 0.09  # 5 % is nominal; three standard errors of 200 draws are 4.6 %


def test_the_same_values_give_the_same_slices_in_few_steps() -> None:
    random = Random(3)
    columns = [[random.randrange(8) for _ in range(MOST_SHUFFLED)] for _ in range(3)]
    outcomes = [float(random.random() < 0.9) for _ in range(MOST_SHUFFLED)]
    found = []
    taken = steps(lambda: found.append(weak_cells(list(range(MOST_SHUFFLED)), outcomes, columns)))
    assert taken < 60 * MOST_SHUFFLED  # no query is looked at once a shuffle
    assert found == [weak_cells(list(range(MOST_SHUFFLED)), outcomes, columns)]
