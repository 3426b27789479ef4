"""A file without a usable row names each cause once, with the number of its rows."""

import pytest

from reporting.wording import describe, describe_finding
from scoring.findings import group_problems
from scoring.items.spool.part_file import Part
from tests.scoring.files import csv_text, row, score_bytes


def score(rows: list[list[str]]) -> Part:
    return score_bytes(csv_text(rows).encode(), "resume_agent_x.csv")


def causes(part: Part) -> list[tuple[str, int | None, int]]:
    return [(problem.code, problem.row, problem.times) for problem in part.problems]


SHORT, SHORTER, LONG = row()[:-1], row()[:-2], [*row(), "x"]
NO_ID, NO_ROUND = row(Query_ID=""), row(방_반복="")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([SHORT] * 3, [("cell-count", 2, 3)]),
        ([SHORT] * 300, [("cell-count", 2, 300)]),
        ([SHORT] * 100, [("cell-count", 2, 100)]),
        ([SHORT, LONG, SHORT], [("cell-count", 2, 2), ("cell-count", 3, 1)]),
        ([SHORT, SHORTER] * 60, [("cell-count", 2, 120)]),
        ([NO_ID] * 150, [("no-query-id", 2, 150)]),
        ([NO_ROUND] * 20 + [NO_ID] * 90, [("no-round", 2, 20), ("no-query-id", 22, 90)]),
        ([SHORT] * 99 + [NO_ID] * 2, [("cell-count", 2, 99), ("no-query-id", 101, 2)]),
        ([NO_ROUND] * 120 + [LONG], [("no-round", 2, 120), ("cell-count", 122, 1)]),
        ([SHORT], [("cell-count", 2, 1)]),
    ],
    ids=[
        "few",
        "many",
        "limit",
        "two kinds",
        "two kinds of many",
        "ids",
        "two causes",
        "at the end",
        "after the limit",
        "one",
    ],
)
def test_cause_is_told_once_with_its_number(rows: list[list[str]], expected: list[tuple[str, int | None, int]]) -> None:
    part = score(rows)
    assert causes(part) == [("no-usable-rows", None, 1), *expected]
    assert part.problems[0].values == {"rows": str(len(rows))}


def test_number_of_rows_is_in_the_texts() -> None:
    part = score([SHORT] * 300)
    assert "The same in 299 more places." in describe(part.problems[1], "en")
    (finding,) = [one for one in group_problems(part.problems) if one.code == "cell-count"]
    assert finding.count == 300
    assert "from the header: 300. Where: row 2" in describe_finding(finding, "en")
    assert "299 more" in describe_finding(finding, "en")
