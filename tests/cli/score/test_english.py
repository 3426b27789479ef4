"""An English run over files in English: no Korean word anywhere, and the figures of the Korean run."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.place import Place

HANGUL = re.compile("[\uac00-\ud7a3\u3131-\u318e]")
DIGESTS = ("rubric_digest", "key", "files", "language", "scores_as")

Rows = list[dict[str, str]]


def payload(message: str = "There are 12.", **fields: object) -> str:
    return json.dumps({"assistantMessage": message, "responseTimeSec": 6.5, **fields})


def agent_rows(*, expected: str, good: dict[str, Any], **columns: str) -> Rows:
    """Two rounds of four queries: right, wrong, failed, cut off; in the second the first is empty."""
    rows = []
    for number, label in enumerate(("1/1", "2/1")):
        for query, cells in {
            "Q1": {"Raw JSON": payload(**good) if number == 0 else "{}"},
            "Q2": {"Raw JSON": payload("Which one?", responseTimeSec=70, dataUIList=[{"formType": "NONE"}])},
            "Q3": {"error": "HTTP 500", "Raw JSON": ""},
            "Q4": {"Raw JSON": '{"assistantMessage": "There'},
            "Q5": {"LLM score": "3.5" if number else "nine", "Raw JSON": payload(), "Track": ""},
        }.items():
            rows.append(
                {
                    "Run ID": "run-1", "Item ID": f"{query}-{label}", "Query ID": query,
                    "Track": f"Track {number + 1 if query == 'Q1' else 3}", "question": f"How many {query}?",
                    "expected result": expected, "category": "notices/basic", "round": label, "answer": "There are 12.",
                    "error": "", "LLM status": "done", "LLM score": "", "LLM comment": "", "Raw JSON": "",
                    **columns, **cells,
                }
            )  # fmt: skip
    return rows


CHECKS = json.dumps([{"path": "dataUIList[*].formType", "op": "eq", "value": "SELECT"}, {"op": "odd"}])
FILES: dict[str, Rows] = {
    "resume_agent_a": agent_rows(expected="a number", good={}),
    "h_recruit_a": agent_rows(
        expected="@check formType=SELECT", good={"dataUIList": [{"formType": "SELECT"}]}, intent_verdict="GOOD",
        latencyClass="odd",
    ),
    "plan_agent_a": agent_rows(
        expected="as agreed", good={"dataUIList": [{"formType": "SELECT"}]}, accuracyChecks=CHECKS
    ),
    "url_agent_a": agent_rows(expected="/plan/list?dataKey=A", good={"buttonUrl": "/plan/list?dataKey=A"}),
    **{
        f"rubrics_score_{name}a": [
            {"Query ID": f"Q{at}", "round": label, "question": "Why?", "answer": answer, "level": level, "error": ""}
            for label in ("1", "2")
            for at, (answer, level) in enumerate([("So.", "5"), ("So.", "2"), ("", ""), ("So.", "7")])
        ]
        for name in ("", "en_")
    },
}  # fmt: skip


def write(path: Path, rows: Rows) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def figures(value: Any) -> Any:
    """report.json without texts: numbers, flags and codes stay at their places."""
    if isinstance(value, dict):
        return {name: figures(held) for name, held in value.items() if name not in DIGESTS}
    if isinstance(value, list):
        return [figures(held) for held in value]
    return "" if isinstance(value, str) else value


@pytest.mark.parametrize("name", FILES)
def test_english_report_has_no_korean_word(place: Place, name: str) -> None:
    write(place.root / f"{name}.csv", FILES[name])
    ran = place.score(f"{name}.csv", "--out", "en", "--language", "en")
    assert place.score(f"{name}.csv", "--out", "ko", "--language", "ko").code == ran.code
    written = {
        path.relative_to(place.root / "en").as_posix(): path.read_text(encoding="utf-8")
        for path in (place.root / "en").rglob("*")
        if path.is_file() and ".scorewatch" not in path.parts
    }
    assert {f"{name}/{one}" for one in ("report.md", "report.html", "report.json", "queries.csv", "items.csv")} < {
        *written
    }
    assert {"index.md", "index.html"} < {*written}
    written["console"] = ran.out + ran.err
    assert {one: HANGUL.findall(text) for one, text in written.items() if HANGUL.search(text)} == {}
    korean = json.loads((place.root / "ko" / name / "report.json").read_text(encoding="utf-8"))
    assert HANGUL.search(json.dumps(korean, ensure_ascii=False)) or name == "rubrics_score_en_a"
    assert figures(json.loads(written[f"{name}/report.json"])) == figures(korean)


def test_runs_in_two_languages_are_compared_like_with_like(place: Place) -> None:
    write(place.root / "resume_agent_a.csv", FILES["resume_agent_a"])
    write(place.root / "rubrics_score_a.csv", FILES["rubrics_score_a"])
    for name in ("resume_agent_a", "rubrics_score_a"):
        for language in ("ko", "en"):
            place.score(f"{name}.csv", "--out", language, "--language", language)
        ran = place.run("compare", f"ko/{name}", f"en/{name}", "--json", "--language", "en")
        compared = json.loads(ran.out)
        assert compared["differences"] == []
        unlike = [metric["why"]["kind"] for metric in compared["groups"][0]["metrics"] if not metric["comparable"]]
        assert set(unlike) <= {"damaged"}  # the files have errors
        assert compared["before"]["rubric_digest"] != compared["after"]["rubric_digest"]
