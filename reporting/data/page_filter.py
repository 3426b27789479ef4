"""The items that an address of report.html names: what its page filters and opens, for programs.

The facets are those that the page carries (`item_facets` makes them), and an address means here what `address.js`,
`bench.js` and `items.js` make of it. The order of the page's table (`sort`) chooses no items.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl

import msgspec

from reporting.data.facets import PRESET
from reporting.document import DATA_END, DATA_START
from reporting.wording import clean
from scoring import number

LONGEST, LONGEST_TEXT = 4_000, 200  # characters of an address, and of its search
OF_ITEM = ("report", "query", "of", "at", "in")
OF_TABLE = ("text", "metric", "from", "below", "sort", "all")
ALL = "all"
_QUERY, _TEXTS, _ROW, _FIRST = 0, range(5, 10), 10, 11  # places in the row of an item, as items.js has them
_NEAREST = 3
_MOST_NAMED = 12
_SHOWN = 80

Row = Sequence[float | int | None]
Test = Callable[[Row], bool]


class AddressError(ValueError):
    """An address that says something else than this page has. key, values: of the text that says what."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(f"{key}: {', '.join(values.values())}")
        self.key, self.values = key, values


class PageItem(NamedTuple):
    """Where an item is: the place of its file among the inputs, and its row as a spreadsheet shows it."""

    file: int
    row: int


class _Facet(msgspec.Struct):
    name: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...] = ()


class _Page(msgspec.Struct):
    mark: str
    facets: tuple[_Facet, ...]
    metrics: tuple[tuple[str, str], ...]
    queries: tuple[str, ...]
    strings: tuple[str, ...]
    items: tuple[tuple[float | int | None, ...], ...]
    preset: str = ""


class PageData(NamedTuple):
    """The items of a page. shown: how many it carries, which may be fewer than the set has."""

    page: _Page
    shown: int

    @classmethod
    def of(cls, html: bytes) -> PageData:
        """Of the bytes of a report.html. Raises ValueError for a page without items."""
        data = html.partition(DATA_START)[2].partition(DATA_END)[0]
        page = msgspec.json.decode(data, type=_Page)
        return cls(page, len(page.items))

    def chosen(self, address: str) -> list[PageItem]:
        """The items that an address leaves, in the order of the file. address: all or what stands behind its `#`.

        One that opens an item and filters nothing means the item, or all of its query. Raises AddressError.
        """
        page = self.page
        named = _read(address, page)
        is_filtered = any(name not in OF_ITEM for name in named)
        tests = _filters(named, page) if is_filtered else _opened(named, page)
        file = _FIRST + _place(page, "file")
        found = [row for row in page.items if all(fits(row) for fits in tests)]
        if not found and not is_filtered:
            raise AddressError("not-here", found=_shown("&".join(f"{k}={v}" for k, v in named.items())))
        return [PageItem(_whole(row[file]), _whole(row[_ROW])) for row in found]


def _read(address: str, page: _Page) -> dict[str, str]:
    """What an address names. Raises AddressError for what the page would not apply."""
    address = address.partition("#")[2] if "#" in address else address
    if len(address) > LONGEST:
        raise AddressError("too-long", limit=str(LONGEST))
    pairs = parse_qsl(address, keep_blank_values=True)
    named = dict(pairs)
    known = [PRESET, *(facet.name for facet in page.facets if facet.name != PRESET), *OF_TABLE, *OF_ITEM]
    if address and not pairs:
        raise AddressError("no-filter", found=_shown(address), names=", ".join(known))
    for at, (name, value) in enumerate(pairs):
        if name not in known:
            raise _unknown("unknown-name", name, known)
        if any(other == name for other, _ in pairs[:at]):
            raise AddressError("twice", name=name, found=_shown(value))
    if named.get("report", page.mark) != page.mark:
        raise AddressError("other-report", found=_shown(named["report"]), mark=page.mark)
    return named


