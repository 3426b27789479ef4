"""`scorewatch score`: what becomes which set."""

import hashlib
import json
import os
import sys
import unicodedata
from pathlib import Path

import pytest

from reporting.store import verify_set
from tests.cli.place import Place, rows, tree


def test_a_file_prints_its_figures_and_writes_nothing(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    ran = place.score("in/resume_agent_a.csv")
    assert ran.code == 0
    points, line = "5.00 (1.71–5.00)", "✓ resume_agent_a 2문항 응답 성공 100.0% (34–100)"
    assert ran.out == f"{line}\n"
    assert place.score("in/resume_agent_a.csv", "-v").out.splitlines() == [
        line,
        "  응답 성공 2/2 = 100.0% (34.2–100.0%)",
        f"  의도 충족 {points}",
        "  일관성 —",
        *(f"  {name} {points}" for name in ("정확성", "응답 속도", "안정성")),
    ]
    assert [path.name for path in place.root.iterdir()] == ["in"]


def test_sets_of_several_rounds_say_how_queries_repeat(place: Place) -> None:
    text = rows("Q1", "Q2", "Q1@2/1", "Q2@2/1")
    place.file("in/resume_agent_a.csv", text.replace("3명,,,,", "3명,x,,,", 1))
    assert "  반복: 항상 1 · 가끔 1 · 안 됨 0\n" in place.score("in/resume_agent_a.csv", "-v").out
    english = place.score("in/resume_agent_a.csv", "--language", "en", "-v").out
    assert "  repeats: always 1 · sometimes 1 · never 0\n" in english


def test_with_out_everything_is_written_and_the_index(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    ran = place.score("in", "--out", "out")
    assert ran.code == 0
    assert verify_set(place.root / "out", "resume_agent_a")
    assert "[resume_agent_a](resume_agent_a/summary.md), [report.md](resume_agent_a/report.md)" in (
        place.root / "out/index.md"
    ).read_text("utf-8")
    assert ran.out.endswith("보고서: out/resume_agent_a/summary.html\n목록: out/index.html\n")


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
    assert printed["unclaimed"] == ["other.csv", "notes.txt"]


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
    assert "✓ resume_agent_ok " in ran.out


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
    assert "✗ resume_agent_a 읽지 못함: 폴더 밖을 가리키는 링크 (파일을 복사해 넣으세요)" in ran.out
    assert "symlink-outside" in (place.root / "out/resume_agent_a/problem.md").read_text("utf-8")


def test_a_link_within_the_folder_is_one_more_name(place: Place) -> None:
    place.file("in/resume_agent_b.csv")
    (place.root / "in/resume_agent_a.csv").symlink_to("resume_agent_b.csv")
    code, printed = place.json("in", "in/resume_agent_b.csv")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["resume_agent_a", "resume_agent_b"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("",),
        ("resume_agent_x.csv", "--out", ""),
        ("resume_agent_x.csv", "--rubric", " "),
        ("resume_agent_x.csv", "--set", "  "),
    ],
)
def test_empty_path_or_name_is_wrong_usage(place: Place, arguments: tuple[str, ...]) -> None:
    (place.root / "resume_agent_x.csv").write_text("a\n", encoding="utf-8")
    before = sorted(path.name for path in place.root.iterdir())
    ran = place.score(*arguments)
    assert ran.code == 2
    assert "비어 있습니다" in ran.err or "쓸 수 없는 이름" in ran.err
    assert sorted(path.name for path in place.root.iterdir()) == before


@pytest.mark.parametrize("seed", range(4))
def test_names_that_differ_in_their_normal_form_alone_are_told_apart_everywhere(place: Place, seed: int) -> None:
    """`score --json`, status.json and both pages name both files, in whatever order they are given."""
    names = [unicodedata.normalize(form, "resume_agent_가.csv") for form in ("NFC", "NFD")]
    files = [place.file(f"in/{name}", rows(f"Q{seed}{number}")) for number, name in enumerate(names)]
    code, said = place.json("in", "--out", "out")
    assert code == 1
    (entry,) = said["sets"]
    status = json.loads((place.root / "out/resume_agent_가/status.json").read_bytes())
    assert (entry["key"], entry["inputs"]) == (status["key"], status["inputs"])
    digests = {
        f"resume_agent_가.csv ({form})": hashlib.sha256(file.read_bytes()).hexdigest()
        for form, file in zip(("NFC", "NFD"), files, strict=True)
    }
    assert status["inputs"] == digests
    place.score(*files[:: 1 if seed % 2 else -1], "--out", "named")
    assert tree(place.root / "named/resume_agent_가") == tree(place.root / "out/resume_agent_가")
