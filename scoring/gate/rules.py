"""The rules of a gate (docs/gate.md): what a rule says, once it was read, and its outcome."""

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec

from scoring.rubric import ALL, LATENCY_PREFIX, RUBRICS, TOTAL, Rubric

# Names of values beside the metrics of a profile.
PASS_RATE = "pass_rate"  # noqa: S105 -- a share
ANSWERED_RATE = "answered_rate"
JUDGED = "judged"
UNREADABLE = "unreadable"
ITEMS = "items"
QUERIES = "queries"
ROUNDS = "rounds"
REVIEWED = "reviewed"
KAPPA = "kappa"
FAILING = "failing queries"
FAILING_EXCEPT_KNOWN = "failing queries except known"  # whose failures no line of known.csv knows
CORRECTED = "corrected."  # before the name of a figure: what people would give
SHARES = (PASS_RATE, ANSWERED_RATE, JUDGED)
SHARES_OF_PEOPLE = (REVIEWED, f"{CORRECTED}{PASS_RATE}")
COUNTS = (UNREADABLE, ITEMS, QUERIES, ROUNDS)
OF_THE_SET = frozenset({TOTAL, JUDGED, UNREADABLE, ROUNDS, REVIEWED, KAPPA})  # values that no track or category has
_CORRECTED = ("intent", "accuracy", RUBRICS)  # metrics that people grade
LATENCY = "latency"
STATISTICS = ("p50", "p95", "mean", "max")  # of the seconds
MEASURE_STATISTICS = ("sum", "mean", "p50", "p95", "max", "per_answered")


class Unit(StrEnum):
    """What a value is measured in."""

    POINTS = "points"
    SHARE = "share"
    COUNT = "count"
    SECONDS = "seconds"
    MEASURE = "measure"


class Operator(StrEnum):
    """How a value is compared with its limit."""

    AT_LEAST = ">="
    AT_MOST = "<="
    ABOVE = ">"
    BELOW = "<"
    EQUAL = "="


class Scope(NamedTuple):
    """Which items a rule is about. kind: "all", "track", "category" or "slice".

    key: of the group, or the category or value (NFC). column: of a slice, as headers are compared.
    """

    kind: str = ALL
    key: str = ALL
    column: str = ""


EVERYTHING = Scope()


class Value(NamedTuple):
    """A value that a rule names: a metric, a share, a count, or a statistic of the seconds or of a measure.

    name: `intent`, `latency p95`, `measure.cost sum`.
    """

    name: str
    unit: Unit


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """`track 3: intent >= 3.0`. limit: in the unit of the value; a share lies in 0..1."""

    text: str
    scope: Scope
    value: Value
    operator: Operator
    limit: float


class EveryQuery(msgspec.Struct, frozen=True, kw_only=True):
    """`every query passes >= 2 of 3`. passes, of: numbers of items of one query.

    except_known: but those whose failures are known.
    """

    text: str
    scope: Scope
    passes: int
    of: int
    except_known: bool = False


class NotWorse(msgspec.Struct, frozen=True, kw_only=True):
    """`intent not worse than baseline by 0.1`. name: "" means every metric that leads. margin: None without one."""

    text: str
    scope: Scope
    name: str
    margin: float | None


Rule = Limit | EveryQuery | NotWorse


def excepts_known(rule: Rule) -> bool:
    """Does the rule leave out failures that are known?"""
    if isinstance(rule, Limit):
        return rule.value.name == FAILING_EXCEPT_KNOWN
    return isinstance(rule, EveryQuery) and rule.except_known


class RuleSet(msgspec.Struct, frozen=True, kw_only=True):
    """The rules for the sets of one profile. confident: a limit must hold for the bad end of an interval."""

    rules: tuple[Rule, ...]
    confident: bool = False

    @property
    def needs_baseline(self) -> bool:
        """Does any rule compare with a baseline?"""
        return any(isinstance(rule, NotWorse) for rule in self.rules)

    @property
    def needs_known(self) -> bool:
        """Does any rule leave out failures that are known?"""
        return any(map(excepts_known, self.rules))

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what the rules say: with other rules a set is evaluated again."""
        return hashlib.sha256(msgspec.json.encode([[rule.text for rule in self.rules], self.confident])).hexdigest()


class GateRules(msgspec.Struct, frozen=True, kw_only=True):
    """All rules of a gate. common: for profiles without rules of their own; None for no rules."""

    common: RuleSet | None = None
    profiles: Mapping[str, RuleSet] = {}

    def of(self, profile: str) -> RuleSet | None:
        """The rules for the sets of a profile; None when there are none."""
        found = self.profiles.get(profile, self.common)
        return found if found is not None and found.rules else None

    def __bool__(self) -> bool:
        """Is there any rule?"""
        return any(one is not None and one.rules for one in (self.common, *self.profiles.values()))


def metric_scales(rubric: Rubric) -> dict[str, float]:
    """The metrics that a rule for a profile may name, in the order of its report, each with its highest value."""
    names = [metric.name for metric in rubric.metrics]
    if any(name.startswith(LATENCY_PREFIX) for name in names) and LATENCY not in names:
        names.append(LATENCY)  # the items of all classes together
    return {name: rubric.scale_of(name).highest for name in (*([TOTAL] if rubric.weights else []), *names)}


def reviewed_scales(scales: Mapping[str, float]) -> dict[str, float]:
    """The values beside `scales` that people's grades give, each with its highest value."""
    return {KAPPA: 1.0} | {f"{CORRECTED}{name}": top for name, top in scales.items() if name in _CORRECTED}


def is_of_the_set(name: str) -> bool:
    """Is it a value that no track and no category has?"""
    return name in OF_THE_SET or name.startswith(CORRECTED)


class GateState(StrEnum):
    """How a rule ended, or a gate. The first one is the worst."""

    FAILED = "failed"
    UNDECIDABLE = "undecidable"  # no value, no baseline, or not like with like
    PASSED = "passed"


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one rule ended.

    rule: its text; "" where all rules ended alike, because there is no report. reason: slug of a text. facts: what that
    text names. value: what was compared, in `unit`, with its interval; None where the rule names no value or there is
    none. queries: Query IDs by which it failed or stayed open, the first ones.
    """

    rule: str
    state: GateState
    reason: str
    facts: dict[str, str] = {}
    unit: Unit | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    queries: tuple[str, ...] = ()


class GateResult(msgspec.Struct, frozen=True):
    """state: the worst of the rules; passed without any."""

    state: GateState
    rules: tuple[RuleResult, ...]


def worst_state(states: Iterable[GateState]) -> GateState:
    """The worst of the states, passed without any."""
    return min(states, key=list(GateState).index, default=GateState.PASSED)
