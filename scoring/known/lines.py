"""Reads `known.csv` or `known.xlsx`: which failures a team knows, until when, and under which ticket (docs/known.md).

Every filled row becomes a line or a problem with its cell. Whoever reads it says which day it is.
"""

import hashlib
from collections.abc import Collection, Iterator
from datetime import date
from enum import StrEnum
from typing import BinaryIO

import msgspec

from scoring.problems import InputError, Problem
from scoring.reading import read_small_table
from scoring.rubric import Column
from scoring.text import cut, known_text, uncovered
from scoring.times import read_times
from texts import words

MOST_LINES = 5_000
FORMAT_VERSION = 1
_TITLES = words("known-columns")
_RESOLUTIONS = words("known-resolutions")
_COLUMNS = tuple(
    Column(name=name, title=titles[0], aliases=titles[1:], required=name == "resolution")
    for name, titles in _TITLES.items()
)
KNOWN_COLUMNS = tuple(_TITLES)
_CELL_CHARACTERS = 500


class Resolution(StrEnum):
    """What a team does about a failure, in the words of Allure."""

    KNOWN = "known"
    MUTED = "muted"
    ACCEPTED = "accepted"


_NEEDED = {Resolution.KNOWN: "ticket", Resolution.MUTED: "until", Resolution.ACCEPTED: "reason"}


class KnownLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line. row: as a spreadsheet shows it. profile: "" for every one. query_id, pattern, track: "" for any.

    until: the last day on which it counts, as ISO, "" for no end. is_overdue: that day is over.
    """

    row: int
    resolution: Resolution
    profile: str = ""
    query_id: str = ""
    pattern: str = ""
    track: str = ""
    ticket: str = ""
    reason: str = ""
    owner: str = ""
    until: str = ""
    is_overdue: bool = False


class KnownLines(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds. name: of the file. problems: of rows that do not count, or of the whole file.

    is_readable: False where nothing can be said of any line. ticket_url: of the settings, "" without one.
    """

    format_version: int = FORMAT_VERSION
    name: str
    lines: tuple[KnownLine, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True
    ticket_url: str = ""

    def of(self, profile: str) -> "KnownLines":
        """The lines for the sets of one profile."""
        lines = tuple([line for line in self.lines if line.profile in {"", profile}])
        return msgspec.structs.replace(self, lines=lines)

    @property
    def digest(self) -> str:
        """Half a SHA-256 (hex) of all of it: what is said with other lines is said again."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


def read_known(stream: BinaryIO, name: str, *, profiles: Collection[str], today: date) -> KnownLines:
    """The lines of a file. stream: seekable. profiles: that a line may name. Raises OSError."""
    try:
        columns, rows, problems = read_small_table(stream, name, _COLUMNS, most=MOST_LINES)
    except InputError as error:
        return KnownLines(name=name, is_readable=False, problems=tuple(one.at(name) for one in error.problems))
    lines = []
    for number, cells in rows:
        told = {field: known_text(uncovered(cell.strip()))[:_CELL_CHARACTERS] for field, cell in cells.items()}
        read = _read(number, told, profiles, today)
        if isinstance(read, KnownLine):
            lines.append(read)
        else:
            code, field, values = read
            at = columns.at.get(field)
            title = _TITLES[field][0] if at is None else columns.header[at]
            found = cut(told.get(field, ""))
            problems.append(Problem(code=code, source=name, row=number, column=title, found=found, values=values))
    return KnownLines(name=name, lines=tuple(lines), problems=tuple(problems))


_Fault = tuple[str, str, dict[str, str]]  # code, field, values


def _read(row: int, told: dict[str, str], profiles: Collection[str], today: date) -> KnownLine | _Fault:
    resolution = next((one for one, names in _resolutions() if told["resolution"].casefold() in names), None)
    if resolution is None:
        return "known-word", "resolution", {"known": ", ".join(names[0] for names in _RESOLUTIONS.values())}
    if told.get("profile") and told["profile"] not in profiles:
        return "known-word", "profile", {"known": ", ".join(sorted(profiles))}
    if not told.get("query_id") and not told.get("pattern"):
        return "known-blank", "query_id", {"or": _TITLES["pattern"][0]}
    needed = _NEEDED[resolution]
    if not told.get(needed):
        return "known-needed", needed, {"resolution": resolution}
    until = told.get("until", "")
    day = read_times([until]).get(until)
    if until and day is None:
        return "known-date", "until", {}
    last = "" if day is None else day.date().isoformat()
    fields = {name: told.get(name, "") for name in ("profile", "query_id", "pattern", "track")}
    fields |= {name: told.get(name, "") for name in ("ticket", "reason", "owner")}
    is_overdue = bool(last) and last < today.isoformat()
    return KnownLine(row=row, resolution=resolution, until=last, is_overdue=is_overdue, **fields)


def _resolutions() -> Iterator[tuple[Resolution, tuple[str, ...]]]:
    return ((Resolution(name), names) for name, names in _RESOLUTIONS.items())
