"""Tables and list lines of a Markdown document, with their lines and the words above them; and tracks named by a list.

Decides what a table is in Markdown's sense; what it means is decided by `scoring.rubric.document.roles`.
Fenced and indented code is prose. A quotation mark at the start of a line (`- >20초:0`) is text here:
people write it as "greater than".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from scoring.rubric.document.cells import plain_symbols
from scoring.rubric.fields import Track, TrackId, place_of
from scoring.text import normalise

_SEPARATOR = re.compile(r":|→|->|(?<![<>=!])=(?![=<>])")
_PROSE = {"paragraph_open", "fence", "code_block"}
_ENDS_CAPTION = {
    *("heading_open", "bullet_list_open", "ordered_list_open", "list_item_open"),
    *("bullet_list_close", "ordered_list_close", "table_close", "fence", "code_block", "hr"),
}


class TableRow(NamedTuple):
    """line: in the text given, from 1. cells: plain text, stripped. text: the whole line of a list, "" in a table."""

    line: int
    cells: tuple[str, ...]
    text: str = ""

    def cell(self, column: int) -> str:
        """Cell of a column; "" where the row is shorter."""
        return self.cells[column] if column < len(self.cells) else ""


class RawTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table, or a list whose lines are read as rows of (condition, points).

    line, last_line: from 1, both included. header: empty for lists. labels: what may name the table, the most
    telling first: the heading above, the list lines that lead in, the paragraph above, the headings above those.
    """

    line: int
    last_line: int
    is_list: bool
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    labels: tuple[str, ...]

    @property
    def label(self) -> str:
        """The most telling label, else the header."""
        return self.labels[0] if self.labels else " | ".join(self.header)

    @property
    def filled_rows(self) -> tuple[TableRow, ...]:
        """Rows with any text."""
        return tuple(row for row in self.rows if any(row.cells))

    def header_cell(self, column: int) -> str:
        """Header of a column; "" in a list."""
        return self.header[column] if column < len(self.header) else ""


class _Item(msgspec.Struct):
    line: int
    text: str | None = None


class _List(msgspec.Struct):
    line: int
    labels: tuple[str, ...]
    items: list[_Item] = []


class _Walk(msgspec.Struct):
    headings: list[tuple[int, str]] = []
    lists: list[_List] = []
    caption: str = ""

    def step(self, token: Token, following: Sequence[Token], line: int) -> None:
        """Take in one token; following: the token after it, which holds the text of a heading or paragraph."""
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
                self.headings = [heading for heading in self.headings if heading[0] < level]
                self.headings.append((level, _plain(following[0])))
            case "paragraph_open":
                self.caption = _plain(following[0])
                if self.lists and self.lists[-1].items and self.lists[-1].items[-1].text is None:
                    self.lists[-1].items[-1].text = self.caption
            case "bullet_list_open" | "ordered_list_open":
                self.lists.append(_List(line=line, labels=self.labels()))
            case "list_item_open":
                self.lists[-1].items.append(_Item(line=line))

    def labels(self) -> tuple[str, ...]:
        heading = [text for _, text in self.headings[-1:]]
        lead_ins = [frame.items[-1].text or "" for frame in reversed(self.lists) if frame.items]
        # The document's own title says nothing about one table among many.
        above = [text for level, text in reversed(self.headings[:-1]) if level > 1]
        return tuple(dict.fromkeys(label for label in (*heading, *lead_ins, self.caption, *above) if label))


def read_tables(text: str, *, first_line: int = 1) -> tuple[RawTable, ...]:
    """Every table and list of a document, in order; first_line: number of the first line of `text`."""
    tokens = _parser().parse(text)
    found = sorted(_walk(tokens, first_line), key=lambda table: (table.line, table.last_line))
    return tuple(found)


def prose_lines(text: str, *, first_line: int = 1) -> tuple[tuple[int, int], ...]:
    """First and last line of every paragraph and piece of code outside tables and lists."""
    return tuple(
        (token.map[0] + first_line, token.map[1] + first_line - 1)
        for token in _parser().parse(text)
        if token.map and not token.level and token.type in _PROSE
    )


def paragraphs(text: str, *, first_line: int = 1) -> tuple[tuple[int, str], ...]:
    """First line and text of every paragraph outside tables and lists, and of short code that is in no language."""
    found = []
    tokens = _parser().parse(text)
    for at, token in enumerate(tokens):
        if not token.map or token.level:
            continue
        if token.type == "paragraph_open":
            found.append((token.map[0] + first_line, _plain(tokens[at + 1])))
        elif token.type == "fence" and not token.info.strip() and token.content.count("\n") == 1:
            found.append((token.map[0] + first_line + 1, token.content.strip()))
    return tuple(found)


