"""Guards of JSON files: cut, unreadable and repeated records, where the records of a document are, what is selected."""

import json
from collections import Counter

import pytest

from reporting.wording import describe
from scoring.items.spool import Part
from scoring.reading import records
from scoring.reading.text_source import LineLimit
from scoring.rubric import Rubric
from tests.scoring.files import score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines

RUBRIC = answers_rubric()


def score(data: bytes, name: str = "answers_x.jsonl", rubric: Rubric = RUBRIC) -> Part:
    return score_bytes(data, name, rubric)


def counted(part: Part) -> dict[str, int]:
    return {finding.code: finding.count for finding in part.findings}


def problems(part: Part) -> list[tuple[str, int | None]]:
    assert part.refused
    return [(problem.code, problem.row) for problem in part.problems]


@pytest.mark.parametrize("end", [b'{"id": "Q-3", "ans', b'{"id": "Q-3", "answer": "x', b'{"id": {"a": [1, 2', b"{"])
@pytest.mark.parametrize("line_end", [b"", b"\n", b"\n\n"])
def test_file_that_ends_inside_a_record_is_refused(end: bytes, line_end: bytes) -> None:
    part = score(lines(answer(), answer(id="Q-2")) + end + line_end)
    assert problems(part) == [("record-cut", 3)]
    assert describe(part.problems[0]).startswith("3번째 줄: 레코드 안에서 파일이 끝났습니다")
    assert describe(part.problems[0], "en").startswith("line 3: The file ends inside a record")


@pytest.mark.parametrize("cut", [1, 20, 60, 100])
def test_document_that_is_cut_is_refused(cut: int) -> None:
    part = score(json.dumps([answer(), answer(id="Q-2")]).encode()[:-cut], "answers.json")
    assert problems(part) == [("record-cut", None)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1]", "not-an-object"),
        ('"text"', "not-an-object"),
        ('{"id": ', "cut"),
        ("{'id': 1}", "python-dict"),
        ('{"id": 1,}', "trailing-comma"),
        ("{“id”: 1}", "curly-quotes"),
        ('{"id": 1}\x1e{"id": 2}', "separator"),
        ("-- note", "invalid"),
    ],
)
def test_line_that_is_no_object_is_left_out_and_named(line: str, reason: str) -> None:
    part = score(lines(answer(), line, answer(id="Q-2")))
    assert [item.row for item in part.items] == [1, 3]
    assert (part.rows, part.unusable_rows) == (3, 1)
    (finding,) = part.findings
    assert (finding.code, finding.count, finding.severity) == ("record-unreadable", 1, "error")
    (place,) = finding.places
    assert (place.row, place.row_unit, place.values["reason"], place.found) == (2, "line", reason, line.strip())
    assert describe(place, "en").startswith("line 2: This is not a JSON object (")


def test_element_of_a_document_that_is_no_object_is_named_by_its_place() -> None:
    part = score(json.dumps([answer(), 7, answer(id="Q-2")]).encode(), "answers.json")
    assert [item.row for item in part.items] == [1, 3]
    (place,) = part.findings[0].places
    assert describe(place, "en").startswith("record 2: This is not a JSON object (not an object)")
    assert describe(place).startswith("2번째 레코드: ")


def test_rows_that_lack_something_are_named_by_line() -> None:
    rubric = answers_rubric(keys="")
    part = score(lines(answer(), answer(level="great")), rubric=rubric)
    (place,) = part.findings[0].places
    assert describe(place.at("a.jsonl"), "en").startswith("a.jsonl line 2 'level': 'great'")


def test_file_without_a_readable_line_names_its_first_ones() -> None:
    part = score(lines("a", "b", "c"))
    assert problems(part) == [("no-usable-rows", None), ("record-unreadable", 1)]
    assert part.problems[1].times == 3


def test_name_that_is_there_twice_is_a_finding_and_the_last_value_counts() -> None:
    part = score(lines(answer(), '{"id": "Q-2", "answer": "x", "id": "Q-3"}', answer(id="Q-4")))
    assert [item.query_id for item in part.items] == ["Q-1", "Q-3", "Q-4"]
    (finding,) = part.findings
    (place,) = finding.places
    assert (finding.code, place.row, place.found) == ("record-name-twice", 2, "id")


