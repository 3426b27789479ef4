"""What a rubric document says, as values.

`scoring.rubric.document.read` reads Markdown into these; everything that scores
reads numbers and words from here, so that the code itself holds none.
"""

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import Annotated

import msgspec
from msgspec.structs import replace

from scoring.json_values import ANY_KEY
from scoring.rubric import fields, written
from scoring.rubric.points import SHARE, UNREAD, Bands, Scale, Status
from scoring.rubric.rules import (
    AddressRule,
    AgreementRule,
    CheckRule,
    ClassRule,
    MetricInfo,
    PassRule,
    PayloadRule,
    SessionPass,
    VerdictRule,
)

METRICS = ("intent", "accuracy", "stability", "latency")
RUBRICS = "rubrics"
ONE_A_FILE = "file"  # as the path of records: each file is one
CONSISTENCY = "consistency"
TOTAL = "total"
LATENCY_PREFIX = "latency."
Statuses = Annotated[tuple[Status, ...], written.FILLED]


class DateOrder(StrEnum):
    """How an Excel date that once was `room/repeat` is read back."""

    MONTH_FIRST = "month_first"
    DAY_FIRST = "day_first"


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column that the profile wants.

    name: field name in code, one of `scoring.rubric.fields.FIELDS` ("query_id").
    title: the header as people know it ("Query ID"); also matched, like each alias. A document may leave it out, which
    means the usual one, with its aliases.
    paths: where a JSON record has the value, tried in order; empty where its title and aliases are names of the record.
    """

    name: str
    title: written.Text = ""
    aliases: written.Words = ()
    paths: written.RecordPaths = ()
    required: bool = False


_JOINED = (".json", ".jsonl", ".ndjson", ".gz", ".zip")


class JoinRule(msgspec.Struct, frozen=True, kw_only=True):
    """A second file beside the one that is read, with more of its records. on: the path of what both have."""

    file: written.Text
    on: written.TextPath

    def faults(self) -> Iterator[written.Fault]:
        """It is a name of a JSON file, packed or not, and no path."""
        if "/" in self.file or "\\" in self.file:
            yield written.Fault("rubric-glob-separator", ("file",), self.file)
        if not self.file.lower().endswith(_JOINED):
            yield written.Fault("rubric-value-type", ("file",), self.file, {"expected": " | ".join(_JOINED)})


class NoneOf(msgspec.Struct, frozen=True):
    """Words of which a record has none at a path; one without a value there has none, either."""

    words: Annotated[written.OneOrMore, written.Key("not")]


Condition = Annotated[NoneOf | written.OneOrMore, written.EITHER]
Where = dict[str, NoneOf | tuple[str, ...]]


class RecordRule(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a JSON file are its records, and which of them, or of the rows of a table, are scored.

    paths: of the list in a document, tried in order; empty for a document that is a list; ONE_A_FILE for one record.
    where: words by path, of which a scored record has one, or none. key: the name under which a
    record of a map has its name there, where the records are a map. join: a second file. left_out: paths of lists that
    are not read, whose length is told.
    """

    paths: tuple[str, ...] = ()
    where: Where = {}
    key: str | msgspec.UnsetType = msgspec.UNSET
    join: JoinRule | msgspec.UnsetType = msgspec.UNSET
    left_out: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def asked(self) -> str:
        """The conditions in words: `meta.kind: test; status: not pending; type: result, final`."""
        return "; ".join(
            f"{path}: not {', '.join(asked.words)}" if isinstance(asked, NoneOf) else f"{path}: {', '.join(asked)}"
            for path, asked in self.where.items()
        )

    def is_joined(self, name: str) -> bool:
        """Is a file of this name, or path, the second one, which is no set and no part of one by itself?"""
        file = self.join.file if isinstance(self.join, JoinRule) else ""
        return bool(file) and name.rpartition("/")[2].casefold() == file.casefold()


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """Words by which the tables of a rubric document are read; they score nothing by themselves.

    missing: no value ("누락"). either: joins two conditions of one cell ("또는"). seconds: units of time.
    points: the word for points, as a unit and as a header. at_most, above, at_least, below: comparisons that
    follow their number ("5초 이하"). headings: role of a table ("intent", "latency", "latency.single") -> words
    that name it in the heading, list line or caption above. statuses: a phrase -> the statuses that it can mean.
    conditions: role -> outcome ("none", "same-key") -> phrases that name it in a table of that role.
    """

    missing: written.Words = ()
    either: written.Words = ()
    seconds: written.Words = ()
    points: written.Words = ()
    at_most: written.Words = ()
    above: written.Words = ()
    at_least: written.Words = ()
    below: written.Words = ()
    headings: Annotated[dict[str, tuple[str, ...]], written.UNWRITTEN] = {}
    statuses: dict[written.Text, Statuses] = {}
    conditions: Annotated[dict[str, dict[str, tuple[str, ...]]], written.UNWRITTEN] = {}


