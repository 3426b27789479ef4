"""items.csv: every item, at full precision, inert in a spreadsheet."""

import csv
import io
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.data import decoded_lines, items_csv_rows, items_of, read_items
from reporting.data.items_csv import COLUMNS, cell, column, encode_items, header, number, numbers
from scoring.comparison import ByPeople
from scoring.items import ItemDetails
from scoring.results import SetResult, merge
from scoring.review import ItemKey, Sample
from scoring.rubric import REASON_NO_CHECKS, Measure, PassRule, Status
from scoring.sets import CsvTitles
from tests.inner import CHUNK_ITEMS
from tests.reporting.results import make_item, make_part, make_result, make_rubric
from tests.scoring.judged_sets import H, h_part
from tests.scoring.review_files import grade

FORMULA = "=+-@\t\r＝＋－＠"


def written(result: SetResult) -> bytes:
    return b"".join(encode_items(result))


def rows(result: SetResult) -> list[dict[str, str]]:
    reader = csv.reader(io.StringIO(written(result).decode("utf-8-sig"), newline=""), strict=True)
    names = next(reader)
    return [dict(zip(names, row, strict=True)) for row in reader]


def test_file_as_excel_likes_it() -> None:
    data = written(make_result())
    assert data.startswith(b'\xef\xbb\xbf"file",')
    assert data.count(b"\r\n") == data.count(b"\n") == 2


def test_the_message_is_written_where_the_response_says_something_else() -> None:
    items = [make_item(2, response="답", message="=메시지\n둘"), make_item(3), make_item(4, response="", message="")]
    assert [row["message"] for row in rows(make_result(*items))] == ["'=메시지 ⏎ 둘", "", ""]


def test_every_value_of_an_item_stands_under_its_name() -> None:
    item = make_item(
        7,
        round="2/1",
        track=3,
        status=Status.PARTIAL,
        why="partial-word",
        intent=3.75,
        intent_source="recorded",
        accuracy=3.75,
        latency=1.0,
        seconds=59.99999999999999,
        recorded="3.75",
        llm_status="완료",
        llm_comment='말이 "조금", 길다',
        llm_model="m-1",
        executed_at="2026-01-01 10:00:00",
        failure_word="실패",
        extra=("x", "y"),
        text_hash="0123456789abcdef",
    )
    (row,) = rows(make_result(item, extra_columns=("Logic 결과", "row")))
    assert row == {
        "file": "resume_agent_a.csv",
        "row": "7",
        "query_id": "Q-7",
        "round": "2/1",
        "track": "3",
        "category": "공고",
        "run_id": "run-1",
        "item_id": "item-7",
        "status": "partial",
        "why": "partial-word",
        "intent": "3.75",
        "intent_source": "recorded",
        "accuracy": "3.75",
        "stability": "5",
        "seconds": "59.99999999999999",
        "latency": "1",
        "latency_class": "multi",
        "llm_status": "완료",
        "llm_score": "3.75",
        "llm_comment": '말이 "조금", 길다',
        "llm_model": "m-1",
        "executed_at": "2026-01-01 10:00:00",
        "failure_word": "실패",
        "reasons": "",
        "question": "지원자 수 알려줘",
        "expected": "지원자 수",
        "response": "19,164명입니다.",
        "error": "",
        "message": "",
        "passed": "true",
        "text_hash": "0123456789abcdef",
        "Logic 결과": "x",
        "row (input)": "y",
    }


def test_columns_are_called_alike_whatever_the_document_and_for_people_by_its_titles() -> None:
    rubric = make_rubric(measures=(Measure(name="tokens-in", title="토큰", column="t"),))
    item = make_item(details=ItemDetails(measures=(None,)), extra=("x", "y"))
    result = make_result(item, rubric=rubric, extra_columns=("Logic 결과", "query_id"))
    assert header(result) == [*COLUMNS, "passed", "text_hash", "measure_tokens_in", "Logic 결과", "query_id (input)"]
    titles = {"query_id": "Query ID", "round": "방/반복", "question": "질의", "error": "오류", "llm_score": "LLM 점수"}
    assert header(result, CsvTitles.REPORT) == [
        *(titles.get(name, name) for name in COLUMNS),
        *("passed", "text_hash", "measure.tokens-in", "Logic 결과", "query_id"),
    ]


@pytest.mark.parametrize("titles", CsvTitles)
def test_either_title_row_is_read_back(titles: CsvTitles) -> None:
    rubric = make_rubric(measures=(Measure(name="tokens-in", title="토큰", column="t"),))
    details = ItemDetails(measures=(12.5,))
    items = [make_item(2 + n, text_hash=f"{n:016}", details=details, extra=("x",)) for n in range(3)]
    result = make_result(*items, rubric=rubric, extra_columns=("text_hash",))
    measures = tuple(measure.key for measure in rubric.measures)
    read = list(read_items(decoded_lines(encode_items(result, titles=titles)), measures))
    assert [(item.query_id, item.text_hash, item.measures) for item in read] == [
        (f"Q-{2 + n}", f"{n:016}", {"measure.tokens-in": 12.5}) for n in range(3)
    ]


