"""The hash cache: trusted only where a change could not hide."""

import hashlib
import os
import time
from pathlib import Path
from typing import BinaryIO

import pytest

from scoring.reading import ContentHash, NotRegularError, whole_hash
from tests.watcher.world import long_after
from watcher import content_hashes, settle
from watcher.content_hashes import ChangedError, Hashes, Known
from watcher.settle import Stat


def stat_of(path: Path) -> Stat:
    return settle.stat_of(path.stat())


def hashes_of(folder: Path) -> Hashes:
    return Hashes(folder / "hashes", "/root", now_ns=long_after)


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    os.utime(path, (time.time() - 100,) * 2)
    return path


def test_an_old_file_is_read_once_also_after_a_restart(tmp_path: Path, old_file: Path) -> None:
    hashes = hashes_of(tmp_path)
    known = Known(stat_of(old_file), hashlib.sha256(b"abc").hexdigest(), True)
    assert hashes.read("a.csv", str(old_file)) == known
    hashes.save()
    again = hashes_of(tmp_path)
    again.load()
    assert again.get("a.csv", stat_of(old_file)) == known
    found = old_file.stat()
    others = found.st_ctime_ns, found.st_ino, found.st_dev
    assert again.get("a.csv", Stat.of(found.st_size, found.st_mtime_ns, *others)) == known
    assert again.get("a.csv", Stat.of(found.st_size, 1, *others)) is None
    assert again.get("b.csv", stat_of(old_file)) is None


def test_a_file_as_young_as_its_hash_is_distrusted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    os.utime(path, (time.time() - 100,) * 2)  # as `cp -p` and `rsync --times` leave it
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.read("a.csv", str(path))
    assert hashes.get("a.csv", stat_of(path)) is None


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(stream: BinaryIO, **_: object) -> ContentHash:
        digest = whole_hash(stream)
        old_file.write_bytes(b"abcd")
        return digest

    monkeypatch.setattr(content_hashes, "whole_hash", changing)
    hashes = hashes_of(tmp_path)
    with pytest.raises(ChangedError):
        hashes.read("a.csv", str(old_file))
    assert hashes.get("a.csv", stat_of(old_file)) is None


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"\x93\x01", b"{}"])
def test_a_damaged_cache_is_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "hashes").write_bytes(damage)
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.load()
    assert hashes.get("a.csv", Stat.of(1, 1, 1, 1, 1)) is None


def test_the_cache_of_another_folder_is_not_ours(tmp_path: Path, old_file: Path) -> None:
    hashes = Hashes(tmp_path / "hashes", "/root")
    hashes.read("a.csv", str(old_file))
    hashes.save()
    other = Hashes(tmp_path / "hashes", "/other")
    other.load()
    assert other.get("a.csv", stat_of(old_file)) is None


def test_names_that_are_not_utf8_are_kept(tmp_path: Path, old_file: Path) -> None:
    name = os.fsdecode(b"\xc8\xb8.csv")
    hashes = Hashes(tmp_path / "hashes", os.fsdecode(b"/\xff"), now_ns=long_after)
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


def test_other_content_with_size_and_times_set_back_is_read_again(tmp_path: Path, old_file: Path) -> None:
    hashes = hashes_of(tmp_path)
    hashes.read("a.csv", str(old_file))
    before = old_file.stat()
    with old_file.open("r+b") as stream:  # `rsync --inplace --times`, `tar --overwrite`
        stream.write(b"xyz")
    os.utime(old_file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = old_file.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert hashes.get("a.csv", stat_of(old_file)) is None


@pytest.mark.timeout(20)
def test_a_pipe_in_place_of_the_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(NotRegularError, match="not a regular file"):
        hashes_of(tmp_path).read("a.csv", str(tmp_path / "a.csv"))


def test_a_file_that_takes_too_long_is_given_up(
    tmp_path: Path, old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_hashes, "READ_SECONDS", -1.0)
    with pytest.raises(TimeoutError):
        hashes_of(tmp_path).read("a.csv", str(old_file))
    assert hashes_of(tmp_path).get("a.csv", stat_of(old_file)) is None
