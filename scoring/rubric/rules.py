"""What a rubric document says beyond points per status: verdicts, checks, labels, signatures, classes, weights.

A rule that a profile does not declare is None in its `scoring.rubric.model.Rubric`, and nothing is spent on it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from scoring.rubric import written
from scoring.rubric.points import UNREAD, Bands, Status

# Why accuracy is what it is beside the checks: the item failed, or there was nothing to check (0 by rule).
REASON_STATUS = "status"
REASON_NO_CHECKS = "no-checks"
REASON_REVIEWED = "reviewed"  # a person graded it

PAYLOAD_KEYS = ("message", "ui", "error", "seconds", "milliseconds")
_PAYLOAD_PATHS: dict[str, tuple[str, ...]] = {
    "message": ("assistantMessage",),
    "ui": ("dataUIList",),
    "error": ("error",),
    "seconds": ("responseTimeSec",),
    "milliseconds": ("latency_ms", "latencyMs"),
}

_START_AND_END = 2
_KEY = "{key}"
_NUMBER = re.compile(r"[-+]?[0-9]{1,6}(?:[.,][0-9]{1,6})?")


class Source(StrEnum):
    """Where a declared value is looked for; documents name them in the order they are tried."""

    COLUMN = "column"
    CRITERIA = "criteria"
    PAYLOAD = "payload"
    RECORDED = "recorded"
    STATUS = "status"
    MARKED = "marked"
    TEXT = "text"
    JUDGE = "judge"
    REVIEWED = "reviewed"  # a person's grade, which no document names: it comes before all others


_OfAnswer = Annotated[Source, written.Made(Literal["column", "payload"], Source)]
_OfVerdict = Annotated[Source, written.Made(Literal["column", "payload", "recorded", "status", "judge"], Source)]
_OfChecks = Annotated[Source, written.Made(Literal["column", "criteria", "payload", "marked", "text"], Source)]


def paths_of(field: written.Paths) -> tuple[str, ...]:
    """The paths in the order in which they are tried."""
    return (field,) if isinstance(field, str) else field


class Elapsed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Seconds that no value of a payload says: between two times, or the sum of the numbers at a path."""

    between: tuple[written.TextPath, ...] = ()
    sum: Annotated[written.Clean, written.PATH] | None = None

    def faults(self) -> Iterator[written.Fault]:
        """It is one of the two, and time passes between two points."""
        if bool(self.between) is bool(self.sum):
            yield written.Fault("rubric-kinds", (), values={"choices": "between, sum"})
        elif self.between and len(self.between) != _START_AND_END:
            yield written.Fault("rubric-value-type", ("between",), f"{len(self.between)}", {"expected": "pair"})

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it reads."""
        return self.between or (self.sum or "",)


class PayloadRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where the values of an answer are in its payload: JSON paths by key, tried in order.

    Empty where there is none; None where the document does not say it, for the paths of `paths`.
    """

    message: written.AnyPaths | None = None
    ui: written.AnyPaths | None = None
    error: written.AnyPaths | None = None
    seconds: Annotated[Elapsed | written.AnyPaths, written.EITHER] | None = None
    milliseconds: written.AnyPaths | None = None

    def paths(self, key: str) -> tuple[str, ...]:
        """The paths of one of `PAYLOAD_KEYS`."""
        paths: Elapsed | tuple[str, ...] | None = getattr(self, key)
        if isinstance(paths, Elapsed):
            return paths.paths
        return _PAYLOAD_PATHS[key] if paths is None else paths

    def is_written(self, key: str) -> bool:
        """Does the document name paths for this key?"""
        return bool(getattr(self, key))

    @property
    def elapsed(self) -> Elapsed | None:
        """How seconds are computed, None where the payload has them."""
        return self.seconds if isinstance(self.seconds, Elapsed) else None


