"""What the tracks are, from lines of a list such as `- **Track 1**: questions with one filter`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scoring.rubric.document.tables import RawTable
from scoring.rubric.tracks import Track, TrackId, place_of
from scoring.text import normalise


def read_track_list(table: RawTable, words: Sequence[str]) -> tuple[Track, ...]:
    """The tracks of a list each of whose lines says what one track is; () for anything else.

    words: what a track is called ("track", "트랙").
    """
    if not table.is_list or not words:
        return ()
    line = re.compile(
        rf"(?:{'|'.join(map(re.escape, words))})\s*([0-9]{{1,9}})\s*[:：]\s*(\S.*)", re.IGNORECASE | re.DOTALL
    )
    found = [line.fullmatch(normalise(row.text)) for row in table.rows]
    if not found or not all(found):
        return ()
    return tuple(Track(number=int(match[1]), meaning=match[2]) for match in found if match is not None)


def with_meanings(declared: Sequence[Track], listed: Iterable[Track]) -> tuple[Track, ...]:
    """Declared tracks with what the lists of the document say; what is declared wins.

    Numbers ascending; where a track is a text, in the order in which they are declared, before others.
    """
    tracks: dict[TrackId, Track] = {}
    said = {track.number: track for track in listed}
    for track in (*declared, *said.values()):
        known = tracks.get(track.number, track)
        meaning = known.meaning or (said[track.number].meaning if track.number in said else "")
        tracks[track.number] = Track(number=known.number, meaning=meaning, items=known.items)
    if any(isinstance(number, str) for number in tracks):
        return tuple(tracks.values())
    return tuple(sorted(tracks.values(), key=lambda track: place_of(track.number)))
