"""The top of a report: the distinct figures, where the set is weakest, where points were lost, what to look at."""

from collections.abc import Callable
from functools import partial
from math import fsum

from reporting.document.blocks import Html, Text, linked, titled
from reporting.document.headline import leading_metrics
from reporting.document.html_renderer import html, large
from reporting.document.report.accuracy import total_text
from reporting.document.report.repeatability import pass_kind
from reporting.document.tables import Table, shown_groups, table_of
from reporting.store import headline_of
from reporting.wording import (
    NONE,
    between,
    category_name,
    count,
    excerpt,
    few,
    filled,
    items_link,
    joined,
    key_of,
    knows_tracks,
    measure_title,
    metric_title,
    metric_titles,
    pass_limit,
    percent,
    pointed_bands,
    points,
    quantity,
    sample_size,
    score,
    seconds,
    set_metrics,
    sort_key,
    span,
    status_name,
    status_names,
    sure_percent,
    sure_score,
    track_key,
    track_name,
)
from scoring.results import ANSWERED, INTENT, Group, Insights, Loss, Mean, MetricLoss, SetResult, copies_of
from scoring.rubric import (
    CONSISTENCY,
    RUBRICS,
    UNASSIGNED,
    Better,
    Measure,
    Rubric,
    is_by_scores,
    is_score,
    measure_named,
    track_of,
)
from scoring.statistics import Interval
from texts import Texts

CAUSE_CHARS = 60


def box_lines(result: SetResult, insights: Insights, found: str, t: Texts) -> list[Text]:
    """The sentences on top: where the set is weakest, where it lost most, and what to look at.

    found: what the inputs give to look at, see `Quality`.
    """
    lines = [
        titled(t("metric.total"), total_text(result, t)) if result.total is not None else "",
        _weakest(result, insights, t),
        _lost(result, insights, t),
        linked(joined(_look_at(result, insights, t), " · ")),
        linked(found),
    ]
    return [line for line in lines if line]


def copies_text(rubric: Rubric, t: Texts) -> str:
    """Which metrics are another figure under a second name, "" for none: each figure is told once."""
    shares = {ANSWERED: t("headline.answered-rate")}
    pairs = [
        t(
            "box.copy-for-now" if of == INTENT else "box.copy",
            name=metric_title(rubric, name, t),
            of=shares.get(of) or metric_title(rubric, of, t),
        )
        for name, of in copies_of(rubric).items()
    ]
    return t("box.copies", copies=", ".join(pairs)) if pairs else ""


def lead_line(result: SetResult, t: Texts) -> str:
    """The figures of a set that lead its report, in sentences, with the items that are not answered by status."""
    names = status_names(t)
    failures = [
        items_link(f"{names[status]} {count(n)}", status=status.value)
        for status, n in result.groups[0].status_counts.items()
        if n and status not in result.rubric.pass_statuses
    ]
    headline, rule, sessions = headline_of(result), result.rubric.pass_points, result.sessions
    told = [
        t(
            "lead.metric",
            metric=metric_title(result.rubric, name, t),
            figure=sure_score(headline.metrics[name], headline.intervals[name]),
        )
        for name in leading_metrics(headline.metrics)
    ]
    if rule is not None and headline.passed is not None:
        level = _passing_level(result.rubric)
        limit = f"{metric_title(result.rubric, INTENT, t)}: {level}" if level else pass_limit(result.rubric, t)
        share = _lead_share(headline.passed, headline.assessed, headline.pass_interval)
        told.append(t("lead.passed-scores" if level or is_by_scores(rule) else "lead.passed", limit=limit, **share))
        if left_out := headline.n - headline.assessed:
            told.append(t("lead.left-out", items=t.counted("items", count(left_out))))
    told.append(t("lead.answered", **_lead_share(headline.answered, headline.n, headline.answered_interval)))
    if failures:
        told.append(filled(partial(t, "lead.failures"), statuses=joined(failures, ", ")))
    if sessions is not None:
        told.append(t("lead.sessions", **_lead_share(sessions.all.passed, sessions.all.n, sessions.all.interval)))
    return joined(told, " ")


