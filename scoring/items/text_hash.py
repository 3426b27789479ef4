"""Identifies what a grader reads of an item, so that two runs tell an equal answer from another one.

Items keep their texts cut for display; the hash is made of whole texts (docs/report-schema.md#text_hash).
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from scoring.text import compared_texts, is_blank

_DIGITS = 16


class WholeTexts(NamedTuple):
    """Columns of uncut texts, one entry per item. shown: UI items, `setting` and `filterType` as JSON, "" for none."""

    question: Sequence[str]
    expected: Sequence[str]
    answer: Sequence[str]
    shown: Sequence[str]
    error: Sequence[str]


def text_hashes(whole: WholeTexts) -> list[str]:
    """16 hex digits of SHA-256 for each item, over its texts as they are compared, a line each.

    A blank text is an empty line.
    """
    columns = [compared_texts(["" if is_blank(text) else text for text in column]) for column in whole]
    return [
        hashlib.sha256("\n".join(texts).encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
        for texts in zip(*columns, strict=True)
    ]
