"""Identifies what a grader reads of an item, so that two runs tell an equal answer from another one.

Items keep their texts cut for display; the hash is made of whole texts (docs/report-schema.md#text_hash).
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from scoring.text import CellMemo, compared_bytes, compared_text, compared_texts, is_blank

_DIGITS = 16


class WholeTexts(NamedTuple):
    """Columns of uncut texts, one entry per item. shown: UI items, `setting` and `filterType`, see `Payload`."""

    question: Sequence[str]
    expected: Sequence[str]
    answer: Sequence[str]
    shown: Sequence[bytes]
    error: Sequence[str]


class TextHasher:
    """Hashes the texts of the items of one file. Questions, expected results and errors recur, and are kept in mind."""

    def __init__(self) -> None:
        self._known = CellMemo(_compared)

    def hashes(self, whole: WholeTexts) -> list[str]:
        """16 hex digits of SHA-256 for each item, over its texts as they are compared, a line each.

        A blank text is an empty line.
        """
        question, expected, error = (
            map(self._known.__getitem__, texts) for texts in (whole.question, whole.expected, whole.error)
        )
        answer = map(_encoded, compared_texts(["" if is_blank(text) else text for text in whole.answer]))
        shown = compared_bytes(whole.shown)
        return [
            hashlib.sha256(b"\n".join(texts)).hexdigest()[:_DIGITS]
            for texts in zip(question, expected, answer, shown, error, strict=True)
        ]


def _compared(text: str) -> bytes:
    return b"" if is_blank(text) else _encoded(compared_text(text))


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
