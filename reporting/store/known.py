"""`known.json`: the lines of `known.csv` in force for a folder of reports, as they were read, with the day's state.

Whoever looks at the watched folder writes it; gates, front pages and JUnit read it. So all of them say the same,
whatever machine they are made on, and a line gets overdue once for all.
"""

from collections.abc import Collection
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from reporting.store.set_folders import work_area
from reporting.store.stored_file import StoredFile, encode_json, write_atomic
from scoring import Problem, system_error
from scoring.known import KnownLines, read_known
from scoring.reading import open_named
from scoring.sets import KNOWN_NAMES

KNOWN_JSON = "known.json"
KNOWN = StoredFile(KnownLines, KNOWN_JSON, 1)


def known_in(folder: Path, *, profiles: Collection[str], ticket_url: str, today: date) -> KnownLines | None:
    """The lines of the file in a folder; None without one. One that cannot be read is said to be there."""
    names = [name for name in KNOWN_NAMES if (folder / name).is_file()]
    if not names:
        return None
    if len(names) > 1:
        problem = Problem(code="table-twice", source=names[0])
        return KnownLines(name=names[0], problems=(problem,), is_readable=False, ticket_url=ticket_url)
    name = names[0]
    try:
        with open_named(folder / name) as stream:
            found = read_known(stream, name, profiles=profiles, today=today)
    except OSError as error:
        return KnownLines(name=name, problems=(system_error("unreadable", error, name),), is_readable=False)
    return replace(found, ticket_url=ticket_url)


def keep_known(out: Path, lines: KnownLines | None) -> bool:
    """These lines are in force for a folder of reports. Returns whether others were. Raises OSError."""
    if KNOWN.read(out) == lines:
        return False
    if lines is None:
        KNOWN.remove(out)
    else:
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(out / KNOWN_JSON, encode_json(lines), temporary=work_area(out, "tmp"))
    return True


class KnownDigests(dict[str, str]):
    """Profile -> digest of the lines for its sets, "" without a file of known failures. out: folder of the reports."""

    def __init__(self, out: Path) -> None:
        super().__init__()
        self.lines = KNOWN.read(out)

    def __missing__(self, profile: str) -> str:
        digest = self[profile] = "" if self.lines is None else self.lines.of(profile).digest
        return digest


def known_of(folder: Path, set_name: str, profile: str) -> KnownLines | None:
    """The lines for the set in a folder; None where there is no file of known failures."""
    above = folder.absolute().parents
    lines = KNOWN.read(above[min(set_name.count("/"), len(above) - 1)])  # a report that was copied may lie anywhere
    return None if lines is None else lines.of(profile)
