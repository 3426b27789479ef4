"""Patterns that a rubric document declares, compiled by RE2: text from files is matched in linear time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2

from scoring.text import normalise


@lru_cache(maxsize=256)
def compiled_pattern(text: str) -> Any:
    """A declared pattern (RE2 over text). Raises re2.error when it is none."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(normalise(text), options)


def pattern_groups(text: str) -> Sequence[str]:
    """Names of the groups of a declared pattern. Raises re2.error when it is none."""
    return tuple(compiled_pattern(text).groupindex)
