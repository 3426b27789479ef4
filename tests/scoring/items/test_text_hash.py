"""What a grader reads of an item, as a hash: equal texts are equal in any form, another one is another."""

import csv
import hashlib
import io
import json
import unicodedata
from typing import Any

import pytest

from scoring.items.file_scorer import score_file
from tests.scoring.files import payload, row, score_rows
from tests.scoring.judged_sets import SCORES, H

UI = [{"uiValue": {"formType": "ACTION", "value": {"nodeId": 6127}}}, None, {}]


def hash_of(**cells: str) -> str:
    """Of one item of resume-agent, whose payloads are read by columns where they are plain."""
    (item,) = score_rows(row(**cells)).items
    return item.text_hash


def h_hash(cell: str) -> str:
    """Of one item of h-recruit, whose payloads are read whole."""
    stream = io.StringIO()
    csv.writer(stream).writerows([["Query ID", "방/반복", "질의", "Raw JSON"], ["Q1", "1/1", "몇 명?", cell]])
    (item,) = score_file(io.BytesIO(stream.getvalue().encode()), name="h.csv", rubric=H).items
    return item.text_hash


def digits(*texts: str) -> str:
    """As docs/report-schema.md says it."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def test_the_hash_is_what_the_documents_say() -> None:
    cell = json.dumps({"assistantMessage": " 12명 \n입니다.", "dataUIList": UI, "setting": {"나": 1, "가": [True]}})
    shown = '{"setting":{"가":[true],"나":1},"ui":[{"uiValue":{"formType":"ACTION","value":{"nodeId":6127}}}]}'
    assert hash_of(질의="몇  명?", 기대결과="nan", 응답="x", Raw_JSON=cell) == digits(
        "몇 명?", "", "12명 입니다.", shown, ""
    )
    assert hash_of(질의="몇 명?", 기대결과="수", 응답="답", 오류="Time  out", Raw_JSON="") == digits(
        "몇 명?", "수", "답", "", "Time out"
    )


def test_an_answer_that_is_a_column_is_hashed_alike() -> None:
    stream = io.BytesIO("질의,기대결과,응답\n왜?,,그래서\n".encode())
    (item,) = score_file(stream, name="a.csv", rubric=SCORES).items
    assert item.text_hash == digits("왜?", "", "그래서", "", "")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            {"dataUIList": [{"a": 1, "b": {"c": 2, "d": 3}}]},
            {"dataUIList": [{"b": {"d": 3, "c": 2}, "a": 1}]},
            id="order-of-keys",
        ),
        pytest.param({"dataUIList": UI}, {"dataUIList": UI[:1]}, id="items-that-say-nothing"),
        pytest.param({"filterType": None, "setting": {}}, {}, id="fields-that-say-nothing"),
        pytest.param({"error": "-"}, {"error": ""}, id="no-error"),
        pytest.param({"dataUIList": UI[0]}, {"dataUIList": UI[:1]}, id="one-object"),
        pytest.param({"worker": [1]}, {"worker": [2]}, id="what-nobody-reads"),
        pytest.param({"responseTimeSec": 4.2}, {"responseTimeSec": 9.9}, id="seconds"),
    ],
)
def test_payloads_that_say_the_same_have_one_hash(one: dict[str, Any], other: dict[str, Any]) -> None:
    hashes = {hash_of(Raw_JSON=payload(**{"seconds": 4.2, **fields})) for fields in (one, other)}
    assert len(hashes) == 1
    texts = [json.dumps({"assistantMessage": "12", **fields}) for fields in (one, other)]
    assert len(set(map(h_hash, texts))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"dataUIList": [{"uiValue": {"formType": "LINK"}}]},
        {"dataUIList": [{"a": 10**400}]},
        {"dataUIList": [{"a": "\ud800"}]},
        {"dataUIList": [7, "글"]},
        {"setting": {"blind": True}},
        {"filterType": "PERIOD"},
        {"error": "Timeout"},
        {"assistantMessage": "13"},
        {"assistantMessage": "", "dataUIList": UI},
        {"assistantMessage": ["12"]},
    ],
)
def test_payloads_that_say_something_else_have_another(fields: dict[str, Any]) -> None:
    plain = {"assistantMessage": "12", "dataUIList": [], "responseTimeSec": 4.2, "error": ""}
    cells = [json.dumps(values, ensure_ascii=True) for values in (plain, {**plain, **fields})]
    assert len({hash_of(Raw_JSON=cell) for cell in cells}) == 2
    assert len(set(map(h_hash, cells))) == 2


def test_a_payload_has_the_same_hash_however_it_is_read() -> None:
    cell = json.dumps({"assistantMessage": "12", "dataUIList": UI, "filterType": "PERIOD", "responseTimeSec": 4.2})
    by_columns = hash_of(질의="몇 명?", 기대결과="", 응답="", Raw_JSON=cell)
    assert by_columns == hash_of(질의="몇 명?", 기대결과="", 응답="", Raw_JSON=json.dumps(cell))  # opened twice
    assert by_columns == h_hash(cell)


def test_texts_are_hashed_whole_and_in_one_form() -> None:
    long = "가" * 20_000
    assert hash_of(질의=long + "나") != hash_of(질의=long + "다")
    assert hash_of(Raw_JSON=payload(long + "나")) != hash_of(Raw_JSON=payload(long + "다"))
    assert hash_of(오류=long + "나", Raw_JSON="") != hash_of(오류=long + "다", Raw_JSON="")
    assert hash_of(질의="가나") == hash_of(질의=unicodedata.normalize("NFD", " 가나\u00a0"))
    assert hash_of(질의="가 나") != hash_of(질의="가나")
    assert hash_of(질의="가", 기대결과="") != hash_of(질의="", 기대결과="가")


def test_a_response_counts_where_there_is_no_message() -> None:
    with_message = hash_of(응답="12", Raw_JSON=payload("12"))
    assert hash_of(응답="13", Raw_JSON=payload("12")) == with_message
    assert hash_of(응답="12", Raw_JSON=payload("nan")) == with_message
    assert hash_of(응답="12", Raw_JSON="") == with_message
