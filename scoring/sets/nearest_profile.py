"""The profile of a file whose name no document claims: the one whose columns it has."""

import io
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from scoring.problems import InputError, Problem
from scoring.reading import in_its_encoding, open_table
from scoring.rubric import EXCEPT, Rubric

LARGEST = 16 << 20  # bytes of a file that is looked into, which for a workbook or document is read as a whole
_FEWEST = 3  # required columns that say more than chance
_SHARE = 0.8  # of the required columns that have to be there


class Likely(NamedTuple):
    """A profile whose columns a file has. matched: of the required ones.

    name: of the file, as the profile would claim it; pattern: what that has to look like, as in `resume_agent_…`. Both
    are "" where the profile takes no such kind of file.
    """

    profile: str
    matched: int
    required: int
    name: str
    pattern: str

    @property
    def fits(self) -> bool:
        """Are so many of the columns there that only the name is wrong?"""
        return self.required >= _FEWEST and self.matched >= self.required * _SHARE and bool(self.pattern)

    def problem(self, path: str) -> Problem:
        """That the file is not scored: for its name alone, or because its columns are those of no profile."""
        values = {"profile": self.profile, "matched": str(self.matched), "required": str(self.required)}
        values |= {"name": self.name, "pattern": self.pattern}
        return Problem(code="name-of-no-profile" if self.fits else "columns-of-no-profile", source=path, values=values)


def likely_profile(stream: BinaryIO, name: str, rubrics: Iterable[Rubric]) -> Likely | None:
    """The profile whose columns the file has, None where none has enough of them. Raises OSError."""
    likely = closest_profile(stream, name, rubrics)
    return likely if likely is not None and likely.fits else None


def closest_profile(stream: BinaryIO, name: str, rubrics: Iterable[Rubric]) -> Likely | None:
    """The profile that shares most required columns with the file, None where none shares any. Raises OSError."""
    if stream.seek(0, io.SEEK_END) > LARGEST:
        return None
    found = [likely for rubric in rubrics if (likely := _likely(stream, name, rubric)) is not None]
    return max(found, key=lambda one: (one.fits, one.matched / one.required, one.required), default=None)


def _likely(stream: BinaryIO, name: str, rubric: Rubric) -> Likely | None:
    required = sum(column.required for column in rubric.columns)
    try:
        table = in_its_encoding(
            lambda encoding: open_table(stream, name, rubric.wanted_columns, records=rubric.records, encoding=encoding)
        )
    except InputError:
        return None
    matched = required - len(table.columns.missing)
    if not matched:
        return None
    before, after = _around_names(name, rubric) or ("", "")
    stem, dot, kind = name.rpartition(".")
    claimed = f"{before}{stem}{after}{dot}{kind.lower()}" if before or after else ""
    return Likely(rubric.profile, matched, required, claimed, f"{before}…{after}" if claimed else "")


def _around_names(name: str, rubric: Rubric) -> tuple[str, str] | None:
    """What a pattern of the profile wants before and after a name, whose kind of file it claims; None without one."""
    suffix = name[name.rfind(".") :].lower()
    for pattern in rubric.files:
        if not pattern.startswith(EXCEPT) and pattern.endswith(suffix) and pattern.count("*") == 1:
            before, _, after = pattern.removesuffix(suffix).partition("*")
            return before, after
    return None
