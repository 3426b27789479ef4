"""Rubric documents and rules of the gate, read again when their files have changed while the service runs.

What is wrong with a changed file is said, and what was in force before stays in force. Workers need nothing of this: a
plan names its rubric by digest, and the rubric travels with it in the work area. Other settings are those of the start;
which ones the settings file has changed since then is said.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path

from config import DOCUMENT_SUFFIX, Settings, SettingsError, gate_source, load_rubrics, read_gate, settings_in_file
from reporting.store import known_in, read_sheets, sheet_paths
from reporting.wording import clean, count, describe, excerpt, in_short
from scoring import Problem, RubricError
from scoring.gate import GateRules
from scoring.known import KnownLines
from scoring.questions import Questions, QuestionSheet
from scoring.reading import open_named
from scoring.rubric import Rubric
from scoring.sets import KNOWN_NAMES, likely_profile
from texts import Texts, texts

_NAME_CHARS = 60
_MOST_NAMED = 10  # settings
_Marks = dict[str, tuple[int, int, int]]  # path -> inode, size and time of each file


class Documents:
    """The documents in force. Made before the environment of the workers hides the settings file.

    fault: why documents or rules that have changed are not in force, "" where all are. unapplied: settings that the
    settings file has changed, which count from the next start on. Raises RubricError and SettingsError as their readers
    do.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder, self._language = settings.rubrics, settings.language
        self._gate, self._file = gate_source(settings.gate_file), gate_source(None).path
        self._started = settings_in_file(self._file)
        self._marks = self._seen = self._look()
        self.rubrics: tuple[Rubric, ...] = load_rubrics(self._folder, language=self._language)
        self.rules: GateRules = read_gate(self._gate, self.rubrics, language=self._language)
        self.fault = ""
        self.unapplied: tuple[str, ...] = ()

    def look(self) -> bool:
        """Read again what has changed, once two looks found it the same: somebody may be writing. True when it was."""
        before, self._seen = self._seen, self._look()
        if self._seen == self._marks or self._seen != before:
            return False
        self._marks = self._seen
        faults = []
        try:
            self.rubrics = load_rubrics(self._folder, language=self._language)
        except RubricError as error:
            faults += [describe(problem, self._language) for problem in error.problems]
        try:
            self.rules = read_gate(self._gate, self.rubrics, language=self._language)
        except SettingsError as error:
            faults += error.messages
        try:
            now = settings_in_file(self._file)
        except SettingsError as error:
            faults += error.messages if self._gate.is_own else ()  # else the rules were not read either
        else:
            names = sorted(self._started.keys() | now.keys())
            self.unapplied = tuple(name for name in names if self._started.get(name) != now.get(name))
        self.fault = " ".join(faults)
        return True

    def told(self, t: Texts) -> str:
        """What of the files is not in force and why, in sentences; "" where all is."""
        fault = t("overview.outdated", reason=clean(self.fault)) if self.fault else ""
        names = [excerpt(name, _NAME_CHARS) for name in self.unapplied[:_MOST_NAMED]]
        if len(self.unapplied) > _MOST_NAMED:
            names.append(t("console.more", n=count(len(self.unapplied) - _MOST_NAMED)))
        restart = t("overview.unapplied", names=", ".join(names)) if names else ""
        return " ".join(filter(None, [fault, restart]))

    def _look(self) -> _Marks:
        folders = () if self._folder is None else (self._folder, self._folder / self._language)
        paths = [path for folder in folders for path in _documents(folder)]
        return _marks_of([*paths, str(self._gate.path), str(self._file)])


def _marks_of(paths: Iterable[str]) -> _Marks:
    marks = {}
    for path in paths:
        try:
            found = os.stat(path)  # noqa: PTH116 -- every two seconds
        except OSError:
            continue
        marks[path] = (found.st_ino, found.st_size, found.st_mtime_ns)
    return marks


def _documents(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.name.lower().endswith(DOCUMENT_SUFFIX))
    except OSError:
        return []


def today() -> date:
    """The day by the clock on the wall."""
    return datetime.now().astimezone().date()


class KnownFile:
    """The failures that a team knows, read again when their file or the day has changed, once two looks found it so.

    lines: in force, None without a file.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder, self._ticket_url = settings.watch, settings.ticket_url or ""
        self._marks = self._seen = self._look()
        self._is_read = False
        self.lines: KnownLines | None = None

    def look(self, profiles: Collection[str]) -> bool:
        """Read the file at the first look, and where it is another now. True when it was read."""
        before, self._seen = self._seen, self._look()
        if self._is_read and (self._seen == self._marks or self._seen != before):
            return False
        self._marks, self._is_read = self._seen, True
        self.lines = known_in(self._folder, profiles=profiles, ticket_url=self._ticket_url, today=today())
        return True

    def forget(self) -> None:
        """Read it at the next look, however it looks."""
        self._is_read = False

    def _look(self) -> _Marks:
        marks = _marks_of(str(self._folder / name) for name in KNOWN_NAMES)
        return marks | {"day": (today().toordinal(), 0, 0)} if marks else marks


class QuestionFiles:
    """The sheets of questions in the watched folder, read again once two looks found another state.

    One that cannot be used any more leaves what was in force. problems: of all sheets.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.watch
        self._paths: list[Path] = []
        self._marks: _Marks | None = None
        self._seen = self._look()
        self._sheets: dict[str, QuestionSheet] = {}
        self.problems: tuple[Problem, ...] = ()

    def look(self, profiles: Collection[str]) -> set[str] | None:
        """Read what has changed; the profiles that are asked something else then, None where nothing was read."""
        before, self._seen = self._seen, self._look()
        if self._seen == self._marks or (self._marks is not None and self._seen != before):
            return None
        self._marks = self._seen
        sheets = read_sheets(self._paths, profiles)
        earlier, self._sheets = self._sheets, {}
        for sheet in sheets:
            if (used := sheet if sheet.is_readable else earlier.get(sheet.profile)) is not None:
                self._sheets[sheet.profile] = used
        self.problems = tuple(problem for sheet in sheets for problem in sheet.problems)
        return {name for name in {*earlier, *self._sheets} if earlier.get(name) != self._sheets.get(name)}

    @property
    def questions(self) -> Questions:
        """What is in force."""
        return Questions(self._sheets.values())

    def _look(self) -> _Marks:
        """Listing a folder of many files takes long, so only one that has changed is listed."""
        folder = _marks_of([str(self._folder)])
        if self._marks is None or folder.items() - self._seen.items():
            self._paths = sheet_paths(self._folder)
        return folder | _marks_of(map(str, self._paths))


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
