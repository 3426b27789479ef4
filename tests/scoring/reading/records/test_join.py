"""A second file: which records it completes, and what is said of those that have no counterpart."""

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

from config import claiming
from reporting.wording import describe
from scoring import RubricError
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.problems import InputError
from scoring.reading import open_named
from scoring.results import merge
from tests.scoring.reading.records.files import answer, answers_rubric, lines

RUBRIC = answers_rubric(keys="join: { file: more.jsonl, on: id }\n")


def score(folder: Path, first: bytes, second: bytes | None, name: str = "answers_x.jsonl") -> Part:
    (folder / name).write_bytes(first)
    if second is not None:
        (folder / "more.jsonl").write_bytes(second)
    with open_named(folder / name) as stream:
        return score_file(stream, name=str(folder / name), rubric=RUBRIC)


def test_records_of_both_files_are_one_and_the_own_value_counts_first(tmp_path: Path) -> None:
    first = lines({"id": "Q-1", "answer": "x"}, {"id": 2, "answer": "y"})
    part = score(tmp_path, first, lines({"id": "2", "level": 0}, {"id": "Q-1", "level": 1, "answer": "z", "note": "n"}))
    assert [(item.query_id, item.response) for item in part.items] == [("Q-1", "x"), ("2", "y")]
    assert [item.details.rubrics for item in part.items if item.details] == [1.0, 0.0]
    assert (part.extra_columns, part.findings) == (("note",), ())
    document = json.dumps([{"id": "Q-1", "level": 1}, {"id": "2", "level": 1}], indent=1).encode()
    with pytest.raises(AssertionError):  # a document under a name of lines
        assert not score(tmp_path, first, document).refused


def test_records_without_a_counterpart_are_counted_and_named(tmp_path: Path) -> None:
    first = lines(*({"id": f"Q-{number}", "answer": "x"} for number in range(50)))
    others = ({"id": f"Q-{number}", "level": 1} for number in range(5, 53))
    part = score(tmp_path, first, lines(*others, {"id": "Q-9", "level": 0}))
    assert len(part.items) == 50
    found = {one.code: one for one in part.findings}
    assert {code: one.count for code, one in found.items()} == {"join-missing": 5, "join-unused": 3, "join-twice": 1}
    assert [(place.row, place.found) for place in found["join-missing"].places][:2] == [(1, "Q-0"), (2, "Q-1")]
    place = found["join-missing"].places[0]
    assert "Records that have no counterpart in more.jsonl" in describe(place, "en")
    assert "more.jsonl에 짝이 없는 레코드" in describe(place)
    assert found["join-unused"].places[0].found == "Q-50, Q-51, Q-52"


def test_second_file_that_is_not_there_or_no_json_refuses_the_first(tmp_path: Path) -> None:
    (problem,) = score(tmp_path, lines(answer()), None).problems
    assert (problem.code, problem.found) == ("join-no-file", "more.jsonl")
    assert "is not beside this one" in describe(problem, "en")
    assert "이 파일 옆에 없습니다" in describe(problem)
    (problem,) = score(tmp_path, lines(answer()), b'{"id": "Q-1"}\n[1]\n').problems
    assert (problem.code, problem.source) == ("record-unreadable", "more.jsonl")
    (tmp_path / "more.jsonl").unlink()
    (tmp_path / "more.jsonl").symlink_to(__file__)
    assert score(tmp_path, lines(answer()), None).problems[0].code == "join-no-file"


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("{ file: ../more.jsonl, on: id }", "rubric-glob-separator"),
        ("{ file: more.csv, on: id }", "rubric-value-type"),
        ("{ file: more.jsonl, on: 'a..b' }", "rubric-path"),
        ("{ file: more.jsonl }", "rubric-key-missing"),
    ],
)
def test_fault_of_a_join_is_named(rule: str, code: str) -> None:
    with pytest.raises(RubricError) as refused:
        answers_rubric(keys=f"join: {rule}\n")
    assert [problem.code for problem in refused.value.problems] == [code]


def test_files_that_are_not_of_one_set_are_refused(tmp_path: Path) -> None:
    part = score(tmp_path, lines(answer()), lines({"id": "Q-1"}))
    with open_named(tmp_path / "more.jsonl") as stream:
        other = score_file(stream, name="more.jsonl", rubric=RUBRIC)
    assert claiming("more.jsonl", [RUBRIC]) is RUBRIC
    result = merge([("answers_x.jsonl", part), ("more.jsonl", other)], RUBRIC)
    assert [(one.name, one.items) for one in result.inputs] == [("answers_x.jsonl", 1), ("more.jsonl", 0)]
    for files in ([("answers_x.jsonl", part)], [("more.jsonl", other)]):
        with pytest.raises(InputError) as refused:
            merge(files, RUBRIC)
        assert [problem.code for problem in refused.value.problems] == ["join-apart"]


def _zipped(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(whole := io.BytesIO(), "w") as archive:
        archive.writestr(name, data)
    return whole.getvalue()


@pytest.mark.parametrize("second", ["more.jsonl", "more.jsonl.gz", "more.zip"])
@pytest.mark.parametrize("first", ["answers_x.jsonl", "answers_x.jsonl.gz", "answers_x.zip"])
def test_either_file_of_a_join_may_be_packed(tmp_path: Path, first: str, second: str) -> None:
    for name, data in ((first, lines({"id": "Q-1", "answer": "x"})), (second, lines({"id": "Q-1", "level": 1}))):
        packed = {".gz": gzip.compress(data), ".zip": _zipped(data, "inside.jsonl")}
        (tmp_path / name).write_bytes(packed.get(Path(name).suffix, data))
    rubric = answers_rubric(keys=f"join: {{ file: {second}, on: id }}\n")
    with open_named(tmp_path / first) as stream:
        part = score_file(stream, name=str(tmp_path / first), rubric=rubric)
    assert [item.details.rubrics for item in part.items if item.details] == [1.0]
    assert part.findings == ()


def test_a_second_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers_x.jsonl").write_bytes(lines(answer()))
    (tmp_path / "more.jsonl.gz").write_bytes(b"no gz")
    rubric = answers_rubric(keys="join: { file: more.jsonl.gz, on: id }\n")
    with open_named(tmp_path / "answers_x.jsonl") as stream:
        (problem,) = score_file(stream, name="answers_x.jsonl", rubric=rubric).problems
    assert (problem.code, problem.source) == ("packed-unreadable", "more.jsonl.gz")
