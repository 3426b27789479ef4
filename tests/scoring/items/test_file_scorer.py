"""Rows to items: status, intent, stability, latency (spec §1, §2), by the shipped rubric."""

import io
import unicodedata

import msgspec
import pytest

from scoring.items.file_scorer import score_file
from scoring.rubric import Rubric, Status
from tests.scoring.files import (
    HEADER,
    counted,
    csv_text,
    payload,
    places,
    resume_rubric,
    row,
    score_bytes,
    score_rows,
    stored,
)

NO_ANSWER = payload("", dataUIList=[])
UI = [{"uiValue": {"formType": "LINK"}}]
NO_ERRORS: list[object] = [None, False, {}, [], "", "null", "FALSE", "없음"]


@pytest.mark.parametrize(
    ("cells", "status", "why"),
    [
        pytest.param({}, "ok", "answered", id="message"),
        pytest.param({"Raw_JSON": payload("", dataUIList=UI)}, "ok", "answered", id="ui-only"),
        pytest.param({"Raw_JSON": NO_ANSWER}, "empty", "nothing", id="neither"),
        pytest.param({"Raw_JSON": ""}, "empty", "nothing", id="no-payload"),
        pytest.param({"Raw_JSON": " NaN "}, "empty", "nothing", id="payload-cell-says-nan"),
        pytest.param({"Raw_JSON": "[]"}, "error", "payload:not-an-object", id="invalid-payload"),
        pytest.param({"오류": "timeout"}, "error", "error-column", id="error-column"),
        pytest.param({"Raw_JSON": payload(error="boom")}, "error", "error-payload", id="error-payload"),
        pytest.param({"Raw_JSON": payload(error={"code": 1})}, "error", "error-payload", id="error-object"),
        pytest.param({"오류": "timeout", "Raw_JSON": "[]"}, "error", "error-column", id="error-before-payload"),
        pytest.param({"오류": "timeout", "Raw_JSON": NO_ANSWER}, "error", "error-column", id="error-before-empty"),
        pytest.param({"Raw_JSON": payload("전형을 선택해 주세요")}, "partial", "word:선택", id="partial"),
        pytest.param(
            {"Raw_JSON": payload("알려주세요", error="x")}, "error", "error-payload", id="error-before-partial"
        ),
        pytest.param({"응답": "선택해 주세요"}, "ok", "answered", id="only-the-message-is-searched"),
        *[
            pytest.param({"오류": word}, "ok", "answered", id=f"no-error-{word}")
            for word in ("nan", "None", "False", "{}", "[]", "-", "없음", "N/A", " - ")
        ],
        *[
            pytest.param({"Raw_JSON": payload(error=value)}, "ok", "answered", id=f"no-error-in-payload-{value!r}")
            for value in NO_ERRORS
        ],
    ],
)
def test_status_is_the_first_that_holds(cells: dict[str, str], status: str, why: str) -> None:
    (item,) = score_rows(row(**cells)).items
    assert (item.status, item.why) == (status, why)
    assert (item.error != "") == (why in {"error-column", "error-payload"})


@pytest.mark.parametrize("word", ["선택", "선택해 주세요", "알려주", "주시면", "원하시면", "확인해 주세요"])
def test_each_word_alone_makes_partial(word: str) -> None:
    """Seed 002 §2. Without its last character a word says nothing."""
    assert score_rows(row(Raw_JSON=payload(f"가나 {word}"))).items[0].status is Status.PARTIAL
    shortened = word[:-1]
    rest = [other for other in resume_rubric().partial_words if other in shortened]
    assert (score_rows(row(Raw_JSON=payload(f"가나 {shortened}"))).items[0].status is Status.PARTIAL) == bool(rest)


@pytest.mark.parametrize(
    ("status", "cells", "intent", "stability"),
    [
        (Status.OK, {}, 5, 5),
        (Status.PARTIAL, {"Raw_JSON": payload("선택")}, 4, 5),
        (Status.ERROR, {"오류": "x"}, 0, 0),
        (Status.EMPTY, {"Raw_JSON": NO_ANSWER}, 0, 0),
    ],
)
def test_points_per_status(status: Status, cells: dict[str, str], intent: float, stability: float) -> None:
    (item,) = score_rows(row(**cells)).items
    assert (item.status, item.intent, item.accuracy, item.stability) == (status, intent, intent, stability)
    assert item.intent_source == "status"