def _filters(named: Mapping[str, str], page: _Page) -> list[Test]:
    chosen = {name: value for name, value in named.items() if name not in {*OF_ITEM, *OF_TABLE}}
    chosen.setdefault(PRESET, page.preset or ALL)
    if chosen[PRESET] == ALL:
        del chosen[PRESET]
    tests = [_of_facet(name, value, page) for name, value in chosen.items()]
    tests += _of_points(named, page)
    text = named.get("text", "")
    if len(text) > LONGEST_TEXT:
        raise AddressError("long-text", limit=str(LONGEST_TEXT))
    words = _searched(text).split()
    if words:
        texts = _searched_texts(page)
        tests.append(lambda row: all(word in texts(row) for word in words))
    return tests


def _of_facet(name: str, key: str, page: _Page) -> Test:
    at = _place(page, name)
    facet = page.facets[at]
    if key not in facet.keys:
        raise _unknown("unknown-value", key, facet.keys, name=name)
    value, place = facet.keys.index(key), _FIRST + at
    wanted = {number for number, each in enumerate(facet.sets) if value in each} if facet.sets else {value}
    return lambda row: row[place] in wanted


def _of_points(named: Mapping[str, str], page: _Page) -> list[Test]:
    limits = {name: _number(name, named[name]) for name in ("from", "below") if named.get(name, "") != ""}
    metric = named.get("metric", "")
    if not metric:
        if limits:
            raise AddressError("no-metric", names=", ".join(name for name, _ in page.metrics))
        return []
    names = [name for name, _ in page.metrics]
    if metric not in names:
        raise _unknown("unknown-value", metric, names, name="metric")
    place = _FIRST + len(page.facets) + names.index(metric)
    least, below = limits.get("from", float("-inf")), limits.get("below", float("inf"))
    if not limits:
        return []

    def fits(row: Row) -> bool:
        points = row[place]
        return points is not None and least <= points < below

    return [fits]


def _opened(named: Mapping[str, str], page: _Page) -> list[Test]:
    """The item that an address opens; all items of its query where it names no place."""
    if "query" not in named and "at" not in named:
        return []
    tests: list[Test] = []
    if "query" in named:
        queries = {at for at, name in enumerate(page.queries) if name == named["query"]}
        if not queries:
            raise _unknown("unknown-value", named["query"], page.queries, name="query")
        tests.append(lambda row: row[_QUERY] in queries)
    there: list[Test] = []
    if named.get("at"):
        there.append(lambda row: str(row[_ROW]) == named["at"])
    if named.get("in"):
        there.append(_of_facet("file", named["in"], page))
    is_there = bool(there) and any(all(fits(row) for fits in (*tests, *there)) for row in page.items)
    if is_there or "query" not in named:
        return [*tests, *there]
    return [*tests, _of_facet("round", named["of"], page)] if named.get("of") else tests


def _searched_texts(page: _Page) -> Callable[[Row], str]:
    category = _place(page, "category")
    names, places = page.facets[category].names, [*_TEXTS]

    def text(at: float | None, among: Sequence[str]) -> str:
        return "" if at is None or at < 0 else among[int(at)]

    def searched(row: Row) -> str:
        parts = [page.queries[_whole(row[_QUERY])], text(row[_FIRST + category], names)]
        return _searched("\n".join([*parts, *(text(row[at], page.strings) for at in places)]))

    return searched


def _searched(text: str) -> str:
    return unicodedata.normalize("NFC", text.lower())


def _place(page: _Page, name: str) -> int:
    return next(at for at, facet in enumerate(page.facets) if facet.name == name)


def _number(name: str, written: str) -> float:
    value = number(written)
    if value is None:
        raise AddressError("no-number", name=name, found=_shown(written))
    return value


def _whole(value: float | None) -> int:
    return -1 if value is None else int(value)


def _unknown(key: str, found: str, known: Iterable[str], **values: str) -> AddressError:
    """The error of a name or value that is not there, with the nearest ones, else with the first of all."""
    among = list(known)
    folded = {name.casefold(): name for name in among}
    close = difflib.get_close_matches(found.casefold()[:_SHOWN], folded, n=_NEAREST)
    names = [folded[near] for near in close] or among[:_MOST_NAMED]
    return AddressError(key, found=_shown(found), names=", ".join(map(_shown, names)) or "–", **values)


def _shown(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
