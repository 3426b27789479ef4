"""Files that are not scored for their name alone are told once, with the name to use."""

from pathlib import Path

from click import unstyle

from cli.screen import unscored_line
from cli.service.documents import UnclaimedFiles
from cli.service.overview import watcher_lines
from cli.service.saved_snapshot import SavedSnapshot
from config import shipped_rubrics
from tests.scoring.files import csv_text, row
from texts import texts
from watcher import Snapshot

RESULT = csv_text([row()]).encode()


def unclaimed(root: Path, language: str = "en") -> UnclaimedFiles:
    return UnclaimedFiles(root, shipped_rubrics(), language=language)


def test_a_file_with_the_columns_of_a_profile_is_told_once(tmp_path: Path) -> None:
    files = unclaimed(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/3월.csv").write_bytes(RESULT)
    (tmp_path / "notes.csv").write_bytes(b"a,b\n1,2\n")
    paths = ["notes.csv", "sub/3월.csv", "gone.csv"]
    (problem,) = files.look_at(paths)
    assert (problem.code, problem.source, problem.values["name"]) == (
        "name-of-no-profile",
        "sub/3월.csv",
        "resume_agent_3월.csv",
    )
    assert files.look_at(paths) == []
    assert list(files.named(paths)) == [
        "notes.csv",
        "sub/3월.csv (14 of 14 required columns are those of resume-agent. Name to use: resume_agent_3월.csv)",
        "gone.csv",
    ]


def test_a_file_is_looked_at_again_when_it_has_grown(tmp_path: Path) -> None:
    files = unclaimed(tmp_path)
    (tmp_path / "a.csv").write_bytes(b"Run ID,Ite")
    assert files.look_at(["a.csv"]) == []
    (tmp_path / "a.csv").write_bytes(RESULT)
    assert [problem.source for problem in files.look_at(["a.csv"])] == ["a.csv"]
    (tmp_path / "a.csv").unlink()
    assert files.look_at(["a.csv"]) == []
    assert files.texts() == {}


def test_console_and_status_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(RESULT)
    files = unclaimed(tmp_path)
    (problem,) = files.look_at(["a.csv"])
    line = "– a.csv not scored: rename it to resume_agent_… (14 of 14 columns match)"
    assert unstyle(unscored_line(problem, texts("en"))) == line
    saved = SavedSnapshot(pid=1, observer="native", reason="", saved_at=0, snapshot=Snapshot(likely=files.texts()))
    assert line in [unstyle(one) for one in watcher_lines(saved, {}, (), texts("en"))]
