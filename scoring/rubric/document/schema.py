"""Front matter of a full rubric document: what it declares beside its rules.

A rule is its own declaration. Here is where each metric has its points from, with the words and phrases of its table.
`scoring.rubric.written` has the markers of the types, and `scoring.rubric.document.front_matter` reads by them.
"""

import typing
from collections.abc import Iterator
from typing import ClassVar, Literal

import msgspec
from msgspec.structs import fields

from scoring.rubric import rules, written
from scoring.rubric.fields import MatchRule, Measure, Track
from scoring.rubric.model import TOTAL, Column, Condition, DateOrder, JoinRule, LatencyClass, Statuses, Vocabulary
from scoring.rubric.points import USUAL_SCALE, Scale, Status
from scoring.rubric.scores import NamedScore
from scoring.text import BLANK_WORDS

_OfRubrics = typing.Annotated[rules.Source, written.Made(Literal["column", "payload", "judge"], rules.Source)]


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """Points per status in a table; or a verdict; or those of another metric."""

    headings: written.FilledWords = ("의도 충족", "intent")
    title: written.Clean = ""
    verdict: rules.VerdictRule | None = None
    copies: Literal["", "accuracy", "stability"] = ""

    def faults(self) -> Iterator[written.Fault]:
        """It has one origin."""
        if self.verdict is not None and self.copies:
            yield written.Fault("rubric-kinds", (), values={"choices": "verdict, copies"})


