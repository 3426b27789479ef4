"""Which rule gave an item its status and each of its points, in words."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from reporting.data.item_columns import Columns
from reporting.document.report import level_text, why_unjudged
from reporting.wording import (
    band_texts,
    class_name,
    excerpt,
    item_metrics,
    metric_word,
    percent,
    score,
    status_name,
    why_text,
)
from scoring import Memo, number
from scoring.comparison import LATENCY, Answer, Basis
from scoring.results import INTENT
from scoring.rubric import RUBRICS, Bands, LatencyClass, Rubric, Status, TrackId
from texts import Texts

VALUE_CHARS = 40
_ISSUES = ("not-a-number", "out-of-range")  # of a recorded score


class _Intent(NamedTuple):
    """What the points of intent depend on."""

    intent_source: str
    status: Status
    intent: float | None
    recorded: str
    recorded_issue: str
    verdict: str


class _Accuracy(NamedTuple):
    """What the points of accuracy depend on; ratio, checks and failed_count are about checks.

    failed_count: None where it is not known.
    """

    accuracy_reason: str
    status: Status
    accuracy: float | None
    ratio: float | None
    checks: int
    failed_count: int | None


class _Level(NamedTuple):
    """What the score of a level depends on."""

    rubrics_level: str
    rubrics_why: str
    rubrics_source: str
    rubrics: float | None


class _Timed(NamedTuple):
    """The rules of a latency class by the band of a time; the last one is for a missing time."""

    band: Callable[[float], int]
    rules: tuple[str, ...]


class ItemRules:
    """The rules of one rubric in one language. A text depends on few fields of an item, so each is made once."""

    def __init__(self, rubric: Rubric, t: Texts) -> None:
        self.statuses = _texts(("why",), lambda why: why_text(why, t))
        classes: Memo[tuple[str, TrackId | None], _Timed] = Memo(
            lambda key: _timed(rubric.class_named(key[0]) or rubric.latency_class(key[1]), t)
        )
        copied = t("rule.copied", metric=metric_word(rubric.accuracy_of, t)) if rubric.accuracy_of else ""
        rules: Mapping[str, _Rule] = {
            "intent": _texts(_Intent._fields, lambda *key: _intent(_Intent._make(key), rubric.intent_of, t)),
            "accuracy": _texts(_Accuracy._fields, lambda *key: copied or _accuracy(_Accuracy._make(key), t)),
            "stability": _texts(("status", "stability"), lambda status, points: _from_status(status, points, t)),
            "latency": partial(_of_latency, classes),  # no method: a circle would outlive the report
            RUBRICS: _texts(_Level._fields, lambda *key: _level(_Level._make(key), rubric, t)),
        }
        self._rules = [rules[name] for name in item_metrics(rubric, t)]

    def columns(self, of: Columns) -> list[list[str]]:
        """Why the items have their points: a list per metric in the order of `item_metrics`, with a text per item."""
        return [rule(of) for rule in self._rules]


_Rule = Callable[[Columns], list[str]]


def _of_latency(classes: Memo[tuple[str, TrackId | None], _Timed], of: Columns) -> list[str]:
    timed = map(classes.__getitem__, zip(of["latency_class"], of["track"], strict=True))
    found = zip(timed, of["seconds"], strict=True)
    return [entry.rules[-1 if seconds is None else entry.band(seconds)] for entry, seconds in found]


def answer_rule(metric: str, answer: Answer, basis: Basis, t: Texts) -> str:
    """By what an item of a published report has its points, "" where nothing says it."""
    points, given = answer.points.get(metric), _Grounds(*answer.grounds)
    intent_source, _, rubrics_source = answer.grade.origins
    if answer.status not in list(Status):
        return ""
    status = Status(answer.status)
    if metric == "stability":
        return _from_status(status, points, t)
    if metric in basis.copies:
        return t("rule.copied", metric=metric_word(basis.copies[metric], t))
    if metric == LATENCY:
        entry = next((one for one in basis.speed if one.name == answer.speed), None)
        timed = None if entry is None else _timed(entry, t)
        return "" if timed is None else timed.rules[-1 if answer.seconds is None else timed.band(answer.seconds)]
    if metric == RUBRICS:
        level = excerpt(given.rubrics_level, VALUE_CHARS)
        return _of_level(_Level(level, given.rubrics_why, rubrics_source, points), level, t)
    if metric == INTENT:
        issue = next((one for one in _ISSUES if f"recorded-{one}" in given.reasons.split(";")), "")
        return _intent(_Intent(intent_source, status, points, given.llm_score, issue, given.verdict), "", t)
    checks, ratio = int(number(given.checks) or 0), number(given.ratio)
    return _accuracy(_Accuracy(given.accuracy_reason, status, points, ratio, checks, None), t)


class _Grounds(NamedTuple):
    """The cells of `GROUNDS`."""

    llm_score: str
    reasons: str
    verdict: str
    checks: str
    ratio: str
    accuracy_reason: str
    rubrics_level: str
    rubrics_why: str


def _texts(fields: Sequence[str], work: Callable[..., str]) -> _Rule:
    """A function from columns to the text of each item, by the values of `fields`."""
    made: Memo[Any, str] = Memo(lambda key: work(*key))
    return lambda of: list(map(made.__getitem__, zip(*[of[name] for name in fields], strict=True)))


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


def _from_status(status: Status, points: float | None, t: Texts) -> str:
    """That an item has its points by how it ended."""
    return t("rule.status", status=status_name(status, t), points=score(points))


def _intent(given: _Intent, copied: str, t: Texts) -> str:
    """By what an item has its points of intent. copied: the metric whose points it has where it copies one."""
    value = excerpt(given.recorded, VALUE_CHARS)
    if given.intent_source == "recorded":
        return t("rule.recorded", value=value)
    if given.intent_source == "reviewed":
        return t("rule.reviewed", points=score(given.intent))
    if given.intent_source == "none":
        return t("rule.unjudged")
    if given.intent_source == "copy":
        return t("rule.copied", metric=metric_word(copied, t))
    if given.intent_source in {"column", "payload", "judge"}:
        level = excerpt(given.verdict, VALUE_CHARS)
        return t(f"rule.verdict.{given.intent_source}", level=level, points=score(given.intent))
    text = _from_status(given.status, given.intent, t)
    if given.recorded_issue in _ISSUES:
        text += t(f"rule.issue.{given.recorded_issue}", value=value)
    return text


def _accuracy(given: _Accuracy, t: Texts) -> str:
    """By what an item has its points of accuracy."""
    if given.accuracy_reason == "status":
        return _from_status(given.status, given.accuracy, t)
    if given.accuracy_reason:
        return t.named("rule.accuracy", given.accuracy_reason) or excerpt(given.accuracy_reason, VALUE_CHARS)
    if given.ratio is None:
        return ""
    key = "rule.checks" if given.failed_count is not None else "rule.checks-ratio"
    return t(key, checks=str(given.checks), failed=str(given.failed_count), ratio=percent(given.ratio, 1))


def _level(given: _Level, rubric: Rubric, t: Texts) -> str:
    rule = rubric.rubrics
    level = rule.level(given.rubrics_level) if rule is not None and given.rubrics_level else None
    return _of_level(given, "" if rule is None or level is None else level_text(rule, level), t)


def _of_level(given: _Level, level: str, t: Texts) -> str:
    """By what an item has the score of its level. level: in words, "" for none."""
    if not level:
        return t("rule.rubrics.none", why=why_unjudged(given.rubrics_why, t))
    return t(f"rule.rubrics.{given.rubrics_source}", level=level, score=score(given.rubrics))