class LatencyClass(msgspec.Struct, frozen=True, kw_only=True):
    """One latency class ("single", "multi"), its tracks and its bands.

    title: "" for its name. tracks: the tracks that the document names for this class.
    slow_seconds: items at or above are listed as slow; None lists none.
    """

    name: Annotated[str, written.UNWRITTEN] = ""
    title: written.Text = ""
    tracks: tuple[written.TrackName, ...] = ()
    bands: Annotated[Bands, written.UNWRITTEN] = UNREAD
    slow_seconds: float | None = None

    def faults(self) -> Iterator[written.Fault]:
        """Nothing takes less than no time."""
        if self.slow_seconds is not None and self.slow_seconds < 0:
            yield written.Fault("rubric-value-too-small", ("slow_seconds",), f"{self.slow_seconds:g}", {"low": "0"})


EXCEPT = "!"  # before a file pattern: files that the document does not claim
MOST_SLICES = 8  # columns by whose values figures are shown
_LATER = (
    b'"rubrics":null,',
    b'"calls":null,',
    b'"payload_paths":null,',
    b'"measures":[],',
    b'"other_names":{},',
    b'"floor":0.0,',
    b'"every":[],',
    b'"scores_as":"",',
    b'"sessions":null,',
    b'"records":null,',
    b'"paths":[],',
    b'"parts":[1,1],',
    b'"status_order":[],',
    b'"unread_rules":[],',
    b'"causes":[],',
    b'"set_pattern":"",',
    b'"judged_scores":[],',
    b'"slices":[],',
    b'"error_words":[],',
    b'"no_answer_words":[],',
    b'"agents":"",',
    b'"questions":[],',
)  # inside a text their quotes would be escaped
_NO_CLASS = LatencyClass(name="", title="", tracks=(), bands=Bands(edges=(), points=(0.0,), missing=0.0))


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A question of a sheet. Its texts are those of a cell; check: lines of `@check`. All but the name may be ""."""

    query_id: str
    question: str = ""
    expected: str = ""
    check: str = ""
    track: str = ""
    category: str = ""


class RuleLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a document that states a rule. line: from 1. text: as it is written, without marks."""

    line: int
    text: str


