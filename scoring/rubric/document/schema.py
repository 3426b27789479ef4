"""Front matter of a full rubric document: its keys, their types and their defaults.

`scoring.rubric.document.front_matter` checks and cleans values by the markers of their types.
"""

from __future__ import annotations

import typing

import msgspec

from scoring.rubric.points import Status
from scoring.text import BLANK_WORDS

CLEAN, TEXT, FILLED, ONE_OR_MORE, HIGHEST = "clean", "text", "filled", "one or more", "highest"
Clean = typing.Annotated[str, CLEAN]  # NFC and stripped
Text = typing.Annotated[str, TEXT]  # the same, and not empty
Words = tuple[Text, ...]
FilledWords = typing.Annotated[Words, FILLED]  # at least one
Paths = typing.Annotated[FilledWords, ONE_OR_MORE]  # JSON paths; a single one may be written as a text
AnyPaths = typing.Annotated[Words, ONE_OR_MORE]  # the same, or none
TrackName = int | Text
Statuses = typing.Annotated[tuple[Status, ...], FILLED]


class ColumnSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One column; `name` is one of `scoring.rubric.fields.FIELDS`, `DETAIL_FIELDS` or `SESSION_FIELDS`.

    title: "" for the usual one, with its aliases.
    """

    name: str
    title: Text = ""
    aliases: Words = ()
    paths: AnyPaths = ()
    required: bool = False


class VerdictSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points by level; the levels are in a table."""

    sources: tuple[typing.Literal["column", "payload", "recorded", "status", "judge"], ...]
    field: Paths = ("intent_verdict",)
    statuses: dict[Status, Text] = {}


class IntentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points per status in a table; or a verdict; or those of another metric."""

    headings: FilledWords = ("의도 충족", "intent")
    title: Clean = ""
    verdict: VerdictSpec | None = None
    copies: typing.Literal["", "accuracy", "stability"] = ""


class RubricsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a level between the lowest and the highest; the numbered levels are in a table.

    names: of levels in another language, as files may record them, with the number of the level.
    """

    headings: FilledWords = ("등급", "level")
    sources: typing.Annotated[tuple[typing.Literal["column", "payload", "judge"], ...], FILLED] = ("column", "judge")
    title: Clean = ""
    field: Paths = ("rubric_level",)
    names: dict[Text, float] = {}


class PatternSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A line of prose that is a check; groups `key` and `value` of the pattern, or both given here."""

    pattern: str
    op: typing.Literal["eq", "contains", "in", "regex", "exists"]
    key: Clean = ""
    value: Clean = ""


class CallsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where a payload has its tool calls: paths of the list, tried in order, and paths inside a call."""

    paths: typing.Annotated[tuple[Clean, ...], FILLED]
    name: Text = "name"
    arguments: Text = "arguments"


class ChecksSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy from the share of checks that pass; bands over `ratio` and `none` are in a table."""

    sources: typing.Annotated[tuple[typing.Literal["column", "criteria", "payload", "marked", "text"], ...], FILLED] = (
        "column",
        "payload",
        "marked",
    )
    lookup: typing.Annotated[tuple[Clean, ...], FILLED] = ("{key}",)
    field: Paths = ("accuracyChecks",)
    marker: Text = "@check"
    contains_suffix: Text = "Contains"
    ignored: Words = ()
    none: FilledWords = ("체크 없음", "no checks")
    patterns: tuple[PatternSpec, ...] = ()
    calls: CallsSpec | None = None


class AddressesSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy from addresses; each list holds the phrases that name the outcome in the table."""

    key: Text
    field: Text
    same_key: FilledWords
    same_path: FilledWords
    neither: FilledWords
    missing: FilledWords


class AccuracySpec(msgspec.Struct, frozen=True, kw_only=True):
    """The points of another metric, or a rule; exactly one of the three."""

    headings: FilledWords = ("정확성", "accuracy")
    title: Clean = ""
    copies: typing.Literal["", "intent", "stability"] = ""
    checks: ChecksSpec | None = None
    addresses: AddressesSpec | None = None


class PointsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with points per status in a table of the document."""

    headings: FilledWords = ("안정성", "stability")
    title: Clean = ""


class LabelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Labels with their words: `first` in the order they are tried, `most` by the number of words found."""

    sources: tuple[typing.Literal["column", "payload"], ...] = ()
    field: Paths = ("intent_label",)
    statuses: dict[Status, Text] = {}
    first: dict[Text, FilledWords] = {}
    most: dict[Text, FilledWords]
    otherwise: Text


class SignatureSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of a UI item, and fields beside them, that make two answers the same."""

    keys: typing.Annotated[tuple[Clean, ...], FILLED]
    beside: tuple[Clean, ...] = ()
    empty: Text
    invalid: Text


class AgreementSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Consistency by label and signature."""

    label: LabelSpec
    signature: SignatureSpec
    single: float


class PassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points that pass in a comparison of two rounds."""

    metric: typing.Literal["intent", "accuracy", "stability", "latency"]
    points: float


class ItemPassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points at which an item passes."""

    metric: typing.Literal["intent", "accuracy", "stability", "latency", "rubrics"]
    points: float


class ConsistencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which statuses pass; how two rounds are compared when not by that alone.

    headings: words that name the metric in a table beside its title. title: "" for the usual one.
    """

    title: Text = ""
    headings: Words = ()
    pass_statuses: Statuses = (Status.OK, Status.PARTIAL)
    pass_points: PassSpec | None = None
    agreement: AgreementSpec | None = None


class ClassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A latency class, its tracks, and the words that name its table.

    title: "" for its name. headings: empty for title and name, and where it is the only class those of the metric.
    """

    title: Text = ""
    headings: FilledWords = ()
    tracks: tuple[TrackName, ...] = ()
    slow_seconds: float | None = None


class ByPayloadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The class by its name in a column or in the payload, else by the length of lists in the payload."""

    sources: tuple[typing.Literal["column", "payload"], ...]
    field: Paths = ("latencyClass",)
    several: tuple[Clean, ...] = ()
    several_count: int = 2
    several_class: str


class LatencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Latency classes by name; `default` is the class of all that no rule places, the first if it is "".

    classes: empty for a single one. separate: a metric for each.
    """

    headings: FilledWords = ("응답 속도", "응답 시간", "latency", "response time")
    default: str = ""
    classes: dict[str, ClassSpec] = {}
    title: Clean = ""
    by_payload: ByPayloadSpec | None = None
    separate: bool = False


class TotalSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A weighted total; the weights are in a table, metrics named by their headings."""

    headings: FilledWords = ("종합 점수", "total")
    weight: FilledWords = ("가중치", "weight")


class MetricsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where each metric has its points from; a profile has those that it names, and at least one."""

    intent: IntentSpec | None = None
    accuracy: AccuracySpec | None = None
    stability: PointsSpec | None = None
    consistency: ConsistencySpec | None = None
    latency: LatencySpec | None = None
    rubrics: RubricsSpec | None = None
    total: TotalSpec | None = None


class WordsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Words that score (blank, partial, no_error, failure, track) and words by which tables are read.

    blank: the same in every document, so that people read them; other ones are refused.
    """

    blank: Words = BLANK_WORDS
    partial: Words = ()
    no_error: Words = ()
    failure: Words = ()
    track: Words = ()
    missing: Words = ()
    points: Words = ()
    seconds: Words = ()
    either: Words = ()
    at_most: Words = ()
    above: Words = ()
    at_least: Words = ()
    below: Words = ()
    statuses: dict[Text, Statuses] = {}


class PayloadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where the values of an answer are in its payload; a key that is left out has the paths of `PayloadRule`."""

    message: AnyPaths | None = None
    ui: AnyPaths | None = None
    error: AnyPaths | None = None
    seconds: AnyPaths | None = None
    milliseconds: AnyPaths | None = None


class ScaleSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The lowest and the highest points; a number alone is the highest."""

    lowest: float = 0.0
    highest: float = 5.0


class TrackSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a track is about, and how many items a round should have of it."""

    track: TrackName
    meaning: Clean = ""
    items: int | None = None


class MeasureSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A further number of an item, in a column or in the payload, at the first of some paths that has a value."""

    name: str
    title: Text
    unit: Clean = ""
    column: Clean = ""
    payload: AnyPaths = ()
    decimals: int | None = None
    better: typing.Literal["lower", "higher", "none"] = "lower"


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a full document declares beside its tables.

    scale and recorded_range concern metrics in points alone; a range that is left out is the scale.
    What else may be left out is filled in by `scoring.rubric.document.found`.
    """

    profile: str
    title: Text
    files: FilledWords
    columns: tuple[ColumnSpec, ...]
    metrics: MetricsSpec
    payload: PayloadSpec | None = None
    records: AnyPaths = ()
    where: dict[Text, Paths] | None = None
    words: WordsSpec | None = None
    tracks: tuple[TrackSpec, ...] = ()
    measures: tuple[MeasureSpec, ...] = ()
    sessions: dict[typing.Literal["pass"], typing.Literal["last", "every"]] = {}
    date_order: typing.Literal["month_first", "day_first"] = "month_first"
    scale: typing.Annotated[ScaleSpec, HIGHEST] = ScaleSpec()
    recorded_range: tuple[float, float] | None = None
    max_rounds: int = 50
    pass_points: ItemPassSpec | None = None
