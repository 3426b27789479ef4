"""Fills blank cells of an export from the questions of a sheet, and adds their checks (docs/questions.md)."""

from collections.abc import Sequence

from msgspec.structs import replace

from scoring.items.identity import identifier
from scoring.reading import ColumnMap
from scoring.rubric import Rubric
from scoring.text import CellMemo, is_blank

_FIELDS = ("question", "expected", "track", "category")


class QuestionFiller:
    """Fills the rows of one file. `columns`: of the filled rows; what the file lacks stands behind its own."""

    def __init__(self, columns: ColumnMap, rubric: Rubric) -> None:
        self._questions = {identifier(one.query_id): one for one in rubric.questions}
        self._identifiers = CellMemo(identifier)
        self._has_checks = rubric.checks is not None
        wanted = {column.name: column.title for column in rubric.columns if column.name in _FIELDS}
        lacking = [field for field in wanted if field not in columns.at]
        self._lacking = [""] * len(lacking)
        added = {field: columns.width + place for place, field in enumerate(lacking)}
        self.columns = replace(
            columns,
            header=(*columns.header, *(wanted[field] for field in lacking)),
            at={**columns.at, **added},
        )
        self._at = {field: self.columns.at[field] for field in wanted}
        self._query_at = columns.at.get("query_id")

    def filled(self, rows: Sequence[Sequence[str]]) -> list[list[str]]:
        """The rows, each of the width of `columns`."""
        return [self._filled([*row, *self._lacking]) for row in rows]

    def _filled(self, cells: list[str]) -> list[str]:
        named = "" if self._query_at is None else self._identifiers[cells[self._query_at]]
        question = self._questions.get(named)
        if question is None:
            return cells
        for field, at in self._at.items():
            if is_blank(cells[at]):
                cells[at] = getattr(question, field)
        expected_at = self._at.get("expected")
        if question.check and self._has_checks and expected_at is not None:
            cells[expected_at] = f"{cells[expected_at]}\n{question.check}".lstrip("\n")
        return cells
