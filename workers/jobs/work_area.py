"""The shared work area `<out>/.scorewatch/`: parts, rubrics, plans of asked sets, notes of transient faults.

Files are written to a temporary name and renamed, so a reader sees a whole file or none. A lost or damaged file counts
as missing and is written again. Several machines may use the area at once. The watcher removes unused files every few
hours, in short slices.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import structlog

from reporting import store
from scoring.items import ENGINE_VERSION
from scoring.items.spool import Part, encode_stored, open_stored
from scoring.reading import open_named
from scoring.rubric import Rubric, encode_rubric
from scoring.sets import Plan

AGE_SECONDS = 14 * 86_400.0  # longer than `relatime` delays the access time of a file
EVERY_SECONDS = 6 * 3600.0
SLICE_SECONDS = 0.01
_log = structlog.get_logger()


class PartId(NamedTuple):
    """What a part depends on. kind: lower-case extension of the file (".csv"), which selects the reader."""

    sha256: str
    rubric_digest: str
    kind: str
    engine_version: int = ENGINE_VERSION

    @property
    def file_name(self) -> str:
        """Name of the part's file."""
        return f"{self.sha256}-{self.rubric_digest}-{self.engine_version}{self.kind}"


class Trouble(msgspec.Struct, frozen=True):
    """Why the last attempt at a key was given up. kind: as in `workers.jobs.inputs.GiveUpError`."""

    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


_RUBRIC = store.StoredFile(Rubric)
_PLAN = store.StoredFile(Plan)
_TROUBLE = store.StoredFile(Trouble)


