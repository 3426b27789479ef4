"""`scorewatch score`: problems, and what it exits with."""

import json
import os
from typing import Any, BinaryIO

import pytest

from reporting.runs import publish
from reporting.store import verify_set
from scoring import TransientError
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.results import SetResult
from scoring.results import merging as aggregate
from scoring.sets import SetId
from tests.cli.place import HEADER, Place, Run, rows


def test_a_refused_file_is_named_in_korean_and_stops_no_other(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv", HEADER + "\r\n")
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "✗ resume_agent_b 읽지 못함: 머리글뿐 (실행 결과가 담긴 파일로 바꾸세요)" in ran.out
    assert "[header-only]" not in ran.out
    assert "[header-only]" in place.score("in", "-v").out
    assert (place.root / "out/resume_agent_b/problem.md").is_file()
    assert verify_set(place.root / "out", "resume_agent_a")


def test_unusable_rows_are_reported_and_exit_with_1(place: Place) -> None:
    place.file("in/resume_agent_a.csv", rows("Q1") + "too,short\r\n")
    line = "✗ resume_agent_a 2행 중 1행을 쓰지 못했습니다. 이 점수는 쓰지 마세요."
    assert place.score("in").out.splitlines()[0] == line
    ran = place.score("in", "-v")
    assert ran.code == 1
    assert "resume_agent_a.csv 3행" in ran.out
    assert "[cell-count]" in ran.out


def test_notes_take_nothing_away(place: Place) -> None:
    text = rows("Q1").replace(",,,,", ",,,높음,", 1)
    place.file("in/resume_agent_a.csv", text)
    assert "데이터 오류" not in place.score("in").out
    ran = place.score("in", "--verbose")
    assert "[recorded-not-a-number]" in ran.out
    assert ran.code == 0
    assert place.score("in", "--quiet").out == ""


def test_many_problems_are_counted(place: Place) -> None:
    place.file("resume_agent_a.csv", rows("Q1") + "short\r\n" * 150)
    ran = place.score("resume_agent_a.csv", "-v")
    assert ran.out.count("[cell-count]") == 1
    assert (
        "칸 수가 머리글과 다른 150행을 뺐습니다. 위치: resume_agent_a.csv 3행 'short', 4행 'short' 외 148건." in ran.out
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        pytest.param("resumes_agent_1.csv", "resume_agent_*.csv", id="misspelt"),
        pytest.param("H-recruit 3.XLSX", "h_recruit_*.xlsx", id="other-signs"),
        pytest.param("plan.tsv", "plan_agent_*.tsv", id="short"),
    ],
)
def test_a_named_file_that_no_profile_claims_gets_the_three_nearest_patterns(
    place: Place, *, name: str, nearest: str
) -> None:
    ran = place.score(place.file(name, "a,b\n1,2\n"))
    assert ran.out.startswith(f"– {name} 채점 안 함: 이름에 맞는 프로필 없음 (쓸 수 있는 이름: {nearest}, ")
    ran = place.score(place.root / name, "-v")
    assert ran.code == 1
    ran = Run(ran.code, "".join(ran.out.splitlines()[1:]), "")
    assert f"가장 비슷한 이름 패턴: {nearest}, " in ran.out
    assert ran.out.count("_*.") == 3
    assert "--rubric" in ran.out


def test_a_named_file_with_the_columns_of_a_profile_says_what_name_it_needs(place: Place) -> None:
    assert (
        "– 3월4주 결과.csv 채점 안 함: 이름을 바꾸세요: resume_agent_… (열 14/14 일치)"
        in place.score(place.file("3월4주 결과.csv")).out
    )
    ran = place.score("3월4주 결과.csv", "-v")
    assert ran.code == 1
    assert "열은 resume-agent 프로필과 맞습니다(필수 열 14개 가운데 14개)" in ran.out
    assert "'resume_agent_3월4주 결과.csv'" in ran.out
    assert "[name-of-no-profile]" in ran.out
    place.file("in/3월4주 결과.csv")
    place.score("in", "--out", "out")
    board = (place.root / "out" / "index.html").read_text(encoding="utf-8")
    assert "3월4주 결과.csv – 이름을 바꾸세요: resume_agent_… (열 14/14 일치)" in board


