"""The review files of one `scorewatch score`: which grades are for which set, and what became of each file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from reporting.runs import UnreadableRunError, read_report
from reporting.store import ReviewShelf, SourceState, read_sources, set_folder, status_of_set
from reporting.wording import Tally, tally
from scoring import InputError, Problem
from scoring.items.spool import Part
from scoring.results import SetResult
from scoring.review import Applied, PersonGrade

_GONE = {SourceState.REMOVED, SourceState.RENAMED}


class ScoreReviews:
    """Grades by set. planned: names of the sets that are scored now. out: None without a folder of reports."""

    def __init__(self, shelf: ReviewShelf, planned: Collection[str], out: Path | None) -> None:
        if out is not None:
            shelf.look(out)
        self._shelf = shelf
        self._planned = planned
        self._out = out
        self._applied: list[Applied] = []

    def of(self, set_name: str, profile: str, parts: Sequence[tuple[str, Part]]) -> tuple[PersonGrade, ...]:
        """The grades for a set: those that name it, and those for a set that is gone which fit an item of it."""
        grades = [one for one in self._shelf.grades() if one.key.profile == profile]
        contents = {part.sha256 for _, part in parts}
        gone = {name for name in {one.key.set_name for one in grades} if self._is_gone(name, contents)}
        places = {place for _, part in parts for place in _places(part)} if gone else set()
        return tuple(
            one
            for one in grades
            if one.key.set_name == set_name or (one.key.set_name in gone and one.key.text_place in places)
        )

    def took(self, result: SetResult) -> None:
        """A set was scored."""
        if result.applied is not None:
            self._applied.append(result.applied)

    def tallies(self) -> list[Tally]:
        """What became of every review file, once all sets are scored."""
        return [tally(file, self._applied) for _, file in sorted(self._shelf.found.items())]

    def problems(self) -> Iterator[Problem]:
        """Why rows are not used, each at its cell, and which sets are not there."""
        yield from (problem for one in self.tallies() for problem in one.problems)
        yield from self._nowhere()

    def _nowhere(self) -> Iterator[Problem]:
        """Grades whose set is neither scored now nor among the reports, and that fit no other."""
        used = {grade.content for one in self._applied for _, grade in one.used}
        for _, file in sorted(self._shelf.found.items()):
            lost = [one.key.set_name for one in file.grades if one.content not in used]
            for name in sorted(set(lost)):
                if name not in self._planned and not self._has_report(name):
                    values = {"set": name, "n": str(lost.count(name))}
                    yield Problem(code="review-nowhere", source=file.name, values=values)

    def _is_gone(self, set_name: str, contents: Collection[str]) -> bool:
        """Is there no such set any more? One whose files are all among these contents has another name now."""
        if set_name in self._planned:
            return False
        if self._out is None or not self._has_report(set_name):
            return True
        mark = read_sources(self._out).get(set_name)
        if mark is not None and mark.state in _GONE:
            return True
        try:
            report = read_report(set_folder(self._out, set_name))
        except UnreadableRunError:
            return False
        return {entry.sha256 for entry in report.inputs} <= set(contents)

    def _has_report(self, set_name: str) -> bool:
        try:
            return self._out is not None and status_of_set(self._out, set_name) is not None
        except InputError:  # no name that a set can have
            return False


def _places(part: Part) -> Iterator[tuple[str, str, str]]:
    for columns in part.items.columns("query_id", "round", "text_hash"):
        yield from zip(*columns, strict=True)
