"""Random files of delimited text: every shape of quoting, line end and encoding, and rows of every kind."""

from __future__ import annotations

import codecs
import json
from functools import cache
from random import Random
from typing import NamedTuple

from config import shipped_rubrics
from scoring.rubric.model import Rubric
from tests.measured import measured_rubric
from tests.scoring.items.test_profile_rules import rubric_with_calls
from tests.sessions import chat_rubric

_PROFILES = (
    "resume-agent", "h-recruit", "plan-agent", "move-agent", "rubrics-score", "rubrics-score-en", "langfuse", "phoenix",
    "promptfoo", "inspect",
)  # fmt: skip
_TEXTS = (
    "지원자는 12명입니다.", "a", "", "", "여러 줄\n둘째, 줄\n\n넷째", 'he said "yes"', '"', '""', 'x"y', "null",
    "??? ???", "\ufffd\ufffd", "ROWS", "ì•ˆë…•í•˜ì„¸ìš”", "¾È³çÇÏ¼¼¿ä", "°¡°¢", "#N/A", "zero\u200bwidth",
    "선택해 주세요", "1,2;3\t4", "합계", "Query ID", "@check response contains 12", 'a\n"b",c,d\ne', "\\ufffd",
    "\\uFFFD x", '{"a": 1}', "@check calls find", "-", "x" * 1500,
)  # fmt: skip
_IDS = (
    "1.23E+14", "1234567890123450", "1.1", "1.10", "2026-01-02", "#REF!", "", "nan", "id\u200b", "R5", "Q-가", "#NAME?",
    "합계", "Query ID", "a\nb",
)  # fmt: skip
_ROUNDS = ("1/1", "1/2", "2/1", "1월 2일", "46023", "", "Jan-02", "round", "#N/A", "방/반복", "2026-01-02")
_NUMBERS = ("", "5", "4.5", "3,5", "9", "x", "-1", "0", "1분 20초", "120 ms", "0:00:12.5", "#DIV/0!", "1e3", "70%")


class RandomFile(NamedTuple):
    """name: with the extension. rubric: that it is scored by."""

    name: str
    data: bytes
    rubric: Rubric


def random_file(seed: int) -> RandomFile:
    """The file of a seed; the same on every machine."""
    rng = Random(seed)
    rubric = _rubrics()[seed % len(_rubrics())]
    titles = [column.title for column in rubric.wanted_columns if column.required or rng.random() < 0.8]
    fields = {column.title: column.name for column in rubric.wanted_columns}
    if rng.random() < 0.5:
        titles.insert(rng.randrange(len(titles) + 1), "메모")
    if rng.random() < 0.2:
        titles = [title + ("\u200b" if rng.random() < 0.2 else "") for title in titles]
        fields |= {f"{title}\u200b": field for title, field in list(fields.items())}
    rng.shuffle(titles)
    shape = _Shape(
        titles,
        rng.choice((",", ",", "\t", ";")),
        rng.choice(("least", "all", "some")),
        rng.choice((("\n",), ("\r\n",), ("\n", "\r\n"))),
        rng.choice((0.0, 0.02, 0.3)),
    )
    return RandomFile("x.csv", _encoded(_text(shape, fields, rng), rng), rubric)


def _text(shape: _Shape, fields: dict[str, str], rng: Random) -> str:
    titles, delimiter, _, ends, wild = shape
    rows_in_a_cell = "a\n" + "\n".join([delimiter.join("x" * len(titles))] * rng.randrange(1, 12)) + "\nb"
    rows_in_a_cell = rows_in_a_cell if rng.random() < 0.2 else "rows"  # they look like places for a cut
    lines = [_line(titles, shape, rng)]
    if rng.random() < 0.1:
        lines.insert(0, f"sep={delimiter}")
    if rng.random() < 0.1:
        lines += [_line((["text", "int"] * len(titles))[: len(titles)], shape, rng)] * 3
    made: list[list[str]] = []
    for number in range(rng.choice((5, 60, 250, 700))):
        cells = [_cell(fields.get(title, ""), number, rng, wild) for title in titles]
        if made and rng.random() < wild / 2:
            cells = list(rng.choice(made))  # the same row once more
            if rng.random() < 0.5:
                cells[rng.randrange(len(cells))] += "!"
        cells = [rows_in_a_cell if cell == "ROWS" else cell for cell in cells]
        made.append(cells)
        lines.append(_row(cells, shape, rng))
    text = "".join(line + rng.choice(ends) for line in lines)
    if rng.random() < 0.3:
        return text.rstrip("\r\n")
    return text + ends[0] * rng.choice((0, 0, 0, 1, 9))


