"""Finds values at the paths of a document, and notes paths that a file never has (docs/rubrics.md#payload)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from scoring.findings import FindingLog
from scoring.json_path import Path, find_values, parse_path
from scoring.json_values import is_nothing
from scoring.problems import Problem
from scoring.rubric.rules import Paths, paths_of

# Values that a column or the payload may have: how documents name the path in the payload, and what it usually is.
_DECLARED = {
    "intent_verdict": ("metrics.intent.verdict.field", "intent_verdict"),
    "rubric_level": ("metrics.rubrics.field", "rubric_level"),
    "accuracy_checks": ("metrics.accuracy.checks.field", "accuracyChecks"),
    "intent_label": ("metrics.consistency.agreement.label.field", "intent_label"),
    "latency_class": ("metrics.latency.by_payload.field", "latencyClass"),
}


class PathWatch:
    """The paths that a document names, by key: which of them were looked for in a file and found nowhere."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._paths: dict[str, Sequence[str]] = {}
        self._found: set[str] = set()

    def saw(self, key: str, paths: Sequence[str], *, asked: int = 1, found: bool) -> None:
        """Count payloads in which a value was looked for at the paths of `key`. found: had any of them one?"""
        if found:
            self._found.add(key)
        else:
            self._asked[key] += asked
            self._paths[key] = paths

    def value(self, payload: dict[str, object], field: Paths, column: str) -> object:
        """The value at a declared path, None without one. column: field name of the column that may have it as well.

        A path that most documents have may be absent: there is nothing to note.
        """
        key, usual = _DECLARED[column]
        if field == usual:
            value = payload.get(usual)
            return None if value is None or says_nothing(value) else value
        value = first_at(payload, field)
        if payload:
            self.saw(key, paths_of(field), found=value is not None)
        return value

    def note(self, log: FindingLog, column: str) -> None:
        """Log each key that has no value in any payload of the file, with the number of payloads. column: its title."""
        for key, asked in self._asked.items():
            if asked and key not in self._found:
                values = {"key": key, "paths": ", ".join(self._paths[key])}
                log.add(Problem(code="path-never-found", column=column, found=values["paths"], values=values), asked)


def parsed_paths(paths: Iterable[str]) -> tuple[Path, ...]:
    """The paths of a document, which are known to be paths."""
    return tuple(path for text in paths if (path := parse_path(text)) is not None)


def found_at(payload: dict[Any, object], path: Path) -> list[object]:
    """What is at a path but null."""
    if len(path) > 1:
        return find_values(payload, path)
    value = payload.get(path[0])
    return [] if value is None else [value]


def values_at(payload: dict[Any, object], paths: Iterable[Path]) -> list[object]:
    """The values at the first of the paths that has any but null, false, blank text, [], {} and NaN; [] for none."""
    for path in paths:
        if len(path) == 1:  # a name at the top, the usual case: four times as fast
            value = payload.get(path[0])
            if value is not None and not says_nothing(value):
                return [value]
        elif values := [value for value in find_values(payload, path) if not says_nothing(value)]:
            return values
    return []


def first_at(payload: dict[str, object], field: Paths) -> object:
    """The first value at a declared path, None without any."""
    values = values_at(payload, _parsed(field))
    return values[0] if values else None


@lru_cache(maxsize=64)
def _parsed(field: Paths) -> tuple[Path, ...]:
    return parsed_paths(paths_of(field))


def says_nothing(value: object) -> bool:
    """null, false, {}, [], blank text and numbers that are none."""
    return value is False or is_nothing(value) or (isinstance(value, float) and not math.isfinite(value))
