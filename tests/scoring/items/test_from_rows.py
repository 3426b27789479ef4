"""Cells that are read in another form than written, or not used: figures and findings."""

import json
from collections.abc import Sequence

import pytest

from config import profile_named, shipped_rubrics
from scoring.items import from_rows
from scoring.items.part import Item
from scoring.items.spool.part_file import Part
from scoring.items.status import StatusRules, is_no_answer, is_time_out
from scoring.problems import Problem, Severity
from scoring.results import merge
from scoring.rubric import Status
from scoring.rubric.document import parse_rubric
from tests.inner import first_places
from tests.scoring.files import HEADER, counted, csv_text, payload, resume_rubric, row, score_bytes, score_rows
from texts import texts

EXTENDED = (*HEADER, "responseTimeSec", "latency_ms")

NO_SECONDS = json.dumps({"assistantMessage": "12"})


def found(part: Part) -> dict[str, list[tuple[int | None, str | None, str]]]:
    """Places of each finding: row, column, what is there."""
    return {
        finding.code: [(place.row, place.column, place.found) for place in finding.places] for finding in part.findings
    }


def only(part: Part) -> Problem:
    """The one place of the one finding."""
    ((place,),) = [finding.places for finding in part.findings]
    return place


@pytest.mark.parametrize(
    "cell",
    ["-", "'-", " ' - ", "—", "–", "−", "--", "ㅡ", "없음", "'없음", "N/A", "NA", "0", "OK", "Success",
     "정상", "False", "[]", "{}", "'", "nan", "0.0", "0.00", "-0.0", "'0,00", '{"message":""}', "[null]",
     r"\N", "N", "No", "<null>", "<NULL>", "(null)", "[NULL]", '"NaN"', "None.", "(none)", "nil", "undefined", "'n/a",
     "N.A.", "no error", "No Error.", "NO_ERROR", "no-errors", "(No error)", "success!", "SUCCESS", "Succeeded",
     "passed", "200", "200.0", "200 OK", "HTTP 200", "http/1.1 200 OK", "Status: 200", "code=0", "error: null",
     "Error = None", "0 errors", "성공", "성공.", "'성공", "[성공]", "오류 없음", "오류없음", "오류 없음.",
     "『오류 없음』", "오류: 없음", "에러 없음", "해당 없음", "해당없음.", "(해당 없음)", "특이사항 없음", "이상없음",
     "없습니다.", "정상 (200)", "정상, 성공", "정상처리", "완료", "OK (성공)", '{"code": 200, "message": "OK"}',
     '{"status": "success"}', '{"errorCode": "0", "errorMessage": null}', ".", "/"],
)  # fmt: skip
def test_words_that_say_no_error_are_none_in_the_column_and_in_the_payload(cell: str) -> None:
    part = score_rows(row(오류=cell), row(Query_ID="Q-2", Raw_JSON=payload(error=cell)))
    assert [(item.status, item.error) for item in part.items] == [(Status.OK, "")] * 2
    assert part.findings == ()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (0, Status.OK),
        ({"code": 0}, Status.OK),
        ({"code": "0", "message": "", "details": []}, Status.OK),
        ({"code": 0, "message": "Success"}, Status.OK),
        (json.dumps({"code": 0}), Status.OK),
        (0.0, Status.OK),
        (-0.0, Status.OK),
        ({"code": "0.0"}, Status.OK),
        ({"message": " "}, Status.OK),
        ({"code": None, "message": None}, Status.OK),
        ({"error": {"detail": [None, ""]}}, Status.OK),
        ([None], Status.OK),
        (json.loads("[" * 400 + "]" * 400), Status.OK),
        ([0], Status.ERROR),
        ({"message": "0"}, Status.ERROR),
        ("0.01", Status.ERROR),
        ("[null", Status.ERROR),
        (1, Status.ERROR),
        ({"code": 0, "message": "no such plan"}, Status.ERROR),
        ({"code": 0, "success": False}, Status.ERROR),
        ({"code": False}, Status.ERROR),
        ({"code": 500}, Status.ERROR),
        ({"count": 0}, Status.ERROR),
        ("0.5", Status.ERROR),
        ("{not json", Status.ERROR),
        ("-1", Status.ERROR),
        ("-200", Status.ERROR),
        ("2.0.0", Status.ERROR),
        ("20/0", Status.ERROR),
        ("201.5", Status.ERROR),
        ("500", Status.ERROR),
        ("HTTP 500", Status.ERROR),
        ("not ok", Status.ERROR),
        ("OK?", Status.ERROR),
        ("???", Status.ERROR),
        ("#N/A", Status.ERROR),
        ("응답 없음", Status.ERROR),
        ("결과 없음", Status.ERROR),
        ("권한 없음", Status.ERROR),
        ("성공 없음", Status.ERROR),
        ("정상 아님", Status.ERROR),
        ("비정상", Status.ERROR),
        ("오류", Status.ERROR),
        ("오류: ", Status.ERROR),
        ("오류 없음 " * 20, Status.ERROR),
        ({"status": "failed", "message": ""}, Status.ERROR),
        ({"status": 200, "message": "no such plan"}, Status.ERROR),
    ],
)
def test_an_error_of_code_0_that_says_nothing_else_is_none(error: object, status: Status) -> None:
    (item,) = score_rows(row(Raw_JSON=payload(error=error))).items
    assert item.status is status


