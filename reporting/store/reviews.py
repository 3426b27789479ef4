"""Review files: where they may lie and what is in them, and `reviews.jsonl` beside a report.

A review file may lie in the watched folder or in the folder of any set, under any name. It is read once per content.
`reviews.jsonl` says of every grade that counts what it replaced and its file. It is no part of a report.
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from reporting.store.locks import transient
from reporting.store.set_folders import CHARTS, HISTORY, ITEMS_CSV, QUERIES_CSV, ROUNDS, set_folder, work_area
from reporting.store.stored_file import write_atomic
from scoring import normalise
from scoring.reading import open_named, whole_hash
from scoring.results import SetResult
from scoring.review import PersonGrade, ReviewFile, may_be_review, read_review

REVIEWS = "reviews.jsonl"
_SUFFIXES = (".csv", ".tsv", ".xlsx")
_WITHOUT_REVIEWS = frozenset({CHARTS, HISTORY, ROUNDS})
_OURS = frozenset({ITEMS_CSV, QUERIES_CSV})
_TICK_NS = 2_000_000_000  # within it a folder may change again without a sign (FAT: 2 s)
_Mark = tuple[int, int, int]
_Listed = tuple[int, tuple[str, ...], tuple[str, ...]] | int  # time of change, files and folders; without any the time


class ReviewLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `reviews.jsonl`: a grade that counts, what the item had before, and the file that it comes from.

    item: line of `items.csv`, the first is 0. old: points before, null without any; old_origin: by what. new: as the
    reviewer wrote it. counted: as the report has it, which differs where reviewers do.
    """

    query_id: str
    round: str
    item: int
    metric: str
    old: float | None
    old_origin: str
    new: str
    counted: float
    reviewer: str
    comment: str
    cause: str
    check: str
    file: str
    row: int
    sha256: str
    time: str


