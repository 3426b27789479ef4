"""Conversations: their turns in order, and which of them pass, by round and track (docs/scoring.md#sessions).

A query that several turns ask is named after its turn.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from scoring.findings import FindingLog
from scoring.items import Item, turn_of
from scoring.items.spool import Items
from scoring.problems import Problem
from scoring.results.passes import passes_of
from scoring.rubric import ALL, Rubric, SessionPass, TrackId, group_key
from scoring.statistics import Interval, in_one_round, mean_interval
from scoring.text import cut

Conversation = tuple[str, str]  # label of the round, session


def conversations(items: Sequence[Item]) -> dict[Conversation, list[int]]:
    """Indices of the items of each session in each round, in the order of its turns.

    In order of first appearance. Turns go by their numbers if all of the conversation have one, equal ones and others
    in the order of the items.
    """
    found: defaultdict[Conversation, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        turn = turn_of(item)
        if turn is not None:
            found[item.round, turn.session].append(at)
    for turns in found.values():
        numbers = [number for at in turns if (number := _number(items[at])) is not None]
        if len(numbers) == len(turns):
            turns[:] = [at for _, at in sorted(zip(numbers, turns, strict=True))]
    return dict(found)


def reading_order(items: Sequence[Item]) -> list[int]:
    """Indices of the items, the turns of each conversation together and in order, at the place of its first item."""
    first = {min(turns): turns for turns in conversations(items).values()}
    return [index for at, item in enumerate(items) for index in first.get(at, () if turn_of(item) else (at,))]


def turn_labels(items: Sequence[Item], turns: Sequence[int]) -> list[str]:
    """What each turn of a conversation is called: as written, else by its place from 1."""
    return [_label(items[at]) or str(place) for place, at in enumerate(turns, start=1)]


def name_turns(items: Sequence[Item]) -> Items:
    """The items, with a Query ID of their own where one round has the query in several sessions or turns.

    The Query ID then ends with the session ("Q1, S7"), and with the turn where a session has the query more than once
    ("Q1, S7, 2"), in every round. Items outside sessions keep theirs.
    """
    places = _places(items)
    asked: defaultdict[tuple[str, str], set[tuple[str, str] | None]] = defaultdict(set)  # by query and round
    for at, item in enumerate(items):
        asked[item.query_id, item.round].add(places.get(at))
    several = {query for (query, _), found in asked.items() if len(found) > 1}
    if not several:
        return Items.of([*items])
    by_turn = {
        query
        for (query, _), found in asked.items()
        if len({place[0] for place in found if place is not None}) < len(found - {None})
    }
    taken = {item.query_id for item in items}
    names: dict[tuple[str, ...], str] = {}
    named = []
    for at, item in enumerate(items):
        place = places.get(at)
        if place is None or item.query_id not in several:
            named.append(item)
            continue
        parts = (item.query_id, *(place if item.query_id in by_turn else place[:1]))
        if parts not in names:
            names[parts] = _unused(", ".join(parts), taken)
        named.append(msgspec.structs.replace(item, query_id=names[parts]))
    return Items.of(named)


def _places(items: Sequence[Item]) -> Mapping[int, tuple[str, str]]:
    """Session and turn of the items that have one, by their index."""
    places = {}
    for (_, session), turns in conversations(items).items():
        for at, label in zip(turns, turn_labels(items, turns), strict=True):
            places[at] = session, label
    return places


def _unused(name: str, taken: set[str]) -> str:
    """The name, from now on taken; other than every Query ID of the set."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def _number(item: Item) -> float | None:
    turn = turn_of(item)
    return None if turn is None else turn.number


def _label(item: Item) -> str:
    turn = turn_of(item)
    return "" if turn is None else turn.label


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


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
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


def note_unsure_turns(
    items: Sequence[Item], entries: Sequence[Session], sources: Sequence[int], names: Sequence[str], log: FindingLog
) -> None:
    """Log the conversations whose order is not certain: some of their turns are blank, or two are the same.

    sources: index of each item's file among the names.
    """
    for entry in entries:
        at = _unsure_turn(items, entry.turns)
        if at is not None:
            place = Problem(code="turns-partly-blank", source=names[sources[at]], row=items[at].row)
            log.add(replace(place, found=cut(entry.session)))


def _unsure_turn(items: Sequence[Item], turns: Sequence[int]) -> int | None:
    """The first turn that is blank beside others that are not, or that repeats another one."""
    labels = [_label(items[at]) for at in turns]
    if "" in labels:
        return turns[labels.index("")] if any(labels) else None
    seen: set[str] = set()
    for at, label in zip(turns, labels, strict=True):
        if label in seen:
            return at
        seen.add(label)
    return None


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
        interval=None if value is None else mean_interval(value, in_one_round(units), top=1.0),
    )