class Operator(StrEnum):
    """What a check asks of the values it finds (docs/scoring.md#check-operators)."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"
    BETWEEN = "between"
    APPROX = "approx"
    LENGTH = "length"
    COUNT = "count"
    CONTAINS = "contains"
    ICONTAINS = "icontains"
    IN = "in"
    ONE_OF = "one-of"
    REGEX = "regex"
    MATCHES_ALL = "matches-all"
    EXISTS = "exists"
    JSON_SCHEMA = "json-schema"
    IS_JSON = "is-json"
    CALLS = "calls"
    NEVER_CALLS = "never-calls"
    IN_ORDER = "in-order"
    ARGUMENTS = "arguments"
    MOST_CALLS = "most-calls"

    @property
    def spelling(self) -> str:
        """The operator as people write it: `matches all`."""
        return self.value.replace("-", " ")


# Operators on the tool calls of an answer, which need no path.
ON_CALLS = frozenset({Operator.CALLS, Operator.NEVER_CALLS, Operator.IN_ORDER, Operator.ARGUMENTS, Operator.MOST_CALLS})
# Operators that compare with nothing.
WITHOUT_VALUE = frozenset({Operator.EXISTS, Operator.IS_JSON})


class SessionPass(StrEnum):
    """Which turns of a session have to pass for it to pass; EVERY: all that take part."""

    LAST = "last"
    EVERY = "every"


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """One level of a verdict. criteria: what earns it, for people and judges; it scores nothing."""

    name: str
    points: float
    criteria: str = ""


class VerdictRule(msgspec.Struct, frozen=True, kw_only=True):
    """A metric whose points are those of a level.

    metric: "intent" or "rubrics". sources: tried in order; RECORDED takes a number, STATUS the level that
    `status_levels` names, JUDGE asks a model. field: path in the payload. column: field name of the column. levels: in
    the document's order. by_number: a level is known by its number, its points, and scores by its place between
    the lowest and the highest. other_names: folded name of a level in another language -> its number.
    """

    sources: tuple[_OfVerdict, ...]
    field: written.Paths = "intent_verdict"
    status_levels: Annotated[dict[Status, written.Text], written.Key("statuses")] = {}
    levels: Annotated[tuple[Level, ...], written.UNWRITTEN] = ()
    metric: Annotated[str, written.UNWRITTEN] = "intent"
    column: Annotated[str, written.UNWRITTEN] = "intent_verdict"
    other_names: Annotated[dict[str, float], written.UNWRITTEN] = {}
    by_number: Annotated[bool, written.UNWRITTEN] = False

    def level(self, text: str) -> Level | None:
        """The level of this name in any case; by number also of this number ("4", "4.0", "4,0"). Never rounds."""
        wanted = text.strip().casefold()
        if self.by_number and _NUMBER.fullmatch(wanted):
            number = float(wanted.replace(",", "."))
            return next((level for level in self.levels if level.points == number), None)
        named = next((level for level in self.levels if level.name.casefold() == wanted), None)
        if named is None and wanted in self.other_names:
            return next(level for level in self.levels if level.points == self.other_names[wanted])
        return named

    def spelling(self, level: Level) -> str:
        """The level as a judge spells it: its name, or its number as text."""
        return f"{level.points:g}" if self.by_number else level.name

    @property
    def choices(self) -> tuple[str, ...]:
        """Every level as a judge spells it, in the document's order."""
        return tuple(map(self.spelling, self.levels))

    @property
    def is_judged(self) -> bool:
        """Is a model asked where no other source has a level?"""
        return Source.JUDGE in self.sources

    def points(self, level: Level) -> float:
        """What an item of this level scores: its points; by number its place in 0..1."""
        if not self.by_number:
            return level.points
        numbers = [other.points for other in self.levels]
        return (level.points - min(numbers)) / (max(numbers) - min(numbers))


class TextPattern(msgspec.Struct, frozen=True, kw_only=True):
    """A line of prose that is a check.

    pattern: RE2, searched in the line; its groups `key` and `value` fill in what `key` and `value` leave empty.
    """

    pattern: str
    operator: Annotated[
        Operator, written.Key("op"), written.Made(Literal["eq", "contains", "in", "regex", "exists"], Operator)
    ]
    key: written.Clean = ""
    value: written.Clean = ""

    def faults(self) -> Iterator[written.Fault]:
        """RE2 takes the pattern, and every part of the check has a group or is given."""
        from scoring.rubric.patterns import groups_or_reason

        groups, reason = groups_or_reason(self.pattern)
        wanted = ["key"] if self.operator is Operator.EXISTS else ["key", "value"]
        absent = [name for name in wanted if name not in groups and not getattr(self, name)]
        if reason is not None:
            yield written.Fault("rubric-pattern", ("pattern",), self.pattern, {"reason": reason})
        elif absent:
            yield written.Fault("rubric-pattern-groups", ("pattern",), self.pattern, {"groups": ", ".join(absent)})


class CallRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where a payload has its tool calls.

    paths: of the list or of each call, tried in order. name, arguments: paths inside a call.
    """

    paths: Annotated[tuple[written.CleanPath, ...], written.FILLED]
    name: written.TextPath = "name"
    arguments: written.TextPath = "arguments"


class CheckRule(msgspec.Struct, frozen=True, kw_only=True):
    """A metric from the share of checks that pass.

    sources: tried in order, the first that gives any check counts alone. field: path of the list in the payload and in
    the criteria column. marker: what starts a check in the expected result. contains_suffix: after a key, the check
    is `contains`. lookup: paths of a key, with `{key}` in its place. ignored: first names of paths that are no checks.
    status_points: statuses that get their points whatever the checks say. bands: over the ratio; `bands.missing` is
    for an item without checks. calls: where tool calls are; None where the document does not name it. every: checks of
    every item beside its own, as they are written behind the marker.
    """

    sources: Annotated[tuple[_OfChecks, ...], written.FILLED] = (Source.COLUMN, Source.PAYLOAD, Source.MARKED)
    field: written.Paths = "accuracyChecks"
    marker: written.Text = "@check"
    contains_suffix: written.Text = "Contains"
    lookup: Annotated[tuple[written.Clean, ...], written.FILLED] = (_KEY,)
    ignored: written.Words = ()
    patterns: tuple[TextPattern, ...] = ()
    every: Annotated[written.Words, written.Key("all")] = ()
    calls: CallRule | None = None
    status_points: Annotated[dict[Status, float], written.UNWRITTEN] = {}
    bands: Annotated[Bands, written.UNWRITTEN] = UNREAD

    def faults(self) -> Iterator[written.Fault]:
        """A key has one place in each path of `lookup`, and prose is read by patterns."""
        from scoring.json_values import parse_path

        for at, template in enumerate(self.lookup):
            if template.count(_KEY) != 1 or parse_path(template.replace(_KEY, "key")) is None:
                yield written.Fault("rubric-path", ("lookup", at), template)
        if Source.TEXT in self.sources and not self.patterns:
            yield written.Fault("rubric-list-empty", ("patterns",))


class AddressRule(msgspec.Struct, frozen=True, kw_only=True):
    """A metric from addresses: the one expected against those that the answer offers.

    key: name of the query parameter that identifies a target, looked for in the expected result. field: name of the
    payload's fields that hold addresses, at any depth.
    """

    key: str
    field: str
    same_key: float = 0.0
    same_path: float = 0.0
    neither: float = 0.0
    missing: float = 0.0
    status_points: dict[Status, float]


class LabelWords(msgspec.Struct, frozen=True, kw_only=True):
    """A label and the words of a message that speak for it."""

    label: str
    words: tuple[str, ...]


def _label_words(entries: dict[str, tuple[str, ...]]) -> tuple[LabelWords, ...]:
    return tuple(LabelWords(label=label, words=words) for label, words in entries.items())


_WordsByLabel = Annotated[tuple[LabelWords, ...], written.Made(dict[written.Text, written.FilledWords], _label_words)]


class LabelRule(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer set out to do.

    sources: COLUMN and PAYLOAD give a label by name. field: path in the payload. status_labels: of items without an
    answer. first: labels of which the first with any word wins; most: labels of which the one with the most words wins,
    the earlier of equals. otherwise: when no word is there.
    """

    sources: tuple[_OfAnswer, ...] = ()
    field: written.Paths = "intent_label"
    status_labels: Annotated[dict[Status, written.Text], written.Key("statuses")] = {}
    first: _WordsByLabel = ()
    most: _WordsByLabel
    otherwise: written.Text

    def faults(self) -> Iterator[written.Fault]:
        """A label is known in one way."""
        most = {entry.label for entry in self.most}
        for entry in self.first:
            if entry.label in most:
                yield written.Fault("rubric-label-twice", ("most", entry.label), entry.label)

    @property
    def names(self) -> tuple[str, ...]:
        """Every label, in the document's order."""
        listed = (*(entry.label for entry in (*self.most, *self.first)), *self.status_labels.values(), self.otherwise)
        return tuple(dict.fromkeys(listed))


class SignatureRule(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer shows: the multiset of these keys over its UI items.

    keys: paths inside a UI item. beside: fields that count where an item or the payload has them.
    empty: the signature without UI items; invalid: of a payload that can't be read.
    """

    keys: Annotated[tuple[written.CleanPath, ...], written.FILLED]
    beside: tuple[written.CleanPath, ...] = ()
    empty: written.Text
    invalid: written.Text


class AgreementRule(msgspec.Struct, frozen=True, kw_only=True):
    """Consistency from the most frequent label and the most frequent signature of a query's rounds.

    parts: of the label and of the signature in the score. single: points of a query that was run once.
    """

    label: LabelRule
    signature: SignatureRule
    parts: Annotated[tuple[int, int], written.UNWRITTEN] = (1, 1)
    single: float


class ClassRule(msgspec.Struct, frozen=True, kw_only=True):
    """The latency class of an item by its payload.

    sources: of a class by name. field: path in the payload. several: paths of lists; `several_count` entries or more in
    any make it `several_class`.
    """

    sources: tuple[_OfAnswer, ...]
    field: written.Paths = "latencyClass"
    several: tuple[written.CleanPath, ...] = ()
    several_count: int = 2
    several_class: str

    def faults(self) -> Iterator[written.Fault]:
        """Several are at least one."""
        if self.several_count < 1:
            yield written.Fault("rubric-value-too-small", ("several_count",), str(self.several_count), {"low": "1"})


class PassRule(msgspec.Struct, frozen=True, kw_only=True):
    """An item passes at `points` or more of `metric`."""

    metric: Annotated[str, written.Made(Literal["intent", "accuracy", "stability", "latency", "rubrics"], str)]
    points: float


class MetricInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A metric that the report shows.

    name: "intent", "consistency", "accuracy", "latency", "stability", "rubrics", or "latency.<class>" for one class
    alone.
    """

    name: str
    title: str