def _encoded(text: str, rng: Random) -> bytes:
    encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "cp949"))
    data = text.encode("cp949", "ignore") if encoding == "cp949" else text.encode()
    data = codecs.BOM_UTF8 + data if encoding == "utf-8-sig" else data
    return data + b"\x1a" if rng.random() < 0.1 and data.endswith(b"\n") else data


class _Shape(NamedTuple):
    """titles: of the columns. quoting: "least", "all" or "some". ends: of lines. wild: share of odd cells."""

    titles: list[str]
    delimiter: str
    quoting: str
    ends: tuple[str, ...]
    wild: float


@cache
def _rubrics() -> tuple[Rubric, ...]:
    shipped = {rubric.profile: rubric for rubric in shipped_rubrics()}
    return (*(shipped[profile] for profile in _PROFILES), chat_rubric(), measured_rubric(), rubric_with_calls())


def _row(cells: list[str], shape: _Shape, rng: Random) -> str:
    kind = rng.random() / shape.wild if shape.wild else 1.0
    width = len(shape.titles)
    odd: tuple[tuple[float, list[str]], ...] = (
        (0.1, []),
        (0.2, [""] * width),
        (0.3, shape.titles),
        (0.5, cells[: rng.randrange(1, width + 1)]),
        (0.6, [*cells, "more"]),
        (0.7, ["합계", *[""] * (width - 1)]),
    )
    return _line(next((made for share, made in odd if kind < share), cells), shape, rng)


def _line(cells: list[str], shape: _Shape, rng: Random) -> str:
    return shape.delimiter.join(_quoted(cell, shape, rng) for cell in cells)


def _quoted(cell: str, shape: _Shape, rng: Random) -> str:
    has_to = any(sign in cell for sign in (shape.delimiter, "\n", "\r")) or cell[:1] == '"'
    is_quoted = shape.quoting == "all" or (shape.quoting == "some" and rng.random() < 0.5)
    if has_to or is_quoted or (shape.quoting == "least" and '"' in cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell  # lone quotes in the middle of a cell


def _cell(field: str, number: int, rng: Random, wild: float) -> str:
    is_wild = rng.random() < wild
    if field in {"query_id", "item_id", "run_id", "session"}:
        names = {"query_id": f"Q-{number % 37:05d}", "item_id": f"item-{number:06d}", "run_id": f"run-{number % 2 + 1}"}
        return rng.choice(_IDS) if is_wild else names.get(field, f"s-{number % 11}")
    if field == "round":
        return rng.choice(_ROUNDS) if is_wild else rng.choice(_ROUNDS[:3])
    if field == "turn":
        return rng.choice(_NUMBERS) if is_wild else str(number // 11)
    if field == "track":
        return rng.choice(("", "Track 9", "x", "#N/A")) if is_wild else f"Track {number % 3 + 1}"
    if field == "raw_json":
        return _payload(rng, is_wild=is_wild)
    if field in {"llm_score", "response_seconds", "latency_ms"} or not field:
        return rng.choice(_NUMBERS) if is_wild else rng.choice(_NUMBERS[:3])
    if field == "error":
        return rng.choice(("timeout", "nan", "#N/A", "a\nb")) if is_wild else ""
    return rng.choice(_TEXTS) if is_wild or rng.random() < 0.3 else rng.choice(_TEXTS[:2])


def _payload(rng: Random, *, is_wild: bool) -> str:
    body: dict[str, object] = {
        "assistantMessage": rng.choice(_TEXTS[:6]),
        "responseTimeSec": rng.choice((4.2, 0, "x", None)) if is_wild else 3.5,
        "dataUIList": rng.choice(([], [{"uiValue": {"formType": "LINK"}}], "[]", {})) if is_wild else [],
        "intent_verdict": rng.choice(("Perfect", "?", None)),
        "tool_calls": [{"function": {"name": "find", "arguments": "{}"}}] if rng.random() < 0.3 else None,
    }
    body = {key: value for key, value in body.items() if value is not None}
    if rng.random() < 0.05:
        body["filler"] = "채움 " * rng.randrange(9_000)
    text = json.dumps(body, ensure_ascii=rng.random() < 0.2)
    if not is_wild:
        return text
    return rng.choice((text, text[:-3], "[]", "", json.dumps(text), "nan", '{"error": "boom"}', "{}", '{"other": 1}'))
