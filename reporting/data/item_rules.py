"""Which rule gave an item its status and each of its points, in words.

Texts depend on few values of an item, so each is made once and looked up afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from reporting.data.item_columns import Columns
from reporting.view.rubrics import level_text, why_unjudged
from reporting.wording.bands import band_texts
from reporting.wording.catalogue import Texts
from reporting.wording.display import excerpt, percent, score
from reporting.wording.names import class_name, item_metrics, metric_word, status_name, why_text
from scoring.memo import Memo
from scoring.rubric.model import RUBRICS, Bands, LatencyClass, Rubric, Status

VALUE_CHARS = 40


class _Intent(NamedTuple):
    """What the points of intent hang on."""

    source: str
    status: Status
    points: float | None
    recorded: str
    issue: str
    verdict: str


class _Accuracy(NamedTuple):
    """What the points of accuracy hang on. reason: a `accuracy_reason`; the rest is about checks."""

    reason: str
    status: Status
    points: float | None
    ratio: float | None
    checks: int
    failed: int


class _Level(NamedTuple):
    """What the score of a level hangs on."""

    level: str
    why: str
    source: str
    score: float | None


class _Timed(NamedTuple):
    """The rules of a latency class by the band of a time; the last one is for a missing time."""

    band: Callable[[float], int]
    rules: tuple[str, ...]


class ItemRules:
    """The rules of one rubric in one language."""

    def __init__(self, rubric: Rubric, t: Texts) -> None:
        self._statuses: Memo[tuple[Status, str], str] = Memo(lambda key: _because(key[0], key[1], t))
        self._intents: Memo[tuple[Any, ...], str] = Memo(lambda key: _intent(_Intent._make(key), rubric, t))
        self._accuracies: Memo[tuple[Any, ...], str] = Memo(lambda key: _accuracy(_Accuracy._make(key), t))
        self._of_status: Memo[tuple[Status, float | None], str] = Memo(lambda key: _from_status(key[0], key[1], t))
        self._levels: Memo[tuple[Any, ...], str] = Memo(lambda key: _level(_Level._make(key), rubric, t))
        self._classes: Memo[tuple[str, int | None], _Timed] = Memo(
            lambda key: _timed(rubric.class_named(key[0]) or rubric.latency_class(key[1]), t)
        )
        self._copied = t("rule.copied", metric=metric_word(rubric.accuracy_of, t)) if rubric.accuracy_of else ""
        self._metrics = item_metrics(rubric, t)

    def statuses(self, of: Columns) -> list[str]:
        """Why the items have their statuses."""
        return _texts(self._statuses, of, "status", "why")

    def columns(self, of: Columns) -> list[list[str]]:
        """Why the items have their points: a list per metric in the order of `item_metrics`, with a text per item."""
        rules: Mapping[str, Callable[[Columns], list[str]]] = {
            "intent": self._of_intent,
            "accuracy": self._of_accuracy,
            "stability": self._of_stability,
            "latency": self._of_latency,
            RUBRICS: self._of_level,
        }
        return [rules[name](of) for name in self._metrics]

    def _of_intent(self, of: Columns) -> list[str]:
        return _texts(self._intents, of, "intent_source", "status", "intent", "recorded", "recorded_issue", "verdict")

    def _of_accuracy(self, of: Columns) -> list[str]:
        if self._copied:
            return [self._copied] * len(of["status"])
        names = ("accuracy_reason", "status", "accuracy", "ratio", "checks", "failed_count")
        return _texts(self._accuracies, of, *names)

    def _of_stability(self, of: Columns) -> list[str]:
        return _texts(self._of_status, of, "status", "stability")

    def _of_level(self, of: Columns) -> list[str]:
        return _texts(self._levels, of, "rubrics_level", "rubrics_why", "rubrics_source", "rubrics")

    def _of_latency(self, of: Columns) -> list[str]:
        classes = map(self._classes.__getitem__, zip(of["latency_class"], of["track"], strict=True))
        found = zip(classes, of["seconds"], strict=True)
        return [entry.rules[-1 if seconds is None else entry.band(seconds)] for entry, seconds in found]


def _texts(made: Memo[Any, str], of: Columns, *names: str) -> list[str]:
    """The text of each item, by the columns that it hangs on."""
    return list(map(made.__getitem__, zip(*[of[name] for name in names], strict=True)))


@lru_cache(maxsize=256)
def _timed(entry: LatencyClass, t: Texts) -> _Timed:
    bands, name = entry.bands, class_name(entry)
    rules = [
        t("rule.band", class_name=name, band=span, points=score(points))
        for span, points in zip(band_texts(bands, t), bands.points, strict=True)
    ]
    rules.append(t("rule.no-seconds", class_name=name, points=score(bands.missing)))
    return _Timed(_band(bands), tuple(rules))


def _band(bands: Bands) -> Callable[[float], int]:
    """A function from a value to the index of its band."""
    if not bands.upper:  # those of latency as a rule: a quarter of the time
        return partial(bisect_left, bands.edges)
    numbered = replace(bands, points=tuple(map(float, range(len(bands.points)))))
    return lambda value: int(numbered.score(value))


def _because(status: Status, why: str, t: Texts) -> str:
    return t("rule.because", status=status_name(status, t), reason=why_text(why, t))


def _from_status(status: Status, points: float | None, t: Texts) -> str:
    return t("rule.status", status=status_name(status, t), points=score(points))


def _intent(given: _Intent, rubric: Rubric, t: Texts) -> str:
    value = excerpt(given.recorded, VALUE_CHARS)
    if given.source == "recorded":
        return t("rule.recorded", value=value)
    if given.source == "none":
        return t("rule.unjudged")
    if given.source == "copy":
        return t("rule.copied", metric=metric_word(rubric.intent_of, t))
    if given.source in {"column", "payload", "judge"}:
        level = excerpt(given.verdict, VALUE_CHARS)
        return t(f"rule.verdict.{given.source}", level=level, points=score(given.points))
    text = _from_status(given.status, given.points, t)
    if given.issue in {"not-a-number", "out-of-range"}:
        text += t(f"rule.issue.{given.issue}", value=value)
    return text


def _accuracy(given: _Accuracy, t: Texts) -> str:
    if given.reason == "status":
        return _from_status(given.status, given.points, t)
    if given.reason:
        return t.named("rule.accuracy", given.reason) or excerpt(given.reason, VALUE_CHARS)
    if given.ratio is None:
        return ""
    checks, failed = str(given.checks), str(given.failed)
    return t("rule.checks", checks=checks, failed=failed, ratio=percent(given.ratio, 1))


def _level(given: _Level, rubric: Rubric, t: Texts) -> str:
    rule = rubric.rubrics
    level = rule.level(given.level) if rule is not None and given.level else None
    if rule is None or level is None:
        return t("rule.rubrics.none", why=why_unjudged(given.why, t))
    return t(f"rule.rubrics.{given.source}", level=level_text(rule, level), score=score(given.score))
