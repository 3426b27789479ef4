"""The cases of tests/cases_found through `scorewatch score`: exit code, figures and counts."""

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
    ("retries_counted", 0, [Expected("resume_agent_c10_retries", {"intent": 2.5}, findings={"attempts": 1})]),
    (
        "rounds_same_label_two_files",
        0,
        [Expected("run/resume-agent", {"intent": 2.5, "consistency": 0}, findings={"runs-by-file": 1})],
    ),
    ("item_id_repeats_across_queries", 0, [Expected("resume_agent_k3_itemid", {"intent": 10 / 3})]),
    ("sync_conflict_copy", 1, [Expected("run/resume-agent", {"intent": 5}, findings={"conflict-copy": 1})]),
    ("recycle_folders", 1, []),  # nothing else is there to score
    (
        "ux_folder_same_ids",
        0,
        [
            Expected(
                "3월/resume-agent",
                {"intent": 2.05, "consistency": 2},
                findings={"runs-by-file": 2, "checklist-unticked": 2},
            )
        ],
    ),
    (
        "ux_rerun",
        0,
        [
            Expected(
                "resume_agent_rerun",
                {"intent": 2.5, "stability": 2.75, "consistency": 0},
                findings={"attempts": 5, "checklist-unticked": 2},
            )
        ],
    ),
    (
        "ids_trailing_zero",
        0,
        [
            Expected(
                "resume_agent_n2b_version_consistency",
                {"consistency": 0},
                findings={"attempts": 1, "two-questions": 1, "id-like-number": 4},
            )
        ],
    ),
    ("apostrophe_prefix", 0, [Expected("resume_agent_c1_quoteprefix", {"intent": 5, "stability": 5})]),
    ("decimal_comma_seconds", 0, [Expected("resume_agent_comma", {"latency": 13 / 3}, {"seconds-missing": 0})]),
    ("error_zero", 0, [Expected("resume_agent_c8_payerr", {"intent": 5, "stability": 5})]),
    (
        "payload_drift",
        0,
        [
            Expected(
                "resume_agent_n1_drift",
                {"intent": 2.5},
                findings={"payload-unknown-fields": 2, "seconds-missing": 1},
            )
        ],
    ),
    (
        "scores_0_to_1",
        0,
        [
            Expected(
                "resume_agent_e2_scale01", {"intent": 0.6625}, findings={"scores-0-to-1": 4, "checklist-unticked": 1}
            )
        ],
    ),
    (
        "zero_seconds",
        0,
        [Expected("resume_agent_c6_zero", {"latency": 13 / 6}, findings={"seconds-unusable": 2, "seconds-zero": 2})],
    ),
    (
        "ux_badjson",
        1,
        [
            Expected(
                "resume_agent_badjson", {"intent": 2.5}, findings={"payload-unreadable": 2, "checklist-unticked": 2}
            )
        ],
    ),
    (
        "ux_oddvalues",
        0,
        [
            Expected(
                "resume_agent_oddvalues",
                {"intent": 3.7},
                findings={
                    "recorded-not-a-number": 1,
                    "recorded-out-of-range": 1,
                    "track-unnamed": 1,
                    "checklist-unticked": 2,
                },
            )
        ],
    ),
    (
        "ux_otherkeys",
        0,
        [
            Expected(
                "resume_agent_otherkeys",
                {"stability": 0},
                findings={"payload-unknown-fields": 10, "checklist-unticked": 2},
            )
        ],
    ),
    (
        "xlsx_error_cells",
        1,
        [
            Expected(
                "resume_agent_x1_errorcells.xlsx",
                {"intent": 3.75},
                findings={"error-cell": 2, "recorded-not-a-number": 1, "checklist-unticked": 1},
            )
        ],
    ),
    ("xlsx_formula_no_cache", 1, [Expected("resume_agent_x2_formulas.xlsx", findings={"formula-without-value": 3})]),
    ("xlsx_month_year_rounds", 0, [Expected("resume_agent_x6_monthyear.xlsx", {"intent": 4, "consistency": 3})]),
    (
        "ids_15_digits",
        1,
        [Expected("resume_agent_k1_ids16.xlsx", {"intent": 2.5}, findings={"rows-differ": 2, "id-rounded": 8})],
    ),
    ("excel_trailing_commas", 0, [Expected("rubrics_score_en_a2_trailing", findings={"short-row": 17})]),
    ("quote_swallows_rows", 0, [Expected("rubrics_score_en_n3", findings={"cell-with-rows": 1})]),
    (
        "second_header_row",
        1,
        [
            Expected("resume_agent_o3_twoheaders", {"intent": 5}, findings={"repeated-header": 1}),
            Expected("resume_agent_o3b_typerow", {"intent": 5}, findings={"repeated-header": 1}),
        ],
    ),
    (
        "zero_width_header",
        0,
        [Expected("resume_agent_c14_zwheader", {"intent": 5}, findings={"invisible-characters": 1})],
    ),
    (
        "zero_width_round",
        0,
        [Expected("resume_agent_n5_zwround", {"intent": 4.5}, findings={"invisible-characters": 2})],
    ),
    (
        "ids_partly_lower_case",
        0,
        [Expected("resume_agent_x", {"consistency": 3.5}, findings={"ids-alike": 3})],
    ),
    ("ids_with_dot_zero", 0, [Expected("resume_agent_x", {"consistency": 3.5}, findings={"ids-alike": 10})]),
    ("check_colon_behind_marker", 0, [Expected("h_recruit_x", {"accuracy": 5}, findings={"checklist-unticked": 1})]),
    ("check_marker_capital", 0, [Expected("h_recruit_x", {"accuracy": 5}, findings={"checklist-unticked": 1})]),
    (
        "check_key_that_no_payload_has",
        0,
        [Expected("h_recruit_x", {"accuracy": 0}, findings={"check-key-never-found": 6, "checklist-unticked": 1})],
    ),
    ("milliseconds_that_are_seconds", 0, [Expected("resume_agent_x", findings={"seconds-too-short": 6})]),
    ("filtered_rows", 0, [Expected("resume_agent_x.xlsx", findings={"hidden-rows": 8})]),
    ("merged_scores", 0, [Expected("resume_agent_x.xlsx", findings={"merged-cells": 2})]),
    ("ruler_under_the_header", 0, [Expected("resume_agent_x", {"intent": 5}, findings={"ruler-row": 1})]),
    *[
        (folder, 0, [Expected("resume_agent_x", {"intent": 55 / 12})])
        for folder in ("error_http_200", "error_none_in_korean", "error_null_of_mysql", "error_success_in_korean")
    ],
    *[
        (folder, 0, [Expected("run/resume-agent", {"intent": 25 / 6}, {"restored-date": 4})])
        for folder in ("round_as_day_month_year", "round_as_korean_short_date", "round_with_midnight")
    ],
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
        found = {finding["code"]: finding["count"] for finding in report["findings"]}
        assert found == expected.findings


