"""Did it get worse? One or two sentences that answer it first, and one to hand on.

The verdicts are those of the comparison; nothing is tested here. Without a comparison, what stands out is told.
"""

from collections import Counter
from collections.abc import Iterator

from reporting.comparison import (
    ERROR_CHARS,
    GradeEntry,
    change_text,
    error_of,
    graded_anew_texts,
    metric_name,
    moved_text,
    range_text,
    value_text,
    why_text,
)
from reporting.data import Report
from reporting.summary.facts import Facts, leading_metric
from reporting.wording import category_name, count, excerpt, track_name
from scoring.comparison import SHARES, Change, Query, Verdict
from scoring.results import ANSWERED, PASS, SECONDS, cause_of
from scoring.rubric import RUBRICS, TOTAL, Status, is_measure
from scoring.sets import shown
from scoring.statistics import Interval
from texts import Texts

NAME_CHARS = 60
_SAID = frozenset({Verdict.WORSE, Verdict.BETTER, Verdict.SAME, Verdict.NOT_DISTINGUISHABLE, Verdict.NOT_COMPARABLE})


def verdict_text(facts: Facts, t: Texts) -> str:
    """What is worse again, then what got worse or better against the baseline; without one, what stands out.

    Of figures beside those that are worse again, no more than one sentence.
    """
    assert facts.report is not None
    if figure_of(facts.report, facts.leading)[0] is None:
        return t("summary.no-figure")
    if facts.is_damaged:
        return t("summary.damaged", baseline=baseline_name(facts, t)) if facts.compared else t("summary.damaged-alone")
    if facts.compared is None:
        return " ".join(_outstanding(facts, t))
    again = list(_again(facts, t))
    if facts.is_graded_anew:
        return " ".join([*again, facts.compared.sentence])
    return " ".join([*again, *list(_changed(facts, t))[: 1 if again else None], *_flipped(facts, t)])


def say_text(facts: Facts, t: Texts) -> str:
    """One sentence to hand on: the leading figure, its interval in words, and the change."""
    assert facts.report is not None
    name = facts.leading
    figure, interval = figure_of(facts.report, name)
    if figure is None:
        return ""
    values = {
        "metric": figure_name(facts, name, t),
        "value": _with_scale(facts.report, name, figure, t),
        "interval": "",
    }
    if interval is not None:
        low, high = (value_text(name, end) for end in interval)
        values["interval"] = t("summary.say-interval", low=low, high=high)
    if facts.compared is not None and facts.is_graded_anew:
        return " ".join([t("summary.say.alone", **values), facts.compared.sentence])
    change = facts.change(name)
    if change is None or change.verdict not in _SAID:
        return t("summary.say.alone", **values)
    size, pair = change_text(change, t).lstrip("+−"), pair_text(change)
    is_told_without = bool(_without_graded_anew(change, t))
    if is_told_without:
        size = t("summary.say-without-graded-anew", size=size)
    elif pair and value_text(name, change.after) != value_text(name, figure):
        size = t("summary.say-shared", size=size, pair=pair)
    said = t(f"summary.say.{change.verdict}", baseline=baseline_name(facts, t), size=size, **values)
    regraded = [] if is_told_without else regraded_texts(facts, t)
    return " ".join([said, *_again(facts, t, name), *_otherwise(facts, change, t), *regraded])


def figure_of(report: Report, metric: str) -> tuple[float | None, Interval | None]:
    """A figure of the whole set with its interval."""
    headline = report.headline
    if metric == PASS:
        return headline.pass_rate, headline.pass_interval
    if metric == ANSWERED:
        return headline.answered_rate, headline.answered_interval
    if metric == SECONDS:
        return report.groups[0].set_seconds.mean, None
    if metric in headline.measured:
        return headline.measured[metric].mean, headline.measured[metric].interval
    return headline.metrics.get(metric), headline.intervals.get(metric)


def figure_name(facts: Facts, metric: str, t: Texts) -> str:
    """A figure as the document of the set calls it."""
    assert facts.report is not None
    titles = {entry.name: entry.title for entry in facts.report.metrics}
    return metric_name(metric, t, facts.report.basis.measures, titles)


def baseline_name(facts: Facts, t: Texts) -> str:
    """`the previous run (…)`."""
    assert facts.compared is not None
    name = excerpt(shown(facts.compared.before.name), NAME_CHARS)
    return t("summary.pinned" if facts.is_pinned else "summary.earlier", name=name)


def _with_scale(report: Report, metric: str, value: float, t: Texts) -> str:
    shown_value = value_text(metric, value)
    if metric in SHARES or metric == SECONDS or is_measure(metric):
        return shown_value
    highest = 1.0 if metric == RUBRICS else report.basis.scale
    return t("summary.of-points", value=shown_value, highest=f"{highest:g}")


