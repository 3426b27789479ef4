"""Failures that a team knows: the lines of `known.csv`, and which failures of a set they know (docs/known.md)."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.known.failures import Cause, KnownFailures, LineState, Ticket, as_pattern, known_failures
    from scoring.known.lines import KNOWN_COLUMNS, KnownLine, KnownLines, Resolution, read_known
else:
    __getattr__ = door(__name__)
