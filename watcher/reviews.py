"""Files with grades of people: in the watched folder, where no profile claims them, and in the folders of the sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import structlog

from reporting.data import items_of
from reporting.store import ITEMS_CSV, ReviewShelf, may_be_named_so, set_folder
from scoring import ScorewatchError
from scoring.review import PersonGrade, ReviewFile
from scoring.sets import shown
from watcher.folder import InputFolder

SETTLE_SECONDS = 1.0  # of a file among the reports
_log = structlog.get_logger()


class ReviewFiles:
    """The review files that the watcher knows.

    out: the folder of reports. adjudicator: of the settings, "" for none. on_file: called with each that is new or
    changed. `paths`: of those in the watched folder.
    """

    def __init__(
        self,
        folder: InputFolder,
        out: Path,
        *,
        adjudicator: str = "",
        on_file: Callable[[ReviewFile], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._out = out
        self._shelf = ReviewShelf(adjudicator)
        self._on_file = on_file
        self.paths: set[str] = set()

    def look_at(self, paths: Iterable[str], known: Collection[str]) -> set[str] | None:
        """Look at settled files of the watched folder that are new, changed or gone.

        known: the paths that are there. Returns the sets that their grades name; None where no review file is among
        them.
        """
        sets: set[str] = set()
        is_any = False
        for path in paths:
            if not may_be_named_so(path.rpartition("/")[2]):
                continue
            full = Path(self._folder.full(path))
            before = self._named(full)
            is_one = path in known and self._take(full, path)
            if not is_one:
                self._shelf.drop(full)
                self.paths.discard(path)
            else:
                self.paths.add(path)
            if is_one or before:
                is_any = True
                sets |= before | self._named(full)
        return sets if is_any else None

    def look_in_folders(self) -> set[str]:
        """Look into the folders of the sets; returns the sets that are named by what has changed."""
        before = dict(self._shelf.found)
        sets = self._shelf.look(self._out, settle_seconds=SETTLE_SECONDS)
        for path, file in self._shelf.found.items() if sets else ():
            if before.get(path) != file:
                self._on_file(file)
        return sets

    def of(self, set_name: str, profile: str, sets: Collection[str]) -> tuple[PersonGrade, ...]:
        """The grades for a set: those that name it, and those for none of `sets` which fit an item of its report."""
        grades = [one for one in self._shelf.grades() if one.key.profile == profile]
        named = [one for one in grades if one.key.set_name == set_name]
        gone = [one for one in grades if one.key.set_name not in sets]
        return (*named, *self._fitting(gone, set_name)) if gone else tuple(named)

    def wait_for(self, profile: str, sets: Collection[str]) -> bool:
        """Are there grades of this profile for none of the sets? A new report may have their items."""
        return any(one.key.profile == profile and one.key.set_name not in sets for one in self._shelf.grades())

    def _take(self, full: Path, path: str) -> bool:
        before = self._shelf.found.get(str(full))
        try:
            is_one = self._shelf.take(full, shown(path))
        except OSError as error:
            _log.warning("review file not readable", path=path, reason=error.strerror or type(error).__name__)
            return False
        if is_one and (file := self._shelf.found[str(full)]) != before:
            self._on_file(file)
        return is_one

    def _named(self, full: Path) -> set[str]:
        found = self._shelf.found.get(str(full))
        return set() if found is None else {grade.key.set_name for grade in found.grades}

    def _fitting(self, grades: Collection[PersonGrade], set_name: str) -> list[PersonGrade]:
        try:
            items = items_of(set_folder(self._out, set_name) / ITEMS_CSV, {one.key.query_id for one in grades})
        except (OSError, ValueError, ScorewatchError):  # no report yet
            return []
        places = {(item.query_id, item.round, item.text_hash) for item in items}
        return [one for one in grades if one.key.text_place in places]
