"""Decides whether an error text says that there is no error (docs/scoring.md#errors).

A document lists the words. They are compared without case, white space and punctuation, so that one of them stands for
`No error`, `no_error` and `(no error).`; the words for a blank cell count in such spellings too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.items.quantities import unguarded
from scoring.json_values import as_text, is_nothing, open_json
from scoring.text import BLANK_WORDS, is_blank, normalise, number

_FALSE = "false"
_ZERO = "0"
_ZEROS = re.compile(r"[+-]?(?:0+(?:[.,]0*)?|[.,]0+)")
_DASH_SIGNS = (
    "\\-\u00ad\u058a\u05be\u2010-\u2015\u2043\u207b\u208b\u2212\u2500\u2501\u2e3a\u2e3b\u30fc\u3161\ufe58\ufe63\uff0d"
)
_DASHES = re.compile(f"[{_DASH_SIGNS}]+")
_PUNCTUATION = rf"\s.,:;!()\[\]{{}}<>\"'`=~_*|/\\“”‘’「」『』《》〈〉【】（）·…。，、！：；/＼{_DASH_SIGNS}"
_DROPPED = re.compile(f"[{_PUNCTUATION}]+")
_BETWEEN_DIGITS = re.compile(f"(?<=[0-9])[{_PUNCTUATION}]+(?=[0-9])")
_KEPT = frozenset("#?%")  # error values of Excel, lost characters, shares: what stands beside them is no word
_MARK = "\0"
# What may stand before a word, with a colon or an equals sign.
_LABEL = re.compile(
    r"(?:errors?|err|error ?code|errno|exception|code|status|status ?code|http ?status|exit ?code"
    r"|오류|에러|예외|(?:오류 ?|에러 ?|상태 ?|결과 ?)?코드|상태)\s*[:=：＝]\s*(?=\S)",
    re.IGNORECASE,
)
_DIVIDED = re.compile(r"[()\[\]（）,;|]")
_CODE_KEYS = frozenset({"code", "status", "statuscode", "errorcode", "errcode", "errno", "resultcode", "error"})
_LONGEST = 100  # characters of a text that may say that there is no error, but for JSON


class NoError:
    """Tells error texts from those that say that there is none. words: of the document."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = {_folded(normalise(word)) for word in (*words, *BLANK_WORDS, _FALSE)}

    def error_text(self, text: str) -> str:
        """The error text as written, "" when it says that there is no error."""
        if is_blank(text):
            return ""
        plain = unguarded(normalise(text))
        if plain.startswith(("{", "[")):
            value = open_json(plain)
            if isinstance(value, dict | list):
                return "" if self._holds_no_error(value) else text
            if not plain.endswith(("}", "]")):
                return text  # JSON that was cut
        return "" if is_blank(plain) or self._says_none(plain) else text

    def _says_none(self, text: str) -> bool:
        if len(text) > _LONGEST:
            return False
        if self._is_word(text):
            return True
        label = _LABEL.match(text)
        if label is not None:
            return self._says_none(text[label.end() :])
        parts = [part for part in _DIVIDED.split(text) if _DROPPED.sub("", part)]
        return len(parts) > 1 and all(map(self._is_word, parts))

    def _is_word(self, text: str) -> bool:
        return _folded(text.strip()) in self._words

    def _holds_no_error(self, value: dict[str, object] | list[object]) -> bool:
        """Does it hold nothing, or is it an object whose code is no error, and that says nothing else?"""
        if holds_nothing(value):
            return True
        if isinstance(value, list) or not any(_DROPPED.sub("", key).casefold() in _CODE_KEYS for key in value):
            return False
        # A flag says something whichever way it stands: `"success": false`.
        return all(
            holds_nothing(one) or (not isinstance(one, bool) and self._is_word(as_text(one))) for one in value.values()
        )


def _folded(text: str) -> str:
    """The form in which words are compared: any zero as `0`, other numbers without `.0`, any run of dashes as `-`.

    Other texts lose case, white space and punctuation, but for what divides digits.
    """
    if _ZEROS.fullmatch(text):
        return _ZERO
    if _DASHES.fullmatch(text):
        return "-"
    if (value := number(text)) is not None:
        return f"{value:g}"
    folded = text.casefold()
    if not _KEPT.isdisjoint(folded):
        return folded
    return _DROPPED.sub("", _BETWEEN_DIGITS.sub(_MARK, folded)) or folded


def holds_nothing(value: object) -> bool:
    """Is everything in this value, at any depth, null or a blank text?"""
    left = [value]  # not recursive: as deep as a payload may be
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif not is_nothing(one):
            return False
    return True
