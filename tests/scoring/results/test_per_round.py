"""Pairs of rounds one by one, and items per track against what the document declares."""

import pytest
from msgspec.structs import replace

from config import profile_named, shipped_rubrics
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import Rubric, Track
from tests.inner import consistency_blocks
from tests.scoring.files import csv_text, resume_rubric, row, score_bytes
from texts import texts

PASS, FAIL = "", "HTTP 500"


def scored(*rounds: str, rubric: Rubric | None = None) -> SetResult:
    """A set of rounds; each is a text of a letter per query: p passes, f fails, - is missing."""
    rows = [
        row(Query_ID=f"Q-{query}", 방_반복=f"{number}/1", 오류=PASS if letter == "p" else FAIL)
        for number, letters in enumerate(rounds, start=1)
        for query, letter in enumerate(letters)
        if letter != "-"
    ]
    rubric = rubric or resume_rubric()
    return merge([("a.csv", score_bytes(csv_text(rows).encode(), rubric=rubric))], rubric)


def pairs(result: SetResult) -> list[tuple[str, str, int, int, int]]:
    return [
        (one.first.label, one.second.label, one.pairs.both_pass, one.pairs.both_fail, one.pairs.mismatch)
        for one in result.round_pairs
    ]


def test_three_rounds_are_compared_two_by_two_and_add_up_to_the_pooled_pairs() -> None:
    result = scored("ppf-", "pffp", "ppfp")
    assert pairs(result) == [("1/1", "2/1", 1, 1, 1), ("1/1", "3/1", 2, 1, 0), ("2/1", "3/1", 2, 1, 1)]
    pooled = result.groups[0].pairs
    assert (pooled.both_pass, pooled.both_fail, pooled.mismatch) == (5, 3, 2)


@pytest.mark.parametrize(("rounds", "n"), [(1, 0), (2, 0), (3, 3), (6, 15), (7, 0)])
def test_pairs_are_listed_of_three_to_six_rounds(rounds: int, n: int) -> None:
    result = scored(*["p"] * rounds)
    assert len(result.round_pairs) == n


def test_the_report_shows_each_pair_in_the_table_of_consistency() -> None:
    (block,) = consistency_blocks(scored("ppf-", "pffp", "ppfp"), texts())
    assert block.table is not None
    assert [row[0] for row in block.table.rows] == [
        "Track 1",
        "1회차 · 2회차",
        "1회차 · 3회차",
        "2회차 · 3회차",
        "전체",
    ]
    assert block.table.rows[1][1:] == ("3 (적음)", "3", "1", "1", "1", "3.33")
    assert block.table.rows[2][-1] == "5.00"


def test_profiles_that_compare_labels_have_no_pairs() -> None:
    assert scored("pp", "pp", "pp", rubric=profile_named("h-recruit", shipped_rubrics())).round_pairs == ()


def counts(*tracks: Track) -> list[tuple[int, str]]:
    """Findings of a set with 3 and 2 items of Track 1 in its two rounds."""
    result = scored("ppp", "pf-", rubric=replace(resume_rubric(), tracks=tracks))
    found = [finding for finding in result.findings if finding.code == "track-counts"]
    return [(finding.count, ", ".join(place.found for place in finding.places)) for finding in found]


def test_rounds_with_another_number_of_items_than_declared_are_named() -> None:
    assert counts(Track(number=1, items=3)) == [(1, "2/1 Track 1: 2 / 3")]
    assert counts(Track(number=1), Track(number=2, items=0)) == []
    assert counts(Track(number=3, items=1)) == [(2, "1/1 Track 3: 0 / 1, 2/1 Track 3: 0 / 1")]
