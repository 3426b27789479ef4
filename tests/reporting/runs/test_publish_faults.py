"""Publishing: nothing is lost when a write, a rename or the whole process fails on the way."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporting.runs.publish import Outcome
from reporting.store import ASKED_FOLDER, WORK_AREA, Staging, staging, stored_file, sweep_temporary, verify_set
from scoring import TransientError
from tests.reporting.publishing import CHARTS, leftovers, report_tree, tree, two_rounds, write


def count_calls(monkeypatch: pytest.MonkeyPatch, out: Path, owner: object, name: str) -> int:
    """How often publishing two rounds calls `owner.name`."""
    calls = 0
    real = getattr(owner, name)

    def count(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, count)
        write(out, two_rounds(), key="k2")
    return calls


def failing_at(real: Callable[..., Any], call: int, code: int) -> Callable[..., Any]:
    """`real`, whose call number `call` (from 0) does half of its work at most and then fails."""
    left = [call]

    def fail(*args: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            if isinstance(args[-1], bytes):
                real(*args[:-1], args[-1][: len(args[-1]) // 2])
            raise OSError(code, os.strerror(code), "victim")
        return real(*args)

    return fail


def test_every_write_that_fails_leaves_the_old_report_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(monkeypatch, tmp_path / "counted", stored_file, "write_all")
    calls -= 1  # the note of the first publication
    assert calls >= 9 + len(CHARTS)  # items.csv and queries.csv in two chunks each
    out = tmp_path / "out"
    write(out)
    before = tree(out)
    for call in range(calls):
        shutil.rmtree(out / WORK_AREA / ASKED_FOLDER, ignore_errors=True)  # an earlier try has kept it
        with monkeypatch.context() as patch:
            patch.setattr(stored_file, "write_all", failing_at(stored_file.write_all, call, errno.ENOSPC))
            with pytest.raises(TransientError, match=r"victim: No space left on device"):
                write(out, two_rounds(), key="k2")
        assert tree(out) == before
        assert leftovers(out) == []
    assert verify_set(out, "s")
    assert write(out, two_rounds(), key="k2").outcome is Outcome.WRITTEN


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "code", [errno.ENOSPC, pytest.param(errno.EACCES, marks=SLOW), pytest.param(errno.EROFS, marks=SLOW)]
)
def test_every_rename_that_fails_is_seen_and_healed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    calls = count_calls(monkeypatch, tmp_path / "counted", Staging, "place")
    assert calls == 8 + len(CHARTS)
    for call in range(calls):
        out = tmp_path / str(call)
        write(out)
        before = report_tree(out)
        with monkeypatch.context() as patch:
            patch.setattr(Staging, "place", failing_at(Staging.place, call, code))
            with pytest.raises(TransientError, match=r"victim"):
                write(out, two_rounds(), key="k2")
        assert leftovers(out) == []
        assert report_tree(out) == before if call == 0 else not verify_set(out, "s")
        assert write(out, two_rounds(), key="k2").outcome is Outcome.WRITTEN
        assert report_tree(out) == report_tree(tmp_path / "counted")


@pytest.mark.parametrize(
    "place", [".scorewatch", ".scorewatch/tmp", ".scorewatch/locks", "s", "s/rounds", "s/report.md"]
)
def test_a_place_that_is_taken_is_named(tmp_path: Path, place: str) -> None:
    taken = tmp_path / place
    if place.endswith(".md"):
        (taken / "folder").mkdir(parents=True)
    else:
        taken.parent.mkdir(parents=True, exist_ok=True)
        taken.write_text("a person's file")
    with pytest.raises(TransientError) as caught:
        write(tmp_path)
    assert str(taken) in str(caught.value)
    assert not verify_set(tmp_path, "s")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of folders do nothing there")
def test_a_read_only_output_is_transient_and_nothing_changes(tmp_path: Path) -> None:
    write(tmp_path)
    before = tree(tmp_path)
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.reporting.publishing import write\n"
        "from scoring.problems import TransientError\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try:\n    write(Path(sys.argv[1]), key='k2')\n"
        "except TransientError as error:\n    print(error)\n"
    )
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()] + [tmp_path]:
        folder.chmod(0o555)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and parent.is_relative_to("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o055)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True, cwd=Path.cwd()
        )
    finally:
        for folder in [tmp_path, *[path for path in tmp_path.rglob("*") if path.is_dir()]]:
            folder.chmod(0o755)
    assert "Permission denied" in ran.stdout
    assert str(tmp_path) in ran.stdout
    assert tree(tmp_path) == before


KILLED = """
import os, sys
from pathlib import Path
from reporting.store.staged_files import Staging
from tests.reporting.publishing import two_rounds, write
real, left = Staging.place, [int(sys.argv[2])]
def place(self, name, folder):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
    real(self, name, folder)
Staging.place = place
write(Path(sys.argv[1]), two_rounds(), key="k2")
"""


@SLOW
def test_a_kill_between_two_files_is_seen_and_healed(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    last = len(write(whole, two_rounds(), key="k2").files)
    for renamed in (0, 1, last - 2, last - 1):  # nothing, a file; then before the commit mark and before the status
        out = tmp_path / str(renamed)
        write(out)
        before = report_tree(out)
        ran = subprocess.run([sys.executable, "-c", KILLED, str(out), str(renamed)], check=False, cwd=Path.cwd())
        assert ran.returncode == -signal.SIGKILL
        assert report_tree(out) == before if renamed == 0 else not verify_set(out, "s")
        assert leftovers(out) != []
        assert write(out, two_rounds(), key="k2").outcome is Outcome.WRITTEN  # the dead holder's lock is open
        assert report_tree(out) == report_tree(whole)
        assert verify_set(out, "s")
        assert sweep_temporary(out) == 1
        assert leftovers(out) == []


def test_sweep_leaves_work_that_is_going_on(tmp_path: Path) -> None:
    with staging(tmp_path) as files:
        files.write("a", [b"x"])
        assert sweep_temporary(tmp_path) == 0
        files.place("a", tmp_path / "s")
    assert (tmp_path / "s/a").read_bytes() == b"x"


def test_sweep_takes_unlocked_folders_and_stray_files_when_they_are_old(tmp_path: Path) -> None:
    folder = tmp_path / ".scorewatch/tmp/old"
    folder.mkdir(parents=True)
    stray = folder.parent / "stray"
    stray.write_text("x")
    (folder.parent / "link").symlink_to(tmp_path)
    assert sweep_temporary(tmp_path) == 0
    for path in (folder, stray, folder.parent / "link"):
        os.utime(path, (1, 1), follow_symlinks=False)
    assert sweep_temporary(tmp_path) == 3
    assert tmp_path.is_dir()


def test_sweep_of_an_output_without_work_area(tmp_path: Path) -> None:
    assert sweep_temporary(tmp_path / "nothing") == 0
