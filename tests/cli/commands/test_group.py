"""Rounds that were dropped one by one: a pattern that puts them together, the board that tells of them, `group`."""

import json
import shutil
from pathlib import Path

import click
import pytest

from reporting.runs import Baselines
from reporting.store import KnownSets
from reporting.wording import group_command
from tests.cli.place import Place, rows, tree
from tests.inner import SHIPPED_FOLDER

FIRST, SECOND = "resume_agent_260301_r1", "resume_agent_260302_r2"
QUERIES = [f"Q{number}" for number in range(12)]


def _round(label: str, *more: str) -> str:
    return rows(*(f"{query}@{label}" for query in (*QUERIES, *more)))


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Place:
    """Two rounds of one run, a day apart."""
    monkeypatch.chdir(tmp_path)
    for name, folder in (("WATCH", "in"), ("OUT", "out"), ("STATE", "state")):
        monkeypatch.setenv(f"SCOREWATCH_{name}", folder)
    made = Place(tmp_path, capsys)
    made.file(f"in/{FIRST}.csv", _round("1/1"))
    made.file(f"in/{SECOND}.csv", _round("1/2", "Q99"))
    return made


def _index(place: Place) -> str:
    assert place.score("in", "--out", "out").code == 0
    return (place.root / "out/index.md").read_text(encoding="utf-8")


def test_the_board_names_them_with_the_command_and_the_command_makes_one_set(place: Place) -> None:
    place.file(f"in/{FIRST}.csv.run.toml", 'prompt = "v4"\n')
    index = _index(place)
    assert f"{FIRST}, {SECOND} (세트 2개): scorewatch group {FIRST} {SECOND}".replace("_", "") in index.replace(
        "\\", ""
    ).replace("_", "")
    ran = place.run("group", FIRST, SECOND, "--yes", "--into", "run 1")
    assert (ran.code, ran.err) == (0, "")
    assert set(tree(place.root / "in")) == {
        f"run 1/{FIRST}.csv",
        f"run 1/{FIRST}.csv.run.toml",
        f"run 1/{SECOND}.csv",
    }
    index = _index(place)
    assert "scorewatch group" not in index
    lines = [line for line in index.splitlines() if line.startswith("| [")]
    names = [line.partition("](")[0].removeprefix("| [").replace("\\", "") for line in lines]
    assert names == ["run 1/resume-agent", SECOND, FIRST]  # what has their files is above them


def _pages_of(place: Place, name: str) -> list[str]:
    files = ("summary.md", "report.md", "report.json")
    return [(place.root / "out" / name / file).read_text(encoding="utf-8") for file in files]


def test_first_pages_and_status_say_it_as_long_as_it_is_so_and_reports_never(place: Place) -> None:
    second = place.root / f"in/{SECOND}.csv"
    later = second.rename(place.root / "later.csv")
    assert place.score("in", "--out", "out").code == 0
    alone = _pages_of(place, FIRST)
    assert "rounds-apart" not in "".join(alone)
    assert "rounds-apart" not in place.run("status").out

    later.rename(second)
    assert place.score("in", "--out", "out").code == 0
    command = f"scorewatch group {FIRST} {SECOND}"
    for name in (FIRST, SECOND):
        summary, *report = _pages_of(place, name)
        assert f"({command}). [rounds-apart]" in summary.replace("\\", "")
        assert "rounds-apart" not in "".join(report)
    assert _pages_of(place, FIRST)[1:] == alone[1:]
    assert command in place.run("status", "--verbose").out
    assert json.loads(place.run("status", "--json").out)["rounds_apart"] == [[FIRST, SECOND]]

    second.unlink()
    place.run("forget", SECOND, "--yes")
    assert _pages_of(place, FIRST) == alone
    assert "rounds-apart" not in place.run("status").out
    assert "rounds_apart" not in json.loads(place.run("status", "--json").out)


def test_the_watcher_asks_for_the_first_pages_that_change_and_for_no_others(place: Place) -> None:
    place.file("in/resume_agent_260201.csv", _round("1/1", "Q98"))
    assert place.score("in", "--out", "out").code == 0
    known = KnownSets(place.root / "out")
    known.look()
    baselines = Baselines(known, language="ko")
    assert baselines.missing() == []
    shutil.rmtree(place.root / "out" / SECOND)
    known.look()
    assert [ask.set_name for ask in baselines.missing()] == [FIRST]
    assert "rounds-apart" not in place.run("status").out


