"""SVG elements as plain strings, because a batch draws thousands of charts.

Colours are CSS variables of classes, never attributes or inline styles: a page with a strict content policy and a dark
scheme shows the same drawing as the file beside it. A chart is 400 wide, so that its text stays readable on a phone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from unicodedata import east_asian_width

from reporting.wording import clean, count, percent
from scoring import Memo
from scoring.rubric import Scale
from scoring.statistics import Interval

WIDTH = 400
SERIES = 6  # classes c1 … c6 are distinct for colour-blind readers (palette of Okabe and Ito)
NAME_CHARS = 40
FONT_SIZE = 13  # 12 px on a phone of 390 px, whose page draws a chart smaller
_UNSAFE = re.compile(r"[\W_]+")
_NOT_XML = re.compile("[\ufffe\uffff]")

LIGHT = (
    "--ink:#1b1f24;--muted:#57606a;--line:#d0d7de;--paper:#fff;--tint:#f3f5f8;"
    "--c1:#0072b2;--c2:#e69f00;--c3:#009e73;--c4:#d55e00;--c5:#56b4e9;--c6:#cc79a7"
)
DARK = (
    "--ink:#e6edf3;--muted:#9da7b3;--line:#3d444d;--paper:#12161c;--tint:#1c222a;"
    "--c1:#4aa3df;--c2:#f0b940;--c3:#2fbf95;--c4:#f0803c;--c5:#8fd0f5;--c6:#e0a3c8"
)
FONT = 'system-ui,-apple-system,"Apple SD Gothic Neo","Malgun Gothic","Noto Sans KR","Noto Sans CJK KR",sans-serif'
CHART_CSS = (
    f"svg.chart{{font:{FONT_SIZE}px {FONT};color:var(--ink)}}"
    ".chart text{fill:var(--ink)}.chart .m{fill:var(--muted)}.chart .e{text-anchor:end}"
    ".chart .h{text-anchor:middle}.chart .b{font-weight:600}"
    ".chart .g{stroke:var(--line);stroke-width:1;fill:none}.chart .d{stroke:var(--muted);stroke-dasharray:3 2}"
    ".chart .p{fill:var(--tint)}.chart .k{fill:var(--ink)}.chart .o{fill:none;stroke-width:2}"
    ".chart .w{stroke:var(--paper);stroke-width:1}"
    ".chart .i{stroke:var(--ink);stroke-width:1.5;fill:none}.chart .j{stroke:var(--paper);stroke-width:4.5;fill:none}"
    + "".join(f".chart .c{n}{{fill:var(--c{n})}}.chart .l{n}{{stroke:var(--c{n})}}" for n in range(1, SERIES + 1))
)
_FILE_CSS = f"svg{{{LIGHT};background:var(--paper)}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}{CHART_CSS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing. name: file name without its end; title, description: what it shows, in words; body: SVG elements."""

    name: str
    title: str
    description: str
    height: float
    body: str

    def inline(self) -> str:
        """The drawing for an HTML page that has `CHART_CSS` and the colours."""
        return self._svg("")

    def file(self) -> str:
        """The drawing as a file of its own."""
        return self._svg(f"<style>{_FILE_CSS}</style>", ' xmlns="http://www.w3.org/2000/svg"') + "\n"

    def _svg(self, style: str, more: str = "") -> str:
        mark = f"chart-{self.name}"
        height = number(self.height)
        return (
            f'<svg class="chart"{more} viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
            f'aria-labelledby="{mark}-t {mark}-d"><title id="{mark}-t">{plain(self.title)}</title>'
            f'<desc id="{mark}-d">{plain(self.description)}</desc>{style}{self.body}</svg>'
        )


def file_stem(name: str) -> str:
    """A name of a document as part of a file name."""
    return _UNSAFE.sub("-", clean(name))[:NAME_CHARS].strip("-").casefold() or "-"


@lru_cache(maxsize=8192)  # edges, bars and baselines have the same coordinates in many charts
def number(value: float) -> str:
    """A coordinate with one decimal at most."""
    text = f"{value + 0.0:.1f}"  # there is no -0.0 in it, which would be 0.0 to the cache
    return text.removesuffix(".0")


def plain(text: str) -> str:
    """`text` for SVG: cleaned and escaped."""
    return escape(_NOT_XML.sub("\ufffd", clean(text)))


_plain = Memo(plain, limit=4096)  # labels recur: tracks, rounds, statuses, points


def text(x: float, y: float, content: str, kind: str = "", *, width: float | None = None) -> str:
    """A line of text. kind: classes of `CHART_CSS`. width: that it is drawn in, None for that of its letters."""
    attribute = f' class="{kind}"' if kind else ""
    if width is not None:
        attribute += f' textLength="{number(width)}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{number(x)}" y="{number(y)}"{attribute}>{_plain[content]}</text>'


def text_width(content: str) -> float:
    """How wide a line of text is, about: no font is known here."""
    return FONT_SIZE * sum(
        [0.32 if sign == " " else 0.95 if east_asian_width(sign) in "WF" else 0.6 for sign in content]
    )


def rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A filled box."""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" class="{kind}"/>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "g") -> str:
    """A straight line."""
    return f'<path d="M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}" class="{kind}"/>'


def polyline(points: Sequence[tuple[float, float]], kind: str) -> str:
    """A line through points; "" for none."""
    if not points:
        return ""
    path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{path}" class="{kind}"/>'


def boxes(left: float, bottom: float, width: float, heights: Sequence[float], kind: str) -> str:
    """Columns side by side as one path; a height of 0 draws nothing."""
    base, across = number(bottom), number(max(width - 1, 1))
    drawn = [(number(left + at * width), number(height)) for at, height in enumerate(heights) if height > 0]
    path = "".join([f"M{x} {base}v-{height}h{across}v{height}z" for x, height in drawn])
    return f'<path d="{path}" class="{kind}"/>' if path else ""


def triangle(x: float, y: float) -> str:
    """A small mark whose tip points up to (x, y)."""
    return f'<path d="M{number(x)} {number(y)}l4 7h-8z" class="k"/>'


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
