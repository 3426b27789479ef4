"""The hash cache: trusted only where a change could not hide."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from watcher.content_hashes import ChangedError, Hashes
from watcher.settle import Stat


def stat_of(path: Path) -> Stat:
    found = path.stat()
    return Stat(found.st_size, found.st_mtime_ns, found.st_ino)


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    os.utime(path, (time.time() - 100,) * 2)
    return path


def test_an_old_file_is_read_once_also_after_a_restart(tmp_path: Path, old_file: Path) -> None:
    hashes = Hashes(tmp_path / "hashes", "/root")
    assert hashes.read("a.csv", str(old_file)) == (stat_of(old_file), hashlib.sha256(b"abc").hexdigest())
    hashes.save()
    again = Hashes(tmp_path / "hashes", "/root")
    again.load()
    assert again.get("a.csv", stat_of(old_file)) == hashlib.sha256(b"abc").hexdigest()
    assert again.get("a.csv", stat_of(old_file)._replace(mtime_ns=1)) is None
    assert again.get("b.csv", stat_of(old_file)) is None


def test_a_file_as_young_as_its_hash_is_distrusted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.read("a.csv", str(path))
    assert hashes.get("a.csv", stat_of(path)) is None


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = hashlib.file_digest

    def changing(stream: object, name: str) -> object:
        digest = real(stream, name)  # type: ignore[arg-type]
        old_file.write_bytes(b"abcd")
        return digest

    monkeypatch.setattr(hashlib, "file_digest", changing)
    hashes = Hashes(tmp_path / "hashes", "/root")
    with pytest.raises(ChangedError):
        hashes.read("a.csv", str(old_file))
    assert hashes.get("a.csv", stat_of(old_file)) is None


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"\x93\x01", b"{}"])
def test_a_damaged_cache_is_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "hashes").write_bytes(damage)
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.load()
    assert hashes.get("a.csv", Stat(1, 1, 1)) is None


def test_the_cache_of_another_folder_is_not_ours(tmp_path: Path, old_file: Path) -> None:
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.read("a.csv", str(old_file))
    hashes.save()
    other = Hashes(tmp_path / "hashes", "/other")
    other.load()
    assert other.get("a.csv", stat_of(old_file)) is None


def test_names_that_are_not_utf8_are_kept(tmp_path: Path, old_file: Path) -> None:
    name = os.fsdecode(b"\xc8\xb8.csv")
    hashes = Hashes(tmp_path / "hashes", os.fsdecode(b"/\xff"))
    hashes.read(name, str(old_file))
    hashes.save()
    again = Hashes(tmp_path / "hashes", os.fsdecode(b"/\xff"))
    again.load()
    assert again.get(name, stat_of(old_file)) is not None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, old_file: Path) -> None:
    hashes = Hashes(tmp_path / "nowhere/hashes", "/root")
    hashes.read("a.csv", str(old_file))
    hashes.save()
    assert not (tmp_path / "nowhere").exists()