def _passing_level(rubric: Rubric) -> str:
    """Of the two levels of a verdict the one that passes: it says more than its points; "" for anything else."""
    rule = rubric.pass_points
    if rule is None or rule.metric != INTENT or rubric.verdict is None:
        return ""
    levels = rubric.verdict.levels
    passing = [level.name for level in levels if level.points >= rule.points]
    return excerpt(passing[0], CAUSE_CHARS) if (len(levels), len(passing)) == (2, 1) else ""


def _lead_share(part: int, whole: int, interval: Interval | None) -> dict[str, str]:
    return {"part": count(part), "whole": count(whole), "share": sure_percent(part, whole, interval) if whole else NONE}


def failures_by_track(result: SetResult, t: Texts) -> str:
    """`Track 3 오류 37, 빈 응답 4`: the items that are not answered, each number the way to them; "" in one track."""
    names, found = status_names(t), []
    for key, group in shown_groups(result):
        counts = {} if group is None else group.status_counts
        failing = [
            items_link(f"{names[status]} {count(n)}", track=track_key(key), status=status.value)
            for status, n in counts.items()
            if n and status not in result.rubric.pass_statuses
        ]
        found += [joined([track_name(key, t), joined(failing, ", ")], " ")] if failing else []
    return joined(found, " · ") if len(shown_groups(result)) > 1 else ""


def tiles(result: SetResult, t: Texts, *, is_damaged: bool) -> Html:
    """The distinct figures with their intervals, each once: the shares that lead, total and metrics."""
    headline, found = headline_of(result), []
    if (total := result.total) is not None:
        found.append((t("metric.total"), t("term.total"), score(total.value), _span(total.interval)))
    if headline.passed is not None:
        shown = percent(headline.passed, headline.assessed), _share_span(headline.pass_interval)
        found.append((t("headline.pass-rate"), t("term.passed"), *shown))
    shown = percent(headline.answered, headline.n), _share_span(headline.answered_interval)
    found.append((t("headline.answered-rate"), t("term.answered"), *shown))
    copies = copies_of(result.rubric)
    for figures in set_metrics(result, t):
        if figures.name not in copies:
            meaning = t(f"term.{figures.name.partition('.')[0]}")
            is_alone = figures.name == CONSISTENCY and len(result.rounds) == 1
            note = t("tile.one-round") if is_alone and figures.set is None else _span(figures.interval)
            found.append((figures.title, meaning, score(figures.set), note))
    tile = '<li><abbr title="{1}">{0}</abbr>{2}<small>{3}</small></li>\n'
    shown_tiles = [
        html(tile, title, meaning, large(value, is_damaged=is_damaged), "" if is_damaged else note)
        for title, meaning, value, note in found
    ]
    return Html(f'<ul class="tiles">\n{"".join(shown_tiles)}</ul>\n')


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f"({span(interval)})"


def _share_span(interval: Interval | None) -> str:
    return "" if interval is None else f"({between(percent(interval.low, 1), percent(interval.high, 1))})"


