"""Named scores of an item beside the usual metrics: where they are, on which scale, and what passes by them.

A score is a `Measure` with a scale (docs/scoring.md#scores): it is read, averaged and compared where measures are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from operator import eq, ge, gt, le, lt
from typing import Annotated, Literal

import msgspec

from scoring.json_values import ANY_KEY, having_step, parse_path
from scoring.rubric.fields import SCORE_PREFIX, Better, MatchRule, Measure, ScoreRule
from scoring.rubric.rules import PassRule, Source, VerdictRule
from scoring.rubric.score_maps import MATCH, RESERVED, is_any, is_map_path, is_reserved
from scoring.rubric.written import EITHER, AnyPaths, AnyWords, Clean, Fault, FilledWords, Key, TextPath

BY_ALL, BY_ANY, BY_WEIGHT = "scores.all", "scores.any", "scores.weighted"  # metrics of a `PassRule`
BY_NAME = "by name"  # of a map: what is called hallucination, toxicity and so on is the better the less it is
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_LIMIT = re.compile(r"(>=|<=|>|<|=)\s*(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)")
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
_WEIGHTED = re.compile(r"weighted\s*>=\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)")
_USUAL = (0.0, 1.0)
_ANY = (-1e12, 1e12)  # as large as measures may be


class ListPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A score in a list of objects, told by its name there: `{list: metrics, by: name, value: score}`."""

    list: TextPath
    by: TextPath = "name"
    value: TextPath = "score"
    reason: Clean = ""

    def path(self, name: str, of: str) -> str:
        """The path of what `of` names in the object of this name; of every one where the name is `*`."""
        step = f"[{self.by}={ANY_KEY}]" if name == ANY_KEY else having_step(self.by, name)
        return f"{self.list}{step}.{of}"

    def paths(self, names: Iterable[str], of: str) -> tuple[str, ...]:
        """The paths of what `of` names, of each of these names."""
        return tuple(self.path(name, of) for name in dict.fromkeys(names))


class JudgedBy(msgspec.Struct, frozen=True, kw_only=True):
    """A judge picks the level of a score from a table of the document. headings: that name the table."""

    headings: FilledWords


_Place = Annotated[ListPlace | AnyPaths, EITHER]


class NamedScore(msgspec.Struct, frozen=True, kw_only=True):
    """A score as a document declares it. passes: `>= 0.7`. reason: where its reason is, a column or a path.

    name: "" for the scores of a map, of all of a list or of all columns, which have those of the keys. column: `*` for
    every column that nothing else reads and that has numbers on the scale; a path of records may be that of a map, and
    several are tried in order. values: numbers that words stand for, in any case. has_points: without them the numbers
    of a map, whose scales nobody knows, are measures.
    """

    name: Clean = ""
    title: Clean = ""
    column: AnyWords = ()
    payload: _Place = ()
    judge: JudgedBy | None = None
    reason: Clean = ""
    scale: tuple[float, float] | None = None
    passes: Annotated[Clean, Key("pass")] = ""
    better: Literal["higher", "lower", "by name"] = "higher"
    has_points: Annotated[bool, Key("points")] = True
    weight: float | None = None
    values: dict[str, float] | None = None

    def faults(self) -> Iterator[Fault]:
        """It has a name of its own, one place, a scale, and passes on it."""
        yield from self._faults_of_map() if self.is_map else self._faults_of_name()
        yield from self._faults_beside_map()
        if sum(map(bool, (self.column, self.payload, self.judge))) != 1:
            yield Fault("rubric-kinds", (), values={"choices": "column, payload, judge"})
        if self.better == BY_NAME and not self.is_map:
            yield Fault("rubric-kinds", ("better",), values={"choices": "higher, lower"})
        if self.judge is not None and (self.scale is not None or self.reason):
            yield Fault("rubric-kinds", (), values={"choices": "judge, scale, reason"})
        lowest, highest = self.scale or _USUAL
        if odd := [word for word, value in (self.values or {}).items() if not lowest <= value <= highest]:
            values = {"lowest": f"{lowest:g}", "scale": f"{highest:g}"}
            yield Fault("rubric-points-range", ("values", odd[0]), f"{(self.values or {})[odd[0]]:g}", values)
        if not lowest < highest:
            yield Fault("rubric-range-reversed", ("scale",), f"[{lowest:g}, {highest:g}]")
        limit = _LIMIT.fullmatch(self.passes)
        if self.passes and limit is None:
            yield Fault("rubric-score-pass", ("pass",), self.passes)
        elif limit is not None and self.judge is None and not lowest <= float(limit[2]) <= highest:
            values = {"lowest": f"{lowest:g}", "scale": f"{highest:g}"}
            yield Fault("rubric-points-range", ("pass",), self.passes, values)
        if self.weight is not None and self.weight < 0:
            yield Fault("rubric-value-too-small", ("weight",), f"{self.weight:g}", {"low": "0"})

    def _faults_of_name(self) -> Iterator[Fault]:
        if not self.name:
            yield Fault("rubric-key-missing", (), values={"key": "name"})
        elif _NAME.fullmatch(self.name) is None:
            yield Fault("rubric-score-name", ("name",), self.name)
        elif is_reserved(self.name):
            known = ", ".join((*sorted(RESERVED), "pass…"))
            yield Fault("rubric-score-reserved", ("name",), self.name, {"known": known})

    def _faults_of_map(self) -> Iterator[Fault]:
        if self.name:
            yield Fault("rubric-score-map", ("name",), self.name)
        paths = () if isinstance(self.payload, ListPlace) else (*self._map_paths, self.reason)
        if faulty := next((path for path in paths if path and not is_map_path(path)), ""):
            yield Fault("rubric-score-map", ("payload",), faulty)

    def _faults_beside_map(self) -> Iterator[Fault]:
        if len(self.column) > 1 and (not self.is_map or ANY_KEY in self.column):
            yield Fault("rubric-score-map", ("column",), ", ".join(self.column))
        asks = {"name": self.name, "scale": self.scale, "pass": self.passes, "weight": self.weight is not None}
        if not self.has_points and (key := next((key for key, value in asks.items() if value), "")):
            yield Fault("rubric-kinds", (), values={"choices": f"points: false, {key}"})

    @property
    def is_map(self) -> bool:
        """Is it one score for each key of a map, for each name of a list, or for each column?"""
        if isinstance(self.payload, ListPlace):
            return not self.name
        return self.column == (ANY_KEY,) or any(
            is_any(step) for one in self._map_paths for step in parse_path(one) or ()
        )

    @property
    def _map_paths(self) -> tuple[str, ...]:
        paths = () if isinstance(self.payload, ListPlace) else self.payload
        return (*paths, *(one for one in self.column if one != ANY_KEY))

    def measure(self) -> Measure:
        """The measure that it is; of a map one that stands for those that its keys are."""
        paths = self.payload
        reasons: tuple[str, ...] = (self.reason,) if self.reason and not self.column else ()
        name = ANY_KEY if self.is_map else self.name
        lowest, highest = self.scale or _USUAL if self.has_points else _ANY
        if isinstance(paths, ListPlace):
            place, names = paths, (name if self.is_map else self.title or name, name)
            paths = place.paths(names, place.value)
            reasons = place.paths(names, place.reason) if place.reason else reasons
        return Measure(
            name=f"{SCORE_PREFIX}{name}",
            title=self.title or name,
            column=next(iter(self.column), ""),
            paths=paths,
            better=Better.HIGHER if self.better == BY_NAME else Better(self.better),
            score=ScoreRule(
                lowest=lowest,
                highest=highest,
                passes=self.passes,
                weight=self.weight,
                reason_column=self.reason if self.column else "",
                reason_paths=reasons,
                is_judged=self.judge is not None,
                by_name=self.better == BY_NAME,
                values=tuple((self.values or {}).items()),
                other_columns=self.column[1:],
                has_points=self.has_points,
            ),
        )

    def criterion(self) -> VerdictRule | None:
        """What a judge is asked, without its levels; None where the file has the score."""
        if self.judge is None:
            return None
        return VerdictRule(metric=f"{SCORE_PREFIX}{self.name}", sources=(Source.JUDGE,), by_number=True)


