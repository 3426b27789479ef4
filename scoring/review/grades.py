"""What a person's grade is, for which item it is, and the digest by which a set's key knows the grades.

A key is `sw1|profile|set|Query ID|round|attempt|metric|sample|text_hash`, each part percent-escaped.

A person may give the levels of the document, or the steps of its scale.

Which items go out to a person, and in what order: a function of the inputs, so that two reviewers get the same rows.

Questions drawn at random come first, each with all its rounds: they stand for the others. The rest are items that look
as if a grade could be wrong.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple, Self
from urllib.parse import quote, unquote

import msgspec

from scoring.problems import Problem
from scoring.rubric import METRICS, RUBRICS, Rubric, Scale, VerdictRule
from scoring.statistics import QUERIES_FOR_VALUE
from scoring.text import normalise, number

_WHOLE_STEPS = range(2, 21)  # lengths of a scale that whole numbers divide well enough
_PARTS = 10  # of any other scale
_GRADED = tuple(metric for metric in METRICS if metric in {"intent", "accuracy"})
_DECIMALS = 9

KEY_TITLE = "scorewatch-key"
FORMAT = "sw1"
_SEPARATOR = "|"
_LONGEST = 8_192  # characters of a key
_MOST_DIGITS = 6  # of an attempt
TextPlace = tuple[str, str, str]  # by what an item is known in another set: Query ID, round, and what it says


class GradeScale(NamedTuple):
    """The grades of one metric, lowest first: how each is written, and its points. rule: None for mere points."""

    names: tuple[str, ...]
    points: tuple[float, ...]
    rule: VerdictRule | None = None

    def step(self, text: str) -> int | None:
        """The place of the grade that a cell holds; None for anything else. Never rounds."""
        text = normalise(text)
        if self.rule is not None:
            level = self.rule.level(text)
            return None if level is None else self.names.index(self.rule.spelling(level))
        value = number(text.replace(",", "."))
        return None if value is None else self.at(value)

    def at(self, points: float | None) -> int | None:
        """The place of these points; None where no grade has them."""
        return None if points is None else next((at for at, one in enumerate(self.points) if one == points), None)


def graded_metrics(rubric: Rubric) -> tuple[str, ...]:
    """The metrics that people can grade: those of answers with points of their own, the one that passes first."""
    named = [name for name in (*_GRADED, RUBRICS) if rubric.has_metric(name) and rubric.origin_of(name) == name]
    return tuple(named)


def scale_of(rubric: Rubric, metric: str) -> GradeScale:
    """The grades of a metric of `graded_metrics`."""
    rule = rubric.rubrics if metric == RUBRICS else rubric.verdict if metric == "intent" else None
    if rule is not None:
        levels = sorted(rule.levels, key=lambda level: level.points)
        return GradeScale(tuple(map(rule.spelling, levels)), tuple(map(rule.points, levels)), rule)
    points = steps_of(rubric.points)
    return GradeScale(tuple(f"{one:g}" for one in points), points)


def steps_of(scale: Scale) -> tuple[float, ...]:
    """The grades of a metric of mere points, lowest first."""
    length = scale.length
    parts = int(length) if length.is_integer() and int(length) in _WHOLE_STEPS else _PARTS
    return tuple(round(scale.lowest + length * at / parts, _DECIMALS) for at in range(parts + 1))


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


_RANDOM_SHARE = 2  # at most one of so many rows, once there are enough questions


class Candidate(NamedTuple):
    """An item that may go out. concern: how much it looks as if its grade could be wrong, 0 for not at all."""

    at: int
    query_id: str
    concern: int


def choose_sample(candidates: Sequence[Candidate], *, n: int, seed: str) -> list[tuple[int, Sample]]:
    """Indices of the items to send, with why.

    n: of rows; 0 for all. seed: of the inputs. At least QUERIES_FOR_VALUE questions are random, if n has room for them.
    """
    order = _shuffler(seed)
    by_query: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_query[candidate.query_id].append(candidate)
    room = n or len(candidates)
    chosen: dict[int, Sample] = {}
    for taken, query_id in enumerate(sorted(by_query, key=order)):
        items = by_query[query_id]
        if n and (len(chosen) + len(items) > room or _has_enough(taken, len(chosen) + len(items), room)):
            break
        chosen |= {one.at: Sample.RANDOM for one in items}
    left = [one for one in candidates if one.at not in chosen]
    left.sort(key=lambda one: (-one.concern, order(f"{one.query_id}\0{one.at}")))
    chosen |= {one.at: Sample.FLAGGED for one in left[: room - len(chosen)] if one.concern}
    return sorted(chosen.items(), key=lambda entry: order(str(entry[0])))


def rows_for(queries: int, candidates: Sequence[Candidate], *, seed: str) -> int:
    """The least n with which `choose_sample` draws so many questions at random; 0 where there are fewer."""
    sizes = Counter(one.query_id for one in candidates)
    drawn = sorted(sizes, key=_shuffler(seed))[:queries]
    rows = sum(sizes[query_id] for query_id in drawn)
    return 0 if len(drawn) < queries else rows if queries <= QUERIES_FOR_VALUE else rows * _RANDOM_SHARE


def _has_enough(questions: int, rows: int, room: int) -> bool:
    """Would one more question take more than its share, although there are enough?"""
    return questions >= QUERIES_FOR_VALUE and rows * _RANDOM_SHARE > room


def _shuffler(seed: str) -> Callable[[str], str]:
    return lambda text: hashlib.sha256(f"{seed}\0{text}".encode(errors="surrogatepass")).hexdigest()
