"""Reads sheets of questions, `questions-<profile>.csv`: what a profile is asked, and since when (docs/questions.md).

Every filled row counts or is a problem with its cell.

What counts of the sheets in force for a set travels with its rubric: so its key knows exactly the rows that it was
scored with, and workers need nothing else.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import BinaryIO

import msgspec

from scoring.comparison import name_date
from scoring.problems import InputError, Problem
from scoring.reading import read_small_table
from scoring.rubric import Column, Question, Rubric
from scoring.text import cut, is_blank, known_text, uncovered
from scoring.times import read_times
from texts import words

MOST_QUESTIONS = 50_000
_FIELDS = ("question", "expected", "track", "category")
_TITLES = words("usual-columns")
_OWN = words("question-columns")
_COLUMNS = tuple(
    Column(name=name, title=titles[0], aliases=titles[1:], required=name == "query_id")
    for name, titles in ({name: _TITLES[name] for name in ("query_id", *_FIELDS)} | dict(_OWN)).items()
)
_CHECK = "@check"


class SheetRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that counts. since: the first day of the sets that it is about, as ISO, "" for all."""

    question: Question
    since: str


class QuestionSheet(msgspec.Struct, frozen=True, kw_only=True):
    """What a sheet holds. problems: of rows that do not count, or of the whole file: then is_readable is False."""

    name: str
    profile: str
    rows: tuple[SheetRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True

    @property
    def days(self) -> list[str]:
        """The days from which on something else is asked, in order; the first is ""."""
        return sorted({"", *(row.since for row in self.rows)})

    def on(self, day: str) -> tuple[Question, ...]:
        """What sets of a day are asked, by Query ID: of each question its latest row."""
        counted = sorted((row for row in self.rows if row.since <= day), key=lambda row: row.since)
        latest = {row.question.query_id: row.question for row in counted}
        return tuple(latest[name] for name in sorted(latest))


def read_sheet(stream: BinaryIO, name: str, profile: str) -> QuestionSheet:
    """The rows of a sheet. stream: seekable. Raises OSError."""
    try:
        columns, rows, problems = read_small_table(stream, name, _COLUMNS, most=MOST_QUESTIONS)
    except InputError as error:
        refused = tuple([problem.at(name) for problem in error.problems])
        return QuestionSheet(name=name, profile=profile, problems=refused, is_readable=False)
    days = read_times({cells.get("since", "") for _, cells in rows})
    kept: dict[tuple[str, str], SheetRow] = {}
    for number, cells in rows:
        query_id, written = known_text(cells["query_id"]), cells.get("since", "")
        day = days.get(written)
        since = "" if day is None else day.date().isoformat()
        code, field = _fault(query_id, since, written, kept)
        if code:
            place = {"row": number, "column": columns.header[columns.at[field]], "found": cut(cells[field])}
            problems.append(Problem(code=code, source=name, **place))  # type: ignore[arg-type]
        else:
            told = {field: uncovered(cells.get(field, "").strip()) for field in _FIELDS}
            check = "\n".join(map(_marked, cells.get("check", "").strip().splitlines()))
            kept[query_id, since] = SheetRow(question=Question(query_id=query_id, check=check, **told), since=since)
    return QuestionSheet(name=name, profile=profile, rows=tuple(kept.values()), problems=tuple(problems))


def _fault(query_id: str, since: str, written: str, kept: Mapping[tuple[str, str], object]) -> tuple[str, str]:
    """Why a row does not count, and the field that says so; both "" where it does."""
    if not query_id:
        return "question-nameless", "query_id"
    if not since and not is_blank(written):
        return "question-date", "since"
    return ("question-twice", "query_id") if (query_id, since) in kept else ("", "")


def _marked(line: str) -> str:
    line = uncovered(line.strip())
    return line if not line or line.casefold().startswith(_CHECK) else f"{_CHECK} {line}"


class Questions:
    """The sheets in force, and the rubrics that they make of those in force. sheets: at most one a profile."""

    def __init__(self, sheets: Iterable[QuestionSheet] = ()) -> None:
        self._sheets = {sheet.profile: sheet for sheet in sheets}
        self._days = {profile: sheet.days for profile, sheet in self._sheets.items()}
        self._made: dict[tuple[str, str], Rubric] = {}  # by digest and day

    def applied(self, rubric: Rubric, set_name: str) -> Rubric:
        """The rubric with the questions for a set: those of the date in its name, the latest without one."""
        if rubric.profile not in self._sheets:
            return rubric
        days, day = self._days[rubric.profile], name_date(set_name)
        return self._of(rubric, days[bisect_right(days, day) - 1] if day else days[-1])

    def every(self, rubrics: Iterable[Rubric]) -> list[Rubric]:
        """The rubrics that may be applied to some set."""
        return [self._of(rubric, day) for rubric in rubrics for day in self._days.get(rubric.profile, ())]

    def _of(self, rubric: Rubric, since: str) -> Rubric:
        made = self._made.get((rubric.digest, since))
        if made is None:
            asked = self._sheets[rubric.profile].on(since)
            made = self._made[rubric.digest, since] = msgspec.structs.replace(rubric, questions=asked)
        return made
