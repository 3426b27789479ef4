"""Tracks: numbers, or texts that a document names, their keys and their order (docs/scoring.md#track-numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ALL = "all"  # the group of all items
UNASSIGNED = "unassigned"  # the group of items without a track (미지정)
_ESCAPE = "="  # before a text that would have the key of another group

TrackId = int | str
TrackPlace = tuple[int, int, str]  # tracks in the order of their places


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A track. number: or its text. meaning: what its questions are about, "" where the document does not say it.

    items: how many a round should have; None where nobody declared it.
    """

    number: TrackId
    meaning: str = ""
    items: int | None = None


def group_key(track: TrackId | None) -> str:
    """Key of the `Group` that an item of `track` belongs to: `3`, `easy`, `unassigned`."""
    if track is None:
        return UNASSIGNED
    if isinstance(track, str) and (track in {ALL, UNASSIGNED} or track.startswith(_ESCAPE)):
        return _ESCAPE + track
    return str(track)


def track_of(key: str) -> TrackId | None:
    """The track of a key of `group_key`."""
    if key == UNASSIGNED:
        return None
    return int(key) if is_number(key) else key.removeprefix(_ESCAPE)


def is_number(text: str) -> bool:
    """Is the track of this text a number?"""
    return text.isascii() and text.isdecimal()


def place_of(track: TrackId | None, listed: Sequence[TrackId] = ()) -> TrackPlace:
    """What tracks are sorted by: those that are listed in their order, numbers ascending, texts, none."""
    if track in listed:
        return (0, listed.index(track), "")
    if track is None:
        return (3, 0, "")
    return (1, track, "") if isinstance(track, int) else (2, 0, track)