def test_name_that_is_there_twice_on_a_path_is_a_finding() -> None:
    rubric = answers_rubric(response="output.text")
    part = score(lines('{"output": {"text": "a", "text": "b"}, "other": {"x": 1, "x": 2}}'), rubric=rubric)
    assert (part.items[0].response, counted(part)) == ("b", {"record-name-twice": 1})


def test_blank_lines_are_counted_and_keep_their_numbers() -> None:
    part = score(b"\n" + lines(answer()) + b" \t\n" + lines(answer(id="Q-2")))
    assert [item.row for item in part.items] == [2, 4]
    assert (part.rows, part.blank_rows) == (4, 2)


def test_record_without_any_value_is_a_blank_row() -> None:
    part = score(lines(answer(), {}, {"answer": None}))
    assert (part.rows, part.blank_rows, len(part.items)) == (3, 2, 1)


def test_names_beyond_the_columns_are_further_columns() -> None:
    part = score(lines(answer(model="m-1"), answer(id="Q-2", tokens=12), answer(id="Q-3", tokens=1.50)))
    assert part.extra_columns == ("model", "tokens")
    assert [item.extra for item in part.items] == [("m-1", ""), ("", "12"), ("", "1.5")]


def test_names_of_conditions_are_no_further_columns() -> None:
    rubric = answers_rubric(level='"$[kind=2][done!=].result"')
    part = score(lines(answer(kind=2, done="y", result=1, model="m-1")), rubric=rubric)
    assert part.extra_columns == ("level", "model")


def test_name_that_only_later_records_have_is_named_once_and_its_column_is_read() -> None:
    plain = [{"id": f"Q-{number}", "answer": "x"} for number in range(250)]
    part = score(lines(*plain, answer(id="Q-A", late=1), answer(id="Q-B", late=2)))
    assert [item.details.rubrics for item in part.items[-2:] if item.details] == [1.0, 1.0]
    assert part.extra_columns == ()
    assert [(finding.code, finding.count, finding.places[0].found) for finding in part.findings] == [
        ("record-name-late", 1, "late")
    ]


def test_required_column_that_is_nowhere_refuses_the_file_and_lists_the_names() -> None:
    part = score(lines({"id": "Q-1", "ansver": "x"}))
    assert problems(part) == [("records-lack-columns", None), ("misspelt-column", None)]
    assert part.problems[0].values == {"missing": "answer", "found": "id, ansver"}


def test_paths_are_tried_in_order_and_several_values_are_lines() -> None:
    rubric = answers_rubric(
        question='"messages[0].content", prompt', response="output.text, output", level="score.value"
    )
    part = score(
        lines(
            {"messages": [{"content": "Hi"}], "output": {"text": "A"}, "score": {"value": 1}},
            {"messages": [], "prompt": "Ho", "output": "B", "score": {"value": 0}},
            {"output": {"text": ""}, "prompt": None},
        ),
        rubric=rubric,
    )
    assert [(item.question, item.response) for item in part.items] == [("Hi", "A"), ("Ho", "B"), ("", '{"text": ""}')]
    many = answers_rubric(response='"messages[*].content"')
    assert (
        score(lines({"messages": [{"content": "a"}, {"content": None}, {"content": "b"}]}), rubric=many)
        .items[0]
        .response
        == "a\nb"
    )


def test_name_that_is_written_like_a_path_comes_first() -> None:
    rubric = answers_rubric(response="output.text")
    part = score(lines({"output.text": "flat", "output": {"text": "nested"}}), rubric=rubric)
    assert part.items[0].response == "flat"
    dotted = score(lines({"out": {"answer": "x"}, "prompt": "p"}), rubric=answers_rubric(response="out.answer"))
    assert (dotted.items[0].response, dotted.items[0].question, dotted.extra_columns) == ("x", "p", ())


