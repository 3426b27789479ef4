"""The sections of the report about metrics: one per metric of the profile, and the total.

What a section holds follows from the rules of the rubric; there is one template for all profiles.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.display import excerpt
from reporting.view_accuracy import accuracy_blocks, intent_blocks, total_blocks
from reporting.view_consistency import consistency_blocks
from reporting.view_metrics import Block, class_speed_blocks, score_table, speed_blocks
from scoring.result import SetResult

TITLE_CHARS = 60
TOTAL_TITLE = "종합 점수"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionView:
    """One section. number: its place, from 1."""

    number: int
    title: str
    blocks: tuple[Block, ...]


def sections(result: SetResult) -> tuple[SectionView, ...]:
    """Every metric that the rubric names, in its order, then the total."""
    named = [(excerpt(metric.title, TITLE_CHARS), _blocks(result, metric.name)) for metric in result.rubric.metrics]
    if result.total is not None:
        named.append((TOTAL_TITLE, total_blocks(result)))
    return tuple(
        SectionView(number=number, title=title, blocks=tuple(blocks))
        for number, (title, blocks) in enumerate(named, start=1)
    )


def _blocks(result: SetResult, name: str) -> list[Block]:
    match name.partition("."):
        case ("intent", _, _):
            return intent_blocks(result)
        case ("consistency", _, _):
            return consistency_blocks(result)
        case ("accuracy", _, _):
            return accuracy_blocks(result)
        case ("latency", _, ""):
            return speed_blocks(result)
        case ("latency", _, of_class):
            return class_speed_blocks(result, of_class)
        case _:
            return [Block(table=score_table(result, name))]
