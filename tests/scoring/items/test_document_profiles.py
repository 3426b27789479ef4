"""`plan-agent` and `move-agent`, which are documents alone: every figure of their cases."""

from typing import Any

import pytest

from scoring.results import SetResult
from tests.scoring.case_folders import Case, find_cases
from tests.scoring.files import score_shipped
from tests.scoring.test_cases import assert_close
from tests.scoring.test_h_cases import as_floats, by_name, metric_figures

CASES = [*find_cases("plan_agent_"), *find_cases("url_agent_")]


def figures(result: SetResult) -> dict[str, Any]:
    everything = result.groups[0]
    return {
        "accuracy": {f"{item.query_id}@{item.round}": item.accuracy for item in result.items},
        "metrics": {name: metric_figures(metric) for name, metric in everything.metrics.items()},
        "consistency": {
            "pass": everything.pairs.both_pass,
            "fail": everything.pairs.both_fail,
            "mismatch": everything.pairs.mismatch,
            "score": everything.pairs.score,
        },
        "not_assessable": result.counts.get("not-assessable", 0),
        "prose_unread": result.counts.get("prose-unread", 0),
    }


@by_name(CASES)
def test_case_gives_the_expected_figures(case: Case) -> None:
    assert_close(as_floats(figures(score_shipped(case.path))), as_floats(case.expected["figures"]))


@by_name(CASES)
def test_items_without_tracks_are_nothing_to_report(case: Case) -> None:
    result = score_shipped(case.path)
    assert {item.track for item in result.items} == {None}
    assert not {"track-unassigned", "track-unnamed"} & set(result.counts)
    assert result.total is None
    assert result.agreements == ()


def test_points_decide_what_passes_between_rounds() -> None:
    (plan,) = (case for case in CASES if case.name == "plan_prose")
    passes = {query.query_id: query.passes for query in score_shipped(plan.path).queries}
    assert passes == {"P1": (True, True), "P2": (True, False), "P3": (True, False), "P4": (False, False)}


@pytest.mark.parametrize("profile", ["plan-agent", "move-agent"])
def test_form_has_no_code_of_one_profile(profile: str) -> None:
    """No name of a profile and no word of its document stands in the code."""
    from tests.paths import ROOT

    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "scoring").rglob("*.py")]
    names = (profile, profile.replace("-", "_"), "buttonUrl", "블라인드", "항목이 존재하는가")
    assert [name for name in names for text in sources if name in text] == []