class ReviewShelf:
    """The review files found so far, by path. adjudicator: whose grade settles what others disagree on, "" for nobody.

    `found`: review files by path.
    """

    def __init__(self, adjudicator: str = "") -> None:
        self._adjudicator = normalise(adjudicator)
        self._read: dict[str, ReviewFile | None] = {}  # by SHA-256
        self._folders: dict[str, _Listed] = {}  # by path; nearly all are of a set, and have neither
        self._looked: dict[str, _Mark] = {}  # path -> size and times when it was read
        self.found: dict[str, ReviewFile] = {}

    def take(self, path: Path, name: str = "") -> bool:
        """Read a file. name: as people see it. Returns whether it is a review file. Raises OSError."""
        name = name or path.name
        with open_named(path) as stream:
            stat = os.fstat(stream.fileno())
            self._looked[str(path)] = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
            if not may_be_review(stream, name):  # of a large file its start alone is read
                self.found.pop(str(path), None)
                return False
            stream.seek(0)
            sha256 = whole_hash(stream).sha256
            if sha256 not in self._read:
                self._read[sha256] = read_review(stream, name)
        file = self._read[sha256]
        if file is None:
            self.found.pop(str(path), None)
            return False
        modified = datetime.fromtimestamp(int(stat.st_mtime), UTC).isoformat()
        self.found[str(path)] = replace(
            file,
            name=name,
            grades=tuple([self._placed(grade, name, sha256, modified) for grade in file.grades]),
            problems=tuple(problem.at(name) for problem in file.problems),
            refused=tuple(problem.at(name) for problem in file.refused),
        )
        return True

    def drop(self, path: Path) -> bool:
        """The file is gone. Returns whether it was a review file."""
        self._looked.pop(str(path), None)
        return self.found.pop(str(path), None) is not None

    def look(self, out: Path, *, settle_seconds: float = 0.0) -> set[str]:
        """Look for review files in the folders of all sets; returns the sets that are named by what has changed.

        settle_seconds: a file that was changed so lately is left out, since it may still be written. A folder that has
        not changed is not listed again. What cannot be read is left out until it can be.
        """
        before, there = dict(self.found), set[str]()
        left = [""]
        while left:
            files, folders = self._listed(out, left.pop())
            left += folders
            for path in files:
                with suppress(OSError):
                    self._take_changed(path, settle_seconds)
                    there.add(path)
        for path in [path for path in self._looked if path.startswith(f"{out}{os.sep}") and path not in there]:
            self.drop(Path(path))
        changed = [path for path in {*before, *self.found} if before.get(path) != self.found.get(path)]
        files_before_and_now = (files.get(path) for path in changed for files in (before, self.found))
        return {grade.key.set_name for file in files_before_and_now if file is not None for grade in file.grades}

    def grades(self) -> Iterator[PersonGrade]:
        """All grades, in the order of their files."""
        return (grade for _, file in sorted(self.found.items()) for grade in file.grades)

    def _placed(self, grade: PersonGrade, name: str, sha256: str, modified: str) -> PersonGrade:
        decides = grade.decides or (bool(self._adjudicator) and grade.reviewer == self._adjudicator)
        return replace(grade, file=name, sha256=sha256, modified=modified, decides=decides)

    def _listed(self, out: Path, folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files of a folder that may be review files, and the folders in it, whose paths are relative to `out`."""
        path = f"{out}/{folder}" if folder else str(out)
        try:
            changed_ns = os.stat(path).st_mtime_ns  # noqa: PTH116 -- of every set, at every scan
            known = self._folders.get(folder)
            if known == changed_ns:
                return (), ()
            if isinstance(known, tuple) and known[0] == changed_ns:
                return known[1:]
            with os.scandir(path) as entries:
                listed = list(entries)
        except OSError:
            self._folders.pop(folder, None)
            return (), ()
        files, folders = [], []
        for entry in listed:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in _WITHOUT_REVIEWS:
                        folders.append(sys.intern(f"{folder}/{entry.name}" if folder else entry.name))  # as its set
                elif folder and entry.is_file(follow_symlinks=False) and may_be_named_so(entry.name):
                    files.append(entry.path)
        found = tuple(files), tuple(folders)
        if time.time_ns() - changed_ns > _TICK_NS:
            self._folders[folder] = (changed_ns, *found) if files or folders else changed_ns
        return found

    def _take_changed(self, path: str, settle_seconds: float) -> None:
        found = os.stat(path)  # noqa: PTH116
        mark = found.st_size, found.st_mtime_ns, found.st_ctime_ns
        if self._looked.get(path) != mark and time.time() - found.st_ctime >= settle_seconds:
            self.take(Path(path))


def may_be_named_so(name: str) -> bool:
    """Is it the kind of file that a review is saved as, and none of a report?"""
    folded = name.casefold()
    return folded.endswith(_SUFFIXES) and not folded.startswith((".", "~$")) and folded not in _OURS


def keep_reviews(out: Path, set_name: str, result: SetResult) -> None:
    """Write `reviews.jsonl` of a set, or remove it where no grade counts. Raises TransientError."""
    path = set_folder(out, set_name) / REVIEWS
    lines = b"".join(msgspec.json.encode(line) + b"\n" for line in _lines(result))
    with transient(path):
        if lines:
            write_atomic(path, lines, temporary=work_area(out, "tmp"))
        else:
            path.unlink(missing_ok=True)


def _lines(result: SetResult) -> Iterable[ReviewLine]:
    if result.applied is None:
        return
    by_place = {(one.index, one.metric): one for one in result.applied.reviewed}
    for index, grade in result.applied.used:
        entry = by_place[index, grade.key.metric]
        yield ReviewLine(
            query_id=entry.item.query_id,
            round=entry.item.round,
            item=index,
            metric=entry.metric,
            old=entry.points_before,
            old_origin=entry.origin,
            new=grade.grade,
            counted=entry.points,
            reviewer=grade.reviewer,
            comment=grade.comment,
            cause=grade.cause,
            check=grade.check,
            file=grade.file,
            row=grade.row,
            sha256=grade.sha256,
            time=grade.modified,
        )
