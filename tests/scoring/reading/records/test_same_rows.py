"""Rows in JSON give the items that they give in CSV, in every form in which programs write them."""

import json

import msgspec
import pytest

from scoring.items import Item
from tests.scoring.files import csv_text, payload, row, score_bytes
from tests.scoring.reading.records.files import lines, records_of

ROWS = [
    row(Query_ID="Q-1", Track="Track 1"),
    row(Query_ID="Q-2", 응답='그는 "네"라고 했습니다.\n둘째 줄, 쉼표', Raw_JSON=payload('그는 "네"라고 했습니다.')),
    row(Query_ID="Q-3", 오류="시간 초과 \\ 되돌림", Raw_JSON=""),
    row(Query_ID="Q-4", LLM_점수="3.50", LLM_코멘트="이모지 \U0001f600 와 é"),
    row(Query_ID="900719925474099312345", Raw_JSON='{"assistantMessage": "x", "nested": "{\\"a\\": \\"b\\"}"}'),
]
TABLE = score_bytes(csv_text(ROWS).encode()).items
RECORDS = records_of(ROWS)


def nested(record: dict[str, object]) -> dict[str, object]:
    text = str(record["Raw JSON"])
    return record | {"Raw JSON": json.loads(text) if text else None}


def spaced(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


FORMS = {
    "spaced": ("a.jsonl", lines(*map(spaced, RECORDS))),
    "compact": ("a.ndjson", lines(*map(compact, RECORDS))),
    "escaped": ("a.jsonl", lines(*RECORDS, ensure_ascii=True)),
    "wide": ("a.jsonl", lines(*[json.dumps(record, separators=(" , ", " : ")) for record in RECORDS])),
    "crlf": ("A.JSONL", lines(*map(spaced, RECORDS)).replace(b"\n", b"\r\n")),
    "no-last-line-end": ("a.jsonl", lines(*RECORDS).rstrip(b"\n")),
    "reordered": ("a.jsonl", lines(*[dict(reversed(record.items())) for record in RECORDS])),
    "nested": ("a.jsonl", lines(*map(nested, RECORDS))),
    "bom": ("a.jsonl", b"\xef\xbb\xbf" + lines(*RECORDS)),
    "utf-16": ("a.jsonl", lines(*RECORDS).decode().encode("utf-16")),
    "list": ("a.json", spaced(RECORDS).encode()),
    "list, indented": ("a.json", json.dumps(RECORDS, indent=2).encode()),
    "list, utf-16": ("a.json", spaced(RECORDS).encode("utf-16")),
    "lines in .json": ("a.json", lines(*RECORDS)),
    "names spelt otherwise": (
        "a.jsonl",
        lines(*[{f" {name.upper()}_": cell for name, cell in record.items()} for record in RECORDS]),
    ),
}


def comparable(item: Item) -> dict[str, object]:
    """Without what tells how the file was written."""
    fields = msgspec.structs.asdict(item)
    return {name: value for name, value in fields.items() if name not in {"row", "payload_size"}}


@pytest.mark.parametrize("form", FORMS)
def test_items_are_those_of_the_table(form: str) -> None:
    name, data = FORMS[form]
    part = score_bytes(data, name)
    assert [comparable(item) for item in part.items] == [comparable(item) for item in TABLE]
    assert [item.row for item in part.items] == [1, 2, 3, 4, 5]
    assert (part.rows, part.blank_rows, part.unusable_rows, part.delimiter) == (5, 0, 0, "")


def test_korean_text_in_cp949_is_read_when_it_is_no_utf_8() -> None:
    rows = [cells[:] for cells in ROWS]
    rows[3][12] = "코멘트"
    data = lines(*records_of(rows)).decode()
    part = score_bytes(data.encode("cp949"), "a.jsonl")
    assert part.encoding == "cp949"
    assert [item.question for item in part.items] == [item.question for item in TABLE]
    document = score_bytes(json.dumps(records_of(rows), ensure_ascii=False).encode("cp949"), "a.json")
    assert (document.encoding, len(document.items)) == ("cp949", 5)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
@pytest.mark.parametrize("at", [0, 2, len(RECORDS)])
@pytest.mark.parametrize("byte", [b"\xff", b"\0"])
def test_what_is_no_text_is_refused_with_its_line(byte: bytes, at: int, name: str) -> None:
    bad = b'{"Run ID": "' + byte + b'"}\n'
    data = lines(*RECORDS[:at]) + bad + lines(*RECORDS[at:])
    (problem,) = score_bytes(data, name).problems
    assert (problem.row, problem.line, problem.values["offset"]) == (None, at + 1, str(data.index(byte)))


def test_line_of_what_is_no_text_is_found_in_utf_16_too() -> None:
    data = lines(*RECORDS).decode().encode("utf-16")
    (problem,) = score_bytes(data + b"\n", "a.jsonl").problems
    assert (problem.code, problem.row, problem.line) == ("cut-character", None, len(RECORDS) + 1)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (lines(*RECORDS).decode().encode("utf-16")[2:], "encoding-not-read"),
        (lines(*RECORDS).decode().encode("utf-32"), "encoding-not-read"),
        (lines(*RECORDS) + b"\xff\xff\xff\n", "not-decodable"),
        (lines(*RECORDS) + b'{"Run ID": "\0"}\n', "nul-byte"),
        (b"PK\x03\x04" + lines(*RECORDS), "zip-as-text"),
        (b" \n\n", "empty-file"),
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_what_is_no_text_is_refused_as_in_a_table(data: bytes, code: str, name: str) -> None:
    part = score_bytes(data, name)
    assert (part.refused, [problem.code for problem in part.problems]) == (True, [code])
