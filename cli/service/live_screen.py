"""The screen of `scorewatch up` on a terminal: a line per set that settled; below it figures, troubles, progress."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cli.localised import spoken
from cli.service.lines import describe_fault, reading_line, trouble_line
from reporting.store import Reading, read_readings
from reporting.wording import clean, in_words
from watcher import Snapshot
from workers.broker import BrokerFault

REFRESH_SECONDS = 0.25
RATE_SECONDS = 10.0
SHOWN_TROUBLES = 5
SHOWN_READINGS = 8


class Screen:
    """A few lines, redrawn in place; a context manager. out: output folder, shown as the place of the reports."""

    def __init__(self, out: Path, console: Console | None = None) -> None:
        self._t = spoken()
        self._out = out
        self._live = Live(console=console or Console(), auto_refresh=False, transient=True)
        self._shown_at = float("-inf")
        self._history: deque[tuple[float, int]] = deque()

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, traceback)

    def show(self, take_snapshot: Callable[[], Snapshot], fault: BrokerFault | None = None) -> None:
        """Draw a snapshot, at most four times a second; it is taken only then. fault: of the broker."""
        now = time.monotonic()
        if now - self._shown_at < REFRESH_SECONDS:
            return
        self._shown_at = now
        snapshot = take_snapshot()
        self._history.append((now, snapshot.settled))
        while now - self._history[0][0] > RATE_SECONDS:
            self._history.popleft()
        self._live.update(self._draw(snapshot, fault), refresh=True)

    def say(self, line: str) -> None:
        """Print a line above the figures, where it stays; it may have colours."""
        self._live.console.print(Text.from_ansi(line), soft_wrap=True)

    def _readings(self, snapshot: Snapshot) -> list[Reading]:
        """Large files that are being read; nothing is looked for while workers have no work."""
        return read_readings(self._out, time.time())[:SHOWN_READINGS] if snapshot.asked else []

    def _rate(self) -> float:
        (first_at, first), (last_at, last) = self._history[0], self._history[-1]
        return max(last - first, 0) / (last_at - first_at) if last_at > first_at else 0.0

    def _draw(self, snapshot: Snapshot, fault: BrokerFault | None = None) -> Group:
        t = self._t
        table = Table.grid(padding=(0, 2))
        queue = "—" if snapshot.queue_depth is None else str(snapshot.queue_depth)
        rows: list[dict[str, object]] = [
            {"sets": snapshot.sets, "settled": snapshot.settled, "problems": snapshot.problems},
            {
                "asked": snapshot.asked,
                "waiting": max(snapshot.waiting - snapshot.asked, 0),
                "settling": snapshot.settling,
            },
            {"queue": queue, "rate": f"{self._rate():.1f}", "unclaimed": snapshot.unclaimed_count},
        ]
        if snapshot.judging:
            rows.append({"judging": snapshot.judging})
        for figures in rows:
            table.add_row(*(cell for name, figure in figures.items() for cell in (t(f"live.{name}"), str(figure))))
        lines: list[Text | Table] = [table]
        if fault is not None:
            lines.append(Text(" ".join(describe_fault(fault, snapshot.waiting, t)), style="yellow"))
        if snapshot.outdated:
            lines.append(Text(clean(snapshot.outdated), style="yellow"))
        for trouble, reason in (
            ("degraded", snapshot.degraded),
            ("unwritable", snapshot.unwritable),
        ):
            if reason:
                lines.append(Text(t(f"overview.{trouble}", reason=in_words(clean(reason), t)), style="yellow"))
        for name, reason in sorted(snapshot.troubles.items())[:SHOWN_TROUBLES]:
            lines.append(Text(trouble_line("overview.trouble", name, reason, t), style="yellow"))
        lines += [Text(reading_line(reading, t)) for reading in self._readings(snapshot)]
        lines.append(Text(t("live.out", out=str(self._out)), style="dim"))
        return Group(*lines)