def _weakest(result: SetResult, insights: Insights, t: Texts) -> str:
    """The weakest track by the first metric in which one can be told from the others; where it is weakest as well.

    Where none can: the lowest track of the first metric, and that this may be chance. The same of categories where
    there are no tracks, "" when they do not differ.
    """
    has_tracks = knows_tracks(result.rubric)
    weakest, name = (
        (insights.weakest_tracks, track_name) if has_tracks else (insights.weakest_categories, category_name)
    )
    titles, copies = metric_titles(result.rubric, t), copies_of(result.rubric)
    named = [(metric, weakest.get(metric)) for metric in titles if copies.get(metric) not in titles]
    known = [(metric, entry) for metric, entry in named if entry is not None]
    distinct = [(metric, entry) for metric, entry in known if entry.is_distinct]
    if not known:
        return ""
    metric, entry = (distinct or known)[0]
    place = {"place": name(entry.key, t), "metric": titles[metric]}
    if not entry.is_distinct:
        return t("box.lowest", **place, value=score(entry.value), queries=t.counted("queries", count(entry.queries)))
    figure = sure_score(entry.value, entry.interval)
    also = [
        titles[name] for name, other in distinct if name != metric and name not in copies and other.key == entry.key
    ]
    more = t("box.also-weakest", metrics=t("box.joint").join(also)) if also else ""
    return t("box.weakest", **place, figure=figure) + more


def _lost(result: SetResult, insights: Insights, t: Texts) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        if not any(loss.possible for loss in insights.losses):
            return t("box.nothing-evaluated")
        return t("box.nothing-lost-evaluated" if _unevaluated(result) else "box.nothing-lost")
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    metric, share = metric_title(result.rubric, worst.metric, t), percent(worst.points, worst.possible)
    told = t("box.lost", metric=metric, share=share)
    for place in worst.places[:1]:
        part, lost = percent(place.points, worst.points), t.counted("points", points(place.points))
        told += t("box.lost-most", part=part, place=_place_of(worst.metric, place, result, t), points=lost)
    return told


def _unevaluated(result: SetResult) -> dict[str, int]:
    """Items without a value by metric; metrics that copy another are left out."""
    rubric, everything = result.rubric, result.groups[0]
    copies = {"accuracy" if rubric.accuracy_of else "", "intent" if rubric.intent_of else ""}
    missing = {
        name: everything.n - metric.set.n
        for name, metric in everything.metrics.items()
        if "." not in name and name not in copies
    }
    return {name: n for name, n in missing.items() if n}


def _not_evaluated(result: SetResult, name: str, n: int, t: Texts) -> str:
    """`의도 충족 평가하지 않음 3문항 (대기 1, 포기 2)`."""
    judged = result.judge.metrics if result.judge is not None else ()
    of_judge = next((metric for metric in judged if metric.metric == name), None)
    why = ""
    if of_judge is not None and (of_judge.pending or of_judge.gave_up):
        why = t("look-at.not-evaluated-why", pending=count(of_judge.pending), gave_up=count(of_judge.gave_up))
    title = metric_title(result.rubric, name, t)
    return t("look-at.not-evaluated", metric=title, items=t.counted("items", count(n)), why=why)


def _look_at(result: SetResult, insights: Insights, t: Texts) -> list[str]:
    """What of the answers to look at: what never passes comes before what sometimes does."""
    repeated, kind = result.repeatability, pass_kind(result.rubric)
    limits = {entry.slow_seconds for entry in result.rubric.latency_classes}
    limit = t("unit.seconds", n=f"{limits.pop():g}") if len(limits) == 1 and None not in limits else ""
    never = repeated.never if repeated.is_repeated else ()
    entries = (
        ("look-at.never-answered" if kind == "answered" else "look-at.never-passed", never, {"repeat": "never"}),
        ("look-at.disagreeing", repeated.flaky, {"repeat": "sometimes"}),
        ("look-at.hidden-failures", insights.hidden_failures, {"finding": "hidden-failure"}),
        ("look-at.slow-from" if limit else "look-at.slow", insights.slow, {"finding": "slow"}),
        ("look-at.missing", insights.missing, {"finding": "missing"}),
    )
    unevaluated = [_not_evaluated(result, name, n, t) for name, n in _unevaluated(result).items()]
    return unevaluated + [
        items_link(
            t(key, n=count(len(found)), queries=t.counted("queries", count(len(found))), limit=limit),
            **filters,
        )
        for key, found, filters in entries
        if found
    ]


