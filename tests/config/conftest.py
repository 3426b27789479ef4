"""Surroundings without any setting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def clean_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
