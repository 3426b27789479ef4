"""Outputs of other tools, in several versions, give the items that their shipped documents promise.

The files of tests/exports have the formats that the tools document; their content is invented.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from config import claiming, shipped_rubrics
from scoring.items.part import Item, details_of
from scoring.items.spool.part_file import Part
from scoring.rubric.model import RecordRule, Rubric
from tests.paths import ROOT
from tests.scoring.files import score_bytes

EXPORTS = ROOT / "tests" / "exports"
QUESTIONS = ("Which gate does flight SW12 leave from?", "Can I bring a cat on board?", "What does a second bag cost?")
ANSWERS = ("Flight SW12 leaves from gate B7.", "Yes, a cat may travel in a carrier.", "A second bag costs 55 euros.")
EXPECTED = ("B7", "yes, in a carrier", "40 euros")
EXAMPLE = "RGF0YXNldEV4YW1wbGU6"


class Scored(NamedTuple):
    """What is compared of an item."""

    query: str
    round: str
    status: str
    points: float | None


def rubric_of(name: str) -> Rubric:
    rubric = claiming(name, shipped_rubrics())
    assert rubric is not None
    return rubric


def score(name: str, rubric: Rubric | None = None) -> Part:
    return score_bytes((EXPORTS / name).read_bytes(), name, rubric or rubric_of(name))


def scored(items: Sequence[Item]) -> list[Scored]:
    return [Scored(item.query_id, item.round, str(item.status), item.intent) for item in items]


def each(queries: list[str], rounds: list[str], points: list[float | None], *, failed: str = "") -> list[Scored]:
    """failed: the status of the last item."""
    statuses = ["ok"] * (len(points) - bool(failed)) + [failed] * bool(failed)
    return list(map(Scored, queries, rounds, statuses, points))


PROMPTFOO = each(["0", "0", "1", "1", "2", "2"], ["0", "1"] * 3, [1, 1, 1, 1, 0, 0], failed="error")
WITHOUT_TEST = each(["R1", "R2", "R3"], ["1/1"] * 3, [1, 1, 0])
NUMBERED = each(["1", "2", "3"], ["1"] * 3, [1, 0, 0])
TRACES = each([f"trace-{number}" for number in range(4)], ["1/1"] * 4, [1, 0.5, None, 0], failed="error")
SAMPLES = [f"desk-{number}" for number in (1, 2, 3)]
EXAMPLES = [f"{EXAMPLE}{number}" for number in range(3)]

FILES: dict[str, tuple[str, list[Scored], dict[str, int]]] = {
    "promptfoo_v3.json": ("promptfoo", PROMPTFOO, {}),
    "promptfoo_lines.jsonl": ("promptfoo", PROMPTFOO, {}),
    "promptfoo_v2.json": ("promptfoo", WITHOUT_TEST, {"column-never-found": 4}),
    "promptfoo_v1.json": ("promptfoo", WITHOUT_TEST, {"column-never-found": 4}),
    "inspect_v2.json": (
        "inspect",
        each(SAMPLES * 2, ["1"] * 3 + ["2"] * 3, [1, 0.5, 0, 1, 1, 0], failed="error"),
        {"column-never-found": 1},
    ),
    "inspect_v1.json": ("inspect", NUMBERED, {"column-never-found": 4, "seconds-missing": 3}),
    "inspect_numbers.json": ("inspect", each(["1", "2", "3"], ["1"] * 3, [1, 0.667, 0]), {"column-never-found": 3}),
    "langfuse_traces.json": ("langfuse", TRACES, {"column-never-found": 2}),
    "langfuse_traces.jsonl": ("langfuse", TRACES, {"column-never-found": 2}),
    "langfuse_traces.csv": ("langfuse", each(["R2", "R3"], ["1/1"] * 2, [1, 0.5]), {"measure-absent": 1}),
    "langfuse_trace_download.json": ("langfuse", each(["trace-0"], ["1/1"], [1]), {"column-never-found": 2}),
    "langfuse_api.json": (
        "langfuse",
        each([f"item-{number}" for number in range(3)], ["run-a"] * 3, [1, 1, 0]),
        {"column-never-found": 3},
    ),
    "phoenix_experiment.json": (
        "phoenix",
        each(EXAMPLES * 2, ["1"] * 3 + ["2"] * 3, [1, 1, 0, 1, 0, 0], failed="error"),
        {"column-never-found": 1},
    ),
    "phoenix_experiment.csv": ("phoenix", each(EXAMPLES, ["1"] * 3, [1, 1, 0]), {}),
    "phoenix_spans.jsonl": (
        "phoenix",
        each(["sp0", "sp1"], ["1/1"] * 2, [None, None]),
        {"column-never-found": 8, "seconds-missing": 2},
    ),
    "phoenix_spans_api.json": (
        "phoenix",
        each(["sp0", "sp1"], ["1/1"] * 2, [1, 1]),
        {"column-never-found": 6, "seconds-missing": 2},
    ),
    "openai_evals_match.jsonl": (
        "openai-evals",
        each([f"desk.dev.{number}" for number in range(3)], ["1/1"] * 3, [1, 1, 0]),
        {"records-not-selected": 5, "column-never-found": 2},
    ),
    "openai_evals_api_items.jsonl": (
        "openai-evals-api",
        each(["0", "1", "2"], ["1/1"] * 3, [1, 1, 0]),
        {"column-never-found": 1},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_items_of_an_export(name: str) -> None:
    profile, expected, findings = FILES[name]
    part = score(name)
    assert (rubric_of(name).profile, part.problems) == (profile, ())
    assert scored(part.items) == expected
    assert {finding.code: finding.count for finding in part.findings} == findings
    in_csv = [f'{{"question": "{text}"}}' for text in QUESTIONS]
    asked = {*QUESTIONS, *in_csv} if profile != "openai-evals" else {""}  # a match has no prompt
    assert {item.question for item in part.items} <= asked


def test_an_output_item_that_failed_is_no_answer() -> None:
    part = score("openai_evals_api_page.json")
    assert [(str(item.status), item.intent, item.error) for item in part.items] == [
        ("ok", 1, ""),
        ("error", 0, "The server had an error"),
        ("ok", 0, ""),
    ]


def test_answers_and_what_was_expected_are_read() -> None:
    for name in ("promptfoo_v2.json", "inspect_v1.json", "langfuse_api.json", "openai_evals_match.jsonl"):
        assert [item.response for item in score(name).items] == list(ANSWERS)
    for name in ("inspect_v1.json", "openai_evals_match.jsonl", "openai_evals_api_items.jsonl"):
        assert [item.expected for item in score(name).items] == list(EXPECTED)


def test_tokens_cost_and_seconds_are_read() -> None:
    items = score("promptfoo_v3.json").items
    assert [details_of(item).measures for item in items[:2]] == [(1, 60, 0.00012), (1, 60, 0.00024)]
    assert [item.seconds for item in items[:2]] == [0.812, 2.95]
    assert details_of(score("inspect_v2.json").items[0]).measures == (43,)
    assert details_of(score("langfuse_traces.json").items[0]).measures == (0.0002, 42)
    assert details_of(score("phoenix_experiment.json").items[0]).measures == (31, 12)
    assert details_of(score("openai_evals_api_items.jsonl").items[0]).measures == (52,)


def test_a_log_without_a_match_is_refused_and_read_by_a_copy_that_asks_for_metrics() -> None:
    name = "openai_evals_graded.jsonl"
    rubric = rubric_of(name)
    assert [problem.code for problem in score(name).problems] == ["no-records"]
    part = score(name, replace(rubric, records=RecordRule(where={"type": ("match", "metrics")})))
    assert [(item.query_id, item.response, item.intent) for item in part.items] == [
        ("fact.dev.0", "C", 1),
        ("fact.dev.1", "C", 1),
        ("fact.dev.2", "D", 0),
    ]


def test_every_export_is_in_a_test() -> None:
    others = {"openai_evals_api_page.json", "openai_evals_graded.jsonl"}
    assert {path.name for path in Path(EXPORTS).iterdir()} == {*FILES, *others}
