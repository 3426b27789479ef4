"""`index.md` and `index.html` of the output folder: a board and every set with its state; a page of each trend.

They are made from the small files of the sets alone: `status.json`, `gate.json`, `baseline.json`. They show the folder
as it is now; unlike a report they are no function of a key.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from reporting.document import html_page, markdown_page
from reporting.index.board import Board, ToDo
from reporting.index.cells import row_texts
from reporting.index.html import FIRST_ROWS, ROWS, PageRows, html_row
from reporting.index.packed import packed_row
from reporting.index.page import GONE, SETS, Marks, index_page, markdown_row
from reporting.index.rows import Rows
from reporting.store import (
    Chunks,
    KnownSets,
    PackedRows,
    joined,
    keep_unused,
    read_apart,
    read_sources,
    read_unread,
    read_unused,
    work_area,
    write_atomic,
)
from reporting.trend import Trends, is_trend, trend_page, trend_table
from scoring import Problem
from scoring.reading import NotRegularError, open_named
from scoring.sets import shown
from texts import texts

__all__ = ["INDEX_HTML", "INDEX_MD", "Index", "write_index"]

INDEX_MD = "index.md"
INDEX_HTML = "index.html"
NO_PATTERNS: Mapping[str, Sequence[str]] = MappingProxyType({})
NOTHING: Mapping[str, float] = MappingProxyType({})
_Mark = tuple[int, int, int]


class Index:
    """The index and the trends of one folder of reports: what has changed is drawn, the rest is kept.

    known: its sets. patterns: profile -> names of files that are scored, to be shown beside files that are not.
    """

    def __init__(self, known: KnownSets, *, language: str, patterns: Mapping[str, Sequence[str]] = NO_PATTERNS) -> None:
        self._known = known
        self._texts = texts(language)
        self._patterns = patterns
        self._board = Board(known, self._texts)
        self._rows = Rows(known)
        self._trends = Trends(known)
        self._lines, self._data = PackedRows(), PackedRows()  # of each set: apart, as each page reads one of them
        self._markup: dict[str, str] = {}  # of the first rows
        self._told: dict[str, tuple[str, str]] = {}  # set without a report -> key and text of its problem
        self._stale: set[str] = set()  # profiles
        self._looks = 0
        self._written: dict[str, _Mark | None] = {}  # files of trends

    def use(self, patterns: Mapping[str, Sequence[str]]) -> None:
        """Documents have changed."""
        self._patterns = patterns

    @property
    def is_behind(self) -> bool:
        """Has something changed that is not written yet?"""
        return self._rows.is_behind

    def write(
        self,
        *,
        unclaimed: Iterable[str] = (),
        waiting: Mapping[str, float] = NOTHING,
        changed: str = "",
        unused: Sequence[Problem] | None = None,
    ) -> bool:
        """Write the pages that would change; True when one did.

        unclaimed: relative paths of the files that are not scored. waiting: relative path -> since when it is waited
        for, in seconds since the epoch. changed: what happens since documents or rules have changed. unused: what of
        review files, tables and run info is not used, noted for `status` and later indexes; None is what was noted.
        Raises OSError.
        """
        out = self._known.out
        if unused is not None:
            keep_unused(out, tuple(unused))
        if not self._known.looks:
            self._known.look()
        self._stale |= self._trends.update()
        trends = self._trends.profiles()
        names = {name for profile in trends for name in (trend_page(profile), trend_table(profile))}
        is_changed = False
        late = {shown(path): since for path, since in sorted(waiting.items())}
        todo = ToDo(
            sorted(map(shown, unclaimed)),
            read_unread(out),
            late,
            self._patterns,
            changed,
            read_unused(out),
            [group for group in read_apart(out) if all(name in self._known.entries for name in group)],
        )
        for name, chunks in self._files(todo):
            if (name in self._written and name in names) or not _holds(out / name, chunks()):
                write_atomic(out / name, chunks(), temporary=work_area(out, "tmp"))
                is_changed = True
            if name in names:
                self._written[name] = _mark(out / name)
        self._remove_others(names)
        self._stale.clear()
        return is_changed

    def _files(self, todo: ToDo) -> Iterator[tuple[str, Chunks]]:
        """The pages and the trends that may be others now, piece by piece: of many sets each takes megabytes."""
        yield from self._pages(todo)
        for profile in self._trends.profiles():
            if profile in self._stale or not self._is_written(profile):
                yield from self._trends.files(profile, self._texts).items()

    def _pages(self, todo: ToDo) -> Iterator[tuple[str, Chunks]]:
        """index.md and index.html."""
        t, rows = self._texts, self._rows
        changed = rows.update(read_sources(self._known.out))
        names = list(rows.names())
        for name in changed.difference(self._known.entries):
            self._forget(name)
        for name in filter(changed.__contains__, names):
            self._draw(name)
        self._lines.pack(names)
        self._data.pack(names)
        present = [name for name in names if name not in rows.gone] if rows.gone else names
        gone = [name for name in names if name in rows.gone] if rows.gone else []
        self._markup = {
            name: self._markup.get(name) or html_row(rows.row(name), rows.metrics, rows.columns, t)
            for name in islice(present, FIRST_ROWS)
        }
        shown_rows = PageRows(list(self._markup.values()), dict(self._told.values()))
        marks = Marks(SETS if present else "", GONE if gone else "")
        cards = self._board.cards()
        page = index_page(rows, cards, shown_rows, marks, trends=self._trends.profiles(), todo=todo, t=t)
        text, markup = markdown_page(page).encode(errors="replace"), bytes(html_page(page, t))
        lines = ((marks.sets, present), (marks.gone, gone))
        yield INDEX_MD, lambda: _filled(text, ((mark.encode(), joined(self._lines.of(of))) for mark, of in lines))
        yield INDEX_HTML, lambda: _filled(markup, [(ROWS, joined(self._data.of(names), b",\n"))])

    def _draw(self, name: str) -> None:
        """The row of a set that is new or another."""
        self._told.pop(name, None)
        self._markup.pop(name, None)
        row = self._rows.row(name)
        shown_row = row_texts(row, self._rows.metrics, self._texts)
        profile = self._rows.profile_place(row.entry.status.profile)
        data, told = packed_row(row, shown_row, profile, self._texts)
        self._lines[name] = markdown_row(row, shown_row, self._rows.columns)
        self._data[name] = data
        if told[0]:
            self._told[name] = told

    def _forget(self, name: str) -> None:
        """A set is gone."""
        self._told.pop(name, None)
        self._markup.pop(name, None)
        self._lines.discard(name)
        self._data.discard(name)

    def _is_written(self, profile: str) -> bool:
        """Are the files of the trend as they were written?"""
        names = trend_page(profile), trend_table(profile)
        return all(name in self._written and _mark(self._known.out / name) == self._written[name] for name in names)

    def _remove_others(self, names: set[str]) -> None:
        """Remove the files of profiles that have no report any more: those written here, and after a look all."""
        out = self._known.out
        found = set(self._written)
        if self._looks != self._known.looks:
            self._looks = self._known.looks
            found |= {name for name in _names(out) if is_trend(name)}
        for name in found - names:
            (out / name).unlink(missing_ok=True)
            self._written.pop(name, None)


def write_index(
    out: Path,
    *,
    unclaimed: Iterable[str] = (),
    language: str = "ko",
    patterns: Mapping[str, Sequence[str]] = NO_PATTERNS,
    unused: Sequence[Problem] | None = None,
    known: KnownSets | None = None,
) -> bool:
    """Write the index and the trends once. known: the sets as they are now, None looks at all folders.

    The rest as `Index`. Raises OSError.
    """
    return Index(known or KnownSets(out), language=language, patterns=patterns).write(
        unclaimed=unclaimed, unused=unused
    )


def _names(out: Path) -> Iterator[str]:
    try:
        yield from os.listdir(out)  # noqa: PTH208 -- path objects of all sets would cost more than the look
    except FileNotFoundError:
        return


def _filled(page: bytes, places: Iterable[tuple[bytes, Iterable[bytes]]]) -> Iterator[bytes]:
    """The page with lines in these places of it, in their order; a place is empty where there are none."""
    for place, lines in places:
        if place:
            before, _, page = page.partition(place)
            yield before
            yield from lines
    yield page


def _holds(path: Path, chunks: Iterable[bytes]) -> bool:
    """Has the file this content? It is read no further than it has."""
    try:
        with open_named(path) as stream:
            return all(stream.read(len(chunk)) == chunk for chunk in chunks) and not stream.read(1)
    except (FileNotFoundError, NotRegularError):
        return False


def _mark(path: Path) -> _Mark | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
