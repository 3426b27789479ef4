"""What stands around the records of lines, other layouts under the name of lines, and two names of one column."""

import json

import pytest

from reporting.wording import describe
from scoring.items.spool import Part
from scoring.json_values import Diagnosis
from scoring.rubric import Rubric
from tests.scoring.files import score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines
from texts import texts

RUBRIC = answers_rubric()
RECORDS = [json.dumps(answer(id=f"Q-{n}", answer=f"Answer {n}")) for n in range(1, 4)]


def score(data: str, name: str = "answers_x.jsonl", rubric: Rubric = RUBRIC) -> Part:
    return score_bytes(data.encode(), name, rubric)


def found(part: Part) -> dict[str, int]:
    return {finding.code: finding.count for finding in part.findings}


@pytest.mark.parametrize("name", ["answers_x.jsonl", "answers_x.ndjson", "answers_x.json"])
@pytest.mark.parametrize(
    ("data", "findings"),
    [
        (",\n".join(RECORDS), {"record-comma": 2}),
        (",\n".join(RECORDS) + ",\n", {"record-comma": 3}),
        (", \r\n".join(RECORDS), {"record-comma": 2}),
        ("\n,".join(RECORDS), {"record-comma": 2}),
        ("".join(f"\x1e{record}\n" for record in RECORDS), {"record-separator": 3}),
        ("\n".join([RECORDS[0], f"\x1e{RECORDS[1]}", RECORDS[2]]), {"record-separator": 1}),
        ("# exported\n" + "\n".join(RECORDS) + "\n// the end", {"record-comment": 2}),
        ("\n\n".join(RECORDS), {}),
    ],
    ids=["behind", "behind all", "with blanks", "before", "separators", "one separator", "comments", "blank lines"],
)
def test_records_are_read_without_what_stands_around_them(data: str, findings: dict[str, int], name: str) -> None:
    part = score(data, name)
    assert [(item.query_id, item.response) for item in part.items] == [(f"Q-{n}", f"Answer {n}") for n in range(1, 4)]
    assert found(part) == findings
    assert part.unusable_rows == 0


def test_comma_and_separator_inside_a_text_are_part_of_it() -> None:
    part = score(json.dumps(answer(answer="a},\n# b")) + "\n")
    assert (part.items[0].response, found(part)) == ("a},\n# b", {})


def problems(part: Part) -> list[str]:
    assert part.refused
    return [problem.code for problem in part.problems]


LIST = json.dumps([answer(), answer(id="Q-2")])


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (LIST, ["record-list"]),
        (f"\n  {LIST}\n\n", ["record-list"]),
        (json.dumps(json.loads(LIST), indent=1), ["record-list"]),
        ("[\n" + ",\n".join(RECORDS) + "\n]\n", ["record-list"]),
        ("[" + ",\n".join(RECORDS) + "]", ["record-list"]),
        (json.dumps({"results": json.loads(LIST)}, indent=2), ["record-list"]),
        (json.dumps(json.loads(LIST), indent=1)[:-20], ["record-list", "record-cut"]),
        ("[\n" + ",\n".join(RECORDS) + ",\n]\n", ["record-list", "json-unreadable"]),
        ("\n".join(json.dumps(answer(id=f"Q-{n}"), indent=2) for n in range(3)), ["record-over-lines"]),
        (",\n".join(json.dumps(answer(id=f"Q-{n}"), indent=2) for n in range(3)), ["record-over-lines"]),
    ],
    ids=[
        "one line",
        "blank lines around",
        "pretty",
        "one a line",
        "closed on the last line",
        "document",
        "cut",
        "comma at the end",
        "objects",
        "objects with commas",
    ],
)
def test_other_layout_is_refused_by_its_name(data: str, codes: list[str]) -> None:
    part = score(data)
    assert problems(part) == codes
    if codes[0] == "record-list":
        assert "Change the extension to .json." in describe(part.problems[0], "en")
        assert ".json으로 바꾸세요" in describe(part.problems[0])


@pytest.mark.parametrize("first", ["[1, 2]", "[", '{"id": ', '{"id": 1, "answer": "x"', "[{]"])
def test_one_wrong_line_does_not_make_another_layout(first: str) -> None:
    part = score("\n".join([first, *RECORDS]))
    assert [item.query_id for item in part.items] == ["Q-1", "Q-2", "Q-3"]
    assert found(part) == {"record-unreadable": 1}


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({"prompt": "Another question"}, 1),
        ({"prompt": "How many?"}, 0),
        ({"prompt": " How many? "}, 0),
        ({"prompt": None}, 0),
        ({"prompt": "nan"}, 0),
        ({"question": None, "prompt": "How many?"}, 0),
        ({"Question": "Another question"}, 1),
        ({"question": 1, "prompt": 2}, 1),
        ({}, 0),
    ],
    ids=["other", "same", "blanks", "null", "nan", "only", "spelling", "numbers", "one"],
)
@pytest.mark.parametrize("name", ["answers_x.jsonl", "answers_x.json"])
def test_two_names_of_a_column_are_a_finding(fields: dict[str, object], count: int, name: str) -> None:
    part = score_bytes(lines(answer(**fields), answer(id="Q-2")), name, RUBRIC)
    assert found(part) == ({"two-names": count} if count else {})
    assert part.items[0].question == str(answer(**fields)["question"] or "How many?")
    if count:
        (place,) = part.findings[0].places
        assert (place.row, place.column, place.found) == (1, "question", list(fields)[-1])


def test_paths_of_a_column_are_tried_in_order_without_a_finding() -> None:
    part = score_bytes(lines(answer(other="x")), "answers_x.jsonl", answers_rubric(question="question, other"))
    assert (part.items[0].question, found(part)) == ("How many?", {})


def test_line_break_within_a_text_of_a_document_is_part_of_it() -> None:
    document = json.dumps([answer(answer="one@two"), answer(id="Q-2")], indent=1).replace("@", "\n")
    part = score(document, "answers_x.json")
    assert [item.response for item in part.items] == ["one\ntwo", "Twelve"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_cause_has_words(language: str) -> None:
    causes = [value for name, value in vars(Diagnosis).items() if name.isupper()]
    assert [cause for cause in causes if not texts(language).has(f"diagnosis.{cause}")] == []
