"""Paths into JSON: `a.b`, and of a list `[*]` for every element, `[0]` for one, `[name=text]` for objects with a text.

See docs/scoring.md#check-paths.

A path is taken literally: names are compared as written, nothing is searched for elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

EACH: Final = -1  # every element of a list
MAX_STEPS = 40
MAX_CHARACTERS = 400


class Having(NamedTuple):
    """The objects of a list whose value of this name is this text."""

    name: str
    text: str


Step = str | int | Having  # a name, the index of an element or EACH, or some of the elements
Path = tuple[Step, ...]

_STEP = re.compile(
    r"\[(?:(?P<each>\*)|(?P<index>[0-9]{1,9})|(?P<key>[^.\[\]=*]+)=(?P<text>[^\[\]]+))\]|(?P<dot>\.)?(?P<name>[^.\[\]]+)"
)


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path | None:
    """`dataUIList[*].uiValue.formType` -> ("dataUIList", EACH, "uiValue", "formType"); None when it is no path.

    The first step is a name; a name after another step has a dot before it.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        return None
    steps: list[Step] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or len(steps) == MAX_STEPS:
            return None
        position = match.end()
        if match["name"] is None:
            steps.append(_of_list(match))
            continue
        name = match["name"].strip()
        if not name or bool(match["dot"]) is not bool(steps):
            return None
        steps.append(name)
    return tuple(steps) if isinstance(steps[0], str) else None


def _of_list(match: re.Match[str]) -> Step:
    if match["key"] is not None:
        return Having(match["key"].strip(), match["text"].strip())
    return EACH if match["each"] else int(match["index"])


def find_values(root: object, path: Path, count: Callable[[int], object] | None = None) -> list[object]:
    """Values at `path`, in order; null counts as nothing. Every `[*]` may give several values.

    count: called once with the number of values that were looked at.
    """
    values = [root]
    looked_at = 0
    for step in path:
        found: list[object] = []
        for value in values:
            if isinstance(step, str):
                if isinstance(value, dict):
                    found.append(value.get(step))
            elif isinstance(value, list):
                found += _elements(value, step)
        looked_at += len(found)
        values = [value for value in found if value is not None]
        if not values:
            break
    if count is not None:
        count(looked_at)
    return values


def _elements(values: list[object], step: int | Having) -> list[object]:
    if isinstance(step, Having):
        return [value for value in values if isinstance(value, dict) and value.get(step.name) == step.text]
    return values if step == EACH else values[step : step + 1]
