"""The part of the view with figures: the box on top, scores, consistency, speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from reporting import words
from reporting.display import NONE, count, percent, points, score, seconds
from reporting.tables import Table, table
from scoring.insights import Insights, MetricLoss
from scoring.result import ALL, UNASSIGNED, Distribution, Group, Mean, Metric, Seconds, SetResult
from scoring.rubric import LatencyClass, Rubric, Status

MAX_TRACKS = 12  # columns of a table; what a set has beyond stands in report.json
MAX_SPEED_ROWS = 60
SET = "세트"
EVERYTHING = "전체"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreView:
    """One metric. table: rounds and set by track, each score with its n."""

    title: str
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionView:
    """Items per latency score of one class."""

    title: str
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedView:
    """heading: of the first table, which has seed 002's columns. details: mean, percentiles, missing."""

    heading: str
    table: Table
    details: Table
    distributions: tuple[DistributionView, ...]


def shown_groups(result: SetResult) -> tuple[tuple[str, Group | None], ...]:
    """(key, group) per track column: those the rubric names (None: no items), then others, 미지정 last."""
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
    return sum(group.key not in shown for group in result.groups[1:])


def score_table(result: SetResult, name: str) -> Table:
    """Scores of a metric: a row per round and one for the set, a column for all items and per track."""
    columns = ((EVERYTHING, result.groups[0]), *((words.track_name(key), g) for key, g in shown_groups(result)))
    metrics = [group.metrics[name] if group is not None else None for _, group in columns]
    rows = [
        [words.round_name(entry), *(_with_n(metric.rounds[index]) if metric else NONE for metric in metrics)]
        for index, entry in enumerate(result.rounds)
    ]
    rows.append([SET, *(_with_n(metric.set) if metric else NONE for metric in metrics)])
    return table(["구분", *(f">{title}" for title, _ in columns)], rows)


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


def consistency_table(result: SetResult) -> Table:
    """Compared pairs by outcome, a row per track and one for all."""
    rows = []
    for key, group in (*shown_groups(result), (ALL, result.groups[0])):
        if group is not None:
            pairs = group.pairs
            rows.append(
                [
                    EVERYTHING if key == ALL else words.track_name(key),
                    count(pairs.queries),
                    count(pairs.compared),
                    count(pairs.both_pass),
                    count(pairs.both_fail),
                    count(pairs.mismatch),
                    score(pairs.score),
                ]
            )
    return table(["구분", ">질의 수", ">비교한 쌍(n)", ">둘 다 pass", ">둘 다 fail", ">차이", ">점수"], rows)


def consistency_reason(result: SetResult) -> str:
    """Why consistency has no score, "" when it has one."""
    if result.groups[0].pairs.score is not None:
        return ""
    if len(result.rounds) < 2:
        return (
            "회차가 하나뿐이라 비교할 수 없어 점수가 없습니다(—). "
            "회차별 파일을 한 하위 폴더에 함께 넣으면 회차를 서로 비교합니다."
        )
    return "두 회차 이상에 함께 있는 Query ID가 없어 점수가 없습니다(—). 회차마다 같은 질문을 쓰는지 확인하세요."


def speed_view(result: SetResult) -> SpeedView:
    """Seconds and scores in seed 002's columns, the spread of the seconds, both distributions."""
    groups = shown_groups(result)
    rows = [
        [
            words.round_name(entry),
            *(cell for _, g in groups for cell in _speed_cells(g, index)),
        ]
        for index, entry in enumerate(result.rounds)
    ]
    rows.append([SET, *(cell for _, group in groups for cell in _speed_cells(group, None))])
    titles = [f">{words.track_name(key)}({unit})" for key, _ in groups for unit in ("초", "점수")]
    return SpeedView(
        heading=f"{words.round_numbers(result.rounds)}/세트(초+점수)",
        table=table(["구분", *titles], rows),
        details=_details(result),
        distributions=tuple(
            DistributionView(title=_distribution_title(result, entry), table=_distribution_table(result, entry))
            for entry in result.distributions
        ),
    )


