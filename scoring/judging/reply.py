"""Reads a judge's reply strictly: a level of the rubric with a reason, or nothing (docs/scoring.md#judge)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scoring.items.graded_text import Graded
from scoring.rubric.rules import VerdictRule

MAX_REASON = 500  # characters
_MAX_REPLY = 20_000  # characters; no reply that can be read comes near
_THINKING = ("<think>", "</think>")
# Cc: control characters, line breaks among them; Cf: invisible ones, which can turn the direction of the text around.
_INVISIBLE = {"Cc", "Cf", "Cs", "Co"}
_JOINERS = "\u200c\u200d"  # words of some languages need them


class Reply(NamedTuple):
    """level: as `VerdictRule.choices` spells it. reason: one line, for display."""

    level: str
    reason: str


def read_reply(text: str, rule: VerdictRule, graded: Graded) -> Reply | None:
    """The verdict in a reply; None when there is none, or more than one.

    A code fence, prose around the object and thoughts before it are accepted. An object that the graded text contains,
    and any further brace, are not: a reply that quotes the text and breaks off would give a verdict of its author.
    """
    if len(text) > _MAX_REPLY:
        return None
    text = text.strip()
    opening, closing = _THINKING
    if text.startswith(opening):
        text = text.rpartition(closing)[2] if closing in text else ""
    try:
        replies = [reply for found in _objects(text, graded) if (reply := _fitting(found, rule))]
    except ValueError:
        return None
    return replies[0] if len({reply.level for reply in replies}) == 1 else None


def median_level(levels: Sequence[str], rule: VerdictRule) -> str:
    """The middle one of the levels, spelled as in `rule.choices`; of an even number the lower of the middle two.

    By points; of equal points the level that the document names later is the lower one.
    """
    place = {rule.spelling(level): (level.points, -at) for at, level in enumerate(rule.levels)}
    return sorted(levels, key=place.__getitem__)[(len(levels) - 1) // 2]


def _objects(text: str, graded: Graded) -> Iterator[dict[str, Any]]:
    """Every JSON object in the text, outermost only. Raises ValueError for a quoted one and for any other brace."""
    decoder = json.JSONDecoder(object_pairs_hook=_unrepeated, parse_constant=_refuse)
    at = 0
    while (start := text.find("{", at)) >= 0:
        if "}" in text[at:start]:
            raise ValueError("a brace that nothing opened")
        try:
            found, at = decoder.raw_decode(text, start)
        except RecursionError as error:
            raise ValueError("too deep") from error
        if any(text[start:at] in other for other in (graded.question, graded.expected, graded.answer)):
            raise ValueError("a quotation")
        yield found
    if "}" in text[at:]:
        raise ValueError("a brace that nothing opened")


def _fitting(found: dict[str, Any], rule: VerdictRule) -> Reply | None:
    """None for an object that is no verdict. Raises ValueError for a verdict that is not one of this rubric."""
    if "level" not in found:
        return None
    level, reason = _level_text(found["level"], rule), found.get("reason")
    if reason is None:  # the level is what counts
        reason = ""
    known = rule.level(level)
    if known is None or not isinstance(reason, str):
        raise ValueError("no verdict of this rubric")
    return Reply(rule.spelling(known), clean_reason(reason))


def _level_text(value: object, rule: VerdictRule) -> str:
    """The level as text; numbers as a person writes them, and only where levels are numbers."""
    if isinstance(value, str):
        return value
    if rule.by_number and isinstance(value, int | float) and not isinstance(value, bool):
        return str(int(value)) if float(value).is_integer() else ""
    return ""


def clean_reason(text: str) -> str:
    """One line of visible characters, cut for display; its content is untrusted."""
    spaced = " ".join(unicodedata.normalize("NFC", text).split())
    visible = "".join(
        character for character in spaced if character in _JOINERS or unicodedata.category(character) not in _INVISIBLE
    )
    return visible if len(visible) <= MAX_REASON else visible[: MAX_REASON - 1] + "…"


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a repeated name")
    return dict(pairs)


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
