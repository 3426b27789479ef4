"""The sections of the report about metrics: one per metric of the profile, the total, and the measures.

What a section holds follows from the rules of the rubric; there is one report for all profiles.

That of named scores is a table for each, by round and track (docs/scoring.md#scores).
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from msgspec import UNSET

from reporting.document.blocks import Block, Each, Heading, Markdown, Passage
from reporting.document.headline import share_of
from reporting.document.report.accuracy import accuracy_blocks, intent_blocks, total_blocks
from reporting.document.report.consistency import consistency_blocks
from reporting.document.report.judge import has_judge, judge_blocks
from reporting.document.report.metrics import (
    class_speed_blocks,
    measure_blocks,
    scopes,
    score_table,
    seconds_block,
    source_text,
    speed_blocks,
)
from reporting.document.report.repeatability import session_blocks
from reporting.document.report.reviews import review_blocks
from reporting.document.report.rubrics import rubrics_blocks
from reporting.document.tables import table
from reporting.wording import LABEL_CHARS, NONE, count, excerpt, metric_titles, pass_limit, points, sure_score
from scoring.results import Group, SetResult
from scoring.rubric import Measure, ScoreRule, is_by_scores, is_score
from texts import Texts


class Part(StrEnum):
    """The section of the page in HTML that a section about a metric stands in."""

    FAILURES = "failures"
    PLACES = "places"
    SPEED = "speed"
    REPEATABILITY = "repeatability"
    RULES = "rules"


class MetricSection(NamedTuple):
    """part: where it stands in HTML. blocks: a heading, with a number in Markdown, and what follows it."""

    part: Part
    blocks: Sequence[Block]


WHO_GRADED = "graded"  # what an address calls the section about people's grades
_PARTS = {"latency": Part.SPEED, "consistency": Part.REPEATABILITY}


def sections(result: SetResult, t: Texts) -> list[MetricSection]:
    """Every metric that the rubric names, in its order, then all that is no such metric."""
    named = [
        (_PARTS.get(name.partition(".")[0], Part.PLACES), title, _passages(result, name, t))
        for name, title in metric_titles(result.rubric, t).items()
    ]
    if result.total is not None:
        named.append((Part.PLACES, t("metric.total"), total_blocks(result, t)))
    if not result.rubric.has_metric("latency") and result.groups[0].set_seconds.n:  # times that give no points
        named.append((Part.SPEED, t("compare.seconds"), [seconds_block(result, t)]))
    if any(is_score(measure.name) for measure in result.rubric.measures):
        named.append((Part.PLACES, t("scores.title"), score_blocks(result, t)))
    if not all(is_score(measure.name) for measure in result.rubric.measures):
        named.append((Part.PLACES, t("measures.title"), measure_blocks(result, t)))
    if result.sessions is not None:
        named.append((Part.FAILURES, t("sessions.title"), session_blocks(result, t)))
    of_judge, who_graded = judge_blocks(result, t) if has_judge(result) else [], t("review.who-graded")
    if result.reviews is not None:
        named.append((Part.RULES, who_graded, [*review_blocks(result, t), *of_judge]))
    elif of_judge:
        named.append((Part.RULES, t("judge.title"), of_judge))
    return [
        MetricSection(
            part,
            [
                _heading(number, title, WHO_GRADED if title == who_graded else ""),
                *chain.from_iterable(one.blocks(title, t) for one in passages),
            ],
        )
        for number, (part, title, passages) in enumerate(named, start=1)
    ]


def _heading(number: int, title: str, name: str) -> Heading:
    return Heading(3, (Each(Markdown(f"{number}. "), ""), title), name)


def _passages(result: SetResult, name: str, t: Texts) -> list[Passage]:
    match name.partition("."):
        case ("intent", _, _):
            return intent_blocks(result, t)
        case ("consistency", _, _):
            return consistency_blocks(result, t)
        case ("accuracy", _, _):
            return accuracy_blocks(result, t)
        case ("rubrics", _, _):
            return rubrics_blocks(result, t)
        case ("latency", _, ""):
            return speed_blocks(result, t)
        case ("latency", _, of_class):
            return class_speed_blocks(result, of_class, t)
        case _:
            return [Passage(table=score_table(result, name, t))]


def score_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """What passes by the scores, then a table per score."""
    shown = [measure for measure in result.rubric.measures if is_score(measure.name)]
    rule = result.rubric.pass_points
    told = [t("scores.told")]
    if rule is not None and is_by_scores(rule):
        told.append(t("scores.passes", limit=pass_limit(result.rubric, t)))
    return [Passage(text=" ".join(told)), *(_score_block(result, measure, t) for measure in shown)]


def _score_block(result: SetResult, measure: Measure, t: Texts) -> Passage:
    rule = measure.score
    assert isinstance(rule, ScoreRule)

    def cells(group: Group, index: int | None) -> list[str]:
        found = group.measures[measure.name]
        figures = found.set if index is None else found.rounds[index]
        passed = []
        if rule.passes:
            share = share_of(figures.passed or 0, figures.assessed or 0, figures.pass_interval or None)
            passed = [share if figures.assessed else NONE]
        possible = (rule.highest - rule.lowest) * figures.n
        lost = f"{points(figures.lost)} / {points(possible)}" if figures.n and figures.lost is not UNSET else NONE
        return [count(figures.n), sure_score(figures.mean, figures.interval), *passed, lost, count(figures.missing)]

    titles = [t("table.scope"), ">n", f">{t('measures.mean')}"]
    titles += [f">{t('scores.passed', limit=rule.passes)}"] if rule.passes else []
    titles += [f">{t('table.lost')}", f">{t('scores.missing')}"]
    scale = t("scores.scale", lowest=f"{rule.lowest:g}", highest=f"{rule.highest:g}")
    better = t(f"scores.better.{measure.better}")
    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    text = f"{source_text(measure, t)} {scale} {better}"
    return Passage(heading=excerpt(measure.title, LABEL_CHARS), text=text, table=table(titles, rows))
