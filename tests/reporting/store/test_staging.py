import errno
import os
from pathlib import Path

import pytest

from reporting.store.stored_file import write_atomic


@pytest.mark.parametrize("is_apart", [False, True], ids=["beside", "in a folder of its own"])
def test_file_is_replaced_as_a_whole(tmp_path: Path, *, is_apart: bool) -> None:
    temporary = tmp_path / "tmp" if is_apart else None
    if temporary is not None:
        temporary.mkdir()
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_atomic(path, b"new", temporary=temporary)
        assert (reader.read(), path.read_bytes()) == (b"old", b"new")
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [path]


@pytest.mark.parametrize("step", ["os.write", "os.fsync", "Path.replace"])
def test_failed_write_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(f"reporting.store.staged_files.{step}", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, b"new", strict=True)
    monkeypatch.undo()
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"old")]
