"""Findings: whatever makes a figure other than a reader expects, counted by code (docs/scoring.md#9-findings)."""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

import msgspec

from scoring.problems import MAX_LISTED_PROBLEMS, SEVERITIES, Problem, Severity

_ORDER = {code: number for number, code in enumerate(SEVERITIES, start=1)}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of thing to look at.

    count: how often it was met, in the unit of its code (cells, rows, queries, files). places: the first ones, at most
    MAX_LISTED_PROBLEMS; empty where a finding is about the set as a whole.
    """

    code: str
    count: int
    places: tuple[Problem, ...] = ()

    @property
    def severity(self) -> Severity:
        """How much it takes away from the result."""
        return SEVERITIES.get(self.code, Severity.REFUSED)


class FindingLog:
    """Counts what is met by code, and keeps the first places of each code.

    row_unit: what the rows of a file are, where they are no rows of a table; see `Problem`.
    """

    def __init__(self, *, row_unit: str = "") -> None:
        self._row_unit = row_unit
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[Problem]] = {}
        self._refused: set[tuple[str, str]] = set()

    def add(self, place: Problem, count: int = 1) -> None:
        """Count one place, which stands for `count` cells, rows, queries or files.

        A file that is refused for several places of one code counts once.
        """
        if place.severity is Severity.REFUSED:
            refusal = place.code, place.source
            count = 0 if refusal in self._refused else count
            self._refused.add(refusal)
        self._counts[place.code] = self._counts.get(place.code, 0) + count
        self._keep(self._places.setdefault(place.code, []), place)

    def add_first(self, places: Iterable[Problem], total: int) -> None:
        """Count `total` places of one code; only the first of them, which are listed, are taken from `places`."""
        listed = list(islice(places, min(total, MAX_LISTED_PROBLEMS)))
        for place in listed:
            self.add(place)
        if listed:
            self._counts[listed[0].code] += total - len(listed)

    def _keep(self, places: list[Problem], place: Problem) -> None:
        if len(places) < MAX_LISTED_PROBLEMS:
            places.append(self._named(place))

    def _named(self, place: Problem) -> Problem:
        return replace(place, row_unit=self._row_unit) if self._row_unit else place

    def add_all(self, findings: Iterable[Finding], source: str) -> None:
        """Add the findings of one file, named in their places."""
        for finding in findings:
            self._counts[finding.code] = self._counts.get(finding.code, 0) + finding.count
            places = self._places.setdefault(finding.code, [])
            places += (place.at(source) for place in finding.places[: MAX_LISTED_PROBLEMS - len(places)])

    def drop_rows(self, rows: Mapping[tuple[str, int], Iterable[str]]) -> None:
        """Count no longer what some rows gave. rows: by file and number the codes, each as often as it was counted."""
        gone = Counter(chain.from_iterable(rows.values()))
        for code, n in gone.items():
            self._counts[code] -= n
            self._places[code] = [
                place for place in self._places[code] if code not in rows.get((place.source, place.row or 0), ())
            ]
            if not self._counts[code]:
                del self._counts[code], self._places[code]

    def count(self, code: str) -> int:
        """How often a code was met so far."""
        return self._counts.get(code, 0)

    def places(self, code: str) -> list[Problem]:
        """The first places of a code."""
        return list(self._places.get(code, ()))

    def findings(self) -> tuple[Finding, ...]:
        """Everything met, the worst first, then in the order of `SEVERITIES`."""
        codes = sorted(self._counts, key=lambda code: (_ORDER.get(code, 0), code))
        return tuple(
            Finding(code=code, count=self._counts[code], places=tuple(self._places.get(code, ()))) for code in codes
        )


class FileLog(FindingLog):
    """The findings of one file: the first places of a code are kept in the order of rows, whichever come first.

    by_row: codes of the places of single rows, as they are met; whoever makes items of the rows takes them from here.
    """

    def __init__(self, *, row_unit: str = "") -> None:
        super().__init__(row_unit=row_unit)
        self.by_row: defaultdict[int, list[str]] = defaultdict(list)
        self._are_rows_read = False

    def add(self, place: Problem, count: int = 1) -> None:
        """Count one place as every log does, and note the code of a single row."""
        super().add(place, count)
        if place.row is not None and count == 1 and not self._are_rows_read:
            self.by_row[place.row].append(place.code)

    def finish_rows(self) -> None:
        """All rows are read: what is added from now on is about them together, and keeps its order."""
        self._are_rows_read = True

    def _keep(self, places: list[Problem], place: Problem) -> None:
        if self._are_rows_read:
            super()._keep(places, place)
            return
        if len(places) == MAX_LISTED_PROBLEMS:
            if _row_of(place) >= _row_of(places[-1]):
                return
            places.pop()
        insort(places, self._named(place), key=_row_of)

    def absorb(self, findings: Iterable[Finding], moved: Callable[[Problem], Problem]) -> None:
        """Add the findings of the next rows. moved: a place of theirs as the whole file has it."""
        for finding in findings:
            self._counts[finding.code] = self._counts.get(finding.code, 0) + finding.count
            places = self._places.setdefault(finding.code, [])
            for place in finding.places:
                self._keep(places, moved(place))

    def take_back(self, findings: Sequence[Finding]) -> frozenset[str]:
        """Count findings of this file no longer, of rows that count for nothing.

        Returns the codes of which there are places that are not kept: more than were kept before have come first.
        """
        for finding in findings:
            n = self._counts.pop(finding.code, 0) - finding.count
            places = self._places.pop(finding.code, [])
            if n > 0:
                self._counts[finding.code] = n
                self._places[finding.code] = [place for place in places if place not in finding.places]
        return frozenset(
            finding.code
            for finding in findings
            if len(self._places.get(finding.code, ())) < min(self.count(finding.code), MAX_LISTED_PROBLEMS)
        )

    def show(self, findings: Iterable[Finding]) -> None:
        """Take the places of findings that are counted already."""
        for finding in findings:
            self._places[finding.code] = list(finding.places)


class RowCounts(Counter[str]):
    """Data quality by code. by_row: what single rows were counted for, until the items of these rows are made."""

    def __init__(self) -> None:
        super().__init__()
        self.by_row: defaultdict[int, list[str]] = defaultdict(list)

    def note(self, row_number: int, *codes: str) -> None:
        """Count a row once for each code."""
        self.update(codes)
        self.by_row[row_number] += codes


def _row_of(place: Problem) -> int:
    return place.row or 0


def group_problems(problems: Iterable[Problem]) -> tuple[Finding, ...]:
    """Problems by code, as findings."""
    log = FindingLog()
    for problem in problems:
        log.add(problem, problem.times)
    return log.findings()
