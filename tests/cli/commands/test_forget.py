"""`scorewatch forget`: removes what was written for a set whose files are gone, and nothing else."""

import json
import os
from pathlib import Path

import click
import pytest

from reporting.store import HISTORY, STATUS_JSON, WORK_AREA, exclusive, lock_path, write_pin
from tests.cli.place import AsMade, Place, rows, tree

OLD, NEW = "resume_agent_260301", "resume_agent_260302"


@pytest.fixture
def place(
    tmp_path: Path, as_made: AsMade, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Place:
    """Two scored sets; the file of the first was removed since."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCOREWATCH_WATCH", "in")
    monkeypatch.setenv("SCOREWATCH_OUT", "out")
    monkeypatch.setenv("SCOREWATCH_STATE", "state")
    return as_made(Place(tmp_path, capsys), _make)


def _make(place: Place) -> None:
    for name in (OLD, NEW):
        place.file(f"in/{name}.csv", rows(*(f"Q{number}" for number in range(12))))
    assert place.score("in", "--out", "out").code == 0
    (place.root / f"in/{OLD}.csv").unlink()


def sets(place: Place) -> list[str]:
    out = place.root / "out"
    return sorted(
        path.parent.relative_to(out).as_posix() for path in out.rglob(STATUS_JSON) if HISTORY not in path.parts
    )


def refused(place: Place, *arguments: str) -> str:
    """The message of a refusal that removed nothing."""
    before = tree(place.root / "out")
    ran = place.run("forget", *arguments)
    assert ran.code == 2
    assert tree(place.root / "out") == before
    return ran.err


def test_a_set_without_files_is_removed_and_what_named_it_is_brought_up_to_date(place: Place) -> None:
    out = place.root / "out"
    assert json.loads((out / NEW / "baseline.json").read_bytes())["baseline"] == OLD
    place.file("in/other.csv")
    ran = place.run("forget", OLD, "--yes")
    assert (ran.code, ran.out, ran.err) == (0, f"지웠습니다: {OLD}\n", "")
    assert not (out / OLD).exists()
    assert sets(place) == [NEW]
    index = (out / "index.md").read_text(encoding="utf-8")
    assert OLD not in index
    assert "other.csv" in index  # the list of files that are not scored stays
    assert OLD not in (out / "trend-resume-agent.csv").read_text(encoding="utf-8")
    assert json.loads((out / NEW / "baseline.json").read_bytes())["baseline"] == ""
    assert not list((out / WORK_AREA / "locks").iterdir())


def test_a_set_whose_files_are_there_is_refused_unless_forced(place: Place) -> None:
    assert f"채점한 파일이 아직 in에 있습니다: {NEW}." in refused(place, NEW, "--yes")
    assert place.run("forget", NEW, "--yes", "--force").code == 0
    assert sets(place) == [OLD]


def test_files_that_no_rubric_scores_any_more_are_still_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("rubrics/empty.txt", "")
    monkeypatch.setattr("cli.commands.forget.Rubrics.choose", lambda *_, **__: None)
    assert "--force" in refused(place, NEW, "--yes")


def test_without_the_watched_folder_it_is_not_known(place: Place) -> None:
    (place.root / f"in/{NEW}.csv").unlink()
    (place.root / "in").rmdir()
    assert "알 수 없습니다" in refused(place, OLD, "--yes")
    assert place.run("forget", OLD, NEW, "--yes", "--force").code == 0
    assert sets(place) == []


@pytest.mark.parametrize(
    "name", ["gone", "", ".", "..", "../in", "/etc", f"{OLD}/../{NEW}", ".scorewatch", f"{OLD}/history", "*", "\x1b[2J"]
)
def test_what_is_no_set_is_refused(place: Place, name: str) -> None:
    message = refused(place, name, "--yes", "--force")
    assert "그런 세트가 없습니다" in message
    assert "\x1b" not in message


def test_a_pinned_baseline_is_refused(place: Place) -> None:
    write_pin(place.root / "out", "resume-agent", OLD)
    assert "bless --clear" in refused(place, OLD, "--yes", "--force")


def test_it_asks_on_a_terminal_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--yes" in refused(place, OLD)
    monkeypatch.setattr("cli.commands.forget.sys.stdin.isatty", lambda: True, raising=False)
    questions: list[str] = []

    def answer(text: str, *, abort: bool) -> None:
        questions.append(text)
        if len(questions) == 1 and abort:
            raise click.Abort

    monkeypatch.setattr(click, "confirm", answer)
    before = tree(place.root / "out")
    assert place.run("forget", OLD).code == 1
    assert tree(place.root / "out") == before
    assert place.run("forget", OLD, "--language", "en").code == 0
    assert questions[0] == f"{OLD}: 보고서, 이전 판, 판정을 모두 지웁니다. 되돌릴 수 없습니다. 지울까요?"
    assert questions[1].startswith(f"{OLD}: remove the report")
    assert sets(place) == [NEW]


def test_what_others_put_there_stays(place: Place) -> None:
    out = place.root / "out"
    (out / OLD / "notes.txt").write_text("mine")
    (out / OLD / "nested").mkdir()
    (out / OLD / "nested" / STATUS_JSON).write_bytes((out / OLD / STATUS_JSON).read_bytes())
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("theirs")
    (out / OLD / "history").symlink_to(elsewhere)
    ran = place.run("forget", OLD, "--yes")
    assert ran.code == 1  # a link that leads out of the folder of reports
    (out / OLD / "history").unlink()
    ran = place.run("forget", OLD, "--yes")
    assert ran.code == 0
    assert ran.out == f"지웠습니다: {OLD}\n{OLD}: Scorewatch가 만들지 않은 것은 남겼습니다: nested, notes.txt\n"
    assert sorted(path.name for path in (out / OLD).iterdir()) == ["nested", "notes.txt"]
    assert (elsewhere / "file").read_text() == "theirs"


def test_a_link_in_place_of_a_set_is_not_followed(place: Place) -> None:
    out = place.root / "out"
    (out / "alias").symlink_to(out / NEW)
    assert "그런 세트가 없습니다" in refused(place, "alias", "--yes", "--force")


def test_history_and_empty_folders_above_go_too(place: Place) -> None:
    out = place.root / "out"
    for queries in (12, 13):
        place.file("in/방/resume_agent_1.csv", rows(*(f"Q{number}" for number in range(queries))))
        place.score("in", "--out", "out")
    assert (out / "방/resume-agent/history").is_dir()
    (place.root / "in/방/resume_agent_1.csv").unlink()
    assert place.run("forget", "방/RESUME-agent", "--yes").code == 0
    assert not (out / "방").exists()
    assert sets(place) == [OLD, NEW]


def test_a_set_that_is_held_or_cannot_be_removed_is_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    out = place.root / "out"
    monkeypatch.setattr("reporting.store.locks.LOCK_TIMEOUT_SECONDS", 0.05)
    with exclusive(lock_path(out, OLD), timeout_seconds=1):
        ran = place.run("forget", OLD, "--yes")
    assert ran.code == 1
    assert "held by another process" in ran.err
    assert sets(place) == [OLD, NEW]
    real = os.unlink

    def unlink(path: str | Path, **named: int) -> None:
        if str(path).endswith("changes.md"):
            raise PermissionError(13, "Permission denied", str(path))
        real(path, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        assert place.run("forget", OLD, "--yes").code == 2
    assert sets(place) == [OLD, NEW]  # its status is there: it can be removed again
    assert place.run("forget", OLD, "--yes").code == 0
    assert sets(place) == [NEW]
