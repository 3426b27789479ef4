"""An error at each system call of publishing, hashing and scoring: nothing is lost, and the next try does the work.

The table is CALLS x ERRORS. A call is injected at the first and the last time that a line of the product makes it.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from reporting.runs import Outcome
from reporting.store import append_verdicts, kept_versions, sweep_temporary, verify_set
from scoring import TransientError
from scoring.judging import Verdict
from tests.inner import VERDICTS, Hint
from tests.paths import ROOT
from tests.reporting.publishing import tree, two_rounds, write
from tests.watcher.world import World
from tests.workers.desk import NAME, Desk
from workers.jobs import GiveUpError

pytestmark = pytest.mark.slow

ERRORS = ("ENOSPC", "EIO", "ESTALE", "EMFILE", "EACCES")
CALLS = (
    "open", "read", "write", "fsync", "fstat", "stat", "lstat", "mkdir",
    "rename", "replace", "link", "unlink", "rmdir", "scandir", "listdir",
)  # fmt: skip
PRODUCT = tuple(f"{ROOT}/{name}/" for name in ("reporting", "scoring", "watcher", "workers"))


DONE, NAMED = "done all the same", "named, done at the second try"


def say(work: str, call: str, error: str, outcomes: Counter[str]) -> None:
    """One line of the table, which `pytest -s` shows."""
    sys.stdout.write(f"{work:10} {call:8} {error:7} {dict(outcomes) or 'not called'}\n")


def fault_of(work: Callable[[], object], kind: type[TransientError]) -> str:
    """What the fault said that ended the work, "" when it was done."""
    try:
        work()
    except kind as fault:
        return str(fault)
    return ""


class Site(NamedTuple):
    """Where the product makes a call. turn: counted from 0 at this place."""

    file: str
    line: int
    turn: int


REAL_OPEN = open


class Calls:
    """Watches one call, and lets it fail at one site.

    seen: how often each (file, line) made it. injected: did it fail?
    """

    def __init__(self, call: str, site: Site | None = None, error: str = "EIO") -> None:
        self._call = call
        self._site = site
        self._code = getattr(errno, error)
        self.seen: Counter[tuple[str, int]] = Counter()
        self.injected = False

    def check(self) -> None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and not frame.f_code.co_filename.startswith(PRODUCT):
            frame = frame.f_back
        if frame is None:
            return
        place = frame.f_code.co_filename, frame.f_lineno
        turn = self.seen[place]
        self.seen[place] += 1
        if self._site == (*place, turn):
            self.injected = True
            raise OSError(self._code, os.strerror(self._code), "victim")

    def wrap(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any, **kwargs: Any) -> Any:
            self.check()
            return real(*args, **kwargs)

        return checked

    def _opened(self, *args: Any, opener: Callable[..., int] | None = None, **kwargs: Any) -> Any:
        """A file whose descriptor is had already, as inputs are opened, with reads that are watched; others as ever."""
        return REAL_OPEN(*args, **kwargs) if opener is None else _Read(io.FileIO(opener(*args)), self)

    @contextmanager
    def watching(self) -> Iterator[Calls]:
        with pytest.MonkeyPatch.context() as patch:
            if self._call == "read":
                patch.setattr(builtins, "open", self._opened)
                patch.setattr(os, "read", self.wrap(os.read))
            else:
                patch.setattr(os, self._call, self.wrap(getattr(os, self._call)))
            if self._call == "open":
                patch.setattr(io, "open", self.wrap(io.open))
                patch.setattr(builtins, "open", self.wrap(builtins.open))
            yield self

    def sites(self) -> list[Site]:
        """The first and the last turn of each place."""
        return sorted({Site(*place, turn) for place, times in self.seen.items() for turn in (0, times - 1)})


class _Read(io.BufferedReader):
    """A file whose reading is watched."""

    def __init__(self, raw: io.FileIO, calls: Calls) -> None:
        super().__init__(raw)
        self._calls = calls

    def read(self, size: int | None = -1, /) -> bytes:
        self._calls.check()
        return super().read(size)

    def readinto(self, buffer: Any, /) -> int:
        self._calls.check()
        return super().readinto(buffer)

    def readline(self, size: int | None = -1, /) -> bytes:
        self._calls.check()
        return super().readline(size)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with a version, the one before and a verdict, and the same after one more publication."""
    home = tmp_path_factory.mktemp("calls")
    write(home / "before", key="k0")
    write(home / "before", key="k1")
    append_verdicts(home / "before", "s", [Verdict(hash="h" * 64, level="A")])
    shutil.copytree(home / "before", home / "after")
    write(home / "after", two_rounds(), key="k2", strict=True)
    return home


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_publishing(home: Path, tmp_path: Path, call: str, error: str) -> None:
    def publish(out: Path) -> Outcome:
        return write(out, two_rounds(), key="k2", strict=True).outcome

    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(home / "before", undisturbed)
    with Calls(call).watching() as watched:
        publish(undisturbed)
    paid = (home / "before" / "s" / VERDICTS).read_bytes()
    outcomes: Counter[str] = Counter()
    for number, site in enumerate(watched.sites()):
        out = tmp_path / str(number)
        shutil.copytree(home / "before", out)
        with Calls(call, site, error).watching() as broken:
            said = fault_of(partial(publish, out), TransientError)
        assert said == "" or os.strerror(getattr(errno, error)) in said, site
        assert "k0" in {version.status.key for version in kept_versions(out / "s")}, site
        outcomes[NAMED if said else DONE] += 1
        assert broken.injected, site
        assert (out / "s" / VERDICTS).read_bytes() == paid, site
        assert publish(out) in {Outcome.WRITTEN, Outcome.UNCHANGED}, site
        assert verify_set(out, "s"), site
        assert tree(out) == tree(home / "after"), site
        sweep_temporary(out)
        shutil.rmtree(out)
    say("publishing", call, error, outcomes)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["open", "read", "fstat", "stat", "lstat", "scandir"])
