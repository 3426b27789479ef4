"""What the front matter of a full rubric document declares, as it is written."""

from __future__ import annotations

import typing

import msgspec


class ColumnSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One column; `name` is one of `scoring.rubric.fields.FIELDS` or `DETAIL_FIELDS`."""

    name: str
    title: str
    aliases: tuple[str, ...] = ()
    required: bool = False


class VerdictSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points by a level that somebody picked; the levels stand in a table."""

    sources: tuple[typing.Literal["column", "payload", "recorded", "status", "judge"], ...]
    field: str = "intent_verdict"
    statuses: dict[str, str] = {}


class IntentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points per status in a table; or a verdict; or those of another metric."""

    headings: tuple[str, ...]
    title: str = ""
    verdict: VerdictSpec | None = None
    copies: typing.Literal["", "accuracy", "stability"] = ""


class RubricsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a level between the lowest and the highest; the numbered levels stand in a table."""

    headings: tuple[str, ...]
    sources: tuple[typing.Literal["column", "payload", "judge"], ...]
    title: str = ""
    field: str = "rubric_level"


class PatternSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A line of prose that is a check; groups `key` and `value` of the pattern, or both given here."""

    pattern: str
    op: typing.Literal["eq", "contains", "in", "regex", "exists"]
    key: str = ""
    value: str = ""


class ChecksSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy from the share of checks that pass; bands over `ratio` and `none` stand in a table."""

    sources: tuple[typing.Literal["column", "criteria", "payload", "marked", "text"], ...]
    lookup: tuple[str, ...]
    field: str = "accuracyChecks"
    marker: str = "@check"
    contains_suffix: str = "Contains"
    ignored: tuple[str, ...] = ()
    none: tuple[str, ...]
    patterns: tuple[PatternSpec, ...] = ()


class AddressesSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy from addresses; each list holds the phrases that name the outcome in the table."""

    key: str
    field: str
    same_key: tuple[str, ...]
    same_path: tuple[str, ...]
    neither: tuple[str, ...]
    missing: tuple[str, ...]


class AccuracySpec(msgspec.Struct, frozen=True, kw_only=True):
    """The points of another metric, or a rule; exactly one of the three."""

    headings: tuple[str, ...]
    title: str = ""
    copies: typing.Literal["", "intent", "stability"] = ""
    checks: ChecksSpec | None = None
    addresses: AddressesSpec | None = None


class PointsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with points per status in a table of the document."""

    headings: tuple[str, ...]
    title: str = ""


class LabelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Labels with their words: `first` in the order they are tried, `most` by the number of words found."""

    sources: tuple[typing.Literal["column", "payload"], ...] = ()
    field: str = "intent_label"
    statuses: dict[str, str] = {}
    first: dict[str, tuple[str, ...]] = {}
    most: dict[str, tuple[str, ...]]
    otherwise: str


class SignatureSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of a UI item, and fields beside them, that make two answers the same."""

    keys: tuple[str, ...]
    beside: tuple[str, ...] = ()
    empty: str
    invalid: str


class AgreementSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Consistency by label and signature."""

    label: LabelSpec
    signature: SignatureSpec
    single: float


class PassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Points that pass in a comparison of two rounds."""

    metric: typing.Literal["intent", "accuracy", "stability", "latency"]
    points: float


class ConsistencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which statuses pass; how two rounds are compared when not by that alone."""

    title: str
    pass_statuses: tuple[str, ...]
    pass_points: PassSpec | None = None
    agreement: AgreementSpec | None = None


class ClassSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A latency class, its tracks, and the words that name its table."""

    title: str
    headings: tuple[str, ...]
    tracks: tuple[int, ...] = ()
    slow_seconds: float | None = None


class ByPayloadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The class by its name in a column or in the payload, else by the length of lists in the payload."""

    sources: tuple[typing.Literal["column", "payload"], ...]
    field: str = "latencyClass"
    several: tuple[str, ...] = ()
    several_count: int = 2
    several_class: str


class LatencySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Latency classes by name; `default` is the class of all that no rule places. separate: a metric for each."""

    headings: tuple[str, ...]
    default: str
    classes: dict[str, ClassSpec]
    title: str = ""
    by_payload: ByPayloadSpec | None = None
    separate: bool = False


class TotalSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A weighted total; the weights stand in a table, metrics named by their headings."""

    headings: tuple[str, ...]
    weight: tuple[str, ...]


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
    """Words that score (partial, no_error, failure, track) and words by which tables are read."""

    partial: tuple[str, ...] = ()
    no_error: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()
    track: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    seconds: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    statuses: dict[str, tuple[str, ...]] = {}


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a full document declares beside its tables.

    scale and recorded_range concern metrics in points alone.
    """

    profile: str
    title: str
    files: tuple[str, ...]
    columns: tuple[ColumnSpec, ...]
    metrics: MetricsSpec
    words: WordsSpec = WordsSpec()
    date_order: typing.Literal["month_first", "day_first"] = "month_first"
    scale: float = 5.0
    recorded_range: tuple[float, float] = (0.0, 5.0)
    max_rounds: int = 50
