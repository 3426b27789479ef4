"""The shapes that charts have in common, and a chart that is drawn from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.document.charts.svg import WIDTH, Chart, line, number, polyline, rect, text
from reporting.wording import count, percent
from scoring.rubric import Scale
from scoring.statistics import Interval

Share = tuple[str, int, str]  # name, number, class of the colour
_SHARE_STEP = 18


class Drawing:
    """Shapes, and the same in words for the description. y: where the next shape starts."""

    def __init__(self, y: float = 4.0) -> None:
        self.y = y
        self.pieces: list[str] = []
        self.sentences: list[str] = []

    def heading(self, label: str, figure: str, kind: str) -> None:
        """A line of text with a figure at the right. kind: classes of the figure."""
        self.pieces += [text(0, self.y + 12, label, "b"), text(WIDTH, self.y + 12, figure, kind)]
        self.y += 18

    def shares(self, rows: Sequence[Share], *, left: float, room: float) -> None:
        """A bar per row as long as its share of the largest. left: width of the names. room: that of the numbers."""
        total, most = sum(n for _, n, _ in rows), max((n for _, n, _ in rows), default=0)
        for label, n, kind in rows:
            width = (WIDTH - left - room) * n / most if most else 0.0
            share = f"{count(n)} ({percent(n, total)})"
            self.pieces += [text(left - 8, self.y + 11, label, "m e"), rect(left, self.y + 1, width, 13, kind)]
            self.pieces.append(text(left + width + 6, self.y + 11.5, share, "m"))
            self.sentences.append(f"{label} {share}")
            self.y += _SHARE_STEP

    def chart(self, name: str, title: str, *, joint: str = "; ") -> Chart:
        """The finished chart. joint: between the sentences of the description."""
        return Chart(
            name=name, title=title, description=joint.join(self.sentences), height=self.y, body="".join(self.pieces)
        )


def stack(shares: Sequence[Share], left: float, width: float, y: float, height: float) -> list[str]:
    """Shares of a total side by side in one bar."""
    total = sum(n for _, n, _ in shares)
    pieces = []
    x = left
    for _, n, kind in shares:
        part = width * n / total if total else 0.0
        if n:
            pieces.append(rect(x, y, part, height, f"{kind} w"))
        x += part
    return pieces


def curve(
    values: Sequence[float | None],
    scale: Scale,
    y: float,
    *,
    left: float,
    right: float,
    height: float,
    intervals: Sequence[Interval | None] = (),
) -> list[str]:
    """Values from left to right as a line with a mark on each, between lines at the ends of the scale.

    intervals: of each value, drawn as a whisker; empty for none.
    """
    step = (right - left) / max(len(values) - 1, 1)

    def top(value: float) -> float:
        return y + height * (1 - min(max((value - scale.lowest) / scale.length, 0), 1))

    points = [(left + at * step, top(value)) for at, value in enumerate(values) if value is not None]
    frame = [line(left, y, right, y), line(left, y + height, right, y + height)]
    ends = [(left + at * step, entry) for at, entry in enumerate(intervals) if entry is not None]
    whiskers = [piece for x, entry in ends for piece in upright_whisker(x, top(entry.low), top(entry.high))]
    return [*frame, *whiskers, polyline(points, "o l1"), *(rect(x - 2, at - 2, 4, 4, "c1") for x, at in points)]


def whisker(left: float, right: float, y: float) -> list[str]:
    """An interval across a bar: a line with ends, with an edge of the colour of the paper to be seen on any bar."""
    from_x, to_x, middle, top = number(left), number(right), number(y), number(y - 3)
    shape = f"M{from_x} {middle}H{to_x}M{from_x} {top}v6M{to_x} {top}v6"
    return [f'<path d="{shape}" class="j"/>', f'<path d="{shape}" class="i"/>']


def upright_whisker(x: float, low: float, high: float) -> list[str]:
    """The same from bottom to top."""
    middle, left, bottom, top = number(x), number(x - 3), number(low), number(high)
    return [f'<path d="M{middle} {bottom}V{top}M{left} {bottom}h6M{left} {top}h6" class="i"/>']
