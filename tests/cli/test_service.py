"""What the service says at its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.service import tell_of_nesting
from config.settings import Settings
from reporting.catalogue import texts


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
    monkeypatch.setattr("cli.service.spoken", lambda: texts(language))
    tell_of_nesting(Settings(watch=tmp_path / "in", out=tmp_path / out, state=tmp_path / "state"))
    said = capsys.readouterr().err
    assert bool(said) is is_told
    if is_told:
        assert str(tmp_path / out) in said
        assert said.startswith("알림: 보고서 폴더(" if language == "ko" else "Note: the folder of reports (")
