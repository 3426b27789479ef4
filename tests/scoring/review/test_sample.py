"""Which rows go out: random questions first with all their rounds, then those that look odd; the same for everybody."""

from collections import Counter

import pytest

from scoring.review import Candidate, Sample, choose_sample, rows_for


def _candidates(queries: int, rounds: int = 3, *, odd: int = 10) -> list[Candidate]:
    return [
        Candidate(at * rounds + number, f"Q{at}", int(at < odd) * (number + 1))
        for at in range(queries)
        for number in range(rounds)
    ]


@pytest.mark.parametrize(("n", "random"), [(60, 15), (120, 20), (300, 50), (45, 15), (30, 10), (0, 82)])
def test_numbers_of_random_questions(n: int, random: int) -> None:
    """At least 15, then up to half of the rows; as many as fit where there is room for fewer."""
    candidates = _candidates(82)
    chosen = choose_sample(candidates, n=n, seed="s")
    of_query = {one.at: one.query_id for one in candidates}
    drawn = Counter(of_query[at] for at, sample in chosen if sample is Sample.RANDOM)
    assert len(drawn) == random
    assert set(drawn.values()) == {3}
    assert len(chosen) <= (n or 246)
    assert len({at for at, _ in chosen}) == len(chosen)


def test_the_rest_is_what_looks_most_odd() -> None:
    candidates = _candidates(82, odd=40)
    chosen = dict(choose_sample(candidates, n=60, seed="s"))
    flagged = [one.concern for one in candidates if chosen.get(one.at) is Sample.FLAGGED]
    left = [one.concern for one in candidates if one.at not in chosen]
    assert len(flagged) == 15
    assert min(flagged) >= max(left)


def test_nothing_is_flagged_that_does_not_look_odd() -> None:
    chosen = choose_sample(_candidates(82, odd=0), n=60, seed="s")
    assert {sample for _, sample in chosen} == {Sample.RANDOM}


def test_the_same_inputs_give_the_same_rows_and_others_do_not() -> None:
    candidates = _candidates(82)
    assert choose_sample(candidates, n=60, seed="s") == choose_sample(list(reversed(candidates)), n=60, seed="s")
    assert choose_sample(candidates, n=60, seed="s") != choose_sample(candidates, n=60, seed="t")


@pytest.mark.parametrize(("queries", "rows"), [(15, 45), (30, 180), (82, 492), (83, 0)])
def test_rows_that_so_many_random_questions_take(queries: int, rows: int) -> None:
    """3 rounds each; from 15 questions on they are half of the rows. 82 is all there are."""
    candidates = _candidates(82)
    assert rows_for(queries, candidates, seed="s") == rows
    for n, drawn in ((rows, queries), (rows - 1, queries - 1)) if rows else ():
        chosen = choose_sample(candidates, n=n, seed="s")
        assert len({at // 3 for at, sample in chosen if sample is Sample.RANDOM}) == drawn
    assert rows_for(queries, [], seed="s") == 0


def test_rows_of_a_last_round_that_is_not_whole() -> None:
    """As many as those very questions have."""
    candidates = [one for one in _candidates(40) if one.at % 3 != 2 or one.at % 4]
    n = rows_for(15, candidates, seed="s")
    assert 30 < n < 45
    assert len(choose_sample(candidates, n=n, seed="s")) == n


def test_no_items() -> None:
    assert choose_sample([], n=60, seed="s") == []
