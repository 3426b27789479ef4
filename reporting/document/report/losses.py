"""The box on top of a report: of each metric its score, where it is weakest, and where its points were lost."""

from __future__ import annotations

from reporting.document.tables import Table, shown_groups, table_of
from reporting.wording.bands import pointed_bands
from reporting.wording.display import NONE, count, excerpt, points, score
from reporting.wording.intervals import few, place_text, sample_size, sure_score
from reporting.wording.links import items_link, key_of, sort_key
from reporting.wording.names import knows_tracks, metric_titles, status_name, track_name
from scoring.results.insights import Insights
from scoring.results.losses import Loss, MetricLoss
from scoring.results.model import Group, SetResult
from scoring.rubric.fields import track_of
from scoring.rubric.model import RUBRICS, UNASSIGNED, Rubric
from texts import Texts

CAUSE_CHARS = 60


def box_table(result: SetResult, insights: Insights, t: Texts) -> Table:
    """A row per metric: its score, where it is weakest, what it lost and where it lost most."""
    losses = {loss.metric: loss for loss in insights.losses}

    def weakest(name: str) -> str:
        entry = insights.weakest_tracks[name]
        if entry is None:
            return NONE
        text = f"{place_text(entry, track_name(entry.key, t), t)}, {score(entry.value)}"
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
