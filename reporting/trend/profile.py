"""The trends of all profiles, kept up to date: what has changed is made again, the rest is kept."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from reporting.store import Chunks, KnownSets, PackedEntry, PackedRows, State, affected, joined
from reporting.trend.pages import MAX_RUNS, Latest, has_trend, trend_page, trend_row, trend_table, trend_text
from reporting.trend.runs import TrendRun, changed_since, csv_head, csv_row, figures_of, in_order
from scoring.comparison import OrderKey, name_of
from texts import Texts

_REACH = 2  # a run, and the next one, which says what changed since


class ProfileTrend:
    """The runs of one profile: a row of the table for each, and which metrics they have."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self._metrics: list[str] = []
        self._counted: Counter[str] = Counter()  # metric -> number of runs that have it
        self._figures: dict[str, tuple[str, ...]] = {}  # run -> its metrics
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # one object for the runs that have the same
        self._rows = PackedRows()
        self._shown: dict[str, str] = {}  # rows of the page

    def update(self, known: KnownSets, spots: Iterable[OrderKey]) -> None:
        """Make the rows at these places again."""
        runs = _shown_runs(known, self.profile)
        places = set(spots)
        for place in places:
            name = name_of(place)
            self._count(name, None if name in known.superseded else known.entries.get(name))
        metrics = in_order(+self._counted)
        if metrics != self._metrics:
            self._metrics, places = metrics, set(runs)
        for at in _reached(known, runs, places):
            name = name_of(runs[at])
            self._rows[name] = csv_row(_run(known, runs, at), metrics)
            self._shown.pop(name, None)

    def files(self, known: KnownSets, t: Texts) -> dict[str, Chunks]:
        """The page and the table by name. The profile has at least one run."""
        runs = _shown_runs(known, self.profile)
        latest = latest_runs(known, self.profile, MAX_RUNS)
        gate = known.entries[name_of(runs[-1])].unpack().gate
        metrics = self._metrics
        names = [name_of(place) for place in runs]
        self._rows.pack(names)
        self._shown = {run.name: self._shown.get(run.name) or trend_row(run, metrics, t) for run in latest}
        result = None if gate is None else gate.result
        shown = Latest(latest, list(self._shown.values()), len(runs), result)
        page = trend_text(self.profile, shown, metrics, t)
        return {
            trend_page(self.profile): lambda: iter((page.encode(errors="replace"),)),
            trend_table(self.profile): lambda: chain((csv_head(metrics),), joined(self._rows.of(names))),
        }

    def _count(self, name: str, entry: PackedEntry | None) -> None:
        """Count the metrics of a run that is new, another or gone."""
        figures: tuple[str, ...] = ()
        if entry is not None and (entry.state, entry.profile) == (State.REPORT, self.profile):
            figures = self._shared.setdefault(found := figures_of(entry.unpack().status.headline), found)
        before = self._figures.pop(name, ())
        self._counted.subtract(before)
        self._counted.update(figures)
        if figures:
            self._figures[name] = figures
        else:
            self._rows.discard(name)


class Trends:
    """The trends of the profiles that have a report."""

    def __init__(self, known: KnownSets) -> None:
        self._known = known
        self._changes = known.follow()
        self._profiles: dict[str, ProfileTrend] = {}

    def update(self) -> set[str]:
        """Take over what has changed; names of the profiles whose files may be others now."""
        names, spots = self._changes.take()
        for profile in spots:
            if profile not in self._known.runs:
                self._profiles.pop(profile, None)
            elif has_trend(profile):
                self._profiles.setdefault(profile, ProfileTrend(profile)).update(self._known, spots[profile])
        last = {profile for profile in self._profiles if name_of(self._known.runs[profile][-1]) in names}
        return set(spots) | last

    def profiles(self) -> list[str]:
        """The profiles that have a trend, by name."""
        return sorted(self._profiles)

    def files(self, profile: str, t: Texts) -> dict[str, Chunks]:
        """The files of one of the profiles."""
        return self._profiles[profile].files(self._known, t)


def latest_runs(known: KnownSets, profile: str, most: int) -> list[TrendRun]:
    """The last runs of a profile that has one, at most so many."""
    runs = _shown_runs(known, profile)
    return [_run(known, runs, at) for at in range(max(len(runs) - most, 0), len(runs))]


def _shown_runs(known: KnownSets, profile: str) -> list[OrderKey]:
    """The runs of a profile without those whose files another one has too."""
    runs = known.runs.get(profile, [])
    return [place for place in runs if name_of(place) not in known.superseded] if known.superseded else runs


def _reached(known: KnownSets, runs: list[OrderKey], places: Iterable[OrderKey]) -> Iterator[int]:
    """Indices of the runs whose rows a change at one of the places reaches, those behind damaged ones included."""
    near = {*affected(runs, places, _REACH)}
    for at in near:
        yield at
        for after in range(at + 1, len(runs)):
            if after in near or not known.entries[name_of(runs[after - 1])].unpack().status.damaged:
                break
            yield after


def _run(known: KnownSets, runs: list[OrderKey], at: int) -> TrendRun:
    """A run beside the last one before it that is not damaged, as it is compared."""
    entry = known.entries[name_of(runs[at])].unpack()
    earlier = (known.entries[name_of(runs[place])].unpack() for place in range(at - 1, -1, -1))
    before = next((one for one in earlier if not one.status.damaged), None)
    compared = entry.compared if entry.compared is not None and entry.compared.is_about(entry.status) else None
    run = TrendRun(entry.set_name, entry.status, info=entry.told.info, compared=compared, is_first=before is None)
    if before is None:
        return run
    return replace(run, changed=changed_since(before, entry), before=before.told.info)