def test_two_runs_named_as_one_set_are_told_apart_by_file(place: Place) -> None:
    """Consistency: 5 queries over 4 rounds are 30 pairs, 12 of which agree."""
    folder = ROOT / "tests" / "cases_found" / "ux_two_runs"
    ran = place.score(folder, "--set", "runs", "--out", "out")
    assert ran.code == 0, ran.out + ran.err
    report = json.loads((place.root / "out" / "runs" / "report.json").read_bytes())
    assert report["headline"]["metrics"]["consistency"] == pytest.approx(2, rel=0, abs=1e-9)
    assert [entry["label"] for entry in report["rounds"]] == [
        "1/1, resume_agent_w1.csv",
        "1/1, resume_agent_w2.csv",
        "2/1, resume_agent_w1.csv",
        "2/1, resume_agent_w2.csv",
    ]
    assert [finding["code"] for finding in report["findings"]] == ["runs-by-file", "checklist-unticked"]


def test_system_folders_are_listed_and_not_scored(place: Place) -> None:
    ran = place.score(ROOT / "tests" / "cases_found" / "recycle_folders", "--out", "out")
    assert [line for line in ran.out.splitlines() if "시스템 폴더" in line] == [
        "– #recycle/ 채점 안 함: 휴지통, 스냅숏, 썸네일 같은 시스템 폴더",
        "– @eaDir/ 채점 안 함: 휴지통, 스냅숏, 썸네일 같은 시스템 폴더",
    ]
    assert "#recycle/" in (place.root / "out" / "index.md").read_text("utf-8")


def test_a_conflict_copy_in_a_flat_folder_belongs_to_its_original(place: Place) -> None:
    source = ROOT / "tests" / "cases_found" / "sync_conflict_copy" / "run"
    folder = place.root / "flat"
    folder.mkdir()
    for path in source.iterdir():
        name = path.name.replace(".sync-conflict-20260101-101010-ABCDEFG", " (Kim's conflicted copy 2026-01-01)")
        (folder / name).write_bytes(path.read_bytes())
    ran = place.score(folder, "--out", "out")
    assert ran.code == 1
    status = json.loads((place.root / "out" / "resume_agent_r1" / "status.json").read_bytes())
    assert list(status["inputs"]) == ["resume_agent_r1 (Kim's conflicted copy 2026-01-01).csv", "resume_agent_r1.csv"]
    (folder / "resume_agent_r1 (Kim's conflicted copy 2026-01-01).csv").unlink()
    assert place.score(folder, "--out", "out").code == 0
    again = json.loads((place.root / "out" / "resume_agent_r1" / "status.json").read_bytes())
    assert again["key"] != status["key"]


def test_whole_numbers_with_dots_are_thousands(place: Place) -> None:
    folder = ROOT / "tests" / "cases_found" / "whole_numbers_with_dots"
    ran = place.score(folder / "bot_x.csv", "--rubric", folder / "bot.md", "--out", "out")
    assert ran.code == 0, ran.out + ran.err
    report = json.loads((place.root / "out" / "bot_x" / "report.json").read_bytes())
    assert report["headline"]["measures"]["measure.tokens"]["sum"] == 1234 + 2105 + 987 + 1020
    assert [(finding["code"], finding["count"]) for finding in report["findings"]] == [("number-separator", 3)]


def test_a_column_that_has_all_failures_is_named(place: Place) -> None:
    ran = place.score(ROOT / "tests" / "cases_found" / "all_failures_in_one_value", "--out", "out")
    assert ran.code == 0, ran.out + ran.err
    folder = place.root / "out" / "resume_agent_slice"
    (weak,) = json.loads((folder / "report.json").read_bytes())["insights"]["slices"]["weak"]
    assert (weak["columns"], weak["values"], weak["failed"], weak["all_failed"]) == (["언어"], ["en"], 20, 20)
    line = "- 어디서 실패하나: 언어=en: 응답 성공 0.0% (나머지 100.0%), 실패 20건 중 20건"
    assert line in (folder / "report.md").read_text("utf-8").splitlines()