def test_dollar_is_the_record_as_it_is_written_and_leaves_no_further_columns() -> None:
    written = '{ "answer" : "x",  "n": 1.0, "big": 12345678901234567890, "nan": NaN }'
    part = score(lines(written), rubric=answers_rubric(question='"$"'))
    assert (part.items[0].question, part.extra_columns) == (written, ())


def test_path_that_leads_nowhere_is_a_finding() -> None:
    rubric = answers_rubric(response="answer", question="input.text", level="grade.value")
    part = score(lines(answer(input={}), answer(id="Q-2")), rubric=rubric)
    assert [(finding.code, finding.count) for finding in part.findings] == [("column-never-found", 2)]
    assert [(place.column, place.found) for place in part.findings[0].places] == [
        ("question", "input.text"),
        ("level", "grade.value"),
    ]


WHERE = answers_rubric(keys='where: { type: [result, "final answer"], "meta.kind": test }\n')


def test_records_are_selected_by_values_and_the_others_are_counted() -> None:
    part = score(
        lines(
            {"spec": {"model": "m"}},
            answer(type="result", meta={"kind": "test"}),
            answer(type="sampling", meta={"kind": "test"}),
            answer(id="Q-2", type="final answer", meta={"kind": "test"}),
            answer(type="result", meta={"kind": "dry"}),
        ),
        rubric=WHERE,
    )
    assert [item.row for item in part.items] == [2, 4]
    assert (part.rows, part.blank_rows, part.extra_columns) == (2, 0, ())
    (finding,) = part.findings
    assert (finding.code, finding.count, finding.severity) == ("records-not-selected", 3, "note")
    assert finding.places[0].values == {"where": "meta.kind: test; type: result, final answer"}


def test_file_without_a_selected_record_is_refused() -> None:
    part = score(lines(answer(), answer()), rubric=WHERE)
    assert problems(part) == [("no-records", None)]
    assert part.problems[0].values == {"unselected": "2"}
    assert problems(score(b"[]", "answers.json")) == [("no-records", None)]


@pytest.mark.parametrize("keys", ["records: run.results\n", 'records: [results, run.results, "$"]\n'])
def test_records_of_a_document_are_at_the_path_that_the_rubric_names(keys: str) -> None:
    data = json.dumps({"version": 3, "run": {"results": [answer(), answer(id="Q-2")], "stats": {}}}).encode()
    part = score(data, "answers.json", answers_rubric(keys=keys))
    assert [(item.row, item.query_id) for item in part.items] == [(1, "Q-1"), (2, "Q-2")]


def test_document_that_is_named_itself_is_a_list_or_one_record() -> None:
    rubric = answers_rubric(keys='records: [results, "$"]\n')
    for data in (answer(), [answer()], {"results": [answer()]}):
        part = score(json.dumps(data, indent=1).encode(), "answers.json", rubric)
        assert [(item.row, item.query_id) for item in part.items] == [(1, "Q-1")]
        assert part.findings == ()


def test_names_with_dots_are_found_by_paths() -> None:
    rubric = answers_rubric(response="attributes.output.value", question="a.b.c.d")
    part = score(lines({"attributes": {"output.value": "x"}, "a": {"b": {"c.d": "q"}}}), rubric=rubric)
    assert (part.items[0].response, part.items[0].question) == ("x", "q")


def test_elements_that_have_a_name_are_found_by_paths() -> None:
    rubric = answers_rubric(response="answer", level='"scores[name=correct].value"')
    scores = [{"name": "tone", "value": 0}, 7, {"name": "correct", "value": 1}, {"value": 0}, {"name": 5}]
    part = score(lines({"answer": "x", "scores": scores}), rubric=rubric)
    assert [item.details.rubrics for item in part.items if item.details] == [1.0]


def test_records_of_several_lists_are_joined() -> None:
    data = json.dumps({"runs": [{"results": [answer()]}, {"results": [answer(id="Q-2")]}]}).encode()
    part = score(data, "answers.json", answers_rubric(keys='records: "runs[*].results"\n'))
    assert [item.query_id for item in part.items] == ["Q-1", "Q-2"]