@pytest.mark.parametrize("cell", ["#NAME?", "#N/A", "#REF!", "#DIV/0!"])
def test_an_excel_error_value_is_no_blank_and_no_value(cell: str) -> None:
    part = score_rows(row(오류=cell), row(Query_ID="Q-2", LLM_점수=cell))
    assert [(item.status, item.intent) for item in part.items] == [(Status.ERROR, 0), (Status.OK, 5)]
    assert found(part)["recorded-not-a-number"] == [(3, "LLM 점수", cell)]


def with_seconds(*cells: str, delimiter: str = ",") -> Part:
    """Items whose payload has no seconds, with these cells in the column of seconds."""
    rows = [[*row(Query_ID=f"Q-{n}", Raw_JSON=payload(seconds=None)), cell, ""] for n, cell in enumerate(cells)]
    return score_bytes(csv_text(rows, header=EXTENDED, delimiter=delimiter).encode())


def seconds_of(items: Sequence[Item]) -> list[float | None]:
    return [item.seconds for item in items]


def test_a_decimal_comma_is_read_in_files_of_semicolons() -> None:
    assert seconds_of(with_seconds("9,694", "4,2", "12,5 초", delimiter=";").items) == [9.694, 4.2, 12.5]
    part = with_seconds("9,694", "4,2", "1.234,5")
    assert seconds_of(part.items) == [None, 4.2, 1234.5]
    assert found(part)["seconds-unusable"] == [(2, "responseTimeSec", "9,694")]


def test_times_are_read_where_a_document_names_them_without_points_for_them() -> None:
    columns = "".join(f"  - {{ name: {name}, title: {name}, required: true }}\n" for name in ("query_id", "response"))
    columns += "  - { name: latency_ms, title: latency_ms }\n"
    front = (
        f"profile: bot\ntitle: Bot\nfiles: [bot*]\ncolumns:\n{columns}metrics:\n  stability: {{ headings: [done] }}\n"
    )
    table = "| Status | Points |\n| --- | ---: |\n| ok / partial | 5 |\n| error / empty | 0 |\n"
    rubric = parse_rubric(f"---\n{front}---\n\n## Done\n\n{table}", source="bot.md")
    data = "query_id,response,latency_ms\nQ-1,An answer,657\nQ-2,Another,soon\n"
    part = score_bytes(data.encode(), "bot.csv", rubric)
    assert seconds_of(part.items) == [0.657, None]
    assert found(part)["seconds-unusable"] == [(3, "latency_ms", "soon")]


def test_a_decimal_comma_in_a_payload_is_read_as_in_its_file() -> None:
    rows = [row(Query_ID=f"Q-{n}", Raw_JSON=payload(seconds=one)) for n, one in enumerate(("9,694", "4,2 s"))]
    rows.append(row(Query_ID="Q-2", Raw_JSON=payload(seconds=None, latency_ms="9694,250")))
    assert seconds_of(score_bytes(csv_text(rows, delimiter=";").encode()).items) == [9.694, 4.2, 9.69425]
    part = score_rows(*rows)
    assert seconds_of(part.items) == [None, 4.2, None]
    assert found(part)["seconds-unusable"] == [(2, "Raw JSON", "9,694"), (4, "Raw JSON", "9694,250")]


def test_scores_with_a_comma_are_read_where_it_has_one_meaning() -> None:
    part = score_rows(row(LLM_점수="4,5"), row(Query_ID="Q-2", LLM_점수="'3"), row(Query_ID="Q-3", LLM_점수="4,500"))
    assert [item.intent for item in part.items] == [4.5, 3, 5]
    assert found(part) == {"recorded-not-a-number": [(4, "LLM 점수", "4,500")]}


