"""What the tables and the charts of a report have in common: the tracks that they show, and ratios."""

from __future__ import annotations

from reporting.wording.display import NONE, percent
from scoring.results.model import Group, SetResult
from scoring.rubric.fields import group_key
from scoring.rubric.model import UNASSIGNED

MAX_TRACKS = 12  # columns of a table; report.json has all of them


def shown_groups(result: SetResult) -> tuple[tuple[str, Group | None], ...]:
    """(key, group) per track column: those the rubric names (None: no items), then others, unassigned last.

    Empty where neither the rubric nor any item has a track.
    """
    if not result.rubric.has_tracks and all(group.track is None for group in result.groups):
        return ()
    named = map(group_key, result.rubric.named_tracks)
    columns = {key: result.group(key) for key in named}
    others = [group for group in result.groups[1:] if group.key not in columns and group.key != UNASSIGNED]
    room = max(MAX_TRACKS - len(columns) - 1, 0)
    groups = [*columns.items(), *((group.key, group) for group in others[:room])]
    unassigned = result.group(UNASSIGNED)
    if unassigned is not None:
        groups.append((UNASSIGNED, unassigned))
    return tuple(groups)


def hidden_tracks(result: SetResult) -> int:
    """Number of tracks that no table shows."""
    shown = {key for key, _ in shown_groups(result)}
    return sum(group.key not in shown for group in result.groups[1:] if shown or group.track is not None)


def ratio_text(value: float | None) -> str:
    """A ratio in percent, `—` without one."""
    return NONE if value is None else percent(value, 1.0)
