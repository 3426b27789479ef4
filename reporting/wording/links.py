"""Texts that lead to items of a report: their pieces, and the address that the page's script follows.

A fragment names items by keys that stay when a set is scored again: slugs, labels and names, never places in a list.
The keys are those of `reporting.data.item_facets`, which is what the page filters by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import quote

from msgspec.structs import astuple

from reporting.wording.display import NONE, count, excerpt
from scoring.items import FailedCheck
from scoring.results import PatternKey
from scoring.rubric import ALL, METRICS, RUBRICS
from texts import Texts

NO_KEY = "-"  # of items without a category
KEY_CHARS = 120
_HASH_DIGITS = 8
_NOTHING = frozenset({"", "0", NONE})  # cells without items


class Piece(NamedTuple):
    """A part of a text. href: where it leads, relative and quoted; "" for text that leads nowhere."""

    text: str
    href: str = ""


class Linked(str):
    """A text with links. As a text, which is what Markdown shows, it is the same without them."""

    __slots__ = ("pieces",)
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> Linked:
        """The text of all pieces in their order."""
        kept = tuple(pieces)
        made = cls("".join([piece.text for piece in kept]))
        made.pieces = kept
        return made


def query_fragment(query_id: str) -> str:
    """What opens a query in the page of a report."""
    return f"query={_quoted(query_id)}"


def query_link(query_id: str, limit: int) -> str:
    """A Query ID of at most `limit` characters that opens its query."""
    return link(excerpt(query_id, limit), f"#{query_fragment(query_id)}")


def row_link(text: str, row: int, file: str = "") -> str:
    """A text that opens the item of a row. file: its input, "" where the set has one."""
    return link(text, f"#at={row}" + (f"&in={_quoted(file)}" if file else ""))


def link(text: str, href: str) -> str:
    """A text that leads somewhere; an empty one leads nowhere."""
    return Linked.of([Piece(text, href)]) if text and href else text


def query_links(query_ids: Iterable[str], limit: int) -> str:
    """Query IDs in one line."""
    return joined([query_link(query_id, limit) for query_id in query_ids], ", ")


def items_link(text: str, **filters: str) -> str:
    """`text` that leads to the items that the filters leave; the text alone where it counts nothing.

    filters: keys by name of a filter; "" for no such filter. Without any, all items are meant.
    """
    if text in _NOTHING:
        return text
    return link(text, f"#{items_fragment(**filters)}")


def items_fragment(**filters: str) -> str:
    """What leads to the items that the filters leave."""
    pairs = [(quote(name, safe="", errors="replace"), _quoted(key)) for name, key in filters.items() if key]
    return "&".join([f"{name}={key}" for name, key in pairs]) or "all=1"


def joined(texts: Sequence[str], joint: str) -> str:
    """Texts in one line with the links that they have."""
    pieces: list[Piece] = []
    for text in texts:
        pieces += [Piece(joint)] if pieces else []
        pieces += pieces_of(text)
    return Linked.of(pieces) if any(piece.href for piece in pieces) else "".join([piece.text for piece in pieces])


def filled(template: Callable[..., str], **values: str) -> str:
    """A text of the catalogue whose values keep their links. template: gives the text for values by name."""
    marks = {name: f"\x00{at}\x00{text}\x00" for at, (name, text) in enumerate(values.items())}
    parts = template(**marks).split("\x00")
    given = list(values.values())
    texts = [part if at % 3 == 0 else given[int(part)] for at, part in enumerate(parts) if at % 3 < 2]
    return joined([text for text in texts if text], "")


def with_more(shown: str, more: int, t: Texts) -> str:
    """The first names with their links, and how many more there are."""
    return filled(partial(t, "names.more"), names=shown, n=count(more)) if more > 0 else shown


def pieces_of(text: str) -> Sequence[Piece]:
    """The pieces of a text, a single one where it has no links."""
    return text.pieces if isinstance(text, Linked) else (Piece(text),)


def key_of(name: str) -> str:
    """A name from a file as a key: clean, on one line, and not empty."""
    return excerpt(name, KEY_CHARS) or NO_KEY


def track_key(group_key: str) -> str:
    """The key of a group as one of a filter: "" for all tracks."""
    return "" if group_key == ALL else group_key


def pattern_key(pattern: PatternKey) -> str:
    """A short key of an error pattern."""
    return _digest(pattern)


def check_key(check: FailedCheck) -> str:
    """A short key of failed checks that are alike."""
    return _digest(astuple(check))


def sort_key(metric: str) -> str:
    """A metric as the column that the items are sorted by; "" for one that items have no points of."""
    base = metric.partition(".")[0]
    return base if base in (*METRICS, RUBRICS) else ""


def _digest(values: Sequence[object]) -> str:
    return hashlib.sha256("\n".join(map(str, values)).encode(errors="replace")).hexdigest()[:_HASH_DIGITS]


@lru_cache(maxsize=4096)  # the same rounds, tracks and categories lead somewhere from every table
def _quoted(name: str) -> str:
    """A name as a key of an address."""
    return quote(key_of(name), safe="/", errors="replace")
