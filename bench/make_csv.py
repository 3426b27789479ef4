"""Seeded generator of realistic result files of any size.

    python -m bench.make_csv --rows 100000 --rounds 2 --seed 7 --out bench/data/resume_agent_100000.csv

`--worse N` makes the same file after a change that broke N of its queries, for `scorewatch compare`.

Columns are those of the real exporter; payloads have the shape and the sizes of real ones (60 B to 20 KB,
mean about 1.85 KB). All content is invented. The same arguments give the same bytes on every Python: only
`Random.random` is drawn from, whose sequence Python promises to keep.
"""

import argparse
import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import TypeVar

from bench.phrases import (
    CATEGORIES,
    CLARIFY,
    CLOSING,
    CONDITIONS,
    ERRORS,
    EXPECTED,
    HIDDEN_FAILURES,
    NAMES,
    OPENING,
    TASKS,
)

Value = TypeVar("Value")

COLUMNS = (
    "Ordinal", "Run ID", "Item ID", "Query ID", "Track", "질의", "기대결과", "카테고리", "방/반복", "실행시각", "응답",
    "오류", "Logic 결과", "Logic 사유", "LLM 상태", "LLM 점수", "LLM 코멘트", "LLM 모델", "Raw JSON",
)  # fmt: skip

_TRACK_SHARES = ((1, 0.67), (2, 0.05), (3, 0.28))

# Seconds at even steps of probability; between them straight lines. Track 3 runs several tools.
_SECONDS = {
    1: (2.9, 5.6, 8.4, 10.3, 11.6, 12.8, 13.9, 15.2, 16.8, 18.9, 31.0),
    2: (3.4, 5.2, 7.1, 8.8, 10.4, 12.0, 13.1, 14.6, 16.0, 18.2, 24.0),
    3: (6.2, 9.7, 12.4, 15.8, 18.1, 21.5, 26.4, 33.0, 41.5, 55.0, 88.0),
}
# Chance that a question of the track is unreliable, and how an unreliable or a reliable one ends.
_UNRELIABLE = {1: 0.03, 2: 0.25, 3: 0.45}
_OUTCOMES_UNRELIABLE = (("error", 0.36), ("empty", 0.12), ("partial", 0.26), ("hidden", 0.06), ("ok", 0.20))
_OUTCOMES_RELIABLE = (("error", 0.004), ("partial", 0.012), ("hidden", 0.004), ("ok", 0.98))

_TIMEOUT_SECONDS = 90.0
_START = datetime(2026, 3, 2, 9, 0, 0)  # noqa: DTZ001 -- the exporter writes local time without a zone


@dataclass(frozen=True, slots=True)
class _Question:
    number: int
    track: int
    category: str
    condition: str
    text: str
    expected: str
    unreliable: bool


