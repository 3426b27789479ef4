"""Every way in which files come into a folder, with native events, by polling, and with no event at all."""

import os
import shutil
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.harness import IS_LONG, Up, drop, wait_for
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

PAUSE_SECONDS = 3.0 if IS_LONG else 1.0  # of a writer: what is tested is that time alone tells of nothing
PATIENT_SECONDS = str(2 * PAUSE_SECONDS)  # the settings' 10 s and 5 s stand to a pause of 3 s as this does
MODES = ("native", "polling", "blind")

# The observer's threads live and nothing that they hear of gets through: only scans see files.
BLIND = """
import sys
from watchdog.observers.api import BaseObserver
BaseObserver.dispatch_events = lambda self, events: events.get()
from tests.faults.quick import main, shorten
shorten()
sys.exit(main())
"""


class Places(NamedTuple):
    """watch: the watched folder. aside: a folder beside it, on the same file system."""

    watch: Path
    aside: Path


class BlindUp(Up):
    """A service that no event reaches."""

    def command(self) -> list[str]:
        return [sys.executable, "-c", BLIND, *super().command()[3:]]


def copied(at: Places) -> list[str]:
    drop(at.aside, "resume_agent_copied.csv", seed=1)
    shutil.copyfile(at.aside / "resume_agent_copied.csv", at.watch / "resume_agent_copied.csv")
    return ["resume_agent_copied"]


def renamed_into_place(at: Places) -> list[str]:
    drop(at.aside, "resume_agent_renamed.csv", seed=2)
    (at.aside / "resume_agent_renamed.csv").rename(at.watch / "resume_agent_renamed.csv")
    return ["resume_agent_renamed"]


