"""Which rubric scores a file of `scorewatch score`, and why none does."""

import difflib
from contextlib import suppress
from itertools import islice
from pathlib import Path

from cli.screen import typed
from config import DOCUMENT_SUFFIX, claiming, load_rubrics, profile_named, read_document, set_patterns
from scoring import Problem, RubricError
from scoring.reading import open_named
from scoring.rubric import EXCEPT, Rubric
from scoring.sets import is_accepted, names_packed, shown

_NO_PROFILE = "rubric-no-profile"
PATTERNS_NAMED = 3
_MOST_LOOKED_INTO = 20
LEVELS_PROFILE = "rubrics-score"  # scores a file that nobody claims by a rubric of levels


class Rubrics:
    """Which rubric scores a file: the documents in force, or what `--rubric` says instead.

    document: a full document scores every file that is named itself, and those of folders that its patterns claim; one
    with tables only is laid over the rubric that claims the file, and one of levels over that of LEVELS_PROFILE where
    no rubric claims a file that is named itself. Where no such file is, the name of a profile stands for its document.
    Raises RubricError when a full one is wrong; another one that does not fit leaves out the files of that profile
    alone. language: of the reports, which the documents in force are chosen by.
    """

    def __init__(self, folder: Path | None, document: Path | None, *, language: str) -> None:
        self._rubrics = load_rubrics(folder, language=language)
        self._document = document
        self._text = ""
        self._full: Rubric | None = None
        self._derived: dict[str, Rubric] = {}
        self._unfit: dict[str, RubricError] = {}  # "": as a rubric of levels
        self._read_over = ""  # profile that the document belongs to, where it is none of levels
        if document is not None and not document.suffix and not document.exists():
            self._full = profile_named(str(document), self._rubrics)
        elif document is not None:
            self._text = read_document(document)
            self._full = self._read_full(self._text, document)
        self.used: dict[str, Rubric] = {}

    def choose(self, base_name: str, *, is_named: bool) -> str | Problem | None:
        """Profile whose rubric scores the file, None when none claims it, a problem when several do."""
        try:
            rubric = self._choose(base_name, is_named)
        except RubricError as error:
            return error.problems[0]
        if rubric is None:
            return None
        self.used[rubric.profile] = rubric
        return rubric.profile

    @property
    def in_force(self) -> tuple[Rubric, ...]:
        """The documents in force, and the full one that was named."""
        named = () if self._full is None else (self._full,)
        return (*(rubric for rubric in self._rubrics if rubric.profile not in {one.profile for one in named}), *named)

    @property
    def patterns(self) -> tuple[str, ...]:
        """File patterns that are claimed."""
        rubrics = self._rubrics if self._full is None else (self._full,)
        return tuple(pattern for rubric in rubrics for pattern in rubric.files if not pattern.startswith(EXCEPT))

    @property
    def set_patterns(self) -> dict[str, str]:
        """Of profiles whose files outside of folders are put together."""
        return set_patterns(self.in_force)

    def problem_of(self, base_name: str, file: Path, *, path: str, is_named: bool) -> Problem | None:
        """Why no rubric scores a file; None for one that was not named itself and that nobody claims."""
        base = None if self._full is not None else claiming(base_name, self._rubrics)
        values = {"patterns": ", ".join(self.patterns), "document": shown(str(self._document))}
        if base is not None and base.profile in self._unfit:
            return Problem(code="rubric-unfit", source=path, values=values | {"profile": base.profile})
        if not is_named:
            return None
        if not is_accepted(base_name) and not names_packed(base_name):
            return Problem(code="unknown-extension", source=path, found=base_name)
        if self._read_over:
            taken = profile_named(self._read_over, self._rubrics).files
            values |= {"profile": self._read_over, "patterns": ", ".join(taken)}
            return Problem(code="rubric-other-profile", source=path, values=values)
        if "" in self._unfit:
            return Problem(code="rubric-fits-none", source=path, values=values)
        misnamed = self.misnamed(base_name, file, path=path)
        if misnamed is not None:
            return misnamed
        return Problem(code="not-claimed", source=path, values={"patterns": ", ".join(self._nearest(base_name))})

    def misnamed(self, base_name: str, file: Path, *, path: str) -> Problem | None:
        """What scores a file that none claims: a document beside it, or the profile whose columns match most."""
        from scoring.sets import closest_profile

        document = self._beside(base_name, file) if self._document is None else None
        if document is not None:
            command = f"scorewatch score {typed(file)} --rubric {typed(document)}"
            values = {"document": shown(str(document)), "command": command}
            return Problem(code="document-beside", source=path, values=values)
        try:
            with open_named(file) as stream:
                likely = closest_profile(stream, base_name, self.in_force)
        except OSError:
            return None
        return None if likely is None else likely.problem(path)

    @staticmethod
    def _beside(base_name: str, file: Path) -> Path | None:
        """A document that takes files of this name, beside the file or in the current folder; of a few looked into."""
        folders = dict.fromkeys((file.parent, Path()))
        paths = (path for folder in folders for path in sorted(folder.glob(f"*{DOCUMENT_SUFFIX}")))
        for path in islice(paths, _MOST_LOOKED_INTO):
            with suppress(RubricError):
                if claiming(base_name, (_parse(read_document(path), path, None),)) is not None:
                    return path
        return None

    def _nearest(self, base_name: str) -> list[str]:
        """The patterns most like a name, nearest first; those of its type only, where there are any."""
        stem, dot, suffix = base_name.lower().rpartition(".")
        stems = {
            pattern.removesuffix(dot + suffix): pattern for pattern in self.patterns if pattern.endswith(dot + suffix)
        }
        stems = stems or {pattern: pattern for pattern in self.patterns}
        return [stems[near] for near in difflib.get_close_matches(stem, stems, n=PATTERNS_NAMED, cutoff=0.0)]

    def faults(self) -> tuple[Problem, ...]:
        """What is wrong in the document itself, beyond that it says nothing for a profile."""
        if not self._unfit:
            return ()
        from scoring.rubric.document import is_not_understood

        errors = [error for error in self._unfit.values() if not is_not_understood(error)]
        return tuple({str(problem): problem for error in errors for problem in error.problems}.values())

    def _choose(self, base_name: str, is_named: bool) -> Rubric | None:
        if self._full is not None:
            return self._full if is_named else claiming(base_name, (self._full,))
        base = claiming(base_name, self._rubrics)
        if self._document is None:
            return base
        if base is None and is_named and self._has_levels(self._document):
            base = profile_named(LEVELS_PROFILE, self._rubrics)
        if base is None:
            return None
        if base.profile not in self._derived and base.profile not in self._unfit:
            try:
                self._derived[base.profile] = _parse(self._text, self._document, base)
            except RubricError as error:
                self._unfit[base.profile] = error
        return self._derived.get(base.profile)

    def _has_levels(self, document: Path) -> bool:
        """Is the document a rubric of levels, which scores any file?"""
        from scoring.rubric.document import Reading, read_any, says_levels_alone

        if self._read_over or "" in self._unfit:
            return False
        try:
            reading = read_any(self._text, source=str(document), bases=self._rubrics)
        except RubricError as error:
            self._unfit[""] = error
            return False
        if isinstance(reading, Reading) and not says_levels_alone(reading):
            self._read_over = reading.rubric.profile
            return False
        return True

    @staticmethod
    def _read_full(text: str, document: Path) -> Rubric | None:
        try:
            return _parse(text, document, None)
        except RubricError as error:
            if any(problem.code == _NO_PROFILE for problem in error.problems):
                return None
            raise


def _parse(text: str, document: Path, base: Rubric | None) -> Rubric:
    from scoring.rubric.document import parse_rubric

    return parse_rubric(text, source=str(document), base=base)
