"""The part of the view with figures: the box on top, scores, consistency, speed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from reporting import words
from reporting.display import NONE, count, percent, points, score, seconds
from reporting.tables import Table, table
from scoring.insights import Insights
from scoring.losses import MetricLoss
from scoring.result import ALL, UNASSIGNED, Distribution, Group, Mean, Seconds, SetResult
from scoring.rubric import Bands, LatencyClass, Rubric, Status

MAX_TRACKS = 12  # columns of a table; what a set has beyond stands in report.json
MAX_SPEED_ROWS = 60
SET = "세트"
EVERYTHING = "전체"


class Block(NamedTuple):
    """A piece of a section, each part of it left out when empty: a heading, a paragraph, a table."""

    heading: str = ""
    text: str = ""
    table: Table | None = None


def shown_groups(result: SetResult) -> tuple[tuple[str, Group | None], ...]:
    """(key, group) per track column: those the rubric names (None: no items), then others, 미지정 last.

    None at all where neither the rubric nor any item has a track.
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


def score_table(result: SetResult, name: str) -> Table:
    """Scores of a metric: a row per round and one for the set, a column for all items and per track."""
    columns = ((EVERYTHING, result.groups[0]), *((words.track_name(key), g) for key, g in shown_groups(result)))
    rows = [
        [words.round_name(entry), *(score_cell(group, name, index) for _, group in columns)]
        for index, entry in enumerate(result.rounds)
    ]
    rows.append([SET, *(score_cell(group, name, None) for _, group in columns)])
    return table(["구분", *(f">{title}" for title, _ in columns)], rows)


def score_cell(group: Group | None, name: str, index: int | None) -> str:
    """A metric of one round, None for the set: `3.63 (n=82)`, with `61/82` where not every item has a value."""
    if group is None:
        return NONE
    metric = group.metrics[name]
    mean = metric.set if index is None else metric.rounds[index]
    of_class = group.classes.get(name.partition(".")[2])
    items = group.items if of_class is None else of_class.items
    return with_coverage(mean, sum(items) if index is None else items[index])


def with_coverage(mean: Mean, items: int) -> str:
    """A mean with the number of items behind it; items: those there are."""
    if mean.n == items:
        return f"{score(mean.value)} (n={count(mean.n)})" if mean.n else NONE
    return f"{score(mean.value)} (n={count(mean.n)}/{count(items)})"


def status_table(result: SetResult) -> Table:
    """Items per status: a row per round and track, then the set."""
    everything = result.groups[0]
    rows = [
        [words.round_name(entry), *_status_cells(everything.statuses[index])]
        for index, entry in enumerate(result.rounds)
    ]
    for key, group in (*shown_groups(result), (ALL, everything)):
        if group is not None:
            title = f"{SET} 전체" if key == ALL else f"{SET} {words.track_name(key)}"
            rows.append([title, *_status_cells(_summed(group.statuses))])
    return table(["구분", ">n", *(f">{title}" for title in words.STATUSES.values())], rows)


def speed_blocks(result: SetResult) -> list[Block]:
    """Seconds and scores in seed 002's columns, the spread of the seconds, all distributions."""
    blocks = [
        Block(
            heading=f"{words.round_numbers(result.rounds)}/세트(초+점수)",
            table=_speed_table(result, "latency"),
        ),
        Block(text="걸린 시간(초)", table=_details(result)),
    ]
    for index, entry in enumerate(result.distributions):
        blocks.append(
            Block(
                heading="" if index else "점수 분포",
                text=_distribution_title(result, entry),
                table=_distribution_table(result, entry),
            )
        )
    return blocks


def class_speed_blocks(result: SetResult, name: str) -> list[Block]:
    """Seconds and scores of the items of one latency class, and their distribution."""
    entry = next(found for found in result.distributions if found.name == name)
    return [
        Block(table=_speed_table(result, f"latency.{name}")),
        Block(text="점수 분포", table=_distribution_table(result, entry)),
    ]


def _speed_table(result: SetResult, metric: str) -> Table:
    """A pair of columns per track, or one pair for all where there are no tracks."""
    groups: list[tuple[str, Group | None]] = [(words.track_name(key), group) for key, group in shown_groups(result)]
    if metric != "latency" or not groups:
        groups = [(EVERYTHING, result.groups[0]), *groups]
    rows = [
        [words.round_name(entry), *(cell for _, group in groups for cell in _speed_cells(group, metric, index))]
        for index, entry in enumerate(result.rounds)
    ]
    rows.append([SET, *(cell for _, group in groups for cell in _speed_cells(group, metric, None))])
    titles = [f">{name}({unit})" for name, _ in groups for unit in ("초", "점수")]
    return table(["구분", *titles], rows)


def band_table(rubric: Rubric) -> Table:
    """Seconds by points, a column per latency class; missing seconds as a last row."""
    classes = rubric.latency_classes
    by_points: dict[float, list[str]] = {}
    for index, entry in enumerate(classes):
        for given, text in number_bands(entry.bands, "초", "시간 없음"):
            cells = by_points.setdefault(given, [NONE] * len(classes))
            cells[index] = text if cells[index] == NONE else f"{cells[index]}, {text}"
    rows = [[f"{given:g}", *by_points[given]] for given in sorted(by_points, reverse=True)]
    return table([">점수", *(class_title(rubric, entry) for entry in classes)], rows)


def class_title(rubric: Rubric, entry: LatencyClass) -> str:
    """`단일 (Track 1, 2)`; the name alone where tracks do not matter."""
    if not rubric.has_tracks:
        return entry.title
    tracks = ", ".join(map(str, entry.tracks))
    others = ", 그 밖의 Track과 미지정" if entry.name == rubric.default_class else ""
    return f"{entry.title} (Track {tracks}{others})"


