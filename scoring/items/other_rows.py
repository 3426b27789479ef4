"""Tells headers, ruled lines and totals among the data from rows that are items (docs/scoring.md#rows-left-out).

Each check looks at a few columns of a batch first, and at whole rows only where those give a reason.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from scoring.reading import ColumnMap
from scoring.rubric import Rubric, normalise_header
from scoring.text import CellMemo, is_blank, normalise, number
from texts import words

RULER_ROW = "ruler-row"
_WORDS = words("rows")
_PUNCTUATION = re.compile(r"[\s:：.()\[\]<>*_-]+")
_LONGEST_NAME = 40
_LEAST_NAMES = 2
_RULER = re.compile(r"[\s|:+]*[-=_~\u2010-\u2015\u2212\u2500-\u257f][-=_~|:+\s\u2010-\u2015\u2212\u2500-\u257f]*")
_LEAST_RULER = 3  # signs of its longest cell
_LOOKED_AT = ("round", "track", "llm_score", "llm_status", "category", "rubric_level", "query_id")
_MOST_LOOKED_AT = 3
_CONTENT = ("raw_json", "question", "response")


class OtherRows:
    """Finds headers and totals among the rows of one file.

    follow_header: do the rows come right after the header, which may go on in them? may_go_on: is each of the first
    rows a line of the header, so that the next ones may be too?
    """

    def __init__(self, columns: ColumnMap, rubric: Rubric, *, follow_header: bool = True) -> None:
        spellings = [spelling for column in rubric.columns for spelling in (column.title, *column.aliases)]
        # No cache may refer to this object: a cycle would keep a file's texts until the garbage collector runs.
        self._is_name = CellMemo(partial(_is_in, names=_compared([*spellings, *columns.header])))
        self._may_be_name = CellMemo(partial(_is_in, names=_compared([*spellings, *columns.header, *_WORDS["names"]])))
        self._may_be_ruler = CellMemo(_is_ruler_or_blank)
        self._is_type = CellMemo(partial(_is_in, names=_compared(_WORDS["types"])))
        looked_at = [columns.at[field] for field in _LOOKED_AT if field in columns.at] or list(columns.at.values())
        self._looked_at = looked_at[:_MOST_LOOKED_AT]
        self._content = [columns.at[field] for field in _CONTENT if field in columns.at]
        self._next_header_row = 2 if follow_header else 0
        self.may_go_on = False

    def found(
        self, numbers: Sequence[int], rows: Sequence[Sequence[str]], cells: Sequence[Sequence[str]]
    ) -> dict[int, str]:
        """Code by index of the rows that are no items. numbers: of the rows; cells: their columns."""
        found = {
            index: RULER_ROW
            for at in self._looked_at[:1]
            if any(map(self._may_be_ruler.__getitem__, set(cells[at])))
            for index, row in enumerate(rows)
            if is_ruler(row)
        }
        found |= {
            index: "repeated-header"
            for at in self._looked_at
            if any(map(self._may_be_name.__getitem__, set(cells[at])))  # few cells of these columns differ
            for index, cell in enumerate(cells[at])
            if self._may_be_name[cell] and self._is_header(rows[index])
        }
        if numbers and numbers[0] == self._next_header_row:
            lines = list(self._lines_of_header(rows, found))
            self.may_go_on = len(lines) == len(rows)
            found |= dict.fromkeys(lines, "repeated-header")
        if self._content and min(map(len, content := cells[self._content[0]])) <= _LONGEST_NAME:
            found |= {
                index: "total-row"
                for index, cell in enumerate(content)
                if len(cell) <= _LONGEST_NAME and self._is_total(rows[index])
            }
        return found

    def _lines_of_header(self, rows: Sequence[Sequence[str]], headers: Mapping[int, str]) -> Iterator[int]:
        """Indexes of the names and types right under the header."""
        for index, row in enumerate(rows):
            if index not in headers and not self._is_line_of_types(row):
                return
            if headers.get(index) != RULER_ROW:
                yield index

    def _is_header(self, row: Sequence[str]) -> bool:
        """Are most of the filled cells names of columns, in any spelling and order, and none a number?"""
        filled = _filled(row)
        return (
            sum(map(self._is_name.__getitem__, filled)) >= min(_LEAST_NAMES, len(row))
            and sum(map(self._may_be_name.__getitem__, filled)) * 2 > len(filled)
            and all(number(cell) is None for cell in filled)
        )

    def _is_line_of_types(self, row: Sequence[str]) -> bool:
        filled = _filled(row)
        types = sum(map(self._is_type.__getitem__, filled))
        return types >= _LEAST_NAMES and types * 2 > len(filled)

    def _is_total(self, row: Sequence[str]) -> bool:
        """Is one of the first filled cells a word for a total, in a row without question, answer and payload?"""
        return any(map(_is_total_word, _filled(row)[:2])) and all(
            is_blank(row[at]) or _is_total_word(row[at]) for at in self._content
        )


def is_ruler(row: Sequence[str]) -> bool:
    """Are all filled cells drawn with dashes or equals signs, as database clients rule a line under the header?"""
    longest = 0
    for cell in row:
        if cell.strip():
            if _RULER.fullmatch(cell) is None:
                return False
            longest = max(longest, len(cell))
    return longest >= _LEAST_RULER


def _is_ruler_or_blank(cell: str) -> bool:
    return not cell.strip() or _RULER.fullmatch(cell) is not None


def _compared(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(normalise_header, names)))


def _is_in(cell: str, *, names: frozenset[str]) -> bool:
    return len(cell) <= _LONGEST_NAME and normalise_header(cell.strip('"')) in names


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if not is_blank(cell)]


def _is_total_word(cell: str) -> bool:
    return len(cell) <= _LONGEST_NAME and _PUNCTUATION.sub("", normalise(cell)).casefold() in _WORDS["totals"]
