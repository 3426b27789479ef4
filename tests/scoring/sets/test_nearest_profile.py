"""A file whose name no document claims is told which profile has its columns, and what name it needs."""

import io
import json

import openpyxl
import pytest

from config import shipped_rubrics
from scoring.sets.grouping import Likely, closest_profile, likely_profile
from tests.scoring.files import HEADER, csv_text, row

RUBRICS = shipped_rubrics()


def likely(data: bytes, name: str) -> Likely | None:
    return likely_profile(io.BytesIO(data), name, RUBRICS)


def sheet() -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(list(HEADER))
    book.active.append(row())
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "renamed"),
    [
        (csv_text([row()]).encode(), "3월4주 결과.csv", "resume_agent_3월4주 결과.csv"),
        (csv_text([row()]).encode("cp949"), "a.csv", "resume_agent_a.csv"),
        (csv_text([row()], delimiter="\t").encode("utf-16"), "결과.CSV", "resume_agent_결과.csv"),
    ],
)
def test_profile_with_all_columns_is_named(data: bytes, name: str, renamed: str) -> None:
    assert likely(data, name) == Likely("resume-agent", 14, 14, renamed, "resume_agent_…")


def test_profile_with_most_of_its_columns_is_named_with_their_number() -> None:
    text = csv_text([row()]).replace("기대결과", "메모", 1).replace("카테고리", "부서", 1)
    assert likely(text.encode(), "a.csv") == Likely(
        "resume-agent", 12, 14, "resume_agent_a.csv", "resume_agent_…"
    ) or likely(text.encode(), "a.csv") == Likely("h-recruit", 3, 3, "h_recruit_a.csv", "h_recruit_…")


def test_fewer_columns_are_those_of_another_profile() -> None:
    assert likely(b"Query ID,\xeb\xb0\xa9/\xeb\xb0\x98\xeb\xb3\xb5,Raw JSON\n", "a.csv") == Likely(
        "h-recruit", 3, 3, "h_recruit_a.csv", "h_recruit_…"
    )


@pytest.mark.parametrize(
    "data", [b"", b"a,b,c\n1,2,3\n", b"\x00\x01\x02", json.dumps({"a": 1}).encode(), b"<html>", b"PK\x03\x04"]
)
@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.json"])
def test_other_files_have_no_profile(data: bytes, name: str) -> None:
    assert likely(data, name) is None


def test_document_that_selects_no_record_of_a_file_is_not_near() -> None:
    """Where nothing is selected, no record lacks a column: openai-evals would fit every file of lines."""
    data = b'{"type": "note", "say": {"text": "A"}}\n' * 2
    assert closest_profile(io.BytesIO(data), "bot.jsonl", RUBRICS) is None


def test_document_that_selects_no_object_of_a_file_is_not_near() -> None:
    """A table written as JSON holds lists under `data`, where the OpenAI Evals API has its items."""
    data = json.dumps({"columns": ["inputs", "outputs"], "data": [["Q1", "A1"], ["Q2", "A2"]]}).encode()
    near = closest_profile(io.BytesIO(data), "table.json", RUBRICS)
    assert near is None or near.profile != "openai-evals-api"