def _again(facts: Facts, t: Texts, metric: str = "") -> Iterator[str]:
    """What this run and the one before it are both worse in than earlier ones, be it better than in the run before.

    metric: that the sentence follows, so that it needs no names.
    """
    found = sorted([one for one, of in facts.again.items() if not of], key=lambda name: name != facts.leading)
    if found:
        names = ": " + ", ".join(figure_name(facts, one, t) for one in found)
        key = "summary.again-pinned" if facts.is_pinned else "summary.again"
        yield t(key, names="" if metric in facts.again else names)


def _changed(facts: Facts, t: Texts) -> Iterator[str]:
    """Worse first, then better, and the leading figure in any case.

    A figure that changed just as another is told too: it has a row of its own, which a copy by declaration has not.
    """
    baseline, told = baseline_name(facts, t), _told_changes(facts)
    ordered = [facts.leading, _source(facts)]
    told.sort(key=lambda change: ordered.index(change.metric) if change.metric in ordered else len(ordered))
    leading = told[0]
    is_told = False
    for verdict in (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED):
        figures = ", ".join(
            _figure(facts, change, t, has_interval=change is leading) for change in told if change.verdict is verdict
        )
        if figures and is_told:
            yield t(f"summary.also-{verdict}", figures=figures)
        elif figures:
            yield t(f"summary.{verdict}", baseline=baseline, figures=figures)
        is_told = is_told or bool(figures)
    if not leading.is_found:
        yield from _leading(facts, leading, t, is_told=is_told)
    unlike = [change for change in told if change.why not in {None, leading.why} and change.before is not None]
    if unlike and unlike[0].why is not None:
        figures = ", ".join(_figure(facts, change, t) for change in unlike)
        yield t("summary.also-unlike", figures=figures, why=why_text(unlike[0].why, t))


def _flipped(facts: Facts, t: Texts) -> Iterator[str]:
    """How many queries newly fail and newly pass, in one sentence."""
    assert facts.compared is not None
    assert facts.report is not None
    fails, passes = (count(len(found)) for found in (facts.compared.now_fails, facts.compared.now_passes))
    if facts.compared.now_fails and facts.compared.now_passes:
        yield t("summary.now-both", fails=t.counted("queries", fails), passes=passes, why=_why_failing(facts, t))
    elif facts.compared.now_fails:
        key = "summary.now-fails" if len(facts.report.rounds) > 1 else "summary.now-fails-once"
        yield t(key, queries=t.counted("queries", fails), why=_why_failing(facts, t))
    elif facts.compared.now_passes:
        yield t("summary.now-passes", queries=t.counted("queries", passes))


def _told_changes(facts: Facts) -> list[Change]:
    """The changes of figures that have a row of their own."""
    assert facts.report is not None
    rows = [change for change in facts.changes if change.metric not in facts.report.basis.copies]
    return [change for change in rows if change.is_found or not change.copy_of]


def _otherwise(facts: Facts, leading: Change, t: Texts) -> Iterator[str]:
    """The figures that did not do what the leading one did, so that one sentence says no less than the verdict."""
    for verdict in (Verdict.WORSE, Verdict.BETTER):
        others = [change for change in _told_changes(facts) if change.verdict is verdict]
        if others and leading.verdict is not verdict:
            yield t(f"summary.also-{verdict}", figures=", ".join(_figure(facts, change, t) for change in others))


def regraded_texts(facts: Facts, t: Texts) -> list[str]:
    """That answers whose grades the leading figure has were only graded anew, or by people, which is no change."""
    change, compared = facts.change(facts.leading), facts.compared
    if compared is None or change is None or change.why is not None:
        return []
    assert facts.report is not None
    source = _source(facts)
    metric = leading_metric(facts.report, source)
    has_its_grade = source == TOTAL or any(
        _grade(one.before, metric) != _grade(one.after, metric) for one in compared.regraded
    )
    return graded_anew_texts(len(compared.regraded) if has_its_grade else 0, compared.reviewed or 0, t)


def _grade(grade: GradeEntry, metric: str) -> tuple[float | None, str]:
    return grade.points.get(metric), grade.origins.get(metric, "")


def _source(facts: Facts) -> str:
    """The leading figure, or the one that it has the same change as."""
    change = facts.change(facts.leading)
    return facts.leading if change is None else change.copy_of or change.metric