@pytest.mark.parametrize(
    ("cell", "intent", "source", "issue"),
    [
        ("0", 0, "recorded", ""),
        ("5", 5, "recorded", ""),
        (" 4.5 ", 4.5, "recorded", ""),
        ("5.01", 5, "status", "out-of-range"),
        ("-0.01", 5, "status", "out-of-range"),
        ("85", 5, "status", "out-of-range"),
        ("우수", 5, "status", "not-a-number"),
        ("4점", 5, "status", "not-a-number"),
        ("inf", 5, "status", "not-a-number"),
        ("", 5, "status", ""),
        ("nan", 5, "status", ""),
    ],
)
def test_recorded_score_is_used_inside_its_range(cell: str, intent: float, source: str, issue: str) -> None:
    part = score_rows(row(LLM_점수=cell))
    (item,) = part.items
    assert (item.intent, item.accuracy, item.intent_source, item.recorded_issue) == (intent, intent, source, issue)
    assert [(place.code, place.row, place.column, place.found) for place in places(part)] == (
        [(f"recorded-{issue}", 2, "LLM 점수", cell)] if issue else []
    )


SINGLE = [(0, 5), (5, 5), (5.0001, 4), (8, 4), (8.0001, 3), (10, 3), (10.0001, 2), (15, 2), (15.0001, 1), (20, 1)]
SINGLE += [(20.0001, 0), (1e6, 0)]
MULTI = [(0, 5), (20, 5), (20.0001, 4), (30, 4), (30.0001, 3), (40, 3), (40.0001, 2), (50, 2), (50.0001, 1), (60, 1)]
MULTI += [(60.0001, 0), (1e6, 0)]


@pytest.mark.parametrize(
    ("track", "seconds", "points"),
    [
        *[("Track 1", seconds, points) for seconds, points in SINGLE],
        *[("Track 2", seconds, points) for seconds, points in SINGLE],
        *[("", seconds, points) for seconds, points in SINGLE],
        *[("Track 9", seconds, points) for seconds, points in SINGLE],
        *[("Track 3", seconds, points) for seconds, points in MULTI],
    ],
)
def test_latency_bands_are_right_closed(track: str, seconds: float, points: float) -> None:
    """Seed 002 §3-5."""
    (item,) = score_rows(row(Track=track, Raw_JSON=payload(seconds=seconds))).items
    assert (item.seconds, item.latency) == (seconds, points)


EXTENDED = (*HEADER, "responseTimeSec", "latency_ms")


@pytest.mark.parametrize(
    ("fields", "column", "milliseconds", "seconds"),
    [
        ({"responseTimeSec": 1, "latency_ms": 2000}, "3", "4000", 1),
        ({"responseTimeSec": "x", "latency_ms": 2000}, "3", "4000", 3),
        ({"responseTimeSec": None, "latency_ms": 2000}, "", "4000", 2),
        ({"latencyMs": "2500"}, "fast", "4000", 2.5),
        ({}, "", "4000", 4),
        ({"responseTimeSec": -1}, "-1", "-1", None),
    ],
)
def test_seconds_come_from_the_first_usable_place(
    fields: dict[str, object], column: str, milliseconds: str, seconds: float | None
) -> None:
    cells = [*row(Raw_JSON=payload(**({"seconds": None} | {"seconds": fields.pop("responseTimeSec", None)}), **fields))]
    part = score_rows([*cells, column, milliseconds], header=EXTENDED)
    assert part.items[0].seconds == seconds
    assert part.counts.get("seconds-missing", 0) == (seconds is None)
    assert part.items[0].latency == (0 if seconds is None else 5)


def test_columns_stand_in_for_a_payload_that_is_invalid() -> None:
    (item,) = score_rows([*row(Raw_JSON="{"), "6", ""], header=EXTENDED).items
    assert (item.status, item.seconds, item.latency) == (Status.ERROR, 6, 4)


