"""Defines items: the scored rows of one input file, in the compact form that is stored and merged.

Items keep their texts cut for display. Of a longer text, the details keep what a judge may read, and so they do with
the UI items of an answer without words.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import msgspec

from scoring.rubric import Rubric, Status, TrackId, VerdictRule
from scoring.text import is_blank, normalise

# Why an item has no level.
WHY_NO_ANSWER = "no-answer"
WHY_LEVEL_UNKNOWN = "level-unknown"
WHY_NO_LEVEL = "no-level"  # none is recorded, and the profile asks no judge
WHY_NO_JUDGE = "no-judge"
WHY_PENDING = "pending"
GAVE_UP = "gave-up:"  # with the slug of what went wrong

SOURCE_NONE = "none"  # source of an intent or a level that there is none of

UNANSWERED = frozenset({Status.ERROR, Status.EMPTY})  # a failed item has no answer, whatever text it left

# Raised when the same input gives another report. Not the package version.
ENGINE_VERSION = 10

KEPT_PAYLOADS = 400_000  # characters of a file; a usual set of 160 rows has half of it
LONGEST_PAYLOAD = 20_000


class FailedCheck(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A check that did not pass.

    name: its path or key, as written. operator: "" when unknown; "address" for an answer that leads elsewhere. value:
    what was expected, as text. fault: why it could not be run (a `scoring.checks.checks.Fault`), "" when it ran. found:
    what the answer has in its place, such as its addresses; "" for nothing.
    """

    name: str
    operator: str
    value: str
    fault: str = ""
    found: str = ""


