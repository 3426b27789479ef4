"""Puts the turns of conversations in order, and names the queries that several turns ask (docs/scoring.md#sessions)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from scoring.items.part import Item, turn_of

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


def name_turns(items: Sequence[Item]) -> list[Item]:
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
        return list(items)
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
    return named


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
