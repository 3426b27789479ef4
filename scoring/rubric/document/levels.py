"""A rubric of levels by itself (seed 004, spec §4): level, name and criteria in a table, whatever the language.

Such a document belongs to no profile. Columns are known by what they hold, not by their headers: whole numbers are
levels, the first text is their name, the next one their criteria.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from scoring.problems import MAX_LISTED_PROBLEMS, Problem, RubricError
from scoring.rubric.document.bands import show_number
from scoring.rubric.document.cells import cell_at, columns_with, fold
from scoring.rubric.document.front_matter import refusal, split_front_matter
from scoring.rubric.document.tables import RawTable, TableRow, read_tables
from scoring.rubric.rules import Level

_LEVEL = re.compile(r"[-+]?[0-9]{1,4}")
_SCORE = re.compile(r"([01](?:[.,][0-9]{1,4})?)(?:\s*\(\s*([0-9]{1,3})(?:[.,]0+)?\s*%\s*\))?")
_LEAST_LEVELS = 2
_LEAST_TEXTS = 2  # name and criteria


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelDocument:
    """levels: as they stand; `points` is the number of a level. line, last_line: of their table.

    ignored: (first line, last line, label) of tables that say nothing about levels.
    """

    levels: tuple[Level, ...]
    line: int
    last_line: int
    ignored: tuple[tuple[int, int, str], ...]

    def score(self, level: float) -> Fraction:
        """(level - min) / (max - min), in [0, 1]. Raises ValueError for a level that is not in the document."""
        numbers = [Fraction(entry.points) for entry in self.levels]
        selected = Fraction(level)
        if selected not in numbers:
            raise ValueError(f"no level {level:g}")
        return (selected - min(numbers)) / (max(numbers) - min(numbers))


def read_levels(text: str, *, source: str) -> LevelDocument | None:
    """The levels of a document; None when it has no such table.

    Raises RubricError with line and cell for fewer than two levels, a repeated level or name, a level without
    criteria, two tables that differ, and a table of scores that does not follow from the levels.
    """
    try:
        _, body, body_line = split_front_matter(_plain(text))
    except ValueError:
        return None
    tables = [table for table in read_tables(body, first_line=body_line) if not table.is_list]
    found = [(table, column) for table in tables if (column := _level_column(table)) is not None]
    with_texts = [(table, column) for table, column in found if len(_text_columns(table, column)) >= _LEAST_TEXTS]
    if not with_texts:
        return None
    table, column = with_texts[0]
    reader = _Reader()
    levels = reader.levels(table, column)
    used = [table]
    document = LevelDocument(levels=levels, line=table.line, last_line=table.last_line, ignored=())
    if not reader.problems:
        for other, at in found:
            if other is not table and reader.compare(document, other, at):
                used.append(other)
    if reader.problems:
        placed = [problem.at(source) for problem in reader.problems]
        raise RubricError(tuple(placed[:MAX_LISTED_PROBLEMS]))
    ignored = tuple(
        (other.line, other.last_line, other.labels[0] if other.labels else " | ".join(other.header))
        for other in tables
        if other not in used
    )
    return LevelDocument(levels=levels, line=table.line, last_line=table.last_line, ignored=ignored)


def refuse_levels(text: str, *, source: str) -> None:
    """Say of the first table that is meant as levels why it is none; a document without such a table passes.

    Only for a document that nothing else could be made of. Raises RubricError with line and cell.
    """
    try:
        _, body, body_line = split_front_matter(_plain(text))
    except ValueError:
        return
    for table in read_tables(body, first_line=body_line):
        problems = () if table.is_list else _faults(table)
        if problems:
            raise RubricError(tuple(problem.at(source) for problem in problems[:MAX_LISTED_PROBLEMS]))


def _faults(table: RawTable) -> tuple[Problem, ...]:
    """Why this is no table of levels; nothing of one that may well be something else."""
    if not table.rows:
        return (refusal("rubric-levels-few", table.line, least=str(_LEAST_LEVELS)),)
    is_wide = len(table.header) > _LEAST_TEXTS
    numbers = columns_with(table.rows, lambda cell: _LEVEL.fullmatch(cell) is not None)
    if not numbers and is_wide:
        return tuple(
            refusal("rubric-level-number", row.line, found=cell_at(row, 0))
            for row in table.rows
            if not _LEVEL.fullmatch(cell_at(row, 0))
        )
    if len(numbers) > 1 and is_wide:
        first, second = sorted(numbers)[:2]
        return tuple(
            refusal("rubric-level-name-number", row.line, found=cell_at(row, second))
            for row in table.rows
            if _LEVEL.fullmatch(cell_at(row, first)) and _LEVEL.fullmatch(cell_at(row, second))
        )
    if numbers == [0] and len(_text_columns(table, 0)) < _LEAST_TEXTS:
        names = [cell_at(row, 1) or cell_at(row, 0) for row in table.rows]
        return tuple(
            refusal("rubric-level-no-criteria", row.line, found=name)
            for row, name in zip(table.rows, names, strict=True)
        )
    return ()


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class Numbered(NamedTuple):
    """Levels of one table. problems: what in it can't be read."""

    levels: tuple[Level, ...]
    problems: tuple[Problem, ...]