class Rubric(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A profile: files, columns, words, points and bands (docs/rubrics.md).

    scale: the highest points of a metric, floor: the lowest; consistency is their distance x agreeing / compared.
    recorded_range: lowest and highest recorded LLM score that is used.
    status_points: metric ("intent", "stability") -> points per status. Accuracy copies `accuracy_of`, or has a rule
    of its own when that is "". metrics: what the report shows, in its order.
    default_class: latency class of tracks that no class names, and of items without a track.
    vocabulary: how a document that holds tables only is read against this rubric.
    verdict, rubrics, checks, addresses: rule of intent, of the rubrics metric, of accuracy, or None. intent_of: the
    metric that intent copies, or "". agreement: consistency by label and signature; None compares passes in pairs of
    rounds. classes: the latency class by payload; None takes it from the track. pass_rule: what passes in pairs; None
    goes by `pass_statuses`. pass_points: what an item passes by; None where it is answered or not, and no more.
    records: which objects of a JSON file are its records; None where the document does not say it.
    payload_paths: where a payload has the values of an answer, as the document says it. weights: metric -> weight in
    the total; empty without one. measures: further numbers of the items, in the document's order. tracks: what the
    document says about them, in their order. scores_as: digest of the document in another language that this one is a
    translation of, "" for none. sessions: what makes a session pass; None without the column.
    status_order: which status counts of several that hold, the first that does; empty: as `Status` has them.
    unread_rules: lines of the document that look like rules and say something else than what runs.
    causes: of lost points, that a person chooses from when she grades; they score nothing, so no digest has them.
    slices: titles of columns by whose values figures are shown; empty where the files tell which.
    set_pattern: RE2 with one group; files outside of folders whose names have the same group are one set, "" for none.
    It scores nothing either.
    judged_scores: what a judge is asked about named scores, all of it in one request an item.
    error_words: beginnings of answers that are the error of a provider. no_answer_words: answers that are none.
    agents: the field that says which agent answered, where files have answers of several; "" where they do not.
    questions: of a sheet, that exports are filled from; no document has them.
    edition: `updatedDate` of the document, document: its file name; "" where they are not known.
    """

    profile: str
    title: str
    files: tuple[str, ...]
    columns: tuple[Column, ...]
    no_error_words: tuple[str, ...]
    partial_words: tuple[str, ...]
    failure_words: tuple[str, ...]
    track_words: tuple[str, ...]
    date_order: DateOrder
    scale: float
    recorded_range: tuple[float, float]
    status_points: dict[str, dict[Status, float]]
    accuracy_of: str
    pass_statuses: tuple[Status, ...]
    latency_classes: tuple[LatencyClass, ...]
    default_class: str
    max_rounds: int
    vocabulary: Vocabulary = Vocabulary()
    metrics: tuple[MetricInfo, ...] = ()
    verdict: VerdictRule | None = None
    rubrics: VerdictRule | None = None
    checks: CheckRule | None = None
    addresses: AddressRule | None = None
    intent_of: str = ""
    agreement: AgreementRule | None = None
    classes: ClassRule | None = None
    pass_rule: PassRule | None = None
    pass_points: PassRule | None = None
    payload_paths: PayloadRule | None = None
    records: RecordRule | None = None
    weights: dict[str, float] = {}
    measures: tuple[fields.Measure, ...] = ()
    tracks: tuple[fields.Track, ...] = ()
    sessions: SessionPass | None = None
    scores_as: str = ""
    floor: float = 0.0
    status_order: tuple[Status, ...] = ()
    unread_rules: tuple[RuleLine, ...] = ()
    causes: tuple[str, ...] = ()
    set_pattern: str = ""
    judged_scores: tuple[VerdictRule, ...] = ()
    slices: tuple[str, ...] = ()
    error_words: tuple[str, ...] = ()
    no_answer_words: tuple[str, ...] = ()
    agents: str = ""
    questions: tuple[Question, ...] = ()
    edition: str = ""
    document: str = ""

    @property
    def order_of_statuses(self) -> tuple[Status, ...]:
        """Every status; of those that hold for an item the first one counts."""
        return self.status_order or tuple(Status)

    def latency_class(self, track: fields.TrackId | None) -> LatencyClass:
        """The class whose bands score an item of `track`; one without a name where the profile has no latency."""
        for latency_class in self.latency_classes:
            if track in latency_class.tracks or (
                latency_class.name == self.default_class and track not in self._tracks_of_classes
            ):
                return latency_class
        return _NO_CLASS

    @cached_property  # a report asks for its tracks some thousand times
    def _tracks_of_classes(self) -> frozenset[fields.TrackId]:
        return frozenset(track for entry in self.latency_classes for track in entry.tracks)

    @cached_property
    def text_tracks(self) -> tuple[str, ...]:
        """The tracks that are texts; without any, a track is a number."""
        named = (*(track.number for track in self.tracks), *self._tracks_of_classes)
        return tuple(dict.fromkeys(track for track in named if isinstance(track, str)))

    @cached_property
    def listed_tracks(self) -> tuple[fields.TrackId, ...]:
        """The tracks whose order is that of the document: where any is a text, those of its list."""
        return tuple(track.number for track in self.tracks) if self.text_tracks else ()

    @cached_property
    def named_tracks(self) -> tuple[fields.TrackId, ...]:
        """The tracks that tables always show, in order: of latency classes, and of the list where any is a text."""
        return tuple(sorted({*self._tracks_of_classes, *self.listed_tracks}, key=self.track_place))

    def track_place(self, track: fields.TrackId | None) -> fields.TrackPlace:
        """What tracks are sorted by."""
        return fields.place_of(track, self.listed_tracks)

    def names_track(self, track: fields.TrackId | None) -> bool:
        """Does the document name this track?"""
        return track in self.named_tracks

    def class_named(self, name: str) -> LatencyClass | None:
        """The latency class of this name in any case."""
        wanted = name.casefold()
        return next((entry for entry in self.latency_classes if entry.name.casefold() == wanted), None)

    @property
    def has_tracks(self) -> bool:
        """Does the document name any track? Without one, items need none."""
        return bool(self.named_tracks)

    def has_metric(self, name: str) -> bool:
        """Does the profile have this metric? "latency" also means its classes."""
        return any(metric.name == name or metric.name.startswith(f"{name}.") for metric in self.metrics)

    def has_column(self, name: str) -> bool:
        """Does the profile want the column of this field?"""
        return any(column.name == name for column in self.columns)

    @property
    def wanted_columns(self) -> tuple[Column, ...]:
        """The columns that are looked for in a file: those of fields, then those that only a measure names."""
        known = {
            fields.normalise_header(spelling) for column in self.columns for spelling in (column.title, *column.aliases)
        }
        named: dict[str, Column] = {}
        for measure in self.measures:
            if measure.name == f"{fields.SCORE_PREFIX}{ANY_KEY}":
                continue  # which columns these are, each file tells
            rule = measure.score if isinstance(measure.score, fields.ScoreRule) else None
            others = rule.other_columns if rule else ()
            reason = rule.reason_column if rule else ""
            for name, title, aliases in ((measure.key, measure.column, others), (f"{measure.key} reason", reason, ())):
                if title and fields.normalise_header(title) not in known:
                    column = Column(name=name, title=title, aliases=aliases)
                    named.setdefault(fields.normalise_header(title), column)
        return (*map(self._as_wanted, self.columns), *named.values())

    def _as_wanted(self, column: Column) -> Column:
        """What a sheet of questions fills need not be in a file."""
        is_filled = column.required and any(getattr(question, column.name, "") for question in self.questions)
        return replace(column, required=False) if is_filled and column.name != "query_id" else column

    def origin_of(self, metric: str) -> str:
        """The metric whose points this one has: itself, unless it copies another."""
        copied = {"intent": self.intent_of, "accuracy": self.accuracy_of}.get(metric, "")
        return self.origin_of(copied) if copied else metric

    @property
    def points(self) -> Scale:
        """The scale of the points."""
        return Scale(self.floor, self.scale)

    def scale_of(self, metric: str) -> Scale:
        """The scale of a metric."""
        if fields.is_score(metric) and (measure := fields.measure_named(self.measures, metric)) is not None:
            assert isinstance(measure.score, fields.ScoreRule)
            return Scale(measure.score.lowest, measure.score.highest)
        return SHARE if metric == RUBRICS else self.points

    @property
    def judged(self) -> tuple[VerdictRule, ...]:
        """The rules that a judge may speak for."""
        rules = (self.verdict, self.rubrics, *self.judged_scores)
        return tuple(rule for rule in rules if rule is not None and rule.is_judged)

    @property
    def has_details(self) -> bool:
        """Does any metric need more of an item than its status and seconds?"""
        rules = (self.verdict, self.rubrics, self.checks, self.addresses, self.agreement, self.classes, self.intent_of)
        return any(rules) or bool(self.judged_scores)

    @cached_property
    def document_digest(self) -> str:
        """The digest of the document, whatever a sheet of questions adds for a set."""
        return replace(self, questions=()).digest if self.questions else self.digest

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the parsed values: prose does not count, every number and word does.

        The criteria of a level count where a judge reads them, or the report shows them; so do name and edition of the
        document, and what it says of tracks.
        """
        counted = replace(self, causes=(), set_pattern="")
        if self.verdict is not None and not self.verdict.is_judged:
            levels = tuple(replace(level, criteria="") for level in self.verdict.levels)
            counted = replace(counted, verdict=replace(self.verdict, levels=levels))
        return hashlib.sha256(encode_rubric(counted)).hexdigest()


def encode_rubric(rubric: Rubric) -> bytes:
    """Canonical JSON of a rubric; the same values give the same bytes.

    Declarations that came later are left out where a document does not have them, so that older digests stay.
    """
    data = msgspec.json.encode(rubric, order="deterministic")
    for absent in _LATER:
        data = data.replace(absent, b"")
    return data


def decode_rubric(data: bytes) -> Rubric:
    """Inverse of `encode_rubric`. Raises msgspec.DecodeError on anything else."""
    return msgspec.json.decode(data, type=Rubric)


def translation_of(original: Rubric, rubric: Rubric) -> Rubric:
    """`rubric`, marked as scoring like `original` where it does; else as it is.

    Titles, meanings, criteria and the words by which tables are read may differ, and columns may have more aliases.
    """
    if _rules(original) != _rules(rubric):
        return rubric
    return replace(rubric, scores_as=original.digest)


def _rules(rubric: Rubric) -> Rubric:
    """Everything that scores."""
    return replace(
        rubric,
        title="",
        columns=tuple(replace(column, title="", aliases=()) for column in rubric.columns),
        metrics=tuple(replace(metric, title="") for metric in rubric.metrics),
        latency_classes=tuple(replace(entry, title="") for entry in rubric.latency_classes),
        measures=tuple(replace(measure, title="", unit="") for measure in rubric.measures),
        tracks=tuple(replace(track, meaning="") for track in rubric.tracks),
        verdict=_levels(rubric.verdict),
        rubrics=_levels(rubric.rubrics),
        vocabulary=Vocabulary(),
        edition="",
        document="",
        scores_as="",
        causes=(),
        slices=(),
        set_pattern="",
    )


def _levels(rule: VerdictRule | None) -> VerdictRule | None:
    """A rule without what its levels mean; levels known by their number lose their names too."""
    if rule is None:
        return None
    levels = tuple(replace(level, criteria="", name="" if rule.by_number else level.name) for level in rule.levels)
    return replace(rule, levels=levels, other_names={})
