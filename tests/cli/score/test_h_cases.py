"""Every H.채용 case through `scorewatch score`: figures of report.json, values of items.csv."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from tests.paths import ROOT
from tests.scoring.case_folders import Case
from tests.scoring.test_cases import assert_close
from tests.scoring.test_h_cases import CASES, METRIC_NAMES, as_floats, by_name


def figures(report: dict[str, Any], items: list[dict[str, str]]) -> dict[str, Any]:
    """report.json and items.csv in the form of `expected.json`."""
    everything = report["groups"][0]

    def number(cell: str) -> float | None:
        return float(cell) if cell else None

    return {
        "items": {
            f"{item['query_id']}@{item['round']}": {
                "intent": number(item["intent"]),
                "accuracy": number(item["accuracy"]),
                "latency": number(item["latency"]),
                "class": item["latency_class"].upper(),
                "stability": number(item["stability"]),
                "label": item["label"],
            }
            for item in items
        },
        "consistency": {
            query["query_id"]: {"n": query["n"], "score": query["score"]}
            | ({"ratioA": query["ratio_label"], "ratioB": query["ratio_signature"]} if query["n"] > 1 else {})
            for query in report["agreements"]
        },
        "metrics": {
            **{
                short: {
                    "rounds": [mean["value"] for mean in everything["metrics"][name]["rounds"]],
                    "set": everything["metrics"][name]["set"]["value"],
                }
                for short, name in METRIC_NAMES.items()
            },
            "consistency": {"set": report["headline"]["metrics"]["consistency"]},
        },
        "total": report["total"]["value"],
    }


@by_name(CASES)
def test_case_through_the_command_line(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    assert main(["score", str(case.path), "--out", str(tmp_path)]) == (case.name in UNREADABLE)
    assert "보고서" in capsys.readouterr().out
    (folder,) = (path.parent for path in tmp_path.glob("*/report.json"))
    report = json.loads((folder / "report.json").read_bytes())
    with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
        items = list(csv.DictReader(stream))
    assert_close(as_floats(figures(report, items)), as_floats(case.expected["figures"]))


UNREADABLE = {"h_full"}  # has payloads that cannot be read


def _without_digest(folder: Path) -> dict[str, object]:
    """Every file of a report by its path, without name, edition and digest of its rubric and what follows from that."""
    digest = json.loads((folder / "report.json").read_bytes())["rubric_digest"][:12]
    document = re.compile(rf"\([^()\n]*SHA-256 {digest}".encode())
    contents: dict[str, object] = {}
    for path in sorted(folder.rglob("*.*")):
        if path.name.startswith("compare.") or path.name == "summary.json":  # name the key of the report
            continue
        name = str(path.relative_to(folder))
        if path.suffix == ".json":
            values = json.loads(path.read_bytes())
            for key in ("document", "edition"):
                values.get("basis", {}).pop(key, None)
            contents[name] = {key: values[key] for key in values if key not in {"key", "rubric_digest", "files"}}
        else:
            contents[name] = document.sub(b"", path.read_bytes())
    return contents


@by_name(CASES)
def test_seed_000_gives_the_figures_of_the_shipped_document(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    seed = ROOT / "tests" / "seeds" / "000.txt"
    code = int(case.name in UNREADABLE)
    assert main(["score", str(case.path), "--out", str(tmp_path / "shipped")]) == code
    assert main(["score", str(case.path), "--out", str(tmp_path / "seed"), "--rubric", str(seed)]) == code
    capsys.readouterr()
    (name,) = (path.parent.name for path in (tmp_path / "shipped").glob("*/report.json"))
    # The criteria are other words, which a judge would read: the digest differs, and with it key and hashes.
    shipped, other = (_without_digest(tmp_path / kind / name) for kind in ("shipped", "seed"))
    assert shipped == other


def test_seed_002_gives_the_report_of_the_shipped_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    tests = ROOT / "tests"
    (path,) = (tests / "cases" / "published_table").glob("*.csv")
    assert main(["score", str(path), "--out", str(tmp_path / "shipped")]) == 0
    seed = tests / "seeds" / "002.txt"
    assert main(["score", str(path), "--out", str(tmp_path / "seed"), "--rubric", str(seed)]) == 0
    capsys.readouterr()
    shipped, other = (_without_digest(tmp_path / kind / path.stem) for kind in ("shipped", "seed"))
    assert shipped["items.csv"] == other["items.csv"]
    assert shipped["report.json"] == other["report.json"]