def test_seconds_that_are_filled_and_not_usable_are_named_also_when_another_place_has_them() -> None:
    part = score_rows([*row(Raw_JSON=payload(seconds="곧")), "빠름", "9694"], header=EXTENDED)
    assert seconds_of(part.items) == [9.694]
    assert found(part)["seconds-unusable"] == [(2, "Raw JSON", "곧"), (2, "responseTimeSec", "빠름")]
    assert score_rows([*row(), "빠름", "soon"], header=EXTENDED).findings == ()  # the payload has them


@pytest.mark.parametrize(
    ("cells", "is_named"),
    [
        ({}, True),
        ({"오류": "TimeoutError: 90000ms"}, True),
        ({"오류": "응답 시간 초과"}, True),
        ({"오류": "HTTP 500"}, False),
        ({"Raw_JSON": json.dumps({"responseTimeSec": 0})}, False),
    ],
)
def test_zero_seconds_of_an_answer_or_a_time_out_are_named(cells: dict[str, str], is_named: bool) -> None:
    part = score_rows(row(**({"Raw_JSON": payload(seconds=0), "응답": ""} | cells)))
    assert (part.items[0].seconds, part.items[0].latency) == (0, 5)
    assert ("seconds-zero" in found(part)) is is_named


@pytest.mark.parametrize("text", ["ReadTimeout", "timed out", "Time-out", "타임 아웃", "시간초과", "таймаут"])
def test_time_outs_are_known_in_several_spellings(text: str) -> None:
    assert is_time_out(text)
    assert not is_time_out("HTTP 500")


@pytest.mark.parametrize(
    ("answer", "is_none"),
    [
        ("[]", True), ("{}", True), (" [ ] ", True), ("{ }", True), ("[[], {}]", True), ('[""]', True),
        ("[null]", True), ('{"text": " "}', True), ("", True), ("nan", True), ("null", True),
        ("[1]", False), ('["a"]', False), ("[x]", False),
        ("[", False), ("{}.", False), ("false", False), ("0", False),
    ],
)  # fmt: skip
def test_list_or_object_that_holds_nothing_is_no_answer(answer: str, is_none: bool) -> None:
    assert is_no_answer(answer) is is_none


def test_payloads_that_cannot_be_read_are_named_with_cause_and_start() -> None:
    part = score_rows(row(Raw_JSON="{'assistantMessage': 'x'}"), row(Query_ID="Q-2", Raw_JSON="[1]"))
    assert found(part) == {
        "payload-unreadable": [
            (2, "Raw JSON", "{'assistantMessage': 'x'}"),
            (3, "Raw JSON", "[1]"),
        ]
    }
    (finding,) = part.findings
    assert [place.values["diagnosis"] for place in finding.places] == ["python-dict", "not-an-object"]
    assert "(Python notation (single quotes, True, None), not JSON)" in first_places(finding, texts("en"))
    assert (finding.count, finding.severity) == (2, Severity.ERROR)


@pytest.mark.parametrize(
    ("cell", "response", "keys"),
    [
        ('{"message": "x", "responseTimeSec": 4}', "답", "message, responseTimeSec"),
        ('{"result": {"assistantMessage": "x"}}', "답", "result"),
        ('{"message": "x"}', "", None),
        ('{"message": "x", "error": "HTTP 500"}', "답", None),
        ('{"assistantMessage": ""}', "답", None),
        ('{"assistantMessage": {"text": "x"}}', "답", None),
        ("{}", "답", "{}"),
        ('"{}"', "답", "{}"),
        ("{}", "", None),
    ],
)
def test_payloads_without_a_field_of_an_answer_are_named_by_their_keys(
    cell: str, response: str, keys: str | None
) -> None:
    part = score_rows(row(Raw_JSON=cell, 응답=response))
    assert found(part).get("payload-unknown-fields") == ([(2, "Raw JSON", keys)] if keys else None)


