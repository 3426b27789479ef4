"""The outbox on disk: a damaged one is made anew, and one that cannot be used just now is left alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import watcher.outbox as module
from watcher.outbox import NotificationState, Outbox


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    return tmp_path / "webhook.sqlite3"


@pytest.fixture
def known(path: Path) -> Iterator[str]:
    """The id of an outbox in which one letter waits."""
    with closing(Outbox(path, now=5.0)) as outbox:
        outbox.note("a", "k", None, NotificationState.WAITING, now=6.0)
        yield outbox.id


def test_locked_outbox_is_left_as_it_is(path: Path, known: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            Outbox(path, now=9.0)
    with closing(Outbox(path, now=9.0)) as again:
        assert (again.id, again.since, again.waiting()) == (known, 5.0, 1)


def test_outbox_that_cannot_be_opened_is_left_as_it_is(path: Path, known: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", failing)
        with pytest.raises(sqlite3.OperationalError, match="I/O"):
            Outbox(path, now=9.0)
    with closing(Outbox(path, now=9.0)) as again:
        assert (again.id, again.waiting()) == (known, 1)


@pytest.mark.parametrize("damage", ["no-database", "page", "cut"])
def test_damaged_outbox_is_made_anew(path: Path, damage: str) -> None:
    with closing(Outbox(path, now=5.0)) as outbox:
        for number in range(12):
            outbox.note(f"{number} {'x' * 1500}", "k", None, NotificationState.WAITING, now=6.0)
        before = outbox.id
    data = path.read_bytes()
    if damage == "no-database":
        path.write_bytes(b"no database" * 100)
    elif damage == "page":  # the schema reads well, what it leads to does not
        path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
    else:
        path.write_bytes(data[: len(data) // 2])
    with closing(Outbox(path, now=9.0)) as again:
        assert again.id != before
        assert (again.since, again.waiting()) == (9.0, 0)
