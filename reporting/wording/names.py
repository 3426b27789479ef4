"""What the code calls by slugs, in words of one language: metrics, statuses, tracks, rounds, bands, times."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from reporting.wording.display import clean, count, excerpt
from scoring import Memo
from scoring.items import WHY_PAYLOAD_PREFIX, WHY_WORD_PREFIX
from scoring.results import TimeRange
from scoring.rubric import (
    ALL,
    CONSISTENCY,
    METRICS,
    RUBRICS,
    UNASSIGNED,
    Bands,
    LatencyClass,
    Rubric,
    Scale,
    ScoreRule,
    Status,
    TrackId,
    group_key,
    is_by_scores,
    measure_named,
    track_of,
)
from scoring.statistics import Interval
from texts import Texts

if TYPE_CHECKING:
    from scoring.known import KnownLine
    from scoring.results import Mean, Round, Scored, SetResult

LABEL_CHARS = 40
CATEGORY_CHARS = 60
NAME_CHARS = 80
MOST_KEPT = 4096  # names that are in every table of a report
MAX_NAMES = 10  # in one line
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_FIELD_TYPE = "field-type:"
_PATTERNS = {"‹n›": "number", "‹id›": "id", "‹path›": "path", "‹url›": "address"}
ORDER = ("intent", CONSISTENCY, "accuracy", "latency", "stability")  # of profiles that list no metrics themselves


class MetricFigures(NamedTuple):
    """One metric of a set. rounds: one per round; empty for one that has no value per round."""

    name: str
    title: str
    rounds: tuple[Mean, ...]
    set: float | None
    interval: Interval | None


def metric_names(rubric: Rubric) -> tuple[str, ...]:
    """Names of the metrics that a report shows, in its order."""
    return tuple(info.name for info in rubric.metrics) or ORDER


def metric_place(name: str) -> int:
    """Place of a metric in the order of a report; one of a latency class beside its metric."""
    base = name.partition(".")[0]
    return ORDER.index(base) if base in ORDER else len(ORDER)


def shown_names(names: Collection[str]) -> list[str]:
    """Those of the usual metrics that are among the names, in the order of a line."""
    return [name for name in (*ORDER, RUBRICS) if name in names]


def is_readable(text: str, t: Texts) -> bool:
    """May a text of the document be in a report of this language? Korean ones are in Korean reports alone."""
    return t.language == "ko" or not _HANGUL.search(text)


def metric_title(rubric: Rubric, name: str, t: Texts) -> str:
    """A metric as the document calls it; in other languages a Korean title gives way to the usual word."""
    title = _own_title(name, {info.name: info.title for info in rubric.metrics}, t)
    if title:
        return title
    if (measure := measure_named(rubric.measures, name)) is not None:
        return measure_title(measure.title, measure.unit, t)
    base, _, of_class = name.partition(".")
    named = next((class_name(entry) for entry in rubric.latency_classes if of_class and entry.name == of_class), "")
    return t("metric.of-class", metric=metric_word(base, t), class_name=named) if named else metric_word(name, t)


def titled(name: str, titles: Mapping[str, str], t: Texts) -> str:
    """The same of a run that was published: titles by name, as its document called the metrics then."""
    return _own_title(name, titles, t) or metric_word(name, t)


def _own_title(name: str, titles: Mapping[str, str], t: Texts) -> str:
    """The title of a document; "" for none, and for one in another language."""
    title = titles.get(name, "")
    return excerpt(title, LABEL_CHARS) if is_readable(title, t) else ""


def metric_word(name: str, t: Texts) -> str:
    """The same without a document: `응답 속도(multi)`."""
    base, _, class_name = name.partition(".")
    title = t(f"metric.{base}") if t.has(f"metric.{base}") else base
    return t("metric.of-class", metric=title, class_name=class_name) if class_name else title


def pass_limit(rubric: Rubric, t: Texts) -> str:
    """What an item passes by: `답변 품질 4점`, or the limits of named scores. The rubric says what passes."""
    rule = rubric.pass_points
    assert rule is not None
    if is_by_scores(rule):
        limits = ", ".join(
            f"{measure_title(one.title, '', t)} {one.score.passes}"
            for one in rubric.measures
            if isinstance(one.score, ScoreRule) and one.score.passes
        )
        return t(f"scores.pass.{rule.metric.partition('.')[2]}", limits=limits, points=f"{rule.points:g}")
    points = t.counted("points", f"{rule.points:g}")
    return t("headline.limit", metric=metric_title(rubric, rule.metric, t), points=points)


def measure_title(title: str, unit: str, t: Texts) -> str:
    """A measure as the document calls it, with its unit: `토큰 (tokens)`."""
    title, unit = excerpt(title, LABEL_CHARS), excerpt(unit, LABEL_CHARS)
    return t("measures.named", title=title, unit=unit) if unit else title


def metric_titles(rubric: Rubric, t: Texts) -> dict[str, str]:
    """Titles of the metrics that the rubric lists, in its order."""
    return {info.name: metric_title(rubric, info.name, t) for info in rubric.metrics}


def set_metrics(result: SetResult, t: Texts) -> list[MetricFigures]:
    """Every metric of the whole set, those without a value included."""
    everything = result.groups[0]
    figures = []
    for name in metric_names(result.rubric):
        metric = everything.metrics.get(name)
        rounds = metric.rounds if metric is not None else ()
        of_set = everything.figure(name) if metric is not None or name == CONSISTENCY else None
        value, interval = (None, None) if of_set is None else (of_set.value, of_set.interval)
        figures.append(MetricFigures(name, metric_title(result.rubric, name, t), rounds, value, interval))
    return figures


def item_metrics(rubric: Rubric, t: Texts) -> Mapping[str, str]:
    """Name of a metric (see `item_points`) -> title, for all that an item has points of, in the report's order."""
    titles: dict[str, str] = {}
    for name in metric_names(rubric):
        base = name.partition(".")[0]
        if base in (*METRICS, RUBRICS):
            titles.setdefault(base, metric_title(rubric, name, t) if base == name else metric_word(base, t))
    return titles


