"""What a person may give: the levels of the document, or the steps of its scale."""

from typing import NamedTuple

from scoring.rubric import METRICS, RUBRICS, Rubric, Scale, VerdictRule
from scoring.text import normalise, number

_WHOLE_STEPS = range(2, 21)  # lengths of a scale that whole numbers divide well enough
_PARTS = 10  # of any other scale
_GRADED = tuple(metric for metric in METRICS if metric in {"intent", "accuracy"})
_DECIMALS = 9


class GradeScale(NamedTuple):
    """The grades of one metric, lowest first: how each is written, and its points. rule: None for mere points."""

    names: tuple[str, ...]
    points: tuple[float, ...]
    rule: VerdictRule | None = None

    def step(self, text: str) -> int | None:
        """The place of the grade that a cell holds; None for anything else. Never rounds."""
        text = normalise(text)
        if self.rule is not None:
            level = self.rule.level(text)
            return None if level is None else self.names.index(self.rule.spelling(level))
        value = number(text.replace(",", "."))
        return None if value is None else self.at(value)

    def at(self, points: float | None) -> int | None:
        """The place of these points; None where no grade has them."""
        return None if points is None else next((at for at, one in enumerate(self.points) if one == points), None)


def graded_metrics(rubric: Rubric) -> tuple[str, ...]:
    """The metrics that people can grade: those of answers with points of their own, the one that passes first."""
    named = [name for name in (*_GRADED, RUBRICS) if rubric.has_metric(name) and rubric.origin_of(name) == name]
    return tuple(named)


def scale_of(rubric: Rubric, metric: str) -> GradeScale:
    """The grades of a metric of `graded_metrics`."""
    rule = rubric.rubrics if metric == RUBRICS else rubric.verdict if metric == "intent" else None
    if rule is not None:
        levels = sorted(rule.levels, key=lambda level: level.points)
        return GradeScale(tuple(map(rule.spelling, levels)), tuple(map(rule.points, levels)), rule)
    points = steps_of(rubric.points)
    return GradeScale(tuple(f"{one:g}" for one in points), points)


def steps_of(scale: Scale) -> tuple[float, ...]:
    """The grades of a metric of mere points, lowest first."""
    length = scale.length
    parts = int(length) if length.is_integer() and int(length) in _WHOLE_STEPS else _PARTS
    return tuple(round(scale.lowest + length * at / parts, _DECIMALS) for at in range(parts + 1))
