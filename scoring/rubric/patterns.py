"""Patterns of documents and of checks, compiled by RE2: they come from files, so matching has to take linear time.

Those of a document match text, those of checks match bytes.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2

from scoring.text import normalise

_PATTERN_MEMORY = 8 << 20  # bytes that one compiled pattern may take
_LONGEST_PATTERN = 1_000
PATTERN_STEPS = 4096  # characters x instructions of a pattern that take as long as one comparison


@lru_cache(maxsize=256)
def compiled_pattern(text: str) -> Any:
    """A declared pattern (RE2 over text). Raises re2.error when it is none."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(normalise(text), options)


def groups_or_reason(text: str) -> tuple[Sequence[str], str | None]:
    """Names of the groups of a declared pattern, and why RE2 refuses it; None where it takes it."""
    try:
        return tuple(compiled_pattern(text).groupindex), None
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        return (), reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def end_of_group(pattern: str, text: str) -> int | None:
    """Where the one group of a declared pattern ends that the whole text matches; None where it does not."""
    found = compiled_pattern(pattern).fullmatch(text)
    return None if found is None or found.end(1) <= 0 else int(found.end(1))


def is_pattern(text: str) -> bool:
    """Can RE2 take this pattern?"""
    return _compiled(text) is not None


def program_size(pattern: str) -> int:
    """Instructions of a pattern, which each character of a text may have to pass; 0 for what is no pattern."""
    compiled = _compiled(pattern)
    return 0 if compiled is None else int(compiled.programsize)


def is_found(pattern: str, text: str) -> bool:
    """Does the pattern match anywhere in the text? What RE2 can't take never does."""
    compiled = _compiled(pattern)
    return compiled is not None and compiled.search(text.encode(errors="replace")) is not None


@lru_cache(maxsize=512)
def _compiled(text: str) -> Any:
    """The pattern over bytes (RE2 has no types); None when RE2 refuses it."""
    if len(text) > _LONGEST_PATTERN:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    try:
        return re2.compile(normalise(text).encode(), options)
    except (re2.error, UnicodeEncodeError):
        return None
