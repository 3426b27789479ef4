"""The sample in docs/test-result: three rounds of one question set, with one of each common thing to look at.

    python -m bench.sample

Everything odd in it is a note: nothing is left out, so that scoring it ends with exit code 0. The rows come from
`bench.make_csv`; the edits below say what an exporter, a spreadsheet or a person does to such a file.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path

from bench.make_csv import COLUMNS, make_rows

SAMPLE = Path("docs/test-result/resume_agent_sample.csv")
ROWS, ROUNDS, SEED = 246, 3, 8

Row = dict[str, str]


def sample_rows() -> list[Row]:
    """All rows by column title, in the order of the file. A blank row has no cell filled."""
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in make_rows(ROWS, rounds=ROUNDS, seed=SEED)]
    answered = [row for row in rows if row["응답"] and not row["오류"]]
    for edit, row in zip(EDITS, answered[5 :: len(answered) // len(EDITS)], strict=False):
        edit(row)
    again = _asked_again(answered[100])
    rows.insert(rows.index(answered[100]) + 1, again)  # two attempts of one query in one round
    rows.insert(rows.index(answered[60]) + 1, dict(answered[60]))  # a row that was pasted twice
    rows.insert(len(rows) // 2, dict.fromkeys(COLUMNS, ""))  # a blank row
    return rows


def write_sample(path: Path) -> None:
    """Write the sample as the exporter does: UTF-8 with a byte-order mark."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sample_rows())


def _set(column: str, value: str) -> Callable[[Row], None]:
    def edit(row: Row) -> None:
        row[column] = value

    return edit


def _change(column: str, work: Callable[[str], str]) -> Callable[[Row], None]:
    def edit(row: Row) -> None:
        row[column] = work(row[column])

    return edit


def _in_payload(**fields: object) -> Callable[[Row], None]:
    return _change("Raw JSON", lambda cell: json.dumps(json.loads(cell) | fields, ensure_ascii=False))


def _other_fields(cell: str) -> str:
    """A payload as another version of the agent names its fields."""
    return json.dumps({"answerText": json.loads(cell)["assistantMessage"]}, ensure_ascii=False)


EDITS: tuple[Callable[[Row], None], ...] = (
    _set("LLM 점수", "85"),  # a percentage among points
    _set("LLM 점수", "우수"),
    _in_payload(responseTimeSec="측정 안 됨"),
    _in_payload(responseTimeSec=0),
    _set("Track", "미정"),
    _change("방/반복", lambda cell: f"{cell}\u200b"),  # a zero-width space, as chats and web pages add them
    _change(
        "방/반복", lambda cell: "월 ".join(part.zfill(2) for part in cell.split("/")) + "일"
    ),  # Excel took the round for a date
    _change("질의", lambda cell: f"{cell} (조건을 바꿔 다시)"),  # one Query ID, two questions
    _change("질의", lambda cell: cell[:-1] + "\ufffd"),  # saved in the wrong encoding once
    _change("Raw JSON", json.dumps),  # JSON inside JSON
    _change("Raw JSON", _other_fields),
    _set("오류", "'-"),  # guarded against formulas: no error
)


def _asked_again(row: Row) -> Row:
    payload = json.loads(row["Raw JSON"]) | {"assistantMessage": "", "dataUIList": [], "error": "TimeoutError: 60000ms"}
    return row | {
        "Item ID": f"{row['Item ID']}-2",
        "응답": "",
        "오류": "TimeoutError: 60000ms",
        "Logic 결과": "FAIL",
        "LLM 점수": "",
        "LLM 상태": "",
        "LLM 코멘트": "",
        "Raw JSON": json.dumps(payload, ensure_ascii=False),
    }


if __name__ == "__main__":
    write_sample(SAMPLE)
