"""`run.json` beside a report: what the files `run.toml` say of the run. It is no part of the report.

Columns of the inputs say it in `status.json`. What files say is read where the inputs are, by the watcher or `score`.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from reporting.store.status import STATUS, StatusFile
from reporting.store.stored_file import StoredFile
from reporting.wording import describe
from scoring import Problem, system_error
from scoring.reading import open_named
from scoring.sets import MOST_RUN_INFO_BYTES, RunInfo, read_run_info, shown

FORMAT_VERSION = 1
RUN_JSON = "run.json"


class RunInfoFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `run.json`. problems: what is wrong in the files, as people read it.

    replaces_in: the file that says whose place the run takes, left out where none does.
    """

    format_version: int = FORMAT_VERSION
    info: RunInfo = RunInfo()
    problems: tuple[str, ...] = ()
    replaces_in: str | UnsetType = UNSET

    @property
    def digest(self) -> str:
        """Of all that it says, "" for nothing."""
        return digest_of_said([self.info, self.problems]) if self.info.said or self.problems else ""


def digest_of_said(said: object) -> str:
    """Half a SHA-256 (hex) of what is said of runs."""
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:32]


def digest_of_sides(before: RunInfo, after: RunInfo) -> str:
    """What is said of the two runs of a comparison, "" for nothing."""
    return digest_of_said([before, after]) if before.said or after.said else ""


RUN_INFO = StoredFile(RunInfoFile, RUN_JSON, FORMAT_VERSION)


class SaidOfRun(NamedTuple):
    """What files say of a run, None where there are none, and what is wrong in them.

    replaces_in: the file that says whose place it takes, "" for none.
    """

    info: RunInfo | None
    problems: tuple[Problem, ...]
    replaces_in: str = ""


def read_run_files(files: Iterable[tuple[str, str]]) -> SaidOfRun:
    """What files say of a run, the later ones over the earlier. files: path as people know it, and where it is."""
    info: RunInfo | None = None
    problems: list[Problem] = []
    replaces_in = ""
    for name, path in files:
        try:
            with open_named(path) as stream:
                data = stream.read(MOST_RUN_INFO_BYTES + 1)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(system_error("unreadable", error, shown(name)))
            continue
        said, wrong = read_run_info(data, shown(name))
        info = said if info is None else said.over(info)
        problems += wrong
        replaces_in = shown(name) if said.replaces else replaces_in
    return SaidOfRun(RunInfo() if info is None and problems else info, tuple(problems), replaces_in)


def keep_run_info(folder: Path, said: SaidOfRun, language: str) -> bool:
    """Write `run.json` of a set, or remove it. Returns whether anything changed. Raises OSError."""
    if said.info is None:
        is_there = (folder / RUN_JSON).exists()
        RUN_INFO.remove(folder)
        return is_there
    problems = tuple(describe(problem, language) for problem in said.problems)
    file = RunInfoFile(info=said.info, problems=problems, replaces_in=said.replaces_in or UNSET)
    if RUN_INFO.read(folder) == file:
        return False
    RUN_INFO.write(folder, file)
    return True


def told_of_run(status: StatusFile | None, file: RunInfoFile | None) -> RunInfoFile:
    """What is said of a run: files win over columns."""
    columns = RunInfo() if status is None or status.run is UNSET else status.run
    if file is None:
        return RunInfoFile(info=columns)
    return msgspec.structs.replace(file, info=file.info.over(columns))


def run_info_in(folder: Path) -> RunInfoFile:
    """What is said of the run whose report is in a folder."""
    return told_of_run(STATUS.read(folder), RUN_INFO.read(folder))
