"""Slices in words: their values, and where a set is worse than by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reporting.wording.display import count, excerpt, percent, score
from reporting.wording.intervals import minus
from reporting.wording.links import items_link, key_of
from reporting.wording.names import LABEL_CHARS, metric_word
from scoring.results import ANSWERED, PASS
from texts import Texts

if TYPE_CHECKING:
    from scoring.results import Slice, Slices, WeakSlice

SLICE_PREFIX = "slice."


def slice_keys(columns: Sequence[Slice]) -> list[str]:
    """What an address calls the filter of each column; of columns that begin alike the later ones have a number."""
    keys: list[str] = []
    for at, column in enumerate(columns, start=1):
        key = f"{SLICE_PREFIX}{key_of(column.column)}"
        keys.append(key if key not in keys else f"{key} {at}")
    return keys


def slice_value(value: str, t: Texts) -> str:
    """A value of a column, or that it is blank."""
    return excerpt(value, LABEL_CHARS) or t("slices.blank")


def slice_text(weak: WeakSlice, slices: Slices, titles: Mapping[str, str], t: Texts) -> str:
    """`언어=en: 응답 성공 0 % (나머지 100 %), 실패 20건 중 20건`, which leads to the items. titles: of the metrics."""
    keys = dict(zip([one.column for one in slices.columns], slice_keys(slices.columns), strict=True))
    pairs = list(zip(weak.columns, weak.values, strict=True))
    place = ", ".join(f"{excerpt(column, LABEL_CHARS)}={slice_value(value, t)}" for column, value in pairs)
    figure = slices.figure
    if figure in {PASS, ANSWERED}:
        name = t("word.passed" if figure == PASS else "word.answered")
    else:
        name = titles.get(figure) or metric_word(figure, t)
    values = {"figure": name, "value": _shown(figure, weak.value)}
    if weak.others is None:
        text = t("slices.weak-one", **values)
    else:
        text = t("slices.weak-line", **values, others=_shown(figure, weak.others))
    if weak.all_failed:
        text = t("slices.weak-failed", text=text, failed=count(weak.failed), of=count(weak.all_failed))
    filters = {keys[column]: key_of(value) for column, value in pairs}
    return items_link(f"{place}: {text}", **filters)


def _shown(figure: str, value: float) -> str:
    return percent(value, 1) if figure in {PASS, ANSWERED} else minus(score(value))