def columns_with(rows: Sequence[TableRow], holds: Callable[[str], bool]) -> list[int]:
    """Columns of which at least half of the rows hold such a cell, the fullest first."""
    width = max((len(row.cells) for row in rows), default=0)
    counts = {at: sum(holds(row.cell(at)) for row in rows) for at in range(width)}
    wanted = [at for at, count in counts.items() if count and count * 2 >= len(rows)]
    return sorted(wanted, key=lambda at: (-counts[at], at))


def split_line(text: str) -> tuple[str, ...]:
    """`<=5초:5` -> ("<=5초", "5"), at the last separator; a line without one is a single cell."""
    plain = plain_symbols(text)
    last = None
    for match in _SEPARATOR.finditer(plain):
        last = match
    if last is None:
        return (text,)
    return (plain[: last.start()].strip(), plain[last.end() :].strip())


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["blockquote", "link", "image", "autolink", "html_inline", "html_block", "reference"])
    return parser


def _walk(tokens: Sequence[Token], first_line: int) -> Iterator[RawTable]:
    state = _Walk()
    for index, token in enumerate(tokens):
        line = (token.map[0] if token.map else 0) + first_line
        if token.type == "table_open":
            yield _table(tokens, index, first_line, state.labels())
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            yield _list_table(state.lists.pop())
        else:
            state.step(token, tokens[index + 1 : index + 2], line)
        if token.type in _ENDS_CAPTION:
            state.caption = ""


def _list_table(frame: _List) -> RawTable:
    rows = tuple(TableRow(item.line, split_line(item.text), item.text) for item in frame.items if item.text is not None)
    last_line = rows[-1].line if rows else frame.line
    return RawTable(line=frame.line, last_line=last_line, is_list=True, header=(), rows=rows, labels=frame.labels)


def _table(tokens: Sequence[Token], start: int, first_line: int, labels: tuple[str, ...]) -> RawTable:
    rows: list[TableRow] = []
    cells: list[str] = []
    line = 0
    for token in tokens[start:]:
        if token.type == "tr_open":
            line = (token.map[0] if token.map else 0) + first_line
            cells = []
        elif token.type == "inline":
            cells.append(_plain(token))
        elif token.type == "tr_close":
            rows.append(TableRow(line, tuple(cells)))
        elif token.type == "table_close":
            break
    header, *body = rows
    return RawTable(
        line=header.line,
        last_line=body[-1].line if body else header.line + 1,
        is_list=False,
        header=header.cells,
        rows=tuple(body),
        labels=labels,
    )


def _plain(inline: Token) -> str:
    """Text of an inline token without its emphasis and code marks."""
    parts = []
    for child in inline.children or ():
        if child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return "".join(parts).strip()


def read_track_list(table: RawTable, words: Sequence[str]) -> tuple[Track, ...]:
    """The tracks of a list each of whose lines says what one track is; () for anything else.

    words: what a track is called ("track", "트랙").
    """
    if not table.is_list or not words:
        return ()
    line = re.compile(
        rf"(?:{'|'.join(map(re.escape, words))})\s*([0-9]{{1,9}})\s*[:：]\s*(\S.*)", re.IGNORECASE | re.DOTALL
    )
    found = [line.fullmatch(normalise(row.text)) for row in table.rows]
    if not found or not all(found):
        return ()
    return tuple(Track(number=int(match[1]), meaning=match[2]) for match in found if match is not None)


def with_meanings(declared: Sequence[Track], listed: Iterable[Track]) -> tuple[Track, ...]:
    """Declared tracks with what the lists of the document say; what is declared wins.

    Numbers ascending; where a track is a text, in the order in which they are declared, before others.
    """
    tracks: dict[TrackId, Track] = {}
    said = {track.number: track for track in listed}
    for track in (*declared, *said.values()):
        known = tracks.get(track.number, track)
        meaning = known.meaning or (said[track.number].meaning if track.number in said else "")
        tracks[track.number] = Track(number=known.number, meaning=meaning, items=known.items)
    if any(isinstance(number, str) for number in tracks):
        return tuple(tracks.values())
    return tuple(sorted(tracks.values(), key=lambda track: place_of(track.number)))
