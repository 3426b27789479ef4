"""The part of the view about the inputs: where the rows went, what was odd, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from reporting import words
from reporting.display import NONE, count, excerpt
from reporting.problem_text import describe
from reporting.tables import Table, table
from scoring.insights import Insights
from scoring.problems import Severity
from scoring.result import InputSummary, SetResult

MAX_INPUTS = 50
MAX_PROBLEMS = 50
NAME_CHARS = 120
HASH_CHARS = 12
_PAYLOAD = "payload:"
_SHOWN_ELSEWHERE = ("recorded-not-a-number", "recorded-out-of-range")
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 (BOM)",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "cp949": "CP949",
    "xlsx": "XLSX",
}
_DELIMITERS = {",": "쉼표", "\t": "탭", ";": "세미콜론"}


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityView:
    """rows: per input and in total, 행 = 문항 + 중복 + 빈 행 + 못 쓴 행. refused: names of inputs without figures.

    restored: rounds read back from Excel dates, "" when none; swap_note: what to check about them, "" when nothing.
    payloads: invalid ones by diagnosis. counts: everything else that was counted. problems: one text each.
    """

    rows: Table
    refused: tuple[str, ...]
    restored: str
    swap_note: str
    payloads: Table
    counts: Table
    problems: tuple[str, ...]
    problems_more: int


def quality_view(result: SetResult, insights: Insights) -> QualityView:
    """Everything about the inputs that a reader must know before trusting the figures."""
    problems = sorted(result.problems, key=lambda problem: problem.severity is Severity.NOTE)
    shown = problems[:MAX_PROBLEMS]
    restored = result.counts.get("restored-date", 0)
    labels = ", ".join(excerpt(label, words.LABEL_CHARS) for label in result.restored_rounds[:MAX_INPUTS])
    return QualityView(
        rows=_row_table(result),
        refused=tuple(excerpt(entry.name, NAME_CHARS) for entry in result.inputs if entry.refused),
        restored=f"{count(restored)}행 ({labels})" if restored else "",
        swap_note=_swap_note(result.restored_rounds),
        payloads=table(["원인", ">n"], [(words.diagnosis(code), count(n)) for code, n in insights.payloads.items()]),
        counts=table(
            ["항목", ">n"],
            [(words.count_name(code), count(n)) for code, n in _other_counts(result, insights)],
        ),
        problems=tuple(describe(problem) for problem in shown),
        problems_more=result.problem_count - len(shown),
    )


def input_table(result: SetResult) -> Table:
    """Names of the inputs with the start of their SHA-256."""
    rows = [
        [excerpt(entry.name, NAME_CHARS), entry.sha256[:HASH_CHARS], count(entry.size)]
        for entry in result.inputs[:MAX_INPUTS]
    ]
    return table(["파일", "SHA-256 (앞 12자리)", ">크기(바이트)"], rows, total=len(result.inputs))


def _row_table(result: SetResult) -> Table:
    rows = [[excerpt(entry.name, NAME_CHARS), *_row_cells(entry)] for entry in result.inputs[:MAX_INPUTS]]
    if len(result.inputs) > 1:
        read = [entry for entry in result.inputs if not entry.refused]
        figures = zip(*(_figures(entry) for entry in read), strict=True)
        rows.append(["합계", *(count(sum(column)) for column in figures), NONE])
    titles = ["파일", ">데이터 행", ">문항", ">중복", ">빈 행", ">못 쓴 행", "인코딩"]
    return table(titles, rows, total=len(rows) + max(len(result.inputs) - MAX_INPUTS, 0))


def _figures(entry: InputSummary) -> tuple[int, int, int, int, int]:
    return entry.rows, entry.items, entry.duplicates, entry.blank_rows, entry.unusable_rows


def _row_cells(entry: InputSummary) -> list[str]:
    if entry.refused:
        return [NONE] * 5 + ["읽지 못함"]
    encoding = _ENCODINGS.get(entry.encoding, entry.encoding)
    if entry.sheet:
        encoding += f", 시트 {excerpt(entry.sheet, words.LABEL_CHARS)}"
    if entry.delimiter:
        encoding += f", {_DELIMITERS.get(entry.delimiter, entry.delimiter)}"
    return [*map(count, _figures(entry)), encoding]


def _other_counts(result: SetResult, insights: Insights) -> list[tuple[str, int]]:
    sources = insights.intent_sources
    ignored = [
        ("숫자가 아니어서 쓰지 않은 LLM 점수", sources.not_a_number),
        ("범위를 벗어나 쓰지 않은 LLM 점수", sources.out_of_range),
    ]
    counted = [
        (code, n)
        for code, n in sorted(result.counts.items())
        if n and not code.startswith(_PAYLOAD) and code != "restored-date" and code not in _SHOWN_ELSEWHERE
    ]
    return [entry for entry in ignored if entry[1]] + counted


def _swap_note(labels: tuple[str, ...]) -> str:
    """Excel set to day-first dates swaps room and repeat: visible only when all rooms are 1 and repeats differ."""
    pairs = [label.split("/") for label in labels]
    if len(pairs) > 1 and all(len(pair) == 2 and pair[0] == "1" for pair in pairs):
        return (
            "되살린 방이 모두 1이고 반복만 다릅니다. 일/월 순서로 날짜를 쓰는 Excel에서 저장했다면 방과 반복이 "
            "뒤바뀝니다. 그렇다면 루브릭 문서의 date_order를 day_first로 바꾸세요."
        )
    return ""
