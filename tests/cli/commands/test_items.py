"""`scorewatch items`: the items of a report in every form, all or those that an address leaves."""

import csv
import io
import json
import shutil

import pytest

from tests.cli.place import HEADER, AsMade, Place, rows
from tests.paths import ROOT

SAMPLE = "resume_agent_sample"


@pytest.fixture
def scored(place: Place, as_made: AsMade) -> Place:
    return as_made(place, _score)


def _score(place: Place) -> None:
    shutil.copy(ROOT / f"docs/test-result/{SAMPLE}.csv", place.root)
    assert place.score(f"{SAMPLE}.csv", "--out", "docs/reports").code == 0


def test_every_form_has_the_items_that_the_address_leaves(scored: Place) -> None:
    asked = ("items", SAMPLE, "--where", "track=3&status=error", "--format")
    found = json.loads(scored.run(*asked, "json").out)
    assert len(found) == 16
    assert {(item["track"], item["status"], item["passed"]) for item in found} == {(3, "error", False)}
    lines = scored.run(*asked, "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == found
    table = scored.run(*asked, "table", "--language", "en").out.splitlines()
    assert (table[0].split()[:3], len(table), table[-1]) == (["query_id", "round", "track"], 18, "16 of 247 items")
    with (scored.root / "docs/reports" / SAMPLE / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
        wanted = [row for row in csv.DictReader(stream) if (row["track"], row["status"]) == ("3", "error")]
    printed = scored.run(*asked, "csv").out.removeprefix("\ufeff")
    assert list(csv.DictReader(io.StringIO(printed, newline=""))) == wanted
    assert [item["row"] for item in found] == [int(row["row"]) for row in wanted]


def test_without_an_address_csv_is_the_file_itself(scored: Place) -> None:
    ran = scored.run("items", SAMPLE, "--format", "csv")
    assert ran.out.encode() == (scored.root / "docs/reports" / SAMPLE / "items.csv").read_bytes()
    assert len(json.loads(scored.run("items", SAMPLE, "--format", "json").out)) == 247


def test_no_item_is_no_error(scored: Place) -> None:
    where = ("items", SAMPLE, "--where", "track=1&pattern=", "--format")
    assert scored.run(*where, "json").code == 2  # no such pattern
    where = ("items", SAMPLE, "--where", "track=1&text=nowhere-to-be-found", "--format")
    assert scored.run(*where, "json") == (0, "[]\n", "")
    assert scored.run(*where, "jsonl") == (0, "", "")
    assert scored.run(*where, "table", "--language", "en") == (0, "0 of 247 items\n", "")


def test_a_slip_names_the_nearest(scored: Place) -> None:
    ran = scored.run("items", SAMPLE, "--where", "trak=3", "--language", "en")
    assert (ran.code, ran.out) == (2, "")
    assert "--where: this report has no filter 'trak'. Try: track" in ran.err
    ran = scored.run("items", "resume_agent_sampel", "--language", "en")
    assert ran.code == 2
    assert f"Nearest sets: '{SAMPLE}'" in ran.err
    ran = scored.run("items", "--language", "en")
    assert (ran.code, SAMPLE in ran.err) == (2, True)


def test_cells_are_harmless_in_a_spreadsheet_and_plain_in_json(place: Place) -> None:
    row = (
        'run-1,i1,Q1,Track 1,"=HYPERLINK(""http://x"")",기대,공고,1/1,"+82 10",,,,,"{""assistantMessage"": ""좋아요""}"'
    )
    place.file("resume_agent_a.csv", f"{HEADER}\r\n{row}\r\n")
    place.score("resume_agent_a.csv", "--out", "docs/reports")
    ran = place.run("items", "resume_agent_a", "--where", "track=1", "--format", "csv")
    assert "\"'=HYPERLINK(" in ran.out
    (item,) = json.loads(place.run("items", "resume_agent_a", "--format", "json").out)
    assert (item["question"], item["response"]) == ('=HYPERLINK("http://x")', "+82 10")


def test_a_report_without_figures_and_one_that_is_half_there_are_refused(place: Place) -> None:
    place.file("resume_agent_b.csv", "a,b\n1,2\n")
    place.score("resume_agent_b.csv", "--out", "docs/reports")
    ran = place.run("items", "resume_agent_b", "--language", "en")
    assert (ran.code, "See its problem.md" in ran.err) == (2, True)
    place.file("resume_agent_c.csv")
    place.score("resume_agent_c.csv", "--out", "docs/reports")
    with (place.root / "docs/reports/resume_agent_c/items.csv").open("ab") as stream:
        stream.write(b"one more\r\n")
    for form in ("csv", "json", "table"):
        ran = place.run("items", "resume_agent_c", "--format", form, "--language", "en")
        assert (ran.code, "cannot be read" in ran.err) == (2, True), form


@pytest.mark.parametrize("engine", [8, 9])
def test_items_of_the_engine_before_are_read_and_not_filtered(place: Place, engine: int) -> None:
    shutil.copytree(ROOT / f"tests/earlier/engine_{engine}", place.root / "docs/reports")
    items = json.loads(place.run("items", "resume_agent_260301", "--format", "json").out)
    assert len(items) == 20
    assert (items[0]["query_id"], items[0]["intent"], items[0]["track"]) == ("Q00", 5.0, 1)
    ran = place.run("items", "resume_agent_260301", "--where", "track=1", "--language", "en")
    assert ran.code == 2
    assert f"Engine {engine} made this report" in ran.err


def test_two_files_with_the_same_rows_are_told_apart(place: Place) -> None:
    for name in ("a", "b"):
        place.file(f"in/resume_agent_s/resume_agent_{name}.csv", rows(f"Q{name}"))
    _, scored = place.json("in", "--out", "docs/reports")
    (name,) = [one["set"] for one in scored["sets"]]
    ran = place.run("items", name, "--where", "at=2&in=resume_agent_b.csv", "--format", "json")
    assert [(item["file"], item["row"]) for item in json.loads(ran.out)] == [("resume_agent_b.csv", 2)]
