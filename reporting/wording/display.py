"""How values look to people: numbers rounded once, texts made safe to show anywhere.

Text from files is hostile: `clean` removes what could control a terminal, a log or a page.
Escaping for Markdown is left to `reporting.document.markdown`.
"""

import re
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from scoring import escaped

NONE = "—"
WORSE_AGAIN = "▼"
_MARKS = {  # by the value of a verdict; what is worse once may be chance
    "better": "▲",
    "worse": "▽",
    "changed": "↕",
    "not-distinguishable": "–",
    "same": "=",
    "not-comparable": "≠",
}
_LINE_BREAK = " ⏎ "

_SHORT = 400  # texts up to this length recur (questions, ids, names), so their excerpts are kept
_SCORE_DECIMALS = 2
_SECONDS_DECIMALS = 3
_BRIEF_DECIMALS = 1
_PERCENT_STEP = Decimal("0.1")
_DIGITS = 4  # that are shown of a quantity below 1,000
_MOST_DECIMALS = 12
_FINE_BELOW = 1e12  # floats lie closer together than what is shown of them
_PLAIN_BELOW = 1e15  # larger figures (a hostile `responseTimeSec`) show as a power of ten

_CONTROLS = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff"
_REMOVED = re.compile(f"[{_CONTROLS}]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_LINE_BREAKS = re.compile(r"\n[ \n]*")  # of text that is printable but for them
_BETWEEN = "\x1f"  # in no text that is printable


def verdict_mark(verdict: str | None, *, is_again: bool = False) -> str:
    """The one mark of a figure on pages and the terminal; "" for none. is_again: is it worse again?"""
    mark = _MARKS.get(verdict or "", "")
    return WORSE_AGAIN if mark and is_again else mark


def clean(text: str) -> str:
    """`text` on one line, in NFC, without control and bidi characters, and with invisible ones escaped.

    A line break becomes a visible ` ⏎ `, a tab a space, a lone surrogate U+FFFD. Trimmed at both ends.
    """
    text = text.strip()
    if not text.isprintable():  # a printable text has nothing to remove
        text = _LINE_BREAK.join(filter(None, map(str.strip, text.splitlines()))).replace("\t", " ")
        if not text.isprintable():
            text = _SURROGATES.sub("\ufffd", _REMOVED.sub("", text)).strip()
    return text if text.isascii() else escaped(unicodedata.normalize("NFC", text))


def excerpt(text: str, limit: int) -> str:
    """`clean` text of at most `limit` characters; what is left out shows as `…`."""
    if not text:
        return ""
    return _excerpt_short(text, limit) if len(text) <= _SHORT else _excerpt(text, limit)


def excerpt_words(text: str, limit: int) -> str:
    """`excerpt` that ends behind a whole word where it is cut and has any."""
    whole, shown = clean(text), excerpt(text, limit)
    return shown if shown == whole else f"{shown.rpartition(' ')[0] or shown[:-1]}…"


def excerpt_each(texts: Sequence[str], limit: int) -> list[str]:
    """`excerpt` of each. A column of new texts takes less time as one text."""
    kept = [text if len(text) <= 2 * limit else text.strip()[: 2 * limit] for text in texts]
    return [
        shown if len(shown) <= limit and len(part) == len(text) else shown[: limit - 1].rstrip() + "…"
        for shown, part, text in zip(clean_each(kept), kept, texts, strict=True)
    ]


def clean_each(texts: Sequence[str]) -> list[str]:
    """`clean` of each."""
    together = _BETWEEN.join(map(str.strip, texts))
    is_usual = together.count(_BETWEEN) == len(texts) - 1
    if not (is_usual and together.replace(_BETWEEN, "").replace("\n", "").isprintable()):
        return list(map(clean, texts))
    while " \n" in together:
        together = together.replace(" \n", "\n")
    together = _LINE_BREAKS.sub(_LINE_BREAK, together)
    return (together if together.isascii() else escaped(unicodedata.normalize("NFC", together))).split(_BETWEEN)


def clean_trace(trace: str) -> list[str]:
    """`clean` lines of a traceback, each with the blanks that it begins with."""
    return [" " * (len(line) - len(line.lstrip(" "))) + clean(line) for line in trace.splitlines()]


def system_reason(error: OSError) -> str:
    """The system's reason for an error and the file, without `[Errno 13]`."""
    if not error.strerror:
        return str(error) or type(error).__name__
    return f"{error.strerror}: {clean(str(error.filename))}" if error.filename is not None else error.strerror


def _excerpt(text: str, limit: int) -> str:
    kept = text if len(text) <= 2 * limit else text.strip()[: 2 * limit]  # no need to clean what is not shown
    cleaned = clean(kept)
    if len(cleaned) <= limit and len(kept) == len(text):
        return cleaned
    return cleaned[: limit - 1].rstrip() + "…"


_excerpt_short = lru_cache(maxsize=4096)(_excerpt)


@lru_cache(maxsize=4096)
def score(points: float | None) -> str:
    """Points with 2 decimals, half up on the shortest decimal of the float (801/200 is 4.01)."""
    return _fixed(points, _SCORE_DECIMALS)


def seconds(value: float | None) -> str:
    """Seconds with 3 decimals, half up."""
    return _fixed(value, _SECONDS_DECIMALS)


def brief_seconds(value: float | None) -> str:
    """Seconds with one decimal, half up: figures of many answers, on pages that are read first."""
    return _fixed(value, _BRIEF_DECIMALS)


@lru_cache(maxsize=4096)
def points(value: float) -> str:
    """A sum of points: like `score`, with thousands separators and without `.00`."""
    text = score(value)
    whole, dot, decimals = text.partition(".")
    if "e" in text:
        return text
    return f"{int(whole):,}" if decimals == "00" else f"{int(whole):,}{dot}{decimals}"


@lru_cache(maxsize=4096)
def quantity(value: float | None, decimals: int | None = None) -> str:
    """The value of a measure with thousands separators, half up.

    decimals: None for four significant digits and at most 12 decimals, and for whole numbers from 1,000 on.
    """
    if value is None:
        return NONE
    exact = Decimal(repr(value))
    wanted = decimals if decimals is not None else min(max(_DIGITS - 1 - exact.adjusted(), 0), _MOST_DECIMALS)
    shown = f"{exact.quantize(Decimal(1).scaleb(-wanted), ROUND_HALF_UP):,f}"
    if decimals is None and "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return shown.removeprefix("-") if not shown.strip("-0.,") else shown


def money(amount: float, unit: str) -> str:
    """`0.0123 USD`. unit: a currency, or what else a budget is of."""
    return f"{quantity(amount)} {unit}"


@lru_cache(maxsize=4096)
def percent(part: float, whole: float) -> str:
    """`part` of `whole` in percent with 1 decimal, half up; `—` when there is no whole."""
    if not whole:
        return NONE
    ratio = Decimal(repr(part)) * 100 / Decimal(repr(whole))
    return f"{ratio.quantize(_PERCENT_STEP, ROUND_HALF_UP)}%"


def operand(value: float) -> str:
    """A number within a formula: `(-1)` when it is negative."""
    return f"({value:g})" if value < 0 else f"{value:g}"


@lru_cache(maxsize=4096)
def count(number: int) -> str:
    """A whole number with thousands separators."""
    return f"{number:,}"


def _fixed(value: float | None, decimals: int) -> str:
    if value is None:
        return NONE
    if not -_PLAIN_BELOW < value < _PLAIN_BELOW:
        return f"{value:.3e}"
    shortest = repr(value)
    if shortest[-1] != "5" and -_FINE_BELOW < value < _FINE_BELOW and "e" not in shortest:
        return f"{value:.{decimals}f}"  # no tie: the number in memory rounds as its shortest decimal does
    if "e" in shortest:
        return str(Decimal(shortest).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    whole, _, fraction = shortest.partition(".")
    if len(fraction) <= decimals:
        return f"{whole}.{fraction:0<{decimals}}"
    # By its digits, in a fifth of the time: half up is away from zero, so the sign is left aside.
    digits = whole.lstrip("-") + fraction[:decimals]
    rounded = f"{int(digits) + (fraction[decimals] >= '5'):0{len(digits)}}"
    return f"{whole[: whole.startswith('-')]}{rounded[:-decimals]}.{rounded[-decimals:]}"