def test_a_file_that_no_profile_takes_names_what_makes_a_document(place: Place) -> None:
    (place.root / "in").mkdir()
    place.file("in/answers.csv", "id,Ideal answer,Assistant reply\n1,a,b\n")
    for path in ("in", "in/answers.csv"):
        ran = place.score(place.root / path, "--language", "en", "-v")
        assert ran.code == 1
        assert "make a document: `scorewatch rubric new FILE` (closest: bfcl, 1 of 2" in ran.out
    ran = place.score(place.file("odd.csv", "x,y\n1,2\n"), "--language", "en", "-v")
    assert "make a document with `scorewatch rubric new FILE`" in ran.out


def test_a_named_file_of_another_kind_says_which_kinds_are_read(place: Place) -> None:
    code, printed = place.json(place.file("x.xls"), place.file("resume_agent_a.csv"))
    assert (code, [entry["set"] for entry in printed["sets"]]) == (1, ["resume_agent_a"])
    [problem] = printed["problems"]
    assert (problem["code"], problem["source"]) == ("unknown-extension", "x.xls")
    assert "CSV, TSV, XLSX" in problem["text"]


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


def test_what_two_folders_have_at_one_path_is_named_of_both(place: Place) -> None:
    elsewhere = place.file("elsewhere.csv")
    for folder in ("a", "b"):
        place.file(f"{folder}/resume_agent_{folder}.csv")
        (place.root / folder / "resume_agent_out.csv").symlink_to(elsewhere)
        (place.root / folder / "resume_agent_gone.csv").symlink_to("nothing.csv")
    place.file("b/resume_agent_x.csv")
    (place.root / "a/Resume_agent_X.csv").symlink_to(elsewhere)
    code, printed = place.json("a", "b", "./a", "--out", "out")
    assert code == 1
    assert {entry["set"]: entry["state"] for entry in printed["sets"]} == {
        "resume_agent_a": "report",
        "resume_agent_b": "report",
        "resume_agent_out": "problem",
        "resume_agent_x": "report",  # a link of that name does not take its place
    }
    assert sorted((problem["source"], problem["code"]) for problem in printed["problems"]) == [
        ("a/Resume_agent_X.csv", "symlink-outside"),
        ("a/resume_agent_gone.csv", "unreadable"),
        ("b/resume_agent_gone.csv", "unreadable"),
        ("b/resume_agent_out.csv", "symlink-outside"),
    ]
    assert verify_set(place.root / "out", "resume_agent_x")


@pytest.mark.parametrize("order", [("in", "in/resume_agent_out.csv"), ("in/resume_agent_out.csv", "in")])
def test_a_link_that_is_named_itself_is_scored_wherever_it_leads(place: Place, order: tuple[str, str]) -> None:
    place.file("in/resume_agent_a.csv")
    (place.root / "in/resume_agent_out.csv").symlink_to(place.file("elsewhere.csv"))
    code, printed = place.json(*order, "--out", "out")
    assert (code, printed["problems"]) == (0, [])
    assert [(entry["set"], entry["state"]) for entry in printed["sets"]] == [
        ("resume_agent_a", "report"),
        ("resume_agent_out", "report"),
    ]


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

    def fail(result: SetResult, set_id: SetId, *more: Any, **how: Any) -> object:
        if set_id.name == "resume_agent_a":
            raise TransientError("out/x: No space left on device")
        return real(result, set_id, *more, **how)

    monkeypatch.setattr("reporting.report.publish_report", fail)
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "out/x: 디스크에 남은 공간이 없음" in ran.out
    assert "[not-written]" in ran.out
    assert verify_set(place.root / "out", "resume_agent_b")