def band_table(rubric: Rubric) -> Table:
    """Seconds by points, a column per latency class; missing seconds as a last row."""
    classes = rubric.latency_classes
    by_points: dict[float, list[str]] = {}
    for index, entry in enumerate(classes):
        for given, text in _band_texts(entry):
            cells = by_points.setdefault(given, [NONE] * len(classes))
            cells[index] = text if cells[index] == NONE else f"{cells[index]}, {text}"
    rows = [[f"{given:g}", *by_points[given]] for given in sorted(by_points, reverse=True)]
    return table([">점수", *(class_title(rubric, entry) for entry in classes)], rows)


def class_title(rubric: Rubric, entry: LatencyClass) -> str:
    """`단일 (Track 1, 2)`."""
    tracks = ", ".join(map(str, entry.tracks))
    others = ", 그 밖의 Track과 미지정" if entry.name == rubric.default_class else ""
    return f"{entry.title} (Track {tracks}{others})"


def box_table(result: SetResult, insights: Insights) -> Table:
    """A row per metric: its score, where it is weakest, what it lost and where it lost most."""
    losses = {loss.metric: loss for loss in insights.losses}
    rows = []
    everything = result.groups[0]
    for name, title in words.METRICS.items():
        if name in everything.metrics:
            value, n = everything.metrics[name].set
            n_text = count(n)
        else:
            value, n = everything.pairs.score, everything.pairs.compared
            n_text = f"{count(n)}쌍"
        weakest = insights.weakest_tracks[name]
        weakest_text = f"{words.track_name(weakest.key)} ({score(weakest.value)})" if weakest else NONE
        rows.append([title, score(value), n_text, weakest_text, *_loss_cells(losses[name])])
    return table(["지표", ">세트 점수", ">n", "가장 약한 Track", ">잃은 점수", "가장 많이 잃은 곳"], rows)


def loss_place(loss: MetricLoss) -> str:
    """`Track 3 오류 문항 65점`, `—` when nothing was lost."""
    if not loss.places:
        return NONE
    place = loss.places[0]
    what = "회차 차이" if place.status is None else f"{words.STATUSES[place.status]} 문항"
    return f"{words.track_name(place.track)} {what} {points(place.points)}점"


def _loss_cells(loss: MetricLoss) -> tuple[str, str]:
    if not loss.possible:
        return NONE, NONE
    return f"{points(loss.points)} / {points(loss.possible)}", loss_place(loss)


def _with_n(mean: Mean) -> str:
    return f"{score(mean.value)} (n={count(mean.n)})" if mean.n else NONE


def _status_cells(statuses: dict[Status, int]) -> list[str]:
    return [count(sum(statuses.values())), *(count(statuses.get(status, 0)) for status in words.STATUSES)]


def _summed(statuses: Sequence[dict[Status, int]]) -> dict[Status, int]:
    return {status: sum(of_round.get(status, 0) for of_round in statuses) for status in Status}


def _speed_cells(group: Group | None, index: int | None) -> tuple[str, str]:
    if group is None:
        return NONE, NONE
    spread = group.set_seconds if index is None else group.seconds[index]
    metric: Metric = group.metrics["latency"]
    return seconds(spread.mean), _with_n(metric.set if index is None else metric.rounds[index])


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


def _band_texts(entry: LatencyClass) -> list[tuple[float, str]]:
    bands = entry.bands
    texts: list[tuple[float, str]] = []
    lower, starts_in = None, False
    for edge, given, ends_below in zip(bands.edges, bands.points, bands.upper or repeat(False), strict=False):
        texts.append((given, _band_text(lower, starts_in, edge, not ends_below)))
        lower, starts_in = edge, ends_below
    texts.append((bands.points[-1], _band_text(lower, starts_in, None, False)))
    texts.append((bands.missing, "시간 없음"))
    return texts


def _band_text(lower: float | None, with_lower: bool, upper: float | None, with_upper: bool) -> str:
    """`5초 초과 8초 이하`; None: open on that side."""
    if lower is not None and lower == upper:
        return f"{lower:g}초"
    ends = []
    if lower is not None:
        ends.append(f"{lower:g}초 {'이상' if with_lower else '초과'}")
    if upper is not None:
        ends.append(f"{upper:g}초 {'이하' if with_upper else '미만'}")
    return " ".join(ends) or "모든 시간"
