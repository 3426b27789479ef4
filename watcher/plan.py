"""Makes plans of the settled files, and decides which of them share a task. No disk, no queue.

Files are grouped into sets, and folder sets wait until they are quiet. With hundreds of small files, a task for each
would cost a fifth of the time of scoring it. The sets of one task are otherwise independent: each settles, fails and is
asked for again by itself.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import NamedTuple

from scoring import Problem, RubricError
from scoring.comparison import numbered
from scoring.judging import JudgeIdentity
from scoring.questions import Questions
from scoring.rubric import Rubric
from scoring.sets import (
    NO_PATTERNS,
    RUN_TOML,
    Clash,
    CsvTitles,
    Grouping,
    InputSet,
    Plan,
    PlannedInput,
    Refusal,
    ReportBasis,
    escape_path,
    flat_set_name,
    group_into_sets,
    is_run_file,
    place_of,
    plan_set,
    refuse_clash,
    refuse_link,
    run_files,
    shown,
)
from watcher.inputs import InputFiles
from watcher.reviews import ReviewFiles

REGROUP_REST = 5.0  # times as long as grouping took
LONGEST_REST_SECONDS = 2.0
MOST_READY = 1_000  # sets that a step plans
MOST_PLACES = 1_000  # that are grouped at a time: of many files together it takes a kilobyte of memory each
MOST = 8
BUNDLE_BYTES = 8 << 20  # of inputs in one task: a second of work
LEAST_TASKS = 32  # for all outstanding sets, so that every worker has work to the end


class Wanted(NamedTuple):
    """A set whose inputs are all settled. fresh: at least one was dropped while we watched."""

    plan: Plan
    fresh: bool


class Planner:
    """Groups the files into sets, and makes a plan of each set whose files have changed and are settled.

    claiming: shown base name -> the rubric whose profile claims it, None when none does; raises RubricError when
    several do. judge: None when none is configured. reviews: None reads no grades of people. unclaimed: shown paths.
    patterns: as for `group_into_sets`. retold: sets of whose runs people may say something else; the reader empties it.
    """

    def __init__(
        self,
        files: InputFiles,
        claiming: Callable[[str], Rubric | None],
        *,
        language: str,
        set_quiet_seconds: float,
        csv_titles: CsvTitles = CsvTitles.FIELDS,
        judge: JudgeIdentity | None = None,
        reviews: ReviewFiles | None = None,
        patterns: Mapping[str, str] = NO_PATTERNS,
    ) -> None:
        self._files = files
        self._reviews = reviews
        self._claiming, self._patterns = claiming, patterns
        self.language = language
        self._csv_titles = csv_titles
        self._judge = judge
        self._quiet_seconds = set_quiet_seconds
        self._bases: dict[str, ReportBasis] = {}  # by profile
        self._rubrics: dict[str, Rubric] = {}  # of these
        self._questions = Questions()
        self._with_questions: dict[str, ReportBasis] = {}  # by digest of the rubric
        self._grouped_by: dict[str, ReportBasis] = {}  # at the last grouping
        self._quiet_at = math.inf
        self._places: dict[str, Grouping] = {}  # but those of one set that is named as its place: nearly all
        self._left: dict[str, Grouping] = {}  # places as they were before patterns changed
        self._moved = {*files.came_at}  # paths whose places are to be grouped again
        self._dirty: set[str] = set()
        self._run_files: set[str] = set()
        self._regroup_at = 0.0
        self.retold: set[str] = set()
        self.sets: dict[str, InputSet] = {}
        self.clashes: tuple[Clash, ...] = ()
        self.unclaimed: tuple[str, ...] = ()

    def use(self, claiming: Callable[[str], Rubric | None], patterns: Mapping[str, str] = NO_PATTERNS) -> None:
        """Rubrics have changed: group again, and plan the sets anew whose rubric is another."""
        if patterns != self._patterns:
            self._left |= {name: self._at(name) for name in self.sets} | self._places
        self._claiming, self._patterns, self._bases = claiming, patterns, {}
        self._moved.update(self._files.came_at)
        self._regroup_at = 0.0  # before any plan, which needs the bases

    def ask(self, questions: Questions, profiles: Collection[str]) -> None:
        """Sheets of questions have changed: plan the sets of these profiles anew."""
        self._questions = questions
        self._with_questions = {}
        self._dirty.update(name for name, group in self.sets.items() if group.profile in profiles)

    @property
    def must_group(self) -> bool:
        """Did files come or go since the last grouping?"""
        return bool(self._moved or self._files.moved)

    def is_waiting(self, *, without: Container[str] = ()) -> bool:
        """Are there sets without a plan of their present files, other than those with an input in `without`?"""
        return self.must_group or any(
            not any(path in without for path in self.sets[name].inputs) for name in self._dirty if name in self.sets
        )

    def changed(self, paths: Iterable[str]) -> None:
        """The content at these paths is new or gone."""
        paths = tuple(paths)
        if self._reviews is not None and paths:
            graded = self._reviews.look_at(paths, self._files.content)
            if graded is not None:
                self._moved.update(paths)
                self.graded(graded)
        changed = defaultdict[str, set[str]](set)
        for path in paths:
            if is_run_file(path.rpartition("/")[2]):
                self._take_run_file(path)
            else:
                changed[self._place_of(path)].add(path)
        for place, here in changed.items():
            known = self._at(place)
            self._moved |= here.difference(known.paths)
            self._dirty.update(group.name for group in known.sets if not here.isdisjoint(group.inputs))

    def _take_run_file(self, path: str) -> None:
        """A file that says what a run was is new, another or gone."""
        (self._run_files.add if path in self._files.content else self._run_files.discard)(path)
        self.retold.update(self._told_by(path))

    def _told_by(self, path: str) -> list[str]:
        """The sets of whose runs a file speaks."""
        file = path.removesuffix(f".{RUN_TOML}")  # of the folder: unchanged
        found = self._at(self._place_of(file)).sets
        return [group.name for group in found if path in run_files(group.inputs)]

    def run_files(self, set_name: str) -> list[tuple[str, str]]:
        """The files that say what the run of a set was: path as people know it, and where it is."""
        group = self.sets.get(set_name)
        if group is None or not self._run_files:
            return []
        return [(path, self._files.full(path)) for path in run_files(group.inputs) if path in self._run_files]

    @property
    def idle_run_files(self) -> tuple[str, ...]:
        """Shown paths of the files that speak of no set."""
        return tuple(sorted(shown(path) for path in self._run_files if not self._told_by(path)))

    def graded(self, names: Iterable[str]) -> None:
        """Grades of people for these sets are new or gone. A set that is not there may have another name now."""
        names = set(names)
        self._dirty |= self.sets.keys() if names - self.sets.keys() else names

    def reported(self, name: str) -> None:
        """A set has a report: its items tell which grades count."""
        group = self.sets.get(name)
        if group is not None and self._reviews is not None and self._reviews.wait_for(name, group.profile, self.sets):
            self._dirty.add(name)

    def look_for_reviews(self) -> None:
        """Look into the folders of the sets for grades of people."""
        if self._reviews is not None:
            self.graded(self._reviews.look_in_folders())

    def next_due(self, now: float) -> float:
        """When `step` has something to do, monotonic, if no file changes before."""
        return min(max(self._regroup_at, now) if self.must_group else math.inf, self._quiet_at)

    def step(self, now: float, *, most: int = MOST_READY) -> tuple[list[Wanted], dict[str, float]]:
        """(sets whose files have changed and are settled, sets that are gone -> when the first of their files went).

        most: sets in all, but those that were dropped while we watched.
        """
        gone: dict[str, float] = {}
        if self.must_group and now >= self._regroup_at:
            gone = self._group(now)
        ready: list[str] = []  # few of many that wait: only these are sorted
        self._quiet_at = math.inf
        dirty, self._dirty = self._dirty, set()
        for name in dirty:
            group = self.sets.get(name)
            if group is None:
                continue
            if len(ready) >= most and not self._is_fresh(group):
                self._quiet_at = now  # the next step goes on with it
                self._dirty.add(name)
                continue
            is_settled = all(map(self._files.is_settled, group.inputs))
            quiet_at = self._quiet_from(group) if is_settled else math.inf
            if now >= quiet_at:
                ready.append(name)
            else:
                self._quiet_at = min(self._quiet_at, quiet_at)
                self._dirty.add(name)
        wanted = [self._want(self.sets[name]) for name in sorted(ready, key=numbered)]
        return wanted, gone

    def plan(self, set_name: str) -> Plan | None:
        """The plan of a set now; None when the set is gone or not settled."""
        group = self.sets.get(set_name)
        if group is None or not all(map(self._files.is_settled, group.inputs)):
            return None
        return self._want(group).plan

    def inputs(self, set_name: str) -> tuple[str, ...]:
        """Paths of the files of a set; none when it is gone."""
        group = self.sets.get(set_name)
        return () if group is None else group.inputs

    def contents(self) -> dict[str, tuple[str, ...]]:
        """Set -> sorted hashes of its inputs, for every set whose inputs were read and are not all empty."""
        found = {}
        for name, group in self.sets.items():
            inputs = [self._files.content[path] for path in group.inputs if path in self._files.content]
            if len(inputs) == len(group.inputs) and any(entry.stat.size for entry in inputs):
                found[name] = tuple(sorted(entry.sha256 for entry in inputs))
        return found

    def came_at(self) -> dict[str, float]:
        """Set -> when the first of its files came."""
        came_at = self._files.came_at
        return {name: min(came_at.get(path, -math.inf) for path in group.inputs) for name, group in self.sets.items()}

    def present(self) -> set[str]:
        """Names of the sets that have a file, also where names clash or no rubric claims the file any more."""
        paths = [*self.unclaimed, *(path for clash in self.clashes for path in clash.paths)]
        others = {flat_set_name(path) for path in paths if "/" not in path}
        return {*self.sets, *(clash.name for clash in self.clashes), *others}

    def is_claimed(self, path: str) -> bool:
        """Does a rubric, or do several, claim files of this name?"""
        return self._profile_of(shown(path.rpartition("/")[2])) is not None

    def refusals(self) -> list[Refusal]:
        """Sets that are refused for their names alone: settled files that clash, links that leave the folder."""
        refusals = []
        for clash in self.clashes:
            if all(map(self._files.is_settled, clash.paths)):
                hashes = [self._files.content[path].sha256 for path in clash.paths]
                profile = self._profile_of(shown(clash.paths[0].rpartition("/")[2]))
                refusals.append(refuse_clash(clash, hashes, **self._named(profile)))
        for path, target in sorted(self._files.listing.outside.items()):
            profile = self._profile_of(shown(path.rpartition("/")[2]))
            if profile is not None:
                refusals.append(refuse_link(path, target, **self._named(profile)))
        return refusals

    def _named(self, profile: str | Problem | None) -> dict[str, str]:
        """What a refusal says of the rubric that claims its files; nothing when several do."""
        profile = profile if isinstance(profile, str) else ""
        digest = self._bases[profile].rubric_digest if profile else ""
        return {"profile": profile, "rubric_digest": digest, "language": self.language}

    def _group(self, now: float) -> dict[str, float]:
        """Group again the places where files came or went; the rest stays as it is."""
        files, started = self._files, time.monotonic()
        moved, self._moved = self._moved | files.moved, set()
        files.moved = set()
        places = {path: self._place_of(path) for path in moved}
        before = {place: self._at(place) for place in places.values()}
        if self._left:  # all paths are among those that moved, and have other places now
            before, self._left = {**self._left, **before}, {}
        else:
            for place, known in before.items():
                places |= dict.fromkeys(known.paths, place)
        reviews: set[str] = set() if self._reviews is None else self._reviews.paths
        others = reviews | {path for path in places if is_run_file(path.rpartition("/")[2])}
        there = defaultdict[str, list[str]](list)
        for path, place in places.items():
            if path in files.came_at and path not in others:
                there[place].append(path)
        gone: dict[str, float] = {}
        changed = [*before.values()]
        waiting = iter(before)
        while some := list(islice(waiting, MOST_PLACES)):
            paths = chain.from_iterable(there.pop(place, ()) for place in some)
            after = _by_place(group_into_sets(paths, self._profile_of, self._patterns), places)
            for place in some:
                gone |= self._put(place, before[place], after.get(place, Grouping()), now)
            changed += (one for one in after.values() if one.clashes or one.unclaimed)
        files.went_at.clear()
        self._grouped_by = dict(self._bases)
        if any(one.clashes for one in changed):
            clashes = chain.from_iterable(one.clashes for one in self._places.values())
            self.clashes = tuple(sorted(clashes, key=lambda clash: (clash.name, clash.paths)))
        if any(one.unclaimed for one in changed):
            self.unclaimed = tuple(sorted(shown(path) for one in self._places.values() for path in one.unclaimed))
        self._regroup_at = now + min((time.monotonic() - started) * REGROUP_REST, LONGEST_REST_SECONDS)
        return gone

    def _place_of(self, path: str) -> str:
        return place_of(path, self._profile_of, self._patterns)

    def _at(self, place: str) -> Grouping:
        """What was found at a place at the last grouping."""
        alone = self.sets.get(place)
        return self._places.get(place) or Grouping(sets=() if alone is None else (alone,))

    def _put(self, place: str, was: Grouping, found: Grouping, now: float) -> dict[str, float]:
        """This is found at a place; its sets that are gone -> when the first of their files went."""
        names = {group.name for group in found.sets}
        went_at = self._files.went_at
        gone = {}
        for group in was.sets:
            if group.name not in names:
                del self.sets[group.name]
                gone[group.name] = min((went_at[path] for path in group.inputs if path in went_at), default=now)
        for group in found.sets:
            basis = self._bases[group.profile]
            if self.sets.get(group.name) != group or basis != self._grouped_by.get(group.profile):
                self._dirty.add(group.name)
            self.sets[group.name] = group
        if names <= {place} and not (found.unclaimed or found.clashes):
            self._places.pop(place, None)
        else:
            self._places[place] = found
        return gone

    def _profile_of(self, base_name: str) -> str | Problem | None:
        """The profile whose rubric claims the file, None when none does; a problem when several do."""
        try:
            rubric = self._claiming(base_name)
        except RubricError as error:
            return error.problems[0]
        if rubric is None:
            return None
        if rubric.profile not in self._bases:
            self._rubrics[rubric.profile] = rubric
            self._bases[rubric.profile] = self._basis(rubric)
        return rubric.profile

    def _basis(self, rubric: Rubric) -> ReportBasis:
        return ReportBasis.of(rubric, language=self.language, csv_titles=self._csv_titles, judge=self._judge)

    def _basis_of(self, group: InputSet) -> ReportBasis:
        """What the report of a set depends on beside its inputs, the questions for it among it."""
        rubric = self._questions.applied(self._rubrics[group.profile], group.name)
        if not rubric.questions:
            return self._bases[group.profile]
        if rubric.digest not in self._with_questions:
            self._with_questions[rubric.digest] = self._basis(rubric)
        return self._with_questions[rubric.digest]

    def _quiet_from(self, group: InputSet) -> float:
        """When files that come together have been quiet long enough, monotonic; a file that is a set need not."""
        if not group.is_gathered and all("/" not in path for path in group.inputs):
            return 0.0
        return max(self._files.moved_at.get(path, 0.0) for path in group.inputs) + self._quiet_seconds

    def _want(self, group: InputSet) -> Wanted:
        content = self._files.content
        inputs = [
            PlannedInput(escape_path(path), name, content[path].sha256, *content[path].stat.times)
            for path, name in zip(group.inputs, group.names, strict=True)
        ]
        grades = () if self._reviews is None else self._reviews.of(group.name, self._rubrics[group.profile], self.sets)
        plan = plan_set(group.name, inputs, self._basis_of(group), grades)
        return Wanted(plan, self._is_fresh(group))

    def _is_fresh(self, group: InputSet) -> bool:
        return not self._files.fresh.isdisjoint(group.inputs)


def _by_place(found: Grouping, places: Mapping[str, str]) -> dict[str, Grouping]:
    """A grouping for each place. places: by path."""
    parts = defaultdict[str, tuple[list[InputSet], list[str], list[Clash]]](lambda: ([], [], []))
    for group in found.sets:
        parts[places[group.inputs[0]]][0].append(group)
    for path in found.unclaimed:
        parts[places[path]][1].append(path)
    for clash in found.clashes:
        parts[places[clash.paths[0]]][2].append(clash)
    return {
        place: Grouping(sets=tuple(sets), unclaimed=tuple(unclaimed), clashes=tuple(clashes))
        for place, (sets, unclaimed, clashes) in parts.items()
    }


def bundle(plans: Iterable[Plan], *, outstanding: int) -> Iterator[tuple[Plan, ...]]:
    """The plans in order, grouped by task. outstanding: number of sets that wait for an answer, these included.

    Only sets of one file share a task; the files of a larger set are scored by several workers.
    """
    most = min(outstanding // LEAST_TASKS, MOST)
    together: list[Plan] = []
    size = 0
    for plan in plans:
        added = plan.inputs[0].size if len(plan.inputs) == 1 else BUNDLE_BYTES + 1
        if together and (len(together) >= most or size + added > BUNDLE_BYTES):
            yield tuple(together)
            together, size = [], 0
        together.append(plan)
        size += added
    if together:
        yield tuple(together)
