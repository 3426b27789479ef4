"""The box on top of a report: of each metric its score, where it is weakest, and where its points were lost."""

from __future__ import annotations

from reporting.document.blocks import Html, Text, linked, titled
from reporting.document.headline import lead_text
from reporting.document.html_renderer import html
from reporting.document.report.accuracy import total_text
from reporting.document.tables import Table, shown_groups, table_of
from reporting.wording import (
    NONE,
    category_name,
    count,
    excerpt,
    few,
    items_link,
    joined,
    key_of,
    knows_tracks,
    metric_title,
    metric_titles,
    percent,
    pointed_bands,
    points,
    sample_size,
    score,
    set_metrics,
    sort_key,
    span,
    status_name,
    status_names,
    sure_score,
    track_name,
    weakest_text,
)
from scoring.results import Group, Insights, Loss, MetricLoss, SetResult
from scoring.rubric import RUBRICS, UNASSIGNED, Rubric, track_of
from texts import Texts

CAUSE_CHARS = 60


def box_lines(result: SetResult, insights: Insights, phrases: str, t: Texts) -> list[Text]:
    """The lines that lead to what to look at; those without a figure are left out. phrases: the findings in short."""
    weakest = t("table.weakest" if knows_tracks(result.rubric) else "report.weakest-category")
    answers = joined(_look_at(result, insights, t), ", ")
    lines = [
        (t("metric.total"), total_text(result, t) if result.total is not None else ""),
        (weakest, _weakest(result, insights, t)),
        (t("report.lost"), _lost(result, insights, t)),
        (t("report.look-at"), linked(phrases)),
        (t("report.answers"), linked(answers)),
    ]
    return [titled(title, text) for title, text in lines if text]


def lead_line(result: SetResult, t: Texts) -> str:
    """The figures that lead, with the items that are not answered by status."""
    names = status_names(t)
    failures = [
        f"{names[status]} {count(n)}"
        for status, n in result.groups[0].status_counts.items()
        if n and status not in result.rubric.pass_statuses
    ]
    return lead_text(result, failures, t)


def tiles(result: SetResult, insights: Insights, t: Texts) -> Html:
    """The headline figures: the weighted total where there is one, then every metric and where it is weakest."""
    places, name = (
        (insights.weakest_tracks, track_name)
        if knows_tracks(result.rubric)
        else (insights.weakest_categories, category_name)
    )
    found = []
    if (total := result.total) is not None:
        note = "" if total.interval is None else span(total.interval)
        found.append((t("metric.total"), score(total.value), note))
    for figures in set_metrics(result, t):
        weakest = places.get(figures.name)
        notes = [span(figures.interval)] if figures.interval is not None else []
        if weakest:
            place = weakest_text(weakest, name(weakest.key, t), t)
            key = "tile.weakest" if weakest.is_distinct else "tile.lowest"
            notes.append(t(key, place=place, score=score(weakest.value)))
        found.append((figures.title, score(figures.set), " · ".join(notes)))
    drawn = "".join(html("<li>{}<b>{}</b><small>{}</small></li>\n", *tile) for tile in found)
    return Html(f'<ul class="tiles">\n{drawn}</ul>\n')


def _weakest(result: SetResult, insights: Insights, t: Texts) -> str:
    """The weakest track by the first metric in which one can be told from the others; where it is weakest as well.

    Where none can: the lowest track of the first metric, and that it cannot be told. The same of categories where there
    are no tracks, "" when they do not differ.
    """
    has_tracks = knows_tracks(result.rubric)
    weakest, name = (
        (insights.weakest_tracks, track_name) if has_tracks else (insights.weakest_categories, category_name)
    )
    titles = metric_titles(result.rubric, t)
    named = [(metric, weakest.get(metric)) for metric in titles]
    known = [(metric, entry) for metric, entry in named if entry is not None]
    distinct = [(metric, entry) for metric, entry in known if entry.is_distinct]
    if not known:
        return t("box.no-weakest") if has_tracks else ""
    metric, entry = (distinct or known)[0]
    also = [titles[name] for name, other in distinct if name != metric and other.key == entry.key]
    more = t("box.also-weakest", metrics=t("box.joint").join(also)) if also else ""
    figure = f"{titles[metric]} {sure_score(entry.value, entry.interval)}"
    return f"{weakest_text(entry, name(entry.key, t), t)}, {figure}{more}"


def _lost(result: SetResult, insights: Insights, t: Texts) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        if not any(loss.possible for loss in insights.losses):
            return t("box.nothing-evaluated")
        return t("box.nothing-lost-evaluated" if _unevaluated(result) else "box.nothing-lost")
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    return t(
        "box.lost",
        metric=metric_title(result.rubric, worst.metric, t),
        share=percent(worst.points, worst.possible),
        place=loss_place(worst, result, t),
    )


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
    entries = (
        ("look-at.disagreeing", len(result.repeatability.flaky), {"repeat": "sometimes"}),
        ("look-at.hidden-failures", len(insights.hidden_failures), {"finding": "hidden-failure"}),
        ("look-at.slow", len(insights.slow), {"finding": "slow"}),
        ("look-at.missing", len(insights.missing), {"finding": "missing"}),
    )
    unevaluated = [_not_evaluated(result, name, n, t) for name, n in _unevaluated(result).items()]
    return unevaluated + [items_link(t(key, n=count(n)), **filters) for key, n, filters in entries if n]


def box_table(result: SetResult, insights: Insights, t: Texts) -> Table:
    """A row per metric: its score, where it is weakest, what it lost and where it lost most."""
    losses = {loss.metric: loss for loss in insights.losses}

    def weakest(name: str) -> str:
        entry = insights.weakest_tracks[name]
        if entry is None:
            return NONE
        text = f"{weakest_text(entry, track_name(entry.key, t), t)}, {score(entry.value)}"
        return items_link(text, track=entry.key, sort=sort_key(name))

    rows = [
        (title, result.groups[0].figure(name), _sample(result.groups[0], name, t), weakest(name), losses[name], name)
        for name, title in metric_titles(result.rubric, t).items()
    ]
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
    what = _what_lost(loss.metric, place, result.rubric, t)
    lost = t.counted("points", points(place.points))
    if place.track == UNASSIGNED and not shown_groups(result):
        return t("lost.place", what=what, points=lost)
    return t("lost.place-in", track=track_name(place.track, t), what=what, points=lost)


def _losing(loss: MetricLoss, result: SetResult) -> dict[str, str]:
    """Filters that leave the items that lost points of a metric; of consistency the queries whose rounds differ."""
    metric = sort_key(loss.metric)
    if not metric:
        return {} if loss.places[0].is_single else {"differ": "1"}
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
