"""What rules can decide before anything is compared: margins, and rules that chance fails."""

from itertools import product

import pytest
from msgspec.structs import replace

from scoring.gate import EveryQuery, NotWorse, chance_to_fail, margin_outlook, parse_rule
from scoring.gate.evaluation import MarginOutlook
from tests.scoring.gate.runs import query_of, run_of

SCALES = {"intent": 5.0, "consistency": 5.0}


def _outlook(rule: str, *rounds: list[float]) -> MarginOutlook:
    """Of a set whose queries have these points of intent in each round; every second one is of track 2, and en."""
    runs = [
        run_of(
            f"round {at}",
            [
                replace(
                    query_of(f"q{number}", "p", track=1 + number % 2, values={"intent": one}),
                    slices={"언어": ("ko", "en")[number % 2]},
                )
                for number, one in enumerate(points)
            ],
        )
        for at, points in enumerate(rounds)
    ]
    parsed = parse_rule(rule, SCALES, ("measure.cost",))
    assert isinstance(parsed, NotWorse)
    return margin_outlook(parsed, runs)


def test_smallest_margin_by_hand() -> None:
    """20 queries, two rounds that differ by 2 points: the variance of a difference is 2 x 1.

    That of 22 values with the unseen ones is (20 x 2 + 2 x 25) / 21.
    t(21) = 2.0796, half the width 2.0796 x sqrt(90 / 21 / 22), and 0.8416 x sqrt(2 / 20) besides.
    """
    found = _outlook("intent not worse than baseline by 1.3", [5.0] * 20, [3.0] * 20)
    assert (found.queries, found.metric, found.is_within_reach) == (20, "intent", True)
    assert found.least is not None
    assert found.least.margin == pytest.approx(0.91793 + 0.26614, abs=1e-4)
    assert not found.least.is_floor
    assert not _outlook("intent not worse than baseline by 1.1", [5.0] * 20, [3.0] * 20).is_within_reach


@pytest.mark.parametrize(
    ("rule", "rounds", "least"),
    [
        pytest.param("intent not worse than baseline by 1", [[5.0] * 20], (0.684, True), id="one-round"),
        pytest.param("intent not worse than baseline by 1", [[5.0] * 20] * 2, (0.684, False), id="no-answer-varies"),
        pytest.param("consistency not worse than baseline by 1", [[5.0] * 20] * 2, (0.684, True), id="of-all-rounds"),
        pytest.param("intent not worse than baseline by 1", [[5.0] * 9], None, id="nine-queries"),
        pytest.param("track 2: intent not worse than baseline by 1", [[5.0] * 19], None, id="nine-of-a-track"),
        pytest.param("track 2: intent not worse than baseline by 1", [[5.0] * 20], (1.355, True), id="ten-of-a-track"),
        pytest.param("track 9: intent not worse than baseline by 1", [[5.0] * 20], None, id="no-such-track"),
        pytest.param("measure.cost not worse than baseline by 1", [[5.0] * 20], None, id="no-scale"),
    ],
)
def test_what_a_set_can_show(rule: str, rounds: list[list[float]], least: tuple[float, bool] | None) -> None:
    found = _outlook(rule, *rounds).least
    assert (found and (round(found.margin, 3), found.is_floor)) == least


def test_a_slice_shows_what_its_queries_show() -> None:
    points = [5.0, 4.0, 3.0] * 10
    of_track, of_slice = [
        _outlook(f"{scope}: intent not worse than baseline by 0.3", points, points[::-1])
        for scope in ("track 2", 'slice 언어 "en"')
    ]
    assert of_slice.queries == 15
    assert (of_slice.queries, of_slice.least) == (of_track.queries, of_track.least)


def test_without_a_name_the_figure_that_needs_most_decides() -> None:
    """The share answered has no value here; its floor is a fifth of that of points."""
    found = _outlook("not worse than baseline by 1", [5.0] * 20, [3.0] * 20)
    assert (found.metric, found.least and found.least.is_floor) == ("intent", False)


@pytest.mark.parametrize(
    ("rule", "queries", "share", "chance"),
    [
        ("2 of 3", 82, 0.95, 0.4494),  # 1 - (0.95**3 + 3 x 0.95**2 x 0.05)**82
        ("1 of 1", 10, 0.9, 1 - 0.9**10),
        ("1 of 2", 1, 0.9, 0.01),
        ("3 of 3", 5, 1.0, 0.0),
        ("3 of 3", 5, 0.0, 1.0),
        ("2 of 3", 0, 0.95, 0.0),
    ],
)
def test_chance_to_fail(rule: str, queries: int, share: float, chance: float) -> None:
    parsed = parse_rule(f"every query passes >= {rule}", SCALES)
    assert isinstance(parsed, EveryQuery)
    assert chance_to_fail(parsed, queries, share) == pytest.approx(chance, abs=5e-5)


def test_chance_to_fail_is_what_all_outcomes_of_a_few_answers_give() -> None:
    parsed = parse_rule("every query passes >= 2 of 3", SCALES)
    assert isinstance(parsed, EveryQuery)
    chance = 0.0
    for outcome in product([True, False], repeat=6):
        passes = sum(outcome)
        if sum(outcome[:3]) < 2 or sum(outcome[3:]) < 2:
            chance += 0.8**passes * 0.2 ** (6 - passes)
    assert chance_to_fail(parsed, 2, 0.8) == pytest.approx(chance)