class Turn(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where an item belongs in a conversation.

    session: its ID. label: of the turn, a number in its shortest form, other texts as written, "" for none.
    number: what turns are ordered by; None for none.
    """

    session: str
    label: str = ""
    number: float | None = None


class ItemDetails(msgspec.Struct, gc=False, array_like=True):
    """What the rules of a profile add to an item; "" or None where no rule sets it.

    latency_class: by the payload. verdict: name of the level. label, signature: compared between rounds.
    label_source: "column", "payload", "status" or "text" (the message's words). checks: number of checks that count.
    ratio: share of them that passed, by weight. failed_checks: at most 20 of failed_count. check_source: where they
    stood. accuracy_reason: "status" (failed item), "no-checks" (nothing to check), or how near an address came.
    rubrics: score of the level in 0..1; rubrics_level: the level as `VerdictRule.spelling` has it. rubrics_source:
    "column", "payload", "judge" or "none". verdict_why, rubrics_why: why there is none (`scoring.judging.apply`).
    verdict_reason, rubrics_reason: what a judge said. graded: question, expected result and answer as a judge reads
    them, each "" where the item itself has all of it; None where it has all of all three. measures: one per measure of
    the rubric, None for a missing value. turn: None outside a session. passed: by named scores, None where they do not
    decide. score_reasons: what is said of each measure that is a score, "" for nothing; () without any.
    """

    latency_class: str = ""
    verdict: str = ""
    label: str = ""
    label_source: str = ""
    signature: str = ""
    check_source: str = ""
    checks: int = 0
    ignored_checks: int = 0
    ratio: float | None = None
    failed_checks: tuple[FailedCheck, ...] = ()
    failed_count: int = 0
    accuracy_reason: str = ""
    verdict_why: str = ""
    verdict_reason: str = ""
    rubrics: float | None = None
    rubrics_level: str = ""
    rubrics_source: str = ""
    rubrics_why: str = ""
    rubrics_reason: str = ""
    graded: tuple[str, str, str] | None = None
    measures: tuple[float | None, ...] = ()
    turn: Turn | None = None
    passed: bool | None = None
    score_reasons: tuple[str, ...] = ()


class Opinion(NamedTuple):
    """What one reviewer gave an item. grade: as the scale of the metric writes it. comment, cause: "" for none."""

    reviewer: str
    grade: str = ""
    comment: str = ""
    cause: str = ""


class Review(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A person's grade of an item.

    metric: that is graded. before: points it had, None without any; before_text: as the scale of the metric writes
    them; origin: by what it had them. after_text: the grade that counts. opinions: of everybody who graded it, by name.
    sample: why the item was given to a person. check: that a reviewer wrote for it.
    """

    metric: str
    before: float | None
    before_text: str
    origin: str
    after_text: str
    opinions: tuple[Opinion, ...]
    sample: str = ""
    check: str = ""


class Noted(NamedTuple):
    """What a row gave to look at: codes of findings, and of counts of data quality, each as often as it was counted."""

    findings: tuple[str, ...]
    counts: tuple[str, ...]


class Item(msgspec.Struct, gc=False, array_like=True):
    """One row, one answer of the agent, scored.

    row: as a spreadsheet shows it. round: "room/repeat" or the label as written (NFC).
    track: None is "no track" (미지정). seconds: None is missing. message: assistantMessage as text.
    error: the text that made it an error, "" otherwise. why: rule that gave the status, see `scoring.items.status`.
    Points are None for a metric that the profile does not have; intent also when it was not judged. intent_source:
    "recorded" (LLM 점수) or "status"; with a verdict also "column", "payload", "judge" or "none", "copy" where another
    metric gives it. recorded: `LLM 점수` as written.
    recorded_issue: why a recorded score was not used: "" (blank or used), "not-a-number", "out-of-range".
    failure_word: the word by which an ok/partial message admits failure, "" otherwise.
    extra: cells of the columns that no rubric column claims, in the order of `Part.extra_columns`.
    payload_size: characters of the cell `Raw JSON`. payload: the cell itself, of the first items of a file whose cells
    have KEPT_PAYLOADS characters in all and at most LONGEST_PAYLOAD each; "" for others.
    text_hash: of what a grader reads of it, uncut (`scoring.items.text_hash`).
    details: None for profiles without rules of their own, measures and sessions. noted: None for a row without a note.
    review: of people, by metric; only items of a set have any.
    All texts are for display (original spelling), cut at CELL_BYTES; ids are NFC and stripped.
    """

    row: int
    run_id: str
    item_id: str
    query_id: str
    round: str
    track: TrackId | None
    category: str
    question: str
    expected: str
    response: str
    message: str
    error: str
    status: Status
    why: str
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    seconds: float | None
    intent_source: str
    recorded: str
    recorded_issue: str
    llm_status: str
    llm_comment: str
    llm_model: str
    executed_at: str
    failure_word: str
    has_payload: bool
    extra: tuple[str, ...] = ()
    payload_size: int = 0
    payload: str = ""
    text_hash: str = ""
    details: ItemDetails | None = None
    noted: Noted | None = None
    review: tuple[Review, ...] = ()


# Without details, which rules of a profile and measures fill in, notes, and what people graded.
_COLUMNS = Item.__struct_fields__[:-3]


def items_of_columns(**columns: Iterable[object]) -> list[Item]:
    """Items from one column for each field of `Item` but `details`, `noted` and `review`.

    `map` over columns makes 100,000 items in 0.03 s, a call with 29 keywords for each in 0.2 s.
    """
    assert columns.keys() == set(_COLUMNS), columns.keys() ^ set(_COLUMNS)
    return list(map(Item, *(columns[name] for name in _COLUMNS)))


NO_DETAILS = ItemDetails()  # of a profile without rules of its own; nothing changes it


class Detailed(Protocol):
    """An item, or what items have in common."""

    @property
    def details(self) -> ItemDetails | None:
        """What the rules of a profile add to it."""


class Timed(Detailed, Protocol):
    """The same, with its track."""

    @property
    def track(self) -> TrackId | None:
        """None is no track."""


def details_of(item: Detailed) -> ItemDetails:
    """The details of an item; empty ones for a profile without rules of its own."""
    return item.details or NO_DETAILS


def turn_of(item: Detailed) -> Turn | None:
    """Where the item belongs in a conversation; None outside one."""
    return None if item.details is None else item.details.turn


def latency_class_of(item: Timed, rubric: Rubric) -> str:
    """Name of the latency class whose bands scored the item."""
    if rubric.classes is not None and item.details is not None:
        return item.details.latency_class
    return rubric.latency_class(item.track).name


def unjudged_why(rule: VerdictRule, *, has_answer: bool) -> str:
    """Why an item has no level before a judge is asked."""
    if not has_answer:
        return WHY_NO_ANSWER
    return WHY_NO_JUDGE if rule.is_judged else WHY_NO_LEVEL


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