@pytest.mark.parametrize(
    ("cells", "is_named"),
    [
        ({"Raw_JSON": "", "응답": "답"}, True),
        ({"Raw_JSON": "NaN", "응답": "답"}, True),
        ({"Raw_JSON": "", "응답": ""}, False),
        ({"Raw_JSON": "", "응답": "답", "오류": "HTTP 500"}, False),
        ({"응답": "답"}, False),
    ],
)
def test_responses_without_a_payload_are_named(cells: dict[str, str], is_named: bool) -> None:
    places = found(score_rows(row(**cells)))
    assert places == ({"response-without-payload": [(2, "Raw JSON", "답")]} if is_named else {})


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ({"Raw_JSON": payload(seconds=None)}, {"seconds-missing"}),
        ({"Raw_JSON": '{"dataUIList": [{"a": 1}]}'}, {"seconds-missing"}),
        ({"Raw_JSON": payload(seconds="빠름")}, {"seconds-unusable"}),
        ({"Raw_JSON": payload(seconds=None), "오류": "HTTP 500"}, set()),
        ({"Raw_JSON": "", "응답": ""}, set()),
        ({"Raw_JSON": payload(seconds=3.5)}, set()),
    ],
)
def test_answers_without_seconds_are_named(cells: dict[str, str], codes: set[str]) -> None:
    assert found(score_rows(row(**cells))).keys() == codes


def test_json_in_json_is_counted() -> None:
    inner = payload()
    part = score_rows(
        row(Raw_JSON=json.dumps(inner)), row(Query_ID="Q-2", Raw_JSON=payload(dataUIList=json.dumps([{"a": 1}])))
    )
    assert {code: len(places) for code, places in found(part).items()} == {"json-in-json": 1, "json-in-ui": 1}


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("Track 9", "track-unnamed"),
        ("복합", "track-unknown"),
        ("Track 1", None),
        ("", None),
        ("nan", None),
        ("2.0", None),
    ],
)
def test_tracks_that_are_not_known_are_named(cell: str, code: str | None) -> None:
    assert found(score_rows(row(Track=cell))) == ({code: [(2, "Track", cell)]} if code else {})


def test_a_document_that_names_no_track_takes_every_number_and_nothing_else() -> None:
    rows = [row(Query_ID=f"Q-{n}", Track=cell) for n, cell in enumerate(("Track 9", "복합", ""))]
    part = score_bytes(csv_text(rows).encode(), "h_recruit_x.csv", profile_named("h-recruit", shipped_rubrics()))
    assert [item.track for item in part.items] == [9, None, None]
    assert found(part)["track-unknown"] == [(3, "Track", "복합")]
    assert "track-unnamed" not in found(part)


def set_codes(*rows: list[str]) -> dict[str, int]:
    """Findings of the set of one file."""
    part = score_bytes(csv_text(rows).encode())
    return {finding.code: finding.count for finding in merge([("a.csv", part)], resume_rubric()).findings}


@pytest.mark.parametrize(
    ("scores", "is_named"),
    [
        (["0.9", "1", "0.75", "0"], True),
        (["1"], True),
        (["0", "0"], False),
        (["0.5", "5"], False),
        (["0.5", "좋음"], True),
        ([""], False),
    ],
)
def test_scores_that_are_all_within_0_and_1_are_named(scores: list[str], is_named: bool) -> None:
    codes = set_codes(*[row(Query_ID=f"Q-{n}", LLM_점수=score) for n, score in enumerate(scores)])
    used = sum(score not in {"", "좋음"} for score in scores)
    assert codes.get("scores-0-to-1") == (used if is_named else None)


@pytest.mark.parametrize(
    ("seconds", "count"),
    [((4200, 9694.5), 2), ((4200, 9000, 4.2), 3), ((4200, 4.2, 0), None), ((900, 1100), None), ((1000.5,), 1),
     ((4.1, 12.6, 33, 5, 4100, 9694), 2), ((*[4] * 20, 4100, 9694), None)],
)  # fmt: skip
def test_seconds_whose_median_is_above_1000_are_named(seconds: tuple[float, ...], count: int | None) -> None:
    codes = set_codes(*[row(Query_ID=f"Q-{n}", Raw_JSON=payload(seconds=one)) for n, one in enumerate(seconds)])
    assert codes.get("seconds-milliseconds") == count


def test_words_of_a_document_are_compared_as_cells_are() -> None:
    rules = StatusRules(resume_rubric())
    assert rules.decide("‐", None).status is Status.EMPTY
    assert rules.decide("- 오류", None).status is Status.ERROR


def test_payloads_are_kept_until_a_file_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [payload(message="가" * size) for size in (10, 300, 20, 30, 10)]
    monkeypatch.setattr(from_rows, "LONGEST_PAYLOAD", len(cells[1]) - 1)
    monkeypatch.setattr(from_rows, "KEPT_PAYLOADS", len(cells[0]) + len(cells[2]) + len(cells[4]))
    part = score_rows(*(row(Query_ID=f"Q-{at}", Raw_JSON=cell) for at, cell in enumerate(cells)))
    assert [item.payload for item in part.items] == [cells[0], "", cells[2], "", ""]
    assert [item.payload_size for item in part.items] == [len(cell) for cell in cells]


