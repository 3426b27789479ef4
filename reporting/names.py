"""What the code calls by slugs, in words of one language: metrics, statuses, tracks, rounds, latency classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reporting.catalogue import Texts
from reporting.display import excerpt
from scoring.losses import CONSISTENCY
from scoring.result import ALL, METRICS, UNASSIGNED, Mean, Round, SetResult
from scoring.rubric import LatencyClass, Rubric, Status

LABEL_CHARS = 40
ORDER = ("intent", CONSISTENCY, "accuracy", "latency", "stability")  # of profiles that list no metrics themselves


class MetricFigures(NamedTuple):
    """One metric of a set. rounds: one per round; empty for one that has no value per round."""

    name: str
    title: str
    rounds: tuple[Mean, ...]
    set: float | None


def metric_names(rubric: Rubric) -> tuple[str, ...]:
    """Names of the metrics that a report shows, in its order."""
    return tuple(info.name for info in rubric.metrics) or ORDER


def metric_title(rubric: Rubric, name: str, t: Texts) -> str:
    """A metric as people call it: in the document's language as the document calls it."""
    if t.language == "ko":
        for info in rubric.metrics:
            if info.name == name:
                return excerpt(info.title, LABEL_CHARS)
    return metric_word(name, t)


def metric_word(name: str, t: Texts) -> str:
    """The same without a document: `응답 속도(multi)`."""
    base, _, class_name = name.partition(".")
    title = t(f"metric.{base}") if t.has(f"metric.{base}") else base
    return t("metric.of-class", metric=title, class_name=class_name) if class_name else title


def set_metrics(result: SetResult, t: Texts) -> list[MetricFigures]:
    """Every metric of the whole set, those without a value included."""
    everything = result.groups[0]
    figures = []
    for name in metric_names(result.rubric):
        metric = everything.metrics.get(name)
        rounds = metric.rounds if metric is not None else ()
        value = metric.set.value if metric is not None else everything.consistency if name == CONSISTENCY else None
        figures.append(MetricFigures(name, metric_title(result.rubric, name, t), rounds, value))
    return figures


def item_metrics(rubric: Rubric, t: Texts) -> Mapping[str, str]:
    """Attribute of an item -> title, for every metric that an item has points of, in the report's order."""
    titles: dict[str, str] = {}
    for name in metric_names(rubric):
        base = name.partition(".")[0]
        if base in METRICS:
            titles.setdefault(base, metric_title(rubric, name, t) if base == name else metric_word(base, t))
    return titles


def status_name(status: Status, t: Texts) -> str:
    """`정상`."""
    return t(f"status.{status.value}")


def track_name(key: str, t: Texts) -> str:
    """`Track 1`, 미지정 or 전체, by the key of a group."""
    if key == ALL:
        return t("everything")
    return t("track.none") if key == UNASSIGNED else t("track.named", number=key)


def round_name(entry: Round, t: Texts) -> str:
    """`1회차 (1/1)`."""
    return t("round.named", number=str(entry.number), label=excerpt(entry.label, LABEL_CHARS))


def class_name(entry: LatencyClass) -> str:
    """A latency class as its document calls it."""
    return excerpt(entry.title, LABEL_CHARS)