class WorkArea:
    """The work area below one output folder. Writers raise OSError (disk full, read-only); readers return None."""

    def __init__(self, out: Path) -> None:
        self._out = out.absolute()
        self.root = self._out / store.WORK_AREA

    def prepare(self) -> None:
        """Create the folders and sweep what dead processes left."""
        for name in ("parts", "rubrics", "plans", "troubles", store.READINGS, "tmp"):
            store.work_area(self._out, name)
        store.sweep_temporary(self._out)

    def read_part(self, part_id: PartId) -> Part | None:
        """The part, None when it is missing or damaged."""
        with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
            return open_stored(open_named(self._part(part_id)), Part)
        return None

    def has_part(self, part_id: PartId) -> bool:
        """Does the part exist? It is not read, so it may be damaged."""
        return self._part(part_id).exists()

    def write_part(self, part_id: PartId, part: Part) -> None:
        """Store a part under its id. Raises TransientError as well, where its items cannot be read."""
        self.write(self._part(part_id), partial(encode_stored, part))

    def remove_part(self, part_id: PartId) -> None:
        """Delete a part, so that it is scored again."""
        self._part(part_id).unlink(missing_ok=True)

    def remove_parts(self, contents: AbstractSet[str]) -> None:
        """Delete every part of these contents (SHA-256), whatever the rubric."""
        with contextlib.suppress(FileNotFoundError), os.scandir(self.root / "parts") as entries:
            for entry in entries:
                if entry.name.partition("-")[0] in contents:
                    Path(entry.path).unlink(missing_ok=True)

    def read_rubric(self, digest: str) -> Rubric | None:
        """The rubric with this digest, None when it is missing or has another digest."""
        rubric = _RUBRIC.read_at(self.root / "rubrics" / f"{_slug(digest)}.json")
        return rubric if rubric is not None and rubric.digest == digest else None

    def write_rubric(self, rubric: Rubric) -> None:
        """Store a rubric under its digest unless it is there."""
        path = self.root / "rubrics" / f"{rubric.digest}.json"
        if not path.exists():
            self.write(path, encode_rubric(rubric))

    def read_plan(self, set_name: str, key: str) -> Plan | None:
        """The plan of a key of a set, None when it is missing or damaged."""
        plan = _PLAN.read_at(self._note("plans", set_name, key))
        return plan if plan is not None and (plan.set_name, plan.key) == (set_name, key) else None

    def write_plan(self, plan: Plan) -> None:
        """Store a plan for its set and key."""
        self.write(self._note("plans", plan.set_name, plan.key), msgspec.json.encode(plan))

    def read_trouble(self, set_name: str, key: str) -> Trouble | None:
        """Why the last attempt was given up, None when it was not."""
        return _TROUBLE.read_at(self._note("troubles", set_name, key))

    def count_troubles(self) -> int:
        """Number of notes: a cheap check before each of many keys is looked up."""
        try:
            with os.scandir(self.root / "troubles") as entries:
                return sum(1 for _ in entries)
        except OSError:
            return 0

    def write_trouble(self, set_name: str, key: str, trouble: Trouble) -> None:
        """Write a note for the watcher; without one it asks again later."""
        with contextlib.suppress(OSError):
            self.write(self._note("troubles", set_name, key), msgspec.json.encode(trouble))

    def clear_trouble(self, set_name: str, key: str) -> None:
        """Delete the note: the key is asked for again."""
        with contextlib.suppress(OSError):
            self._note("troubles", set_name, key).unlink(missing_ok=True)

    def close(self, set_name: str, key: str) -> None:
        """Delete plan and note: the key is settled."""
        self.clear_trouble(set_name, key)
        with contextlib.suppress(OSError):
            self._note("plans", set_name, key).unlink(missing_ok=True)

    def collect(self, *, older_than_seconds: float) -> Iterator[bool]:
        """Check one file per step and delete it when it was neither read nor written for so long; yields whether.

        Parts, plans and notes are written again when needed; a lock this old has no holder.
        """
        store.sweep_temporary(self._out)
        oldest = time.time() - older_than_seconds
        for name in ("parts", "plans", "troubles", "locks", store.ASKED_FOLDER, store.INDEX_FOLDER, store.READINGS):
            with contextlib.suppress(OSError), os.scandir(self.root / name) as entries:
                for entry in entries:
                    yield _remove_if_older(entry, oldest)

    def file_beside(self, part_id: PartId, name: str) -> Path:
        """A file that goes with a part, and is collected and removed like it."""
        return self.root / "parts" / _slug(f"{part_id.file_name}-{name}")

    def _part(self, part_id: PartId) -> Path:
        return self.root / "parts" / _slug(part_id.file_name)

    def _note(self, folder: str, set_name: str, key: str) -> Path:
        """Named by set and key: two sets with the same content have the same key."""
        name = hashlib.sha256(f"{set_name}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / folder / f"{name}.json"

    def write(self, path: Path, data: bytes | Callable[[], Iterator[bytes]]) -> None:
        """data: or what makes it, piece by piece."""
        try:
            store.write_atomic(path, data if isinstance(data, bytes) else data(), temporary=self.root / "tmp")
        except FileNotFoundError:  # the work area was removed while the worker runs
            self.prepare()
            store.write_atomic(path, data if isinstance(data, bytes) else data(), temporary=self.root / "tmp")


def _remove_if_older(entry: os.DirEntry[str], oldest: float) -> bool:
    with contextlib.suppress(OSError):
        found = entry.stat(follow_symlinks=False)
        if max(found.st_mtime, found.st_atime) < oldest:
            os.unlink(entry.path)  # noqa: PTH108 -- as it came from scandir
            return True
    return False


def _slug(name: str) -> str:
    """Accept only the characters of our own ids, as names also come from messages. Raises ValueError."""
    if not name or not all(character.isascii() and (character.isalnum() or character in "-.") for character in name):
        raise ValueError(f"no id: {name!r}")
    return name


class Collector:
    """Walks the work area of one output folder. All times but the age are monotonic."""

    def __init__(self, area: WorkArea, *, slice_seconds: float = SLICE_SECONDS) -> None:
        self._area = area
        self._slice_seconds = slice_seconds
        self._round: Iterator[bool] | None = None
        self._next_round = 0.0
        self._removed = 0

    def step(self, now: float) -> None:
        """Continue for one slice; start a round when it is due."""
        if self._round is None:
            if now < self._next_round:
                return
            self._round, self._removed = self._area.collect(older_than_seconds=AGE_SECONDS), 0
        until = time.monotonic() + self._slice_seconds
        for is_removed in self._round:
            self._removed += is_removed
            if time.monotonic() >= until:
                return
        if self._removed:
            _log.info("unused files removed", files=self._removed)
        self._round, self._next_round = None, now + EVERY_SECONDS
