"""Groups failed items by error text; numbers, ids, addresses and paths become placeholders.

See docs/scoring.md#error-patterns.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from scoring.items.part import Item
from scoring.memo import Memo
from scoring.rubric.model import Status, group_key
from scoring.text import known_text

NUMBER = "‹n›"
IDENTIFIER = "‹id›"
PATH = "‹path›"
ADDRESS = "‹url›"
EXAMPLES = 5  # Query IDs named per pattern

_READ = 400  # characters looked at: error texts say what happened at their start
_KEPT = 160

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,9}://[^\s\"'<>]+", re.IGNORECASE)
_QUOTED_PATH = re.compile(r"([\"'`])(?:[A-Za-z]:\\|\.{0,2}/|~/)[^\"'`]*\1")
_BARE_PATH = re.compile(r"(?<![\w/])(?:[A-Za-z]:\\|~?/)[\w.-]+(?:[/\\][\w.-]+)+")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z_-]*[0-9][A-Za-z0-9_-]*")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_HEX = re.compile(r"(?:0x)?[0-9a-f]{8,}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MIXED = re.compile(r"\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]")
_SHORTEST_MIXED = 5

PatternKey = tuple[str, Status | None, str]  # folded text, or status and rule of items without a text


class PatternGroup(msgspec.Struct, frozen=True, gc=False):
    """A category or track (its key of the group) and its items in a pattern."""

    key: str
    n: int


class FailurePattern(msgspec.Struct, frozen=True, gc=False):
    """Failed items with the same error text.

    text: folded, "" when none was recorded: these are told apart by status and by `why`, the rule of the status, which
    is "" otherwise. status: of most of the items. n: items; queries: how many different ones. categories, tracks: those
    of the items, most items first. query_ids: the first EXAMPLES of the queries.
    """

    status: Status
    text: str
    why: str
    n: int
    queries: int
    categories: tuple[PatternGroup, ...]
    tracks: tuple[PatternGroup, ...]
    query_ids: tuple[str, ...]

    @property
    def key(self) -> PatternKey:
        """What its items have in common, as `pattern_of` finds it."""
        return (self.text, None, "") if self.text else ("", self.status, self.why)


def pattern_of(item: Item, folded: str) -> PatternKey:
    """The pattern of a failed item. folded: its error text by `fold`."""
    return (folded, None, "") if folded else ("", item.status, item.why)


def find_patterns(failed: Sequence[Item]) -> tuple[FailurePattern, ...]:
    """The patterns of these items, most items first. failed: items that are not answered, in any order."""
    folded, known = Memo(fold), Memo(known_text)
    members: defaultdict[PatternKey, list[Item]] = defaultdict(list)
    for item in failed:
        members[pattern_of(item, folded[item.error])].append(item)

    patterns = []
    for (text, _, why), found in members.items():
        queries = dict.fromkeys([item.query_id for item in found])
        patterns.append(
            FailurePattern(
                status=Status(_shares([item.status for item in found])[0].key),
                text=text,
                why=why,
                n=len(found),
                queries=len(queries),
                categories=_shares([known[item.category] for item in found]),
                tracks=_shares([group_key(item.track) for item in found]),
                query_ids=tuple(queries)[:EXAMPLES],
            )
        )
    patterns.sort(key=lambda pattern: (-pattern.n, pattern.status, pattern.text, pattern.why))
    return tuple(patterns)


def _shares(keys: Iterable[str]) -> tuple[PatternGroup, ...]:
    """How often each key is there, the most frequent first, of equal ones in text order."""
    return tuple(
        [PatternGroup(key, n) for key, n in sorted(Counter(keys).items(), key=lambda entry: (-entry[1], entry[0]))]
    )


def fold(text: str) -> str:
    """The pattern of an error text, NFC, on one line, at most 160 characters.

    Numbers, ids (UUID, hex, letters mixed with digits), addresses and paths become placeholders, so that
    `req_8f3a2: over 30.5 s` and `req_77b1c: over 31 s` are one pattern. Empty text stays empty.
    """
    folded = " ".join(unicodedata.normalize("NFC", text[: 2 * _READ].strip()[:_READ]).split())
    if "/" in folded or "\\" in folded:
        folded = _BARE_PATH.sub(PATH, _QUOTED_PATH.sub(PATH, _ADDRESS.sub(ADDRESS, folded)))
    folded = _NUMBER.sub(NUMBER, _TOKEN.sub(_identifier, folded))
    return folded if len(folded) <= _KEPT else folded[: _KEPT - 1].rstrip() + "…"


def _identifier(match: re.Match[str]) -> str:
    token = match[0]
    if token.isdigit():
        return token
    return _SEGMENT.sub(_segment, _UUID.sub(IDENTIFIER, token))


def _segment(match: re.Match[str]) -> str:
    segment = match[0]
    if segment.isalpha() or segment.isdigit():
        return segment
    is_hex = _HEX.fullmatch(segment) is not None
    is_mixed = len(segment) >= _SHORTEST_MIXED and _MIXED.search(segment) is not None
    return IDENTIFIER if is_hex or is_mixed else segment