def measure_of_match(rule: MatchRule) -> Measure:
    """The score that comparing answers gives: `score.match`, from 0 to 1."""
    score = ScoreRule(lowest=0.0, highest=1.0, passes=rule.passes, match=rule)
    return Measure(name=f"{SCORE_PREFIX}{MATCH}", title=MATCH, better=Better.HIGHER, score=score)


def pass_rule_of(written: str, limits: Sequence[str]) -> PassRule | None:
    """What passes by scores: `all`, `any` or `weighted >= x`; None where no score has a limit. Raises ValueError."""
    if found := _WEIGHTED.fullmatch(written):
        return PassRule(metric=BY_WEIGHT, points=float(found[1]))
    if written not in {"all", "any"}:
        raise ValueError(written)
    return PassRule(metric=BY_ALL if written == "all" else BY_ANY, points=1.0) if any(limits) else None


def is_by_scores(rule: PassRule | None) -> bool:
    """Does an item pass by named scores?"""
    return rule is not None and rule.metric.startswith(f"{BY_ALL.partition('.')[0]}.")


def passing_by_scores(
    measures: Sequence[Measure], rule: PassRule
) -> Callable[[Sequence[float | None], bool], bool | None]:
    """A function that tells whether an item passes, from its values, one per measure, and whether it is answered.

    What was not assessed has no say; of an item without any score the status does: one without an answer fails, another
    takes no part.
    """
    scores = [(at, one.score, one.better) for at, one in enumerate(measures) if isinstance(one.score, ScoreRule)]
    limits = [(at, limit_of(score.passes)) for at, score, _ in scores if score.passes]
    weighed = [(at, score, better, score.weight) for at, score, better in scores if score.weight]
    decide = any if rule.metric == BY_ANY else all

    def by_limits(values: Sequence[float | None], is_answered: bool) -> bool | None:
        outcomes = [holds(value) for at, holds in limits if (value := values[at]) is not None]
        return decide(outcomes) if outcomes else None if is_answered else False

    def by_weight(values: Sequence[float | None], is_answered: bool) -> bool | None:
        found = [
            (weight, score.share(value, better))
            for at, score, better, weight in weighed
            if (value := values[at]) is not None
        ]
        if not found:
            return None if is_answered else False
        whole = fsum(weight for weight, _ in found)
        return fsum(weight * share for weight, share in found) >= rule.points * whole

    return by_weight if rule.metric == BY_WEIGHT else by_limits


def is_limit(text: str) -> bool:
    """Can this be read as a limit?"""
    return _LIMIT.fullmatch(text) is not None


def limit_of(text: str) -> Callable[[float], bool]:
    """Does a value keep a limit as documents write it: `>= 0.7`?"""
    found = _LIMIT.fullmatch(text)
    assert found is not None
    edge, compare = float(found[2]), _COMPARED[found[1]]
    return lambda value: compare(value, edge)


def edge_of(text: str) -> float | None:
    """The number of a limit; None where there is no limit."""
    found = _LIMIT.fullmatch(text)
    return None if found is None else float(found[2])
