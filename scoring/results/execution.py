"""When the items of a set were run, from texts of which only those at the ends are held."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime

import msgspec

from scoring.text import is_blank, normalise

_HELD = 4_096  # texts; of more, those stay that can be at an end


class TimeRange(msgspec.Struct, frozen=True, gc=False):
    """First and last `실행시각` as written; parsed: false when not all were times, so that they are in text order."""

    first: str
    last: str
    parsed: bool


class Execution:
    """The texts of `실행시각` that were added.

    written: all of them, or of very many those that decide: `time_range` and `scoring.comparison.order.earliest` find
    the same in them as in all.
    """

    def __init__(self) -> None:
        self.written: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add the texts of some items."""
        self.written.update(texts)
        if len(self.written) > _HELD:
            self.written = _deciding(self.written)

    def time_range(self) -> TimeRange | None:
        """The first and the last; None without any."""
        with suppress(ValueError, TypeError):  # the usual export needs no further look at its texts
            return _earliest_and_latest(list(self.written), list(self.written))
        texts = [text for text in map(normalise, self.written) if not is_blank(text)]
        if not texts:
            return None
        try:
            return _earliest_and_latest([text.replace("/", "-") for text in texts], texts)
        except (ValueError, TypeError):  # not a time, or some with and some without a zone
            return TimeRange(min(texts), max(texts), parsed=False)


def _deciding(written: set[str]) -> set[str]:
    """The least and the greatest text, and those of the first and last time.

    For every way in which the texts are read: one that is no time, and times with and without a zone by themselves.
    """
    together = "".join(written)
    if together.isascii() and "/" not in together:
        with suppress(ValueError, TypeError):
            times = list(map(datetime.fromisoformat, written))
            ends = min(zip(times, written, strict=True)), max(zip(times, written, strict=True))
            return {min(written), max(written), *(text for _, text in ends)}
    filled = {text: shown for text in written if not is_blank(shown := normalise(text))}
    kept = _ends({text: text for text in written}) | _ends({text: text.strip().replace("/", "-") for text in written})
    if filled:
        kept |= {min(filled, key=filled.__getitem__), max(filled, key=filled.__getitem__)}
        kept |= _ends({text: shown.replace("/", "-") for text, shown in filled.items()})
    return kept


def _ends(readable: Mapping[str, str]) -> set[str]:
    """One text that is no time, the first and last times, and those with a zone. readable: each text as it is read."""
    found: defaultdict[bool, list[tuple[datetime, str, str]]] = defaultdict(list)
    kept: set[str] = set()
    for text, read in readable.items():
        try:
            time = datetime.fromisoformat(read)
        except ValueError:
            kept = kept or {text}
        else:
            found[time.tzinfo is None].append((time, normalise(text), text))
    for times in found.values():
        kept |= {min(times)[2], max(times)[2]}
    return kept


def _earliest_and_latest(readable: list[str], texts: list[str]) -> TimeRange:
    """Raises ValueError when a text is no time or there are none, TypeError when only some have a zone."""
    times = list(map(datetime.fromisoformat, readable))
    first, last = min(times), max(times)
    return TimeRange(
        min(texts[index] for index in _all_of(times, first)),
        max(texts[index] for index in _all_of(times, last)),
        parsed=True,
    )


def _all_of(times: list[datetime], wanted: datetime) -> Iterator[int]:
    """Indexes of a time. `list.index` is faster than a loop over 100,000 times."""
    index = -1
    for _ in range(times.count(wanted)):
        index = times.index(wanted, index + 1)
        yield index
