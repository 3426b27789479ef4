"""Outputs of other tools, in several versions, give the items that their shipped documents promise.

The files of tests/exports have the formats that the tools document; their content is invented.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from config import claiming, shipped_rubrics
from scoring.items.part import Item, details_of
from scoring.items.spool.part_file import Part
from scoring.results import SetResult, merge
from scoring.rubric import is_score
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


PROMPTFOO = each([one for one in QUESTIONS for _ in "01"], ["0", "1"] * 3, [1, 1, 1, 1, 0, 0], failed="error")
WITHOUT_TEST = each(list(QUESTIONS), ["1/1"] * 3, [1, 1, 0])
NUMBERED = each(["1", "2", "3"], ["1"] * 3, [1, 0, 0])
TRACES = each([f"trace-{number}" for number in range(4)], ["1/1"] * 4, [1, 0.5, None, 0], failed="error")
SAMPLES = [f"desk-{number}" for number in (1, 2, 3)]
CASES = [f"test_case_{number}" for number in range(3)]
EXAMPLES = [f"{EXAMPLE}{number}" for number in range(3)]

FILES: dict[str, tuple[str, list[Scored], dict[str, int]]] = {
    "promptfoo_v3.json": ("promptfoo", PROMPTFOO, {}),
    "promptfoo_lines.jsonl": ("promptfoo", PROMPTFOO, {}),
    "promptfoo_v2.json": ("promptfoo", WITHOUT_TEST, {"column-never-found": 3}),
    "promptfoo_v1.json": ("promptfoo", WITHOUT_TEST, {"column-never-found": 3}),
    "inspect_v2.json": (
        "inspect",
        each(SAMPLES * 2, ["1"] * 3 + ["2"] * 3, [1, 0.5, 0, 1, 1, 0], failed="error"),
        {"column-never-found": 2},
    ),
    "inspect_v1.json": ("inspect", NUMBERED, {"column-never-found": 5, "seconds-missing": 3}),
    "inspect_numbers.json": ("inspect", each(["1", "2", "3"], ["1"] * 3, [1, 0.667, 0]), {"column-never-found": 2}),
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
        {"records-not-selected": 5, "column-never-found": 3},
    ),
    "openai_evals_api_items.jsonl": (
        "openai-evals-api",
        each(["0", "1", "2"], ["1/1"] * 3, [1, 1, 0]),
        {"column-never-found": 1},
    ),
    "2026-03-02T09-00-00_desk_t1.eval": (
        "inspect",
        each(SAMPLES * 2, ["1"] * 3 + ["2"] * 3, [1, 0.5, 0, 1, 1, 0], failed="error"),
        {"column-never-found": 2},
    ),
    "deepeval_run.json": ("deepeval", each(CASES, ["1/1"] * 3, [1, 0, 0]), {"column-never-found": 1}),
    "deepeval_results.json": (
        "deepeval",
        each(CASES, ["1/1"] * 3, [1, 1, 0], failed="empty"),
        {"column-never-found": 2},
    ),
    "ragas_v02.csv": ("ragas", each(["R2", "R3", "R4"], ["1/1"] * 3, [None] * 3), {}),
    "ragas_v01.json": (
        "ragas",
        each(["R1", "R2", "R3"], ["1/1"] * 3, [None] * 3, failed="empty"),
        {},
    ),
    "samples_desk_2026-03-02T09-00-00.123456.jsonl": (
        "lm-eval",
        each(["0", "1", "2"] * 2, ["strict-match"] * 3 + ["flexible-extract"] * 3, [1, 0, 0, 1, 1, 0]),
        {},
    ),
    "lm_eval_choices.jsonl": ("lm-eval", each(["0", "1", "2"], ["1/1"] * 3, [1, 1, 0]), {"column-never-found": 1}),
    "atif_v12.json": ("atif", each(["desk-1"], ["1/1"], [None]), {}),
    "atif_v17.json": (
        "atif",
        each(["desk-2"], ["1/1"], [None], failed="empty"),
        {"column-never-found": 1, "path-never-found": 1},
    ),
    "helm_predictions.json": ("helm", each(["id0", "id1", "id2"], ["0"] * 3, [1, 1, 0]), {"column-never-found": 5}),
    "helm_state.json": (
        "helm",
        each(["id0", "id1", "id2"], ["0"] * 3, [None] * 3, failed="error"),
        {"column-never-found": 4},
    ),
    "bfcl_v1_desk_result.json": (
        "bfcl",
        each(["0", "1"], ["1/1"] * 2, [None] * 2, failed="error"),
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
    assert {item.question for item in part.items} <= {
        *QUESTIONS,
        *in_csv,
        "",
    }  # a match, and a prediction, has no prompt


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
    assert details_of(score("inspect_v2.json").items[0]).measures == (43, 1)  # tokens, and the scorer
    assert details_of(score("langfuse_traces.json").items[0]).measures == (0.0002, 42)
    assert details_of(score("phoenix_experiment.json").items[0]).measures == (31, 12)
    assert details_of(score("openai_evals_api_items.jsonl").items[0]).measures == (52,)


def test_scores_of_a_test_run_are_read_and_one_that_failed_is_not_assessed() -> None:
    run = score("deepeval_run.json").items
    assert [details_of(item).measures for item in run] == [(0.95, 1), (0.8, None), (0.9, 0.2)]
    assert [item.llm_comment for item in run][1] == "'retrieval_context' cannot be None for the 'Faithfulness' metric"
    assert [details_of(item).measures for item in score("deepeval_results.json").items] == [(1,), (0.75,), (0.1,)]
    samples = [details_of(item).measures for item in score("ragas_v02.csv").items]
    assert samples == [(1, 0.97, 1, 1, 0.9), (None, 0.91, 0.5, 1, 0.8), (0.25, 0.88, 0, 0, None)]


def test_an_error_of_a_request_is_an_error_and_a_failed_call_of_a_tool_is_none() -> None:
    calls = score("bfcl_v4_desk_result.json").items
    assert [(item.query_id, str(item.status)) for item in calls] == [
        ("desk_0", "ok"),
        ("desk_1", "ok"),
        ("desk_2", "error"),
        ("desk_3", "empty"),
    ]
    assert [item.error for item in score("helm_state.json").items] == ["", "", "Rate limit exceeded"]
    (item,) = score("atif_v12.json").items
    assert (str(item.status), item.response) == ("ok", f"I look it up.\n{ANSWERS[0]}")
    assert details_of(item).measures == (3, 1200, 80, 0.0125)


LISTS = {"inspect_x.json": "samples", "promptfoo_x.json": "results"}
ANSWERED = {
    "id": "b",
    "idx": 1,
    "epoch": 1,
    "sample_id": "b",
    "datasource_item_id": 1,
    "instance": {"id": "b"},
    "type": "match",
    "status": "pass",
    "success": True,
    "data": {"sampled": "x", "correct": True},
    "result": [{"f": "{}"}],
    "output": "yes",
    "response": {"output": "x"},
    "predicted_text": "x",
    "sample": {"output": [{"content": "x"}]},
}


@pytest.mark.parametrize(
    ("name", "record", "error"),
    [
        ("BFCL_v1_x_result.json", {"idx": 0, "result": {"finishReason": "SAFETY", "safetyRatings": []}}, "SAFETY"),
        ("BFCL_v3_x_result.json", {"id": "a", "result": "Error during inference: 400"}, "Error during inference: 400"),
        ("BFCL_v1_x_result.json", {"idx": 0, "result": 'Parsing error: {"a": 1}'}, 'Parsing error: {"a": 1}'),
        (
            "inspect_x.json",
            {"id": 1, "epoch": 1, "output": {"completion": "", "error": "content filter"}, "scores": {}},
            "content filter",
        ),
        ("langfuse_x.json", {"id": "a", "input": "q", "output": "half", "level": "ERROR"}, "ERROR"),
        ("phoenix_x.json", {"id": "a", "output": "half", "status_code": "ERROR", "status_message": ""}, "ERROR"),
        (
            "openai_evals_x.jsonl",
            {"sample_id": "a", "type": "error", "data": {"type": "APIError", "message": "overloaded"}},
            "overloaded",
        ),
        ("openai_evals_api_x.jsonl", {"id": "a", "datasource_item_id": 0, "status": "error", "sample": {}}, ""),
        ("promptfoo_x.json", {"success": False, "failureReason": 2, "error": "504", "response": {"output": ""}}, "504"),
        ("promptfoo_x.json", {"success": False, "error": "Error: 504", "latencyMs": 0, "score": 0}, "Error: 504"),
        ("helm_x.json", {"instance": {"id": "a"}, "result": {"success": False, "error": "Timed out"}}, "Timed out"),
    ],
)
def test_a_failure_of_a_provider_is_never_an_answer(name: str, record: dict[str, Any], error: str) -> None:
    records = [record, ANSWERED]
    data = json.dumps({LISTS[name]: records} if name in LISTS else records)
    lines = "\n".join(map(json.dumps, records))
    item = score_bytes((lines if name.endswith("l") else data).encode(), name, rubric_of(name)).items[0]
    assert (str(item.status) == "ok", item.error) == (False, error)


@pytest.mark.parametrize(
    ("failed", "seconds"),
    [
        ({"failureReason": 2, "error": "Error: 504", "latencyMs": 0}, None),  # the provider threw
        ({"failureReason": 2, "error": "429", "response": {"error": "429"}, "latencyMs": 15}, None),
        ({"error": "Error: 504", "latencyMs": 0}, None),  # version 1
        ({"failureReason": 1, "error": "no", "response": {"output": "x"}, "latencyMs": 700}, 0.7),
        ({"failureReason": 0, "response": {"output": "x", "cached": True, "latencyMs": 700}, "latencyMs": 2}, 0.7),
    ],
)
def test_a_provider_that_failed_at_once_has_no_time_and_no_score(failed: dict[str, Any], seconds: float | None) -> None:
    rubric = rubric_of("promptfoo_x.json")
    data = json.dumps({"results": [ANSWERED, {"success": False, "score": 0, **failed}]}).encode()
    item = score_bytes(data, "promptfoo_x.json", rubric).items[1]
    score = details_of(item).measures[[one.name for one in rubric.measures].index("score")]
    assert (item.seconds, item.latency == 0, score) == (seconds, seconds is None, None if seconds is None else 0)


@pytest.mark.parametrize(
    ("providers", "agents"),
    [(("a:x", "b:y"), "a:x, b:y"), (("a:x", "a:x"), None)],
)
@pytest.mark.parametrize("declared", ["category", "llm_model", ""])
def test_answers_of_several_agents_are_named_where_the_document_says_what_names_them(
    providers: tuple[str, str], agents: str | None, declared: str
) -> None:
    results = [ANSWERED | {"testIdx": 0, "promptIdx": at, "provider": {"id": one}} for at, one in enumerate(providers)]
    rubric = replace(rubric_of("promptfoo_x.json"), agents=declared)
    part = score_bytes(json.dumps({"results": results}).encode(), "promptfoo_x.json", rubric)
    found = [one.places[0].found for one in merge([("x", part)], rubric).findings if one.code == "agents-mixed"]
    assert found == ([agents] if agents and declared else [])
    assert rubric_of("promptfoo_x.json").agents == "llm_model"


@pytest.mark.parametrize(
    ("given", "category"),
    [
        ({"metadata": {"category": "fees"}}, "fees"),
        ({"testCase": {"metadata": {"category": "fees"}}}, "fees"),
        ({"testCase": {"metadata": {"owner": "desk"}}}, "a:x"),
        ({}, "a:x"),
    ],
)
def test_the_category_of_a_promptfoo_test_goes_before_its_provider(given: dict[str, object], category: str) -> None:
    result = ANSWERED | {"testIdx": 0, "promptIdx": 0, "provider": {"id": "a:x"}} | given
    item = score_bytes(json.dumps({"results": [result]}).encode(), "promptfoo_x.json", rubric_of("promptfoo_x.json"))
    assert [(one.category, one.llm_model) for one in item.items] == [(category, "a:x")]


@pytest.mark.parametrize(("latency", "seconds"), [(0, None), (-1, None), (2.5, 2.5)])
def test_a_trace_without_times_has_none(latency: float, seconds: float | None) -> None:
    trace = {"id": "a", "input": "q", "output": None, "latency": latency}
    data = json.dumps([trace, {"id": "b", "input": "q", "output": "An answer", "latency": 2}]).encode()
    part = score_bytes(data, "langfuse_x.json", rubric_of("langfuse_x.json"))
    assert [item.seconds for item in part.items] == [seconds, 2]
    assert "seconds-unusable" not in {finding.code for finding in part.findings}


def test_tokens_of_a_request_that_failed_are_not_counted() -> None:
    failed = score("bfcl_v1_desk_result.json").items
    assert [details_of(item).measures for item in failed] == [(142, 11), (None, None)]
    page = json.loads((EXPORTS / "openai_evals_api_page.json").read_bytes())
    page["data"][1]["sample"]["usage"]["total_tokens"] = 0
    rubric = rubric_of("openai_evals_api_page.json")
    items = score_bytes(json.dumps(page).encode(), "openai_evals_api_page.json", rubric).items
    assert [details_of(item).measures for item in items] == [(52,), (None,), (52,)]


def test_repetitions_of_promptfoo_are_items_of_one_query() -> None:
    """`--repeat 3` counts `testIdx` on: 6 tests of 2 questions."""
    rubric, questions = rubric_of("promptfoo_x.json"), QUESTIONS[:2]
    results = [
        {"testIdx": at, "promptIdx": 0, "vars": {"question": one}, "response": {"output": "x"}, "success": True}
        for at, one in enumerate([one for one in questions for _ in range(3)])
    ]
    part = score_bytes(json.dumps({"results": results}).encode(), "promptfoo_x.json", rubric)
    result = merge([("promptfoo_x.json", part)], rubric)
    assert (result.groups[0].n, list(result.repeatability.attempts)) == (6, list(questions))


def test_an_assertion_that_failed_in_version_1_of_promptfoo_is_no_error() -> None:
    failed = {"success": False, "error": "Expected B7", "response": {"output": "A2"}, "gradingResult": {"pass": False}}
    item = score_bytes(
        json.dumps({"results": [failed]}).encode(), "promptfoo_x.json", rubric_of("promptfoo_x.json")
    ).items[0]
    assert (str(item.status), item.error, item.response) == ("ok", "", "A2")


@pytest.mark.parametrize("n", [0, 2])
def test_conversations_beside_test_cases_are_counted(n: int) -> None:
    run = json.loads((EXPORTS / "deepeval_run.json").read_bytes())
    run["testRunData"]["conversationalTestCases"] = [{"name": "talk", "success": True, "turns": []}] * n
    part = score_bytes(json.dumps(run).encode(), "deepeval_run.json", rubric_of("deepeval_run.json"))
    assert scored(part.items) == FILES["deepeval_run.json"][1]
    told = [(one.count, one.places[0].found) for one in part.findings if one.code == "records-left-out"]
    assert told == [(n, "testRunData.conversationalTestCases")] * bool(n)


def test_files_without_answers_or_scores_give_none() -> None:
    stats = b'[{"instance_id": "id1", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match"}, "mean": 0}]}]'
    part = score_bytes(stats, "helm_per_instance_stats.json", rubric_of("helm_predictions.json"))
    assert [problem.code for problem in part.problems] == ["records-lack-columns"]
    pairs = b'{"doc_id": 0, "doc": {}, "filtered_resps": [[""]], "f1": ["x", [""]]}\n'
    part = score_bytes(pairs, "lm_eval_x.jsonl", rubric_of("lm_eval_choices.jsonl"))
    assert [item.intent for item in part.items] == [None]
    assert "recorded-not-a-number" in {finding.code for finding in part.findings}


def test_scores_of_calls_hold_only_what_failed_and_are_refused() -> None:
    data = b'{"accuracy": 0.5, "total_count": 2}\n{"id": "desk_1", "valid": false, "model_result_raw": []}\n'
    assert claiming("BFCL_v4_desk_score.json", shipped_rubrics()) is None
    part = score_bytes(data, "BFCL_v4_desk_score.json", rubric_of("bfcl_v4_desk_result.json"))
    assert [problem.code for problem in part.problems] == ["records-lack-columns"]


def test_a_scorer_of_any_name_decides_and_of_several_one_has_to_be_named() -> None:
    sample = {"id": "a", "epoch": 1, "input": "q", "target": "x", "output": {"completion": "A"}}
    rubric = rubric_of("inspect_v2.json")

    def graded(**values: object) -> tuple[float | None, list[str]]:
        scores = {name: {"value": value, "explanation": name} for name, value in values.items()}
        data = json.dumps({"samples": [sample | {"scores": scores}]}).encode()
        part = score_bytes(data, "inspect_x.json", rubric)
        return part.items[0].intent, [one.code for one in part.findings if one.code.startswith("verdict")]

    assert graded(of_our_own="C") == (1, [])
    assert graded(of_our_own="I") == (0, [])
    assert graded(of_our_own=False) == (0, [])
    assert graded(match="C", of_our_own="I") == (1, [])
    assert graded(first="C", second="I") == (None, ["verdict-unknown"])
    assert graded(of_our_own=0.75) == (None, ["verdict-unknown"])


def test_a_log_of_several_scorers_says_which_one_decides_and_which_do_not() -> None:
    sample = {"epoch": 1, "input": "q", "target": "x", "output": {"completion": "A"}}
    values: tuple[dict[str, object], ...] = (
        {"match": "C", "mine": "I", "yours": "C"},
        {"match": "C", "mine": "I"},
        {"match": "C"},
        {"match": "C", "mine": None},
        {"mine": "C"},  # the log is judged by another one
        {"mine": "C", "includes": "C"},
    )
    samples = [
        sample | {"id": number, "scores": {name: value and {"value": value} for name, value in scores.items()}}
        for number, scores in enumerate(values)
    ]
    part = score_bytes(json.dumps({"samples": samples}).encode(), "inspect_x.json", rubric_of("inspect_v2.json"))
    assert [item.intent for item in part.items] == [1, 1, 1, 1, None, None]
    assert [item.llm_comment for item in part.items] == ["", "", "", "", "", ""]
    (told,) = (one for one in part.findings if one.code == "score-of-several")
    assert (told.count, told.severity) == (2, "note")
    assert [place.found for place in told.places] == ["match > mine, yours"]
    assert "verdict-unknown" not in {one.code for one in part.findings}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([{"match": "C"}, {"match": "C", "f1": 0.5}], [None, 0.5]),  # a number before a word
        ([{"mine": "I"}, {}], [0, None]),
        ([{"mine": "I"}, {"mine": "C", "yours": "C"}], [0, None]),  # none of two is named
        ([{"mine": None, "match": None}, {"mine": "C"}], [None, 1]),
    ],
)
def test_one_scorer_decides_in_all_samples_of_a_log(
    values: list[dict[str, object]], expected: list[float | None]
) -> None:
    sample = {"epoch": 1, "input": "q", "target": "x", "output": {"completion": "A"}}
    samples = [
        sample | {"id": at, "scores": {name: {"value": value, "explanation": name} for name, value in scores.items()}}
        for at, scores in enumerate(values)
    ]
    part = score_bytes(json.dumps({"samples": samples}).encode(), "inspect_x.json", rubric_of("inspect_v2.json"))
    assert [item.intent for item in part.items] == expected


@pytest.mark.parametrize("name", ["inspect_v2.json", "2026-03-02T09-00-00_desk_t1.eval"])
def test_samples_of_a_log_have_its_run_and_their_own_time(name: str) -> None:
    items = score(name).items
    assert {item.run_id for item in items} == {"r1"}
    assert len({item.item_id for item in items}) == len(items)
    assert {item.executed_at for item in items} == {"2026-03-02T09:00:00+00:00"}  # of the log, where samples have none


def test_a_sample_has_the_category_of_its_metadata() -> None:
    sample = {"epoch": 1, "input": "q", "output": {"completion": "A"}, "scores": {"match": {"value": "C"}}}
    metadata: tuple[dict[str, str], ...] = ({"category": "billing", "subject": "law"}, {"subject": "law"}, {})
    samples = [sample | {"id": at, "metadata": one} for at, one in enumerate(metadata)]
    data = json.dumps({"eval": {"created": "2026-03-02T09:00:00+00:00"}, "samples": samples}).encode()
    items = score_bytes(data, "inspect_x.json", rubric_of("inspect_v2.json")).items
    assert [item.category for item in items] == ["billing", "law", ""]
    assert {item.executed_at for item in items} == {"2026-03-02T09:00:00+00:00"}


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
    others = {"openai_evals_api_page.json", "openai_evals_graded.jsonl", "bfcl_v4_desk_result.json"}
    assert {path.name for path in Path(EXPORTS).iterdir()} == {*FILES, *others}


TURNS = [{"role": role, "content": f"{role} {at}"} for at in range(2) for role in ("user", "assistant")]
TALK = {"name": "talk", "success": False, "turns": TURNS}


@pytest.mark.parametrize(
    "run",
    [
        {"testRunData": {"testCases": [], "conversationalTestCases": [TALK]}},
        {"test_results": [{**TALK, "conversational": True, "input": None, "actual_output": None}]},
    ],
)
def test_the_answer_of_a_conversation_is_what_the_assistant_says(run: object) -> None:
    part = score_bytes(json.dumps(run).encode(), "deepeval_x.json", rubric_of("deepeval_run.json"))
    (item,) = part.items
    assert (item.question, item.message) == ("user 0\nuser 1", "assistant 0\nassistant 1")
    assert (str(item.status), details_of(item).verdict) == ("ok", "false")
    assert "records-left-out" not in {finding.code for finding in part.findings}


def test_scorers_of_inspect_and_metrics_of_promptfoo_are_scores_by_their_names() -> None:
    sample = {"id": 1, "epoch": 1, "input": "q", "target": "t", "output": {"choices": [{"message": {"content": "a"}}]}}
    values: list[dict[str, object]] = [
        {"f1": 0.5, "exact": "I", "a.b": True},
        {"f1": 0.75, "exact": "P", "a.b": False},
        {"parts": {"x": 1}},
    ]
    samples = [
        {
            **sample,
            "id": at,
            "scores": {key: {"value": value, "explanation": f"why {key}"} for key, value in of.items()},
        }
        for at, of in enumerate(values)
    ]
    name, rubric = "inspect_x.json", rubric_of("inspect_v2.json")
    result = merge([(name, score_bytes(json.dumps({"samples": samples}).encode(), name, rubric))], rubric)
    figures = result.groups[0].measures
    means = {one.name: figures[one.name].set.mean for one in result.rubric.measures if is_score(one.name)}
    assert means == {"score.f1": 0.625, "score.exact": 0.25, "score.a-b": 0.5}
    assert details_of(result.items[0]).score_reasons == ("why f1", "why exact", "why a.b")
    assert "measure-unusable" not in {finding.code for finding in result.findings}
    rows = [{"success": True, "response": {"output": "a"}, "namedScores": {"tone": 0.5, "risk": 0.25}}]
    name, rubric = "promptfoo_x.json", rubric_of("promptfoo_v3.json")
    part = score_bytes(json.dumps({"results": {"results": rows}}).encode(), name, rubric)
    result = merge([(name, part)], rubric)
    assert [(one.name, str(one.better)) for one in result.rubric.measures[3:]] == [
        ("score.tone", "higher"),
        ("score.risk", "lower"),
    ]
    none = [{**rows[0], "namedScores": {}, "failureReason": 0}]
    part = score_bytes(json.dumps({"results": {"results": none}}).encode(), name, rubric)
    assert {"score-column-unread", "path-never-found"}.isdisjoint(
        finding.code for finding in merge([(name, part)], rubric).findings
    )


def test_metrics_of_lm_evaluation_harness_are_scores_and_true_and_false_count() -> None:
    sample = {"doc": {"question": "q"}, "target": "a", "filtered_resps": ["a"], "doc_hash": "x", "tokens": 1}
    name, rubric = "lm_eval_x.jsonl", rubric_of("lm_eval_choices.jsonl")

    def merged(*metrics: dict[str, object]) -> SetResult:
        lines = [json.dumps({"doc_id": at, **sample, **of}) for at, of in enumerate(metrics)]
        return merge([(name, score_bytes("\n".join(lines).encode(), name, rubric))], rubric)

    both = merged({"acc": 1.0, "acc_norm": 0.0, "f1": ["x"]}, {"acc": 0.0, "acc_norm": 0.0, "f1": ["y"]})
    assert {name: one.set.mean for name, one in both.groups[0].measures.items()} == {
        "score.acc": 0.5,
        "score.acc_norm": 0,
    }
    truths = merged({"exact_match": True}, {"exact_match": False}, {"exact_match": True})
    assert [item.intent for item in truths.items] == [1, 0, 1]


def test_scores_of_langfuse_are_measures_by_their_names_without_points() -> None:
    rubric = rubric_of("langfuse_traces.json")
    scores: tuple[dict[str, object], ...] = (
        {"correctness": 1, "helpfulness": 4, "toxicity": 0.2},
        {"helpfulness": 2, "tone": "kind"},
        {},
    )
    traces: list[dict[str, Any]] = [
        {"id": str(at), "input": "q", "output": "a", "metadata": {"category": "billing"}, "scores": one}
        for at, one in enumerate(scores)
    ]
    listed = [
        {**trace, "scores": [{"name": name, "value": value} for name, value in trace["scores"].items()]}
        for trace in traces
    ]
    for shape in (traces, listed):
        part = score_bytes(json.dumps(shape).encode(), "langfuse_x.json", rubric)
        result = merge([("langfuse_x.json", part)], rubric)
        assert [item.intent for item in result.items] == [1, None, None]
        assert {item.category for item in result.items} == {"billing"}
        figures = result.groups[0].measures
        means = {one.key: figures[one.name].set.mean for one in result.rubric.measures[2:]}
        assert means == {
            "measure.correctness": 1,
            "measure.helpfulness": 3,
            "measure.toxicity": 0.2,
            "measure.tone": None,
        }
        assert [str(one.better) for one in result.rubric.measures[2:]] == ["higher", "higher", "lower", "higher"]
        assert [place.found for one in part.findings if one.code == "measure-unusable" for place in one.places] == [
            "kind"
        ]