def test_a_disk_that_is_full_while_items_are_written_is_a_problem(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", 1)
    place.file("in/resume_agent_a.csv", rows("Q1", "Q2"))
    place.file("in/resume_agent_b.csv", rows("Q1"))

    def fail(_: object) -> object:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("cli.score.run.open_spool", fail)
        ran = place.score("in", "--out", "out")
        assert ran.code == 1
        assert "디스크에 남은 공간이 없음" in ran.out
        assert "[not-written]" in ran.out
        assert not (place.root / "out" / "resume_agent_a").exists()
        assert verify_set(place.root / "out", "resume_agent_b")
    assert place.score("in", "--out", "out").code == 0
    assert verify_set(place.root / "out", "resume_agent_a")


def test_a_full_temporary_folder_is_named_where_no_folder_of_reports_is_given(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", 1)
    place.file("in/resume_agent_a.csv", rows("Q1", "Q2"))

    def fail() -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cli.score.run.TemporaryFile", fail)
    monkeypatch.setattr("cli.score.run.gettempdir", lambda: "/small")
    ran = place.score("in")
    assert ran.code == 1
    assert "임시 폴더 /small에 쓰지 못했습니다 (디스크에 남은 공간이 없음)" in ran.out
    assert "TMPDIR" in ran.out
    assert "[temporary-folder]" in ran.out


def test_a_file_that_may_not_be_read_is_a_problem_of_its_set(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/July/resume_agent_1.csv")
    place.file("in/July/resume_agent_2.csv", rows("Q1@2/1"))
    file = place.file("resume_agent_b.csv")
    real = os.open

    def refuse(path: str, *more: Any, **named: Any) -> int:
        if str(path).endswith(("resume_agent_b.csv", "resume_agent_2.csv")):
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "access", lambda *_args, **_more: False)  # what click would look at; root may read all
    ran = place.score("in", file, "--out", "out")
    assert ran.code == 1
    assert "✗ resume_agent_b 읽지 못함: 권한이 없음 (파일과 읽기 권한을 확인하세요)" in ran.out
    assert (
        "  resume_agent_b.csv: 파일을 읽을 수 없습니다 (권한이 없음). "
        "파일이 있고 읽기 권한이 있는지 확인하세요. [unreadable]"
    ) in place.score("in", file, "-v").out
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

    def fail(parts: Any, *others: Any) -> Any:
        if parts[0][0] == "resume_agent_a.csv":
            raise ZeroDivisionError("x\x1b[31m")
        return real(parts, *others)

    monkeypatch.setattr("reporting.report.merge", fail)
    ran = place.score("in", "--out", "out", "-v")
    assert ran.code == 1
    assert "✗ resume_agent_a 읽지 못함: Scorewatch의 오류 (-v의 내용을 담당자에게 알려 주세요)" in ran.out
    assert "resume_agent_a.csv: 이 세트를 처리하다가 Scorewatch 자체에 오류가 났습니다 (ZeroDivisionError: " in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert "Traceback" in ran.err
    assert verify_set(place.root / "out", "resume_agent_b")
    index = (place.root / "out/index.md").read_text("utf-8")
    assert "resume_agent_a/problem.md" in index
    monkeypatch.setattr("reporting.report.merge", real)
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


def test_a_file_that_is_being_written_is_read_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.file("resume_agent_a.csv", "")
    reads: list[int] = []

    def score(stream: BinaryIO, **named: Any) -> Part:
        part = score_file(stream, **named)
        reads.append(part.size)
        if len(reads) == 1:
            file.write_text(rows("Q1", "Q2"), encoding="utf-8")  # a writer had emptied it
        return part

    monkeypatch.setattr("cli.score.run.score_file", score)
    ran = place.score(file, "--out", "out")
    assert ran.code == 0
    assert reads == [0, file.stat().st_size]


def test_a_file_that_never_stands_still_is_taken_as_it_is(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.file("resume_agent_a.csv", "")
    monkeypatch.setattr("cli.score.run.CHANGING_SECONDS", 0.0)
    ran = place.score(file)
    assert (ran.code, "빈 파일" in ran.out) == (1, True)
