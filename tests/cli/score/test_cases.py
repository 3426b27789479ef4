"""Every resume case through `scorewatch score`: figures of report.json, exit code, message of a refusal."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from tests.scoring.case_folders import Case, find_cases
from tests.scoring.test_cases import METRIC_NAMES, REFUSALS, assert_close

CASES = find_cases("resume_agent_")
# Scored, but rows or payloads were left out, or replaced by rows that differ.
WITH_PROBLEMS = {"duplicate_last_wins", "ragged", "raw_json_faults"}


def figures(report: dict[str, Any]) -> dict[str, Any]:
    """report.json in the form of `expected.json`."""
    groups = {"None" if group["key"] == "unassigned" else group["key"]: group for group in report["groups"]}
    metrics: dict[str, Any] = {
        short: {
            key: {
                "rounds": [mean["value"] for mean in group["metrics"][name]["rounds"]],
                "set": group["metrics"][name]["set"]["value"],
            }
            for key, group in groups.items()
        }
        for short, name in METRIC_NAMES.items()
    }
    metrics["sec"] = {
        key: {"rounds": [seconds["mean"] for seconds in group["seconds"]], "set": group["set_seconds"]["mean"]}
        for key, group in groups.items()
    }
    statuses: dict[str, int] = {}
    for counted in groups["all"]["statuses"]:
        for status, n in counted.items():
            if n:
                statuses[status] = statuses.get(status, 0) + n
    return {
        "items": report["headline"]["n"],
        "rounds": [round_["label"] for round_ in report["rounds"]],
        "tracks": {key: group["n"] for key, group in groups.items() if key != "all"},
        "metrics": metrics,
        "status": statuses,
        "consistency": {
            key: {
                "pass": group["consistency"]["both_pass"],
                "fail": group["consistency"]["both_fail"],
                "mismatch": group["consistency"]["mismatch"],
                "score": group["consistency"]["score"],
            }
            for key, group in groups.items()
        },
        "distribution": {
            distribution["name"]: {
                f"{point:g}": n for point, n in zip(distribution["points"], distribution["set"], strict=True)
            }
            for distribution in report["distributions"]
        },
    }


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_case_through_the_command_line(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    code = main(["score", str(case.path), "--out", str(tmp_path), "-v"])
    printed = "".join(capsys.readouterr())
    (status_path,) = tmp_path.glob("*/status.json")
    status = json.loads(status_path.read_bytes())
    if "refused" in case.expected:
        assert code == 1
        assert status["state"] == "problem"
        assert f"[{REFUSALS[case.name][0]}]" in printed
        assert sorted(path.name for path in status_path.parent.iterdir()) == [
            "problem.html",
            "problem.md",
            "status.json",
            "summary.html",
            "summary.json",
            "summary.md",
        ]
        return
    assert code == (case.name in WITH_PROBLEMS), printed
    assert status["state"] == "report"
    report = json.loads((status_path.parent / "report.json").read_bytes())
    row_sum = report["row_sum"]
    assert row_sum.pop("rows") == sum(row_sum.values())
    if "expected" in case.expected:
        assert_close(figures(report), case.expected["expected"])