@pytest.mark.parametrize("size", [7, 300, 1 << 20])
def test_the_items_of_a_few_queries_are_found_wherever_a_block_of_the_file_ends(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_csv_rows, "_BLOCK_BYTES", size)
    items = [make_item(2 + n, query_id=f"Q-{n % 4}", question=f'"Q-1","Q-{n}", 줄\n') for n in range(12)]
    result = make_result(*items)
    file = tmp_path / "items.csv"
    file.write_bytes(written(result))
    every = list(read_items(decoded_lines(encode_items(result))))
    assert items_of(file, ["Q-1", "Q-3", "Q-.*"]) == [item for item in every if item.query_id in {"Q-1", "Q-3"}]
    assert items_of(file, []) == []


def test_a_file_of_the_version_before_is_read_without_hashes() -> None:
    result = make_result(make_item(2, text_hash="0123456789abcdef", extra=("x",)), extra_columns=("text_hash",))
    lines = list(csv.reader(decoded_lines(encode_items(result, titles=CsvTitles.REPORT))))
    at = lines[0].index("passed")
    older = [",".join(f'"{one}"' for one in [*line[:at], *line[at + 2 :]]) + "\r\n" for line in lines]
    (item,) = read_items(older)
    assert (item.query_id, item.text_hash) == ("Q-2", "")


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        pytest.param({"recorded_issue": "not-a-number"}, "recorded-not-a-number", id="recorded"),
        pytest.param({"has_payload": False}, "no-payload", id="payload"),
        pytest.param({"seconds": None}, "seconds-missing", id="seconds"),
        pytest.param({"track": None}, "track-unassigned", id="no-track"),
        pytest.param({"track": 9}, "track-unnamed", id="unknown-track"),
        pytest.param({"track": None, "seconds": None}, "seconds-missing;track-unassigned", id="several"),
    ],
)
def test_reasons(changes: dict[str, Any], reasons: str) -> None:
    (row,) = rows(make_result(make_item(**changes)))
    assert row["reasons"] == reasons


def test_passed_is_empty_where_there_is_nothing_to_assess() -> None:
    rubric = make_rubric(pass_points=PassRule(metric="accuracy", points=3))
    items = [
        make_item(2, accuracy=3.0),
        make_item(3, accuracy=2.99),
        make_item(4, accuracy=0.0, details=ItemDetails(accuracy_reason=REASON_NO_CHECKS)),
    ]
    assert [row["passed"] for row in rows(make_result(*items, rubric=rubric))] == ["true", "false", ""]
    by_status = [make_item(2 + n, status=status) for n, status in enumerate(Status)]
    answered = {Status.OK: "true", Status.PARTIAL: "true"}
    found = {row["status"]: row["passed"] for row in rows(make_result(*by_status))}
    assert found == {status: answered.get(status, "false") for status in Status}


def test_missing_values_are_empty_cells() -> None:
    (row,) = rows(make_result(make_item(track=None, seconds=None)))
    assert (row["track"], row["seconds"], row["latency_class"]) == ("", "", "single")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("=1+1", "'=1+1", id="equals"),
        pytest.param("+1", "'+1", id="plus"),
        pytest.param("-1", "'-1", id="minus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at"),
        pytest.param("＝1", "'＝1", id="full-width"),
        pytest.param("  =1", "'=1", id="behind-spaces"),
        pytest.param("\t=1", "'=1", id="behind-tab"),
        pytest.param("\tx", "'x", id="tab"),
        pytest.param("\rx", "'x", id="carriage-return"),
        pytest.param("\n=1", "'=1", id="behind-line-break"),
        pytest.param("\u202e=1", "'=1", id="behind-bidi"),
        pytest.param("\u00a0=1", "'=1", id="behind-no-break-space"),
        pytest.param("a=1", "a=1", id="inside-is-fine"),
        pytest.param("줄\n바꿈", "줄 ⏎ 바꿈", id="one-line"),
        pytest.param("a\x1b[31mb\u202ec", "a[31mbc", id="terminal-and-bidi"),
        pytest.param("\ud800", "\ufffd", id="lone-surrogate"),
        pytest.param('say "hi"', 'say ""hi""', id="quotes-doubled"),
        pytest.param('="x"', '\'=""x""', id="formula-with-quotes"),
        pytest.param("", "", id="empty"),
    ],
)
def test_cell(text: str, shown: str) -> None:
    assert cell(text) == shown