def numbered_levels(table: RawTable) -> Numbered | None:
    """The levels of a table with a column of whole numbers, names and criteria; None when it is none."""
    column = None if table.is_list else _level_column(table)
    if column is None or len(_text_columns(table, column)) < _LEAST_TEXTS:
        return None
    reader = _Reader()
    levels = reader.levels(table, column)
    return Numbered(levels, tuple(reader.problems))


class _Reader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def levels(self, table: RawTable, column: int) -> tuple[Level, ...]:
        name_at, criteria_at = _text_columns(table, column)[:_LEAST_TEXTS]
        levels: list[Level] = []
        numbers: dict[int, int] = {}
        names: dict[str, int] = {}
        for row in table.rows:
            cell, name, criteria = cell_at(row, column), cell_at(row, name_at), cell_at(row, criteria_at)
            if not _LEVEL.fullmatch(cell):
                self._refuse("rubric-level-number", row, cell)
                continue
            first = numbers.setdefault(int(cell), row.line)
            first_name = names.setdefault(fold(name), row.line)
            if first != row.line:
                self._refuse("rubric-level-twice", row, cell, first=str(first))
            elif not name:
                self._refuse("rubric-level-no-name", row, cell)
            elif first_name != row.line:
                self._refuse("rubric-level-twice", row, name, first=str(first_name))
            elif not criteria:
                self._refuse("rubric-level-no-criteria", row, name)
            levels.append(Level(name=name, points=float(int(cell)), criteria=criteria))
        if len(levels) < _LEAST_LEVELS and not self.problems:
            self.problems.append(refusal("rubric-levels-few", table.line, least=str(_LEAST_LEVELS)))
        return tuple(levels)

    def compare(self, document: LevelDocument, table: RawTable, column: int) -> bool:
        """Hold a table of level, score and name against the levels; False when it is no such table."""
        score_at = next(iter(columns_with(table.rows, lambda cell: _SCORE.fullmatch(cell) is not None)), None)
        if score_at is None or score_at == column:
            return False
        by_number = {level.points: level for level in document.levels}
        for row in table.rows:
            cell, score = cell_at(row, column), cell_at(row, score_at)
            match = _SCORE.fullmatch(score)
            level = by_number.get(float(int(cell))) if _LEVEL.fullmatch(cell) else None
            if level is None:
                self._refuse("rubric-level-unknown", row, cell, known=", ".join(map(show_number, by_number)))
            elif match is None or not _is_shown_as(document.score(level.points), match):
                expected = f"{float(document.score(level.points)):.2f}"
                self._refuse("rubric-level-score", row, score, level=show_number(level.points), expected=expected)
        return True

    def _refuse(self, code: str, row: TableRow, found: str, **values: str) -> None:
        self.problems.append(refusal(code, row.line, found=found, **values))


def _is_shown_as(score: Fraction, match: re.Match[str]) -> bool:
    """Is this the score as written, rounded to the digits that it has?"""
    text = match[1].replace(",", ".")
    digits = len(text.partition(".")[2])
    is_near = abs(Fraction(text) - score) <= Fraction(1, 2 * 10**digits)
    return is_near and (match[2] is None or abs(Fraction(int(match[2])) - score * 100) <= Fraction(1, 2))


def _level_column(table: RawTable) -> int | None:
    """The only column of whole numbers."""
    columns = columns_with(table.rows, lambda cell: _LEVEL.fullmatch(cell) is not None)
    return columns[0] if len(columns) == 1 else None


def _text_columns(table: RawTable, level_column: int) -> Sequence[int]:
    """Columns beside the levels that hold words, not scores."""
    return [
        at
        for at in range(len(table.header))
        if at != level_column and any(cell_at(row, at) and not _SCORE.fullmatch(cell_at(row, at)) for row in table.rows)
    ]
