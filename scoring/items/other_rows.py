"""Tells rows that are no items, headers and totals among the data, from those that are (docs/scoring.md#rows-left-out).

Each check looks at a few columns of a batch first, and at whole rows only where those give a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from scoring.reading import ColumnMap
from scoring.rubric import Rubric, normalise_header
from scoring.text import CellMemo, is_blank, normalise, number

# Names of columns that a second header uses beside those of the rubric.
_MORE_NAMES = (
    "실행 ID", "문항 ID", "항목 ID", "질의 ID", "질문 ID", "ID", "번호", "순번", "No", "질문", "답변", "구분",
    "분류", "라운드", "실행 시각", "에러", "점수", "상태", "코멘트", "등급", "question", "answer", "prompt",
    "comment", "score", "level",
)  # fmt: skip
_TYPE_NAMES = (
    "text", "string", "str", "char", "varchar", "int", "integer", "bigint", "long", "float", "double", "decimal",
    "number", "numeric", "bool", "boolean", "date", "time", "datetime", "timestamp", "json", "object", "array", "list",
    "enum", "uuid", "room/repeat", "0-5", "0~5", "문자열", "텍스트", "문자", "정수", "실수", "숫자", "날짜", "일시",
    "시각", "불리언", "목록", "객체",
)  # fmt: skip
_TOTALS = frozenset((
    "합계", "총합계", "총계", "소계", "누계", "총합", "총점", "평균", "총평균", "전체", "전체평균", "전체합계", "합산",
    "중앙값", "최댓값", "최솟값", "total", "totals", "grandtotal", "subtotal", "sum", "average", "avg", "mean",
    "median", "overall",
))  # fmt: skip
_PUNCTUATION = re.compile(r"[\s:：.()\[\]<>*_-]+")
_LONGEST_NAME = 40
_LEAST_NAMES = 2
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
        self._may_be_name = CellMemo(partial(_is_in, names=_compared([*spellings, *columns.header, *_MORE_NAMES])))
        self._is_type = CellMemo(partial(_is_in, names=_compared(_TYPE_NAMES)))
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


def _compared(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(normalise_header, names)))


def _is_in(cell: str, *, names: frozenset[str]) -> bool:
    return len(cell) <= _LONGEST_NAME and normalise_header(cell.strip('"')) in names


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if not is_blank(cell)]


def _is_total_word(cell: str) -> bool:
    return len(cell) <= _LONGEST_NAME and _PUNCTUATION.sub("", normalise(cell)).casefold() in _TOTALS
