"""What a run is: one set's report, reduced to one value per query and metric (docs/compare.md).

What of a rubric is needed for that is kept in `report.json`, so that a published run can be compared after its rubric
changed.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from scoring.items import UNANSWERED, Review
from scoring.results import ANSWERED, INTENT, PASS, SECONDS, UNGRADED, Damage, TimeRange, copies_of, leading_figure
from scoring.review import graded_metrics, scale_of, steps_of
from scoring.rubric import (
    RUBRICS,
    TOTAL,
    Better,
    LatencyClass,
    Measure,
    PassRule,
    Rubric,
    Scale,
    Source,
    Status,
    TrackId,
    is_measure,
    measure_named,
)
from scoring.sets import RunInfo
from scoring.statistics import Attempts, Repeats, repeats
from scoring.text import compared_text

if TYPE_CHECKING:  # the status of sets compares none
    from scoring.results import FailurePattern, MetricLoss

CONSISTENCY = "consistency"
ACCURACY = "accuracy"
LATENCY = "latency"
SHARES = (PASS, ANSWERED)
GRADED = (INTENT, ACCURACY, RUBRICS)
NO_CHECKS = "no-checks"
RECORDED_AS = frozenset({Source.RECORDED.value, Source.COLUMN.value, Source.PAYLOAD.value})  # grades of the file
GROUNDS = ("llm_score", "reasons", "verdict", "checks", "ratio", "accuracy_reason", "rubrics_level", "rubrics_why")
SAID = ("llm_comment", "verdict_reason", "rubrics_reason", "failed_checks")  # columns of items.csv


class Basis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How items of a profile become values of queries.

    metrics: names that a report shows, in its order. scale: highest points, floor: lowest, absent where it is 0.
    answered: statuses of an answer. passes: what an item passes by, null where the document does not say. pairs: what
    passes when rounds are compared, null where the status decides. single: consistency of a query that was run once,
    where labels and signatures are compared; null where pairs of rounds are. weights: of the total, empty without one.
    edition, document: of the rubric, for people. measures: further numbers of the items, left out where there are none.
    scores_as: digest of the rubric that this one is a translation of; absent where it is none. tracks: in the order of
    the document where any is a text, else absent. copies: metrics that have the values of another figure by
    declaration, with its name. parts: of label and signature in consistency, absent for halves. levels: of metrics that
    are graded by levels, lowest first with their points, absent without any. causes: that a person chooses from, absent
    without any. speed: the classes of response times with their bands, first that of tracks which none of them names.
    """

    metrics: tuple[str, ...]
    scale: float
    answered: tuple[Status, ...]
    passes: PassRule | None
    pairs: PassRule | None
    single: float | None
    weights: dict[str, float]
    edition: str
    document: str
    scores_as: str = ""
    measures: tuple[Measure, ...] = ()
    floor: float | None = None
    tracks: tuple[TrackId, ...] = ()
    copies: dict[str, str] = {}
    parts: tuple[int, int] = (1, 1)
    levels: dict[str, dict[str, float]] = {}
    causes: tuple[str, ...] = ()
    speed: tuple[LatencyClass, ...] = ()

    @classmethod
    def of(cls, rubric: Rubric) -> Self:
        """The basis of a rubric."""
        scales = {name: scale_of(rubric, name) for name in graded_metrics(rubric)}
        return cls(
            metrics=tuple(metric.name for metric in rubric.metrics),
            scale=rubric.scale,
            answered=rubric.pass_statuses,
            passes=rubric.pass_points,
            pairs=rubric.pass_rule,
            single=None if rubric.agreement is None else rubric.agreement.single,
            weights=dict(rubric.weights),
            edition=rubric.edition,
            document=rubric.document,
            scores_as=rubric.scores_as,
            measures=rubric.measures,
            floor=rubric.floor or None,  # a float is not recognised as the default that is left out
            tracks=rubric.listed_tracks,
            copies=copies_of(rubric),
            parts=(1, 1) if rubric.agreement is None else rubric.agreement.parts,
            levels={name: dict(zip(of.names, of.points, strict=True)) for name, of in scales.items() if of.rule},
            causes=rubric.causes,
            speed=tuple(sorted(rubric.latency_classes, key=lambda entry: entry.name != rubric.default_class)),
        )

    def speed_class(self, named: str, track: TrackId | None) -> str:
        """The class whose bands give an item its points of latency, "" without any. named: by its payload."""
        of_track = (entry.name for entry in self.speed if track in entry.tracks)
        return named or next(of_track, self.speed[0].name if self.speed else "")

    @property
    def grades(self) -> dict[str, dict[str, float]]:
        """What a person may give, by metric, lowest first with its points."""
        steps = {f"{points:g}": points for points in steps_of(self.points)}
        own = [name for name in GRADED if self.has_metric(name) and name not in self.copies]
        return {name: self.levels.get(name, steps) for name in own}

    def written(self, metric: str, points: float | None) -> str:
        """A grade as a person gives it: a level by its name, else the points; "" for none."""
        levels = self.levels.get(metric, {})
        return "" if points is None else next((name for name, at in levels.items() if at == points), f"{points:g}")

    @property
    def points(self) -> Scale:
        """The scale of the points."""
        return Scale(self.floor or 0.0, self.scale)

    def has_metric(self, name: str) -> bool:
        """Does a report show it? "latency" also means its classes."""
        return any(metric == name or metric.startswith(f"{name}.") for metric in self.metrics)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that two runs can be compared by, in the order of a table: the figures that lead come first."""
        total = (TOTAL,) if self.weights else ()
        share = (ANSWERED,) if self.passes is None else (PASS, ANSWERED)
        return (*total, *share, *self.metrics, SECONDS, *(measure.key for measure in self.measures))

    def better(self, metric: str) -> Better:
        """Which values of a metric are the good ones."""
        measure = measure_named(self.measures, metric)
        return usual_better(metric) if measure is None else measure.better

    def source_of(self, metric: str) -> str:
        """The figure whose values a metric has: itself, unless it copies another."""
        return self.copies.get(metric, metric)

    def told_as(self, metric: str) -> str:
        """The share that a metric only repeats in points, and as which it is told; else the metric."""
        of = self.copies.get(metric, metric)
        return of if of in SHARES else metric

    def leading(self, *, is_graded: bool) -> str:
        """The one figure that is tested by itself, see `leading_figure`."""
        has_total, has_pass = bool(self.weights), self.passes is not None
        return leading_figure(self.metrics, has_total=has_total, has_pass=has_pass, is_graded=is_graded)


def has_no_scale(metric: str) -> bool:
    """Do its values have no highest one? Seconds and measures are compared by their ranks."""
    return metric == SECONDS or is_measure(metric)


def usual_better(metric: str) -> Better:
    """Which values of a metric that is no measure are the good ones."""
    return Better.LOWER if metric == SECONDS else Better.HIGHER


def length_of(metric: str, length: float) -> float:
    """How far apart two values of a metric can be. length: of the scale of points."""
    return 1.0 if metric in {*SHARES, RUBRICS} else length


class Grade(NamedTuple):
    """What of an item somebody or something graded: by metric of GRADED its points and by what they were given.

    origins: "recorded", "judge", "status" …, NO_CHECKS for an item without anything to check, "" without points.
    model: of the grader, as written; "" where none is named.
    """

    points: tuple[float | None, ...]
    origins: tuple[str, ...]
    model: str


class Answer(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One item of a query. passes: None where there is nothing to assess. text: answer or error, an excerpt.

    error: the error alone, likewise. text_hash: of everything that a grader reads, uncut; "" in reports that do not
    have it. unreviewed, unreviewed_passes: what it had before a person graded it; None where nobody did. reviews: by
    whom and why, of each metric.
    why: the rule of its status. points: by metric; grounds: by what it has them, the cells of `GROUNDS` in items.csv.
    said: by the graders, likewise, in the order of `SAID`. is_message: is the text that of the payload? speed: the
    class of its seconds. is_slow, admits_failure: as the report found it. file, row: where it is.
    """

    round: str
    status: str
    passes: bool | None
    seconds: float | None
    text: str
    grade: Grade
    error: str = ""
    text_hash: str = ""
    unreviewed: Grade | None = None
    unreviewed_passes: bool | None = None
    reviews: tuple[Review, ...] = ()
    why: str = ""
    points: Mapping[str, float | None] = {}
    grounds: tuple[str, ...] = ("",) * len(GROUNDS)
    said: tuple[str, ...] = ()
    is_message: bool = False
    speed: str = ""
    is_slow: bool = False
    admits_failure: bool = False
    file: str = ""
    row: int | None = None

    @property
    def own_grade(self) -> Grade:
        """The grade apart from that of a person."""
        return self.unreviewed or self.grade

    @property
    def fails(self) -> bool:
        """Does it not pass? Without an answer it fails, too, where a rubric assesses no such item."""
        return not self.passes if self.status in UNANSWERED else self.passes is False


