"""Which comparisons and front pages are missing or outdated, kept up to date with the folder of reports."""

import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from msgspec import UNSET

from reporting.runs.apart import RoundsApart
from reporting.runs.read import UnreadableRunError, read_run
from reporting.store import (
    BaselineFile,
    KnownDigests,
    KnownSets,
    PackedEntry,
    State,
    StatusFile,
    affected,
    digest_of_said,
    digest_of_sides,
    keep_asked,
    read_asked,
    read_pin,
    run_key,
    set_folder,
    summary_key,
)
from scoring import InputError
from scoring.comparison import (
    LEAST_BEFORE,
    MOST_BEFORE,
    Asked,
    Baseline,
    Chain,
    Hindrance,
    OrderKey,
    Origin,
    Overlaps,
    RunMark,
    asked_of_queries,
    name_of,
)
from scoring.items import ENGINE_VERSION

_MOST_ASKED = 4_096
RECENT = 20  # runs of a profile that are told to be worse again


def hindrance_of(status: StatusFile, *, is_superseded: bool) -> Hindrance:
    """Why a run is no baseline of others."""
    if status.damaged:
        return Hindrance.DAMAGED
    return Hindrance.SUPERSEDED if is_superseded else Hindrance.NONE


class BaselineAsk(NamedTuple):
    """What is to be made beside a report: its comparison, unless that is there, and its front page.

    key: of the run (`run_key`) of the set. baseline: None for a set without a report. summary: key of the front page.
    told: digest of what is said of the two runs, "" for nothing. known: of the lines of known failures. earlier: name
    and key of the run before it and of those that are the baseline of both, which say whether it is worse again; empty
    where none do.
    """

    set_name: str
    key: str
    baseline: Baseline | None
    summary: str = ""
    told: str = ""
    known: str = ""
    earlier: tuple[tuple[str, str], ...] = ()

    @property
    def history(self) -> str:
        """Digest of the earlier runs, "" for none."""
        return digest_of_said(self.earlier) if self.earlier else ""

    def is_met(self, found: BaselineFile | None, language: str) -> bool:
        """Is it the comparison that is asked for?"""
        if self.baseline is None:
            return True
        if found is None or found.told_of_runs != self.told or (self.earlier and found.history != self.history):
            return False
        if found.now_fails and (found.known or "") != self.known:
            return False
        if self.baseline.origin is Origin.PINNED and found.verdicts and found.shifts is UNSET:
            return False
        return found.fits(self.key, self.baseline, language=language, engine_version=ENGINE_VERSION)