def make_rows(count: int, *, rounds: int = 2, seed: int = 7, queries: int | None = None) -> Iterator[tuple[str, ...]]:
    """`count` rows (cells as text, in the order of COLUMNS), round after round.

    Every round leaves out about one question in a hundred, each a different one, where it is large enough.
    queries: so many questions, asked again and again in each round; None for each once.
    """
    rng = Random(seed)
    quotas = [count // rounds + (index < count % rounds) for index in range(rounds)]
    asked = max(quotas) + max(quotas) // 100 + 1 if queries is None else queries
    questions = [_question(number, rng) for number in range(1, asked + 1)]
    ordinal = 0
    for index, quota in enumerate(quotas):
        at = _START + timedelta(days=index)
        of_round = _leave_out(questions, len(questions) - quota, rng) if queries is None else cycle(questions)
        for question in islice(of_round, quota):
            ordinal += 1
            row, seconds = _row(ordinal, index + 1, question, at, rng)
            at += timedelta(seconds=seconds + 1)
            yield row


def shortened(rows: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The rows with an answer of one line, and nothing in the payload but it, its error and its seconds."""
    answer, payload = COLUMNS.index("응답"), COLUMNS.index("Raw JSON")
    for row in rows:
        text = row[answer].partition("\n")[0]
        body = json.loads(row[payload])
        kept = {"assistantMessage": text, "responseTimeSec": body["responseTimeSec"], "error": body["error"]}
        cells = list(row)
        cells[answer], cells[payload] = text, _dump(kept)
        yield tuple(cells)


def worsened(rows: Iterable[tuple[str, ...]], queries: int, *, seed: int = 7) -> list[tuple[str, ...]]:
    """The rows with an error in every round of so many queries, of those that passed in every one.

    All other rows stay as they are. Raises ValueError when fewer queries passed.
    """
    rows = list(rows)
    query, verdict = COLUMNS.index("Query ID"), COLUMNS.index("Logic 결과")
    ended: dict[str, set[str]] = {}
    for row in rows:
        ended.setdefault(row[query], set()).add(row[verdict])
    passed = sorted(query_id for query_id, verdicts in ended.items() if verdicts == {"PASS"})
    if queries > len(passed):
        raise ValueError(f"{len(passed)} queries passed in every round, {queries} are to get worse")
    rng = Random(seed)
    chosen = {passed.pop(int(rng.random() * len(passed))) for _ in range(queries)}
    return [_failed(row) if row[query] in chosen else row for row in rows]


def write_csv(stream: io.TextIOBase, rows: Iterable[tuple[str, ...]]) -> None:
    """Write header and rows to a text stream that translates no line ends."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)


def write_file(
    path: Path,
    count: int,
    *,
    rounds: int = 2,
    seed: int = 7,
    worse: int = 0,
    queries: int | None = None,
    is_short: bool = False,
) -> None:
    """Write a file as the exporter does: UTF-8 with a byte-order mark.

    worse: as for `worsened`. queries: as for `make_rows`. is_short: with the texts of `shortened`.
    """
    rows: Iterable[tuple[str, ...]] = make_rows(count, rounds=rounds, seed=seed, queries=queries)
    if is_short:
        rows = shortened(rows)
    if worse:
        rows = worsened(rows, worse, seed=seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        write_csv(stream, rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=164)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--worse", type=int, default=0, help="queries that fail in every round")
    parser.add_argument("--queries", type=int, help="different questions, asked again and again; else each once")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    if options.rows < 1 or options.rounds < 1 or options.worse < 0:
        parser.error("--rows and --rounds are at least 1, --worse is at least 0")
    if options.queries is not None and options.queries < 1:
        parser.error("--queries is at least 1")
    try:
        write_file(
            options.out,
            options.rows,
            rounds=options.rounds,
            seed=options.seed,
            worse=options.worse,
            queries=options.queries,
        )
    except ValueError as error:
        parser.error(f"--worse: {error}")
    return 0


def _pick(values: Sequence[Value], rng: Random) -> Value:
    return values[int(rng.random() * len(values))]


def _pick_share(shares: Sequence[tuple[Value, float]], rng: Random) -> Value:
    left = rng.random()
    for value, share in shares:
        left -= share
        if left < 0:
            return value
    return shares[-1][0]


def _hex(digits: int, rng: Random) -> str:
    return "".join("0123456789abcdef"[int(rng.random() * 16)] for _ in range(digits))


def _leave_out(questions: list[_Question], count: int, rng: Random) -> Iterator[_Question]:
    left_out: set[int] = set()
    while len(left_out) < count:
        left_out.add(int(rng.random() * len(questions)))
    return (question for index, question in enumerate(questions) if index not in left_out)


def _question(number: int, rng: Random) -> _Question:
    track = _pick_share(_TRACK_SHARES, rng)
    condition, category = _pick(CONDITIONS, rng)
    kind = int(rng.random() * len(TASKS[track]))
    return _Question(
        number=number,
        track=track,
        category=CATEGORIES[track][kind] if track in CATEGORIES else category,
        condition=condition,
        text=TASKS[track][kind].format(condition=condition, other=_pick(CONDITIONS, rng)[0], name=_pick(NAMES, rng)),
        expected=f"{condition} {EXPECTED}",
        unreliable=rng.random() < _UNRELIABLE[track],
    )


def _row(ordinal: int, room: int, question: _Question, at: datetime, rng: Random) -> tuple[tuple[str, ...], float]:
    outcome = _pick_share(_OUTCOMES_UNRELIABLE if question.unreliable else _OUTCOMES_RELIABLE, rng)
    seconds = _latency(question.track, rng)
    error = ""
    if outcome == "error":
        template, is_timeout = _pick(ERRORS, rng)
        error = template.format(number=1000 + int(rng.random() * 9000), trace=_hex(12, rng))
        seconds = _TIMEOUT_SECONDS + rng.random() if is_timeout else seconds
    seconds = round(seconds, 4)
    message = _message(outcome, question, rng)
    payload = _payload(outcome, question, rng, message=message, error=error, seconds=seconds)
    is_good = outcome == "ok"
    recorded, comment = _recorded(outcome, rng)
    row = (
        str(ordinal),
        f"run-{at:%Y%m%d}-{room:02d}",
        f"{_hex(8, rng)}-{_hex(4, rng)}",
        f"Q-{question.number:05d}",
        f"Track {question.track}",
        question.text,
        question.expected,
        question.category,
        f"{room}/1",
        f"{at:%Y-%m-%d %H:%M:%S}",
        message,
        # Some errors stand in the payload alone; blank cells of some exports come back from pandas as "nan".
        "nan" if not error and rng.random() < 0.02 else error if rng.random() < 0.8 else "",
        "PASS" if is_good else "FAIL",
        "기대 UI와 필수 키가 모두 있음" if is_good else f"기대 UI 없음: {question.category}",
        "완료" if recorded else "",
        recorded,
        comment,
        "judge-mini-2026-01" if recorded else "",
        payload,
    )
    return row, seconds


def _failed(row: tuple[str, ...]) -> tuple[str, ...]:
    """A row whose answer is an error; the time that it took stays."""
    seconds = json.loads(row[COLUMNS.index("Raw JSON")])["responseTimeSec"]
    changed = {
        "응답": "",
        "오류": ERRORS[0][0].format(number=1000, trace="0" * 12),
        "Logic 결과": "FAIL",
        "Logic 사유": f"기대 UI 없음: {row[COLUMNS.index('카테고리')]}",
        "LLM 상태": "",
        "LLM 점수": "",
        "LLM 코멘트": "",
        "LLM 모델": "",
    }
    changed["Raw JSON"] = _dump({"error": changed["오류"], "responseTimeSec": seconds, "dataUIList": []})
    return tuple(changed.get(name, cell) for name, cell in zip(COLUMNS, row, strict=True))


def _latency(track: int, rng: Random) -> float:
    points = _SECONDS[track]
    place = rng.random() * (len(points) - 1)
    index = int(place)
    return points[index] + (points[index + 1] - points[index]) * (place - index)


def _message(outcome: str, question: _Question, rng: Random) -> str:
    if outcome in {"error", "empty"}:
        return ""
    if outcome == "hidden":
        return _pick(HIDDEN_FAILURES, rng)
    if outcome == "partial":
        return f"{_pick(OPENING, rng)}\n{_pick(CLARIFY, rng)}"
    applicants = 2 + int(rng.random() * (11 if question.track == 3 else 4))
    lines = [
        f"- {_pick(NAMES, rng)}: {question.condition}, 평가 {40 + int(rng.random() * 60)}점" for _ in range(applicants)
    ]
    return "\n".join([_pick(OPENING, rng), *lines, _pick(CLOSING, rng)])


def _recorded(outcome: str, rng: Random) -> tuple[str, str]:
    """`LLM 점수` and its comment; about one item in four was graded."""
    if rng.random() >= 0.25:
        return "", ""
    if outcome == "ok":
        return ("5", "요청한 조건을 모두 반영함") if rng.random() < 0.8 else ("4", "조건 하나를 설명하지 않음")
    if outcome == "partial":
        return "4" if rng.random() < 0.5 else "3", "되물은 내용이 적절함"
    return ("1", "답이 요청과 다름") if outcome == "hidden" else ("0", "응답 없음")


def _payload(outcome: str, question: _Question, rng: Random, *, message: str, error: str, seconds: float) -> str:
    if outcome in {"error", "empty"} and rng.random() < 0.5:
        return _dump({"error": error, "responseTimeSec": seconds, "dataUIList": []})
    ui = [] if outcome in {"error", "empty", "hidden"} else _ui_items(question, rng)
    worker_type = "PLAN_WORKER_V3" if question.track == 3 else "GRID_WORKER_V2"
    milliseconds = round(seconds * 1000 - rng.random() * 300, 6)
    body: dict[str, object] = {
        "assistantMessage": message,
        "dataUIList": ui,
        "guideList": [],
        "executionProcesses": [
            {"messageSummary": worker_type, "workerType": worker_type, "ms": milliseconds, "index": 0}
        ],
    }
    if rng.random() < 0.7:  # the worker's own output repeats the message
        body["worker"] = [
            {
                "type": worker_type,
                "input": {"message": question.text, "context": {"recruitPlanId": 1000 + int(rng.random() * 900)}},
                "output": {"workerType": worker_type, "assistantMessage": message, "dataUIList": []},
                "ms": milliseconds,
            }
        ]
        body["workerMsMap"] = {f"{worker_type}#0": milliseconds}
    body["conversationId"] = f"{_hex(8, rng)}-0000-4000-8000-{_hex(12, rng)}"
    body["responseTimeSec"] = seconds
    body["error"] = error
    return _dump(body)


def _ui_items(question: _Question, rng: Random) -> list[object]:
    items: list[object] = []
    for _ in range(1 + int(rng.random() * 3)):
        kind = _pick(("SELECT", "LINK", "ACTION"), rng)
        items.append({"uiDescription": f"{question.category} 적용", "uiValue": _ui_value(kind, rng)})
    if rng.random() < 0.05:  # a whole table of applicants: the largest payloads
        rows = [
            {"applicantId": 70000 + int(rng.random() * 9999), "name": _pick(NAMES, rng), "grade": _pick("ABCD", rng)}
            for _ in range(10 + int(rng.random() * 250))
        ]
        items.append({"uiDescription": "지원자 목록", "uiValue": {"formType": "GRID", "value": {"rows": rows}}})
    return items


def _ui_value(kind: str, rng: Random) -> dict[str, object]:
    if kind == "SELECT":
        options = [
            {
                "optionId": number,
                "optionName": _pick(CONDITIONS, rng)[0],
                "optionValue": f"OPTION_{number}",
                "optionValueFieldName": "buttonKey",
            }
            for number in range(1, 2 + int(rng.random() * 4))
        ]
        return {"formType": "SELECT", "multiSelectAllowYn": False, "selectOptionList": options}
    if kind == "LINK":
        return {
            "formType": "LINK",
            "message": "최근 365일 기준",
            "buttonName": "이동하기",
            "buttonUrl": "/agent/grid/applicant?viewMode=NOTICE&condition=%5B%7B%22filterType%22:%22PERIOD%22%7D%5D",
        }
    node = str(6000 + int(rng.random() * 300))  # a number in some exports, text in others
    return {
        "formType": "ACTION",
        "actionType": "NODE_DATASET_UPDATE",
        "dataKey": "PLAN_NODE_SAVE",
        "value": {"nodeId": node, "nodeType": _pick(("DOCUMENT", "INTERVIEW"), rng), "dataKey": "PLAN_NODE_SAVE"},
    }


def _dump(body: dict[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False)


if __name__ == "__main__":
    raise SystemExit(main())
