"""A report, read from its folder."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cli import folder_of_report
from reporting.runs import StoredReport, UnreadableRunError
from reporting.store import CHARTS, PROBLEM_MD, REPORT_JSON
from scorewatch.rows import Items, Queries
from scorewatch.surroundings import RequestError, broken, within


class Chart(NamedTuple):
    """A chart of a report as SVG, which a notebook shows."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


class Finding(msgspec.Struct, frozen=True):
    """Something to look at. code: a heading of docs/errors.md. severity: `error` or `note`. count: of its places."""

    code: str
    severity: str
    count: int
    text: str


class Report:
    """The report of one set. Made by `read_report` and `score`; items and queries are read when they are asked for.

    folder: where it is. data: `report.json` as it is, every figure at full precision (docs/report-schema.md).
    """

    def __init__(self, folder: Path) -> None:
        """Raises RequestError for a folder without a report of this format."""
        try:
            self._stored = StoredReport(folder)
        except UnreadableRunError:
            raise broken(folder) from None
        self.folder = folder
        self.data: dict[str, Any] = self._stored.data

    def remove_with_last_use(self, folder: Path) -> None:
        """Remove a temporary folder once neither this report nor its items or queries are in use."""
        weakref.finalize(self._stored, shutil.rmtree, folder, ignore_errors=True)

    def __repr__(self) -> str:
        return f"<Report {self.set}: {len(self.items)} items, {self.profile}>"

    @property
    def set(self) -> str:
        """Name of the set."""
        return str(self.data["set"])

    @property
    def profile(self) -> str:
        """Name of the profile whose rubric document scored it."""
        return str(self.data["profile"])

    @property
    def engine_version(self) -> int:
        """Version of the engine that made it; runs of different engines compare only once they are scored again."""
        return int(self.data["engine_version"])

    @property
    def rounds(self) -> tuple[str, ...]:
        """Labels of the rounds, in their order."""
        return tuple(entry["label"] for entry in self.data["rounds"])

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Set value of each metric, in points of the rubric document (as a rule 0 to 5); None without one."""
        return dict(self.data["headline"]["metrics"])

    @property
    def intervals(self) -> Mapping[str, tuple[float, float] | None]:
        """Low and high end of the 95% interval of each metric, in points; None where there is none."""
        found = self.data["headline"]["intervals"]
        return {name: None if ends is None else (ends[0], ends[1]) for name, ends in found.items()}

    @property
    def answered_rate(self) -> float | None:
        """Share of the items that were answered, 0 to 1."""
        rate: float | None = self.data["headline"]["answered_rate"]
        return rate

    @property
    def pass_rate(self) -> float | None:
        """Share of the assessed items that passed, 0 to 1; None for a profile that names no pass."""
        rate: float | None = self.data["headline"]["pass_rate"]
        return rate

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What makes figures other than expected: rows that could not be used, columns that are missing."""
        return tuple(Finding(*(one[name] for name in Finding.__struct_fields__)) for one in self.data["findings"])

    @cached_property
    def items(self) -> Items:
        """The items, one by one in the order of the input."""
        return Items(self._stored)

    @cached_property
    def queries(self) -> Queries:
        """The queries over all rounds."""
        return Queries(self._stored)

    @property
    def charts(self) -> tuple[str, ...]:
        """Names of the charts, such as `metrics`."""
        return tuple(Path(name).stem for name in self.data["files"] if name.startswith(f"{CHARTS}/"))

    def chart(self, name: str) -> Chart:
        """A chart of the report. Raises RequestError for one that it does not have."""
        if name not in self.charts:
            raise RequestError(f"{self.set}: {name!r} is none of its charts: {', '.join(self.charts)}")
        return Chart((self.folder / CHARTS / f"{name}.svg").read_text(encoding="utf-8"))


Run = str | Path | Report


def read_report(run: str | Path) -> Report:
    """The report of a set: its name in the folder of reports of the settings (docs/reports), or the folder of a report.

    Raises RequestError where there is none, with the nearest names; SettingsError for settings that are wrong.
    """
    return Report(folder_of(run))


def folder_of(run: Run) -> Path:
    """The folder of the report that is named. Raises as `read_report`."""
    if isinstance(run, Report):
        return run.folder
    folder = within(None, lambda settings: folder_of_report(str(run), settings))
    if not (folder / REPORT_JSON).exists() and (folder / PROBLEM_MD).exists():
        raise RequestError((folder / PROBLEM_MD).read_text(encoding="utf-8"))
    return folder