class Baselines:
    """The baselines of the runs of one folder of reports, kept up to date. known: its sets.

    language, public_url, xlsx: as its `Destination` has them.
    """

    def __init__(self, known: KnownSets, *, language: str, public_url: str = "", xlsx: bool = False) -> None:
        self._known = known
        self._language = language
        self._public_url, self._xlsx = public_url, xlsx
        self._changes = known.follow()
        self._folders: dict[str, str] = {}  # digest of what is asked -> a set that asks it
        self._read_asked = lru_cache(maxsize=_MOST_ASKED)(self._find_asked)
        self._overlaps = Overlaps(self._asked)
        self._chains: dict[str, Chain] = {}
        self._pins: dict[str, str] = {}
        self._chosen: dict[str, Baseline] = {}  # by set
        self._digests = KnownDigests(known.out)
        self._rounds_apart = RoundsApart(known)
        self._apart: Mapping[str, tuple[str, ...]] = {}
        self._missing: dict[str, BaselineAsk] = {}

    def missing(self) -> list[BaselineAsk]:
        """The comparisons and front pages that are missing or outdated; by profile, in the order of the data.

        Reports of another engine are left to be made again first.
        """
        changed, spots = self._changes.take()
        names = {*changed}
        digests = KnownDigests(self._known.out)
        if digests.lines != self._digests.lines:
            names.update(self._known.entries)
        self._digests = digests
        apart = self._rounds_apart.keep()
        names.update(name for name, _ in apart.items() ^ self._apart.items())
        self._apart = apart
        for profile, places in spots.items():
            runs = self._known.runs.get(profile, [])
            names.update(name_of(runs[at]) for at in affected(runs, places, MOST_BEFORE + 2))
        for profile in {*spots, *self._known.runs}:
            for run, baseline in self._choose(profile, spots.get(profile, ())):
                names.add(run.name)
                self._chosen[run.name] = baseline
        for name in names:
            entry = self._known.entries.get(name)
            if entry is None or entry.state is not State.REPORT:
                self._chosen.pop(name, None)
            self._missing.pop(name, None)
            if entry is not None and (ask := self._missing_of(entry)) is not None:
                self._missing[name] = ask
        entries = self._known.entries
        ordered = sorted(self._missing, key=lambda name: (entries[name].profile, entries[name].order))
        return [self._missing[name] for name in ordered]

    def _choose(self, profile: str, spots: Iterable[OrderKey]) -> Iterator[tuple[RunMark, Baseline]]:
        """The runs of a profile whose baseline may be another now."""
        pin = read_pin(self._known.out, profile)
        if not spots and pin == self._pins.get(profile):
            return
        runs = self._known.runs.get(profile, [])
        here = {spot for spot in spots if (at := bisect_left(runs, spot)) < len(runs) and runs[at] == spot}
        chain = self._chains.setdefault(profile, Chain(self._overlaps))
        yield from chain.change(map(self._mark, here), {*spots} - here, pin=pin)
        if pin is None:
            self._pins.pop(profile, None)
        else:
            self._pins[profile] = pin
        if not runs:
            del self._chains[profile]

    def _missing_of(self, packed: PackedEntry) -> BaselineAsk | None:
        """What is to be made beside a report; None where it is there, or no run of this engine."""
        if packed.state is State.REPORT and packed.set_name not in self._chosen:
            return None
        entry = packed.unpack()
        status, baseline = entry.status, self._chosen.get(entry.set_name)
        if status.engine_version != ENGINE_VERSION:
            return None
        summary = summary_key(
            status,
            baseline,
            entry.gate,
            language=self._language,
            public_url=self._public_url,
            xlsx=self._xlsx,
            told=entry.told.digest,
            again=() if entry.compared is None or not entry.compared.is_about(status) else entry.compared.worse_again,
            known=self._digests[status.profile],
            apart=self._apart.get(entry.set_name, ()),
        )
        other = self._known.entries.get(baseline.name) if baseline is not None and baseline.exists else None
        told = "" if other is None else digest_of_sides(other.unpack().told.info, entry.told.info)
        earlier = () if other is None else self._earlier(packed)
        key, known = run_key(status.key, status.judge_digest), self._digests[status.profile]
        ask = BaselineAsk(entry.set_name, key, baseline, summary, told, known, earlier)
        return None if entry.summary == ask.summary and ask.is_met(entry.compared, self._language) else ask

    def _earlier(self, packed: PackedEntry) -> tuple[tuple[str, str], ...]:
        """The run before one of the latest and those that are the baseline of both; none where they are too few."""
        runs, pin = self._known.runs[packed.profile], self._pins.get(packed.profile)
        if len(runs) - bisect_left(runs, packed.order) > RECENT:
            return ()
        found = self._chains[packed.profile].comparable(packed.order, MOST_BEFORE + 1)
        if not found:
            return ()
        previous, *before = [(mark.name, mark.key) for mark in found]
        theirs = self._chosen.get(previous[0])
        if pin is not None or len(before) < LEAST_BEFORE:
            before = [(theirs.name, theirs.key)] if theirs is not None and theirs.exists else []
        return (previous, *before) if before else ()

    def _mark(self, place: OrderKey) -> RunMark:
        name = name_of(place)
        entry = self._known.entries[name]
        unpacked = entry.unpack()
        status = unpacked.status
        asked = sys.intern(status.asked)
        rules = f"{status.rubric_digest} {status.engine_version} {status.judged_by}"
        self._folders[asked] = name
        hindrance = hindrance_of(status, is_superseded=name in self._known.superseded)
        return RunMark(place, name, entry.run_key, asked, hindrance, unpacked.told.digest, sys.intern(rules))

    def _asked(self, digest: str) -> Asked:
        """What the question set asks; empty where it cannot be read now."""
        try:
            return self._read_asked(digest)
        except (KeyError, OSError, InputError, UnreadableRunError):
            return {}

    def _find_asked(self, digest: str) -> Asked:
        """What the question set asks; read from a report, and written down again, where that was lost."""
        asked = read_asked(self._known.out, digest)
        if asked is not None:
            return asked
        run = read_run(set_folder(self._known.out, self._folders[digest]))
        asked = asked_of_queries(run.queries.values())
        with suppress(OSError):
            keep_asked(self._known.out, asked)
        return asked
