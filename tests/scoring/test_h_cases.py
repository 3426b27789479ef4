"""Every H.채용 case gives the values of its `queries` and all of its `figures`."""

from typing import Any

import pytest

from config import profile_named, shipped_rubrics
from scoring.items.file_scorer import score_file
from scoring.items.part import Item
from scoring.results.merging import merge
from scoring.results.model import Mean, Metric, SetResult
from scoring.rubric.model import Rubric
from scoring.rubric.rules import REASON_NO_CHECKS
from tests.scoring.case_folders import Case, find_cases
from tests.scoring.test_cases import assert_close

CASES = find_cases("h_recruit_")
METRIC_NAMES = {
    "intent": "intent",
    "accuracy": "accuracy",
    "latencySingle": "latency.single",
    "latencyMulti": "latency.multi",
    "latency": "latency",
    "stability": "stability",
}
REASONS = {REASON_NO_CHECKS: "not assessable"}


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return profile_named("h-recruit", shipped_rubrics())


def result_of(case: Case, rubric: Rubric) -> SetResult:
    with case.path.open("rb") as stream:
        part = score_file(stream, name=case.path.name, rubric=rubric)
    return merge([(case.path.name, part)], rubric)


def item_figures(item: Item) -> dict[str, Any]:
    assert item.details is not None
    return {
        "intent": item.intent,
        "accuracy": item.accuracy,
        "latency": item.latency,
        "class": item.details.latency_class.upper(),
        "stability": item.stability,
        "label": item.details.label,
    }


def metric_figures(metric: Metric) -> dict[str, Any]:
    def value(mean: Mean) -> float | None:
        return mean.value

    return {"rounds": [value(mean) for mean in metric.rounds], "set": value(metric.set)}


def figures(result: SetResult) -> dict[str, Any]:
    """A result in the form of `expected.json`."""
    everything = result.groups[0]
    consistency: dict[str, dict[str, Any]] = {}
    for query in result.agreements:
        consistency[query.query_id] = {"n": query.n, "score": query.score}
        if query.n > 1:
            consistency[query.query_id] |= {"ratioA": query.ratio_label, "ratioB": query.ratio_signature}
    assert result.total is not None
    return {
        "items": {f"{item.query_id}@{item.round}": item_figures(item) for item in result.items},
        "consistency": consistency,
        "metrics": {
            **{short: metric_figures(everything.metrics[name]) for short, name in METRIC_NAMES.items()},
            "consistency": {"set": everything.consistency},
        },
        "total": result.total.value,
    }


def by_name(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases])


@by_name(CASES)
def test_case_gives_the_expected_figures(case: Case, rubric: Rubric) -> None:
    found, expected = figures(result_of(case, rubric)), case.expected["figures"]
    assert_close(as_floats(found), as_floats(expected))


@by_name(CASES)
def test_case_gives_the_values_it_is_about(case: Case, rubric: Rubric) -> None:
    result = result_of(case, rubric)
    items = {item.query_id: item for item in result.items}
    agreements = {query.query_id: query for query in result.agreements}
    for query_id, expected in case.expected["queries"].items():
        item, agreed = items[query_id], agreements[query_id]
        assert item.details is not None
        known = {
            "accuracy": item.accuracy,
            "intent": item.intent,
            "ratio": item.details.ratio,
            "reason": REASONS.get(item.details.accuracy_reason),
            "ratioA": agreed.ratio_label,
            "ratioB": agreed.ratio_signature,
            "score": agreed.score,
        }
        assert_close(as_floats({name: known[name] for name in expected}), as_floats(expected), query_id)


def as_floats(value: Any) -> Any:
    """Whole numbers as floats, so that 5 and 5.0 are compared by their distance."""
    if isinstance(value, dict):
        return {name: as_floats(one) for name, one in value.items()}
    if isinstance(value, list):
        return [as_floats(one) for one in value]
    return float(value) if isinstance(value, int) else value
