"""Publishing beside readers and other publishers: whole files, one at a time for each set."""

import errno
import threading
from pathlib import Path

import pytest

from reporting.runs.publish import Outcome
from reporting.store import locks, verify_set
from scoring import TransientError
from scoring.results import SetResult
from tests.reporting.publishing import leftovers, tree, two_rounds, write
from tests.reporting.results import make_item, make_result


@pytest.mark.slow
def test_a_reader_never_sees_a_part_of_a_file(tmp_path: Path) -> None:
    small, large = make_result(), make_result(*(make_item(row, question="가" * 500) for row in range(2, 600)))
    for name, result in (("small", small), ("large", large)):
        write(tmp_path / name, result, name="s", key=name)
    versions = [tree(tmp_path / name / "s") for name in ("small", "large")]
    torn: list[str] = []
    reads = [0]
    stop = threading.Event()

    def poll() -> None:
        while not stop.is_set():
            for name in ("report.md", "items.csv", "report.json", "status.json", "rounds/1-1/track-1.md"):
                try:
                    data = (tmp_path / "s" / name).read_bytes()
                except FileNotFoundError:
                    continue
                reads[0] += 1
                if data not in [version[name] for version in versions]:
                    torn.append(name)

    reader = threading.Thread(target=poll)
    reader.start()
    try:
        for turn in range(20):
            write(tmp_path, (small, large)[turn % 2], key=("small", "large")[turn % 2])
    finally:
        stop.set()
        reader.join()
    assert torn == []
    assert reads[0] > 100
    assert verify_set(tmp_path, "s")


def test_two_publishers_at_once_leave_one_whole_version(tmp_path: Path) -> None:
    outcomes: list[Outcome] = []
    failures: list[BaseException] = []

    def publish_many(key: str, result: SetResult) -> None:
        try:
            outcomes.extend(write(tmp_path, result, key=key).outcome for _ in range(10))
        except BaseException as error:  # noqa: BLE001 -- shown by the assertion below
            failures.append(error)

    threads = [
        threading.Thread(target=publish_many, args=(key, result))
        for key, result in (("k1", make_result()), ("k2", two_rounds()), ("k2", two_rounds()))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(outcomes) == 30
    assert verify_set(tmp_path, "s")
    assert leftovers(tmp_path) == []


def test_a_lock_that_is_held_is_waited_for_and_then_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "LOCK_TIMEOUT_SECONDS", 0.0)
    path = locks.lock_path(tmp_path, "s")
    with locks.exclusive(path, timeout_seconds=0), pytest.raises(TransientError, match="held by another process"):
        write(tmp_path)
    assert write(tmp_path).outcome is Outcome.WRITTEN


def test_other_sets_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "LOCK_TIMEOUT_SECONDS", 0.0)
    with locks.exclusive(locks.lock_path(tmp_path, "s"), timeout_seconds=0):
        assert write(tmp_path, name="t").outcome is Outcome.WRITTEN


def test_publishing_works_where_the_file_system_has_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("reporting.store.locks.fcntl.flock", flock)
    assert write(tmp_path).outcome is Outcome.WRITTEN


def test_strict_syncs_every_file_and_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("reporting.store.staged_files.os.fsync", synced.append)
    write(tmp_path / "a")
    assert synced == []
    published = write(tmp_path / "b", strict=True)
    assert len(synced) == 2 * len(published.files)