class QueryPlace(NamedTuple):
    """The group of an item. category: as it is compared."""

    track: TrackId | None
    category: str


class Query(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One query of a run.

    questions, expected: the non-blank texts of its items, as they are compared, sorted. track: None is no track.
    places: the different tracks and categories of its items, by round. passed of assessed: items; those without
    anything to assess take no part. values: mean over the items by metric, only of those that there are. answers: by
    round. slices: by column, as headers are compared, the listed value; None for another one, and where items differ.
    """

    query_id: str
    question: str
    questions: tuple[str, ...]
    expected: tuple[str, ...]
    track: TrackId | None
    category: str
    places: tuple[QueryPlace, ...]
    n: int
    passed: int
    assessed: int
    values: dict[str, float]
    answers: tuple[Answer, ...]
    slices: Mapping[str, str | None] = {}

    @property
    def is_split(self) -> bool:
        """Do its items differ in track or category, so that it belongs to no group?"""
        return len(self.places) > 1

    @property
    def group_category(self) -> str:
        """The category as it is compared, so that a blank behind it makes no other one."""
        return compared_text(self.category)

    @property
    def passes(self) -> bool | None:
        """Does every item pass? None where there is nothing to assess."""
        return self.passed == self.assessed if self.assessed else None

    @property
    def lacks_answers(self) -> bool:
        """Are some of its items without an answer, and take no part, as the document assesses no such item?"""
        return any(one.passes is None and one.status in UNANSWERED for one in self.answers)

    @property
    def is_flaky(self) -> bool:
        """Do some of its items pass and others not?"""
        return repeats(Attempts(self.passed, self.assessed)) is Repeats.SOMETIMES


class Judge(msgspec.Struct, frozen=True):
    """Who judged a run. model: "" without a judge."""

    model: str = ""
    votes: int = 1
    prompt: str = ""


class RunId(NamedTuple):
    """What tells runs apart. The same three give the same values."""

    name: str
    key: str
    rubric_digest: str


class KnownQueries(NamedTuple):
    """Failing queries that a team knows. digest: of the lines that say so.

    names: Query ID -> ticket, or what was decided where there is none; None where the lines cannot be read.
    """

    digest: str
    names: Mapping[str, str] | None


class Losses(NamedTuple):
    """Where a whole run lost points, and what its errors say, as its report has it; nothing of one round alone."""

    of_metrics: tuple["MetricLoss", ...] = ()
    patterns: tuple["FailurePattern", ...] = ()


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison.

    name: of the set or file. key: identifies everything that the values depend on. selection: label of the one round
    that is compared, "" for all of them. rounds: labels of the whole run. executed: earliest `실행시각` as an ISO time,
    "" where none parses. titles: of the metrics, by name. times, run_ids: of all rounds, as they are written. shown:
    what the report shows of the run, by metric. queries: by Query ID, sorted. is_rescored: scored again for the
    comparison, under a rubric or engine other than that of its report. damaged: figures of which too much is lost.
    banner: says so where the figure that leads is among them; damage: what damaged them, in words. inputs: SHA-256 of
    the files, sorted. info: what people say of it. slices: by further column the values that the report lists. known:
    None where nobody says which failures are.
    """

    name: str
    key: str
    selection: str
    profile: str
    rubric_digest: str
    engine_version: int
    judge: Judge
    basis: Basis
    rounds: tuple[str, ...]
    executed: str
    shown: Mapping[str, float | None]
    queries: Mapping[str, Query]
    titles: Mapping[str, str] = {}
    is_rescored: bool = False
    times: TimeRange | None = None
    run_ids: tuple[str, ...] = ()
    damaged: tuple[Damage, ...] = ()
    banner: str = ""
    damage: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    info: RunInfo = RunInfo()
    slices: Mapping[str, tuple[str, ...]] = {}
    known: KnownQueries | None = None
    losses: Losses = Losses()

    @property
    def leading(self) -> str:
        """The one figure that is tested by itself, as the data of this run decides it."""
        grades = [answer.grade for query in self.queries.values() for answer in query.answers]
        graded = sum(grade.origins[GRADED.index(INTENT)] not in UNGRADED for grade in grades)
        return self.basis.leading(is_graded=2 * graded >= len(grades) > 0)

    @property
    def small_rounds(self) -> dict[str, int]:
        """The rounds that fewer than half of the queries have, with how many do; none where one round was chosen.

        Each item of such a round weighs as much as a whole query.
        """
        if self.selection or len(self.rounds) < 2:
            return {}
        having = Counter(
            label for query in self.queries.values() for label in {answer.round for answer in query.answers}
        )
        return {label: having[label] for label in self.rounds if 2 * having[label] < len(self.queries)}

    @property
    def id(self) -> RunId:
        """What tells this run from others."""
        return RunId(self.name, self.key, self.rubric_digest)

    @property
    def rules_digest(self) -> str:
        """Digest of the rules that scored it, whatever the language; a judge reads criteria, which have one."""
        return (self.basis.scores_as if not self.judge.model else "") or self.rubric_digest

    @property
    def grading_judge(self) -> str:
        """The model of the judge, where any item has its grade; else ""."""
        answers = (answer for query in self.queries.values() for answer in query.answers)
        return self.judge.model if any(Source.JUDGE.value in answer.grade.origins for answer in answers) else ""

    @property
    def recorded_models(self) -> tuple[str, ...]:
        """The models that gave the grades of the files, by name."""
        grades = {answer.own_grade for query in self.queries.values() for answer in query.answers}
        return tuple(
            sorted({grade.model for grade in grades if grade.model and RECORDED_AS.intersection(grade.origins)})
        )

    @property
    def items(self) -> int:
        """Number of items over all rounds."""
        return sum(query.n for query in self.queries.values())
