"""docs/scoring.md: the examples in its tables are what scoring makes of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reporting.wording import display
from scoring.items.part import Item
from tests.paths import ROOT
from tests.scoring.files import HEADER, csv_text, payload, row, score_shipped

PAGE = (ROOT / "docs" / "scoring.md").read_text(encoding="utf-8")
NO = "—"


def _examples(heading: str, columns: int) -> list[tuple[str, ...]]:
    """Rows of the tables below a heading that have this many columns, without backticks; "" for an empty cell."""
    (section,) = re.findall(rf"^### {re.escape(heading)}$(.*?)(?=^##|\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    rows = [tuple(cell.strip().strip("`") for cell in line.split("|")[1:-1]) for line in section.splitlines()]
    found = [cells for cells in rows if len(cells) == columns]
    return found[2:]  # behind header and rule


def _scored(
    tmp_path: Path, *rows: list[str], header: tuple[str, ...] = HEADER, name: str = "resume_agent"
) -> list[Item]:
    path = tmp_path / f"{name}_x.csv"
    path.write_text(csv_text(rows, header=header), encoding="utf-8", newline="")
    items = score_shipped(path).items
    assert len(items) == len(rows)
    return items


def test_rounds_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Round labels", 2)
    assert len(examples) > 10
    items = _scored(tmp_path, *(row(방_반복=written) for written, _ in examples))
    assert [item.round for item in items] == [label for _, label in examples]


def test_tracks_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Track numbers", 2)
    items = _scored(tmp_path, *(row(Track=written) for written, _ in examples))
    shown = ["미지정" if item.track is None else str(item.track) for item in items]
    assert shown == [track for _, track in examples]


def test_seconds_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Seconds", 2)
    items = _scored(tmp_path, *(row(Raw_JSON=payload(seconds=json.loads(written))) for written, _ in examples))
    assert [NO if item.seconds is None else f"{item.seconds:g}" for item in items] == [value for _, value in examples]


def test_percentiles_are_as_shown(tmp_path: Path) -> None:
    examples = _examples("Mean seconds", 3)
    assert len(examples) == 3
    path = tmp_path / "resume_agent_x.csv"
    for written, *shown in examples:
        rows = [
            row(Query_ID=f"Q-{at}", Raw_JSON=payload(seconds=float(seconds)))
            for at, seconds in enumerate(written.split(","))
        ]
        path.write_text(csv_text(rows), encoding="utf-8", newline="")
        figures = score_shipped(path).groups[0].set_seconds
        assert [f"{figures.p50:g}", f"{figures.p95:g}"] == shown


def test_errors_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Errors", 2)
    items = _scored(tmp_path, *(row(오류=written) for written, _ in examples))
    assert [item.status == "error" for item in items] == [answer == "yes" for _, answer in examples]


def test_blank_words_are_blank(tmp_path: Path) -> None:
    (line,) = re.findall(r"^Empty cells, white space, and (.+) in any case\.", PAGE, flags=re.MULTILINE)
    words = re.findall(r"`([^`]+)`", line)
    items = _scored(tmp_path, *(row(Raw_JSON=payload(word.upper())) for word in words))
    assert {item.status for item in items} == {"empty"}
    assert len(words) == 5


@pytest.mark.parametrize("status", ["ok", "partial", "error"])
def test_points_by_status_are_as_shown(tmp_path: Path, status: str) -> None:
    points = {name: value for names, value in _examples("Points by status", 2) for name in names.split("`, `")}
    cells = {"ok": {}, "partial": {"Raw_JSON": payload("선택해 주세요")}, "error": {"오류": "HTTP 500"}}
    (item,) = _scored(tmp_path, row(**cells[status]))
    assert item.status == status
    assert f"{item.intent:g}" == points[status]


@pytest.mark.parametrize(("track", "column"), [("Track 1", 1), ("Track 3", 2)])
def test_latency_bands_are_as_shown(tmp_path: Path, track: str, column: int) -> None:
    bands = _examples("Latency", 3)
    for example in bands[:-1]:
        points, edge = int(example[0]), float(example[column].removeprefix("up to ").removesuffix(" s"))
        on, above = _scored(tmp_path, *(row(Track=track, Raw_JSON=payload(seconds=s)) for s in (edge, edge + 0.001)))
        assert (on.latency, above.latency) == (points, points - 1)
    assert bands[-1][0] == "0"


def test_operators_are_as_shown(tmp_path: Path) -> None:
    examples = _examples("Check operators", 4)
    assert {example[0] for example in examples} == {"eq", "contains", "in", "exists", "regex"}
    rows = []
    for operator, value, found, _ in examples:
        check = {"path": "field", "op": operator, **({"value": json.loads(value)} if value else {})}
        rows.append(["Q-1", "1/1", payload(field=json.loads(found), accuracyChecks=[check])])
    items = _scored(tmp_path, *rows, header=("Query ID", "방/반복", "Raw JSON"), name="h_recruit")
    assert [item.accuracy == 5 for item in items] == [answer == "yes" for *_, answer in examples]


def test_marked_checks_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Marked checks", 3)
    assert len(examples) == 10
    shown = payload(grade="A", title="가; 나", count=12)
    rows = [["Q-1", "1/1", expected, shown] for expected, _, _ in examples]
    header = ("Query ID", "방/반복", "기대결과", "Raw JSON")
    details = [item.details for item in _scored(tmp_path, *rows, header=header, name="h_recruit")]
    found = [(one.checks, one.checks - one.failed_count) for one in details if one is not None]
    assert found == [(int(checks), int(passed)) for _, checks, passed in examples]


def test_prose_checks_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Prose checks", 3)
    assert len(examples) == 16
    (items,) = re.findall(r"^With the UI items (.+) \(`formType`\):$", PAGE, flags=re.MULTILINE)
    shown = payload(dataUIList=[{"uiValue": {"formType": kind}} for kind in re.findall(r"`(\w+)`", items)])
    rows = [["Q-1", expected, "1/1", shown] for expected, _, _ in examples]
    scored = _scored(tmp_path, *rows, header=("Query ID", "기대결과", "방/반복", "Raw JSON"), name="plan_agent")
    found = [(one.checks, one.checks - one.failed_count) for one in (item.details for item in scored) if one]
    assert found == [(int(checks), int(passed)) for _, checks, passed in examples]


def test_addresses_are_compared_as_shown(tmp_path: Path) -> None:
    examples = _examples("Addresses", 2)[-11:]  # the second table
    assert examples[0][0] == "/plan/list?dataKey=PLAN_LIST"
    (url,) = re.findall(r"^With the `buttonUrl` `([^`]+)`:$", PAGE, flags=re.MULTILINE)
    shown = payload(dataUIList=[{"uiValue": {"buttonUrl": url}}])
    rows = [["Q-1", expected, "1/1", shown] for expected, _ in examples]
    items = _scored(tmp_path, *rows, header=("Query ID", "기대결과", "방/반복", "Raw JSON"), name="url_agent")
    assert [f"{item.accuracy:g}" for item in items] == [points for _, points in examples]


def test_labels_are_given_as_shown(tmp_path: Path) -> None:
    examples = _examples("Labels", 2)
    assert {label for _, label in examples} == {
        "ADD",
        "UPDATE",
        "DELETE",
        "VIEW",
        "MOVE",
        "CLARIFY",
        "ERROR",
        "OTHER",
    }
    rows = [["Q-1", "1/1", payload(message)] for message, _ in examples]
    items = _scored(tmp_path, *rows, header=("Query ID", "방/반복", "Raw JSON"), name="h_recruit")
    assert [item.details.label for item in items if item.details] == [label for _, label in examples]


@pytest.mark.parametrize("passed", range(11))
def test_points_of_a_ratio_are_as_shown(tmp_path: Path, passed: int) -> None:
    conditions = {condition: points for condition, points in _examples("Accuracy by checks", 2) if "ratio" in condition}
    ratio = passed / 10
    holds = [points for condition, points in conditions.items() if _holds(condition, ratio)]
    checks: list[dict[str, Any]] = [{"path": "field", "op": "eq", "value": int(n < passed)} for n in range(10)]
    cells = ["Q-1", "1/1", payload(field=1, accuracyChecks=checks)]
    (item,) = _scored(tmp_path, cells, header=("Query ID", "방/반복", "Raw JSON"), name="h_recruit")
    assert f"{item.accuracy:g}" == holds[0]


def _holds(condition: str, ratio: float) -> bool:
    low, sign, high = re.fullmatch(r"(?:([0-9.]+) < )?ratio (=|≥|<) ([0-9.]+)", condition).groups()  # type: ignore[union-attr]
    limit = float(high)
    return {"=": ratio == limit, "≥": ratio >= limit, "<": ratio < limit}[sign] and (not low or float(low) < ratio)


def test_scores_are_rounded_as_shown() -> None:
    examples = _examples("Display", 2)
    assert [display.score(float(number)) for number, _ in examples] == [shown for _, shown in examples]


def test_worked_example_follows_from_its_counts() -> None:
    rows = _examples("Worked example", 8)
    assert len(rows) == 6
    for _, _, items, ok, partial, failed, intent, stability in rows:
        n = int(items)
        assert n == int(ok) + int(partial) + int(failed)
        assert display.score((5 * int(ok) + 4 * int(partial)) / n) == intent
        assert display.score(5 * (n - int(failed)) / n) == stability
