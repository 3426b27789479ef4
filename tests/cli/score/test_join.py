"""`scorewatch score`: two files that a document joins."""

import csv
import io
import json

from tests.cli.place import Place
from tests.scoring.reading.records.files import DOCUMENT, lines


def test_folder_is_scored_again_when_either_file_changes(place: Place) -> None:
    keys = "join: { file: more.jsonl, on: id }\n"
    place.file("rubrics/answers.md", DOCUMENT.format(keys=keys, question="", response="", level=""))
    place.file("in/run/answers_x.jsonl", lines({"id": "Q-1", "answer": "x"}).decode())
    keyed = []
    for level in (0, 1):
        place.file("in/run/more.jsonl", lines({"id": "Q-1", "level": level}).decode())
        result = place.run("score", "in", "--rubric", "rubrics/answers.md", "--out", "out")
        assert result.code == 0, result.out + result.err
        folder = next((place.root / "out").rglob("report.json")).parent
        (row,) = csv.DictReader(io.StringIO((folder / "items.csv").read_text(encoding="utf-8-sig")))
        status = json.loads((folder / "status.json").read_text(encoding="utf-8"))
        assert sorted(status["inputs"]) == ["answers_x.jsonl", "more.jsonl"]
        keyed.append((row["rubrics"], status["key"]))
    assert [score for score, _ in keyed] == ["0", "1"]
    assert keyed[0][1] != keyed[1][1]


def test_files_that_lie_in_no_folder_of_their_own_are_refused_and_a_named_set_is_scored(place: Place) -> None:
    keys = "join: { file: more.jsonl, on: id }\n"
    place.file("answers.md", DOCUMENT.format(keys=keys, question="", response="", level=""))
    place.file("in/answers_x.jsonl", lines({"id": "Q-1", "answer": "x"}).decode())
    place.file("in/more.jsonl", lines({"id": "Q-1", "level": 1}).decode())
    apart = place.run("score", "in", "--rubric", "answers.md", "--out", "out", "--language", "en", "-v")
    assert apart.code == 1
    assert "The two files that `join` puts together are not in one set ('more.jsonl')" in apart.out + apart.err
    files = ("in/answers_x.jsonl", "in/more.jsonl")
    assert place.run("score", *files, "--set", "both", "--rubric", "answers.md", "--out", "out").code == 0


def test_values_of_a_document_show_a_key_and_a_joined_file(place: Place) -> None:
    keys = "records: results\nkey: id\njoin: { file: more.jsonl, on: id }\n"
    place.file("answers.md", DOCUMENT.format(keys=keys, question="", response="", level=""))
    shown = place.run("rubric", "show", "answers.md", "--language", "en").out
    assert "The records are a map; the name of their key: id\n" in shown
    assert "Joined file: more.jsonl, by id\n" in shown
