"""`scorewatch compare`: what names a run, what is printed and written, and how it ends."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.make_csv import write_file
from scoring import TransientError
from tests.cli.place import AsMade, Place, Run, rows, tree
from tests.paths import ROOT
from tests.reporting.comparison.published import published_key

QUERIES = tuple(f"Q{number}" for number in range(12))
WORSE = "Timeout after 60000ms"


def _rows(*, broken: int = 0, label: str = "1/1", question: str = "질의") -> str:
    lines = rows(*(f"{query}@{label}" for query in QUERIES)).splitlines()
    for at in range(1, broken + 1):
        cells = lines[at].split(",")
        cells[9] = WORSE
        lines[at] = ",".join(cells)
    return "\r\n".join(lines).replace(",질의,기대,", f",{question},기대,") + "\r\n"


@pytest.fixture
def sets(place: Place, as_made: AsMade) -> Place:
    """Two published sets of one profile, their inputs in the watched folder."""
    return as_made(place, _make)


def _make(place: Place) -> None:
    place.file("docs/test-result/resume_agent_260301.csv", _rows())
    place.file("docs/test-result/resume_agent_260308.csv", _rows(broken=7))
    assert place.score("docs/test-result", "--out", "docs/reports", "--quiet").code == 0


def _json(ran: Run) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    made: dict[str, Any] = json.loads(ran.out)
    return made


def test_sets_by_name_are_compared_beside_the_report_after(sets: Place) -> None:
    names = ("resume_agent_260301", "resume_agent_260308")
    line = "✓ resume_agent_260308 (against resume_agent_260301) ▽ Answer rate 100.0%→41.7% newly failing 7"
    assert sets.run("compare", *names, "--language", "en").out.splitlines()[0] == line
    ran = sets.run("compare", *names, "--language", "en", "-v")
    assert ran.code == 0
    said, first, *metrics, lists, written = ran.out.splitlines()
    assert said == line
    assert first.startswith("  Worse: Answer rate 100.0% → 41.7% (")
    assert first.endswith(". Compared over 12 shared queries.")
    assert "  Response time (s): 4.0 → 4.0, 0.0 (" in "\n".join(metrics)
    assert "  Intent: 5.00 → 2.08, −2.92 (" in "\n".join(metrics)
    assert lists == "  Newly failing: 7, Newly passing: 0, Score dropped: 0, Score rose: 0"
    assert written == "Comparison: docs/reports/resume_agent_260308/compare.html"
    assert published_key(sets.root / "docs/reports/resume_agent_260308") is not None


def test_bytes_are_a_function_of_the_runs_and_options(sets: Place) -> None:
    arguments = ("compare", "resume_agent_260301", "resume_agent_260308", "--json")
    first = sets.run(*arguments)
    folder = sets.root / "docs/reports/resume_agent_260308"
    written = tree(folder)
    assert sets.run(*arguments).out == first.out
    assert tree(folder) == written
    assert first.out.encode() == written["compare.json"]


def test_report_folders_and_files_are_runs_too(sets: Place) -> None:
    by_name = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--json", "--out", "x"))
    ways = (
        ("docs/reports/resume_agent_260301", "docs/reports/resume_agent_260308/"),
        ("docs/test-result/resume_agent_260301.csv", "docs/test-result/resume_agent_260308.csv"),
    )
    for before, after in ways:
        found = _json(sets.run("compare", before, after, "--json", "--out", "x"))
        assert found["groups"] == by_name["groups"]
        assert found["before"]["key"] == by_name["before"]["key"]
        assert (found["before"]["page"] == "") is before.endswith(".csv")


def test_files_without_a_report_are_written_only_where_it_is_said(place: Place) -> None:
    place.file("a/resume_agent_a.csv", _rows())
    place.file("b/resume_agent_b.csv", _rows(broken=1))
    before = tree(place.root)
    ran = place.run("compare", "a/resume_agent_a.csv", "b/resume_agent_b.csv")
    assert ran.code == 0
    assert "우연일 수 있음" in ran.out
    assert tree(place.root) == before
    assert place.run("compare", "a", "b", "--out", "out/deep").code == 0  # a folder of one set
    assert published_key(place.root / "out/deep") is not None


def test_two_rounds_of_one_run(place: Place) -> None:
    text = _rows() + "\r\n".join(_rows(broken=6, label="2/1").splitlines()[1:]) + "\r\n"
    place.file("resume_agent_a.csv", text)
    found = _json(place.run("compare", "resume_agent_a.csv@1/1", "resume_agent_a.csv@2/1", "--json"))
    assert (found["before"]["selection"], found["after"]["selection"]) == ("1/1", "2/1")
    assert found["verdict"] == "worse"
    assert found["shared"] == 12
    ran = place.run("compare", "resume_agent_a.csv@1/1", "resume_agent_a.csv@3/1", "--language", "en")
    assert ran.code == 2
    assert "'resume_agent_a.csv' has no round 3/1. Its rounds: 1/1, 2/1" in ran.err


def test_a_run_with_itself_is_the_same_everywhere(sets: Place) -> None:
    found = _json(sets.run("compare", "resume_agent_260308", "resume_agent_260308", "--json"))
    verdicts = {metric["verdict"] for group in found["groups"] for metric in group["metrics"]}
    assert verdicts <= {"same", "too-few", "no-value"}
    assert found["now_fails"] == found["dropped"] == []


def test_a_name_that_is_no_run_lists_the_nearest(sets: Place) -> None:
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_26030", "--language", "en")
    assert ran.code == 2
    assert "There is no run 'resume_agent_26030'." in ran.err
    assert "Nearest sets: 'resume_agent_260308', 'resume_agent_260301'" in ran.err
    for hostile in ("../../etc", "\x1b[31m", "a\0b", "가" * 5_000, "@", "@1/1", "\udcff"):
        ran = sets.run("compare", "resume_agent_260301", hostile, "--language", "en")
        assert ran.code == 2, hostile
        assert "\x1b" not in ran.err


@pytest.mark.parametrize("command", ["compare", "gate", "bless"])
def test_a_report_that_cannot_be_read_is_no_run_that_is_missing(sets: Place, command: str) -> None:
    name = "resume_agent_260308"
    for file in ("report.json", "status.json"):
        path = sets.root / "docs/reports" / name / file
        path.unlink()
        os.mkfifo(path)
    sets.file("scorewatch.toml", '[gate]\nrules = ["rounds >= 1"]\n')
    names = ("resume_agent_260301", name) if command == "compare" else (name,)
    ran = sets.run(command, *names, "--language", "en")
    assert ran.code == 2
    assert f"The report of '{name}' cannot be read." in ran.err
    assert "There is no run" not in ran.err


def test_a_comparison_that_cannot_be_written_is_a_problem(sets: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TransientError("there/.scorewatch: No space left on device")

    monkeypatch.setattr("cli.commands.compare.publish_comparison", refuse)
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--out", "there", "--language", "en")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "there/compare.html: The file could not be written (there/.scorewatch: No space left on device). "
        "Check the path, its permissions and the free space, and run again. [file-not-written]\n"
    )


def test_what_is_to_be_written_has_to_be_a_folder_or_a_file(sets: Place) -> None:
    names = ("resume_agent_260301", "resume_agent_260308")
    sets.file("README.md", "x")
    ran = sets.run("compare", *names, "--out", "README.md")
    assert ran.code == 2
    assert "--out에 적은 값을 쓸 수 없습니다. README.md는 폴더가 아니라 파일입니다. 폴더를 적으세요." in ran.err
    ran = sets.run("gate", names[0], "--junit", "docs", "--language", "en")
    assert ran.code == 2
    assert "The value of --junit cannot be used. docs is a folder. Give a file." in ran.err
    os.mkfifo(sets.root / "pipe")
    for option in ("--junit", "--summary"):
        ran = sets.run("gate", names[0], option, "pipe", "--language", "en")
        assert ran.code == 2
        assert f"The value of {option} cannot be used. pipe is not a regular file and would be replaced." in ran.err
        assert (sets.root / "pipe").is_fifo()
    ran = sets.run("compare", *names, "--out", "README.md/deeper")
    assert (ran.code, "폴더가 아님" in ran.err, "Not a directory" in ran.err) == (1, True, False)


def test_the_second_verdict_stands_beside_each_metric(sets: Place) -> None:
    arguments = ("compare", "resume_agent_260301", "resume_agent_260301", "--language", "en")
    margins = ((), ("--margin", "0.3"), ("--margin", "1.2"))
    plain, narrow, wide = (sets.run(*arguments, "-v", *more).out for more in margins)
    assert "within ±0.3" not in plain
    for text, told in ((narrow, "same, not shown within ±0.3 points"), (wide, "same, same within ±1.2 points")):
        lines = [line for line in text.splitlines() if line.startswith("  Intent: ")]
        assert [line.partition("), ")[2] for line in lines] == [told]  # twelve queries: 0.00 (-1.13 to +1.13)


def test_a_run_against_itself_says_what_cannot_be_ruled_out(sets: Place) -> None:
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_260301", "--language", "en", "-v")
    first = ran.out.splitlines()[1]
    assert first.startswith("  No query changed: Answer rate 100.0% → 100.0% (")
    assert first.endswith(
        "). Of other queries a drop of up to 22.6 pp can't be ruled out. Compared over 12 shared queries."
    )


def test_a_metric_of_a_class_has_the_title_of_its_document(place: Place) -> None:
    case = ROOT / "tests/cases/h_full"
    for name in ("a", "b"):
        for file in case.glob("*.csv"):
            whole = file.read_text(encoding="utf-8-sig").replace("{broken", "{}")  # else nothing is compared
            place.file(f"in/{name}/{file.name}", whole)
    assert place.score("in", "--out", "docs/reports", "--quiet").code in {0, 1}
    first, second = sorted(
        path.parent.relative_to(place.root / "docs/reports") for path in place.root.rglob("report.md")
    )
    ran = place.run("compare", str(first), str(second), "-v")
    assert ran.code == 0
    assert "응답 속도(기본): " in ran.out
    assert "(single)" not in ran.out
    assert "Response speed (single): " in place.run("compare", str(first), str(second), "--language", "en", "-v").out


def test_a_set_is_found_in_any_case(sets: Place) -> None:
    assert sets.run("compare", "Resume_Agent_260301", "resume_agent_260308").code == 0


def test_no_shared_query_ends_with_4_and_a_sentence(place: Place) -> None:
    place.file("resume_agent_a.csv", _rows(question="하나"))
    place.file("resume_agent_b.csv", _rows(question="둘"))
    ran = place.run("compare", "resume_agent_a.csv", "resume_agent_b.csv", "--out", "x", "--language", "en")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith("resume_agent_a and resume_agent_b share no query")
    assert not (place.root / "x").exists()


@pytest.mark.parametrize("margin", ["0", "-1", "nan", "1e999", "많이", ""])
def test_a_margin_that_is_none_is_refused(margin: str, sets: Place) -> None:
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--margin", margin, "--language", "en")
    assert ran.code == 2
    assert "--margin takes a number of points above 0." in ran.err


def test_margin(sets: Place) -> None:
    found = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260301", "--margin", "0.1", "--json"))
    assert {metric["margin"] for metric in found["groups"][0]["metrics"]} == {"not-shown", None}


def test_a_refused_set_and_a_damaged_report_are_named(sets: Place) -> None:
    sets.file("in/resume_agent_empty.csv", "")
    sets.score("in", "--out", "docs/reports", "--quiet")
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_empty", "--language", "en")
    assert ran.code == 2
    assert "Set 'resume_agent_empty' could not be read" in ran.err
    (sets.root / "docs/reports/resume_agent_260308/report.json").write_text("{}")
    ran = sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--language", "en")
    assert ran.code == 2
    assert "The report of 'resume_agent_260308' cannot be read." in ran.err


def test_a_file_that_cannot_be_scored_is_a_problem(place: Place) -> None:
    place.file("resume_agent_a.csv", _rows())
    place.file("resume_agent_b.csv", "")
    assert place.run("compare", "resume_agent_a.csv", "resume_agent_b.csv").code == 1
    place.file("other.csv", _rows())
    assert place.run("compare", "resume_agent_a.csv", "other.csv").code == 1


def test_a_folder_of_several_sets_is_refused(sets: Place) -> None:
    ran = sets.run("compare", "resume_agent_260301", "docs/test-result", "--language", "en")
    assert ran.code == 2
    assert "'docs/test-result' holds several sets" in ran.err


def _other_rubric(place: Place) -> Path:
    """The document of resume-agent with other points for a partial answer."""
    text = (ROOT / "config/rubrics/resume-agent.md").read_text(encoding="utf-8")
    assert "원하시면" in text
    return place.file("rubrics/resume-agent.md", text.replace("원하시면", "바라시면"))


def test_reports_of_different_rubrics_are_scored_again_under_todays(
    sets: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    _other_rubric(sets)
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    sets.score("docs/test-result/resume_agent_260308.csv", "--out", "docs/reports", "--quiet")
    found = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--json"))
    assert found["like_with_like"]
    assert found["before"]["is_rescored"]
    assert not found["after"]["is_rescored"]
    assert found["before"]["rubric_digest"] == found["after"]["rubric_digest"]
    assert found["notes"][0].startswith("resume_agent_260301")

    inputs = sets.root / "docs/test-result/resume_agent_260301.csv"
    inputs.write_text(_rows(broken=1), encoding="utf-8")  # no longer what the report was made from
    found = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--json"))
    assert not found["like_with_like"]
    assert found["differences"] == ["rubric"]
    assert found["before"]["items"] == 12
    shutil.rmtree(sets.root / "docs/test-result")
    found = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--json"))
    assert found["notes"][0].startswith("조건이 같지 않은 비교입니다: 루브릭 resume-agent.md")


def test_rubric_scores_both_sides(sets: Place) -> None:
    document = _other_rubric(sets)
    found = _json(sets.run("compare", "resume_agent_260301", "resume_agent_260308", "--rubric", document, "--json"))
    assert found["before"]["is_rescored"]
    assert found["after"]["is_rescored"]
    assert found["like_with_like"]


@pytest.mark.parametrize(("worse", "verdict"), [(6, "worse"), (1, "not-distinguishable")])
def test_a_worsening_of_6_of_82_queries_is_found_and_of_1_is_not(worse: int, verdict: str, place: Place) -> None:
    write_file(place.root / "resume_agent_a.csv", 164, rounds=2, seed=8)
    write_file(place.root / "resume_agent_b.csv", 164, rounds=2, seed=8, worse=worse)
    found = _json(place.run("compare", "resume_agent_a.csv", "resume_agent_b.csv", "--json"))
    metrics = {metric["metric"]: metric["verdict"] for metric in found["groups"][0]["metrics"]}
    assert found["verdict"] == metrics["answered"] == metrics["intent"] == verdict
    assert metrics["seconds"] == "same"
    assert len(found["now_fails"]) == worse
