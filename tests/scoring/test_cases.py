"""Every resume case gives the figures of its `expected.json`, or is refused with the message that it asks for."""

from collections import Counter
from typing import Any

import pytest

from config import shipped_rubrics
from reporting.wording import describe
from scoring.items.file_scorer import score_file
from scoring.items.spool.part_file import Part
from scoring.problems import InputError
from scoring.results.merging import merge
from scoring.results.model import Group, SetResult
from scoring.rubric.fields import ALL, UNASSIGNED
from scoring.rubric.model import Rubric
from tests.scoring.case_folders import Case, find_cases
from tests.scoring.files import places

CASES = find_cases("resume_agent_")
SCORED = [case for case in CASES if "expected" in case.expected]
REFUSED = [case for case in CASES if "refused" in case.expected]
METRIC_NAMES = {"intent": "intent", "acc": "accuracy", "stab": "stability", "lat": "latency"}


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent")


def part_of(case: Case, rubric: Rubric) -> Part:
    with case.path.open("rb") as stream:
        return score_file(stream, name=case.path.name, rubric=rubric)


def result_of(case: Case, rubric: Rubric) -> SetResult:
    return merge([(case.path.name, part_of(case, rubric))], rubric)


def by_name(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases])


def figures(result: SetResult) -> dict[str, Any]:
    """A result in the form of `expected.json`."""

    def key(group: Group) -> str:
        return "None" if group.key == UNASSIGNED else group.key

    metrics: dict[str, Any] = {
        short: {
            key(group): {
                "rounds": [mean.value for mean in group.metrics[name].rounds],
                "set": group.metrics[name].set.value,
            }
            for group in result.groups
        }
        for short, name in METRIC_NAMES.items()
    }
    metrics["sec"] = {
        key(group): {"rounds": [seconds.mean for seconds in group.seconds], "set": group.set_seconds.mean}
        for group in result.groups
    }
    return {
        "items": len(result.items),
        "rounds": [round_.label for round_ in result.rounds],
        "tracks": {key(group): group.n for group in result.groups if group.key != ALL},
        "metrics": metrics,
        "status": dict(Counter(item.status.value for item in result.items)),
        "consistency": {
            key(group): {
                "pass": group.pairs.both_pass,
                "fail": group.pairs.both_fail,
                "mismatch": group.pairs.mismatch,
                "score": group.pairs.score,
            }
            for group in result.groups
        },
        "distribution": {
            distribution.name: {
                f"{point:g}": count for point, count in zip(distribution.points, distribution.set, strict=True)
            }
            for distribution in result.distributions
        },
    }


def assert_close(found: Any, expected: Any, path: str = "") -> None:
    """Equal within 1e-9, whole numbers and texts exactly; every key on both sides."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), path
        assert set(found) == set(expected), path
        for name, value in expected.items():
            assert_close(found[name], value, f"{path}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), path
        for index, value in enumerate(expected):
            assert_close(found[index], value, f"{path}[{index}]")
    elif isinstance(expected, float) and found is not None:
        assert found == pytest.approx(expected, abs=1e-9, rel=0), path
    else:
        assert found == expected, path


@by_name(SCORED)
def test_case_gives_the_expected_figures(case: Case, rubric: Rubric) -> None:
    assert_close(figures(result_of(case, rubric)), case.expected["expected"])


# What the message of each refused case has to tell (its `refused` text), as codes and words of the Korean message.
REFUSALS = {
    "empty_file": ("empty-file", ["비어"]),
    "encrypted": ("binary-file", ["텍스트"]),
    "header_only": ("header-only", ["행"]),
    "missing_columns": ("missing-columns", ["방/반복", "Raw JSON", "Run ID", "LLM 코멘트"]),
    "truncated_upload": ("open-quote", ["9행", "따옴표"]),
    "xlsx_renamed": ("zip-as-text", ["xlsx"]),
}


@by_name(REFUSED)
def test_case_is_refused_with_the_reason(case: Case, rubric: Rubric) -> None:
    part = part_of(case, rubric)
    assert part.refused
    assert part.items == []
    with pytest.raises(InputError):
        merge([(case.path.name, part)], rubric)
    (problem,) = part.problems
    code, words = REFUSALS[case.name]
    assert problem.code == code
    message = describe(problem.at(case.path.name))
    assert all(word in message for word in words), message


def test_ragged_rows_are_left_out_and_listed(rubric: Rubric) -> None:
    (case,) = (case for case in CASES if case.name == "ragged")
    part = part_of(case, rubric)
    assert (part.rows, len(part.items), part.blank_rows, part.unusable_rows) == (9, 6, 1, 2)
    assert [(place.code, place.row, place.values) for place in places(part)] == [
        ("cell-count", 8, {"expected": "14", "found": "3"}),
        ("cell-count", 10, {"expected": "14", "found": "16"}),
    ]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("excel_dates_cp949", {"restored-date": 12}),
        ("excel_dates_en", {"restored-date": 12}),
        ("llm_on_failures", {"recorded-contradicts-failure": 2}),
        ("llm_scores", {"recorded-zero-on-pass": 1}),
        (
            "raw_json_faults",
            {
                "double-encoded": 1,
                "payload:excel-cut": 1,
                "payload:not-an-object": 1,
                "payload:python-dict": 1,
                "payload:truncated": 1,
                "response-without-payload": 1,
                "seconds-missing": 5,
            },
        ),
    ],
)
def test_case_counts_what_was_odd(name: str, counts: dict[str, int], rubric: Rubric) -> None:
    (case,) = (case for case in CASES if case.name == name)
    assert part_of(case, rubric).counts == counts