TEXT_FIELDS = (
    "run_id", "item_id", "query_id", "round", "category", "question", "expected", "response", "error", "why",
    "recorded", "intent_source", "llm_status", "llm_comment", "llm_model", "executed_at", "failure_word",
)  # fmt: skip


@pytest.mark.parametrize("field", [*TEXT_FIELDS, "extra", "file", "header"])
def test_no_text_of_the_input_can_be_a_formula(field: str) -> None:
    evil = '=HYPERLINK("http://example.invalid")\n=1'
    changes: dict[str, Any] = {field: evil} if field in TEXT_FIELDS else {}
    item = make_item(**changes, extra=(evil if field == "extra" else "x",))
    rubric = make_rubric()
    name = f"{evil.partition('//')[0]}.csv" if field == "file" else "a.csv"
    result = merge([(name, make_part(item, extra_columns=(evil if field == "header" else "extra",)))], rubric)
    data = written(result).decode("utf-8-sig")
    cells = [text for row in csv.reader(io.StringIO(data, newline=""), strict=True) for text in row]
    assert not [text for text in cells if text.lstrip(" ")[:1] in set(FORMULA)]
    assert len(data.splitlines()) == 2
    assert any(text.startswith("'=HYPERLINK(") for text in cells)


@given(st.text(st.one_of(st.sampled_from(FORMULA + ' "\n\u202e\ud800\x00'), st.characters()), max_size=8))
def test_any_cell_is_harmless_on_one_line_and_reads_back(text: str) -> None:
    (row,) = rows(make_result(make_item(question=text)))
    shown = row["question"]
    assert shown.lstrip(" ")[:1] not in set(FORMULA) - {""} or not shown
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in shown)
    assert len(written(make_result(make_item(question=text))).decode("utf-8-sig").split("\r\n")) == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [(5.0, "5"), (0.0, "0"), (4.5, "4.5"), (0.1 + 0.2, "0.30000000000000004"), (1e22, "1e+22"), (None, "")],
)
def test_number_is_the_shortest_that_reads_back(value: float | None, text: str) -> None:
    assert number(value) == text
    assert value is None or float(text) == value


def test_large_sets_come_in_chunks_and_in_order() -> None:
    result = make_result(*(make_item(row) for row in range(2, 2 * CHUNK_ITEMS + 5)))
    chunks = list(encode_items(result))
    assert len(chunks) == 4
    assert [row["row"] for row in rows(result)] == [str(item.row) for item in result.items]


def test_items_of_several_files_name_theirs() -> None:
    rubric = make_rubric()
    parts = [
        ("b.csv", make_part(make_item(2, item_id="b"), sha256="b" * 64)),
        ("a.csv", make_part(make_item(2, item_id="a"))),
    ]
    assert [(row["file"], row["item_id"], row["round"]) for row in rows(merge(parts, rubric))] == [
        ("a.csv", "a", "1/1, a.csv"),
        ("b.csv", "b", "1/1, b.csv"),
    ]


@given(st.lists(st.text(max_size=8) | st.text(alphabet='a \n"=\t가\u202e', max_size=4), min_size=1, max_size=6))
def test_a_column_of_cells_is_what_each_cell_is(texts: list[str]) -> None:
    assert column(texts, '","') == [f'{cell(text)}","'.encode() for text in texts]


@given(st.lists(st.none() | st.floats(), min_size=1, max_size=6))
def test_a_column_of_numbers_is_what_each_number_is(values: list[float | None]) -> None:
    assert numbers(values) == [number(value).encode() for value in values]


def test_grades_of_two_people_in_two_metrics_stay_with_their_metric_and_names() -> None:
    """Read back for a comparison, each with what its item had before; a metric that nobody graded has no columns."""
    part = h_part({"assistantMessage": "a", "intent_verdict": "PERFECT"}, {"assistantMessage": "b"})
    item = part.items[0]
    keys = {
        metric: ItemKey(H.profile, "s", item.query_id, item.round, 1, metric, Sample.RANDOM, item.text_hash)
        for metric in ("intent", "accuracy")
    }
    grades = [
        grade(keys["intent"], "GOOD", "김", comment="=흐림", cause="표현"),
        grade(keys["intent"], "WEAK", "이", comment="대상이 빠짐"),
        grade(keys["accuracy"], "2", "박", comment="값이 다름"),
    ]
    names = header(merge([("a.csv", part)], H, None, grades[:2]))
    assert [name for name in names if "accuracy" in name] == ["accuracy", "accuracy_reason"]
    first, second = read_items(decoded_lines(encode_items(merge([("a.csv", part)], H, None, grades))))
    assert first.graded == {
        "intent": ByPeople(5.0, "payload", "김 GOOD, 이 WEAK", "김: =흐림; 이: 대상이 빠짐", "김: 표현"),
        "accuracy": ByPeople(0.0, "no-checks", "박", "값이 다름"),
    }
    assert second.graded == {}