def test_document_without_that_list_is_refused_with_the_lists_in_it() -> None:
    data = json.dumps({"a": 1, "run": {"results": [answer()] * 3, "names": ["x"]}, "tests": [answer()]}).encode()
    for rubric in (RUBRIC, answers_rubric(keys="records: results\n")):
        part = score(data, "answers.json", rubric)
        assert problems(part) == [("records-not-found", None)]
        assert part.problems[0].found == "tests (1), run.results (3)"


def test_name_twice_on_the_way_to_the_records_is_a_finding() -> None:
    data = b'{"results": [], "results": [%s]}' % lines(answer()).strip()
    part = score(data, "answers.json", answers_rubric(keys="records: results\n"))
    assert (len(part.items), counted(part)) == (1, {"record-name-twice": 1})


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'[{"answer": "x"},\n {"answer": x}]', 2),
        (b'{"a": 1}{"a": 2}', 1),
        (b'[{"answer": NaN},\n\n{"answer": 1}}]', 3),
    ],
)
def test_document_that_is_no_json_is_refused_with_the_line(data: bytes, line: int) -> None:
    part = score(data, "answers.json")
    assert [(problem.code, problem.line) for problem in part.problems] == [("json-unreadable", line)]


def test_document_with_nan_is_read() -> None:
    part = score(b'[{"answer": "x", "level": NaN}, {"answer": "\\ud800", "level": 1}]', "answers.json")
    assert [item.response for item in part.items] == ["x", "\ufffd"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "DOCUMENT_LIMIT", 200)
    monkeypatch.setattr(records, "DOCUMENT_LIMIT", 200)
    monkeypatch.setattr(records, "_LINE_LIMIT", LineLimit(2 << 20, "record-too-large"))
    large = score(json.dumps([answer(id=f"Q-{number}") for number in range(9)]).encode(), "answers.json")
    assert problems(large) == [("json-too-large", None)]
    line = score(lines(answer(), answer(answer="x" * (4 << 20))))
    assert problems(line) == [("record-too-large", None)]
    assert line.size > 4 << 20


def test_many_small_records_that_lack_hundreds_of_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_CELLS", 200_000)
    wide = {f"name-{number}": 1 for number in range(200)}
    data = lines(answer(), wide) + b"{}\n" * 4_000
    part = score(data)
    assert problems(part) == [("records-too-wide", records.MAX_CELLS // 204 + 1)]
    assert len(score(lines(answer(), wide) + lines(answer()) * 900).items) == 902


def test_white_space_around_a_document_is_nothing() -> None:
    part = score(b"\n" * 200 + b" [ " + lines(answer()) + b" ] \n\n", "answers.json")
    assert len(part.items) == 1


def test_too_many_names_are_refused() -> None:
    wide = [{f"name-{number}-{at}": 1 for at in range(1_000)} for number in range(17)]  # each name once
    part = score(lines(answer(), *wide))
    assert problems(part) == [("too-many-columns", None)]


def test_records_that_all_differ_in_names_are_read() -> None:
    part = score(lines(*[answer(id=f"Q-{number}", **{f"n{number}": number}) for number in range(3000)]))
    assert len(part.items) == 3000
    assert counted(part) == {"record-name-late": 2800}


def test_repeated_items_are_compared_by_their_lines() -> None:
    from tests.scoring.files import row
    from tests.scoring.reading.records.files import records_of

    rows = [row(Item_ID="I-1"), row(Item_ID="I-1", 질의="다른 질의"), row(Item_ID="I-1", 질의="다른 질의")]
    part = score_bytes(lines(*records_of(rows)), "resume_agent_x.jsonl")
    places = {(finding.code, place.row, place.values["kept"]) for finding in part.findings for place in finding.places}
    assert places == {("rows-differ", 1, "3"), ("rows-equal", 2, "3")}


def test_control_characters_in_ids_do_no_harm() -> None:
    part = score(lines('{"id": "Q\\u0000-1", "answer": "x\\u0000"}'))
    assert Counter(item.query_id for item in part.items) == {"Q\0-1": 1}