def _with_errors(*cells: str) -> Part:
    """The part of rows with these cells in the error column."""
    return score_rows(*(row(Query_ID=f"Q-{n}", 오류=cell) for n, cell in enumerate(cells)))


@pytest.mark.parametrize(
    ("cells", "n"),
    [
        (["Zilch"] * 11 + ["connection reset"], 11),
        (["all fine"] * 2, 2),
        (["zilch", "ZILCH ", "Zilch"], 3),
        (["Zilch", "Zilch", "", "nan", "Timeout"], 2),
        (["Zilch"] * 2 + ["Timeout"] * 2, 0),  # not more than half
        (["Zilch"] * 2 + ["성공"] * 2, 0),  # words of no error are filled cells too
        (["Zilch"] * 2 + ["성공"], 2),
        (["Zilch"], 0),
        (["OK_NOERR"] * 2, 2),
        (["실패 없었음"] * 2, 2),
        (["HTTP 500"] * 2, 0),  # can only be an error
        (["TimeoutError"] * 2, 0),
        (["시간 초과"] * 2, 0),
        (["the plan is gone"] * 4, 0),  # more than two words
    ],
)
def test_one_short_error_text_beside_answers_is_named(cells: list[str], n: int) -> None:
    part = _with_errors(*cells)
    assert counted(part) == ({"error-column-constant": n} if n else {})
    assert "filled-errors" not in part.counts


def test_one_short_error_text_without_answers_is_a_usual_error() -> None:
    part = score_rows(*(row(Query_ID=f"Q-{n}", 오류="Timeout", 응답="", Raw_JSON="") for n in range(4)))
    assert counted(part) == {}


@pytest.mark.parametrize(
    ("milliseconds", "count"),
    [
        (["4.1", "12.6", "33.0"], 3),  # seconds
        (["61.5"], 1),
        (["4100", "12600", "4.1", "12.6"], 2),  # a mixture
        (["4.1", "12.6", "33.0", "4100"], 3),
        (["4100", "12600", "99"], None),  # one short time may be a cached answer
        ([*["4100"] * 30, "4.1", "12.6"], None),
        (["150", "250", "99", "90"], None),  # a fast agent
        (["0", "0", "0"], None),  # named as zero
        (["100", "100"], None),
    ],
)
def test_milliseconds_that_look_like_seconds_are_named(milliseconds: list[str], count: int | None) -> None:
    cells = [[*row(Query_ID=f"Q-{n}", Raw_JSON=NO_SECONDS), one] for n, one in enumerate(milliseconds)]
    part = score_bytes(csv_text(cells, header=(*HEADER, "latency_ms")).encode())
    codes = {finding.code: finding.count for finding in merge([("a.csv", part)], resume_rubric()).findings}
    assert codes.get("seconds-too-short") == count


def test_short_times_of_failures_are_no_reason_to_ask() -> None:
    rows = [row(Query_ID=f"Q-{n}", 오류="HTTP 401", Raw_JSON=payload(seconds=0.01)) for n in range(3)]
    assert "seconds-too-short" not in set_codes(*rows, row(Query_ID="Q-9", Raw_JSON=payload(seconds=4.2)))


@pytest.mark.parametrize(
    ("column", "cell", "delimiter", "seconds", "n"),
    [
        ("responseTimeSec", "9.694", ";", 9.694, 1),
        ("responseTimeSec", "9.694", ",", 9.694, 0),
        ("responseTimeSec", "9,694", ";", 9.694, 0),
        ("responseTimeSec", "9.69", ";", 9.69, 0),
        ("latency_ms", "9.694", ";", 9.694, 1),
        ("latency_ms", "9694", ";", 9.694, 0),
        ("latency_ms", "9 694", ";", 9.694, 0),
        ("latency_ms", "1.234.567", ";", 1234.567, 0),
    ],
)
def test_a_dot_before_three_digits_is_named_in_files_with_semicolons(
    column: str, cell: str, delimiter: str, seconds: float, n: int
) -> None:
    text = csv_text([[*row(Raw_JSON=NO_SECONDS), cell]], header=(*HEADER, column), delimiter=delimiter)
    part = score_bytes(text.encode())
    assert [item.seconds for item in part.items] == [seconds]
    assert counted(part) == ({"number-separator": 1} if n else {})
