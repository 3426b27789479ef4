"""From settled files to wanted sets: grouping, quiet time of folder sets, keys. No disk, no queue."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from scoring.judging.verdicts import JudgeIdentity
from scoring.problems import Problem, RubricError, Severity
from scoring.rubric.model import Rubric
from scoring.sets.grouping import Clash, SetPlan, group_into_sets
from scoring.sets.key import refusal_key
from scoring.sets.names import flat_set_name, lone_set_name, shown
from scoring.sets.plan import Plan, PlannedInput, escape_path, plan_set
from watcher.inputs import Content

REGROUP_SHARE = 5.0  # rest this many times as long as grouping took


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A set that the watcher settles itself, as a problem: names that clash, links out of the folder."""

    set_name: str
    key: str
    profile: str
    language: str
    problems: tuple[Problem, ...]
    inputs: tuple[tuple[str, str], ...]


class Files(Protocol):
    """What planning needs of `watcher.inputs.InputFiles`."""

    content: dict[str, Content]
    moved_at: dict[str, float]
    came_at: dict[str, float]
    went_at: dict[str, float]
    revision: int

    def is_settled(self, path: str) -> bool:
        """Does `content` hold what stands at this path?"""

    def paths(self) -> set[str]:
        """Every input known, settled or not."""


class Wanted(NamedTuple):
    """A set whose inputs are all settled. fresh: at least one was dropped while we watched."""

    plan: Plan
    fresh: bool


