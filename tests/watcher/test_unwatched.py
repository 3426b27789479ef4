"""Folders without an inotify watch are known, and what changes in them is found by polling."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from watcher import unwatched
from watcher.health import Figures, HealthPolicy, judge
from watcher.unwatched import Unwatched

LIMITED = 'echo 4 > /proc/sys/user/max_inotify_watches && exec "$@"'
SHOW = """
import pathlib, sys, threading, time
from watcher.events import FolderObserver
from watcher.folder import InputFolder
root = pathlib.Path(sys.argv[1])
observer = FolderObserver(root, mode="auto", wake=threading.Event())
observer.start()
observer.report_folders(InputFolder(root, out=root / "out").scan().folders)
for folder in root.iterdir():
    folder.joinpath("resume_agent_a.csv").write_text("x")
found, until = set(), time.monotonic() + 60
while len(found) < 10 and time.monotonic() < until:
    found |= observer.drain().keys()
    time.sleep(0.05)
print()
print(observer.polled_folders, observer.reason, len(found))
observer.stop()
"""


@pytest.fixture
def polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Unwatched:
    """Of two folders, `a` has a watch and `b` has none."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    folders = {name: (tmp_path / name).stat().st_ino for name in ("a", "b")}
    monkeypatch.setattr(unwatched, "watched_inodes", lambda: {folders["a"]})
    monkeypatch.setattr(unwatched, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(unwatched, "POLL_REST", 0.0)
    found = Unwatched(tmp_path)
    found.find(folders)
    return found


def test_only_what_has_no_watch_is_polled(polled: Unwatched, tmp_path: Path) -> None:
    assert len(polled) == 1
    (tmp_path / "a/x.csv").write_text("x")
    assert list(polled.changed()) == []
    (tmp_path / "b/x.csv").write_text("x")
    assert list(polled.changed()) == [str(tmp_path / "b/x.csv")]
    assert list(polled.changed()) == []
    (tmp_path / "b/x.csv").unlink()
    assert list(polled.changed()) == [str(tmp_path / "b/x.csv")]


def test_a_folder_made_in_one_is_polled_as_well(polled: Unwatched, tmp_path: Path) -> None:
    (tmp_path / "b/c").mkdir()
    (tmp_path / "b/c/x.csv").write_text("x")
    list(polled.changed())
    assert str(tmp_path / "b/c/x.csv") in list(polled.changed())


def test_health_says_so() -> None:
    policy = HealthPolicy(rescan_seconds=30.0, stalled_seconds=60.0)
    health = judge(Figures(at=0.0, scanned_at=0.0, moved_at=0.0, polled_folders=3), policy, 0.0, has_broker=True)
    assert health.is_ok
    assert health.degraded == ("observer: 3 folders are polled, inotify watches ran out",)


def test_a_system_that_gives_few_watches_loses_no_event(tmp_path: Path) -> None:
    """In a user namespace of its own, whose limit is four watches."""
    unshare = shutil.which("unshare")
    space = [unshare or "unshare", "--user", "--map-root-user", "sh", "-c", LIMITED, "sh"]
    if unshare is None or subprocess.run([*space, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespace with a limit of its own can be made here")
    for number in range(10):
        (tmp_path / f"d{number}").mkdir()
    ran = subprocess.run(
        [*space, sys.executable, "-c", SHOW, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.stdout.splitlines()[-1:] == ["7 watches:7 10"], ran.stdout + ran.stderr
