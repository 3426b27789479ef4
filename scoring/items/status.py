"""Decides the status of an item: error > empty > partial > ok (docs/scoring.md#status)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import partial

import msgspec
import re2

from scoring.items.payload import Payload
from scoring.items.quantities import unguarded
from scoring.json_values import as_text, is_nothing, open_json
from scoring.rubric import Rubric, Status
from scoring.text import CellMemo, is_blank, normalise

# Why an item has its status; the two prefixes are followed by the diagnosis or the word.
WHY_ERROR_COLUMN = "error-column"
WHY_ERROR_PAYLOAD = "error-payload"
WHY_PAYLOAD_PREFIX = "payload:"
WHY_NOTHING = "nothing"
WHY_BLANK = "blank-answer"  # of profiles whose answers are a column
WHY_WORD_PREFIX = "word:"
WHY_ANSWERED = "answered"

ANSWERED = (Status.OK, Status.PARTIAL)
_BETWEEN = "\0"  # part of no word
_BETWEEN_BYTES = _BETWEEN.encode()
_FALSE_TEXTS = frozenset({"false", "{}", "[]"})
_ZERO = "0"
_ZEROS = re.compile(r"[+-]?(?:0+(?:[.,]0*)?|[.,]0+)")
_DASHES = re.compile(
    "[-\u00ad\u058a\u05be\u2010-\u2015\u2043\u207b\u208b\u2212\u2500\u2501\u2e3a\u2e3b\u30fc\u3161\ufe58\ufe63\uff0d]+"
)
_TIME_OUT = re.compile(
    r"time[\s_-]*d?[\s_-]*out|타임\s*아웃|시간\s*초과|тайм[\s-]*аут|deadline exceeded", re.IGNORECASE
)


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """status with the rule that gave it; error: the text that made it an error, "" otherwise.

    failure_word: the word by which an answered item admits failure, "" otherwise; it changes no score.
    """

    status: Status
    why: str
    error: str = ""
    failure_word: str = ""

    @property
    def is_timed(self) -> bool:
        """Is there an answer, or a time-out, that took some time?"""
        return self.status in ANSWERED or (self.status is Status.ERROR and is_time_out(self.error))


def is_time_out(error: str) -> bool:
    """Does this error text say that the answer took too long?"""
    return _TIME_OUT.search(error) is not None


class StatusRules:
    """Decides items by the words of a rubric."""

    def __init__(self, rubric: Rubric) -> None:
        self._partial = tuple((word, WHY_WORD_PREFIX + word) for word in map(normalise, rubric.partial_words))
        self._failure = tuple(map(normalise, rubric.failure_words))
        none = _FALSE_TEXTS | {_folded(normalise(word)) for word in rubric.no_error_words}
        self._errors = CellMemo(partial(_error_text, none=none))
        self._nothing = Outcome(Status.EMPTY, WHY_NOTHING if rubric.has_column("raw_json") else WHY_BLANK)
        words = (*(word for word, _ in self._partial), *self._failure)
        self._any_word = re2.compile("|".join(map(re2.escape, words)).encode()) if words else None

    def find_words(self, messages: Sequence[str]) -> Collection[int]:
        """Indexes of the messages that contain a word of the rubric; of all, where one message is not in NFC."""
        if self._any_word is None:
            return ()
        text = _BETWEEN.join(messages)
        if not unicodedata.is_normalized("NFC", text):
            return range(len(messages))
        if text.count(_BETWEEN) >= len(messages):  # part of a message
            text = _BETWEEN.join([message.replace(_BETWEEN, " ") for message in messages])
        data = text.encode(errors="replace")
        index = at = 0
        found = set()
        # RE2 finds any of the words in 3 ms per 1,500 messages, one search for each word takes 6.
        for match in self._any_word.finditer(data):
            start = match.start()
            index += data.count(_BETWEEN_BYTES, at, start)
            at = start
            found.add(index)
        return found

    def decide(self, error_cell: str, payload: Payload | str | None) -> Outcome:
        """Status of the item with this `오류` cell and payload.

        payload: a Payload, the Diagnosis of an invalid one, or None when the cell was blank.
        """
        if error := self._errors[error_cell]:
            return Outcome(Status.ERROR, WHY_ERROR_COLUMN, error)
        if payload is None:
            return self._nothing
        if isinstance(payload, str):
            return Outcome(Status.ERROR, WHY_PAYLOAD_PREFIX + payload)
        if payload.error and (error := self._errors[payload.error]):
            return Outcome(Status.ERROR, WHY_ERROR_PAYLOAD, error)
        if not payload.message:
            return Outcome(Status.OK, WHY_ANSWERED) if payload.has_ui else self._nothing
        message = normalise(payload.message)
        status, why = Status.OK, WHY_ANSWERED
        for word, word_why in self._partial:
            if word in message:
                status, why = Status.PARTIAL, word_why
                break
        for word in self._failure:
            if word in message:
                return Outcome(status, why, "", word)
        return Outcome(status, why)


def _error_text(text: str, *, none: frozenset[str]) -> str:
    """The error text as written, "" when it says that there is no error."""
    if is_blank(text):
        return ""
    plain = unguarded(normalise(text))
    if is_blank(plain) or _folded(plain) in none or _is_no_error(plain, none):
        return ""
    return text


def _folded(text: str) -> str:
    """The form in which no-error words are compared: without case, any zero as `0`, any run of dashes as `-`."""
    if _ZEROS.fullmatch(text):
        return _ZERO
    return "-" if _DASHES.fullmatch(text) else text.casefold()


def _is_no_error(text: str, none: frozenset[str]) -> bool:
    """Is this an object or list that holds nothing, or an object whose code is 0 and that says nothing else?"""
    value = open_json(text) if text.startswith(("{", "[")) else None
    if not isinstance(value, dict | list):
        return False
    if _holds_nothing(value):
        return True
    if isinstance(value, list) or "code" not in value:
        return False
    code, *others = (value["code"], *(other for key, other in value.items() if key != "code"))
    is_zero = not isinstance(code, bool) and _folded(as_text(code)) == _ZERO
    # A flag says something whichever way it stands: `"success": false`.
    says_nothing = (
        _holds_nothing(one) or (not isinstance(one, bool) and _folded(as_text(one)) in none) for one in others
    )
    return is_zero and all(says_nothing)


def _holds_nothing(value: object) -> bool:
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
