"""docs/scoring.md: the examples in its tables are what scoring makes of them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from config import profile_named, shipped_rubrics
from reporting.wording import display
from scoring.checks import Call, read_check_list, read_marked_checks, run_checks
from scoring.items import Item
from scoring.rubric import ON_CALLS, CallRule, CheckRule, Operator
from scoring.rubric.document import parse_rubric
from tests.inner import SHIPPED_FOLDER, read_amount
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
) -> Sequence[Item]:
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


def test_measures_are_read_as_shown() -> None:
    examples = _examples("Measures", 3)
    assert len(examples) == 15
    for written, *shown in examples:
        amounts = [read_amount(written, unit="USD", is_whole=is_whole) for is_whole in (False, True)]
        assert [f"{amount:.12g}" if isinstance(amount, float) else NO for amount in amounts] == shown, written


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


def _rule_with_calls() -> CheckRule:
    rule = profile_named("h-recruit", shipped_rubrics()).checks
    assert rule is not None
    return replace(rule, calls=CallRule(paths=("calls",), name="name", arguments="arguments"))


def _operator_tables() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Rows of the table of operators, and of the one with examples."""
    (section,) = re.findall(r"^### Check operators$(.*?)^### ", PAGE, flags=re.MULTILINE | re.DOTALL)
    rows = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in section.splitlines() if line[:3] == "| `"]
    described = [row for row in rows if row[3] not in {"yes", "no"}]
    return described, [tuple(cell.strip("`") for cell in row) for row in rows if row not in described]


def test_operators_are_as_shown(tmp_path: Path) -> None:
    described, examples = _operator_tables()
    names = [name for row in described for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(names) == sorted([*(one.spelling for one in Operator), "not"])
    shown = {name.removeprefix("not ") for name, *_ in examples}
    assert shown == {*(one.spelling for one in Operator if one not in ON_CALLS), "not"}
    rows = []
    for operator, value, found, _ in examples:
        check = {"path": "field", "op": operator, **({"value": json.loads(value)} if value else {})}
        rows.append(["Q-1", "1/1", payload(field=json.loads(found), accuracyChecks=[check])])
    items = _scored(tmp_path, *rows, header=("Query ID", "방/반복", "Raw JSON"), name="h_recruit")
    assert [item.accuracy == 5 for item in items] == [answer == "yes" for *_, answer in examples]


def test_every_operator_has_a_marked_check_as_shown() -> None:
    """Each text of the column `@check` is one check that is well formed, of an operator of its row."""
    described, _ = _operator_tables()
    for operators, _, _, texts in described:
        names = re.findall(r"`([^`]+)`", operators)
        for text in re.findall(r"`([^`]+)`", texts):
            (check,) = read_marked_checks(f"@check {text}", _rule_with_calls()).checks
            assert (check.fault, check.is_negated) == ("", names == ["not"]), text
            assert check.operator is not None
            assert check.operator.spelling in names or check.is_negated, text


def test_checks_that_the_page_of_rubrics_shows_are_well_formed() -> None:
    page = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Checks$(.*?)^## ", page, flags=re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| [a-z ,]+ \| `(\{.*\})` \| `(@check .*)` \|$", section, flags=re.MULTILINE)
    assert len(rows) == 8
    for entry, text in rows:
        checks = read_check_list([json.loads(entry)], (), has_calls=True).checks
        checks += read_marked_checks(text, _rule_with_calls()).checks
        assert [check.fault for check in checks] == [""] * len(checks), text
    (calls,) = re.findall(r"^```yaml\n(calls:.*?)```", section, flags=re.MULTILINE | re.DOTALL)
    shipped = (SHIPPED_FOLDER / "h-recruit.md").read_text(encoding="utf-8")
    indented = "".join(f"      {line}\n" for line in calls.splitlines())
    checks_rule = parse_rubric(shipped.replace("      none: [", f"{indented}      none: [", 1), source="x.md").checks
    assert checks_rule is not None
    assert checks_rule.calls == CallRule(
        paths=("tool_calls", "steps[*].toolCalls"), name="function.name", arguments="function.arguments"
    )


def test_tool_calls_are_checked_as_shown() -> None:
    examples = _examples("Tool calls", 2)
    calls = (Call("search", {"city": "Seoul", "nights": 2}), Call("book", {"id": "H-1"}))
    rule = _rule_with_calls()
    for text, passes in examples:
        read = read_marked_checks(text, rule)
        assert (run_checks(read.checks, {}, calls).ratio == 1) is (passes == "yes"), text
    assert len(examples) == 9


def test_marked_checks_are_read_as_shown(tmp_path: Path) -> None:
    examples = _examples("Marked checks", 3)
    assert len(examples) == 15
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