def test_watching(tmp_path: Path, call: str, error: str) -> None:
    def drop(home: Path) -> World:
        world = World(home)
        world.write("resume_agent_a.csv", "first", Hint.CLOSED)
        return world

    drop(tmp_path / "warm").run(6.0)  # rubric documents and the like are read once
    undisturbed = drop(tmp_path / "undisturbed")
    with Calls(call).watching() as watched:
        undisturbed.run(6.0)
    assert watched.seen
    outcomes: Counter[str] = Counter()
    for number, site in enumerate(watched.sites()):
        world = drop(tmp_path / str(number))
        said: set[str] = set()
        with Calls(call, site, error).watching() as broken:
            for _ in range(60):
                world.run(0.1)
                snapshot = world.watcher.snapshot()
                said |= {*snapshot.unread.values(), snapshot.degraded, snapshot.unwritable}
        if not broken.injected:  # a later turn of a loop that ended earlier
            assert site.turn, site
            continue
        is_named = any(os.strerror(getattr(errno, error)) in reason for reason in said)
        world.run(40.0)
        world.queue.work()
        world.run(3.0)
        assert world.watcher.unread() == {}, site
        assert world.watcher.settled.keys() == {"resume_agent_a"}, site
        assert world.watcher.is_drained(), site
        outcomes[NAMED if is_named else DONE] += 1
    say("watching", call, error, outcomes)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_working(tmp_path: Path, call: str, error: str) -> None:
    Desk(_folder(tmp_path, "warm")).assemble()  # templates and the like are read once
    first = Desk(_folder(tmp_path, "undisturbed"))
    with Calls(call).watching() as watched:
        first.assemble()
    outcomes: Counter[str] = Counter()
    for number, site in enumerate(watched.sites()):
        desk = Desk(_folder(tmp_path, str(number)))
        with Calls(call, site, error).watching() as broken:
            said = fault_of(desk.assemble, GiveUpError)
        assert said.partition(":")[0] in {"", "unreadable", "storage", "no-rubric"}, site
        outcomes[NAMED if said else DONE] += 1
        assert broken.injected, site
        desk.place.area.write_rubric(first.rubric)
        desk.assemble()
        assert tree(desk.place.out) == tree(first.place.out), site
        assert verify_set(desk.place.out, NAME), site
    say("working", call, error, outcomes)


def _folder(home: Path, name: str) -> Path:
    folder = home / name
    folder.mkdir()
    return folder
