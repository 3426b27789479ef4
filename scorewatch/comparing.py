"""Two runs compared query by query. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from cli import load_sides, spoken
from cli.score import Rubrics
from reporting.comparison import run_name
from reporting.data import Record, Value
from reporting.runs import comparison_files
from reporting.store import COMPARE_JSON
from scorewatch.reports import Report, Run
from scorewatch.rows import Rows
from scorewatch.surroundings import RequestError, within
from scoring.comparison import NoSharedQueryError, compare_runs

if TYPE_CHECKING:
    from cli.score import ScoreSettings


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One figure in one group of queries, before and after.

    kind: `all`, `track`, `category` or `slice`; group: its name, "" for all queries, of a slice `column=value`.
    queries: shared ones with a value on both sides; changed: of those. before, after, difference: means over them, in
    points, seconds or shares (0 to 1); low, high: 95% interval of the difference. p: two-sided. Each is None where
    there is none. verdict: `worse`, `better`, `changed`, `same`, `not-distinguishable`, `too-few` (a group of fewer
    than 10 queries), `not-comparable` or `no-value`. more: all other fields of `compare.json`.
    """

    kind: str
    group: str
    metric: str
    queries: int
    changed: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: str
    more: Mapping[str, Value] = {}


class Changes(Rows[Change]):
    """The changes of a comparison: all shared queries first, then tracks and categories."""


class Comparison:
    """Two runs compared. Made by `compare`. data: `compare.json` as it is (docs/compare.schema.json)."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<Comparison {self.data['before']['name']} → {self.data['after']['name']}: {self.verdict}>"

    @property
    def verdict(self) -> str:
        """What came of the leading figure, as in `Change`."""
        return str(self.data["verdict"])

    @property
    def sentence(self) -> str:
        """The same in words."""
        return str(self.data["sentence"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What else differs between the runs, in words, such as their rules."""
        return tuple(self.data["notes"])

    @property
    def shared(self) -> int:
        """How many queries both runs ask."""
        return int(self.data["shared"])

    @property
    def changes(self) -> Changes:
        """Every figure, over all shared queries first, then in each track, category and slice."""
        return Changes(Path(), lambda: _records(self.data), Change)

    @property
    def now_fails(self) -> tuple[str, ...]:
        """Query IDs of which every item passed before and none does now, the largest change first."""
        return self._queries("now_fails")

    @property
    def now_passes(self) -> tuple[str, ...]:
        """The same the other way round."""
        return self._queries("now_passes")

    @property
    def dropped(self) -> tuple[str, ...]:
        """Query IDs of the others whose score is lower now."""
        return self._queries("dropped")

    @property
    def rose(self) -> tuple[str, ...]:
        """Those whose score is higher now."""
        return self._queries("rose")

    def _queries(self, name: str) -> tuple[str, ...]:
        return tuple(one["query_id"] for one in self.data[name])


def compare(
    before: Run,
    after: Run,
    *,
    margin: float | None = None,
    rubric: str | Path | None = None,
    language: str | None = None,
) -> Comparison:
    """Compare two runs query by query: did it get worse?

    before, after: a Report, the name of a set, the folder of a report, or an input file, which is scored on the way;
    `NAME@ROUND` takes one round. margin: points by which a figure may fall. rubric: document or profile to score both
    anew by. language: of notes and sentence, None for that of the settings.

    Raises RequestError for a run that is not there and for runs that share no query, RefusedError, SettingsError.
    """
    return within(language, lambda settings: _compared([before, after], margin, rubric, settings))


def _compared(runs: list[Run], margin: float | None, rubric: str | Path | None, settings: ScoreSettings) -> Comparison:
    document = None if rubric is None else Path(rubric)
    names = [str(run.folder) if isinstance(run, Report) else str(run) for run in runs]
    rubrics = Rubrics(settings.rubrics, document, language=settings.language)
    sides = load_sides(names, settings, rubrics, is_named=document is not None)
    try:
        compared = compare_runs(*(side.run for side in sides), margin=margin)
    except NoSharedQueryError:
        t = spoken()
        before, after = (run_name(side.run, t) for side in sides)
        raise RequestError(t("compare.no-shared", before=before, after=after)) from None
    files = comparison_files(compared, language=settings.language)
    return Comparison(msgspec.json.decode(files[COMPARE_JSON]))


def _records(data: dict[str, Any]) -> Iterator[Record]:
    for of in data["groups"]:
        if of["kind"] == "slice":
            group = f"{of['column']}={of.get('value', '')}"
        else:
            group = "" if of["kind"] == "all" else str(of[of["kind"]])
        for change in of["metrics"]:
            yield {"kind": of["kind"], "group": group, **change}