@pytest.mark.parametrize("word", ["문제가 발생", "실패", "제공할 수 없", "오류로 인해", "토큰 제한"])
def test_admitted_failures_are_named_and_not_rescored(word: str) -> None:
    (item,) = score_rows(row(Raw_JSON=payload(f"죄송합니다. {word} …"))).items
    assert (item.failure_word, item.status, item.intent) == (word, Status.OK, 5)


def test_nfd_text_counts_like_nfc() -> None:
    cells = row(Query_ID="한글-1", Raw_JSON=payload("전형을 선택해 주세요"), 카테고리="공고")
    nfc = score_rows(cells).items
    nfd_text = unicodedata.normalize("NFD", csv_text([cells]))
    (nfd,) = score_bytes(nfd_text.encode()).items
    assert nfd_text != csv_text([cells])
    assert (nfd.query_id, nfd.status, nfd.why) == (nfc[0].query_id, Status.PARTIAL, "word:선택")


def test_extra_columns_are_kept_in_order_and_apart() -> None:
    part = score_rows([*row(), "1", "가", "나"], header=[*HEADER, "Ordinal", "비고", " 비고 "])
    assert part.extra_columns == ("Ordinal", "비고", "비고 (2)")
    assert part.items[0].extra == ("1", "가", "나")


def test_aliases_stand_for_columns() -> None:
    header = [
        "run_id", "itemId", "QUERY-ID", "트랙", "queryText", "expectedResult", "category", "회차", "answer", "error",
        "llmStatus", "llm_score", "llmComment", "rawPayload",
    ]  # fmt: skip
    assert score_rows(row(), header=header).items == score_rows(row()).items


def test_long_texts_are_cut_visibly() -> None:
    (item,) = score_rows(row(질의="나" * 5000, Raw_JSON=payload("다" * 3000))).items
    for text in (item.question, item.message):
        assert len(text.encode()) <= 4096
        assert text.endswith("…")


def test_long_identifiers_are_cut_and_stay_apart() -> None:
    items = score_rows(row(Query_ID="가" * 5000), row(Query_ID="가" * 5000 + "나")).items
    assert items[0].query_id != items[1].query_id
    assert all(len(item.query_id.encode()) <= 4200 for item in items)


def test_response_without_payload_is_counted() -> None:
    part = score_rows(row(Raw_JSON=""), row(Raw_JSON="nan", 응답="nan"), row(Raw_JSON="", 응답=""))
    assert part.counts["response-without-payload"] == 1


def test_unusable_rows_are_listed_with_the_reason() -> None:
    part = score_rows(row(), row(Query_ID="nan"), row(방_반복=""), row()[:-1], [*row(), ""], ["", "nan"])
    assert [(place.code, place.row, place.column) for place in places(part)] == [
        ("cell-count", 5, None),
        ("cell-count", 6, None),
        ("no-query-id", 3, "Query ID"),
        ("no-round", 4, "방/반복"),
    ]
    assert (part.rows, len(part.items), part.unusable_rows, part.blank_rows) == (6, 1, 4, 1)


def test_a_header_in_the_middle_of_joined_files_is_no_round() -> None:
    part = score_rows(row(), HEADER, row(방_반복="2/1"))
    assert [item.round for item in part.items] == ["1/1", "2/1"]
    assert [(place.code, place.row) for place in places(part)] == [("repeated-header", 3)]
    assert (part.rows, part.unusable_rows) == (3, 1)


@pytest.mark.parametrize(
    "ruler",
    [
        ["-" * len(title) for title in HEADER],
        ["=" * len(title) for title in HEADER],
        ["—" * 3 for _ in HEADER],
        ["───" for _ in HEADER],
        [":---:" for _ in HEADER],
        ["---", *["-"] * (len(HEADER) - 1)],
        ["---", *[""] * (len(HEADER) - 1)],
        ["--------"],
        ["+------+------+"],
        ["-----|-----", "---"],
    ],
    ids=["dashes", "equals", "long-dashes", "box", "markdown", "short", "first-cell", "one-cell", "psql", "two-cells"],
)
def test_a_ruled_line_is_counted_as_blank_and_named(ruler: list[str]) -> None:
    part = score_rows(ruler, row(), ruler, row(방_반복="2/1"))
    assert [(item.row, item.round) for item in part.items] == [(3, "1/1"), (5, "2/1")]
    assert (part.rows, part.blank_rows, part.unusable_rows) == (4, 2, 0)
    assert [(place.code, place.row) for place in places(part)] == [("ruler-row", 2), ("ruler-row", 4)]


