"""Repeated rows of one file (docs/scoring.md#item-identity)."""

import io

import pytest
from openpyxl import Workbook

from scoring.items.file_scorer import score_file
from scoring.items.spool.part_file import Part
from scoring.problems import MAX_LISTED_PROBLEMS, Problem, Severity
from tests.scoring.files import HEADER, counted, csv_text, payload, resume_rubric, row, score_bytes, score_rows


def places(part: Part, code: str) -> tuple[Problem, ...]:
    return next((finding.places for finding in part.findings if finding.code == code), ())


def test_rows_equal_in_every_cell_are_counted() -> None:
    part = score_rows(row(Item_ID="i"), row(Item_ID="j", Query_ID="Q-2"), row(Item_ID="i"), row(Item_ID="i"))
    assert [item.row for item in part.items] == [3, 5]
    assert (part.rows, part.duplicates) == (4, 2)
    (finding,) = part.findings
    assert (finding.code, finding.count, finding.severity) == ("rows-equal", 2, Severity.NOTE)
    assert [(place.row, place.values) for place in finding.places] == [
        (2, {"kept": "5", "query": "Q-1"}),
        (4, {"kept": "5", "query": "Q-1"}),
    ]


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        pytest.param({"오류": "x"}, "오류", id="error"),
        pytest.param({"응답": "a", "LLM_점수": "3"}, "응답, LLM 점수", id="two-columns"),
        pytest.param({"Raw_JSON": payload(unread=1)}, "Raw JSON", id="unread-field-of-the-payload"),
        pytest.param({"기대결과": " "}, "기대결과", id="white-space"),
        pytest.param({"응답": "가" * 5000}, "응답", id="long-cell"),
    ],
)
def test_rows_that_differ_are_named_with_both_rows_and_columns(cells: dict[str, str], columns: str) -> None:
    part = score_rows(row(Item_ID="i", **cells), row(Item_ID="i"))
    assert [item.row for item in part.items] == [3]
    (finding,) = part.findings
    assert (finding.code, finding.count, finding.severity) == ("rows-differ", 1, Severity.ERROR)
    (place,) = finding.places
    assert (place.row, place.found, place.values) == (2, columns, {"kept": "3", "query": "Q-1"})


def test_one_item_id_of_several_queries_is_several_items() -> None:
    part = score_rows(*[row(Run_ID="", Item_ID="1", Query_ID=f"Q-{number}") for number in range(3)])
    assert (len(part.items), part.duplicates, part.findings) == (3, 0, ())


def test_only_the_text_of_a_long_cell_after_the_cut_differs() -> None:
    long = "가" * 5000
    part = score_rows(row(Item_ID="i", 응답=f"{long}a"), row(Item_ID="i", 응답=f"{long}b"))
    assert [place.found for place in places(part, "rows-differ")] == ["응답"]


def test_cp949_and_workbooks_are_looked_at_again_too() -> None:
    rows = [row(Item_ID="i", 오류="시간 초과"), row(Item_ID="i")]
    part = score_bytes(csv_text(rows).encode("cp949"))
    assert (part.encoding, [place.found for place in places(part, "rows-differ")]) == ("cp949", ["오류"])
    book = Workbook()
    for cells in (HEADER, *rows):
        book.active.append(list(cells))
    stream = io.BytesIO()
    book.save(stream)
    part = score_file(stream, name="resume_agent_x.xlsx", rubric=resume_rubric())
    assert [place.found for place in places(part, "rows-differ")] == ["오류"]
    assert [item.row for item in part.items] == [3]


def test_unusable_and_blank_rows_between_do_not_shift_rows() -> None:
    part = score_rows(row(Item_ID="i", 오류="x"), [""] * len(HEADER), row(Query_ID=""), row(Item_ID="i"))
    assert [(place.row, place.found, place.values["kept"]) for place in places(part, "rows-differ")] == [
        (2, "오류", "5")
    ]
    assert (part.rows, len(part.items), part.duplicates, part.blank_rows, part.unusable_rows) == (4, 1, 1, 1, 1)


def test_what_a_replaced_row_holds_is_not_counted() -> None:
    part = score_rows(
        row(Item_ID="i", Raw_JSON='{"assistant', LLM_점수="8"),
        row(Item_ID="i"),
        row(Item_ID="j", Query_ID="Q-2", Track="#REF!", Raw_JSON=payload(seconds=0)),
        row(Item_ID="j", Query_ID="Q-2", Track="#REF!", Raw_JSON=payload(seconds=0)),
        row(Item_ID="k", Query_ID="Q-3", LLM_점수="8"),
    )
    assert [item.row for item in part.items] == [3, 5, 6]
    assert counted(part) == {
        "rows-differ": 1, "error-cell": 1, "rows-equal": 1, "seconds-zero": 1, "recorded-out-of-range": 1,
    }  # fmt: skip
    assert [place.row for place in places(part, "seconds-zero")] == [5]
    assert [place.row for place in places(part, "recorded-out-of-range")] == [6]
    assert part.counts == {}


def test_places_that_come_after_very_many_replaced_rows_are_named() -> None:
    n = MAX_LISTED_PROBLEMS + 20
    first = [row(Item_ID=f"i{at}", Query_ID=f"Q-{at}", LLM_점수="8") for at in range(n)]
    then = [row(Item_ID=f"i{at}", Query_ID=f"Q-{at}", LLM_점수="9" if at < 3 else "4") for at in range(n)]
    part = score_rows(*first, *then)
    assert counted(part) == {"rows-differ": n, "recorded-out-of-range": 3}
    assert [(place.row, place.found) for place in places(part, "recorded-out-of-range")] == [
        (n + 2 + at, "9") for at in range(3)
    ]


def test_a_round_that_was_read_back_tells_which_row_is_replaced() -> None:
    part = score_rows(row(Item_ID="i", 방_반복="2026-01-01"), row(Item_ID="i"))
    assert (part.duplicates, part.counts, part.restored_rounds) == (1, {"restored-date": 1}, ("1/1",))


def test_left_out_blank_last_cells_are_blank() -> None:
    header = (*HEADER, "비고")
    part = score_rows([*row(Item_ID="i"), ""], row(Item_ID="i"), header=header)
    assert counted(part) == {"short-row": 1, "rows-equal": 1}
    part = score_rows([*row(Item_ID="i"), "x"], row(Item_ID="i"), header=header)
    assert [place.found for place in places(part, "rows-differ")] == ["비고"]
