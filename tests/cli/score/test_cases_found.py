"""The cases of tests/cases_found through `scorewatch score`: exit code, figures and counts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.cli.place import Place
from tests.paths import ROOT


@dataclass(frozen=True, slots=True)
class Expected:
    """What one set of a folder must give.

    metrics: values of the set, within 1e-9. counts: data quality of these codes; 0 where the code must be absent.
    findings: every finding with its count.
    """

    set: str
    metrics: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)


# Folder, exit code, sets.
CASES: list[tuple[str, int, list[Expected]]] = [
    (
        "nested_json_string",
        0,
        [
            Expected("plan_agent_o5b_nested", {"accuracy": 5}, {"json-in-ui": 1}, {"json-in-ui": 1}),
            Expected(
                "url_agent_o5_nested",
                {"accuracy": 5},
                {"json-in-ui": 2, "field-type:dataUIList": 0},
                {"json-in-ui": 2},
            ),
        ],
    ),
    ("plan_negated_check", 0, [Expected("plan_agent_negated", {"accuracy": 1.25}, {"prose-unread": 0})]),
    ("url_in_prose", 0, [Expected("url_agent_prose", {"accuracy": 5}, {"not-assessable": 0})]),
    ("apostrophe_prefix", 0, [Expected("resume_agent_c1_quoteprefix", {"intent": 5, "stability": 5})]),
    ("decimal_comma_seconds", 0, [Expected("resume_agent_comma", {"latency": 13 / 3}, {"seconds-missing": 0})]),
    ("error_zero", 0, [Expected("resume_agent_c8_payerr", {"intent": 5, "stability": 5})]),
    (
        "payload_drift",
        0,
        [Expected("resume_agent_n1_drift", {"intent": 2.5}, findings={"payload-unknown-fields": 2})],
    ),
    (
        "scores_0_to_1",
        0,
        [Expected("resume_agent_e2_scale01", {"intent": 0.6625}, findings={"scores-0-to-1": 4})],
    ),
    (
        "zero_seconds",
        0,
        [Expected("resume_agent_c6_zero", {"latency": 13 / 6}, findings={"seconds-unusable": 2, "seconds-zero": 2})],
    ),
    (
        "ux_badjson",
        1,
        [Expected("resume_agent_badjson", {"intent": 2.5}, findings={"payload-unreadable": 2})],
    ),
    (
        "ux_oddvalues",
        0,
        [
            Expected(
                "resume_agent_oddvalues",
                {"intent": 3.7},
                findings={"recorded-not-a-number": 1, "recorded-out-of-range": 1, "track-unnamed": 1},
            )
        ],
    ),
    (
        "ux_otherkeys",
        0,
        [Expected("resume_agent_otherkeys", {"stability": 0}, findings={"payload-unknown-fields": 10})],
    ),
]


@pytest.mark.parametrize(("folder", "code", "sets"), [pytest.param(*case, id=case[0]) for case in CASES])
def test_case_gives_the_right_figures(folder: str, code: int, sets: list[Expected], place: Place) -> None:
    ran = place.score(ROOT / "tests" / "cases_found" / folder, "--out", "out")
    assert ran.code == code, ran.out + ran.err
    for expected in sets:
        report: dict[str, Any] = json.loads((place.root / "out" / expected.set / "report.json").read_bytes())
        metrics = report["headline"]["metrics"]
        assert {name: metrics[name] for name in expected.metrics} == pytest.approx(expected.metrics, rel=0, abs=1e-9)
        assert {name: report["counts"].get(name, 0) for name in expected.counts} == expected.counts
        assert {finding["code"]: finding["count"] for finding in report["findings"]} == expected.findings
