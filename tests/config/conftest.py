"""Surroundings without any setting."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def clean_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