def _leading(facts: Facts, change: Change, t: Texts, *, is_told: bool) -> Iterator[str]:
    """The leading figure where no change of it was found. is_told: other figures were told before it."""
    baseline, figure = baseline_name(facts, t), _figure(facts, change, t)
    if change.verdict is Verdict.NO_VALUE:
        yield t("summary.no-value", baseline=baseline, metric=figure_name(facts, change.metric, t))
    elif change.why is not None and is_told:
        yield t("summary.also-unlike", figures=figure, why=why_text(change.why, t))
    elif change.why is not None:
        yield t("summary.unlike", baseline=baseline, figure=figure, why=why_text(change.why, t))
    elif change.verdict is Verdict.SAME and is_told:
        yield t("summary.also-same", figure=figure)
    elif change.verdict is Verdict.SAME and pair_text(change):
        yield t("summary.only-graded-anew", baseline=baseline, figure=figure)
    elif change.verdict is Verdict.SAME:
        compared = [one for one in facts.changes if one.queries]
        is_all = all(one.verdict is Verdict.SAME for one in compared)
        yield t("summary.unchanged" if is_all else "summary.unmoved", baseline=baseline, figure=figure)
    elif is_told:
        yield t("summary.chance", figure=figure, interval=range_text(change, t))
    else:
        yield t("summary.not-shown", baseline=baseline, figure=_figure(facts, change, t, has_interval=True))


def _figure(facts: Facts, change: Change, t: Texts, *, has_interval: bool = False) -> str:
    """`intent 4.35 → 3.89`; of what looks as before, the value of the set. has_interval: with that of the change."""
    assert facts.report is not None
    own = value_text(change.metric, figure_of(facts.report, change.metric)[0])
    figure = f"{figure_name(facts, change.metric, t)} {pair_text(change) or own}"
    notes = []
    if difference := _without_graded_anew(change, t):
        notes.append(t("summary.without-graded-anew", difference=difference))
    if has_interval and change.interval is not None:
        notes.append(t("summary.with-interval", interval=range_text(change, t)))
    return t("summary.noted", figure=figure, notes=", ".join(notes)) if notes else figure


def _without_graded_anew(change: Change, t: Texts) -> str:
    """The difference, where it can be seen that it is not that of the two values beside it; "" else."""
    if change.verdict is Verdict.SAME or change.difference is None:
        return ""
    difference = change_text(change, t)
    return (
        ""
        if difference == moved_text(change.metric, (change.before, change.after), change.difference, t)
        else difference
    )


def pair_text(change: Change) -> str:
    """`4.35 → 3.89`, over the shared queries; "" where both look alike."""
    before, after = (value_text(change.metric, value) for value in (change.before, change.after))
    return "" if before == after else f"{before} → {after}"


def _why_failing(facts: Facts, t: Texts) -> str:
    """The error that the queries have which fail newly, as far as they were read; "" where they have none in common.

    An answer that fails by its points has none: its text is no reason.
    """
    assert facts.compared is not None
    new = [facts.queries.get(entry.query_id) for entry in facts.compared.now_fails]
    errors = [error_of(query) for query in new if query is not None and _has_failure(query)]
    if not errors:
        return ""
    cause, n = Counter(map(cause_of, errors)).most_common(1)[0]
    if not cause or 2 * n <= len(errors):
        return ""
    share = "all" if n == len(new) else "most" if 2 * n > len(new) else "some"
    error = next(error for error in errors if cause_of(error) == cause)
    return t(f"summary.now-fails-{share}", error=excerpt(error, ERROR_CHARS))


def _has_failure(query: Query) -> bool:
    """Did the agent give no answer in some round?"""
    return any(answer.status in {Status.ERROR, Status.EMPTY} for answer in query.answers)


def _outstanding(facts: Facts, t: Texts) -> Iterator[str]:
    """What a first run shows: queries that never pass, those that pass sometimes, and the weakest place."""
    report = facts.report
    assert report is not None
    repeated = report.repeatability
    is_repeated = len(report.rounds) > 1
    if repeated.never:
        key = "summary.never" if is_repeated else "summary.failing"
        yield t(key, queries=t.counted("queries", count(repeated.never)))
    if repeated.sometimes:
        yield t("summary.sometimes", queries=t.counted("queries", count(repeated.sometimes)))
    if repeated.left_out and report.headline.assessed:
        yield t("summary.unassessed", queries=t.counted("queries", count(repeated.left_out)))
    if repeated.always and not (repeated.never or repeated.sometimes):
        yield t("summary.all-pass" if repeated.by_points else "summary.all-answered")
    metric = leading_metric(report)
    if place := weakest_place(report, metric, t):
        name = figure_name(facts, report.basis.told_as(metric), t)
        yield t("summary.lowest", place=place[0], metric=name, value=place[1])


def weakest_place(report: Report, metric: str, t: Texts) -> tuple[str, str] | None:
    """The track, else the category, that can be told to be the weakest in a metric, with its value."""
    for weakest, name in (
        (report.insights.weakest_tracks, track_name),
        (report.insights.weakest_categories, category_name),
    ):
        entry = weakest.get(metric)
        if entry is not None and entry.is_distinct:
            return name(entry.key, t), value_text(report.basis.told_as(metric), as_told(report, metric, entry.value))
    return None


def as_told(report: Report, metric: str, value: float) -> float:
    """A value of a metric as `Basis.told_as` tells it: a part of 1 of a share."""
    scale = report.basis.points
    return (value - scale.lowest) / scale.length if report.basis.told_as(metric) != metric else value
