"""The working directory of a command that is tested."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.place import Place


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    for name in os.environ:
        if name.startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    return Place(tmp_path, capsys)
