"""What a set asks is written piece by piece, and read as one."""

from pathlib import Path

import msgspec
import pytest

from reporting.store.baselines import keep_asked, read_asked
from reporting.store.set_folders import ASKED_FOLDER, WORK_AREA
from tests.inner import asked_of


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_pieces_are_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr("reporting.store.baselines._AT_ONCE", at_once)
    asked = asked_of([("Q-1", "지원자 수", ""), ("Q-1", "지원자 수는?", "12"), ("Q-2", "", ""), ("Q-3", '"', "12")])
    digest = keep_asked(tmp_path, asked)
    (path,) = (tmp_path / WORK_AREA / ASKED_FOLDER).iterdir()
    assert path.read_bytes() == msgspec.json.encode(asked)
    assert read_asked(tmp_path, digest) == asked


def test_a_set_without_queries_leaves_no_file(tmp_path: Path) -> None:
    assert keep_asked(tmp_path, {}) == ""
    assert not (tmp_path / WORK_AREA).exists()
