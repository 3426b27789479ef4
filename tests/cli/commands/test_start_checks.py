"""What cannot work is found at the start: one sentence that names the remedy, and exit code 2."""

import multiprocessing.synchronize
from pathlib import Path

import pytest

from cli.service import saved_snapshot
from tests.cli.place import Place

BROKER = "redis://127.0.0.1:1/0"


def full(*names: str) -> object:
    return lambda folder: folder.name in names


@pytest.mark.parametrize("command", ["up", "watch"])
def test_a_full_state_disk_stops_the_start(place: Place, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", BROKER)
    monkeypatch.setattr("cli.service.is_disk_full", full("state"))
    ran = place.run(command, "--watch", "in", "--out", "out", "--state", "state", "--language", "en")
    assert ran.code == 2
    assert "The disk of the state folder is full: " in ran.err
    assert ran.err.endswith("Free space there, or give another folder with SCOREWATCH_STATE.\n")
    assert not (place.root / "state").exists()


def test_shared_memory_that_cannot_be_used_stops_the_start(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("SCOREWATCH_BROKER_URL", BROKER)
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    monkeypatch.setattr(multiprocessing.synchronize, "Lock", closed)
    ran = place.run("worker", "--watch", "in", "--out", "out", "--state", "state")
    assert ran.code == 2
    assert ran.err == (
        "Workers cannot be started because shared memory cannot be used: Permission denied. Mount /dev/shm as a tmpfs "
        "that everybody can write to (docker run --tmpfs /dev/shm).\n"
    )


def test_free_bytes_of_a_folder_that_is_not_there_yet_are_those_above(tmp_path: Path) -> None:
    assert not saved_snapshot.is_disk_full(tmp_path / "a/b")
