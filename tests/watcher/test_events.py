"""Observers on a real folder: the hints of each action, natively and by polling."""

import errno
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.events import FileCreatedEvent, FileSystemEvent
from watchdog.observers.polling import PollingObserver

from watcher import events as observe
from watcher.events import Events, FolderObserver, Mode
from watcher.settle import Hint

pytestmark = pytest.mark.timeout(30)


class Watched:
    """A folder under observation. `until` collects hints until a path has the one expected."""

    def __init__(self, root: Path, mode: Mode) -> None:
        self.root = root
        self.wake = threading.Event()
        self.observer = FolderObserver(root, mode=mode, wake=self.wake)
        self.heard: dict[str, Hint] = {}

    def until(self, path: Path, *hints: Hint) -> None:
        deadline = time.monotonic() + 10
        while self.heard.get(str(path)) not in hints:
            assert time.monotonic() < deadline, f"{path.name}: {self.heard}"
            self.wake.wait(0.1)
            self.wake.clear()
            self.heard |= self.observer.drain()


@pytest.fixture(params=["native", "polling"])
def watched(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setattr(observe, "POLL_SECONDS", 0.1)
    root = tmp_path / "in"
    root.mkdir()
    folder = Watched(root, request.param)
    folder.observer.start()
    yield folder
    folder.observer.stop()


def complete(watched: Watched) -> tuple[Hint, ...]:
    """What tells that a writer is done, where that can be told at all."""
    return (Hint.SEEN, Hint.CLOSED) if watched.observer.is_polling else (Hint.CLOSED,)


def test_written_and_closed(watched: Watched) -> None:
    (watched.root / "a.csv").write_text("x")
    watched.until(watched.root / "a.csv", *complete(watched))


def test_still_open(watched: Watched) -> None:
    with (watched.root / "a.csv").open("w") as stream:
        stream.write("x")
        stream.flush()
        watched.until(
            watched.root / "a.csv", *(Hint.SEEN, Hint.MODIFIED) if watched.observer.is_polling else (Hint.MODIFIED,)
        )


def test_renamed_into_place(watched: Watched) -> None:
    (watched.root / "a.csv.tmp").write_text("x")
    (watched.root / "a.csv.tmp").rename(watched.root / "a.csv")
    watched.until(watched.root / "a.csv", *complete(watched))


def test_moved_in_from_outside(watched: Watched) -> None:
    (watched.root.parent / "a.csv").write_text("x")
    (watched.root.parent / "a.csv").rename(watched.root / "a.csv")
    watched.until(watched.root / "a.csv", Hint.SEEN)


def test_replaced_from_outside(watched: Watched) -> None:
    (watched.root / "a.csv").write_text("x")
    watched.until(watched.root / "a.csv", *complete(watched))
    watched.heard.clear()
    (watched.root.parent / "b.csv").write_text("xy")
    (watched.root.parent / "b.csv").rename(watched.root / "a.csv")
    watched.until(watched.root / "a.csv", Hint.SEEN)


def test_linked_in(watched: Watched) -> None:
    (watched.root.parent / "a.csv").write_text("x")
    os.link(watched.root.parent / "a.csv", watched.root / "hard.csv")
    (watched.root / "soft.csv").symlink_to(watched.root / "hard.csv")
    watched.until(watched.root / "hard.csv", Hint.SEEN)
    watched.until(watched.root / "soft.csv", Hint.SEEN)


def test_deleted(watched: Watched) -> None:
    (watched.root / "a.csv").write_text("x")
    watched.until(watched.root / "a.csv", *complete(watched))
    watched.heard.clear()
    (watched.root / "a.csv").unlink()
    watched.until(watched.root / "a.csv", Hint.SEEN)


def test_a_folder_moved_in_and_written_into(watched: Watched) -> None:
    (watched.root.parent / "방").mkdir()
    (watched.root.parent / "방/a.csv").write_text("x")
    (watched.root.parent / "방").rename(watched.root / "방")
    watched.until(watched.root / "방/a.csv", Hint.SEEN)
    (watched.root / "방/b.csv").write_text("x")
    watched.until(watched.root / "방/b.csv", Hint.SEEN, Hint.CLOSED)


def test_names_that_are_not_utf8(watched: Watched) -> None:
    path = watched.root / os.fsdecode(b"\xc8\xb8.csv")
    path.write_text("x")
    watched.until(path, *complete(watched))


def test_a_dead_observer_is_restarted(watched: Watched) -> None:
    assert watched.observer.check() is False
    inner = watched.observer._observer
    assert inner is not None
    inner.stop()
    inner.join()
    assert watched.observer.check() is True
    (watched.root / "a.csv").write_text("x")
    watched.until(watched.root / "a.csv", *complete(watched))
    assert watched.observer.restarts == 1


def test_an_exception_in_the_handler_does_not_end_the_thread(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: Events, _event: FileSystemEvent) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(Events, "_take", broken)
        Events(threading.Event()).dispatch(FileCreatedEvent("x"))  # does not raise
    (watched.root / "a.csv").write_text("x")
    watched.until(watched.root / "a.csv", *complete(watched))


def test_a_write_is_merely_seen_where_no_event_tells_of_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS: waiting for a close that is never told would cost every file `open_seconds`."""
    monkeypatch.setattr(observe, "Observer", lambda: PollingObserver(timeout=0.05))
    (tmp_path / "a.csv").write_text("x")
    folder = Watched(tmp_path, "native")
    folder.observer.start()
    try:
        (tmp_path / "a.csv").write_text("xy")
        folder.until(tmp_path / "a.csv", Hint.SEEN, Hint.MODIFIED)
        assert (folder.heard[str(tmp_path / "a.csv")], folder.observer.is_polling) == (Hint.SEEN, False)
    finally:
        folder.observer.stop()


def test_auto_polls_when_no_watch_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Exhausted:
        def __init__(self) -> None:
            raise OSError(24, "inotify instance limit reached")

    monkeypatch.setattr(observe, "Observer", Exhausted)
    observer = FolderObserver(tmp_path, mode="auto", wake=threading.Event())
    observer.start()
    try:
        assert (observer.is_polling, observer.reason) == (True, "native:inotify instance limit reached")
    finally:
        observer.stop()
    with pytest.raises(OSError, match="instance limit"):
        FolderObserver(tmp_path, mode="native", wake=threading.Event()).start()


def test_auto_polls_on_a_shared_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "shared_type", lambda _folder: "nfs4")
    observer = FolderObserver(tmp_path, mode="auto", wake=threading.Event())
    observer.start()
    try:
        assert (observer.is_polling, observer.reason) == (True, "mount:nfs4")
    finally:
        observer.stop()


def test_auto_polls_after_two_scans_that_found_what_no_event_told(tmp_path: Path) -> None:
    observer = FolderObserver(tmp_path, mode="auto", wake=threading.Event())
    observer.start()
    try:
        assert [observer.report_scan(missed=missed) for missed in (1, 0, 1)] == [False, False, False]
        assert not observer.is_polling
        assert observer.report_scan(missed=1) is True
        assert (observer.is_polling, observer.reason) == (True, "events-missing")
    finally:
        observer.stop()


def test_a_switch_that_fails_ends_nothing_and_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    observer = FolderObserver(tmp_path, mode="auto", wake=threading.Event())
    observer.start()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(FolderObserver, "_launch", refuse)
            assert [observer.report_scan(missed=1) for _ in range(2)] == [False, True]
            assert (observer.is_alive, observer.check()) == (False, False)
        assert observer.check() is True
        assert (observer.is_alive, observer.is_polling) == (True, True)
    finally:
        observer.stop()
