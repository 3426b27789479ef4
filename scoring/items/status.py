"""Decides the status of an item: error > empty > partial > ok (docs/scoring.md#status)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

import msgspec
import re2

from scoring.items.no_error import NoError, holds_nothing
from scoring.items.payload import Payload
from scoring.json_values import open_json
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


def is_no_answer(text: str) -> bool:
    """Is this answer of a column blank, or a list or object that holds nothing but null and blank texts?"""
    if is_blank(text):
        return True
    value = open_json(text) if text.lstrip()[:1] in {"[", "{"} else None
    return isinstance(value, dict | list) and holds_nothing(value)


def is_time_out(error: str) -> bool:
    """Does this error text say that the answer took too long?"""
    return _TIME_OUT.search(error) is not None


class StatusRules:
    """Decides items by the words of a rubric."""

    def __init__(self, rubric: Rubric) -> None:
        self._order = rubric.status_order
        self._partial = tuple((word, WHY_WORD_PREFIX + word) for word in map(normalise, rubric.partial_words))
        self._failure = tuple(map(normalise, rubric.failure_words))
        self._errors = CellMemo(NoError(rubric.no_error_words).error_text)
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
        if self._order:
            return self._first_that_holds(error_cell, payload)
        return self._usual(error_cell, payload)

    def _first_that_holds(self, error_cell: str, payload: Payload | str | None) -> Outcome:
        """The status by the order of the document: of all that hold, the first."""
        usual = self._usual(error_cell, payload)
        holds = {usual.status: usual}
        if usual.status is Status.ERROR and not isinstance(payload, str):
            # What the item is apart from its error; that it is ok means that it has none.
            rest = self._usual("", None if payload is None else msgspec.structs.replace(payload, error=""))
            if rest.status is not Status.OK:
                holds[rest.status] = msgspec.structs.replace(rest, error=usual.error)
        return next(holds[status] for status in self._order if status in holds)

    def _usual(self, error_cell: str, payload: Payload | str | None) -> Outcome:
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
