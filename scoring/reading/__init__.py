"""Bytes become rows, and everything that makes a file unreadable."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.reading.columns import ColumnMap, TopRow, column_titles, columns_of, top_rows
    from scoring.reading.delimited import FIELD_LIMIT, DelimitedTable
    from scoring.reading.file_type import ByteSigns
    from scoring.reading.packed import is_packed, unpacked
    from scoring.reading.readers import JSON_EXTENSIONS, SPREADSHEET_EXTENSIONS, TEXT_EXTENSIONS, Table
    from scoring.reading.readers import in_its_encoding, near_rows, open_table, read_small_table
    from scoring.reading.readers import refuse_unusable_header, shown_cells, with_rows_around, with_sheet_rows_around
    from scoring.reading.record_shapes import NoRecordsError, Place
    from scoring.reading.regular_file import LARGE_BYTES, ContentHash, NotRegularError, open_named, open_regular
    from scoring.reading.regular_file import read_at, read_named, whole_hash
    from scoring.reading.sheet_cells import first_sheet, formula_cells
    from scoring.reading.spreadsheet import SpreadsheetTable
    from scoring.reading.text_source import NotThisEncodingError, Span, is_korean_in_latin_1
else:
    __getattr__ = door(__name__)
