"""The review files of one `scorewatch score`: which grades are for which set, and what became of each file."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from cli.score.inputs import Work
from cli.score.settings import ScoreSettings
from reporting.runs import UnreadableRunError, read_report
from reporting.store import SourceState, StatusFile, may_be_named_so, read_sources, set_folder, status_of_set
from reporting.wording import Tally, of_no_set, tally
from scoring import InputError
from scoring.items.spool import Part
from scoring.results import SetResult
from scoring.review import Outcome, PersonGrade, TextPlace, grades_for
from scoring.sets import group_into_sets, is_ignored, shown
from watcher import InputFolder

_GONE = {SourceState.REMOVED, SourceState.RENAMED}


class ScoreReviews:
    """Grades by set, for the sets of `work`.

    A file that was named itself has the review files beside it and, in the watched folder, all of that. out: None
    writes no reports: then the folders of these sets among the reports of the settings are looked into alone.
    """

    def __init__(self, work: Work, settings: ScoreSettings, out: Path | None) -> None:
        self._shelf = work.reviews
        self._out = out or settings.out
        self._profiles = {one.plan.name: one.rubric.profile for one in work.sets}
        planned = {one.plan.name for one in work.sets}
        files = [file for one in work.sets for file in one.files]
        scored = set(map(_real, files))
        others = _beside({*files}.intersection(work.named), settings, self._out)
        beside = [(folder, path) for folder, path in others if _real(folder / path) not in scored]
        mine = self._take(beside)
        profiles = {grade.key.profile for grade in self._shelf.grades()}
        paths = [path for _, path in beside]
        patterns = {one.rubric.profile: one.rubric.set_pattern for one in work.sets}
        self._standing = planned.union(*(_sets_of(paths, profile, patterns) for profile in profiles))
        for path in mine:
            grades = self._shelf.found[str(path)].grades
            if grades and all(one.key.set_name in self._standing - planned for one in grades):
                self._shelf.drop(path)  # of sets that are there, and not scored now
        if out is not None:
            self._shelf.look(out)
        else:
            folders = (set_folder(self._out, name) for name in sorted(planned))
            self._take((folder, path) for folder in folders for path in _names_in(folder, ()))
        self._outcomes: list[Outcome] = []

    def _take(self, files: Iterable[tuple[Path, str]]) -> list[Path]:
        """Take the review files among these that are not there yet; one that cannot be read is none."""
        known = {_real(Path(path)) for path in self._shelf.found}
        taken = []
        for folder, path in files:
            full = folder / path
            if may_be_named_so(full.name) and _real(full) not in known:
                with suppress(OSError):
                    if self._shelf.take(full, shown(path)):
                        taken.append(full)
        return taken

    def of(self, set_name: str, profile: str, parts: Sequence[tuple[str, Part]]) -> tuple[PersonGrade, ...]:
        """The grades for a set, whether they can be used or not."""
        contents = {part.sha256 for _, part in parts}
        return grades_for(
            set_name,
            profile,
            self._shelf.grades(),
            is_gone=lambda name: self._is_gone(name, contents),
            text_places=lambda: {place for _, part in parts for place in _places(part)},
        )

    def took(self, result: SetResult) -> None:
        """A set was scored."""
        if result.applied is not None:
            self._outcomes.append(result.applied.outcome)

    def tallies(self) -> list[Tally]:
        """What became of every review file, once all sets are scored."""
        files = [file for _, file in sorted(self._shelf.found.items())]
        outcomes = [*self._outcomes, of_no_set(files, self._outcomes, self._profile_of)]
        return [tally(file, outcomes) for file in files]

    def _profile_of(self, set_name: str) -> str | None:
        """As of `of_no_set`: of the sets that are scored now, in the folders, or among the reports."""
        if (planned := self._profiles.get(set_name)) is not None:
            return planned
        if set_name in self._standing:
            return ""
        status = None if self._is_marked_gone(set_name) else self._status(set_name)
        return None if status is None else status.profile

    def _is_gone(self, set_name: str, contents: Collection[str]) -> bool:
        """Is there no such set any more? One whose files are all among these contents has another name now."""
        if set_name in self._standing:
            return False
        if self._status(set_name) is None:
            return True
        if self._is_marked_gone(set_name):
            return True
        try:
            report = read_report(set_folder(self._out, set_name))
        except UnreadableRunError:
            return False
        return {entry.sha256 for entry in report.inputs} <= set(contents)

    def _is_marked_gone(self, set_name: str) -> bool:
        mark = read_sources(self._out).get(set_name)
        return mark is not None and mark.state in _GONE

    def _status(self, set_name: str) -> StatusFile | None:
        try:
            return status_of_set(self._out, set_name)
        except InputError:  # no name that a set can have
            return None


def _places(part: Part) -> Iterator[TextPlace]:
    for columns in part.items.columns("query_id", "round", "text_hash"):
        yield from zip(*columns, strict=True)


def _beside(named: Iterable[Path], settings: ScoreSettings, out: Path) -> Iterator[tuple[Path, str]]:
    """Folder, and path in it, of what lies beside files that were named, or in the watched folder with one of them."""
    parents = {os.path.realpath(file.parent): file.parent for file in named}
    watched = {real for real in parents if Path(real).is_relative_to(os.path.realpath(settings.watch))}
    if watched:
        listing = InputFolder(settings.watch, out=out, ignore=settings.ignore).scan()
        yield from ((settings.watch, path) for path in sorted(listing.files))
    for real in sorted(set(parents) - watched):
        yield from ((parents[real], name) for name in _names_in(parents[real], settings.ignore))


def _names_in(folder: Path, ignore: tuple[str, ...]) -> list[str]:
    """The files directly in a folder, without links; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in names if not is_ignored(name, ignore))


def _sets_of(paths: Iterable[str], profile: str, patterns: Mapping[str, str]) -> set[str]:
    """Names of the sets that files of a folder would be in, if they are of this profile."""
    grouping = group_into_sets(paths, lambda _: profile, patterns)
    return {one.name for one in grouping.sets} | {one.name for one in grouping.clashes}


def _real(path: Path) -> str:
    return f"{os.path.realpath(path.parent)}/{path.name}"
