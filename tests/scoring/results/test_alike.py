"""Query IDs that programs wrote in two ways are one query, where no round has both."""

import pytest

from scoring.findings import Finding
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.text import folded_ids
from tests.scoring.files import resume_rubric, row, score_rows


def joined(*files: list[tuple[str, str]]) -> SetResult:
    """The set of files with these Query IDs and rounds."""
    parts = [
        (f"{number}.csv", score_rows(*(row(Query_ID=query, 방_반복=label) for query, label in rows)))
        for number, rows in enumerate(files)
    ]
    return merge(parts, resume_rubric())


def alike(result: SetResult) -> list[Finding]:
    return [finding for finding in result.findings if finding.code.startswith("ids-alike")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1", "1.0"),
        ("1.0", "1"),
        ("12", "12.00"),
        ("001", "1"),
        ("0", "00.0"),
        ("Q-01", "q-01"),
        ("q-01", "Q-01"),
        ("STRASSE", "straße"),
        ("Q-01", "Q–01"),
        ("Q-01", "Q−01"),
        ("Q‑01", "Q-01"),
        ("Q-01", "'Q-01"),
        ("1", "'1.0"),
        ("Q-01", '="Q-01"'),
        ("Q-01", "Q- 01"),
        ("Q 01", "Q\u00a001"),
        ("Q 01", "Q01"),
        ("Q-01", "Ｑ－０１"),
        ("가'나", "가’나"),
        ('가"나"', "가“나”"),
        ("가\n나", "가 나"),
    ],
)
def test_ids_of_two_rounds_that_look_alike_are_one_query(first: str, second: str) -> None:
    result = joined([(first, "1/1"), ("other", "1/1"), (second, "2/1")])
    assert {item.query_id for item in result.items} == {first, "other"}
    (finding,) = alike(result)
    assert (finding.code, finding.count, finding.severity) == ("ids-alike", 1, "note")
    (place,) = finding.places
    assert (place.source, place.row, place.found) == ("0.csv", 4, second)
    assert place.values == {"first": first, "others": second}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1.1", "1.10"),
        ("Q1", "Q1.0"),
        ("Q-1", "Q-01"),
        ("1", "10"),
        ("1", "1.01"),
        ("Q-01", "Q_01"),
        ('5"', "5"),
        ("가", "나"),
        ("1", "-1"),
    ],
)
def test_other_ids_are_different_queries(first: str, second: str) -> None:
    result = joined([(first, "1/1"), (second, "2/1")])
    assert {item.query_id for item in result.items} == {first, second}
    assert alike(result) == []


def test_the_form_of_the_first_round_is_shown_whatever_the_order_of_files_and_rows() -> None:
    result = joined([("q-1", "2/1"), ("Q-1", "3/1")], [("Ｑ-1", "1/1")])
    assert [item.query_id for item in result.items] == ["Ｑ-1"] * 3
    (place,) = alike(result)[0].places
    assert place.values == {"first": "Ｑ-1", "others": "q-1, Q-1"}


def test_forms_that_stand_in_one_round_are_different_queries_and_an_error() -> None:
    result = joined([("Q-1", "1/1"), ("q-1", "1/1"), ("Q-1", "2/1"), ("2", "1/1"), ("2.0", "2/1")])
    assert [item.query_id for item in result.items] == ["Q-1", "q-1", "Q-1", "2", "2"]
    assert [(finding.code, finding.count, finding.severity) for finding in alike(result)] == [
        ("ids-alike-apart", 1, "error"),
        ("ids-alike", 1, "note"),
    ]
    assert result.has_errors


def test_three_forms_of_which_two_stand_in_one_round_stay_apart() -> None:
    result = joined([("1", "1/1"), ("1.0", "1/1")], [("01", "2/1")])
    assert {item.query_id for item in result.items} == {"1", "1.0", "01"}
    assert [finding.code for finding in alike(result)] == ["ids-alike-apart"]


def test_two_ids_of_one_query_are_compared_between_rounds() -> None:
    """One query, answered in round 1 and failed in round 2: of one pair none agrees."""
    part = score_rows(row(Query_ID="1"), row(Query_ID="1.0", 방_반복="2/1", 오류="HTTP 500"))
    result = merge([("a.csv", part)], resume_rubric())
    assert [(query.query_id, query.statuses) for query in result.queries] == [("1", ("ok", "error"))]


def test_a_long_id_is_folded_in_time() -> None:
    ids = ["0" * 100_000 + "x", "'" * 100_000, '="' * 50_000, "1" + ".0" * 50_000]
    assert len(folded_ids(ids)) == len(ids)
