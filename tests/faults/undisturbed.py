"""What every fault test ends with: nothing lost, nothing twice, the bytes of an undisturbed run, no part of a file."""

import hashlib
import itertools
import json
import os
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.faults.harness import NO_REPORT, Up, report_files, score_directly, wait_for

STATUS = "status.json"
MARKED_BY = (STATUS, "report.json")  # files that tell the sizes and hashes of others in their folder
SWEEP_SECONDS = 0.02
SETTLE_SECONDS = 180.0  # on a machine busy with other things
DIFFERING_SECONDS = 30.0  # status.json is the last file of a report
PASSED_OVER = {*NO_REPORT} - {"index.md", "index.html"}
_numbers = itertools.count()


class Version(NamedTuple):
    """One content of one file below the output folder."""

    path: str
    sha256: str


class Reader(threading.Thread):
    """Reads every file of every report, again and again, as people and other programs would.

    A content is whole when a commit mark that was read names its hash: `status.json` names `report.json` or
    `problem.md`, and `report.json` names all others. A `status.json` is whole when it decodes.
    """

    def __init__(self, out: Path) -> None:
        super().__init__(name="reader", daemon=True)
        self._out = out
        self._stop_asked = threading.Event()
        self._marks: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()
        self.seen: set[Version] = set()
        self.attested: set[Version] = set()
        self.undecodable: list[str] = []
        self.failed: BaseException | None = None

    def run(self) -> None:
        """Sweep until told to stop."""
        try:
            rest = SWEEP_SECONDS
            while not self._stop_asked.wait(rest):
                began = time.monotonic()
                self.sweep()
                rest = max(SWEEP_SECONDS, 3 * (time.monotonic() - began))  # leaves the cores to the service
        except BaseException as error:  # noqa: BLE001 -- told to the test, which has its own thread
            self.failed = error

    def end(self) -> None:
        """Stop after one more sweep."""
        self._stop_asked.set()
        self.join()
        if self.failed is not None:
            raise AssertionError("the reader failed") from self.failed
        self.sweep()

    def sweep(self) -> None:
        """Read whatever is another file than at the last sweep."""
        with self._lock:
            for path in _walk(self._out):
                with suppress(FileNotFoundError, NotADirectoryError):
                    self._read(path)

    def partial(self, known: Iterable[Version]) -> list[str]:
        """Paths of contents that were seen and are no version of their file. known: versions that are whole."""
        whole = self.attested | set(known)
        seen = {version for version in self.seen if not version.path.endswith(f"/{STATUS}")}
        return sorted({*self.undecodable, *(version.path for version in seen - whole)})

    def versions(self, path: str) -> int:
        """How many contents of this file were seen."""
        return sum(version.path == path for version in self.seen)

    def _read(self, path: str) -> None:
        found = os.stat(f"{self._out}/{path}")  # noqa: PTH116 -- thousands of them, all the time
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._marks.get(path) == mark:
            return
        data = (self._out / path).read_bytes()
        self._marks[path] = mark
        if "/" not in path:  # an index: written by the watcher alone, told by no mark
            if not data.endswith(b"\n"):
                self.undecodable.append(path)
            return
        self.seen.add(Version(path, hashlib.sha256(data).hexdigest()))
        folder, _, name = path.rpartition("/")
        if name in MARKED_BY:
            try:
                files: dict[str, dict[str, Any]] = json.loads(data)["files"]
            except ValueError:
                self.undecodable.append(path)
                return
            self.attested |= {Version(f"{folder}/{name}", mark["sha256"]) for name, mark in files.items()}


