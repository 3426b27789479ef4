"""Publishing: whole files, the mark last, nothing lost when something fails on the way."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporting import locks, set_lock
from reporting import staging as staging_module
from reporting.publish import Outcome, Published, publish_problem, publish_report, read_status, verify_set
from reporting.staging import Staging, staging, sweep_temporary
from scoring.problems import InputError, Problem, Severity, TransientError
from scoring.result import SetResult
from tests.reporting.results import SHA, make_item, make_part, make_result, make_rubric

CHARTS = ("metrics", "statuses", "scores-single", "scores-multi", "latency-single", "latency-multi")
PROBLEM = Problem(code="empty-file", severity=Severity.REFUSED, source="a.csv")


def write(out: Path, result: SetResult | None = None, *, key: str = "k1", name: str = "s", **more: Any) -> Published:
    return publish_report(result or make_result(), set_name=name, key=key, out=out, **more)


def write_problem(out: Path, *, key: str = "p1", name: str = "s", **more: Any) -> Published:
    return publish_problem(
        [PROBLEM], inputs=[("a.csv", SHA)], set_name=name, key=key, out=out, profile="p", rubric_digest="d", **more
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below the folder but the work area, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".scorewatch" not in path.parts
    }


def report_tree(folder: Path) -> dict[str, bytes]:
    """The same without what tells of earlier versions."""
    return {
        name: data
        for name, data in tree(folder).items()
        if "history/" not in name and "changes." not in Path(name).name
    }


def leftovers(out: Path) -> list[str]:
    return [path.name for path in (out / ".scorewatch").rglob("*") if path.name != ".gitignore" and path.is_file()]


def two_rounds() -> SetResult:
    return make_result(make_item(2), make_item(3, round="2/1", track=3))


# What is written


def test_report_is_complete_and_verified(tmp_path: Path) -> None:
    published = write(tmp_path, two_rounds())
    assert published.outcome is Outcome.WRITTEN
    assert set(tree(tmp_path / "s")) == {
        "report.md",
        "report.html",
        "report.json",
        "items.csv",
        "status.json",
        "changes.md",
        "changes.html",
        "rounds/1-1/track-1.md",
        "rounds/2-1/track-3.md",
        *(f"charts/{name}.svg" for name in CHARTS),
    }
    assert published.files[-2:] == ("report.json", "status.json")
    assert verify_set(tmp_path, "s")
    assert leftovers(tmp_path) == []
    assert (tmp_path / ".scorewatch/.gitignore").read_text() == "*\n"


def test_report_json_marks_every_sibling(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    files = json.loads((tmp_path / "s/report.json").read_bytes())["files"]
    assert set(files) == set(report_tree(tmp_path / "s")) - {"report.json", "status.json"}
    for name, mark in files.items():
        assert mark["size"] == len(tree(tmp_path / "s")[name])


def test_two_folders_get_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a", two_rounds())
    write(tmp_path / "b", two_rounds(), strict=True)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_same_key_is_nothing_to_do(tmp_path: Path) -> None:
    write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert write(tmp_path).outcome is Outcome.UNCHANGED
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert write(tmp_path, force=True).outcome is Outcome.WRITTEN


@pytest.mark.parametrize(
    "name", ["report.md", "report.html", "charts/metrics.svg", "rounds/1-1/track-1.md", "report.json", "status.json"]
)
@pytest.mark.parametrize("damage", ["missing", "longer", "same-size", "symlink"])
def test_damage_is_seen_and_healed(tmp_path: Path, name: str, damage: str) -> None:
    write(tmp_path)
    whole = tree(tmp_path / "s")
    path = tmp_path / "s" / name
    if damage == "missing":
        path.unlink()
    elif damage == "longer":
        path.write_bytes(whole[name] + b"{")
    elif damage == "same-size":
        path.write_bytes(bytes([whole[name][0] ^ 1]) + whole[name][1:])
    else:
        (tmp_path / "elsewhere").write_bytes(whole[name])
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
    if (name, damage) != ("status.json", "symlink"):
        assert not verify_set(tmp_path, "s")
        assert write(tmp_path).outcome is Outcome.WRITTEN
    assert tree(tmp_path / "s") == whole
    assert verify_set(tmp_path, "s")


def test_shallow_check_looks_at_sizes_only(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "s/report.md"
    path.write_bytes(b"x" * path.stat().st_size)
    assert verify_set(tmp_path, "s", deep=False)
    assert not verify_set(tmp_path, "s")


def test_problem_replaces_a_report_and_the_other_way_round(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    (tmp_path / "s/notes.md").write_text("mine")
    (tmp_path / "s/rounds/1-1/mine.md").write_text("mine")
    write(tmp_path, name="s/nested")
    nested = tree(tmp_path / "s/nested")
    assert write_problem(tmp_path).outcome is Outcome.WRITTEN
    mine = {"notes.md", "rounds/1-1/mine.md", *(f"nested/{name}" for name in nested)}
    assert set(report_tree(tmp_path / "s")) == {"problem.md", "problem.html", "status.json"} | (
        mine - {"nested/changes.md", "nested/changes.html"}
    )
    assert not (tmp_path / "s/charts").exists()
    assert not (tmp_path / "s/rounds/2-1").exists()
    assert verify_set(tmp_path, "s")
    assert write_problem(tmp_path).outcome is Outcome.UNCHANGED
    write(tmp_path)
    assert not {"problem.md", "problem.html"} & set(tree(tmp_path / "s"))
    assert tree(tmp_path / "s/nested") == nested
    assert verify_set(tmp_path, "s")


def test_stale_pages_are_removed(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    write(tmp_path, key="k2")
    assert [name for name in tree(tmp_path / "s") if name.startswith("rounds")] == ["rounds/1-1/track-1.md"]
    assert not (tmp_path / "s/rounds/2-1").exists()


def test_problem_md_stands_beside_the_report_when_one_of_several_files_was_refused(tmp_path: Path) -> None:
    from scoring.aggregate import merge

    rubric = make_rubric()
    refused = make_part(
        refused=True, problems=(Problem(code="empty-file", severity=Severity.REFUSED),), problem_count=1
    )
    result = merge([("a.csv", make_part(make_item())), ("b.csv", refused)], rubric)
    write(tmp_path, result)
    assert "b.csv" in (tmp_path / "s/problem.md").read_text(encoding="utf-8")
    assert "problem.md" in json.loads((tmp_path / "s/report.json").read_bytes())["files"]
    status = read_status(tmp_path, "s")
    assert status is not None
    assert (status.state, status.problems.count) == ("report", 1)


def test_a_newer_engines_report_stays(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "s/status.json"
    status = json.loads(path.read_bytes())
    path.write_text(json.dumps({**status, "engine_version": 99, "format_version": 9, "new": []}))
    before = tree(tmp_path)
    assert write(tmp_path, key="k2").outcome is Outcome.NEWER_ENGINE
    assert write_problem(tmp_path, force=True).outcome is Outcome.NEWER_ENGINE
    assert tree(tmp_path) == before


# status.json


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"format_version": 99}', b"null"])
def test_a_status_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    assert read_status(tmp_path, "s") is None
    write(tmp_path)
    (tmp_path / "s/status.json").write_bytes(content)
    assert read_status(tmp_path, "s") is None
    assert not verify_set(tmp_path, "s")


def test_status_says_what_an_index_needs(tmp_path: Path) -> None:
    write(tmp_path, two_rounds())
    status = read_status(tmp_path, "s")
    assert status is not None
    assert status.headline is not None
    assert (status.headline.n, status.headline.passed, status.headline.pass_rate) == (2, 2, 1.0)
    assert status.headline.metrics == {
        "intent": 5.0, "consistency": None, "accuracy": 5.0, "stability": 5.0, "latency": 5.0
    }  # fmt: skip
    assert status.inputs == {"resume_agent_a.csv": SHA}
    assert (status.set, status.key, status.state, status.judge) == ("s", "k1", "report", "none")


# Where it is written


@pytest.mark.parametrize(
    "name", ["..", "../x", "a/../../x", "/abs", "", "a//b", ".", ".scorewatch", "a/.b", "a\\b", "a\0b"]
)
def test_hostile_set_names_are_refused(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(InputError) as caught:
        write(out, name=name)
    assert caught.value.problems[0].code == "output-outside"
    assert not verify_set(out, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("link", ["s", "s/rounds"])
def test_a_link_that_leaves_the_output_is_refused(tmp_path: Path, link: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = out / link
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    with pytest.raises(InputError):
        write(out)
    assert list(elsewhere.iterdir()) == []


def test_a_link_on_the_way_to_a_set_may_lead_within_the_output_alone(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (out / "real").mkdir(parents=True)
    elsewhere.mkdir()
    (out / "away").symlink_to(elsewhere)
    (out / "near").symlink_to(out / "real")
    (out / "itself").symlink_to(out)
    for name in ("away/s", "itself", "near/../.."):
        with pytest.raises(InputError):
            write(out, name=name)
    write(out, name="near/s")
    assert verify_set(out, "real/s")
    assert list(elsewhere.iterdir()) == []


def test_a_linked_output_folder_and_a_linked_file_are_fine(tmp_path: Path) -> None:
    (tmp_path / "real/s").mkdir(parents=True)
    (tmp_path / "out").symlink_to(tmp_path / "real")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "real/s/report.md").symlink_to(tmp_path / "precious")
    write(tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "mine"
    assert verify_set(tmp_path / "out", "s")


@pytest.mark.parametrize("name", ["한글 이름/프로필", "a%20b#?", "x" * 255, "[링크](javascript:1)"])
def test_odd_names_are_fine(tmp_path: Path, name: str) -> None:
    write(tmp_path, name=name)
    assert verify_set(tmp_path, name)
    assert (tmp_path / name / "report.md").is_file()


# Faults


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
    calls = count_calls(monkeypatch, tmp_path / "counted", staging_module, "write_all")
    assert calls >= 7 + len(CHARTS)  # items.csv in two chunks
    out = tmp_path / "out"
    write(out)
    before = tree(out)
    for call in range(calls):
        with monkeypatch.context() as patch:
            patch.setattr(staging_module, "write_all", failing_at(staging_module.write_all, call, errno.ENOSPC))
            with pytest.raises(TransientError, match=r"victim: No space left on device"):
                write(out, two_rounds(), key="k2")
        assert tree(out) == before
        assert leftovers(out) == []
    assert verify_set(out, "s")
    assert write(out, two_rounds(), key="k2").outcome is Outcome.WRITTEN


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_every_rename_that_fails_is_seen_and_healed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    calls = count_calls(monkeypatch, tmp_path / "counted", Staging, "place")
    assert calls == 9 + len(CHARTS)
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
        "from tests.reporting.test_publish import write\n"
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
from reporting.staging import Staging
from tests.reporting.test_publish import two_rounds, write
real, left = Staging.place, [int(sys.argv[2])]
def place(self, name, folder):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
    real(self, name, folder)
Staging.place = place
write(Path(sys.argv[1]), two_rounds(), key="k2")
"""


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


# Together


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
    monkeypatch.setattr(set_lock, "LOCK_TIMEOUT_SECONDS", 0.0)
    path = set_lock.lock_path(tmp_path, "s")
    with locks.exclusive(path, timeout_seconds=0), pytest.raises(TransientError, match="held by another process"):
        write(tmp_path)
    assert write(tmp_path).outcome is Outcome.WRITTEN


def test_other_sets_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_lock, "LOCK_TIMEOUT_SECONDS", 0.0)
    with locks.exclusive(set_lock.lock_path(tmp_path, "s"), timeout_seconds=0):
        assert write(tmp_path, name="t").outcome is Outcome.WRITTEN


def test_publishing_works_where_the_file_system_has_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("reporting.locks.fcntl.flock", flock)
    assert write(tmp_path).outcome is Outcome.WRITTEN


def test_strict_syncs_every_file_and_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("reporting.staging.os.fsync", synced.append)
    write(tmp_path / "a")
    assert synced == []
    published = write(tmp_path / "b", strict=True)
    assert len(synced) == 2 * len(published.files)