def box_table(result: SetResult, insights: Insights, t: Texts) -> Table:
    """A row per distinct metric: its score, where it is weakest if that can be told, what it lost and where most."""
    losses, copies = {loss.metric: loss for loss in insights.losses}, copies_of(result.rubric)

    def weakest(name: str) -> str:
        entry = insights.weakest_tracks.get(name)
        if entry is None or not entry.is_distinct:
            return NONE
        text = f"{track_name(entry.key, t)}, {score(entry.value)}"
        return items_link(text, track=entry.key, sort=sort_key(name))

    rows = [
        (title, result.groups[0].figure(name), _sample(result.groups[0], name, t), weakest(name), losses[name], name)
        for name, title in metric_titles(result.rubric, t).items()
        if name not in copies
    ]
    rows += [_score_row(result, one, losses[one.name], t) for one in result.rubric.measures if is_score(one.name)]
    return table_of(
        rows,
        [
            (t("table.metric"), lambda row: row[0]),
            (
                f">{t('table.set-score')}",
                lambda row: items_link(sure_score(row[1].value, row[1].interval), sort=sort_key(row[5])),
            ),
            (">n", lambda row: items_link(row[2])),
            (t("table.weakest"), lambda row: row[3]) if knows_tracks(result.rubric) else None,
            (f">{t('table.lost')}", lambda row: _linked_loss(lost_share(row[4]), row[4], result)),
            (
                t("table.lost-most"),
                lambda row: _linked_loss(loss_place(row[4], result, t), row[4], result, is_place=True),
            ),
        ],
    )


def means_text(result: SetResult, t: Texts) -> str:
    """Which figures of the set, means of the rounds, are not the mean over all items as they are shown; "" for none."""
    everything, titles = result.groups[0], metric_titles(result.rubric, t)
    apart = {CONSISTENCY, *copies_of(result.rubric)}
    found: list[tuple[str, float | None, list[tuple[float | None, int]], Callable[[float | None], str]]] = [
        (titles[name], metric.set.value, [(one.value, one.n) for one in metric.rounds], score)
        for name, metric in everything.metrics.items()
        if name in titles and name not in apart
    ]
    times = [(one.mean, one.n) for one in everything.seconds]
    found.append((t("compare.seconds"), everything.set_seconds.mean, times, seconds))
    for one in result.rubric.measures:
        if is_score(one.name):
            figures = everything.measures[one.name]
            of_rounds = [(of_round.mean, of_round.n) for of_round in figures.rounds]
            found.append((measure_title(one.title, "", t), figures.set.mean, of_rounds, quantity))
    told = []
    for title, of_set, rounds, show in found:
        means = [(mean, n) for mean, n in rounds if mean is not None]
        if len({n for _, n in means}) > 1:
            of_items = fsum(mean * n for mean, n in means) / sum(n for _, n in means)
            told += [f"{title} {show(of_items)}"] if show(of_items) != show(of_set) else []
    return t("box.means", figures=", ".join(told)) if told else ""


def _score_row(
    result: SetResult, measure: Measure, loss: MetricLoss, t: Texts
) -> tuple[str, Mean, str, str, MetricLoss, str]:
    """The row of a named score, which is not told apart by track."""
    everything = result.groups[0]
    found = everything.measures[measure.name].set
    shown = count(found.n) if found.n == everything.n else f"{count(found.n)}/{count(everything.n)}"
    sample = sample_size(found.queries, t.counted("items", shown), t)
    mean = Mean(found.mean, found.n, found.queries, found.interval)
    return measure_title(measure.title, "", t), mean, sample, NONE, loss, measure.name