class Undisturbed:
    """Around everything that a test does to a service: drops, and what goes wrong meanwhile.

    At the end every file that was dropped (or changed) inside the block is settled in exactly one report or problem,
    byte for byte as `scorewatch score --out` writes it, and no reader ever saw part of a file.

    home: a folder for the undisturbed run. judged: sets whose outcome the test judges itself (they still have to
    settle). left: sets whose inputs moved away and whose reports stay. whole: everything in the folder counts as
    dropped, also what lay there before.
    """

    def __init__(
        self,
        up: Up,
        home: Path,
        *,
        judged: Iterable[str] = (),
        left: Iterable[str] = (),
        whole: bool = False,
        seconds: float = SETTLE_SECONDS,
    ) -> None:
        self._up = up
        self._home = home / f"undisturbed-{next(_numbers)}"
        self._seconds = seconds
        self._whole = whole
        self._before: dict[str, tuple[int, int]] = {}
        self._sets_before: set[str] = set()
        self._scored: dict[str, tuple[int, int]] = {}
        self._known: set[Version] = set()
        self._expected: dict[str, dict[str, bytes]] = {}
        self.judged = set(judged)
        self.left = set(left)
        self.reader = Reader(up.out)

    def __enter__(self) -> Self:
        if not self._whole:
            self._before = _inputs(self._up.watch)
            self._sets_before = set(_sets(self._up.out))
        self.reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._check()
        finally:
            if self.reader.is_alive():
                self.reader.end()
            shutil.rmtree(self._home, ignore_errors=True)

    def expect(self) -> None:
        """Score what lies there now without the service, for `wait`; earlier contents stay known as whole ones."""
        now = _inputs(self._up.watch)
        if now == self._scored:
            return
        home = self._home / str(next(_numbers))
        for path in _changed(self._before, now):
            target = home / "in" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self._up.watch / path, target, follow_symlinks=False)
        assert (home / "in").is_dir(), "nothing was dropped"
        expected = report_files(score_directly(home, home / "in"))
        self._known |= {Version(path, hashlib.sha256(data).hexdigest()) for path, data in expected.items()}
        self._expected = defaultdict(dict)
        names = {path.removesuffix(f"/{STATUS}") for path in expected if path.endswith(f"/{STATUS}")}
        for path, data in expected.items():
            (owner,) = [name for name in names if path.startswith(f"{name}/")]
            self._expected[owner][path] = data
        assert self._expected, "nothing to report"
        self._scored = now

    def wait(self, *names: str) -> None:
        """Wait until these sets (all, when none is named) have the reports of the undisturbed run."""
        unknown = set(names) - self._expected.keys()
        assert not unknown, f"the undisturbed run has no {sorted(unknown)}"
        late = set(names or self._expected)

        def are_settled() -> bool:
            late.difference_update([name for name in late if self._has_status(name)])
            return not late

        try:
            wait_for(are_settled, "sets to settle", self._seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(late)}") from None
        other: set[str] = set()

        def are_the_same() -> bool:
            wanted = set(names or self._expected) - self.judged
            other.clear()
            other.update(*map(self._differing, wanted))
            return not other

        try:
            wait_for(are_the_same, "the files of the undisturbed run", DIFFERING_SECONDS)
        except AssertionError as error:
            raise AssertionError(f"{error}: {sorted(other)}") from None

    def _check(self) -> None:
        self.expect()
        self.wait()
        self.reader.end()
        assert set(_sets(self._up.out)) - self._sets_before - self.left == self._expected.keys() - self._sets_before
        partial = self.reader.partial(self._known)
        assert partial == [], partial

    def _has_status(self, name: str) -> bool:
        path = f"{name}/{STATUS}"
        expected = self._expected[name][path]
        with suppress(OSError):
            found = (self._up.out / path).read_bytes()
            if name in self.judged:
                return bool(json.loads(found)["inputs"] == json.loads(expected)["inputs"])
            return found == expected
        return False

    def _differing(self, name: str) -> set[str]:
        """Files of a set that are not as they should be, missing and superfluous ones too."""
        nested = [f"{other}/" for other in self._expected if other.startswith(f"{name}/")]
        found = {
            f"{name}/{path}": data
            for path, data in report_files(self._up.out / name).items()
            if not any(f"{name}/{path}".startswith(other) for other in nested)
        }
        expected = self._expected[name]
        return {path for path in found.keys() | expected.keys() if found.get(path) != expected.get(path)}


def _inputs(watch: Path) -> dict[str, tuple[int, int]]:
    """(inode, mtime) of everything that is no folder, by its path below the watched folder."""
    found = {}
    for folder, folders, files in os.walk(watch):
        for name in (*files, *(name for name in folders if Path(folder, name).is_symlink())):
            path = Path(folder, name)
            with suppress(FileNotFoundError):
                stat = path.lstat()
                found[path.relative_to(watch).as_posix()] = (stat.st_ino, stat.st_mtime_ns)
    return found


def _changed(before: dict[str, tuple[int, int]], now: dict[str, tuple[int, int]]) -> list[str]:
    """New and changed paths, and whatever lies in one folder with them: a folder is reported as a whole."""
    changed = {path for path, mark in now.items() if before.get(path) != mark}
    gone = before.keys() - now.keys()
    folders = {folder for path in changed | gone if (folder := path.rpartition("/")[0])}
    return sorted(path for path in now if path in changed or path.rpartition("/")[0] in folders)


def _sets(out: Path) -> Iterator[str]:
    for path in _walk(out):
        if path.endswith(f"/{STATUS}"):
            yield path.removesuffix(f"/{STATUS}")


def _walk(out: Path) -> Iterator[str]:
    """Every file of every report, by its path below `out`; work area and history are passed over."""
    folders = [""]
    while folders:
        folder = folders.pop()
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(out / folder) as entries:
            for entry in entries:
                if entry.name in PASSED_OVER:
                    continue
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                else:
                    yield path
