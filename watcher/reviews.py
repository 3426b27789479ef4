"""Files with grades of people: in the watched folder, where no profile claims them, and in the folders of the sets."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import structlog

from reporting.data import item_places
from reporting.store import ITEMS_CSV, ReviewShelf, may_be_named_so, set_folder
from reporting.wording import of_no_set, tally
from scoring import Problem, ScorewatchError
from scoring.review import Outcome, PersonGrade, ReviewFile, TextPlace, grades_for, outcome_of
from scoring.rubric import Rubric
from scoring.sets import InputSet, shown
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
        self._outcomes: dict[str, Outcome] = {}  # by set, of those with a report
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

    def of(self, set_name: str, rubric: Rubric, sets: Collection[str]) -> tuple[PersonGrade, ...]:
        """The grades that count for a set, by the items of its report; without one, all that name it."""
        if not self.wait_for(set_name, rubric.profile, sets):
            self._outcomes.pop(set_name, None)
            return ()
        items = self._items(set_name)
        grades = grades_for(
            set_name,
            rubric.profile,
            self._shelf.grades(),
            is_gone=lambda name: name not in sets,
            text_places=lambda: set(items or ()),
        )
        if items is None:
            return grades
        outcome = self._outcomes[set_name] = outcome_of(items, rubric, grades)
        return outcome.used

    def wait_for(self, set_name: str, profile: str, sets: Collection[str]) -> bool:
        """Are there grades of this profile for the set, or for none of `sets`? A new report may have their items."""
        return any(
            one.key.profile == profile and (one.key.set_name == set_name or one.key.set_name not in sets)
            for one in self._shelf.grades()
        )

    def unused(self, sets: Mapping[str, InputSet]) -> list[Problem]:
        """Why rows are not used, each at its cell, as far as there are reports to tell. sets: that are there."""
        files = [file for _, file in sorted(self._shelf.found.items())]
        outcomes = [outcome for name, outcome in self._outcomes.items() if name in sets]
        outcomes.append(of_no_set(files, outcomes, lambda name: sets[name].profile if name in sets else None))
        return [problem for file in files for problem in tally(file, outcomes).problems]

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

    def _items(self, set_name: str) -> list[TextPlace] | None:
        try:
            return item_places(set_folder(self._out, set_name) / ITEMS_CSV)
        except (OSError, ValueError, ScorewatchError):  # no report yet
            return None
