"""XLSX workbooks for people, hardened: a text stays a text, and what a sheet cannot hold is cut and named in its place.

Texts come from files. None becomes a formula, a link, a number or markup of the workbook; characters that XML cannot
hold, and those that turn the direction of a text, become U+FFFD. The same sheets give the same bytes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import islice
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import xlsxwriter

from reporting.wording import count
from texts import Texts

CELL_LIMIT = 32_767  # UTF-16 units of a cell, by Excel
HINT_LIMIT = 255  # of the message beside a cell, by Excel
ROW_LIMIT = 1_048_576  # rows of a sheet with its header, by Excel
Cell = str | float | None

_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 -- a workbook says when it was made, in no zone; its bytes must not
_OPTIONS = {
    "constant_memory": True,  # a row is written when the next one begins: rows come in their order
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_EXACT_BELOW = 1e15  # larger numbers lose digits in Excel, and are texts
_UNHELD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_ESCAPE_OF_EXCEL = re.compile("_(?=x[0-9A-Fa-f]{4}_)")  # _x0041_ would be read as A
_HEAD = {"bold": True, "bg_color": "#E7ECF1", "border": 1, "border_color": "#C6D0D9", "valign": "top"}
_LISTS = "_lists"  # hidden: what the cells of columns with choices may hold


class Column(NamedTuple):
    """A column of a sheet.

    width: in characters. number: Excel's format of its numbers, such as `0.00`; "" as they come. wraps: do long texts
    take several lines? choices: what a person may write into its cells, from a list; none for anything. hint: what
    shows beside a cell with choices, at most HINT_LIMIT characters. colours: text of a cell -> its background,
    `#RRGGBB`. is_hidden: it is there, and nobody sees it.
    """

    title: str
    width: float = 12
    number: str = ""
    wraps: bool = False
    choices: Sequence[str | float] = ()
    hint: str = ""
    colours: Mapping[str, str] = MappingProxyType({})
    is_hidden: bool = False


class Sheet(NamedTuple):
    """A sheet: a header that stays in sight, and rows, at least one column. A number is a number, None an empty cell.

    title: at most 31 characters, none of `[]:*?/\\`. frozen: columns that stay in sight. has_filter: can its rows be
    filtered by the header?
    """

    title: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[Cell]]
    frozen: int = 0
    has_filter: bool = False


class _Look(NamedTuple):
    """How the cells of a column are written: its letters, and formats as attributes."""

    column: str
    usual: str
    colours: Mapping[str, str]


def write_workbook(path: Path, sheets: Sequence[Sheet], *, title: str, temporary: Path, t: Texts) -> None:
    """Write a workbook; the rows of a sheet are read once, and held one by one.

    title: of the document. temporary: an own folder for files in between, which the caller removes. Raises OSError.
    """
    book = xlsxwriter.Workbook(str(path), {**_OPTIONS, "tmpdir": str(temporary)})
    book.set_properties({"title": _text(title, t), "created": _CREATED})
    pages = [book.add_worksheet(sheet.title) for sheet in sheets]
    try:
        try:
            lists = _lists(book, sheets, t)
            for page, sheet in zip(pages, sheets, strict=True):
                _fill(book, page, sheet, t)
                for at, column in enumerate(sheet.columns):
                    if column.choices:
                        rule = {"validate": "list", "source": next(lists), "input_message": _text(column.hint, t)}
                        page.data_validation(1, at, ROW_LIMIT - 1, at, rule)
        finally:
            book.close()  # its files in between, too
    except xlsxwriter.exceptions.FileCreateError as error:
        for page in book.worksheets():
            page.row_data_fh.close()  # which the library leaves open here
        raise error.args[0] from error  # what the system said


def _fill(book: xlsxwriter.Workbook, page: xlsxwriter.worksheet.Worksheet, sheet: Sheet, t: Texts) -> None:
    """The cells of a sheet, and how it looks on the screen and on paper."""
    head = book.add_format({**_HEAD, "text_wrap": True})
    aligned = {"valign": "top"} if any(column.wraps for column in sheet.columns) else {}
    looks = []
    for at, column in enumerate(sheet.columns):
        look = aligned | ({"text_wrap": True} if column.wraps else {})
        whole = look | ({"num_format": column.number} if column.number else {})
        usual = book.add_format(whole) if whole else None
        page.set_column(at, at, column.width, usual, {"hidden": column.is_hidden})
        page.write_string(0, at, _text(column.title, t), head)
        colours = {text: _style(book.add_format({**look, "bg_color": of})) for text, of in column.colours.items()}
        looks.append(_Look(xlsxwriter.utility.xl_col_to_name(at), _style(usual), colours))
    page._write_single_row(1)  # noqa: SLF001 -- the header goes into the file of rows, and ours below it
    last = 0
    for last, row in enumerate(_held(sheet.rows, t), start=1):
        cells = "".join([_cell(looks[at], last + 1, cell, t) for at, cell in enumerate(row)])
        page.row_data_fh.write(f'<row r="{last + 1}">{cells}</row>')
    page._check_dimensions(last, 0)  # noqa: SLF001 -- how far it goes
    page.freeze_panes(1, sheet.frozen)
    if sheet.has_filter:
        page.autofilter(0, 0, last, len(sheet.columns) - 1)
    page.set_landscape()
    page.fit_to_pages(1, 0)
    page.repeat_rows(0)


def _style(of: xlsxwriter.format.Format | None) -> str:
    return "" if of is None else f' s="{of._get_xf_index()}"'  # noqa: SLF001 -- there is no public way


def _cell(look: _Look, row: int, cell: Cell, t: Texts) -> str:
    """A cell as a sheet has it in its file. The library would write the same, in five times the CPU."""
    if cell is None or cell == "":
        return ""
    if not isinstance(cell, str):
        if isfinite(cell) and abs(cell) < _EXACT_BELOW:
            return f'<c r="{look.column}{row}"{look.usual}><v>{cell:.16G}</v></c>'
        cell = str(cell)
    text = escape(_text(cell, t), quote=False)
    if "_x" in text:
        text = _ESCAPE_OF_EXCEL.sub("_x005F_", text)
    space = "" if text == text.strip() else ' xml:space="preserve"'
    style = look.colours.get(cell, look.usual)
    return f'<c r="{look.column}{row}"{style} t="inlineStr"><is><t{space}>{text}</t></is></c>'


def _held(rows: Iterable[Sequence[Cell]], t: Texts) -> Iterator[Sequence[Cell]]:
    """The rows that a sheet holds; where there are more, its last one says how many."""
    found = iter(rows)
    yield from islice(found, ROW_LIMIT - 2)
    last = next(found, None)
    if last is None:
        return
    more = sum(1 for _ in found)
    yield [t("workbook.more-rows", n=count(more + 1), limit=count(ROW_LIMIT))] if more else last


def _text(text: str, t: Texts) -> str:
    """A text as a cell holds it."""
    if not text.isprintable():
        text = _UNHELD.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(text) > CELL_LIMIT // 2 and _units(text) > CELL_LIMIT:
        end = t("workbook.cut-text", n=count(len(text)))
        kept = text[: CELL_LIMIT - len(end)]
        while _units(kept) + len(end) > CELL_LIMIT:  # characters beyond U+FFFF are two units
            kept = kept[: -(_units(kept) + len(end) - CELL_LIMIT + 1) // 2]
        text = kept + end
    # The library takes what looks like the markup of a rich text as such, and would not escape it.
    return f"{text} " if text.startswith("<r>") and text.endswith("</r>") else text


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _lists(book: xlsxwriter.Workbook, sheets: Sequence[Sheet], t: Texts) -> Iterator[str]:
    """The choices of the columns on a hidden sheet, as addresses: in the cell itself commas would part them."""
    choices = [column.choices for sheet in sheets for column in sheet.columns if column.choices]
    if not choices:
        return iter(())
    page = book.add_worksheet(_LISTS)
    page.hide()
    for row in range(max(map(len, choices))):
        for at, texts in enumerate(choices):
            choice = texts[row] if row < len(texts) else ""
            if isinstance(choice, str):
                page.write_string(row, at, _text(choice, t))
            else:  # what a person types is a number, too
                page.write_number(row, at, choice)
    names = (xlsxwriter.utility.xl_col_to_name(at, True) for at in range(len(choices)))
    return iter([f"={_LISTS}!{name}$1:{name}${len(texts)}" for name, texts in zip(names, choices, strict=True)])
