"""Text as it is compared, and a cache of what is derived from short, repeated cells.

Compared text is Unicode NFC, visible and stripped, with one idea of what is blank (docs/scoring.md#2-rows).
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeVar

import re2

# What pandas and spreadsheets write for "nothing".
BLANK_WORDS = ("nan", "none", "null", "<na>", "nat")
_BLANK_WORDS = frozenset(BLANK_WORDS)
_BLANK_STARTS = frozenset(start for word in _BLANK_WORDS for start in (word[0], word[0].upper()))
_LONGEST_BLANK = max(map(len, _BLANK_WORDS))
TAGS = range(0xE0000, 0xE0080)
# Without width: soft hyphen, zero-width space and joiners, direction marks, word joiner, byte-order mark, tags.
INVISIBLE = frozenset(
    map(chr, (0xAD, 0x061C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *TAGS))
)
_LONG = 500  # characters: from here on RE2 finds faster what `re` finds
# What shows nothing, or a blank, where it stands: fillers, joiners and selectors without a use in Korean, English or
# emoji, and tag characters. Escaped wherever it is shown; marks that turn a line around are not shown at all.
UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u2060-\u2065\u206a-\u206f\u2800\u3164\ufe00-\ufe0d"
    "\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NOTHING_SHOWN = {
    char for char in map(chr, range(0x3001)) if char.isspace()
} | INVISIBLE  # no white space is after U+3000
BLANK_STARTS = _BLANK_STARTS | _NOTHING_SHOWN | {""}  # a text that starts with none of these is not blank
_AROUND = "".join(sorted(_NOTHING_SHOWN))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400
LINE_BREAK = "\u23ce"  # stands for a line break wherever a text is shown on one line
_ESCAPED = re.compile(r"\\u\{[0-9A-F]{4,6}\}")  # as `escaped` writes it
CELL_BYTES = 4096  # texts kept in an item are cut here
CELL_CHARACTERS = CELL_BYTES // 4  # so many characters fit whatever they are
_SURROGATE = re.compile("[\ud800-\udfff]")
# Signs of which Query IDs that look alike have another one.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4`"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033"
_WHITE_SPACE = "".join(char for char in map(chr, range(0x3001)) if char.isspace() and char != "\n")
_ALIKE = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_WHITE_SPACE, ""),
    }
)
_GUARDED = re.compile(r"(?m)^'+(?=[^'\n])")  # keeps a spreadsheet from reading a formula or a number
_AS_FORMULA = re.compile(r'(?m)^="([^"\n]+)"$')
_WHOLE_NUMBER = re.compile(r"(?m)^0*([1-9][0-9]*|0)(?:\.0+)?$")
FORMULA = frozenset("=+-@\t\r＝＋－＠")  # a cell that begins so may be run by a spreadsheet
_LIMIT = 50_000
_BETWEEN = "\0"  # no white space, and in no text file
# Of texts joined by it, what may not be as it is compared: characters other than these, which NFC leaves alone and of
# which only the blank is white space; blanks that are to be collapsed or stripped; the start of an escape.
_AS_COMPARED = (
    " -~\u00a1-\u00ac\u00ae-\u00ff\u2010-\u2027\u2190-\u21ff\u25a0-\u25ff\u3001-\u3029\u4e00-\u9fff\uac00-\ud7a3"
)
_NOT_COMPARED = re2.compile(rf"[^\x00{_AS_COMPARED}]|  |\A | \z|\x00 | \x00|\\u\{{".encode())
K = TypeVar("K")
V = TypeVar("V")


class _OneOf:
    """Characters to look for. ranges: as in a pattern, so that there are few."""

    def __init__(self, ranges: str) -> None:
        self.pattern = re.compile(f"[{ranges}]")
        self._in_bytes = re2.compile(f"[{ranges}]".encode())

    def is_in(self, text: str) -> bool:
        """Is one of them in the text?"""
        if len(text) < _LONG:
            return self.pattern.search(text) is not None
        return self._in_bytes.search(text.encode(errors="replace")) is not None


_INVISIBLE = _OneOf("\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f")


_UNSEEN = _OneOf(UNSEEN)


def normalise(text: str) -> str:
    """NFC, without invisible characters, stripped: the form in which headers, cells and JSON strings are compared."""
    if text.isascii():
        return text.strip()
    text = visible(text)
    return (text if _is_nfc(text) else unicodedata.normalize("NFC", text)).strip()


def _is_nfc(text: str) -> bool:
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def stripped(text: str) -> str:
    """The text without white space and characters without width around it."""
    return text.strip(_AROUND)


def has_invisible(text: str) -> bool:
    """Is there a character without width?"""
    return not text.isascii() and _INVISIBLE.is_in(text)


def visible(text: str) -> str:
    """The text without characters that have no width."""
    return _INVISIBLE.pattern.sub("", text) if has_invisible(text) else text


def escaped(text: str) -> str:
    """The text with `\\u{E0041}` for characters that would not be seen."""
    if text.isascii() or not _UNSEEN.is_in(text):
        return text
    return _UNSEEN.pattern.sub(lambda found: f"\\u{{{ord(found[0]):04X}}}", text)


def is_blank(text: str) -> bool:
    """Is this nothing: empty, white space, or a spelled-out null in any case?"""
    if text[:1] not in BLANK_STARTS:
        return False
    if not text:
        return True  # most cells that are blank
    stripped = visible(text).strip()
    return not stripped or (len(stripped) <= _LONGEST_BLANK and stripped.casefold() in _BLANK_WORDS)


def number(text: str) -> float | None:
    """The finite number that the whole text is (`7.5`, `1e1`), else None: no units, no thousands marks."""
    text = text.strip()
    if len(text) > _LONGEST_NUMBER or _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value + 0.0 if abs(value) < float("inf") else None


def cut(text: str) -> str:
    """At most CELL_BYTES of UTF-8, whole characters, `…` at the end when something was left out."""
    if len(text) <= CELL_CHARACTERS:
        return text
    data = text[:CELL_BYTES].encode(errors="replace")
    if len(data) <= CELL_BYTES and len(text) <= CELL_BYTES:
        return text
    return data[: CELL_BYTES - 3].decode(errors="ignore") + "…"


def showable(text: str) -> str:
    """The text with U+FFFD for lone surrogates: JSON can escape them, no UTF-8 file can hold them."""
    return text if text.isascii() or text.isprintable() else _SURROGATE.sub("\ufffd", text)


def compared_text(text: str) -> str:
    """A text as two runs compare it: NFC, visible, white space collapsed, also where both are shown by a sign."""
    if LINE_BREAK in text:
        text = text.replace(LINE_BREAK, " ")
    if "\\u{" in text:
        text = _ESCAPED.sub("", text)
    collapsed = " ".join(text.split())
    if collapsed.isascii() or (collapsed.isprintable() and _is_nfc(collapsed)):
        return collapsed  # what is printable has a width
    return " ".join(normalise(text).split())


def compared_texts(texts: Sequence[str]) -> list[str]:
    """`compared_text` of each. They are normalised as one text, which takes a third of the time."""
    together = _BETWEEN.join(texts)
    if together.count(_BETWEEN) != len(texts) - 1:
        return list(map(compared_text, texts))
    together = together.replace("\n", " ").replace("  ", " ")  # often all that there is to collapse
    if _NOT_COMPARED.search(together.encode(errors="replace")) is None:
        return together.split(_BETWEEN)
    if LINE_BREAK in together or "\\u{" in together:
        return list(map(compared_text, texts))
    return [" ".join(text.split()) for text in normalise(together).split(_BETWEEN)]


def compared_bytes(texts: Sequence[bytes]) -> Sequence[bytes]:
    """The same for texts in UTF-8, without reading them as such where nothing is to be changed."""
    together = _BETWEEN.encode().join(texts)
    if together.count(0) == len(texts) - 1 and _NOT_COMPARED.search(together) is None:
        return texts
    return [text.encode() for text in compared_texts([text.decode() for text in texts])]


def known_text(text: str) -> str:
    """`text` in the form that is compared, "" when it is blank."""
    return "" if is_blank(text) else normalise(text)


def uncovered(text: str) -> str:
    """A text without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text[:1] == "'" and text[1:].lstrip(" ")[:1] in FORMULA else text


class Memo(dict[K, V]):
    """`memo[key]` is `work(key)`, computed once; the cache is cleared when it holds `limit` keys."""

    def __init__(self, work: Callable[[K], V], *, limit: int = _LIMIT) -> None:
        super().__init__()
        self._work = work
        self._limit = limit

    def __missing__(self, key: K) -> V:
        if len(self) >= self._limit:
            self.clear()
        value = self[key] = self._work(key)
        return value


class CellMemo(Memo[str, V]):
    """The same for cells; long ones are computed each time, because a file's worth would fill the memory."""

    def __missing__(self, key: str) -> V:
        return super().__missing__(key) if len(key) <= CELL_CHARACTERS else self._work(key)


def folded_ids(ids: Sequence[str]) -> list[str]:
    """Each ID in the form in which those that look alike are the same. All in one text: a tenth of the time."""
    text = "\n".join(ids)
    if text.count("\n") >= len(ids):
        text = "\n".join(one.replace("\n", " ") for one in ids)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_ALIKE))
    text = text.casefold().translate(_ALIKE)
    if "'" in text or '="' in text:
        text = _AS_FORMULA.sub(r"\1", _GUARDED.sub("", text))
    return _WHOLE_NUMBER.sub(r"\1", text).split("\n")
