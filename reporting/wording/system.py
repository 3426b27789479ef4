"""What the system says when a file cannot be read or written, in the language of a page.

Reasons are kept as the system says them, in English: in logs, in `unread.json`, in what workers report. They are
translated where people read them.
"""

from __future__ import annotations

import errno
import os
import re
from functools import cache

from reporting.wording.display import system_reason
from texts import Texts, texts

_NOT_REGULAR = "not a regular file"  # of `scoring.reading.regular_file`
_BEFORE, _AFTER = r"(?:^|(?<=[:.\]] )|(?<=\())", r"(?=$|[:)]|, )"


def reason_of(error: OSError, t: Texts) -> str:
    """The system's reason for an error and the file, in the language of `t`."""
    return in_words(system_reason(error), t)


def in_words(reason: str, t: Texts) -> str:
    """A text that holds a reason of the system, with the reason in the language of `t`.

    Only whole reasons are translated, `No space left on device` or `reports: No space left on device`. What the table
    does not have stays as it is.
    """
    return _reasons().sub(lambda found: t(f"system.{_codes()[found.group()]}"), reason)


@cache
def _codes() -> dict[str, str]:
    """The system's words -> the rest of a key of the catalogue."""
    names = texts().starting("system.")
    known = {os.strerror(getattr(errno, name)): name for name in names if hasattr(errno, name)}
    return {**known, _NOT_REGULAR: "not-regular"}


@cache
def _reasons() -> re.Pattern[str]:
    longest_first = sorted(_codes(), key=len, reverse=True)
    return re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, longest_first))}){_AFTER}")
