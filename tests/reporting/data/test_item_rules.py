"""Why an item has its points: a comparison reads from a published report what the report itself says."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from reporting.data.item_columns import item_columns
from reporting.data.item_rules import ItemRules, answer_rule
from reporting.wording import item_metrics
from scoring.results import SetResult, merge
from scoring.rubric import Status
from tests.paths import ROOT
from tests.reporting.comparison.runs import run_of_result
from tests.reporting.results import make_item, make_result
from tests.scoring.files import score_shipped
from tests.scoring.judged_sets import SCORES, scores_part
from texts import texts


def _shipped(case: str) -> SetResult:
    (path,) = (ROOT / "tests/cases" / case).glob("*.csv")
    return score_shipped(path)


def _by_hand() -> SetResult:
    return make_result(
        make_item(2, recorded="4", intent=4.0),
        make_item(3, query_id="Q-2", recorded="12", recorded_issue="out-of-range", intent_source="status"),
        make_item(4, query_id="Q-3", track=3, seconds=None, latency=0.0, status=Status.ERROR, intent=0.0),
    )


def _levels() -> SetResult:
    rows = [{"id": f"Q{n}", "응답": "답" * (n < 3), "등급": level} for n, level in enumerate(("5", "1", "", "4"))]
    return merge([("scores.csv", scores_part(rows))], SCORES)


RESULTS: dict[str, Callable[[], SetResult]] = {
    "by-hand": _by_hand,
    "levels": _levels,
    **{case: partial(_shipped, case) for case in ("h_full", "h_consistency", "plan_prose", "move_urls")},
}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_comparison_says_of_every_item_by_what_it_has_its_points_as_its_report_does(name: str, language: str) -> None:
    result, t = RESULTS[name](), texts(language)
    run = run_of_result(result, name="s", key="k")
    answers = {(one.file, one.row): one for query in run.queries.values() for one in query.answers}
    items = list(result.items)
    metrics = item_metrics(result.rubric, t)
    of_report = dict(zip(metrics, ItemRules(result.rubric, t).columns(item_columns(items)), strict=True))
    files = [result.inputs[source].name for source in result.sources]
    of_comparison = {
        metric: [
            answer_rule(metric, answers[file, one.row], run.basis, t) for file, one in zip(files, items, strict=True)
        ]
        for metric in metrics
    }
    assert any(of_report["rubrics" if name == "levels" else "latency"])
    # items.csv has neither the name of a level nor how many checks failed, which are listed beside.
    if name == "levels":
        of_report["rubrics"] = [re.sub(r"‘(\S+) [^’]+’", r"‘\1’", text) for text in of_report["rubrics"]]
    failed = r"(체크 \d+개) 중 실패 \d+개|\d+ of (\d+ checks) failed"
    if "accuracy" in of_report:
        of_report["accuracy"] = [re.sub(failed, r"\1\2", text) for text in of_report["accuracy"]]
    assert of_comparison == of_report
