"""`scorewatch score`: what it finds, prints, writes and exits with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.main import main
from cli.score_settings import ScoreSettings, load_score_settings
from config.settings import Settings
from reporting import publish
from reporting.publish import verify_set
from scoring import aggregate
from scoring.problems import TransientError
from tests.paths import ROOT

HEADER = "Run ID,Item ID,Query ID,Track,질의,기대결과,카테고리,방/반복,응답,오류,LLM 상태,LLM 점수,LLM 코멘트,Raw JSON"
QUEUE_MODULES = {
    "celery",
    "kombu",
    "redis",
    "watchdog",
    "valkey",
    "billiard",
    "pydantic_settings",
    "pydantic",
    "structlog",
}
DOCUMENT_MODULES = {"yaml", "markdown_it"}  # for a document that somebody names
TABLES = """## 의도 충족

| 상태 | 의도 충족 |
| --- | ---: |
| ok | 3 |
| partial | 2 |
| error | 0 |
| empty | 0 |
"""


def rows(*cells: str) -> str:
    """A file with one ok item per (query, round)."""
    lines = [HEADER]
    for number, cell in enumerate(cells):
        query, _, label = cell.partition("@")
        payload = '"{""assistantMessage"": ""지원자는 3명입니다."", ""responseTimeSec"": 4}"'
        lines.append(f"run-1,i{number},{query},Track 1,질의,기대,공고,{label or '1/1'},3명,,,,,{payload}")
    return "\r\n".join(lines) + "\r\n"


class Run(NamedTuple):
    code: int
    out: str
    err: str


class Place:
    """A working directory with inputs, and the command run in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def file(self, name: str, text: str | None = None) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rows("Q1", "Q2") if text is None else text, encoding="utf-8")
        return path

    def run(self, *arguments: object) -> Run:
        self._capsys.readouterr()
        code = main(list(map(str, arguments)))
        return Run(code, *self._capsys.readouterr())

    def score(self, *arguments: object) -> Run:
        return self.run("score", *arguments)

    def json(self, *arguments: object) -> tuple[int, dict[str, Any]]:
        ran = self.score(*arguments, "--json")
        return ran.code, json.loads(ran.out)


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    for name in os.environ:
        if name.startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    return Place(tmp_path, capsys)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".scorewatch" not in path.parts
    }


# What becomes which set


