"""Metrics of an export that its document does not name are told, not only shown."""

from config import shipped_rubrics
from scoring.results import merge
from tests.scoring.files import score_bytes

HEADER = "user_input,response,reference,faithfulness,noise_sensitivity,critic,latency,note,empty\n"
ROWS = "q1,a1,r1,0.9,0.25,1,3.5,x,\nq2,a2,r2,0.2,nan,0,0.5,0.5,\n"


def _told(header: str, rows: str) -> list[str]:
    rubric = next(one for one in shipped_rubrics() if one.profile == "ragas")
    part = score_bytes((header + rows).encode(), "ragas_x.csv", rubric)
    result = merge([("ragas_x.csv", part)], rubric)
    found = [one for one in result.findings if one.code == "score-column-unread"]
    assert [one.count for one in found] == [len(one.places) for one in found]
    return [str(place.column) for one in found for place in one.places]


def test_columns_with_only_numbers_from_0_to_1_are_named() -> None:
    assert _told(HEADER, ROWS) == ["noise_sensitivity", "critic"]


def test_nothing_is_told_of_declared_scores_and_other_columns() -> None:
    header = "user_input,response,reference,faithfulness,latency\n"
    assert _told(header, "q1,a1,r1,0.9,3.5\nq2,a2,r2,0.2,0.5\n") == []
