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
    codes: of problems that must be reported.
    """

    set: str
    metrics: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    codes: tuple[str, ...] = ()


# Folder, exit code, sets.
CASES: list[tuple[str, int, list[Expected]]] = [
    (
        "nested_json_string",
        0,
        [
            Expected("plan_agent_o5b_nested", {"accuracy": 5}, {"json-in-ui": 1}),
            Expected("url_agent_o5_nested", {"accuracy": 5}, {"json-in-ui": 2, "field-type:dataUIList": 0}),
        ],
    ),
    ("plan_negated_check", 0, [Expected("plan_agent_negated", {"accuracy": 1.25}, {"prose-unread": 0})]),
    ("url_in_prose", 0, [Expected("url_agent_prose", {"accuracy": 5}, {"not-assessable": 0})]),
    (
        "xlsx_error_cells",
        1,
        [Expected("resume_agent_x1_errorcells", {"intent": 3.75}, codes=("error-cell", "recorded-not-a-number"))],
    ),
    ("xlsx_formula_no_cache", 1, [Expected("resume_agent_x2_formulas", codes=("formula-without-value",))]),
    ("xlsx_month_year_rounds", 0, [Expected("resume_agent_x6_monthyear", {"intent": 4, "consistency": 3})]),
    ("ids_trailing_zero", 0, [Expected("resume_agent_n2b_version_consistency", codes=("id-like-number",))]),
    ("excel_trailing_commas", 0, [Expected("rubrics_score_en_a2_trailing", codes=("short-row",))]),
    ("quote_swallows_rows", 0, [Expected("rubrics_score_en_n3", codes=("cell-with-rows",))]),
    (
        "second_header_row",
        1,
        [
            Expected("resume_agent_o3_twoheaders", {"intent": 5}, codes=("repeated-header",)),
            Expected("resume_agent_o3b_typerow", {"intent": 5}, codes=("repeated-header",)),
        ],
    ),
    ("zero_width_header", 0, [Expected("resume_agent_c14_zwheader", {"intent": 5}, codes=("invisible-characters",))]),
    ("zero_width_round", 0, [Expected("resume_agent_n5_zwround", {"intent": 4.5}, codes=("invisible-characters",))]),
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
        assert set(expected.codes) <= {problem["code"] for problem in report["problems"]}
