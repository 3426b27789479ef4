"""What is said to those who type no set, or one that is none; and the order of a usage error."""

from pathlib import Path

import pytest

from cli.screen import cells
from cli.set_names import MOST_NAMED
from config import shipped_rubrics
from tests.cli.place import AsMade, Place, rows


@pytest.fixture
def reported(place: Place, as_made: AsMade) -> Place:
    return as_made(place, _report)


def _report(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv", rows("Q1", "Q2", "Q3"))
    place.file("in/resume_agent_cut.csv", "")
    assert place.score("in", "--out", "docs/reports", "-q").code == 1


@pytest.mark.parametrize(
    ("command", "usage", "named", "others"),
    [
        (("gate",), "gate SET…", {"resume_agent_a", "resume_agent_b", "resume_agent_cut"}, set()),
        (("bless",), "bless SET", {"resume_agent_a", "resume_agent_b"}, {"resume_agent_cut"}),
        (("compare",), "compare BEFORE AFTER", {"resume_agent_a", "resume_agent_b"}, {"resume_agent_cut"}),
        (("compare", "resume_agent_a"), "compare BEFORE AFTER", {"resume_agent_b"}, {"resume_agent_cut"}),
        (("retry",), "retry SET", {"resume_agent_cut"}, {"resume_agent_a", "resume_agent_b"}),
    ],
)
def test_a_command_without_its_set_names_what_it_can_act_on(
    reported: Place, command: tuple[str, ...], usage: str, named: set[str], others: set[str]
) -> None:
    reported.file("gate.toml", '[gate]\nrules = ["items >= 1"]\n')
    more = ("--gate-file", "gate.toml") if command == ("gate",) else ()
    ran = reported.run(*command, *more)
    first, second, third, *_ = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert first == f"오류: 세트를 적어 주세요: scorewatch {usage}"
    assert second.startswith("지금 있는 세트: ")
    assert third.startswith(f"사용법: scorewatch {command[0]} ")
    said = set(second.partition(": ")[2].split(", "))
    assert named <= said
    assert not others & said


def test_forget_names_only_sets_whose_files_are_gone(reported: Place) -> None:
    ran = reported.run("forget", "--language", "en")
    assert ran.code == 2
    assert ran.err.splitlines()[:2] == [
        "Error: Name a set: scorewatch forget SET…",
        "The folder of reports has no such set.",
    ]


def test_the_list_is_bounded_and_its_names_are_cut(place: Place) -> None:
    for number in range(MOST_NAMED + 3):
        place.file(f"in/resume_agent_{'가' * 60}_{number:02}.csv")
    place.score("in", "--out", "docs/reports", "-q")
    line = place.run("bless").err.splitlines()[1]
    names = line.partition("지금 있는 세트: ")[2].split(", ")
    assert (len(names), names[-1]) == (MOST_NAMED + 1, "외 3개")
    assert max(map(cells, names)) <= 60


@pytest.mark.parametrize("command", [("retry",), ("forget", "--yes"), ("bless",), ("compare", "resume_agent_a")])
@pytest.mark.parametrize("name", ["resume_agent_bb", "\x1b[31mresume_agent_b" + "x" * 100_000])
def test_a_name_that_is_no_set_is_told_with_the_nearest(reported: Place, command: tuple[str, ...], name: str) -> None:
    ran = reported.run(*command, name, "--language", "en")
    assert ran.code == 2
    first = ran.err.splitlines()[0]
    assert "'resume_agent_b'" in first
    assert len(first) < 400
    assert "\x1b" not in ran.err


def test_a_usage_error_comes_before_the_usage(place: Place) -> None:
    lines = place.run("score", "--ot", "x", "--language", "en").err.splitlines()
    assert lines[0].startswith("Error: There is no option '--ot'.")
    assert lines[1].startswith("Usage: scorewatch score ")
    assert lines[-1] == "Help: scorewatch score --help"


DOCUMENT = (Path(__file__).parents[2] / "config/rubrics/resume-agent.md").read_text(encoding="utf-8")


@pytest.fixture
def own(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place of documents of its own, where one of the shipped ones is checked beside them: all take a second."""
    for language in ("ko", "en"):
        shipped_rubrics(language)
    monkeypatch.setattr("config.rubrics_in_force.SHIPPED_FOLDER", place.root / "shipped")
    place.file("shipped/resume-agent.md", DOCUMENT)
    return place


def test_rubric_check_without_a_file_checks_all_documents(place: Place) -> None:
    ran = place.run("rubric", "check", "--language", "en")
    assert ran.code == 0
    shipped = {path.stem for path in (Path(__file__).parents[2] / "config/rubrics").glob("*.md")}
    told = {line.partition(": OK. ")[0].rpartition("/")[2].removesuffix(".md") for line in ran.out.splitlines()}
    assert shipped <= told


def test_rubric_check_checks_the_documents_of_the_folder_too(own: Place) -> None:
    own.file("own/mine.md", DOCUMENT.replace("profile: resume-agent", "profile: mine").replace("resume_", "mine_"))
    ran = own.run("rubric", "check", "--rubrics", "own", "--language", "en")
    assert (ran.code, "own/mine.md: OK. " in ran.out) == (0, True)
    own.file("own/broken.md", "---\nprofile: broken\n---\n")
    own.file("own/en/other.md", DOCUMENT.replace("scale: 5", "scale: x", 1))
    ran = own.run("rubric", "check", "--rubrics", "own", "--language", "en")
    assert ran.code == 1
    assert "own/mine.md: OK. " in ran.out
    assert "own/broken.md: problems: " in ran.out
    assert "own/en/other.md: problems: " in ran.out
    assert own.run("rubric", "check", "--rubrics", "gone").code == 2


def test_two_documents_of_one_profile_are_a_problem_of_their_folder(own: Place) -> None:
    for name in ("a", "b"):
        own.file(f"own/{name}.md", DOCUMENT)
    ran = own.run("rubric", "check", "--rubrics", "own")
    assert ran.code == 1
    assert "own: 문제 1건" in ran.out
    assert "[rubric-profile-twice]" in ran.out
