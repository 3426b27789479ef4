"""The part of the view with figures: the box on top, scores, speed; and what all sections share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reporting.view.tables import Table, scope_table, table, table_of
from reporting.wording.bands import pointed_bands
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, percent, points, score, seconds
from reporting.wording.intervals import few, place_text, sample_size, sure_score
from reporting.wording.names import (
    knows_tracks,
    metric_title,
    metric_titles,
    round_name,
    round_numbers,
    status_name,
    status_names,
    track_name,
)
from scoring.results.insights import Insights
from scoring.results.losses import Loss, MetricLoss
from scoring.results.model import Distribution, Group, Mean, SetResult
from scoring.rubric.model import RUBRICS, UNASSIGNED, Rubric, Status

MAX_TRACKS = 12  # columns of a table; report.json has all of them
CAUSE_CHARS = 60


class Block(NamedTuple):
    """A piece of a section, each part of it left out when empty: a heading, a paragraph, a table."""

    heading: str = ""
    text: str = ""
    table: Table | None = None


def shown_groups(result: SetResult) -> tuple[tuple[str, Group | None], ...]:
    """(key, group) per track column: those the rubric names (None: no items), then others, unassigned last.

    Empty where neither the rubric nor any item has a track.
    """
    if not result.rubric.has_tracks and all(group.track is None for group in result.groups):
        return ()
    named = sorted({track for entry in result.rubric.latency_classes for track in entry.tracks})
    columns = {str(track): result.group(str(track)) for track in named}
    others = [group for group in result.groups[1:] if group.key not in columns and group.key != UNASSIGNED]
    room = max(MAX_TRACKS - len(columns) - 1, 0)
    groups = [*columns.items(), *((group.key, group) for group in others[:room])]
    unassigned = result.group(UNASSIGNED)
    if unassigned is not None:
        groups.append((UNASSIGNED, unassigned))
    return tuple(groups)


def hidden_tracks(result: SetResult) -> int:
    """Number of tracks that no table shows."""
    shown = {key for key, _ in shown_groups(result)}
    return sum(group.key not in shown for group in result.groups[1:] if shown or group.track is not None)


def score_table(result: SetResult, name: str, t: Texts) -> Table:
    """Scores of a metric: a row per round and one for the set, a column for all items and per track."""
    columns = _columns(result, t)
    groups = [group for _, group in columns]
    of_set = [Mean(None, 0) if group is None else group.figure(name) for group in groups]
    queries = [few(count(mean.queries), mean.queries, t) if mean.n else NONE for mean in of_set]
    return scope_table(
        result.rounds,
        [title for title, _ in columns],
        lambda index: [score_cell(group, name, index) for group in groups],
        t,
        first=[[t("consistency.queries"), *queries]],
    )


def _columns(result: SetResult, t: Texts, *, with_all: bool = True) -> list[tuple[str, Group | None]]:
    """Title and group of the columns about all items and about each track."""
    tracks = [(track_name(key, t), group) for key, group in shown_groups(result)]
    return [(t("everything"), result.groups[0]), *tracks] if with_all or not tracks else tracks


def counted_table(
    result: SetResult, codes: Sequence[str], titles: Mapping[str, str], t: Texts, *, keep: bool = False
) -> Table:
    """Items by a code, which `codes` has one of per item. keep: show codes without any item as well."""
    total = Counter(codes)
    counted = Counter(zip([item.round for item in result.items], codes, strict=True))
    shown = [code for code in titles if keep or total[code]]
    labels = [entry.label for entry in result.rounds]
    return scope_table(
        result.rounds,
        [titles[code] for code in shown],
        lambda at: [count(total[code] if at is None else counted[labels[at], code]) for code in shown],
        t,
    )


def score_cell(group: Group | None, name: str, index: int | None) -> str:
    """A metric of one round, None for the set: `3.63 (3.21–3.98)`.

    With the number of items of the set, `n=82`, and with `n=61/82` wherever not every item has a value.
    """
    if group is None:
        return NONE
    metric = group.metrics[name]
    mean = metric.set if index is None else metric.rounds[index]
    of_class = group.classes.get(name.partition(".")[2])
    items = group.items if of_class is None else of_class.items
    total = sum(items) if index is None else items[index]
    if mean.n < total:
        return f"{sure_score(mean.value, mean.interval)} n={count(mean.n)}/{count(total)}"
    if not mean.n:
        return NONE
    return sure_score(mean.value, mean.interval) + (f" n={count(mean.n)}" if index is None else "")


def status_table(result: SetResult, t: Texts) -> Table:
    """Items per status: a row per round and track, then the set."""
    statuses = status_names(t)

    def cells(group: Group, index: int | None) -> list[str]:
        counts = _summed(group.statuses) if index is None else group.statuses[index]
        return _status_cells(counts, statuses)

    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    return table([t("table.scope"), ">n", *(f">{title}" for title in statuses.values())], rows)


def scopes(
    result: SetResult, cells: Callable[[Group, int | None], list[str]], t: Texts
) -> Iterator[tuple[str, list[str]]]:
    """Title and cells of each round, of each track if several have items, and of the set if it has several rounds.

    cells: of a group in a round by its index, in the set by None.
    """
    everything = result.groups[0]
    for index, entry in enumerate(result.rounds):
        yield round_name(entry, t), cells(everything, index)
    tracks = [(key, group) for key, group in shown_groups(result) if group is not None]
    for key, group in tracks if len(tracks) > 1 else ():
        yield t("set.track", track=track_name(key, t)), cells(group, None)
    if len(result.rounds) > 1:
        yield t("set.everything"), cells(everything, None)


def speed_blocks(result: SetResult, t: Texts) -> list[Block]:
    """Seconds and scores by round and track, the spread of the seconds, all distributions."""
    title = t("speed.heading", rounds=round_numbers(result.rounds, t))
    return [
        Block(heading=title, table=_speed_table(result, "latency", t)),
        Block(text=t("speed.seconds", rule=t("speed.percentiles")), table=_details(result, t)),
        *(
            Block(
                heading="" if index else t("speed.scores"),
                text=_distribution_title(result, entry, t),
                table=_distribution_table(result, entry, t),
            )
            for index, entry in enumerate(result.distributions)
        ),
    ]


def class_speed_blocks(result: SetResult, name: str, t: Texts) -> list[Block]:
    """Seconds and scores of the items of one latency class, and their distribution."""
    entry = next(found for found in result.distributions if found.name == name)
    return [
        Block(table=_speed_table(result, f"latency.{name}", t)),
        Block(text=t("speed.scores"), table=_distribution_table(result, entry, t)),
    ]


def _speed_table(result: SetResult, metric: str, t: Texts) -> Table:
    """A pair of columns per track, or one pair for all where there are no tracks."""
    columns = _columns(result, t, with_all=metric != "latency")
    return scope_table(
        result.rounds,
        [t(key, name=name) for name, _ in columns for key in ("table.seconds-of", "table.points-of")],
        lambda index: [cell for _, group in columns for cell in _speed_cells(group, metric, index)],
        t,
    )


def box_table(result: SetResult, insights: Insights, t: Texts) -> Table:
    """A row per metric: its score, where it is weakest, what it lost and where it lost most."""
    losses = {loss.metric: loss for loss in insights.losses}

    def weakest(name: str) -> str:
        entry = insights.weakest_tracks[name]
        return f"{place_text(entry, track_name(entry.key, t), t)}, {score(entry.value)}" if entry else NONE

    rows = [
        (title, result.groups[0].figure(name), _sample(result.groups[0], name, t), weakest(name), losses[name])
        for name, title in metric_titles(result.rubric, t).items()
    ]
    return table_of(
        rows,
        [
            (t("table.metric"), lambda row: row[0]),
            (f">{t('table.set-score')}", lambda row: sure_score(row[1].value, row[1].interval)),
            (">n", lambda row: row[2]),
            (t("table.weakest"), lambda row: row[3]) if knows_tracks(result.rubric) else None,
            (f">{t('table.lost')}", lambda row: lost_share(row[4])),
            (t("table.lost-most"), lambda row: loss_place(row[4], result, t)),
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
        entry = rubric.latency_class(int(place.track) if place.track.isdecimal() else None)
    found = [] if entry is None else pointed_bands(entry.bands, t, missing=t("basis.no-time"))
    texts = [text for points_of, text in found if f"{points_of:g}" == place.cause]
    return ", ".join(texts) or t.counted("points", place.cause)


def lost_share(loss: MetricLoss) -> str:
    """`65 / 590`, `—` when nothing could be lost."""
    return f"{points(loss.points)} / {points(loss.possible)}" if loss.possible else NONE


def _status_cells(counts: dict[Status, int], shown: Iterable[Status]) -> list[str]:
    return [count(sum(counts.values())), *(count(counts.get(status, 0)) for status in shown)]


def _summed(statuses: Sequence[dict[Status, int]]) -> dict[Status, int]:
    return {status: sum(of_round.get(status, 0) for of_round in statuses) for status in Status}


def _speed_cells(group: Group | None, metric: str, index: int | None) -> tuple[str, str]:
    if group is None:
        return NONE, NONE
    of_class = group.classes.get(metric.partition(".")[2])
    of_set, of_rounds = (
        (group.set_seconds, group.seconds) if of_class is None else (of_class.set_seconds, of_class.seconds)
    )
    return seconds((of_set if index is None else of_rounds[index]).mean), score_cell(group, metric, index)


def _details(result: SetResult, t: Texts) -> Table:
    """The spread of the seconds of each round, track and the set; that of a track in a round is in report.json."""

    def cells(group: Group, index: int | None) -> list[str]:
        spread = group.set_seconds if index is None else group.seconds[index]
        figures = (spread.mean, spread.p50, spread.p95, spread.max)
        return [count(spread.n), *map(seconds, figures), count(spread.missing)]

    titles = [
        t("table.scope"),
        ">n",
        f">{t('table.mean')}",
        ">p50",
        ">p95",
        f">{t('table.most')}",
        f">{t('table.no-time')}",
    ]
    return table(titles, [[title, *found] for title, found in scopes(result, cells, t)])


def _distribution_title(result: SetResult, entry: Distribution, t: Texts) -> str:
    latency_class = next(found for found in result.rubric.latency_classes if found.name == entry.name)
    if not result.rubric.has_tracks:
        return t("speed.of-class", class_name=entry.title)
    tracks = "+".join(map(str, latency_class.tracks))
    with_others = latency_class.name == result.rubric.default_class and any(
        not result.rubric.names_track(group.track) for group in result.groups[1:]
    )
    key = "speed.of-tracks-others" if with_others else "speed.of-tracks"
    return t(key, tracks=tracks, class_name=entry.title)


def _distribution_table(result: SetResult, entry: Distribution, t: Texts) -> Table:
    """Items per score: the seconds that have it, each round, and the set with shares."""
    total = sum(entry.set)
    bands = next(found.bands for found in result.rubric.latency_classes if found.name == entry.name)
    spans: defaultdict[float, list[str]] = defaultdict(list)
    for given, span in pointed_bands(bands, t, missing=t("basis.no-time")):
        spans[given].append(span)

    def cells(index: int | None) -> list[str]:
        if index is not None:
            return [*map(count, entry.rounds[index]), count(sum(entry.rounds[index]))]
        return [*(share_cell(number, total) for number in entry.set), count(total)]

    titles = [*(t.counted("points", f"{given:g}") for given in entry.points), "n"]
    band_row = [t("speed.band"), *(", ".join(spans[given]) for given in entry.points), ""]
    return scope_table(result.rounds, titles, cells, t, first=[band_row])


def share_cell(n: int, total: int) -> str:
    """`19 (11.0%)`, and 0 alone."""
    return f"{count(n)} ({percent(n, total)})" if n else count(n)


def copied_block(result: SetResult, name: str, base: str, t: Texts) -> Block:
    """A metric that is another one's value: that it is, and its scores in one line."""
    everything = result.groups[0].metrics[name]
    rule = t(
        "basis.copied-for-now" if base == "intent" else "basis.copied", metric=metric_title(result.rubric, base, t)
    )
    means = [(t("round.short", number=str(e.number)), m) for e, m in zip(result.rounds, everything.rounds, strict=True)]
    if len(means) > 1:
        means.append((t("set"), everything.set))
    means += [(track_name(key, t), group.metrics[name].set) for key, group in shown_groups(result) if group is not None]
    scores = ", ".join(f"{title}={score(mean.value)}" for title, mean in means)
    return Block(text=t("metric.copied", rule=rule, scores=scores))
