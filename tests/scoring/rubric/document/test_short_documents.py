"""Documents of at most 30 lines: what they leave out is usual, in Korean and in English."""

import json

import pytest
from click.testing import CliRunner

from scoring.items.spool import Part
from scoring.results import merge
from scoring.rubric.document.read import parse_rubric
from scoring.rubric.model import Rubric
from scoring.rubric.points import Status
from tests.scoring.files import csv_text, score_bytes

ENGLISH = """---
profile: helpdesk
title: Helpdesk agent
files: ["helpdesk_*.csv"]
columns:
  - { name: query_id, required: true }
  - { name: round, required: true }
  - { name: track }
  - { name: question }
  - { name: raw_json, title: trace, required: true }
payload: { message: output.text, ui: [], error: output.error, seconds: [], milliseconds: took_ms }
scale: { lowest: 1, highest: 5 }
tracks: [{ track: easy, meaning: one step }, { track: hard }]
metrics: { intent: {}, stability: {}, consistency: {}, latency: {} }
---
## Intent and stability
| status | intent | stability |
|---|---|---|
| ok | 5 | 5 |
| partial | 3 | 5 |
| error / empty | 1 | 1 |

## Latency
| seconds | points |
|---|---|
| <= 5 s | 5 |
| 5 < s <= 10 | 3 |
| > 10 s or missing | 1 |
"""
KOREAN = """---
profile: helpdesk
title: 상담 에이전트
files: ["helpdesk_*.csv"]
columns:
  - { name: query_id, required: true }
  - { name: round, required: true }
  - { name: response, required: true }
  - { name: error }
  - { name: response_seconds }
metrics:
  intent: {}
  stability: {}
  latency: {}
---
## 의도 충족
- ok: 5점
- partial: 4점
- error / empty: 0점

## 안정성
- ok / partial: 5점
- error / empty: 0점

## 응답 속도
- 5초 이하: 5점
- 5초 초과 10초 이하: 3점
- 10초 초과 또는 누락: 0점
"""


def rubric(text: str) -> Rubric:
    assert len(text.splitlines()) <= 30
    return parse_rubric(text, source="helpdesk.md")


def english_file() -> bytes:
    def trace(text: str, took: float, error: str = "") -> str:
        return json.dumps({"output": {"text": text, "error": error}, "took_ms": took})

    rows = [
        ["Q1", "1", "easy", "reset?", trace("Open the settings.", 1200)],
        ["Q1", "2", "easy", "reset?", trace("Please choose an account.", 7000)],
        ["Q2", "1", "Hard", "why?", trace("", 20_000, "quota")],
        ["Q2", "2", "hard", "why?", trace("Because.", 4000, "n/a")],
    ]
    return csv_text(rows, header=["question ID", "Round", "Track", "prompt", "trace"]).encode()


def statuses(part: Part) -> list[Status]:
    return [item.status for item in part.items]


def test_short_document_in_english_scores_a_file_whole() -> None:
    part = score_bytes(english_file(), "helpdesk_x.csv", rubric(ENGLISH))
    assert (part.problems, part.findings, part.unusable_rows) == ((), (), 0)
    assert statuses(part) == [Status.OK, Status.PARTIAL, Status.ERROR, Status.OK]
    assert [(item.track, item.intent, item.stability, item.latency) for item in part.items] == [
        ("easy", 5, 5, 5), ("easy", 3, 5, 3), ("hard", 1, 1, 1), ("hard", 5, 5, 5),
    ]  # fmt: skip
    result = merge([("helpdesk_x.csv", part)], rubric(ENGLISH))
    everything = result.groups[0]
    assert everything.metrics["intent"].set.value == (4 - 1 + 5 - 1) / 4 + 1 + 0.25 * 3
    assert everything.pairs.score == 3  # one of two pairs agrees: half-way between 1 and 5
    assert [group.key for group in result.groups[1:]] == ["easy", "hard"]


def test_short_document_in_korean_scores_a_file_whole() -> None:
    rows = [
        ["1", "1/1", "비밀번호를 바꾸세요", "없음", "3"],
        ["2", "1/1", "계정을 선택해 주세요", "-", "8"],
        ["3", "1/1", "", "정상", "40"],
        ["4", "1/1", "한도 초과", "quota", ""],
    ]
    header = ["질의 ID", "회차", "답변", "오류", "responseTimeSec"]
    part = score_bytes(csv_text(rows, header=header).encode(), "helpdesk_x.csv", rubric(KOREAN))
    assert part.problems == ()
    assert statuses(part) == [Status.OK, Status.PARTIAL, Status.EMPTY, Status.ERROR]
    assert [(item.intent, item.stability, item.latency) for item in part.items] == [
        (5, 5, 5), (4, 5, 3), (0, 0, 0), (0, 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("text", [ENGLISH, KOREAN], ids=["english", "korean"])
def test_rubric_check_finds_nothing_to_complain_about(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    from cli.commands.rubric import command

    path = tmp_path_factory.mktemp("rubrics") / "helpdesk.md"
    path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(command, ["check", str(path)])
    assert found.exit_code == 0, found.output


def test_words_that_a_document_lists_are_its_only_ones_that_score() -> None:
    text = KOREAN.replace("metrics:\n", "words: { partial: [음] }\nmetrics:\n")
    words = parse_rubric(text, source="x.md")
    assert (words.partial_words, words.no_error_words, words.failure_words) == (("음",), (), ())
    assert words.track_words == ("track", "트랙")


def test_levels_alone_need_no_words_and_have_none() -> None:
    text = """---
profile: levels
title: Levels
files: ["levels_*.csv"]
columns: [{ name: response, required: true }, { name: rubric_level }]
metrics: { rubrics: {} }
---
## Level
| level | name | criteria |
|---|---|---|
| 2 | good | right |
| 1 | bad | wrong |
"""
    levels = parse_rubric(text, source="x.md")
    assert (levels.partial_words, levels.no_error_words) == ((), ())
    part = score_bytes(b"answer,grade\nx,2\ny,bad\n", "levels_x.csv", levels)
    assert [item.details.rubrics for item in part.items if item.details] == [1, 0]


def test_names_of_levels_may_be_numbers() -> None:
    text = """---
profile: flags
title: Flags
files: ["flags_*.csv"]
columns: [{ name: response, required: true }, { name: intent_verdict, title: failed }]
metrics: { intent: { headings: [failed], verdict: { sources: [column] } } }
---
## Failed
| failed | points | criteria |
|---|---|---|
| 0 | 5 | right |
| 1 | 0 | wrong |
"""
    part = score_bytes(b"answer,failed\nx,0\ny,1\nz,5\n", "flags_x.csv", parse_rubric(text, source="x.md"))
    assert [item.intent for item in part.items] == [5, 0, None]
