"""How the figures of a comparison look: points, shares in percent, seconds, signed differences, verdicts."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType

from msgspec.structs import replace

from reporting.store import ToldFigure
from reporting.wording import (
    NONE,
    between_signed,
    brief_seconds,
    count,
    excerpt,
    measure_title,
    percent,
    quantity,
    score,
    titled,
)
from scoring.comparison import (
    ACCURACY,
    GRADED,
    SHARES,
    Change,
    Comparison,
    Difference,
    Grade,
    GradedAnew,
    Query,
    Run,
    Told,
    Verdict,
    Why,
    WhyKind,
    has_no_scale,
)
from scoring.results import ANSWERED, PASS, SECONDS
from scoring.rubric import Better, Measure, is_measure, measure_named
from scoring.statistics import Interval
from texts import Texts

_LEAST_P = 0.001
_NAME_CHARS = 60
_OWN_WORDS = (PASS, ANSWERED, SECONDS)


def metric_name(
    metric: str, t: Texts, measures: Iterable[Measure] = (), titles: Mapping[str, str] = MappingProxyType({})
) -> str:
    """A metric of a comparison in words. measures, titles: of a document; others are shown by their usual words."""
    measure = measure_named(measures, metric)
    if measure is not None:
        return measure_title(measure.title, measure.unit, t)
    return t(f"compare.{metric}") if metric in _OWN_WORDS else titled(metric, titles, t)


def metric_of(run: Run, metric: str, t: Texts) -> str:
    """A metric as the document of a run calls it: of the two that are compared, the later one."""
    return metric_name(metric, t, run.basis.measures, run.titles)


def value_text(metric: str, value: float | None, decimals: int | None = None) -> str:
    """A value in the unit of its metric. decimals: of a measure, None where they are not known."""
    if value is None:
        return NONE
    if metric in SHARES:
        return percent(value, 1)
    if is_measure(metric):
        return quantity(value, decimals)
    return brief_seconds(value) if metric == SECONDS else score(value)


def grade_text(grade: Grade, before: Grade, after: Grade, run: Run, t: Texts) -> str:
    """One of the two grades of an item, in what differs between them: `Intent 5.00 (LLM score, judge-a)`."""
    pieces = []
    for at, metric in enumerate(GRADED):
        differs = (before.points[at], before.origins[at]) != (after.points[at], after.origins[at])
        if differs and metric not in run.basis.copies:
            points = f"{metric_of(run, metric, t)} {value_text(metric, grade.points[at])}"
            origin = t(f"source.{grade.origins[at]}") if metric != ACCURACY and grade.origins[at] else ""
            how = ", ".join(excerpt(one, _NAME_CHARS) for one in (origin, grade.model) if one)
            pieces.append(f"{points} ({how})" if how else points)
    return ", ".join(pieces)


def difference_text(metric: str, value: float | None, t: Texts) -> str:
    """A difference with its sign; percent points for shares. What is shown as 0 has none."""
    if value is None:
        return NONE
    size = value_text(metric, abs(value)).removesuffix("%")
    sign = "" if not size.strip("0.") else "+" if value > 0 else "−"
    return t("changes.percent-points", n=f"{sign}{size}") if metric in SHARES else f"{sign}{size}"


def change_text(change: Change, t: Texts) -> str:
    """The difference of a change as it is told."""
    return difference_text(change.metric, told_difference(change), t)


def told_difference(change: Change) -> float | None:
    """The difference of a change, as `moved_text` tells it where it is that of the two values."""
    if change.leaves_out:
        return change.difference
    return _moved(change.metric, (change.before, change.after), change.difference)


def moved_text(metric: str, values: tuple[float | None, float | None], difference: float | None, t: Texts) -> str:
    """The difference of the two values as they are printed beside it; of seconds and measures their own estimate."""
    return difference_text(metric, _moved(metric, values, difference), t)


def _moved(metric: str, values: tuple[float | None, float | None], difference: float | None) -> float | None:
    before, after = values
    if difference is None or before is None or after is None or has_no_scale(metric):
        return difference
    shown_before, shown_after = (Decimal(value_text(metric, value).removesuffix("%")) for value in (before, after))
    return float(shown_after - shown_before) / (100 if metric in SHARES else 1)


def untested(change: Change) -> Change:
    """A change of the same answers that were graded anew: nothing of it is by chance, worse or better."""
    verdict = Verdict.CHANGED if change.is_found or change.verdict is Verdict.NOT_DISTINGUISHABLE else change.verdict
    return replace(change, low=None, high=None, p=None, smallest=None, verdict=verdict)


def without_chance(comparison: Comparison) -> Comparison:
    """A comparison of the same answers, of which some were graded anew, has nothing to test."""
    if comparison.graded_anew is None:
        return comparison
    groups = [replace(group, changes=tuple(map(untested, group.changes))) for group in comparison.groups]
    return replace(comparison, groups=tuple(groups))


def told_of_other_rules(comparison: Comparison) -> Comparison:
    """Of the same answers by other rules a page tells which values look alike and which do not."""
    if not comparison.has_same_answers:
        return comparison
    groups = [replace(group, changes=tuple(map(_of_other_rules, group.changes))) for group in comparison.groups]
    return replace(comparison, groups=tuple(groups))


def _of_other_rules(change: Change) -> Change:
    if change.verdict is not Verdict.NOT_COMPARABLE or change.why is None or change.why.kind is not WhyKind.RULES:
        return change
    before, after = (value_text(change.metric, value) for value in (change.before, change.after))
    return replace(change, verdict=Verdict.SAME if before == after else Verdict.CHANGED, why=None)


def size_text(metric: str, value: float | None, t: Texts) -> str:
    """The size of a difference, without a sign."""
    return difference_text(metric, value, t).lstrip("+−")


def interval_text(metric: str, interval: Interval | None, t: Texts) -> str:
    """An interval of a difference; "—" without one."""
    if interval is None:
        return NONE
    low, high = (difference_text(metric, end, t) for end in interval)
    return between_signed(low, high, t)


def range_text(change: Change, t: Texts) -> str:
    """The interval of a change; where only the changed queries tell it, with their number."""
    shown = interval_text(change.metric, change.interval, t)
    if change.interval is None or change.tells_all:
        return shown
    return t("compare.of-changed", interval=shown, queries=t.counted("queries", count(change.changed)))


def p_text(p: float | None) -> str:
    """A p-value with three decimals."""
    if p is None:
        return NONE
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"


def verdict_text(change: Change, t: Texts) -> str:
    """The verdict in words, with the reason where the figure is not comparable; a note names rules that differ."""
    verdict = t(f"compare.verdict.{change.verdict.value}")
    if change.why is None or change.why.kind is WhyKind.RULES:
        return verdict
    return f"{verdict} ({why_text(change.why, t)})"


def margin_text(change: Change, t: Texts) -> str:
    """What the interval shows about the margin, in words."""
    return NONE if change.margin is None else t(f"compare.margin.{change.margin.value}")


def verdicts_text(change: Change, margin: float | None, t: Texts) -> str:
    """The verdict, and the second one about the margin where there is one."""
    verdict = verdict_text(change, t)
    return verdict if margin is None or change.margin is None else f"{verdict}, {_within_text(change, margin, t)}"


def _within_text(change: Change, margin: float, t: Texts) -> str:
    return t("compare.within", margin=f"{margin:g}", verdict=margin_text(change, t))


def passes_text(query: Query) -> str:
    """`1/2`: items that pass, of those assessed."""
    return f"{count(query.passed)}/{count(query.assessed)}" if query.assessed else NONE


def why_text(why: Why, t: Texts) -> str:
    """In what the two runs differ, so that a figure is not comparable: `graded by recorded scores: 26% → 100%`."""
    what = excerpt(why.what, _NAME_CHARS)
    if why.kind is WhyKind.GRADED:
        what = t(f"compare.origin.{why.what or 'none'}")
    elif why.kind is WhyKind.RULES:
        what = ", ".join(t(f"rules.{code}") for code in why.what.split(","))
    shares = [NONE if share is None else percent(share, 1) for share in (why.before, why.after)]
    other = excerpt(why.other, _NAME_CHARS)
    return t(f"compare.why.{why.kind.value}", what=what, before=shares[0], after=shares[1], other=other)


def told_figure(comparison: Comparison, t: Texts) -> ToldFigure:
    """The figure that stands for the comparison in one line."""
    change = comparison.told[0].change
    before, after = (value_text(change.metric, value) for value in (change.before, change.after))
    title = metric_of(comparison.after, change.metric, t)
    return ToldFigure(title=title, before=before, after=after, verdict=change.verdict)


def sentence(comparison: Comparison, t: Texts) -> str:
    """What got worse, what got better, and the leading figure, in one or two sentences.

    Every distinct figure with a change is named, copies of it once. Caveats of the change follow. Beside a damaged run
    it is that nothing was compared.
    """
    if comparison.damaged:
        return t("compare.damaged", names=", ".join(excerpt(run.name, _NAME_CHARS) for run in comparison.damaged))
    told = comparison.told
    rules = [one for one in (Difference.RUBRIC, Difference.ENGINE) if one in comparison.differences]
    if rules and comparison.has_same_answers:
        return _of_same_answers(comparison, f"rules-changed.{rules[0].value}", {}, t)
    if comparison.graded_anew is not None:
        return _of_same_answers(comparison, *_who_graded(comparison.graded_anew, t), t)
    sentences = []
    for verdict in (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED):
        figures = [_told_text(comparison, one, t) for one in told if one.change.verdict is verdict]
        if figures:
            sentences.append(t(f"compare.told.{verdict.value}", figures=", ".join(figures)))
    sentences += [text for one in told if one.change.is_found for text in _alike_texts(comparison, one, t)]
    sentences += [_unfound_text(comparison, one, t) for one in told if not one.change.is_found]
    sentences += graded_anew_texts(len(comparison.regraded.items), comparison.reviewed, t)
    for run in (comparison.before, comparison.after):
        rounds = [
            f"{excerpt(label, _NAME_CHARS)} ({count(having)}/{count(len(run.queries))})"
            for label, having in run.small_rounds.items()
        ]
        if rounds:
            sentences.append(t("compare.small-rounds", name=excerpt(run.name, _NAME_CHARS), rounds=", ".join(rounds)))
    if any(one.change.comparable for one in told) and comparison.headline.queries:
        headline, shared = comparison.headline, len(comparison.pairing.shared)
        left = shared - headline.queries
        name = metric_of(comparison.after, headline.metric, t)
        key = "compare.over-some" if left else "compare.over"
        sentences.append(t(key, n=count(headline.queries), all=count(shared), left=count(left), metric=name))
    return " ".join(sentences)


def graded_anew_texts(regraded: int, reviewed: int, t: Texts) -> list[str]:
    """How many items are left out of the change, as they were only graded anew or by people; nothing of none."""
    left_out = {"compare.regraded": regraded, "compare.reviewed": reviewed}
    return [t(key, items=t.counted("items", count(items))) for key, items in left_out.items() if items]


def _who_graded(anew: GradedAnew, t: Texts) -> tuple[str, dict[str, str]]:
    """The key of the sentence about same answers that were graded anew, with what it shows."""
    moved = {"people": anew.people, "judge": anew.judge}
    shown = {name: t.counted("items", count(items)) for name, items in moved.items() if items}
    who = "both" if len(shown) == 2 else next(iter(shown), "judge" if anew.people is None else "people")
    return f"{who}-{'changed' if shown else 'confirmed'}", shown


def _of_same_answers(comparison: Comparison, changed: str, shown: Mapping[str, str], t: Texts) -> str:
    """What other rules, people or a judge made of the same answers, which is neither worse nor better."""
    basis = comparison.after.basis
    figures = [
        t("compare.figure-short", metric=metric_of(comparison.after, change.metric, t), before=before, after=after)
        for change in comparison.groups[0].changes
        if basis.source_of(change.metric) == change.metric
        for before, after in [[value_text(change.metric, value) for value in (change.before, change.after)]]
        if before != after
    ]
    return t(f"compare.{changed}", **shown, figures=", ".join(figures) or t("compare.no-figure"))


def _told_text(comparison: Comparison, told: Told, t: Texts) -> str:
    """`intent 4.35 → 3.89 (−0.80 to −0.12)`."""
    change = told.change
    name = metric_of(comparison.after, change.metric, t)
    shown = {
        "metric": name,
        "before": value_text(change.metric, change.before),
        "after": value_text(change.metric, change.after),
    }
    if change.interval is None:
        text = t("compare.figure-short", **shown)
    else:
        text = t("compare.figure", **shown, interval=range_text(change, t))
    if comparison.margin is None or change.margin is None:
        return text
    return f"{text}, {_within_text(change, comparison.margin, t)}"


def _alike_texts(comparison: Comparison, told: Told, t: Texts) -> list[str]:
    """The figures that have the same change, and those that nearly have it."""
    metric = metric_of(comparison.after, told.change.metric, t)
    return [
        t(key, metric=metric, names=", ".join(metric_of(comparison.after, other, t) for other in others))
        for key, others in (("compare.copies", told.names), ("compare.near", told.near))
        if others
    ]


def _unfound_text(comparison: Comparison, told: Told, t: Texts) -> str:
    """The leading figure where no change of it was found."""
    change = told.change
    figure = _told_text(comparison, told, t)
    if change.verdict is Verdict.NO_VALUE:
        name = metric_of(comparison.after, change.metric, t)
        return t("compare.no-value", metric=name, n=count(len(comparison.pairing.shared)))
    if change.why is not None:
        return t("compare.not-comparable", figure=figure, why=why_text(change.why, t))
    if change.verdict is Verdict.SAME:
        compared = [one for one in comparison.groups[0].changes if one.queries]
        nothing = all(one.verdict is Verdict.SAME for one in compared)
        text = t("compare.unchanged" if nothing else "compare.unmoved", figure=figure)
    else:
        text = t("compare.chance", figure=figure)
    if change.interval is None:
        return text
    is_lower = change.good is Better.LOWER
    far = change.interval.high if is_lower else -change.interval.low
    where = "elsewhere" if change.verdict is Verdict.SAME else "possible"
    limit = t(f"compare.{'rise' if is_lower else 'drop'}-{where}", far=size_text(change.metric, far, t))
    return f"{text} {limit}"
