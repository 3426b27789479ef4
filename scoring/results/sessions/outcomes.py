"""Which conversations pass, by round and track (docs/scoring.md#sessions)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from scoring.items.part import Item, turn_of
from scoring.results.passes import passes_of
from scoring.results.sessions.turns import conversations
from scoring.rubric.model import ALL, Rubric, group_key
from scoring.rubric.rules import SessionPass
from scoring.rubric.tracks import TrackId
from scoring.statistics.intervals import Interval, mean_interval


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation in one round.

    round: its index. track: that of its last turn. turns: indices of its items, in their order. ends: whether each of
    them passes, None for one that takes no part. passes: whether the session does.
    """

    session: str
    round: int
    track: TrackId | None
    turns: tuple[int, ...]
    ends: tuple[bool | None, ...]
    passes: bool | None

    @property
    def first_failing(self) -> int | None:
        """Place of the first turn that does not pass, from 0; None without any."""
        return self.ends.index(False) if False in self.ends else None


class SessionShare(msgspec.Struct, frozen=True, kw_only=True):
    """passed of n sessions pass; left_out: those that cannot be decided, which are not among the n.

    value, interval: the share, and how far it could move with other sessions of the same kind; None where n is 0.
    """

    passed: int
    n: int
    left_out: int
    value: float | None
    interval: Interval | None


class SessionGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions of a group: all of them, or those of a track. rounds: one per round of the set, in order."""

    key: str
    rounds: tuple[SessionShare, ...]
    set: SessionShare


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """The conversations of a set, in order of first appearance.

    rule: what makes one pass. outside: items without a session. groups: of all, then of the tracks in their order.
    """

    rule: SessionPass
    entries: tuple[Session, ...]
    outside: int
    groups: tuple[SessionGroup, ...]

    @property
    def all(self) -> SessionShare:
        """The share of all sessions of the set."""
        return self.groups[0].set

    @property
    def failing(self) -> tuple[Session, ...]:
        """The sessions that do not pass."""
        return tuple(entry for entry in self.entries if entry.passes is False)


def find_sessions(items: Sequence[Item], place: Mapping[str, int], rubric: Rubric) -> Sessions | None:
    """The conversations of a set; None for a profile without them, and where no item has a session.

    place: index of each round by its label.
    """
    if rubric.sessions is None:
        return None
    found = conversations(items)
    if not found:
        return None
    passed = passes_of(items, rubric)
    entries = []
    for (label, session), turns in found.items():
        ends = tuple([passed[at] for at in turns])
        entries.append(
            Session(
                session=session,
                round=place[label],
                track=items[turns[-1]].track,
                turns=tuple(turns),
                ends=ends,
                passes=_passes(ends, rubric.sessions),
            )
        )
    tracks = sorted({entry.track for entry in entries}, key=rubric.track_place)
    groups = [_group(ALL, entries, len(place))]
    groups += [_group(group_key(track), [one for one in entries if one.track == track], len(place)) for track in tracks]
    return Sessions(
        rule=rubric.sessions,
        entries=tuple(entries),
        outside=sum(turn_of(item) is None for item in items),
        groups=tuple(groups),
    )


def _passes(ends: Sequence[bool | None], rule: SessionPass) -> bool | None:
    """Does a session pass, by whether its turns do? None where the turns that decide take no part."""
    if rule is SessionPass.LAST:
        return ends[-1]
    known = [end for end in ends if end is not None]
    return all(known) if known else None


def _group(key: str, entries: Sequence[Session], rounds: int) -> SessionGroup:
    of_rounds = [_share([entry for entry in entries if entry.round == index]) for index in range(rounds)]
    return SessionGroup(key=key, rounds=tuple(of_rounds), set=_share(entries))


def _share(entries: Sequence[Session]) -> SessionShare:
    """The share of sessions that pass. The same session in several rounds is one unit, as a query is."""
    by_session: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry.passes is not None:
            by_session[entry.session].append(float(entry.passes))
    n = sum(map(len, by_session.values()))
    passed = sum(entry.passes is True for entry in entries)
    value = passed / n if n else None
    units = Counter(tuple(sorted(ends)) for ends in by_session.values())
    return SessionShare(
        passed=passed,
        n=n,
        left_out=len(entries) - n,
        value=value,
        interval=None if value is None else mean_interval(value, units, top=1.0),
    )
