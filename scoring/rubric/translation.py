"""A document in another language that scores as the one of the same profile: the same values under other titles."""

from __future__ import annotations

from dataclasses import replace

from scoring.rubric.model import Rubric, Vocabulary
from scoring.rubric.rules import VerdictRule


def translation_of(original: Rubric, rubric: Rubric) -> Rubric:
    """`rubric`, marked as scoring like `original` where it does; else as it is.

    Titles, meanings, criteria and the words by which tables are read may differ, and columns may have more aliases.
    """
    if _rules(original) != _rules(rubric):
        return rubric
    return replace(rubric, scores_as=original.digest)


def _rules(rubric: Rubric) -> Rubric:
    """Everything that scores."""
    return replace(
        rubric,
        title="",
        columns=tuple(replace(column, title="", aliases=()) for column in rubric.columns),
        metrics=tuple(replace(metric, title="") for metric in rubric.metrics),
        latency_classes=tuple(replace(entry, title="") for entry in rubric.latency_classes),
        measures=tuple(replace(measure, title="", unit="") for measure in rubric.measures),
        tracks=tuple(replace(track, meaning="") for track in rubric.tracks),
        verdict=_levels(rubric.verdict),
        rubrics=_levels(rubric.rubrics),
        vocabulary=Vocabulary(),
        edition="",
        document="",
        scores_as="",
    )


def _levels(rule: VerdictRule | None) -> VerdictRule | None:
    """A rule without what its levels mean; levels known by their number lose their names too."""
    if rule is None:
        return None
    levels = tuple(replace(level, criteria="", name="" if rule.by_number else level.name) for level in rule.levels)
    return replace(rule, levels=levels, other_names={})