def pair_kind(rubric: Rubric) -> str:
    """What two rounds of a query are compared by: "answered" or "passed"."""
    return "answered" if rubric.pass_rule is None else "passed"


def knows_tracks(rubric: Rubric) -> bool:
    """May items have a track: is there a column for it, or does the document name any?"""
    return rubric.has_tracks or rubric.has_column("track")


def item_points(items: Iterable[Scored], name: str) -> list[float | None]:
    """Points of the items in a metric of `item_metrics`."""
    if name == RUBRICS:
        return [None if item.details is None else item.details.rubrics for item in items]
    return list(map(attrgetter(name), items))


def widest_scale(rubric: Rubric) -> Scale:
    """The scale of the metrics of a report, of several the one that goes highest."""
    return max((rubric.scale_of(metric.name) for metric in rubric.metrics), key=itemgetter(1), default=rubric.points)


def status_name(status: Status, t: Texts) -> str:
    """`정상`."""
    return t(f"status.{status.value}")


def known_name(line: KnownLine, t: Texts) -> str:
    """The ticket of a known failure, or what was decided about it."""
    return excerpt(line.ticket, NAME_CHARS) or t(f"known.resolution.{line.resolution.value}")


@cache
def status_names(t: Texts) -> Mapping[Status, str]:
    """Every status by its name, in the order of tables."""
    return {status: status_name(status, t) for status in (Status.OK, Status.PARTIAL, Status.ERROR, Status.EMPTY)}


@lru_cache(maxsize=MOST_KEPT)
def track_name(key: str, t: Texts) -> str:
    """`Track 1`, 미지정 or 전체, by the key of a group."""
    if key == ALL:
        return t("everything")
    return t("track.none") if key == UNASSIGNED else t("track.named", number=excerpt(str(track_of(key)), LABEL_CHARS))


@lru_cache(maxsize=MOST_KEPT)
def round_name(entry: Round, t: Texts) -> str:
    """`1회차 (1/1)`; of a run told apart by its file `1회차 (1/1, w1.csv)`, with the end of a long name."""
    label = excerpt(entry.label, LABEL_CHARS)
    if entry.file and label.endswith("…"):
        label = f"{excerpt(entry.label, LABEL_CHARS // 2)}{clean(entry.label)[-LABEL_CHARS // 2 :]}"
    return t("round.named", number=str(entry.number), label=label)


def track_names(t: Texts) -> Mapping[TrackId | None, str]:
    """`track_name` by the track of an item, each made once."""
    return Memo(lambda track: track_name(group_key(track), t))


def round_numbers(rounds: Sequence[Round], t: Texts) -> str:
    """`1/2회차`; from five rounds on `1–5회차`."""
    shown = [str(entry.number) for entry in rounds]
    numbers = "/".join(shown) if len(shown) < 5 else f"{shown[0]}–{shown[-1]}"
    return t("rounds.one" if len(shown) == 1 else "rounds.several", numbers=numbers)


def why_text(code: str, t: Texts) -> str:
    """The rule that gave an item its status."""
    if code.startswith(WHY_PAYLOAD_PREFIX):
        return t("why.payload", diagnosis=diagnosis(code.removeprefix(WHY_PAYLOAD_PREFIX), t))
    if code.startswith(WHY_WORD_PREFIX):
        return t("why.word", word=excerpt(code.removeprefix(WHY_WORD_PREFIX), LABEL_CHARS))
    return t.named("why", code) or excerpt(code, LABEL_CHARS)


def status_whys(t: Texts) -> Callable[[Status, str], str]:
    """A function from a status and the rule that gave it to `오류 (메시지와 UI 없음)`; the name alone for ok."""
    names = status_names(t)
    made: Memo[tuple[Status, str], str] = Memo(lambda key: f"{names[key[0]]} ({why_text(key[1], t)})")
    return lambda status, why: names[status] if status is Status.OK else made[status, why]


def diagnosis(code: str, t: Texts) -> str:
    """Why a payload could not be read."""
    return t.named("diagnosis", code) or excerpt(code, LABEL_CHARS)