def synced_by_rsync(at: Places) -> list[str]:
    """A hidden temporary name with six random letters, written in pieces, then renamed; and again with a change."""
    for seed in (3, 4):
        drop(at.aside, "resume_agent_synced.csv", seed=seed)
        data = (at.aside / "resume_agent_synced.csv").read_bytes()
        temporary = at.watch / ".resume_agent_synced.csv.x8Kq2Z"
        with temporary.open("wb", buffering=0) as stream:
            stream.write(data[: len(data) // 2])
            stream.write(data[len(data) // 2 :])
        temporary.rename(at.watch / "resume_agent_synced.csv")
    return ["resume_agent_synced"]


def downloaded_by_browser(at: Places) -> list[str]:
    for number, suffix in enumerate((".crdownload", ".part", ".filepart", ".tmp")):
        name = f"resume_agent_downloaded_{number}.csv"
        drop(at.aside, name, seed=5 + number)
        shutil.copyfile(at.aside / name, at.watch / f"{name}{suffix}")
        (at.watch / f"{name}{suffix}").rename(at.watch / name)
    return [f"resume_agent_downloaded_{number}" for number in range(4)]


def unzipped_into_new_folder(at: Places) -> list[str]:
    drop(at.aside, *(f"zip/방 1/resume_agent_{number}.csv" for number in range(3)), seed=10)
    with zipfile.ZipFile(at.aside / "rooms.zip", "w") as archive:
        for path in sorted((at.aside / "zip").rglob("*.csv")):
            archive.write(path, path.relative_to(at.aside / "zip"))
    with zipfile.ZipFile(at.aside / "rooms.zip") as archive:
        archive.extractall(at.watch / "풀린 것")
    return ["풀린 것/방 1/resume-agent"]


def folder_moved_in(at: Places) -> list[str]:
    drop(at.aside, "moved/resume_agent_1.csv", "moved/resume_agent_2.csv", seed=15)
    (at.aside / "moved").rename(at.watch / "moved")
    return ["moved/resume-agent"]


def folder_renamed_at_once(at: Places) -> list[str]:
    drop(at.watch, "draft/resume_agent_1.csv", "draft/resume_agent_2.csv", seed=17)
    (at.watch / "draft").rename(at.watch / "final")
    return ["final/resume-agent"]


def hard_linked(at: Places) -> list[str]:
    drop(at.aside, "resume_agent_linked.csv", seed=19)
    for name in ("resume_agent_linked.csv", "resume_agent_linked_twice.csv"):
        os.link(at.aside / "resume_agent_linked.csv", at.watch / name)
    return ["resume_agent_linked", "resume_agent_linked_twice"]


def symbolic_links(at: Places) -> list[str]:
    """Out of the folder: a problem for a file, nothing for a folder. Within it: one more name."""
    drop(at.aside, "resume_agent_outside.csv", "outside/resume_agent_1.csv", seed=20)
    drop(at.watch, "resume_agent_target.csv", seed=22)
    (at.watch / "resume_agent_outside.csv").symlink_to(at.aside / "resume_agent_outside.csv")
    (at.watch / "outside").symlink_to(at.aside / "outside", target_is_directory=True)
    (at.watch / "resume_agent_inside.csv").symlink_to("resume_agent_target.csv")
    return ["resume_agent_outside", "resume_agent_target", "resume_agent_inside"]


def replaced_at_once(at: Places) -> list[str]:
    """By a rename over it, and in place by as many bytes as before."""
    drop(at.watch, "resume_agent_replaced.csv", "resume_agent_rewritten.csv", seed=23)
    drop(at.aside, "resume_agent_replaced.csv", seed=25)
    (at.aside / "resume_agent_replaced.csv").replace(at.watch / "resume_agent_replaced.csv")
    data = (at.watch / "resume_agent_rewritten.csv").read_bytes()
    (at.watch / "resume_agent_rewritten.csv").write_bytes(data.replace(b"PASS", b"FAIL"))
    return ["resume_agent_replaced", "resume_agent_rewritten"]


def gone_at_once(at: Places) -> list[str]:
    """Another file of its folder stays, so that there is something to be right about."""
    drop(at.watch, "gone/resume_agent_stays.csv", "gone/resume_agent_goes.csv", seed=26)
    (at.watch / "gone/resume_agent_goes.csv").unlink()
    return ["gone/resume-agent"]


def named_in_cp949(at: Places) -> list[str]:
    """As old zip programs leave them: no UTF-8."""
    drop(at.aside, "resume_agent_name.csv", seed=28)
    target = os.fsencode(at.watch) + b"/" + "resume_agent_결과.csv".encode("cp949")
    shutil.copyfile(at.aside / "resume_agent_name.csv", target)
    return ["resume_agent_결과"]


def written_with_a_pause(at: Places) -> list[str]:
    """The writer holds the file open; nothing tells a poller, but the pause is shorter than it waits."""
    drop(at.aside, "resume_agent_paused.csv", seed=29)
    data = (at.aside / "resume_agent_paused.csv").read_bytes()
    with (at.watch / "resume_agent_paused.csv").open("wb", buffering=0) as stream:
        stream.write(data[: len(data) // 2])
        time.sleep(PAUSE_SECONDS)  # the fault itself
        stream.write(data[len(data) // 2 :])
    return ["resume_agent_paused"]


def appended_after_a_pause(at: Places) -> list[str]:
    """Closed in between: its first half is taken for a whole file, and the report follows the second."""
    drop(at.aside, "resume_agent_appended.csv", seed=30)
    data = (at.aside / "resume_agent_appended.csv").read_bytes()
    (at.watch / "resume_agent_appended.csv").write_bytes(data[: len(data) // 2])
    time.sleep(PAUSE_SECONDS)  # the fault itself
    with (at.watch / "resume_agent_appended.csv").open("ab") as stream:
        stream.write(data[len(data) // 2 :])
    return ["resume_agent_appended"]


def filled_later(at: Places) -> list[str]:
    """Made empty and closed, as WebDAV clients do."""
    drop(at.aside, "resume_agent_filled.csv", seed=31)
    (at.watch / "resume_agent_filled.csv").touch()
    time.sleep(PAUSE_SECONDS)  # the fault itself
    shutil.copyfile(at.aside / "resume_agent_filled.csv", at.watch / "resume_agent_filled.csv")
    return ["resume_agent_filled"]


SLOW: tuple[Callable[[Places], list[str]], ...] = (written_with_a_pause, appended_after_a_pause, filled_later)
DROPS: tuple[Callable[[Places], list[str]], ...] = (
    *SLOW,
    copied,
    renamed_into_place,
    synced_by_rsync,
    downloaded_by_browser,
    unzipped_into_new_folder,
    folder_moved_in,
    folder_renamed_at_once,
    hard_linked,
    symbolic_links,
    replaced_at_once,
    gone_at_once,
    named_in_cp949,
)


class Dropped(NamedTuple):
    """A service after all drops. names: sets by the name of the drop that made them."""

    mode: str
    up: Up
    watching: Undisturbed
    names: dict[str, list[str]]


@pytest.fixture(scope="module", params=MODES)
def dropped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dropped]:
    """All drops at once, into one service for each way of observing."""
    mode: str = request.param
    home = tmp_path_factory.mktemp(mode)
    kind = BlindUp if mode == "blind" else Up
    settings = {"OPEN_SETTLE_SECONDS": PATIENT_SECONDS, "POLLING_SETTLE_SECONDS": PATIENT_SECONDS}
    up = kind(home, OBSERVER="auto" if mode == "blind" else mode, EMPTY_FILE_SECONDS="60", **settings)
    with up:
        at = Places(up.watch, home / "aside")
        at.aside.mkdir()
        up.pool_pids()
        with Undisturbed(up, home) as watching:
            names: dict[str, list[str]] = {}
            slow = [threading.Thread(target=lambda do=do: names.update({do.__name__: do(at)})) for do in SLOW]
            for thread in slow:
                thread.start()
            for do in DROPS[len(SLOW) :]:
                names[do.__name__] = do(at)
            for thread in slow:
                thread.join()
            watching.expect()
            yield Dropped(mode, up, watching, names)
        assert up.stop() == 0
        assert up.children() == []


@pytest.mark.parametrize("kind", [do.__name__ for do in DROPS])
def test_dropped_files_are_reported(dropped: Dropped, kind: str) -> None:
    dropped.watching.wait(*dropped.names[kind])
    if kind == written_with_a_pause.__name__ and dropped.mode != "blind":
        reader, path = dropped.watching.reader, "resume_agent_paused/report.json"
        wait_for(lambda: reader.versions(path) > 0, "the reader to see the report")
        assert reader.versions(path) == 1, "half of it was reported"


def test_moved_folder_is_reported_under_its_new_name(dropped: Dropped) -> None:
    dropped.watching.wait("moved/resume-agent")
    (dropped.up.watch / "moved").rename(dropped.up.watch / "moved again")
    dropped.watching.left.add("moved/resume-agent")
    dropped.watching.expect()
    dropped.watching.wait("moved again/resume-agent")


def test_missing_events_make_it_poll(dropped: Dropped) -> None:
    """Once two scans in a row find files that no event announced: so files keep coming."""
    names: list[str] = []

    def switched() -> list[str]:
        return [event["reason"] for event in dropped.up.events() if event["event"] == "observer switched to polling"]

    def is_switched_or_gets_a_file() -> bool:
        if not switched() and (not names or dropped.up.status(names[-1]) is not None):  # a scan found the last one
            names.append(f"resume_agent_unheard_{len(names)}")
            drop(dropped.up.watch, f"{names[-1]}.csv", rows=3, seed=40)
        return bool(switched())

    if dropped.mode == "blind":
        wait_for(is_switched_or_gets_a_file, "it to poll")
    assert switched() == (["events-missing"] if dropped.mode == "blind" else [])