def box_table(result: SetResult, insights: Insights) -> Table:
    """A row per metric: its score, where it is weakest, what it lost and where it lost most."""
    losses = {loss.metric: loss for loss in insights.losses}
    rows = []
    everything = result.groups[0]
    for name, title in result.rubric.metrics_by_name.items():
        if name in everything.metrics:
            value, n = everything.metrics[name].set
            of_class = everything.classes.get(name.partition(".")[2])
            items = sum(everything.items if of_class is None else of_class.items)
            n_text = count(n) if n == items else f"{count(n)}/{count(items)}"
        elif everything.agreement is not None:
            value, n_text = everything.agreement.score, f"{count(everything.agreement.queries)}질의"
        else:
            value, n_text = everything.pairs.score, f"{count(everything.pairs.compared)}쌍"
        weakest = insights.weakest_tracks[name]
        weakest_text = f"{words.track_name(weakest.key)} ({score(weakest.value)})" if weakest else NONE
        rows.append(
            [
                title,
                score(value),
                n_text,
                weakest_text,
                *_loss_cells(losses[name], has_tracks=bool(shown_groups(result))),
            ]
        )
    return table(["지표", ">세트 점수", ">n", "가장 약한 Track", ">잃은 점수", "가장 많이 잃은 곳"], rows)


def loss_place(loss: MetricLoss, *, has_tracks: bool = True) -> str:
    """`Track 3 오류 문항 65점`, `—` when nothing was lost."""
    if not loss.places:
        return NONE
    place = loss.places[0]
    what = "회차 차이" if place.status is None else f"{words.STATUSES[place.status]} 문항"
    where = f"{words.track_name(place.track)} " if place.track != UNASSIGNED or has_tracks else ""
    return f"{where}{what} {points(place.points)}점"


def _loss_cells(loss: MetricLoss, *, has_tracks: bool) -> tuple[str, str]:
    if not loss.possible:
        return NONE, NONE
    return f"{points(loss.points)} / {points(loss.possible)}", loss_place(loss, has_tracks=has_tracks)


def _status_cells(statuses: dict[Status, int]) -> list[str]:
    return [count(sum(statuses.values())), *(count(statuses.get(status, 0)) for status in words.STATUSES)]


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


def _details(result: SetResult) -> Table:
    groups = [(words.track_name(key), group) for key, group in shown_groups(result) if group is not None]
    groups.append((EVERYTHING, result.groups[0]))
    rows = []
    if len(groups) * (len(result.rounds) + 1) <= MAX_SPEED_ROWS:
        for index, entry in enumerate(result.rounds):
            rows += [_detail_row(words.round_name(entry), name, group.seconds[index]) for name, group in groups]
    rows += [_detail_row(SET, name, group.set_seconds) for name, group in groups]
    return table(["구분", "Track", ">n", ">평균(초)", ">중앙값 p50", ">p95", ">최대", ">시간 없음"], rows)


def _detail_row(title: str, name: str, spread: Seconds) -> list[str]:
    figures = (spread.mean, spread.p50, spread.p95, spread.max)
    return [title, name, count(spread.n), *map(seconds, figures), count(spread.missing)]


def _distribution_title(result: SetResult, entry: Distribution) -> str:
    latency_class = next(found for found in result.rubric.latency_classes if found.name == entry.name)
    if not result.rubric.has_tracks:
        return f"{entry.title} 분포"
    tracks = "+".join(map(str, latency_class.tracks))
    with_others = latency_class.name == result.rubric.default_class and any(
        not result.rubric.names_track(group.track) for group in result.groups[1:]
    )
    return f"Track{tracks} 분포 ({entry.title}{', 그 밖의 Track과 미지정 포함' if with_others else ''})"


def _distribution_table(result: SetResult, entry: Distribution) -> Table:
    rows = [
        [words.round_name(of_round), *map(count, counts), count(sum(counts))]
        for of_round, counts in zip(result.rounds, entry.rounds, strict=True)
    ]
    rows.append([SET, *map(count, entry.set), count(sum(entry.set))])
    total = sum(entry.set)
    rows.append(["세트 비율", *(percent(number, total) for number in entry.set), percent(total, total)])
    return table(["구분", *(f">{given:g}점" for given in entry.points), ">n"], rows)


def number_bands(bands: Bands, unit: str, missing: str) -> list[tuple[float, str]]:
    """(points, condition) per band, the lowest numbers first, and for the missing value. unit: behind each number."""
    texts: list[tuple[float, str]] = []
    lower, starts_in = None, False
    for edge, given, ends_below in zip(bands.edges, bands.points, bands.upper or repeat(False), strict=False):
        texts.append((given, _band_text(lower, starts_in, edge, not ends_below, unit)))
        lower, starts_in = edge, ends_below
    texts.append((bands.points[-1], _band_text(lower, starts_in, None, False, unit)))
    texts.append((bands.missing, missing))
    return texts


def _band_text(lower: float | None, with_lower: bool, upper: float | None, with_upper: bool, unit: str) -> str:
    """`5초 초과 8초 이하`; None: open on that side."""
    if lower is not None and lower == upper:
        return f"{lower:g}{unit}"
    ends = []
    if lower is not None:
        ends.append(f"{lower:g}{unit} {'이상' if with_lower else '초과'}")
    if upper is not None:
        ends.append(f"{upper:g}{unit} {'이하' if with_upper else '미만'}")
    return " ".join(ends) or "모든 시간"