def test_a_file_prints_its_figures_and_writes_nothing(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    ran = place.score("in/resume_agent_a.csv")
    assert ran.code == 0
    figures = "의도 충족 5.00, 일관성 —, 정확성 5.00, 응답 속도 5.00, 안정성 5.00"
    assert ran.out == f"resume_agent_a: 보고서, 2문항, 통과율 100.0%, {figures}\n"
    assert [path.name for path in place.root.iterdir()] == ["in"]


def test_with_out_everything_is_written_and_the_index(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    ran = place.score("in", "--out", "out")
    assert ran.code == 0
    assert verify_set(place.root / "out", "resume_agent_a")
    assert "[resume_agent_a](resume_agent_a/report.md)" in (place.root / "out/index.md").read_text("utf-8")
    assert ran.out.endswith("목록: out/index.md\n")


def test_a_folder_is_read_as_the_watcher_reads_it(place: Place) -> None:
    for name in (
        "resume_agent_a.csv",
        "July/resume_agent_1.csv",
        "July/resume_agent_2.csv",
        "July/deep/resume_agent_3.csv",
    ):
        place.file(f"in/{name}")
    for name in (
        ".hidden/resume_agent_x.csv",
        "~$resume_agent_a.csv",
        "resume_agent_b.csv.part",
        "notes.txt",
        "other.csv",
    ):
        place.file(f"in/{name}")
    code, printed = place.json("in")
    assert code == 0
    assert [entry["set"] for entry in printed["sets"]] == [
        "July/deep/resume-agent",
        "July/resume-agent",
        "resume_agent_a",
    ]
    assert printed["unclaimed"] == ["other.csv"]


def test_the_output_folder_inside_the_input_folder_is_not_read(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/out/resume_agent_old.csv")
    code, printed = place.json("in", "--out", "in/out")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["resume_agent_a"])


def test_a_folder_and_its_files_give_the_same_bytes(place: Place) -> None:
    files = [place.file("in/resume_agent_a.csv"), place.file("in/resume_agent_b.csv", rows("Q1", "Q1@2/1"))]
    assert place.score("in", "--out", "one").code == 0
    assert place.score(*reversed(files), files[0], "--out", "two").code == 0
    assert tree(place.root / "one") == tree(place.root / "two")


def test_set_makes_one_set_of_the_files_named(place: Place) -> None:
    files = [place.file("r1/resume_agent_x.csv", rows("Q1")), place.file("r2/resume_agent_x.csv", rows("Q1@2/1"))]
    assert place.score(*files, "--set", "7월/1차", "--out", "out").code == 0
    report = json.loads((place.root / "out/7월/1차/report.json").read_bytes())
    assert [entry["name"] for entry in report["inputs"]] == ["r1/resume_agent_x.csv", "r2/resume_agent_x.csv"]
    assert [entry["label"] for entry in report["rounds"]] == ["1/1", "2/1"]


@pytest.mark.parametrize("name", ["", "..", "../x", "a//b", "/abs"])
def test_a_set_name_that_leaves_the_output_is_a_usage_error(place: Place, name: str) -> None:
    file = place.file("resume_agent_a.csv")
    ran = place.score(file, "--set", name, "--out", "out")
    assert ran.code == 2
    assert "쓸 수 없는 이름" in ran.err


def test_files_of_one_name_from_two_folders_are_named_and_neither_is_scored(place: Place) -> None:
    files = [place.file("a/resume_agent.csv"), place.file("b/resume_agent.csv"), place.file("resume_agent_ok.csv")]
    ran = place.score(*files)
    assert ran.code == 1
    assert "[name-clash]" in ran.out
    assert "a/resume_agent.csv" in ran.out
    assert "b/resume_agent.csv" in ran.out
    assert "resume_agent_ok: 보고서" in ran.out


def test_names_that_differ_in_case_only_are_a_problem_set(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_A.csv")
    code, printed = place.json("in", "--out", "out")
    assert code == 1
    (entry,) = printed["sets"]
    assert (entry["set"], entry["state"], entry["headline"]) == ("resume_agent_A", "problem", None)
    assert "name-clash" in (place.root / "out/resume_agent_A/problem.md").read_text("utf-8")
    assert verify_set(place.root / "out", "resume_agent_A")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_names_that_are_not_utf8_are_scored_and_shown(place: Place) -> None:
    raw = os.fsencode(place.root / "in") + "/resume_agent_결과.csv".encode("cp949")
    place.file("in/keep.txt", "")
    Path(os.fsdecode(raw)).write_text(rows("Q1"), encoding="utf-8")
    code, printed = place.json("in", "--out", "out")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["resume_agent_결과"])
    assert verify_set(place.root / "out", "resume_agent_결과")


def test_nfd_names_make_nfc_sets(place: Place) -> None:
    place.file(unicodedata.normalize("NFD", "in/resume_agent_한글.csv"))
    code, printed = place.json("in", "--out", "out")
    assert (code, printed["sets"][0]["set"]) == (0, unicodedata.normalize("NFC", "resume_agent_한글"))


def test_a_link_out_of_the_folder_is_a_problem(place: Place) -> None:
    target = place.file("elsewhere/resume_agent_a.csv")
    (place.root / "in").mkdir()
    (place.root / "in/resume_agent_a.csv").symlink_to(target)
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "[symlink-outside]" in ran.out
    assert "symlink-outside" in (place.root / "out/resume_agent_a/problem.md").read_text("utf-8")


def test_a_link_within_the_folder_is_one_more_name(place: Place) -> None:
    place.file("in/resume_agent_b.csv")
    (place.root / "in/resume_agent_a.csv").symlink_to("resume_agent_b.csv")
    code, printed = place.json("in", "in/resume_agent_b.csv")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["resume_agent_a", "resume_agent_b"])


# Problems and exit codes


def test_a_refused_file_is_named_in_korean_and_stops_no_other(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv", HEADER + "\r\n")
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "resume_agent_b: 읽지 못함, 문제 1건" in ran.out
    assert "[header-only]" in ran.out
    assert (place.root / "out/resume_agent_b/problem.md").is_file()
    assert verify_set(place.root / "out", "resume_agent_a")


def test_unusable_rows_are_reported_and_exit_with_1(place: Place) -> None:
    place.file("in/resume_agent_a.csv", rows("Q1") + "too,short\r\n")
    ran = place.score("in")
    assert ran.code == 1
    assert "resume_agent_a: 보고서, 1문항" in ran.out
    assert "resume_agent_a.csv 3행" in ran.out
    assert "[cell-count]" in ran.out


def test_notes_take_nothing_away(place: Place) -> None:
    text = rows("Q1").replace(",,,,", ",,,높음,", 1)
    place.file("in/resume_agent_a.csv", text)
    ran = place.score("in")
    assert "[recorded-not-a-number]" in ran.out
    assert ran.code == 0


def test_many_problems_are_counted(place: Place) -> None:
    place.file("resume_agent_a.csv", rows("Q1") + "short\r\n" * 150)
    ran = place.score("resume_agent_a.csv")
    assert ran.out.count("[cell-count]") == 20
    assert "resume_agent_a: 외 130건" in ran.out


def test_a_named_file_that_nobody_claims_is_a_problem(place: Place) -> None:
    ran = place.score(place.file("other.csv"))
    assert ran.code == 1
    assert "other.csv" in ran.out
    assert "resume_agent_*" in ran.out
    assert "--rubric" in ran.out


def test_what_is_no_file_in_a_folder_is_named(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    os.mkfifo(place.root / "in/resume_agent_pipe.csv")
    (place.root / "in/resume_agent_gone.csv").symlink_to("nothing.csv")
    (place.root / "in/other_gone.csv").symlink_to("nothing.csv")
    (place.root / "in/other_outside.csv").symlink_to(place.file("elsewhere.csv"))
    code, printed = place.json("in")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (1, ["resume_agent_a"])
    assert sorted(problem["source"] for problem in printed["problems"]) == [
        "in/resume_agent_gone.csv",
        "in/resume_agent_pipe.csv",
    ]
    assert {problem["code"] for problem in printed["problems"]} == {"unreadable"}
    assert sorted(printed["unclaimed"]) == ["other_gone.csv", "other_outside.csv"]
    (place.root / "in/resume_agent_out.csv").symlink_to(place.root / "elsewhere.csv")
    code, printed = place.json("in", "--set", "all")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (1, ["all"])
    assert sorted(problem["code"] for problem in printed["problems"]) == ["symlink-outside", "unreadable", "unreadable"]
    assert sorted(printed["unclaimed"]) == ["other_gone.csv", "other_outside.csv"]


def test_a_missing_file_is_a_usage_error(place: Place) -> None:
    ran = place.score("nowhere.csv")
    assert ran.code == 2
    assert "nowhere.csv" in ran.err


def test_no_argument_is_a_usage_error(place: Place) -> None:
    assert place.score().code == 2


def test_an_empty_folder_is_said(place: Place) -> None:
    (place.root / "in").mkdir()
    ran = place.score("in")
    assert ran.code == 1
    assert "[nothing-to-score]" in ran.out


def test_control_characters_of_names_and_cells_never_reach_the_terminal(place: Place) -> None:
    place.file("in/resume_agent_\x1b[31m\u202e.csv", rows("Q1") + "a\x1b]0;x\x07,b\r\n")
    ran = place.score("in", "--out", "out")
    printed = ran.out + place.score("in", "--json").out
    assert not [character for character in printed if character in "\x1b\x07\u202e"]


def test_a_full_disk_is_a_problem_and_the_other_sets_go_on(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv")
    real = publish.publish_report

    def fail(result: object, *, set_name: str, **more: object) -> object:
        if set_name == "resume_agent_a":
            raise TransientError("out/x: No space left on device")
        return real(result, set_name=set_name, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("cli.score_runner.publish_report", fail)
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "No space left on device" in ran.out
    assert "[not-written]" in ran.out
    assert verify_set(place.root / "out", "resume_agent_b")


def test_a_file_that_may_not_be_read_is_a_problem_of_its_set(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/July/resume_agent_1.csv")
    place.file("in/July/resume_agent_2.csv", rows("Q1@2/1"))
    file = place.file("resume_agent_b.csv")
    real = Path.open

    def refuse(path: Path, *more: Any, **named: Any) -> Any:
        if path.name in {"resume_agent_b.csv", "resume_agent_2.csv"}:
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "access", lambda *_args, **_more: False)  # what click would look at; root may read all
    ran = place.score("in", file, "--out", "out")
    assert ran.code == 1
    assert "resume_agent_b: 읽지 못함, 문제 1건" in ran.out
    assert (
        "resume_agent_b: resume_agent_b.csv: 파일을 읽을 수 없습니다 (Permission denied). "
        "파일이 있고 읽기 권한이 있는지 확인하세요. [unreadable]"
    ) in ran.out
    assert "코드: unreadable" in (place.root / "out/July/resume-agent/problem.md").read_text("utf-8")
    assert verify_set(place.root / "out", "July/resume-agent")
    assert (place.root / "out/July/resume-agent/report.md").is_file()
    assert (place.root / "out/resume_agent_b/problem.md").is_file()
    monkeypatch.undo()
    monkeypatch.chdir(place.root)
    assert place.score("in", file, "--out", "out").code == 0
    assert not (place.root / "out/resume_agent_b/problem.md").exists()


def test_a_bug_that_one_set_meets_is_named_and_costs_no_other(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv")
    real = aggregate.merge

    def fail(parts: Any, *more: Any) -> Any:
        if parts[0][0] == "resume_agent_a.csv":
            raise ZeroDivisionError("x\x1b[31m")
        return real(parts, *more)

    monkeypatch.setattr("cli.score_runner.merge", fail)
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "resume_agent_a: 읽지 못함, 문제 1건" in ran.out
    assert "resume_agent_a.csv: 이 세트를 처리하다가 Scorewatch 자체에 오류가 났습니다 (ZeroDivisionError: " in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert "Traceback" in ran.err
    assert verify_set(place.root / "out", "resume_agent_b")
    index = (place.root / "out/index.md").read_text("utf-8")
    assert "resume_agent_a/problem.md" in index
    monkeypatch.setattr("cli.score_runner.merge", real)
    assert place.score("in", "--out", "out").code == 0
    assert verify_set(place.root / "out", "resume_agent_a")
    assert (place.root / "out/resume_agent_a/report.md").is_file()


def test_a_newer_engines_report_is_left_alone(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.score("in", "--out", "out")
    path = place.root / "out/resume_agent_a/status.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "engine_version": 99}))
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "[engine-mismatch]" in ran.out
    assert "99" in ran.out


# Output forms


def test_quiet_prints_problems_only(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    assert place.score("in", "--quiet", "--out", "out").out == ""
    place.file("in/resume_agent_b.csv", "")
    ran = place.score("in", "--quiet")
    assert ran.out.splitlines()[0].startswith("resume_agent_b: ")
    assert len(ran.out.splitlines()) == 1


def test_json_says_everything(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    code, printed = place.json("in", "--out", "out")
    status = json.loads((place.root / "out/resume_agent_a/status.json").read_bytes())
    (entry,) = printed["sets"]
    assert code == 0
    assert {name: entry[name] for name in ("set", "state", "key", "profile", "headline", "inputs")} == {
        name: status[name] for name in ("set", "state", "key", "profile", "headline", "inputs")
    }
    assert entry["folder"] == "out/resume_agent_a"
    assert printed["index"] == "out/index.md"


def test_large_files_say_how_far_they_are(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.score_view.LARGE_BYTES", 1000)
    place.file("resume_agent_a.csv", rows(*(f"Q{number}" for number in range(9000))))
    ran = place.score("resume_agent_a.csv")
    assert ran.code == 0
    assert ran.err == "resume_agent_a.csv: 75% 읽음\nresume_agent_a.csv: 100% 읽음\n"
    assert place.score("resume_agent_a.csv", "--json").err == ""


def test_a_terminal_gets_a_table_and_a_progress_bar(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.score_view.LARGE_BYTES", 1000)
    monkeypatch.setenv("COLUMNS", "120")
    place.file("in/resume_agent_[red]a.csv", rows(*(f"Q{number}" for number in range(3000))))
    place.file("in/resume_agent_b.csv", "")
    monkeypatch.setattr("cli.score_view._is_terminal", lambda _: True)
    ran = place.score("in", "--out", "out")
    lines = [line for line in ran.out.splitlines() if line.startswith("│")]
    assert [cell.strip() for cell in lines[0].strip("│").split("│")] == [
        "resume_agent_[red]a", "보고서", "3,000", "100.0%", "5.00", "—", "5.00", "5.00", "5.00", "0"
    ]  # fmt: skip
    assert [cell.strip() for cell in lines[1].strip("│").split("│")] == [
        "resume_agent_b", "읽지 못함", "—", "—", "—", "—", "—", "—", "—", "1"
    ]  # fmt: skip
    assert "[empty-file]" in ran.out
    assert "% 읽음" not in ran.err


# Rubrics


def test_tables_only_replace_those_of_the_claiming_profile(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("mine.md", TABLES)
    code, printed = place.json("in", "--rubric", "mine.md")
    assert code == 0
    assert printed["sets"][0]["headline"]["metrics"]["intent"] == 3.0
    assert printed["sets"][0]["key"] != place.json("in")[1]["sets"][0]["key"]


def test_a_full_document_scores_what_is_named_and_what_it_claims(place: Place) -> None:
    import config.rubrics

    shipped = (Path(config.rubrics.__file__).parent / "resume-agent.md").read_text("utf-8")
    place.file("mine.md", shipped.replace("profile: resume-agent", "profile: mine").replace("resume_agent_", "mine_"))
    place.file("in/resume_agent_a.csv")
    place.file("in/mine_b.csv")
    code, printed = place.json("in", "--rubric", "mine.md")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["mine_b"])
    assert printed["unclaimed"] == ["resume_agent_a.csv"]
    code, printed = place.json("in/resume_agent_a.csv", "--rubric", "mine.md")
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (0, ["mine"])


def test_a_wrong_document_is_refused_with_its_place(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("mine.md", TABLES.replace("| ok | 3 |", "| ok | 셋 |"))
    ran = place.score("in", "--rubric", "mine.md")
    assert ran.code == 1
    assert "mine.md" in ran.err
    assert "셋" in ran.err


LEVELS = """# Levels

| Level | Name | Criteria |
|---|---|---|
| 1 | bad | wrong |
| 2 | good | right |
"""
LEVEL_FAULTS = {
    "no-criteria-column": ("| Level | Name |\n|---|---|\n| 1 | a |\n| 2 | b |\n", 3, "rubric-level-no-criteria"),
    "no-rows": ("| Level | Name | Criteria |\n|---|---|---|\n", 1, "rubric-levels-few"),
    "words": (
        "| Level | Name | Criteria |\n|---|---|---|\n| one | a | x |\n| two | b | y |\n",
        3,
        "rubric-level-number",
    ),
    "names": (
        "| Level | Name | Criteria |\n|---|---|---|\n| 1 | 2 | x |\n| 2 | 1 | y |\n",
        3,
        "rubric-level-name-number",
    ),
}
ANSWERS = "question,answer,level\r\nq,a,1\r\n"


@pytest.mark.parametrize("file", ["other.csv", "rubrics_score_en_a.csv"])
@pytest.mark.parametrize("fault", LEVEL_FAULTS)
def test_a_wrong_table_of_levels_is_refused_itself(place: Place, fault: str, file: str) -> None:
    table, line, code = LEVEL_FAULTS[fault]
    place.file("mine.md", f"# R\n\n{table}")
    place.file(file, ANSWERS)
    ran = place.score(file, "--rubric", "mine.md")
    assert ran.code == 1
    assert f"mine.md {line + 2}번째 줄" in ran.err
    assert f"[{code}]" in ran.err
    assert "[not-claimed]" not in ran.out + ran.err
    ran = place.run("rubric", "check", "mine.md")
    assert (ran.code, f"[{code}]" in ran.out) == (1, True)


def test_only_a_rubric_of_levels_scores_a_file_that_nobody_claims(place: Place) -> None:
    place.file("other.csv", ANSWERS)
    place.file("levels.md", LEVELS)
    code, printed = place.json("other.csv", "--rubric", "levels.md")
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (0, ["rubrics-score"])
    place.file("intent.md", (ROOT / "tests/seeds/000.txt").read_text("utf-8"))
    ran = place.score("other.csv", "--rubric", "intent.md")
    assert ran.code == 1
    assert "h-recruit" in ran.out
    assert "h_recruit_*.csv" in ran.out
    assert "[rubric-other-profile]" in ran.out
    place.file("prose.md", "# Nothing\n\nTo be read.\n")
    ran = place.score("other.csv", "--rubric", "prose.md")
    assert (ran.code, "[rubric-fits-none]" in ran.out) == (1, True)


@pytest.mark.parametrize("options", [(), ("--set", "all")])
def test_a_file_that_the_document_does_not_fit_stops_no_other(place: Place, options: tuple[str, ...]) -> None:
    place.file("resume_agent_a.csv")
    place.file("rubrics_score_b.csv", ANSWERS)
    place.file("mine.md", TABLES)
    files = ("resume_agent_a.csv", "rubrics_score_b.csv")
    code, printed = place.json(*files, "--rubric", "mine.md", *options)
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (1, ["resume-agent"])
    unfit = printed["problems"][0]
    assert (unfit["code"], unfit["source"]) == ("rubric-unfit", "rubrics_score_b.csv")
    assert "rubrics-score" in unfit["text"]
    assert "mine.md" in unfit["text"]


# Settings and start-up


def test_defaults_are_those_of_the_service() -> None:
    defaults = Settings()
    assert ScoreSettings()._asdict() == {name: getattr(defaults, name) for name in ScoreSettings._fields}


def test_settings_are_read_where_there_are_any(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_score_settings() == ScoreSettings()
    place.file("scorewatch.toml", 'ignore = ["draft*"]\n')
    assert load_score_settings().ignore == ("draft*",)
    monkeypatch.setenv("SCOREWATCH_IGNORE", "x*")
    assert load_score_settings().ignore == ("x*",)
    monkeypatch.setenv("SCOREWATCH_LANGAUGE", "ko")
    ran = place.score(place.file("resume_agent_a.csv"))
    assert ran.code == 2
    assert "SCOREWATCH_LANGAUGE" in ran.err


def test_score_imports_no_queue_no_observer_and_no_document_reader(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    script = (
        "import sys, cli.main\n"
        "code = cli.main.main(['score', 'in', '--out', 'out'])\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))\n"
        "sys.exit(code)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, encoding="utf-8"
    )
    imported = set(eval(ran.stdout.splitlines()[-1]))  # noqa: S307 -- our own list
    assert imported & (QUEUE_MODULES | DOCUMENT_MODULES) == set()
    assert "click" in imported


def test_the_same_input_anywhere_gives_the_same_bytes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv", rows("Q1", "Q1@2/1", "Q2"))
    shutil.copytree(place.root / "in", place.root / "other/copy")
    assert place.score("in", "--out", "out").code == 0
    monkeypatch.chdir(place.root / "other")
    assert place.score("copy", "--out", "elsewhere").code == 0
    assert tree(place.root / "out") == tree(place.root / "other/elsewhere")
