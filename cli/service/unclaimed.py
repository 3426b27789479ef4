"""Files of the watched folder that no document claims by name, but that have the columns of a profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reporting.wording import in_short
from scoring import Problem
from scoring.reading import open_named
from scoring.rubric import Rubric
from scoring.sets import likely_profile
from texts import texts

MOST_LOOKED_AT = 100  # files
_Stamp = tuple[int, int]


class UnclaimedFiles:
    """Looks into each such file once, and again when it has changed. root: the watched folder."""

    def __init__(self, root: Path, rubrics: Sequence[Rubric], *, language: str) -> None:
        self._root = root
        self._rubrics = rubrics
        self._language = language
        self._known: dict[str, tuple[_Stamp, Problem | None]] = {}

    def use(self, rubrics: Sequence[Rubric]) -> None:
        """Rubrics have changed: every file is looked into again."""
        self._rubrics, self._known = rubrics, {}

    def look_at(self, paths: Iterable[str]) -> list[Problem]:
        """The files of these that have the columns of a profile, and had not at the last look."""
        found = {path: self._looked_at(path) for path in paths}
        fresh = [
            problem
            for path, (stamp, problem) in found.items()
            if problem is not None and self._known.get(path, (stamp, None))[1] is None
        ]
        self._known = found
        return fresh

    def texts(self) -> dict[str, str]:
        """Path -> what to do, of those that were found at the last look."""
        t = texts(self._language)
        return {path: in_short(problem, t) for path, (_, problem) in self._known.items() if problem is not None}

    def named(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths, with profile and name behind those that were found."""
        t = texts(self._language)
        for path in paths:
            _, problem = self._known.get(path, (None, None))
            yield path if problem is None else t("service.likely", path=path, **problem.values)

    def _looked_at(self, path: str) -> tuple[_Stamp, Problem | None]:
        file = self._root / path
        known = self._known.get(path)
        try:
            stat = file.stat()
            stamp = (stat.st_size, stat.st_mtime_ns)
            if known is not None and known[0] == stamp:
                return known
            with open_named(file) as stream:
                likely = likely_profile(stream, path.rpartition("/")[2], self._rubrics)
        except OSError:
            return (0, 0), None
        return stamp, None if likely is None else likely.problem(path)
