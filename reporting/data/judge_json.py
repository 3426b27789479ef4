"""The part of `report.json` about levels and their judge."""

from __future__ import annotations

from collections import Counter

import msgspec

from scoring.items.part import details_of
from scoring.judging.figures import JudgedMetric
from scoring.judging.verdicts import JudgeState
from scoring.results.model import LevelCounts, SetResult


class LevelTitle(msgspec.Struct, frozen=True):
    """A level of the rubrics metric; score: its place in 0..1."""

    level: str
    name: str
    criteria: str
    score: float


class RubricsFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The rubrics metric. levels: lists of counts follow their order. groups: items per level, by key of the group.

    none: items without a level, by reason.
    """

    levels: tuple[LevelTitle, ...]
    groups: tuple[LevelCounts, ...]
    none: dict[str, int]


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did.

    state: "none" (no judge is configured), "pending", "done", "incomplete" (some items were given up). model, votes,
    prompt: who was asked, and how. metrics: items per metric, agreement with recorded levels, and repeatability.
    failures: items given up, by reason. prompt_tokens, completion_tokens: of the stored
    verdicts in this report, failed tries included. cut_answers: items whose answer the judge reads with its middle left
    out. digest: of the verdicts, "" without any.
    """

    state: JudgeState
    model: str
    votes: int
    prompt: str
    metrics: tuple[JudgedMetric, ...]
    failures: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    cut_answers: int
    digest: str


def rubrics_figures(result: SetResult) -> RubricsFigures | None:
    """The figures of the rubrics metric; None for profiles without it."""
    rule = result.rubric.rubrics
    if rule is None:
        return None
    whys = Counter([details_of(one).rubrics_why for one in result.table.traits()])
    return RubricsFigures(
        levels=tuple(
            LevelTitle(rule.spelling(level), level.name, level.criteria, rule.points(level)) for level in rule.levels
        ),
        groups=result.levels,
        none={why: n for why, n in sorted(whys.items()) if why},
    )
