"""Shapes of JSON documents: maps, tables, several lists, values of what holds the records, one record a file."""

import json

import pytest

from reporting.wording import describe
from scoring import RubricError
from scoring.items.spool import Part
from scoring.rubric import Rubric
from tests.paths import ROOT
from tests.scoring.files import score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines

FOREIGN = ROOT / "tests" / "cases_found" / "foreign_exports"


def score(value: object, *, keys: str = "", name: str = "answers_x.json", **paths: str) -> Part:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return score_bytes(data, name, answers_rubric(keys=keys, **paths))


def read(part: Part) -> list[tuple[str, str, str]]:
    assert not part.refused, part.problems
    return [(item.query_id, item.question, item.response) for item in part.items]


def test_records_of_a_map_have_their_keys_under_the_name_that_the_document_says() -> None:
    part = score((FOREIGN / "map.json").read_bytes(), keys="key: id\n")
    assert read(part) == [("q1", "a?", "x"), ("q2", "b?", "y")]
    below = {"version": 1, "results": {"q1": {"answer": "x"}, "q2": {"id": "own", "answer": "y"}, "q3": {}}}
    part = score(below, keys="records: results\nkey: id\n")
    assert [item.query_id for item in part.items] == ["q1", "own", "q3"]  # a record's own name counts, and is named
    assert [(one.code, one.count) for one in part.findings] == [("record-name-twice", 1)]


def test_lists_of_a_map_are_records_with_one_key() -> None:
    part = score({"q1": [{"answer": "x"}, {"answer": "y"}], "q2": "text"}, keys="key: id\n")
    assert read(part) == [("q1", "", "x"), ("q1", "", "y")]
    assert [(one.code, one.places[0].row) for one in part.findings if one.code == "record-unreadable"] == [
        ("record-unreadable", 3)
    ]


def test_table_of_columns_and_data_is_read_without_a_word_in_the_document() -> None:
    assert read(score((FOREIGN / "split.json").read_bytes())) == [("1", "a?", "x"), ("2", "b?", "y")]
    table = {"columns": ["id", "answer"], "index": [0, 1, 2], "data": [["q1", 'a "b"'], ["q2"], ["q3", None]]}
    part = score({"run": table}, keys="records: run\n")
    assert read(part) == [("q1", "", 'a "b"'), ("q3", "", "")]
    assert [(one.code, one.places[0].row) for one in part.findings] == [("record-unreadable", 2)]


def test_table_of_a_thousand_columns_is_read() -> None:
    names = ["id", "answer", *(f"c{number}" for number in range(998))]
    part = score({"columns": names, "data": [[f"q{row}", "x", *range(998)] for row in range(3)]})
    assert [item.query_id for item in part.items] == ["q0", "q1", "q2"]
    assert len(part.extra_columns) == 998


def test_values_of_what_holds_the_records_are_read_from_them() -> None:
    runs = [{"model": "a", "samples": [answer()]}, {"model": "b", "samples": [answer(id="Q-2"), answer(id="Q-3")]}]
    value = {"meta": {"version": 7}, "runs": runs}
    part = score(value, keys='records: "runs[*].samples[*]"\n', question="^.model")
    assert [item.question for item in part.items] == ["a", "b", "b"]
    part = score(value, keys='records: "runs[*].samples"\n', question="^.^.meta.version")
    assert [item.question for item in part.items] == ["7", "7", "7"]
    assert score(value, keys='records: "runs[*]"\n', question="model", response='"samples[0].answer"').rows == 2


def test_records_are_selected_by_what_holds_them() -> None:
    value = {"runs": [{"model": "a", "samples": [answer()]}, {"model": "b", "samples": [answer(id="Q-2")]}]}
    part = score(value, keys='records: "runs[*].samples"\nwhere: { "^.model": b }\n')
    assert [item.query_id for item in part.items] == ["Q-2"]


def test_star_is_every_value_of_an_object() -> None:
    part = score(
        {"scores": {"a": {"value": "x"}, "b": {"value": "y"}}, "*": "own"},
        keys="records: file\n",
        response='"scores.*.value"',
        question='"*"',
    )
    assert [(item.response, item.question) for item in part.items] == [("x\ny", "own")]


def test_lines_lie_in_nothing() -> None:
    part = score(lines(answer(), answer(id="Q-2")), keys="records: samples\n", name="x.jsonl", question="^.model")
    assert [item.question for item in part.items] == ["", ""]
    assert [one.code for one in part.findings] == ["column-never-found"]


def test_a_file_is_one_record() -> None:
    for value in (answer(steps=[1, 2]), {"id": "Q-1", "answer": "Twelve", "results": [{}]}):
        part = score(json.dumps(value, indent=1).encode(), keys="records: file\n")
        assert [(item.query_id, item.response) for item in part.items] == [("Q-1", "Twelve")]
    (problem,) = score([answer()], keys="records: file\n").problems
    assert (problem.code, problem.values["paths"], problem.found) == ("records-not-found", "file", "$ (1)")


@pytest.mark.parametrize(
    ("keys", "path", "code", "english", "korean"),
    [
        (
            "records: samples\n",
            "^.^.model",
            "rubric-path-above",
            "goes up 2 levels, but the records of `records` lie 1 levels deep",
            "'^.^.model'은 2단계 위를 찾지만, `records`의 레코드는 1단계 안에 있습니다",
        ),
        ("", "^.model", "rubric-path-above", "goes up 1 levels", "1단계 위를 찾지만"),
        ("records: samples\n", "a.^.b", "rubric-path-turns", "goes up again after going down", "다시 올라가거나"),
        ("records: samples\n", "^.a.^.b", "rubric-path-turns", "goes up again after going down", "다시 올라가거나"),
        ("records: samples\n", "^", "rubric-path-turns", "or only goes up", "올라가기만 합니다"),
    ],
)
def test_path_that_goes_up_too_far_or_in_a_circle_is_a_fault_of_the_document(
    keys: str, path: str, code: str, english: str, korean: str
) -> None:
    with pytest.raises(RubricError) as refused:
        answers_rubric(keys=keys, question=path)
    (problem,) = refused.value.problems
    assert problem.code == code
    assert english in describe(problem, "en")
    assert korean in describe(problem)


def test_documents_without_new_words_keep_their_digest() -> None:
    rubric: Rubric = answers_rubric(keys="records: samples\nwhere: { type: match }\n")
    assert rubric.digest == "f1a3a84ccd2a056cb66683118ba5fbba2abfabe8d1c6874ae54d3118e69ec3d0"


def test_the_first_list_that_has_records_is_read() -> None:
    keys = 'records: [a, b, "$"]\n'
    records = [{"id": "q1", "answer": "x"}]
    assert read(score({"a": records, "b": [{"id": "q2", "answer": "y"}]}, keys=keys)) == [("q1", "", "x")]
    assert read(score({"a": [], "b": records}, keys=keys)) == [("q1", "", "x")]
    (problem,) = score({"a": [], "id": "q1", "answer": "x"}, keys=keys).problems
    assert problem.code == "no-records"  # what holds an empty list is no record itself
