"""Sheets of workbooks become rows."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.reading.sheets.spreadsheet import SpreadsheetTable
else:
    __getattr__ = door(__name__)
