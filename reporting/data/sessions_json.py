"""The block of report.json about conversations: how many pass, and which ones do not."""

from __future__ import annotations

import msgspec

from scoring.results.model import SetResult
from scoring.results.sessions.outcomes import SessionGroup
from scoring.rubric.rules import SessionPass
from scoring.rubric.tracks import TrackId


class FailingSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that does not pass.

    round: its label. turns: lines of its items in items.csv, in the order of turns, the first item is 0. first_failing:
    the line of its first turn that does not pass.
    """

    session: str
    round: str
    track: TrackId | None
    turns: tuple[int, ...]
    first_failing: int | None


class SessionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The conversations of a set.

    rule: which turns have to pass, the last or every one. outside: items without a session. groups: of all sessions
    (key "all"), then of the tracks in their order. failing: in order of first appearance.
    """

    rule: SessionPass
    outside: int
    groups: tuple[SessionGroup, ...]
    failing: tuple[FailingSession, ...]


def session_figures(result: SetResult) -> SessionFigures | None:
    """The block of one set; None where no item has a session."""
    found = result.sessions
    if found is None:
        return None
    return SessionFigures(
        rule=found.rule,
        outside=found.outside,
        groups=found.groups,
        failing=tuple(
            FailingSession(
                session=entry.session,
                round=result.rounds[entry.round].label,
                track=entry.track,
                turns=entry.turns,
                first_failing=None if entry.first_failing is None else entry.turns[entry.first_failing],
            )
            for entry in found.failing
        ),
    )
