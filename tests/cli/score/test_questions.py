"""`score` with a sheet of questions: what an edit of it touches, and what reports and comparisons say of it."""

import json

import pytest

from tests.cli.place import Place, rows

SHEET = "Query ID,question,expected,since\nQ1,몇 명?,3명,\nQ2,어디?,서울,\nQ2,어디?,부산,2026-04-01\n"
MARCH, APRIL = "resume_agent_260301", "resume_agent_260401"
NAMES = ("Q1", "Q2")


@pytest.fixture
def place(place: Place) -> Place:
    """Two runs whose exports have no expected results."""
    for name in (MARCH, APRIL):
        place.file(f"in/{name}.csv", rows(*NAMES).replace(",질의,기대,", ",질의,,"))
    place.file("in/questions-resume-agent.csv", SHEET)
    return place


def reports(place: Place) -> dict[str, dict[str, object]]:
    return {name: json.loads((place.root / f"out/{name}/report.json").read_bytes()) for name in (MARCH, APRIL)}


def test_an_edit_scores_only_what_it_touches_again(place: Place) -> None:
    assert place.score("in", "--out", "out").code == 0
    before = reports(place)
    place.file("in/questions-resume-agent.csv", SHEET.replace("부산", "대전"))
    assert place.score("in", "--out", "out").code == 0
    after = reports(place)
    assert after[MARCH] == before[MARCH]
    assert after[APRIL]["key"] != before[APRIL]["key"]
    assert after[APRIL]["rubric_digest"] == before[APRIL]["rubric_digest"] == after[MARCH]["rubric_digest"]
    (place.root / "in/questions-resume-agent.csv").unlink()
    assert place.score("in", "--out", "out").code == 0
    assert {report["key"] for report in reports(place).values()}.isdisjoint(
        {report["key"] for report in (*before.values(), *after.values())}
    )


def test_a_changed_expectation_is_reworded(place: Place) -> None:
    place.score("in", "--out", "out")
    ran = place.run("compare", f"out/{MARCH}", f"out/{APRIL}", "--json")
    assert [one["query_id"] for one in json.loads(ran.out)["reworded"]] == ["Q2"]


def test_a_sheet_that_changes_what_every_query_expects_is_named_by_the_changes(place: Place) -> None:
    place.score("in", "--out", "out")
    one = SHEET.replace("3명", "4명")
    for sheet, said in (
        (one, "공통 질의 1개를 비교했습니다"),
        (one.replace("서울", "대전").replace("4명", "5명"), "모든 질의의 질문이나"),
    ):
        place.file("in/questions-resume-agent.csv", sheet)
        place.score("in", "--out", "out")
        assert said in (place.root / f"out/{MARCH}/changes.md").read_text(encoding="utf-8")


def test_what_was_not_asked_and_what_is_not_listed_is_told(place: Place) -> None:
    place.file("in/questions-resume-agent.csv", SHEET.replace("Q1,", "Q0,"))
    place.score("in", "--out", "out")
    findings = {one["code"]: one["count"] for one in reports(place)[MARCH]["findings"]}  # type: ignore[attr-defined]
    assert (findings["question-unasked"], findings["question-unlisted"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("questions-resume.csv", SHEET, "question-profile"),
        ("questions-resume-agent.xlsx", "no workbook", "table-twice"),
        ("questions-h-recruit.csv", "question\nx\n", "missing-columns"),
        ("questions-h-recruit.csv", "Query ID,since\nQ1,soon\n", "question-date"),
    ],
)
def test_a_sheet_that_is_not_used_is_named_and_is_no_input(place: Place, name: str, text: str, code: str) -> None:
    place.file(f"in/{name}", text)
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert name.partition(".")[0] in ran.err + ran.out
    assert f"[{code}]" in ran.err + ran.out
    index = (place.root / "out/index.md").read_text(encoding="utf-8")
    assert f"[{code}\\]" in index
    assert f"[{name}" not in index
    assert f"[{code}]" in place.status("--verbose").out
    (place.root / f"in/{name}").unlink()
    place.score("in", "--out", "out")
    assert code not in (place.root / "out/index.md").read_text(encoding="utf-8")
    assert code not in place.status("--verbose").out


def test_a_file_that_is_named_itself_has_the_sheet_beside_it(place: Place) -> None:
    place.score("in", "--out", "out")
    whole = reports(place)[MARCH]
    place.score(f"in/{MARCH}.csv", "--out", "other")
    assert json.loads((place.root / f"other/{MARCH}/report.json").read_bytes())["key"] == whole["key"]