class Rubrics(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a level between the lowest and the highest; the numbered levels are in a table.

    names: of levels in another language, as files may record them, with the number of the level.
    """

    headings: written.FilledWords = ("등급", "level")
    sources: typing.Annotated[tuple[_OfRubrics, ...], written.FILLED] = (rules.Source.COLUMN, rules.Source.JUDGE)
    title: written.Clean = ""
    field: written.Paths = "rubric_level"
    names: dict[written.Text, float] = {}


class Checks(rules.CheckRule, frozen=True, kw_only=True):
    """Accuracy from the share of checks that pass; `none` are phrases of the table for an item without checks."""

    KEYS: ClassVar = "sources lookup field marker contains_suffix ignored none patterns calls all"

    none: written.FilledWords = ("체크 없음", "no checks")


class Addresses(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy from addresses; each list holds the phrases that name the outcome in the table."""

    key: written.Text
    field: written.Text
    same_key: written.FilledWords
    same_path: written.FilledWords
    neither: written.FilledWords
    missing: written.FilledWords

    @property
    def phrases(self) -> dict[str, tuple[str, ...]]:
        """Phrases by outcome."""
        names = ("same_key", "same_path", "neither", "missing")
        return {name.replace("_", "-"): getattr(self, name) for name in names}


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """The points of another metric, or a rule; exactly one of the three."""

    headings: written.FilledWords = ("정확성", "accuracy")
    title: written.Clean = ""
    copies: Literal["", "intent", "stability"] = ""
    checks: Checks | None = None
    addresses: Addresses | None = None

    def faults(self) -> Iterator[written.Fault]:
        """It has one origin."""
        if sum(map(bool, (self.copies, self.checks, self.addresses))) != 1:
            yield written.Fault("rubric-kinds", (), values={"choices": "copies, checks, addresses"})


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """A metric with points per status in a table of the document."""

    headings: written.FilledWords = ("안정성", "stability")
    title: written.Clean = ""


class RoundPass(rules.PassRule, frozen=True, kw_only=True):
    """Points that pass in a comparison of two rounds."""

    metric: Literal["intent", "accuracy", "stability", "latency"]


class Consistency(msgspec.Struct, frozen=True, kw_only=True):
    """Which statuses pass; how two rounds are compared when not by that alone.

    headings: words that name the metric in a table beside its title. title: "" for the usual one.
    """

    title: written.Text = ""
    headings: written.Words = ()
    pass_statuses: Statuses = (Status.OK, Status.PARTIAL)
    pass_points: RoundPass | None = None
    agreement: rules.AgreementRule | None = None

    def faults(self) -> Iterator[written.Fault]:
        """Rounds are compared in one way."""
        if self.agreement is not None and self.pass_points is not None:
            yield written.Fault("rubric-kinds", (), values={"choices": "agreement, pass_points"})


class HeadedClass(LatencyClass, frozen=True, kw_only=True):
    """A latency class, and the words that name its table.

    headings: empty for title and name, and where it is the only class those of the metric.
    """

    KEYS: ClassVar = "title headings tracks slow_seconds"

    headings: written.FilledWords = ()


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Latency classes by name; `default` is the class of all that no rule places, the first if it is "".

    classes: empty for a single one. by_payload: the class by its name in a column or in the payload, else by the length
    of lists in the payload. separate: a metric for each.
    """

    headings: written.FilledWords = ("응답 속도", "응답 시간", "latency", "response time")
    default: str = ""
    classes: dict[str, HeadedClass] = {}
    title: written.Clean = ""
    by_payload: rules.ClassRule | None = None
    separate: bool = False


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """A weighted total; the weights are in a table, metrics named by their headings."""

    headings: written.FilledWords = ("종합 점수", "total")
    weight: written.FilledWords = ("가중치", "weight")


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Where each metric has its points from; a profile has those that it names, and at least one."""

    intent: Intent | None = None
    accuracy: Accuracy | None = None
    stability: Stability | None = None
    consistency: Consistency | None = None
    latency: Latency | None = None
    rubrics: Rubrics | None = None
    total: Total | None = None

    def faults(self) -> Iterator[written.Fault]:
        """There is a metric, and none has its points from itself or from one that is not there."""
        intent, accuracy = self.intent or Intent(), self.accuracy or Accuracy()
        rounds = self.consistency.pass_points if self.consistency is not None else None
        if not any(getattr(self, metric.name) for metric in fields(self) if metric.name != TOTAL):
            yield written.Fault("rubric-no-metrics", ())
        if intent.copies == "accuracy" and accuracy.copies == "intent":
            yield written.Fault("rubric-copies-itself", ("intent", "copies"), intent.copies)
        if intent.verdict is not None and accuracy.copies == "intent":
            # An item that was not judged would have no accuracy either.
            yield written.Fault("rubric-copies-verdict", ("accuracy", "copies"), accuracy.copies)
        for path, name in (
            (("intent", "copies"), intent.copies),
            (("accuracy", "copies"), accuracy.copies),
            (("consistency", "pass_points", "metric"), rounds.metric if rounds is not None else ""),
        ):
            if name and getattr(self, name) is None:
                yield written.Fault("rubric-metric-absent", path, name)


class AllWords(Vocabulary, frozen=True, kw_only=True):
    """Words that score (blank, partial, no_error, error, no_answer, failure, track), and those of tables.

    blank: the same in every document, so that people read them; other ones are refused.
    """

    KEYS: ClassVar = (
        "blank partial no_error error no_answer failure track "
        "missing points seconds either at_most above at_least below statuses"
    )

    blank: written.Words = BLANK_WORDS
    partial: written.Words = ()
    no_error: written.Words = ()
    error: written.Words = ()
    no_answer: written.Words = ()
    failure: written.Words = ()
    track: written.Words = ()

    def faults(self) -> Iterator[written.Fault]:
        """Blank words are those of every document."""
        found = [word.casefold() for word in self.blank]
        if sorted(found) != sorted(BLANK_WORDS):
            yield written.Fault("rubric-blank-words", ("blank",), ", ".join(found), {"known": ", ".join(BLANK_WORDS)})


class SetsRule(msgspec.Struct, frozen=True, kw_only=True):
    """Which files outside of folders are one set. pattern: RE2 for a whole name without its extension, with a group."""

    pattern: written.Text

    def faults(self) -> Iterator[written.Fault]:
        """RE2 takes the pattern, and it has one group."""
        from scoring.rubric.patterns import compiled_pattern, groups_or_reason

        _, reason = groups_or_reason(self.pattern)
        if reason is not None:
            yield written.Fault("rubric-pattern", ("pattern",), self.pattern, {"reason": reason})
        elif (groups := compiled_pattern(self.pattern).groups) != 1:
            yield written.Fault("rubric-set-pattern", ("pattern",), self.pattern, {"groups": str(groups)})


class Points(msgspec.Struct, frozen=True, kw_only=True):
    """The lowest and the highest points; a number alone is the highest."""

    lowest: float = USUAL_SCALE.lowest
    highest: float = USUAL_SCALE.highest


_WrittenScale = typing.Annotated[Points, written.HIGHEST]
_Scale = typing.Annotated[Scale, written.Made(_WrittenScale, lambda points: Scale(points.lowest, points.highest))]


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """All that a full document declares beside its tables.

    scale and recorded_range concern metrics in points alone; a range that is left out is the scale.
    What else may be left out is filled in by `scoring.rubric.document.found`.
    """

    profile: str
    title: written.Text
    files: written.FilledWords
    columns: tuple[Column, ...]
    metrics: Metrics
    payload: rules.PayloadRule | None = None
    records: written.RecordPaths = ()
    key: written.Clean = ""
    join: JoinRule | None = None
    left_out: written.RecordPaths = ()
    where: dict[written.RecordPath, Condition] | None = None
    words: AllWords | None = None
    tracks: tuple[Track, ...] = ()
    measures: tuple[Measure, ...] = ()
    scores: tuple[NamedScore, ...] = ()
    match: MatchRule | None = None
    passing: typing.Annotated[written.Clean, written.Key("pass")] = "all"
    sessions: dict[Literal["pass"], rules.SessionPass] = {}
    date_order: DateOrder = DateOrder.MONTH_FIRST
    scale: _Scale = USUAL_SCALE
    recorded_range: tuple[float, float] | None = None
    max_rounds: int = 50
    pass_points: rules.PassRule | None = None
    causes: written.Words = ()
    slices: written.Words = ()
    agents: Literal["", "category", "llm_model"] = ""
    sets: SetsRule | None = None
