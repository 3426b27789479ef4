"""When the items of a set were run, from texts of which only those at the ends are held."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from scoring.findings import FindingLog
from scoring.items.spool import Items
from scoring.problems import Problem
from scoring.text import cut, is_blank, normalise
from scoring.times import deciding, read_times

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
        times = read_times(self.written)
        if not times:
            return None
        texts = sorted(map(normalise, times))
        known = sorted((time, normalise(text)) for text, time in times.items() if time is not None)
        if len(known) < len(times):
            return TimeRange(texts[0], texts[-1], parsed=False)
        first = [text for time, text in known if time == known[0][0]]
        return TimeRange(first[0], known[-1][1], parsed=True)

    def unread(self) -> set[str]:
        """Texts that are no time, of very many one; placeholders such as 1970-01-01 are among them."""
        return {text for text, time in read_times(self.written).items() if time is None}


def note_unread_times(items: Items, executed: Execution, log: FindingLog) -> None:
    """Log how many cells of the time column are not read, and by what the run stands among others instead."""
    unread = executed.unread()
    if not unread:
        return
    written = Counter(items.column("executed_at"))
    cells = {text: written[text] for text, time in read_times(written).items() if time is None}
    others = len(unread) < sum(not is_blank(text) for text in executed.written)
    facts = {"ordered": "times" if others else "name"}
    log.add(Problem(code="executed-unreadable", found=cut(min(cells)), values=facts), sum(cells.values()))


def _deciding(written: set[str]) -> set[str]:
    """The least and the greatest text, and those by which the times of all are read."""
    filled = [text for text in written if not is_blank(text)]
    shown = dict(zip(map(normalise, filled), filled, strict=True))
    return {shown[min(shown)], shown[max(shown)]} | deciding(filled) if filled else set()
