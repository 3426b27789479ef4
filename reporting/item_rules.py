"""Which rule gave an item its status and each of its points, in words.

Texts depend on few values of an item, so each is made once and looked up afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from reporting.bands import band_texts
from reporting.catalogue import Texts
from reporting.display import excerpt, percent, score
from reporting.names import class_name, item_metrics, metric_word, status_name, why_text
from reporting.view_rubrics import level_text, why_unjudged
from scoring.memo import Memo
from scoring.part import Item
from scoring.result import RUBRICS
from scoring.rubric import Bands, LatencyClass, Rubric, Status

VALUE_CHARS = 40

_Rule = Callable[[Item], str]


_IntentKey = tuple[str, Status, float | None, str, str, str]


class _Intent(NamedTuple):
    """What the points of intent hang on."""

    source: str
    status: Status
    points: float | None
    recorded: str
    issue: str
    verdict: str


class _Numbered(NamedTuple):
    """A latency class whose bands give numbers into its rules; the last rule is for a missing time."""

    bands: Bands
    rules: list[str]


class ItemRules:
    """The rules of one rubric in one language."""

    def __init__(self, rubric: Rubric, t: Texts) -> None:
        self._t = t
        self._rubric = rubric
        self._statuses: Memo[tuple[Status, str], str] = Memo(lambda key: _because(key[0], key[1], t))
        self._intents: Memo[_IntentKey, str] = Memo(lambda key: _intent(_Intent._make(key), rubric, t))
        self._of_status: Memo[tuple[Status, float | None], str] = Memo(lambda key: _from_status(key[0], key[1], t))
        self._copied = t("rule.copied", metric=metric_word(rubric.accuracy_of, t)) if rubric.accuracy_of else ""
        self._classes: Memo[tuple[str, int | None], _Numbered] = Memo(
            lambda key: _numbered(rubric.class_named(key[0]) or rubric.latency_class(key[1]), t)
        )
        rules: Mapping[str, _Rule] = {
            "intent": self._intent,
            "accuracy": self._accuracy,
            "stability": self._stability,
            "latency": self._latency,
            RUBRICS: self._level,
        }
        self._rules = [rules[name] for name in item_metrics(rubric, t)]

    def status(self, item: Item) -> str:
        """Why the item has its status."""
        return self._statuses[item.status, item.why]

    def columns(self, items: Sequence[Item]) -> list[list[str]]:
        """Why the items have their points: a list per metric in the order of `item_metrics`, with a text per item."""
        return [[rule(item) for item in items] for rule in self._rules]

    def _intent(self, item: Item) -> str:
        verdict = "" if item.details is None else item.details.verdict
        return self._intents[item.intent_source, item.status, item.intent, item.recorded, item.recorded_issue, verdict]

    def _accuracy(self, item: Item) -> str:
        if self._copied:
            return self._copied
        t, details = self._t, item.details
        if details is None:
            return ""
        if details.accuracy_reason == "status":
            return self._of_status[item.status, item.accuracy]
        if details.accuracy_reason:
            key = f"rule.accuracy.{details.accuracy_reason}"
            return t(key) if t.has(key) else excerpt(details.accuracy_reason, VALUE_CHARS)
        if details.ratio is None:
            return ""
        return t(
            "rule.checks",
            checks=str(details.checks),
            failed=str(details.failed_count),
            ratio=percent(details.ratio, 1),
        )

    def _stability(self, item: Item) -> str:
        return self._of_status[item.status, item.stability]

    def _level(self, item: Item) -> str:
        t, details, rule = self._t, item.details, self._rubric.rubrics
        level = rule.level(details.rubrics_level) if details is not None and rule is not None else None
        if details is None or rule is None or level is None:
            return t("rule.rubrics.none", why=why_unjudged(details.rubrics_why if details is not None else "", t))
        key = f"rule.rubrics.{details.rubrics_source}"
        return t(key, level=level_text(rule, level), score=score(details.rubrics))

    def _latency(self, item: Item) -> str:
        named = "" if item.details is None else item.details.latency_class
        numbered = self._classes[named, item.track]
        return numbered.rules[-1 if item.seconds is None else int(numbered.bands.score(item.seconds))]


def _numbered(entry: LatencyClass, t: Texts) -> _Numbered:
    bands, name = entry.bands, class_name(entry)
    rules = [
        t("rule.band", class_name=name, band=span, points=score(points))
        for span, points in zip(band_texts(bands, t), bands.points, strict=True)
    ]
    rules.append(t("rule.no-seconds", class_name=name, points=score(bands.missing)))
    numbers = tuple(map(float, range(len(bands.points))))
    return _Numbered(Bands(edges=bands.edges, points=numbers, missing=-1, upper=bands.upper), rules)


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
