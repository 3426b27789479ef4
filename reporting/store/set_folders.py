"""The folder of reports, and that of one set in it: where it is, whether it is whole, which of its files are ours."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from urllib.parse import quote

from reporting.store.status import COMMIT_MARK, REPORT_JSON, STATUS, FileMark, State, StatusFile
from scoring import InputError, Problem
from scoring.reading import open_named, whole_hash
from scoring.sets import CsvTitles

REPORT_MD = "report.md"
REPORT_HTML = "report.html"
PROBLEM_MD = "problem.md"
PROBLEM_HTML = "problem.html"
CHANGES_MD = "changes.md"
CHANGES_HTML = "changes.html"
CHANGES_SVG = "changes.svg"
COMPARE_MD = "compare.md"  # like the changes pages no part of the report: its key and marks do not know it
COMPARE_HTML = "compare.html"
COMPARE_JSON = "compare.json"
BASELINE_JSON = "baseline.json"
RANKING_HTML = "ranking.html"  # of several sets, at the top of the folder of reports
RANKING_MD = "ranking.md"
RANKING_JSON = "ranking.json"
SUMMARY_HTML = "summary.html"  # the front page: made from the report, its comparison and its gate
SUMMARY_MD = "summary.md"
REPORT_XLSX = "report.xlsx"  # made with the front page, where it is asked for
TICKETS_CSV = "tickets.csv"  # made with the front page, of failures that no line of known.csv knows
ITEMS_CSV = "items.csv"
QUERIES_CSV = "queries.csv"
ROUNDS = "rounds"
CHARTS = "charts"
HISTORY = "history"
WORK_AREA = ".scorewatch"
ASKED_FOLDER = "asked"  # of the work area
DEFAULT_VERSIONS = 20
VERDICTS = "verdicts.jsonl"  # no part of a report: never removed, never in its marks
_PLACES = (ROUNDS, CHARTS, HISTORY, VERDICTS)
# The commit mark is removed first: without it the rest is no report.
_OWNED = (REPORT_JSON, REPORT_MD, REPORT_HTML, ITEMS_CSV, QUERIES_CSV, PROBLEM_MD, PROBLEM_HTML)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A folder of reports.

    language: of the pages. csv_titles: of the tables. strict: every file is on disk before it can be seen.
    history_versions: earlier versions of a set that stay under history/; the oldest goes first, 0 keeps none.
    public_url: web address of the folder, "" when none is known. xlsx: is there to be a workbook beside each report?
    """

    out: Path
    language: str
    csv_titles: CsvTitles = CsvTitles.FIELDS
    strict: bool = False
    history_versions: int = DEFAULT_VERSIONS
    public_url: str = ""
    xlsx: bool = False


def set_folder(out: Path, set_name: str) -> Path:
    """Folder of the set. It need not exist.

    Raises InputError (`output-outside`) when the name has an empty, `.`, `..` or hidden component or one with a
    NUL or backslash, or when a symbolic link on the way, or in place of a folder of ours or of the verdicts, leads
    out of `out`.
    """
    parts = set_name.split("/")
    if any(not part or part.startswith(".") or "\0" in part or "\\" in part for part in parts):
        raise _outside(set_name, set_name)
    folder = out.joinpath(*parts)
    for place in _links(out, parts):
        root, real = out.resolve(), Path(place).resolve()
        if not real.is_relative_to(root) or real == root:
            raise _outside(set_name, str(real))
    return folder


def link(set_name: str, file_name: str) -> str:
    """Relative link target from the output folder to a file of a set, percent-escaped."""
    return quote(f"{set_name}/{file_name}", safe="/-._~", errors="surrogateescape")


def work_area(out: Path, *parts: str) -> Path:
    """A folder of the shared work area, created if missing. The area is kept out of version control."""
    folder = out.joinpath(WORK_AREA, *parts)
    try:
        folder.mkdir()
    except FileExistsError:
        return folder
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
    _keep_out(out / WORK_AREA / ".gitignore")
    return folder


