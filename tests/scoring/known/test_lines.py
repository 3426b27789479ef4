"""What `known.csv` may be, and how each row that does not count is named."""

import io
from datetime import date

import openpyxl
import pytest

from scoring.known import KnownLines, Resolution, read_known

HEADER = "profile,Query ID,pattern,track,resolution,ticket,reason,owner,until"
TODAY = date(2026, 3, 2)


def read(text: str | bytes, name: str = "known.csv") -> KnownLines:
    data = text.encode() if isinstance(text, str) else text
    return read_known(io.BytesIO(data), name, profiles=["resume-agent", "h-recruit"], today=TODAY)


def test_a_line_has_everything_that_its_row_says() -> None:
    found = read(f"{HEADER}\nresume-agent,Q-1,Timeout*,Track 3,Known,HR-1,느림,김,2026. 3. 2.\n")
    (line,) = found.lines
    assert (line.row, line.profile, line.query_id, line.pattern, line.track) == (
        2, "resume-agent", "Q-1", "Timeout*", "Track 3",
    )  # fmt: skip
    assert (line.resolution, line.ticket, line.reason, line.owner) == (Resolution.KNOWN, "HR-1", "느림", "김")
    assert (line.until, line.is_overdue) == ("2026-03-02", False)  # the last day on which it counts
    assert found.problems == ()


@pytest.mark.parametrize(("until", "overdue"), [("2026-03-01", True), ("2026-03-02", False), ("", False)])
def test_a_line_is_overdue_after_its_last_day(until: str, overdue: bool) -> None:
    (line,) = read(f"{HEADER}\n,Q-1,,,known,HR-1,,,{until}\n").lines
    assert line.is_overdue is overdue


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949", "utf-16"])
def test_korean_titles_as_spreadsheets_save_them(encoding: str) -> None:
    text = "질의 ID;오류 패턴;처리;사유;기한\r\nQ-1;응답 없음;보류;;2026-04-01\r\nQ-2;;허용;원래 그렇다;\r\n"
    muted, accepted = read(text.encode(encoding)).lines
    assert (muted.resolution, muted.pattern, muted.until) == (Resolution.MUTED, "응답 없음", "2026-04-01")
    assert (accepted.resolution, accepted.reason) == (Resolution.ACCEPTED, "원래 그렇다")


def test_a_workbook_with_a_day_as_a_day() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Query ID", "resolution", "ticket", "until"])
    sheet.append(["Q-1", "known", "HR-1", date(2026, 3, 1)])
    saved = io.BytesIO()
    book.save(saved)
    (line,) = read(saved.getvalue(), "known.xlsx").lines
    assert (line.ticket, line.until, line.is_overdue) == ("HR-1", "2026-03-01", True)


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        (",Q-1,,,known,,,,", "known-needed", "ticket"),
        (",Q-1,,,muted,HR-1,,,", "known-needed", "until"),
        (",Q-1,,,accepted,HR-1,,,", "known-needed", "reason"),
        (",,,,known,HR-1,,,", "known-blank", "Query ID"),
        (",Q-1,,,fixed,HR-1,,,", "known-word", "resolution"),
        (",Q-1,,,,HR-1,,,", "known-word", "resolution"),
        ("resume,Q-1,,,known,HR-1,,,", "known-word", "profile"),
        (",Q-1,,,muted,,,,soon", "known-date", "until"),
    ],
)
def test_a_row_that_does_not_count_is_named_with_its_cell_and_costs_no_other(row: str, code: str, column: str) -> None:
    found = read(f"{HEADER}\n,Q-0,,,known,HR-1,,,\n,,,,,,,,\n{row}\n")
    (problem,) = found.problems
    assert (problem.code, problem.source, problem.row, problem.column) == (code, "known.csv", 4, column)
    assert [line.query_id for line in found.lines] == ["Q-0"]
    assert found.is_readable


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"Query ID,ticket\nQ-1,HR-1\n", "known.csv", "missing-columns"),
        (b"", "known.csv", "empty-file"),
        (b"PK\x03\x04 no workbook", "known.xlsx", "bad-spreadsheet"),
        (f"{HEADER}\n{',Q-1,,,known,HR-1,,,' + chr(10)}".encode() * 1 + b",Q,,,known,H,,,\n" * 5_000, "known.csv",
         "table-too-long"),
    ],
)  # fmt: skip
def test_a_file_that_says_nothing_of_any_line_is_not_readable(data: bytes, name: str, code: str) -> None:
    found = read(data, name)
    assert not found.is_readable
    assert found.lines == ()
    assert [problem.code for problem in found.problems][:1] == [code]


def test_the_lines_of_a_profile_are_its_own_and_those_for_all() -> None:
    found = read(f"{HEADER}\nh-recruit,A,,,known,T,,,\n,B,,,known,T,,,\nresume-agent,C,,,known,T,,,\n")
    assert [line.query_id for line in found.of("resume-agent").lines] == ["B", "C"]
    assert found.of("resume-agent").digest != found.of("h-recruit").digest
