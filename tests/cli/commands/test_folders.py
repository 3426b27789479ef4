"""What the service says at its start."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.commands.options import warn_of_folders
from cli.main import main
from config import Settings
from texts import texts


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """`up` gives its settings to its workers by its own environment."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize(
    ("out", "is_told"),
    [("in/reports", True), ("link/reports", True), ("reports", False), ("in-reports", False)],
)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_reports_within_the_watched_folder_are_told_of(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    out: str,
    is_told: bool,
    language: str,
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    monkeypatch.setattr("cli.commands.options.spoken", lambda: texts(language))
    warn_of_folders(Settings(watch=tmp_path / "in", out=tmp_path / out, state=tmp_path / "state"))
    said = capsys.readouterr().err
    assert bool(said) is is_told
    if is_told:
        assert str(tmp_path / out) in said
        assert said.startswith("알림: 보고서 폴더(" if language == "ko" else "Note: the folder of reports (")


def test_a_watched_folder_that_is_to_be_made_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    warn_of_folders(Settings())
    assert f"감시 폴더가 없어 새로 만듭니다: {tmp_path / 'docs/test-result'}." in capsys.readouterr().err
    (tmp_path / "docs/test-result").mkdir(parents=True)
    warn_of_folders(Settings())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_named_folder_that_is_not_there_is_not_drained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, by: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if by == "environment":
        monkeypatch.setenv("SCOREWATCH_WATCH", "nowhere")
    options = ("--watch", "nowhere") if by == "option" else ()
    assert main(["up", "--drain", *options]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["up", "watch"])
def test_a_watched_folder_that_cannot_be_made_stops_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.service.processes.Processes.start_workers", lambda _: None)
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://127.0.0.1:1/0")
    (tmp_path / "file").touch()
    assert main([command, "--watch", "file"]) == 2
    assert "file은 폴더가 아니라 파일입니다." in capsys.readouterr().err
    monkeypatch.setenv("SCOREWATCH_WATCH", "file")
    assert main([command]) == 2
    said = capsys.readouterr().err
    assert f"감시 폴더를 쓸 수 없습니다: 같은 이름의 파일이 이미 있음: {tmp_path / 'file'}. " in said
    assert "SCOREWATCH_WATCH" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("command", [("up", "--drain"), ("watch",)])
def test_a_state_folder_that_cannot_be_made_stops_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://127.0.0.1:1/0")
    (tmp_path / "file").touch()
    assert main([*command, "--state", "file/state"]) == 2
    said = capsys.readouterr().err
    assert "SCOREWATCH_STATE" in said
    assert "Errno" not in said
    assert "Traceback" not in said


def test_a_worker_that_cannot_be_started_stops_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("workers.processes.child.Child.start", refuse)
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://127.0.0.1:1/0")
    assert main(["up"]) == 2
    said = capsys.readouterr().err
    assert "작업 프로세스를 시작할 수 없습니다: Resource temporarily unavailable. " in said
    assert "Traceback" not in said