def test_a_ruled_line_may_stand_between_header_and_types() -> None:
    types = ["string", "string", "string", "int", *["string"] * (len(HEADER) - 4)]
    part = score_rows(["---"] * len(HEADER), types, row())
    assert counted(part) == {"ruler-row": 1, "repeated-header": 1}


def test_a_row_of_single_dashes_or_with_anything_else_is_no_ruled_line() -> None:
    part = score_rows(["-"] * len(HEADER), row(Query_ID="---", 방_반복="---", Track="---"), row(질의="---"))
    assert "ruler-row" not in counted(part)
    assert len(part.items) == 3


@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
def test_header_of_a_joined_file_with_a_byte_order_mark_is_left_out(quote: str) -> None:
    text = csv_text([row()]).replace("Run ID", f"{quote}Run ID{quote}", 1)
    part = score_bytes(text.encode("utf-8-sig") * 2)
    assert [item.row for item in part.items] == [2, 4]
    assert [(place.code, place.row) for place in places(part)] == [("repeated-header", 3)]
    assert (part.rows, part.unusable_rows) == (3, 1)


def test_findings_are_counted_with_errors_first_and_their_places_bounded() -> None:
    part = score_rows(*[row(LLM_점수="x")] * 150, *[row(Query_ID="")] * 90)
    assert [(finding.code, finding.count, len(finding.places)) for finding in part.findings] == [
        ("no-query-id", 90, 90),
        ("recorded-not-a-number", 150, 100),
    ]


def test_first_rows_left_out_show_the_rows_around() -> None:
    part = score_rows(row(), *[row(Query_ID="")] * 7)
    around = [[near.number for near in place.around] for place in places(part)]
    assert around == [*[[1, number - 1, number, number + 1] for number in range(3, 8)], [], []]


def test_one_bad_row_costs_that_row_only() -> None:
    junk = ["{" * 100_000, '{"dataUIList":' + "[" * 50_000, '{"a":"' + "x" * 3_000_000, "}" * 1000, "\x01\x02"]
    part = score_rows(row(), *[row(Raw_JSON=cell) for cell in junk], row())
    assert [item.status for item in part.items] == ["ok", *["error"] * len(junk), "ok"]


def test_parts_survive_storing() -> None:
    surrogates = r'{"assistantMessage": "a\ud800b", "error": "c\ud800d"}'
    part = score_rows(row(), row(LLM_점수="x", Raw_JSON=surrogates), row()[:-1])
    assert (part.items[1].message, part.items[1].error) == ("a\ufffdb", "c\ufffdd")
    assert stored(part) == part


def test_progress_is_told_in_bytes() -> None:
    seen: list[int] = []
    data = csv_text([row()] * 5000).encode()
    score_file(io.BytesIO(data), name="a.csv", rubric=resume_rubric(), progress=seen.append)
    assert len(seen) == 3  # twice on the way, and at the end
    assert sorted(seen) == seen
    assert seen[-1] == len(data)


def test_the_numbers_come_from_the_rubric() -> None:
    rubric = resume_rubric()
    single, multi = rubric.latency_classes
    bands = msgspec.structs.replace(single.bands, edges=(4.0, *single.bands.edges[1:]))
    changed: Rubric = msgspec.structs.replace(
        rubric,
        status_points=rubric.status_points | {"intent": rubric.status_points["intent"] | {Status.OK: 3.0}},
        latency_classes=(msgspec.structs.replace(single, bands=bands), multi),
    )
    (item,) = score_bytes(csv_text([row()]).encode(), rubric=changed).items
    assert (item.intent, item.latency) == (3, 4)


def test_problem_with_several_facts_looks_the_same_after_storing() -> None:
    """`score` renders what it found at once, the service what was stored: the reports have to be the same bytes."""
    part = score_bytes(csv_text([row()]).encode()[:-2] + "가".encode()[:2])
    back = stored(part)
    assert [list(problem.values.items()) for problem in back.problems] == [
        list(problem.values.items()) for problem in part.problems
    ]
    assert any(len(problem.values) > 1 for problem in part.problems)
