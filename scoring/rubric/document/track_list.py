"""What the tracks are, from lines of a list such as `- **Track 1**: questions with one filter`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scoring.rubric.document.tables import RawTable
from scoring.rubric.model import Track
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
    """Declared tracks with what the lists of the document say, ascending; what is declared wins."""
    tracks = {track.number: track for track in listed}
    for track in declared:
        meaning = track.meaning or (tracks[track.number].meaning if track.number in tracks else "")
        tracks[track.number] = Track(number=track.number, meaning=meaning, items=track.items)
    return tuple(tracks[number] for number in sorted(tracks))