def _sample(everything: Group, name: str, t: Texts) -> str:
    """Queries and items of a metric of the set (`61/82` where some items have no value), or compared pairs."""
    mean = everything.figure(name)
    if name in everything.metrics:
        of_class = everything.classes.get(name.partition(".")[2])
        items = sum(everything.items if of_class is None else of_class.items)
        shown = count(mean.n) if mean.n == items else f"{count(mean.n)}/{count(items)}"
        return sample_size(mean.queries, t.counted("items", shown), t)
    if everything.agreement is not None:
        return few(t.counted("queries", count(mean.queries)), mean.queries, t)
    return sample_size(mean.queries, t.counted("pairs", count(mean.n)), t)


def loss_place(loss: MetricLoss, result: SetResult, t: Texts) -> str:
    """`Track 3 오류 문항 65점`, `체크 dataKey 실패 10점`; `—` when nothing was lost."""
    if not loss.places:
        return NONE
    place = loss.places[0]
    lost = t.counted("points", points(place.points))
    return t("lost.place", what=_place_of(loss.metric, place, result, t), points=lost)


def _place_of(metric: str, place: Loss, result: SetResult, t: Texts) -> str:
    """`Track 3 오류 문항`, `체크 dataKey 실패`."""
    what = _what_lost(metric, place, result.rubric, t)
    if place.track == UNASSIGNED and not shown_groups(result):
        return what
    return t("lost.in-track", track=track_name(place.track, t), what=what)


def _losing(loss: MetricLoss, result: SetResult) -> dict[str, str]:
    """Filters that leave the items that lost points of a metric; of consistency the queries whose rounds differ."""
    metric = sort_key(loss.metric)
    if is_score(loss.metric):
        return {}
    if not metric:
        return {} if loss.places[0].is_single else {"finding": "unequal"}
    of_class = loss.metric.partition(".")[2]
    below = f"{result.rubric.scale_of(metric).highest:g}"
    return {"metric": metric, "below": below, "class": key_of(of_class) if of_class else ""}


def _linked_loss(text: str, loss: MetricLoss, result: SetResult, *, is_place: bool = False) -> str:
    """A text that leads to the items that lost points, or only to those of the first place."""
    if not loss.points or not loss.places:
        return text
    place = loss.places[0]
    filters = _losing(loss, result)
    if is_place:
        filters["track"] = place.track if shown_groups(result) else ""
        filters["status"] = "" if place.status is None else place.status.value
    return items_link(text, **filters) if any(filters.values()) else text


def _what_lost(metric: str, place: Loss, rubric: Rubric, t: Texts) -> str:
    if not place.kind:
        return t("lost.single" if place.is_single else "lost.rounds")
    if place.status is not None:
        return t("lost.items", status=status_name(place.status, t))
    cause = excerpt(place.cause, CAUSE_CHARS)
    if place.kind == "band":
        cause = _band_text(metric, place, rubric, t)
    elif place.kind == "address":
        cause = t.named("reach", place.cause) or cause
    elif place.kind == "level" and metric == RUBRICS and rubric.rubrics is not None:
        level = rubric.rubrics.level(place.cause)
        cause = cause if level is None else f"{cause} {excerpt(level.name, CAUSE_CHARS)}"
    elif (measure := measure_named(rubric.measures, metric)) is not None and measure.better is Better.LOWER:
        return t("lost.score-lower")
    return t(f"lost.{place.kind}", cause=cause)


def _band_text(metric: str, place: Loss, rubric: Rubric, t: Texts) -> str:
    """The response times that have the points of a loss, or these points where several classes have them."""
    entry = rubric.class_named(metric.partition(".")[2])
    if entry is None and rubric.classes is None:
        entry = rubric.latency_class(track_of(place.track))
    found = [] if entry is None else pointed_bands(entry.bands, t, missing=t("basis.no-time"))
    texts = [text for points_of, text in found if f"{points_of:g}" == place.cause]
    return ", ".join(texts) or t.counted("points", place.cause)


def lost_share(loss: MetricLoss) -> str:
    """`65 / 590`, `—` when nothing could be lost."""
    return f"{points(loss.points)} / {points(loss.possible)}" if loss.possible else NONE
