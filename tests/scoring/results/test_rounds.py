"""Consistency where a query has several items in a round (docs/scoring.md#attempts)."""

import pytest

from scoring.problems import Problem
from scoring.results.merging import merge
from scoring.results.model import SetResult
from tests.scoring.files import HEADER, csv_text, payload, resume_rubric, row, score_bytes, score_rows
from tests.scoring.judged_sets import H


def set_of(*rows: list[str]) -> SetResult:
    return merge([("a.csv", score_rows(*rows))], resume_rubric())


def places(result: SetResult, code: str) -> tuple[Problem, ...]:
    return next((finding.places for finding in result.findings if finding.code == code), ())


def attempts(first: str, second: str) -> SetResult:
    """One query; a letter for each item of the two rounds: p passes, f fails."""
    return set_of(
        *[
            row(방_반복=label, 오류="" if one == "p" else "x")
            for label, of in (("1/1", first), ("2/1", second))
            for one in of
        ]
    )


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        pytest.param("p", "p", (1, 0, 0), id="one-each-pass"),
        pytest.param("f", "f", (0, 1, 0), id="one-each-fail"),
        pytest.param("pp", "ppp", (1, 0, 0), id="every-item-of-both-passes"),
        pytest.param("ff", "f", (0, 1, 0), id="none-passes"),
        pytest.param("fp", "p", (0, 0, 1), id="retried-until-it-passed"),
        pytest.param("pf", "f", (0, 0, 1), id="last-attempts-agree"),
        pytest.param("fp", "fp", (0, 0, 1), id="both-differ-within"),
        pytest.param("pp", "ff", (0, 0, 1), id="rounds-differ"),
    ],
)
def test_a_pair_of_rounds_agrees_when_all_items_do(first: str, second: str, pairs: tuple[int, int, int]) -> None:
    everything = attempts(first, second).groups[0].pairs
    assert (everything.both_pass, everything.both_fail, everything.mismatch) == pairs
    assert (everything.queries, everything.score) == (1, 5.0 if pairs[2] == 0 else 0.0)


def test_all_attempts_count_in_means() -> None:
    everything = set_of(row(오류="x"), row(), row(방_반복="2/1")).groups[0]
    intent = everything.metrics["intent"]
    assert [(mean.value, mean.n) for mean in (*intent.rounds, intent.set)] == [(2.5, 2), (5, 1), (3.75, 3)]


def test_attempts_are_counted_by_query_and_the_last_is_named() -> None:
    result = set_of(row(), row(), row(방_반복="2/1"), row(방_반복="2/1"), row(Query_ID="Q-2"), row(Query_ID="Q-3"))
    (finding,) = [one for one in result.findings if one.code == "attempts"]
    assert finding.count == 1
    (place,) = finding.places
    assert (place.source, place.row, place.found) == ("a.csv", 2, "Q-1")
    assert place.values == {"items": "2", "round": "1/1"}
    assert places(set_of(row(), row(Query_ID="Q-2"), row(방_반복="2/1")), "attempts") == ()


def test_a_query_whose_attempts_differ_shows_the_worst_and_is_listed() -> None:
    from scoring.results.insights import find_insights

    result = attempts("fp", "fp")
    (query,) = result.queries
    assert (query.statuses, query.differs) == (("error", "error"), True)
    assert find_insights(result).disagreeing == (query,)


def test_a_track_takes_the_attempts_that_are_in_it() -> None:
    result = set_of(row(), row(Track="Track 3", 오류="x"), row(방_반복="2/1"))
    by_key = {group.key: group.pairs for group in result.groups}
    assert (by_key["all"].mismatch, by_key["all"].compared) == (1, 1)
    assert (by_key["1"].both_pass, by_key["1"].compared) == (1, 1)
    assert by_key["3"].compared == 0


def test_every_attempt_is_one_of_the_n_whose_labels_are_compared() -> None:
    """Three items: label ADD twice of three, one signature: (2/3 + 1) / 2 x 5."""
    rows = [row(Raw_JSON=payload(message)) for message in ("추가", "추가", "삭제")]
    part = score_bytes(csv_text(rows, header=HEADER).encode(), "h_recruit_x.csv", H)
    (query,) = merge([("a.csv", part)], H).agreements
    assert (query.n, query.labels, query.signatures) == (3, ("ADD / DELETE",), ("EMPTY",))
    assert query.score == pytest.approx((2 / 3 + 1) / 2 * 5, abs=1e-12)


def test_one_query_id_with_two_questions_is_named() -> None:
    result = set_of(
        row(질의="지원자 수  알려줘"),
        row(방_반복="2/1", 질의="지원자 수 알려줘"),
        row(방_반복="3/1", 질의=""),
        row(Query_ID="Q-2"),
    )
    assert places(result, "two-questions") == ()
    result = set_of(row(), row(질의="공고를 닫아줘"), row(질의="또 다른 질의"), row(Query_ID="Q-2"))
    (place,) = places(result, "two-questions")
    assert (place.row, place.found) == (3, "Q-1")
    assert place.values == {"first": "지원자 수 알려줘", "second": "공고를 닫아줘"}


def asked(*questions: str) -> SetResult:
    """A set in which each question stands under an ID of its own."""
    return set_of(*(row(Query_ID=f"Q-{at}", 질의=question) for at, question in enumerate(questions)))


def test_questions_that_stand_under_several_ids_are_named_where_most_do() -> None:
    places_of = [
        (place.row, place.values) for place in places(asked("a", "b", "a", "b", "b", "c"), "question-repeated")
    ]
    assert places_of == [(2, {"ids": "2", "question": "a"}), (3, {"ids": "3", "question": "b"})]


@pytest.mark.parametrize(
    "questions",
    [("a", "b", "c", "d"), ("a", "a", "b", "b", "c", "d", "e", "f"), ("", "", ""), ("Answer this:",) * 4],
    ids=["each once", "only half", "none", "one text above all"],
)
def test_further_ids_of_a_few_questions_or_of_one_text_are_no_repeats(questions: tuple[str, ...]) -> None:
    assert places(asked(*questions), "question-repeated") == ()