def count_name(code: str, t: Texts) -> str:
    """What a data quality count counts."""
    if code.startswith(_FIELD_TYPE):
        return t("quality.count-of-type", field=code.removeprefix(_FIELD_TYPE))
    return t.named("quality.count", code) or code


def pattern_text(folded: str, t: Texts) -> str:
    """A folded error text with the placeholders of the language."""
    if "‹" in folded:
        for placeholder, shown in _placeholders(t):
            folded = folded.replace(placeholder, shown)
    return folded


@cache
def _placeholders(t: Texts) -> tuple[tuple[str, str], ...]:
    return tuple((placeholder, t(f"pattern.{name}")) for placeholder, name in _PATTERNS.items())


def category_name(category: str, t: Texts) -> str:
    """A category, or that there is none."""
    return excerpt(category, CATEGORY_CHARS) or t("category.none")


def some_names(names: Sequence[str], t: Texts) -> str:
    """The first names in one line, and how many more there are."""
    shown = ", ".join(excerpt(name, NAME_CHARS) for name in names[:MAX_NAMES])
    return t("names.more", names=shown, n=count(len(names) - MAX_NAMES)) if len(names) > MAX_NAMES else shown


def class_name(entry: LatencyClass) -> str:
    """A latency class as its document calls it."""
    return excerpt(entry.title, LABEL_CHARS)


def slow_limits(classes: Sequence[LatencyClass], t: Texts) -> list[str]:
    """`Track 3 60초 이상`, one per latency class with a limit; the limit alone where there is one class."""
    limits = []
    for entry in classes:
        if entry.slow_seconds is not None:
            place = f"Track {', '.join(map(str, entry.tracks))}" if entry.tracks else class_name(entry)
            seconds = t("unit.seconds", n=f"{entry.slow_seconds:g}")
            limits.append(t("findings.limit" if len(classes) > 1 else "findings.limit-only", place=place, n=seconds))
    return limits


@lru_cache(maxsize=256)  # bands are in every table and rule of a report, and in every report of their document
def band_texts(bands: Bands, t: Texts, *, unit: str = "unit.seconds") -> tuple[str, ...]:
    """What each band spans, as `5초 초과 8초 이하`, in the order of its points. unit: key of its text, "" for none."""
    texts = []
    lower: str | None = None
    starts_in = False
    uppers: Sequence[bool] = bands.upper or (False,) * len(bands.edges)
    for edge, ends_below in zip(bands.edges, uppers, strict=True):
        shown = t(unit, n=f"{edge:g}") if unit else f"{edge:g}"
        if lower == shown:
            texts.append(shown)
        else:
            upper = t(f"band.{'' if lower is None else 'then-'}{'below' if ends_below else 'to'}", edge=shown)
            texts.append(_between(lower, upper, starts_in=starts_in, t=t))
        lower, starts_in = shown, ends_below
    texts.append(_between(lower, None, starts_in=starts_in, t=t))
    return tuple(texts)


def pointed_bands(bands: Bands, t: Texts, *, missing: str, unit: str = "unit.seconds") -> list[tuple[float, str]]:
    """(points, span) per band, the lowest numbers first, and last for a missing value, which `missing` names."""
    return [*zip(bands.points, band_texts(bands, t, unit=unit), strict=True), (bands.missing, missing)]


def _between(lower: str | None, upper: str | None, *, starts_in: bool, t: Texts) -> str:
    ends = [] if lower is None else [t("band.from" if starts_in else "band.above", edge=lower)]
    ends += [] if upper is None else [upper]
    return " ".join(ends) if ends else t("band.any")


RUN_ID = "Run ID"
_DATE_CHARS = len("2026-03-02")


def executed_text(times: TimeRange | None, t: Texts) -> str:
    """The first and the last `실행시각` as they are written, the date of one day once; "" without any."""
    if times is None:
        return ""
    first, last = excerpt(times.first, NAME_CHARS), excerpt(times.last, NAME_CHARS)
    if first == last:
        return first
    if times.parsed and first[:_DATE_CHARS] == last[:_DATE_CHARS] and len(last) > _DATE_CHARS + 1:
        last = last[_DATE_CHARS + 1 :]
    return t("basis.span" if times.parsed else "basis.text-order", first=first, last=last)


def run_text(times: TimeRange | None, run_ids: Sequence[str], t: Texts) -> str:
    """`실행시각 2026-03-02 09:00부터 2026-03-02 09:41까지 · Run ID run-1`; "" where the file says neither."""
    facts = ((t("more.executed-at"), executed_text(times, t)), (RUN_ID, some_names(run_ids, t)))
    return " · ".join(f"{title} {text}" for title, text in facts if text)


def written_text(written_ns: int) -> str:
    """When a file was written, in the time of this machine: `2026-03-02 10:15 +09:00`, or `… UTC` where it has that."""
    local = datetime.fromtimestamp(written_ns / 1e9).astimezone()
    text = local.isoformat(sep=" ", timespec="minutes")
    return f"{text[:16]} {text[16:].replace('+00:00', 'UTC')}"
