"""Which comparisons with a baseline are missing or outdated, from a look at the folder of reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from reporting.comparison.runs import UnreadableRunError, read_run
from reporting.index.rows import IndexEntry, order_of
from reporting.store.asked import keep_asked, read_asked
from reporting.store.baseline import BaselineFile, run_key
from reporting.store.pins import read_pins
from reporting.store.set_folder import set_folder
from reporting.store.status import State
from scoring.comparison.asked import Asked, asked_of_queries
from scoring.comparison.baseline import Baseline, Overlaps, RunMark, choose_baselines
from scoring.items.part import ENGINE_VERSION
from scoring.problems import InputError

_MOST_ASKED = 4_096


class BaselineAsk(NamedTuple):
    """A comparison to make. key: of the run (`run_key`) of the set."""

    set_name: str
    key: str
    baseline: Baseline

    def is_met(self, found: BaselineFile, language: str) -> bool:
        """Is it the comparison that is asked for?"""
        return found.fits(self.key, self.baseline, language=language, engine_version=ENGINE_VERSION)


class Baselines:
    """Chooses the baselines of the runs in one folder of reports. It remembers what runs ask from look to look."""

    def __init__(self, out: Path, *, language: str) -> None:
        self._out = out
        self._language = language
        self._folders: dict[str, str] = {}  # digest of what is asked -> a set that asks it
        self._marks: dict[str, tuple[IndexEntry, RunMark]] = {}
        self._overlaps = Overlaps(lru_cache(maxsize=_MOST_ASKED)(self._asked))

    def choose(self, entries: Iterable[IndexEntry]) -> Iterator[tuple[IndexEntry, BaselineAsk]]:
        """Every report with the comparison that belongs beside it; profile by profile in the order of the data."""
        pins = read_pins(self._out)
        profiles: defaultdict[str, list[RunMark]] = defaultdict(list)
        by_name = {}
        for entry in entries:
            if entry.status.state is State.REPORT:
                by_name[entry.set_name] = entry
                profiles[entry.status.profile].append(self._mark(entry))
        for profile, runs in sorted(profiles.items()):
            for run, baseline in choose_baselines(runs, pins.get(profile), self._overlaps):
                yield by_name[run.name], BaselineAsk(run.name, run.key, baseline)

    def missing(self, entries: Iterable[IndexEntry]) -> list[BaselineAsk]:
        """The comparisons that are missing or outdated. Reports of another engine are left to be made again first."""
        return [
            ask
            for entry, ask in self.choose(entries)
            if entry.status.engine_version == ENGINE_VERSION
            and (entry.compared is None or not ask.is_met(entry.compared, self._language))
        ]

    def _mark(self, entry: IndexEntry) -> RunMark:
        known = self._marks.get(entry.set_name)
        if known is not None and known[0] is entry:
            return known[1]
        status = entry.status
        self._folders[status.asked] = entry.set_name
        mark = RunMark(order_of(entry), entry.set_name, run_key(status.key, status.judge_digest), status.asked)
        self._marks[entry.set_name] = entry, mark
        return mark

    def _asked(self, digest: str) -> Asked:
        """What the question set asks; read from a report, and written down again, where that was lost."""
        asked = read_asked(self._out, digest)
        if asked is not None:
            return asked
        try:
            run = read_run(set_folder(self._out, self._folders[digest]))
            asked = asked_of_queries(run.queries.values())
            keep_asked(self._out, asked)
        except (KeyError, OSError, InputError, UnreadableRunError):
            return asked or {}
        return asked
