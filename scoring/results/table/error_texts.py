"""Folds error texts, so that texts that differ in numbers, ids, addresses and paths only are one pattern."""

from __future__ import annotations

import re
import unicodedata

NUMBER = "‹n›"
IDENTIFIER = "‹id›"
PATH = "‹path›"
ADDRESS = "‹url›"

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
