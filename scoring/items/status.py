"""Decides the status of an item: error > empty > partial > ok (docs/scoring.md#status).

An error text may say that there is no error (docs/scoring.md#errors). A document lists the words. They are compared
without case, white space and punctuation, so that one of them stands for `No error`, `no_error` and `(no error).`; the
words for a blank cell count in such spellings too. An answer that begins with a word of `error` is the error of a
provider, one that is a word of `no_answer` none.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec
import re2

from scoring.findings import FindingLog
from scoring.items.payload import Payload
from scoring.items.quantities import unguarded
from scoring.items.spool import Items
from scoring.json_values import as_text, is_nothing, open_json
from scoring.problems import Problem
from scoring.rubric import Rubric, Status
from scoring.text import BLANK_WORDS, CellMemo, is_blank, normalise, number

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
        self._words = {folded(normalise(word)) for word in (*words, *BLANK_WORDS, _FALSE)}

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
        return folded(text.strip()) in self._words

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


def folded(text: str) -> str:
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


# Why an item has its status; the two prefixes are followed by the diagnosis or the word.
WHY_ERROR_COLUMN = "error-column"
WHY_ERROR_PAYLOAD = "error-payload"
WHY_ERROR_ANSWER = "error-answer"
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
        self._error = tuple(map(normalise, rubric.error_words))
        self._errors = CellMemo(NoError(rubric.no_error_words).error_text)
        self._no_answer = {folded(normalise(word)) for word in rubric.no_answer_words}
        self._nothing = Outcome(Status.EMPTY, WHY_NOTHING if rubric.has_column("raw_json") else WHY_BLANK)
        words = (*(word for word, _ in self._partial), *self._failure, *self._error)
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
        if not payload.message or self._stands_for_none(payload.message):
            return Outcome(Status.OK, WHY_ANSWERED) if payload.has_ui else self._nothing
        return self._by_words(normalise(payload.message))

    def _stands_for_none(self, message: str) -> bool:
        """Is the whole message a word of the document for no answer?"""
        return bool(self._no_answer) and len(message) <= _LONGEST and folded(normalise(message)) in self._no_answer

    def _by_words(self, message: str) -> Outcome:
        """The status of an item with this message, by the words in it."""
        if message.startswith(self._error):
            return Outcome(Status.ERROR, WHY_ERROR_ANSWER, message)
        status, why = Status.OK, WHY_ANSWERED
        for word, word_why in self._partial:
            if word in message:
                status, why = Status.PARTIAL, word_why
                break
        for word in self._failure:
            if word in message:
                return Outcome(status, why, "", word)
        return Outcome(status, why)


_MOST_WORDS = 2
_LEAST_CELLS = 2
# What can only mean a failure, unless it is denied.
_FAILURE = re.compile(
    r"error|err\b|fail|exception|abort|reset|refus|denied|reject|invalid|crash|killed|limit|overload|unavailable|broken"
    r"|disconnect|missing|forbidden|unauthorized|\b[45][0-9]{2}\b|오류|에러|실패|예외|중단|거부|불가|장애|누락|초과",
    re.IGNORECASE,
)
_DENIED = re.compile(r"no|non|not|zero|without|\b0|없|아님|무", re.IGNORECASE)


def note_error_words(items: Items, filled: int, title: str, log: FindingLog) -> None:
    """Log the text that more than half of the filled cells of `오류` hold, where these items have answers.

    items: of one file. filled: cells of the column that are not blank, those included that say that there is no error.
    """
    for indices in _by_text(items).values() if filled >= _LEAST_CELLS else ():
        if len(indices) < _LEAST_CELLS or len(indices) * 2 <= filled:
            continue
        first = items[indices[0]]
        answers = zip(items.cells_at(indices, "message"), items.cells_at(indices, "response"), strict=True)
        answered = sum(bool(message or response) for (_, message), (_, response) in answers)
        if answered * 2 > len(indices) and not _says_failure(first.error):
            values = {"filled": str(filled), "answered": str(answered)}
            place = Problem(code="error-column-constant", row=first.row, column=title, found=first.error, values=values)
            log.add(place, len(indices))


def _says_failure(text: str) -> bool:
    return is_time_out(text) or (_FAILURE.search(text) is not None and _DENIED.search(text) is None)


def _by_text(items: Items) -> dict[str, list[int]]:
    """The items whose cell of `오류` is their error, by its text."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    cells = (cell for columns in items.columns("error", "why") for cell in zip(*columns, strict=True))
    for index, (error, why) in enumerate(cells):
        if why == WHY_ERROR_COLUMN and len(error.split()) <= _MOST_WORDS:
            found[error.strip().casefold()].append(index)
    return found