def test_a_command_that_cannot_be_shown_whole_names_no_set() -> None:
    assert group_command(["b c", "a"]) == "scorewatch group 'b c' a"
    for names in (
        ["a", "b\u202e"],
        ["a" * 121, "b"],
        [f"s{n}" for n in range(11)],
        ["a" * 100 + str(n) for n in range(5)],
    ):
        assert group_command(names) == "scorewatch group SET…"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("resume_agent_260310_r2", _round("1/2")),  # nine days later
        ("resume_agent_260302_r2", _round("1/1")),  # the same round
        ("resume_agent_260302_r2", rows(*(f"P{number}@1/2" for number in range(12)))),  # asks something else
        ("resume_agent_r2", _round("1/2")),  # no day
        ("w/resume_agent_260302_r2", _round("1/2")),  # in a folder
    ],
    ids=["late", "same-round", "other-questions", "undated", "folder"],
)
def test_what_is_no_round_of_the_same_run_is_not_named(place: Place, name: str, text: str) -> None:
    (place.root / f"in/{SECOND}.csv").unlink()
    place.file(f"in/{name}.csv", text)
    assert "scorewatch group" not in _index(place)


def test_nothing_moves_without_a_yes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _index(place)
    before = tree(place.root / "in")
    ran = place.run("group", FIRST, SECOND)
    assert (ran.code, "--yes" in ran.err) == (2, True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    asked: list[str] = []

    def no(text: str, *, abort: bool) -> None:
        asked.append(text)
        assert abort
        raise click.Abort

    monkeypatch.setattr(click, "confirm", no)
    place.run("group", FIRST, SECOND)
    assert FIRST in asked[0]
    assert tree(place.root / "in") == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), FIRST),
        ((FIRST,), "둘 이상"),
        ((FIRST, "resume_agent_260302_r3"), SECOND),
        ((FIRST, SECOND, "--into", "../x"), "폴더 이름"),
        ((FIRST, SECOND, "--into", ".x"), "폴더 이름"),
        ((FIRST, SECOND, "--into", "taken"), "이미 있어서"),
    ],
    ids=["none", "one", "unknown", "outside", "hidden", "taken"],
)
def test_what_cannot_be_moved_is_said_and_stays(place: Place, arguments: tuple[str, ...], said: str) -> None:
    _index(place)
    place.file(f"in/taken/{FIRST}.csv", "another")
    before = tree(place.root / "in")
    ran = place.run("group", *arguments, "--yes")
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert tree(place.root / "in") == before


def test_a_file_that_cannot_be_moved_brings_the_others_back(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _index(place)
    before, rename = tree(place.root / "in"), Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == f"{SECOND}.csv":
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    ran = place.run("group", FIRST, SECOND, "--yes")
    assert (ran.code, "옮기지 못했습니다" in ran.err) == (2, True)
    assert tree(place.root / "in") == before


def test_a_folder_is_named_by_the_words_that_the_names_share(place: Place) -> None:
    place.file("in/resume_agent_260301_r2.csv", _round("1/2"))
    _index(place)
    assert place.run("group", FIRST, "resume_agent_260301_r2", "--yes").code == 0
    assert (place.root / "in/resume_agent_260301").is_dir()


def test_a_pattern_of_the_document_puts_them_together(place: Place) -> None:
    text = (SHIPPED_FOLDER / "resume-agent.md").read_text("utf-8")
    pattern = 'sets: {pattern: "resume_agent_(2603)[0-9]{2}_r[0-9]"}'
    place.file("rubrics/resume-agent.md", text.replace("profile: resume-agent", f"profile: resume-agent\n{pattern}", 1))
    place.file("scorewatch.toml", 'rubrics = "rubrics"\n')
    _, plain = place.json("in")
    assert [one["set"] for one in plain["sets"]] == ["resume_agent_2603"]
    _, named = place.json(f"in/{FIRST}.csv", f"in/{SECOND}.csv")
    assert [(one["set"], one["key"]) for one in named["sets"]] == [("resume_agent_2603", plain["sets"][0]["key"])]
    assert len(plain["sets"][0]["headline"]["metrics"]) > 1


@pytest.mark.parametrize(
    ("pattern", "code"),
    [("resume_(", "rubric-pattern"), ("a(b)(c)", "rubric-set-pattern"), ("a", "rubric-set-pattern")],
)
def test_a_pattern_needs_one_group(place: Place, pattern: str, code: str) -> None:
    text = (SHIPPED_FOLDER / "resume-agent.md").read_text("utf-8")
    sets = f'sets: {{pattern: "{pattern}"}}'
    place.file("mine.md", text.replace("profile: resume-agent", f"profile: resume-agent\n{sets}", 1))
    ran = place.run("rubric", "check", "mine.md")
    assert ran.code != 0
    assert f"[{code}]" in ran.out + ran.err
    assert "mine.md 4번째 줄" in ran.out + ran.err
