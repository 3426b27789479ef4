"""The working directory of a command that is tested."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.place import AsMade, Place


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    for name in os.environ:
        if name.startswith("SCOREWATCH_"):
            monkeypatch.delenv(name)
    return Place(tmp_path, capsys)


@pytest.fixture(scope="module")
def as_made(tmp_path_factory: pytest.TempPathFactory) -> AsMade:
    """Fills places alike: the first of a module is made, the others are copies of it."""
    kept: dict[Callable[[Place], object], Path] = {}

    def fill(place: Place, make: Callable[[Place], object]) -> Place:
        if make in kept:
            shutil.copytree(kept[make], place.root, symlinks=True, dirs_exist_ok=True)
        else:
            make(place)
            kept[make] = tmp_path_factory.mktemp("made") / "copy"
            shutil.copytree(place.root, kept[make], symlinks=True)
        return place

    return fill
