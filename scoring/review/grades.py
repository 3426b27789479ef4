"""What a person's grade is, for which item it is, and the digest by which a set's key knows the grades.

A key is `sw1|profile|set|Query ID|round|attempt|metric|sample|text_hash`, each part percent-escaped.
"""

import hashlib
import json
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, Self
from urllib.parse import quote, unquote

import msgspec

from scoring.problems import Problem

KEY_TITLE = "scorewatch-key"
FORMAT = "sw1"
_SEPARATOR = "|"
_LONGEST = 8_192  # characters of a key
_MOST_DIGITS = 6  # of an attempt
TextPlace = tuple[str, str, str]  # by what an item is known in another set: Query ID, round, and what it says


class Sample(StrEnum):
    """Why an item was given to a person: drawn at random, so that it stands for others, or picked for its looks."""

    RANDOM = "random"
    FLAGGED = "flagged"


class ItemKey(NamedTuple):
    """Which grade of which item. attempt: of the items of a query in one round, from 1. metric: that is graded."""

    profile: str
    set_name: str
    query_id: str
    round: str
    attempt: int
    metric: str
    sample: Sample
    text_hash: str

    def __str__(self) -> str:
        return _SEPARATOR.join([FORMAT, key_parts(*self)])

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The key that a cell holds; None for anything else."""
        name, *parts = text.strip().split(_SEPARATOR)
        if name != FORMAT or len(parts) != len(cls._fields) or len(text) > _LONGEST:
            return None
        try:
            profile, set_name, query_id, label, attempt, metric, sample, text_hash = (
                unquote(part, errors="strict") for part in parts
            )
            known = Sample(sample)
        except (UnicodeDecodeError, ValueError):
            return None
        if not (attempt.isascii() and attempt.isdecimal() and len(attempt) <= _MOST_DIGITS and query_id):
            return None
        return cls(profile, set_name, query_id, label, int(attempt), metric, known, text_hash)

    @property
    def text_place(self) -> TextPlace:
        """Of the item that is graded."""
        return self.query_id, self.round, self.text_hash


def key_parts(*parts: object) -> str:
    """Parts of a key that follow each other; what UTF-8 cannot write is a `?`."""
    return _SEPARATOR.join(quote(str(part), safe="", errors="replace") for part in parts)


class PersonGrade(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A filled row of a review file.

    grade: as written. decides: the row settles what reviewers disagree on. check: a check for the item, which is kept
    and listed. file, row, column: the cell of the grade, as a spreadsheet shows it. sha256, modified: of the file.
    """

    key: ItemKey
    grade: str
    reviewer: str
    comment: str = ""
    cause: str = ""
    check: str = ""
    decides: bool = False
    file: str = ""
    row: int = 0
    column: str = ""
    sha256: str = ""
    modified: str = ""

    @property
    def content(self) -> tuple[object, ...]:
        """What a report depends on: not from which file or row it comes, nor the name of the set."""
        return (*self.key[2:], self.grade, self.reviewer, self.comment, self.cause, self.check, self.decides)

    def problem(self, code: str, **values: str) -> Problem:
        """Why the grade is not used, at its cell."""
        return Problem(
            code=code,
            source=self.file,
            row=self.row or None,
            column=self.column or None,
            found=self.grade,
            values={"query": self.key.query_id, "round": self.key.round, "reviewer": self.reviewer, **values},
        )


def without_copies(grades: Iterable[PersonGrade]) -> list[PersonGrade]:
    """The grades in one order, whatever files they come from; those that say the same count once."""
    first: dict[tuple[object, ...], PersonGrade] = {}
    for grade in sorted(grades, key=lambda one: (one.content, one.file, one.row)):
        first.setdefault(grade.content, grade)
    return list(first.values())


def digest_of(grades: Iterable[PersonGrade]) -> str:
    """What a set's key has of its grades: 64 hex digits, "" for none."""
    contents = [grade.content for grade in without_copies(grades)]
    if not contents:
        return ""
    return hashlib.sha256(json.dumps(contents, separators=(",", ":")).encode("ascii")).hexdigest()