def _keep_out(ignored: Path) -> None:
    try:
        with suppress(FileExistsError), ignored.open("x") as stream:
            stream.write("*\n")
    except OSError:
        with suppress(OSError):
            ignored.unlink()  # not half of it; the next folder of the area writes it again
        raise


def status_of_set(out: Path, set_name: str) -> StatusFile | None:
    """status.json of a set; None when there is none that this version can read.

    Raises InputError when the name leads out of `out`.
    """
    return STATUS.read(set_folder(out, set_name))


def _links(out: Path, parts: Sequence[str]) -> list[str]:
    """The paths that must be resolved to know where they lead."""
    way = [f"{out}/{'/'.join(parts[: depth + 1])}" for depth in range(len(parts))]
    folder, modes = way[-1], [_mode(path) for path in way]
    inner = [f"{folder}/{name}" for name in _PLACES] if modes[-1] else []
    followed = [path for path in inner if S_ISLNK(_mode(path))]
    # A folder of Windows can be a junction, which is no link to `lstat`.
    return [folder, *followed] if sys.platform == "win32" or any(map(S_ISLNK, modes)) else followed


def _mode(path: str) -> int:
    """0 when nothing is there."""
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def verify_set(out: Path, set_name: str, *, deep: bool = True) -> bool:
    """Does the folder hold, whole, what its status.json says? deep: compare hashes too, not only sizes."""
    try:
        folder = set_folder(out, set_name)
    except InputError:
        return False
    status = STATUS.read(folder)
    return status is not None and is_whole(folder, status, deep=deep)


def is_whole(folder: Path, status: StatusFile, *, deep: bool = True) -> bool:
    """The same for a status that was read already."""
    if not status.files or not _match(folder, status.files, deep=deep):
        return False
    if status.state is State.PROBLEM:
        return True
    mark = COMMIT_MARK.read(folder)
    return mark is not None and mark.key == status.key and _match(folder, mark.files, deep=deep)


def remove_stale(folder: Path, keep: Mapping[str, object]) -> None:
    """Remove files of an earlier version that are not among `keep` (names relative to the folder).

    Only names that a report itself has are removed: other files and the folders of nested sets stay.
    """
    for name in report_files(folder):
        if name not in keep:
            (folder / name).unlink(missing_ok=True)
    rounds, charts = folder / ROUNDS, folder / CHARTS
    inner = [*rounds.iterdir(), rounds] if rounds.is_dir() else []
    for entry in [*inner, charts]:
        with suppress(OSError):  # not empty, or no folder
            entry.rmdir()


def report_files(folder: Path) -> Iterator[str]:
    """Names of the report's own files that exist, the commit mark first. Raises OSError."""
    for name in _OWNED:
        if (folder / name).is_file() or (folder / name).is_symlink():
            yield name
    # `glob` would leave out what may not be listed.
    tracks = [path for entry in _listed(folder / ROUNDS) for path in _listed(entry) if path.match("track-*.md")]
    charts = [path for path in _listed(folder / CHARTS) if path.suffix == ".svg"]
    for path in sorted([*tracks, *charts]):
        yield path.relative_to(folder).as_posix()


def _listed(folder: Path) -> list[Path]:
    """The entries of a folder; none when it is none. Raises OSError."""
    try:
        return list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _match(folder: Path, marks: Mapping[str, FileMark], *, deep: bool) -> bool:
    """All sizes first: that is cheap, and detects most damage."""
    try:
        for name, mark in marks.items():
            found = (folder / name).lstat()
            if not S_ISREG(found.st_mode) or found.st_size != mark.size:
                return False
        return not deep or all(_sha256(folder / name) == mark.sha256 for name, mark in marks.items())
    except (OSError, ValueError):
        return False


def _sha256(path: Path) -> str:
    with open_named(path) as stream:
        return whole_hash(stream).sha256


def _outside(set_name: str, found: str) -> InputError:
    return InputError((Problem(code="output-outside", source=set_name, found=found),))
