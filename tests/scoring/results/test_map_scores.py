"""Scores of a map: one for each key that the files have, by their names, in the order in which they appear."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from scoring.gate import RuleError, parse_rule
from scoring.items import score_file
from scoring.results import SetResult, merge
from scoring.rubric import Rubric, with_keys
from tests.scoring.documents import problems_of
from tests.scoring.results.test_scores import document, rubric_of

MAP = '\n  - {{ payload: "{path}", reason: "{reason}", scale: [0, 1], pass: ">= 0.5", weight: 2 }}\n'
RAW = "  - { name: raw_json, title: '$' }\n"


def map_rubric(path: str = "scores.*.value", reason: str = "scores.*.why", before: str = "") -> Rubric:
    scores = MAP.format(path=path, reason=reason)
    return rubric_of(document(before + scores, columns=RAW, files="x*.jsonl"))


def scored(*files: list[dict[str, Any]], rubric: Rubric | None = None) -> SetResult:
    rubric = rubric or map_rubric()
    parts = []
    for number, records in enumerate(files):
        lines = "\n".join(json.dumps({"id": f"q{at}", "output": "yes", **one}) for at, one in enumerate(records))
        name = f"x{number}.jsonl"
        parts.append((name, score_file(io.BytesIO(lines.encode()), name=name, rubric=rubric)))
    return merge(parts, rubric)


def of(**values: object) -> dict[str, Any]:
    return {"scores": {key: {"value": value, "why": f"why {key}"} for key, value in values.items()}}


def means(result: SetResult) -> dict[str, float | None]:
    found = result.groups[0].measures
    return {one.name: found[one.name].set.mean for one in result.rubric.measures}


def test_each_key_is_a_score() -> None:
    result = scored([of(tone=0.5, **{"Answer Relevancy": 1}), of(tone=0.7, 근거성=0.25)])
    assert means(result) == {"score.tone": 0.6, "score.answer-relevancy": 1, "score.근거성": 0.25}
    assert [one.title for one in result.rubric.measures] == ["tone", "Answer Relevancy", "근거성"]
    assert [item.details.score_reasons for item in result.items if item.details is not None] == [
        ("why tone", "why Answer Relevancy", ""),
        ("why tone", "", "why 근거성"),
    ]
    assert [item.details.passed for item in result.items if item.details is not None] == [True, False]
    assert result.rubric_digest == map_rubric().digest


def test_a_set_has_the_keys_of_all_its_files_in_their_order() -> None:
    fixed = "\n  - { name: grade, payload: grade, scale: [0, 1] }"
    rubric = map_rubric(before=fixed)
    result = scored([of(b=0.5) | {"grade": 1}], [of(a=0.25, b=1)], [{"grade": 0}], rubric=rubric)
    assert list(means(result)) == ["score.grade", "score.b", "score.a"]
    assert means(result) == {"score.grade": 0.5, "score.b": 0.75, "score.a": 0.25}
    details = [item.details for item in result.items if item.details is not None]
    assert [one.measures for one in details] == [(1, 0.5, None), (None, 1, 0.25), (0, None, None)]
    assert [one.score_reasons for one in details] == [("", "why b", ""), ("", "why b", "why a"), ()]


def test_values_stand_at_the_keys_themselves() -> None:
    result = scored(
        [{"scores": {"a.b": 1, 'c"[d]': 0.5, "note": "no", "inner": {"value": 3}}}],
        rubric=map_rubric("scores.*", "why.*"),
    )
    assert means(result) == {"score.a-b": 1, "score.c-d": 0.5, "score.note": 0}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Total", "score-total"),
        ("seconds", "score-seconds"),
        ("passed", "score-passed"),
        ("A b", "a-b-2"),
        ("a_b", "a_b-2"),
        ("grade", "grade-2"),
        ("2nd", "score-2nd"),
        ("<b>x</b>", "b-x-b"),
        ("!!", "score"),
        ("x" * 90, "x" * 60),
    ],
)
def test_names_are_lower_case_and_mean_nothing_else(key: str, name: str) -> None:
    fixed = "\n  - { name: grade, payload: grade }"
    rubric = with_keys(map_rubric(before=fixed), ["a-b", key])
    assert rubric.measures[2].name == f"score.{name}"
    assert rubric.weights == {"score.a-b": 2, f"score.{name}": 2}


def test_keys_that_come_late_or_are_too_many_are_named() -> None:
    late = scored([*[of(a=1)] * 200, of(a=1, b=0)])
    assert list(means(late)) == ["score.a"]
    assert [(one.code, one.count) for one in late.findings if one.code == "score-key-unused"] == [
        ("score-key-unused", 1)
    ]
    many = scored([of(**{f"k{n}": 1 for n in range(52)})])
    assert len(means(many)) == 50
    assert [one.count for one in many.findings if one.code == "score-key-unused"] == [2]
    of_two = scored([of(**{f"k{n}": 1 for n in range(50)})], [of(z=1)])
    assert len(means(of_two)) == 50
    assert [one.places[0].found for one in of_two.findings if one.code == "score-key-unused"] == ["z"]
    unnameable = scored([of(**{"x" * 500: 1}, a=1)])
    assert [one.count for one in unnameable.findings if one.code == "score-key-unused"] == [1]


LIST = "\n  - { payload: { list: metrics, by: name, value: score, reason: why }, better: by name }\n"


def test_each_object_of_a_list_is_a_score_by_its_name() -> None:
    metrics = [
        {"name": "Tone [GEval]", "score": 0.5, "why": "flat"},
        {"name": "Hallucination", "score": 0.25},
        {"name": "Safety", "score": None},
        {"score": 1},
        "no object",
    ]
    rubric = rubric_of(document(LIST, columns=RAW, files="x*.jsonl"))
    result = scored([{"metrics": metrics}, {"metrics": metrics[:1]}], rubric=rubric)
    assert means(result) == {"score.tone-geval": 0.5, "score.hallucination": 0.25, "score.safety": None}
    assert [str(one.better) for one in result.rubric.measures] == ["higher", "lower", "higher"]
    details = [item.details for item in result.items if item.details is not None]
    assert [one.score_reasons for one in details] == [("flat", "", ""), ("flat", "", "")]


def test_a_score_that_a_document_declares_is_not_one_of_the_list_too() -> None:
    own = '\n  - { name: tone, title: "Tone [GEval]", pass: ">= 0.4", payload: { list: metrics } }'
    rubric = rubric_of(document(own + LIST, columns=RAW, files="x*.jsonl"))
    result = scored([{"metrics": [{"name": "Tone [GEval]", "score": 0.5}, {"name": "b", "score": 1}]}], rubric=rubric)
    assert means(result) == {"score.tone": 0.5, "score.b": 1}
    assert "score-key-unused" not in {one.code for one in result.findings}


def test_a_map_that_no_record_has_is_said() -> None:
    result = scored([{"other": 1}])
    assert means(result) == {}
    assert "path-never-found" in {one.code for one in result.findings}
    assert result.passed is not None
    assert result.passed.value is None


def test_a_key_of_two_differing_values_is_unusable() -> None:
    result = scored([{"a": [{"s": {"x": 1}}, {"s": {"x": 0}}]}], rubric=map_rubric("a[*].s.*", "a[*].w.*"))
    assert means(result) == {"score.x": None}
    assert "measure-unusable" in {one.code for one in result.findings}


@pytest.mark.parametrize(
    ("scores", "codes"),
    [
        ("\n  - { name: a, payload: scores.* }\n", ["rubric-score-map"]),
        ("\n  - { payload: scores.*.* }\n", ["rubric-score-map"]),
        ("\n  - { payload: scores.*, reason: why }\n", ["rubric-score-map"]),
        ("\n  - { payload: [scores.*, score] }\n", ["rubric-score-map"]),
        ("\n  - { payload: score }\n", ["rubric-key-missing"]),
        ("\n  - { name: a, column: [a, b] }\n", ["rubric-score-map"]),
        ("\n  - { column: ['*', scores.*] }\n", ["rubric-score-map"]),
        ("\n  - { name: a, payload: a, points: false }\n", ["rubric-kinds"]),
        ("\n  - { payload: a.*, points: false, scale: [1, 5] }\n", ["rubric-kinds"]),
        ("\n  - { payload: a.*, points: false, pass: '>= 0.5' }\n", ["rubric-kinds"]),
        ("\n  - { name: a, payload: a, better: by name }\n", ["rubric-kinds"]),
        ("\n  - { payload: a.* }\n  - { payload: b.* }\n", ["rubric-measure-twice"]),
    ],
)
def test_what_fits_no_map_is_refused(scores: str, codes: list[str]) -> None:
    assert [one.code for one in problems_of(document(scores, columns=RAW))] == codes


def test_a_gate_may_name_any_score_of_a_map() -> None:
    measures = [one.key for one in map_rubric().measures]
    assert parse_rule("score.tone >= 0.5", {}, measures).text == "score.tone >= 0.5"
    assert parse_rule("measure.tone mean >= 4", {}, measures).text == "measure.tone mean >= 4"
    assert parse_rule("score.근거성 not worse than baseline", {}, measures).text
    with pytest.raises(RuleError):
        parse_rule("measure.tone >= 0.5", {}, measures)
    with pytest.raises(RuleError):
        parse_rule("score.tone >= 0.5", {}, ["score.other"])


@pytest.mark.parametrize("more", ["", ", values: { true: 1, false: 0 }"], ids=["truths", "values"])
@pytest.mark.parametrize(("good", "bad"), [(True, False), ("true", "false"), (1, 0)], ids=["bool", "text", "number"])
@pytest.mark.parametrize(
    ("place", "shape"),
    [
        ("name: done, column: grades.done", lambda value: {"grades": {"done": value}}),
        ("name: done, payload: grades.done", lambda value: {"grades": {"done": value}}),
        ("name: done, payload: [absent, 'grades.done']", lambda value: {"grades": {"done": value}}),
        ("name: done, payload: 'of[*].done'", lambda value: {"of": [{"done": value}]}),
        ("name: done, payload: { list: of }", lambda value: {"of": [{"name": "done", "score": value}]}),
        ("payload: { list: of }", lambda value: {"of": [{"name": "done", "score": value}]}),
        ("payload: grades.*", lambda value: {"grades": {"done": value}}),
    ],
    ids=["column", "payload", "later-path", "each", "list", "all-of-a-list", "map"],
)
def test_false_is_the_low_end_wherever_a_score_stands(
    place: str, shape: Callable[[object], dict[str, Any]], good: object, bad: object, more: str
) -> None:
    """Three of four: mean 0.75, and the fourth does not pass; one without the value takes no part."""
    rubric = rubric_of(
        document(f'\n  - {{ {place}{more}, scale: [0, 1], pass: ">= 1" }}\n', columns=RAW, files="x*.jsonl")
    )
    result = scored([*map(shape, (good, good, bad, good)), shape(None) | {"assistantMessage": "x"}], rubric=rubric)
    assert means(result) == {"score.done": 0.75}
    passed = [item.details.passed for item in result.items if item.details is not None]
    assert passed == [True, True, False, True, None]


def test_an_expected_false_is_compared() -> None:
    """Of false and false, false and true, true and true, and true without an answer, two match."""
    match = "match: { with: wanted, answer: answer, as: exact }\n"
    text = document("", columns=RAW, files="x*.jsonl").replace("scores:", "").replace("metrics:", f"{match}metrics:")
    outcomes = [(False, False), (False, True), (True, True), (True, None)]
    records = [{"wanted": wanted, "answer": answer, "assistantMessage": "x"} for wanted, answer in outcomes]
    assert means(scored(records, rubric=rubric_of(text))) == {"score.match": 0.5}
