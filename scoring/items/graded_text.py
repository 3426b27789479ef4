"""Selects the text of an item that a judge reads: question, expected result and answer, within limits.

Items keep their texts cut for display. Of a longer text, the details keep what a judge may read, and so they do with
the UI items of an answer without words.
"""

from __future__ import annotations

import re

import msgspec

from scoring.items.part import Item
from scoring.text import is_blank, normalise

ANSWER_CHARACTERS = 12_000
TEXT_CHARACTERS = 4_000  # of a question and of an expected result
_MARKED = re.compile(r"\n\[\.\.\. \d+ characters left out \.\.\.\]\n")
_MARK_DIGITS = 9  # a cut text may be shorter than its limit by the digits that its mark did not need


class Graded(msgspec.Struct, frozen=True, gc=False):
    """The text that a judge reads; "" where there is none. Long texts are cut in the middle, visibly."""

    question: str
    expected: str
    answer: str


def graded_of(item: Item) -> Graded:
    """What a judge reads of an item; the answer is "" when there is none to grade."""
    kept = item.details.graded if item.details is not None else None
    question, expected, answer = kept or ("", "", "")
    return Graded(
        question=question or _filled(item.question, TEXT_CHARACTERS),
        expected=expected or _filled(item.expected, TEXT_CHARACTERS),
        answer=answer or _filled(item.message, ANSWER_CHARACTERS) or _filled(item.response, ANSWER_CHARACTERS),
    )


def longer_texts(item: Item, question: str, expected: str, answer: str) -> tuple[str, str, str] | None:
    """Of whole texts those that the item has cut, as a judge reads them; None when it has all of them whole."""
    shown = (item.question, item.expected, item.message or item.response)
    limits = (TEXT_CHARACTERS, TEXT_CHARACTERS, ANSWER_CHARACTERS)
    longer = [
        _filled(text, limit) if len(text) > len(cut) else ""
        for text, cut, limit in zip((question, expected, answer), shown, limits, strict=True)
    ]
    return (longer[0], longer[1], longer[2]) if any(longer) else None


def cut_middle(text: str, limit: int) -> str:
    """At most `limit` characters: head and tail of a longer text, with a mark between them that says what is gone."""
    if len(text) <= limit:
        return text
    room = limit - len(_mark(len(text)))
    head = room - room // 2
    tail = room - head
    return text[:head] + _mark(len(text) - head - tail) + text[len(text) - tail :]


def is_cut(answer: str) -> bool:
    """Was the middle of this answer left out by `graded_of`?"""
    return len(answer) > ANSWER_CHARACTERS - _MARK_DIGITS and _MARKED.search(answer) is not None


def _mark(left_out: int) -> str:
    return f"\n[... {left_out} characters left out ...]\n"


def _filled(text: str, limit: int) -> str:
    return "" if is_blank(text) else cut_middle(normalise(text), limit)
