"""Paths into JSON: `a.b`, `[*]` for every element of a list, `[0]` for one of them (docs/scoring.md#check-paths).

A path is taken literally: names are compared as written, nothing is searched for elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

EACH: Final = -1  # every element of a list
MAX_STEPS = 40
MAX_CHARACTERS = 400

Path = tuple[str | int, ...]

_STEP = re.compile(r"\[(?:(?P<each>\*)|(?P<index>[0-9]{1,9}))\]|(?P<dot>\.)?(?P<name>[^.\[\]]+)")


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path | None:
    """`dataUIList[*].uiValue.formType` -> ("dataUIList", EACH, "uiValue", "formType"); None when it is no path.

    The first step is a name; a name after another step has a dot before it.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        return None
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or len(steps) == MAX_STEPS:
            return None
        position = match.end()
        if match["name"] is None:
            steps.append(EACH if match["each"] else int(match["index"]))
            continue
        name = match["name"].strip()
        if not name or bool(match["dot"]) is not bool(steps):
            return None
        steps.append(name)
    return tuple(steps) if isinstance(steps[0], str) else None


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
                found += value if step == EACH else value[step : step + 1]
        looked_at += len(found)
        values = [value for value in found if value is not None]
        if not values:
            break
    if count is not None:
        count(looked_at)
    return values