class Planner:
    """Keeps the grouping up to date and works out keys of sets whose files changed.

    claiming: shown base name -> the rubric whose profile claims it, None when none does; raises RubricError when
    several do. judge: None when none is configured. unclaimed: paths as people see them.
    """

    def __init__(
        self,
        claiming: Callable[[str], Rubric | None],
        *,
        language: str,
        set_quiet_seconds: float,
        judge: JudgeIdentity | None = None,
    ) -> None:
        self._claiming = claiming
        self._language = language
        self._judge = judge
        self._quiet_seconds = set_quiet_seconds
        self._rubrics: dict[str, Rubric] = {}
        self._revision = -1
        self._quiet_at = float("inf")
        self._set_of: dict[str, str] = {}
        self._dirty: set[str] = set()
        self._regroup_at = 0.0
        self._must_group = False
        self.sets: dict[str, SetPlan] = {}
        self.clashes: tuple[Clash, ...] = ()
        self.unclaimed: tuple[str, ...] = ()

    def is_waiting(self, *, without: Container[str] = ()) -> bool:
        """Are there sets whose key still has to be worked out, other than those with an input in `without`?"""
        return self._must_group or any(
            not any(path in without for path in self.sets[name].inputs) for name in self._dirty if name in self.sets
        )

    @property
    def is_grouping(self) -> bool:
        """Do the sets and clashes lag behind the files?"""
        return self._must_group

    def changed(self, paths: Iterable[str]) -> None:
        """The content at these paths is new or gone."""
        for path in paths:
            name = self._set_of.get(path)
            if name is None:
                self._must_group = True
            else:
                self._dirty.add(name)

    def next_due(self, now: float) -> float:
        """When a look at the plans is worth it, monotonic. Sets that wait for a file are woken by that."""
        return min(max(self._regroup_at, now) if self._must_group else float("inf"), self._quiet_at)

    def step(self, files: Files, now: float) -> tuple[list[Wanted], dict[str, float]]:
        """(sets that are complete now, sets that are no more -> when the first of their files went)."""
        gone: dict[str, float] = {}
        if now >= self._regroup_at:
            gone = self._group(files, now)
        wanted = []
        self._quiet_at = float("inf")
        for name in sorted(self._dirty):
            group = self.sets.get(name)
            if group is None:
                self._dirty.discard(name)
            elif all(map(files.is_settled, group.inputs)):
                quiet_at = self._quiet_from(group, files.moved_at)
                if now < quiet_at:
                    self._quiet_at = min(self._quiet_at, quiet_at)
                    continue
                self._dirty.discard(name)
                wanted.append(self._want(group, files.content))
        return wanted, gone

    def plan(self, set_name: str, files: Files) -> Plan | None:
        """The plan of a set now; None when the set is gone or not settled."""
        group = self.sets.get(set_name)
        if group is None or not all(map(files.is_settled, group.inputs)):
            return None
        return self._want(group, files.content).plan

    def contents(self, files: Files) -> dict[str, tuple[str, ...]]:
        """Set -> sorted hashes of its inputs, of every set whose inputs stand still and are not all empty."""
        found = {}
        for name, plan in self.sets.items():
            inputs = [files.content[path] for path in plan.inputs if path in files.content]
            if len(inputs) == len(plan.inputs) and any(entry.stat.size for entry in inputs):
                found[name] = tuple(sorted(entry.sha256 for entry in inputs))
        return found

    def came_at(self, files: Files) -> dict[str, float]:
        """Set -> when the first of its files came."""
        return {
            name: min(files.came_at.get(path, -math.inf) for path in plan.inputs) for name, plan in self.sets.items()
        }

    def present(self) -> set[str]:
        """Names of the sets that some file stands for, also where names clash or no rubric claims it any more."""
        paths = [*self.unclaimed, *(path for clash in self.clashes for path in clash.paths)]
        others = {flat_set_name(path) for path in paths if "/" not in path}
        return {*self.sets, *(clash.name for clash in self.clashes), *others}

    def refusals(self, outside: Mapping[str, str], files: Files) -> list[Refusal]:
        """Sets that cannot be scored for reasons of their names alone. outside: links that leave the folder.

        A clash waits until its files stand still, as a set does.
        """
        refusals = []
        for clash in self.clashes:
            if all(map(files.is_settled, clash.paths)):
                rubric = self._claim(shown(clash.paths[0].rpartition("/")[2]))
                inputs = tuple((shown(path), files.content[path].sha256) for path in clash.paths)
                refusals.append(self._refuse(clash.name, rubric, clash.problem, inputs))
        for path, target in sorted(outside.items()):
            rubric = self._claim(shown(path.rpartition("/")[2]))
            if rubric is not None:
                values = {"target": shown(target)}
                problem = Problem(code="symlink-outside", severity=Severity.REFUSED, source=shown(path), values=values)
                refusals.append(self._refuse(lone_set_name(path), rubric, problem, ((shown(path), ""),)))
        return refusals

    def _refuse(
        self, name: str, claim: Rubric | Problem | None, problem: Problem, inputs: tuple[tuple[str, str], ...]
    ) -> Refusal:
        rubric = claim if isinstance(claim, Rubric) else None
        digest = rubric.digest if rubric is not None else ""
        key = refusal_key(inputs, [problem], rubric_digest=digest, language=self._language)
        profile = rubric.profile if rubric is not None else ""
        return Refusal(
            set_name=name, key=key, profile=profile, language=self._language, problems=(problem,), inputs=inputs
        )

    def _group(self, files: Files, now: float) -> dict[str, float]:
        if files.revision == self._revision and not self._must_group:
            return {}
        started = time.monotonic()
        self._revision, self._must_group = files.revision, False
        grouping = group_into_sets(files.paths(), self._profile_of)
        sets = {plan.name: plan for plan in grouping.sets}
        gone = {
            name: min((files.went_at[path] for path in plan.inputs if path in files.went_at), default=now)
            for name, plan in self.sets.items()
            if name not in sets
        }
        files.went_at.clear()
        self._dirty |= {name for name, plan in sets.items() if self.sets.get(name) != plan}
        self.sets, self.clashes, self.unclaimed = sets, grouping.clashes, tuple(map(shown, grouping.unclaimed))
        self._set_of = {path: plan.name for plan in grouping.sets for path in plan.inputs}
        self._set_of |= dict.fromkeys(grouping.unclaimed, "")
        self._set_of |= {path: "" for clash in self.clashes for path in clash.paths}
        self._regroup_at = now + (time.monotonic() - started) * REGROUP_SHARE
        return gone

    def _profile_of(self, base_name: str) -> str | Problem | None:
        rubric = self._claim(base_name)
        if not isinstance(rubric, Rubric):
            return rubric
        self._rubrics[rubric.profile] = rubric
        return rubric.profile

    def _claim(self, base_name: str) -> Rubric | Problem | None:
        """Who claims the file; a problem when several do."""
        try:
            return self._claiming(base_name)
        except RubricError as error:
            return error.problems[0]

    def _quiet_from(self, plan: SetPlan, moved_at: Mapping[str, float]) -> float:
        """When a folder has been quiet long enough, monotonic; a single file settles for itself."""
        if all("/" not in path for path in plan.inputs):
            return 0.0
        return max(moved_at.get(path, 0.0) for path in plan.inputs) + self._quiet_seconds

    def _want(self, group: SetPlan, content: Mapping[str, Content]) -> Wanted:
        inputs = [
            PlannedInput(escape_path(path), name, content[path].sha256, *content[path].stat[:2])
            for path, name in zip(group.inputs, group.names, strict=True)
        ]
        rubric = self._rubrics[group.profile]
        plan = plan_set(group.name, inputs, rubric, language=self._language, judge=self._judge)
        return Wanted(plan, any(content[path].fresh for path in group.inputs))
