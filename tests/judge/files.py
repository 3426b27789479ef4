"""Result files whose items have no verdict, so that a judge is asked."""

import csv
import json
from pathlib import Path

COLUMNS = (
    "Run ID", "Item ID", "Query ID", "Track", "질의", "기대결과", "카테고리", "방/반복", "응답", "오류", "Raw JSON",
    "intent_verdict",
)  # fmt: skip


def write_answers(path: Path, *answers: str, verdicts: dict[int, str] | None = None) -> None:
    """One item per answer, Q-1 and on; verdicts: recorded ones by index of the answer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for number, answer in enumerate(answers, start=1):
            payload = json.dumps({"assistantMessage": answer, "dataUIList": [], "responseTimeSec": 4, "error": ""})
            recorded = (verdicts or {}).get(number - 1, "")
            writer.writerow(
                [
                    *("run-1", f"i-{number}", f"Q-{number}", "Track 1", f"질의 {number}", "기대", "공고", "1/1"),
                    *(answer, "", payload, recorded),
                ]
            )
