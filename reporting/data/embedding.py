"""Items as the data of a page: compact JSON that report.html and compare.html carry, and the same without a script.

As large as a page may be: READ_ITEMS of them have texts as long as that allows, the others the start of each. Texts are
hostile: they are cleaned here, nothing in the JSON can end the element that holds it, and the page's script shows them
as plain text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain, compress, count
from typing import Any, NamedTuple

import msgspec

from reporting.data.facets import Facet
from reporting.data.readable import readable_items
from reporting.document import Embedded
from reporting.document.report import fault_text, operator_text
from reporting.wording import key_of
from scoring import Memo
from scoring.comparison import Basis
from scoring.items import FailedCheck
from texts import Texts

MAX_ITEMS = 20_000
READ_ITEMS = 5_000
BUDGET_BYTES = 1_150_000  # what the data of a usual set may take; every further item may add MORE_BYTES
USUAL_ITEMS = 354
MORE_BYTES = 1_000
SHORT_BYTES = 500  # of an item beyond READ_ITEMS
SHORT_CHARS = 60  # of each of its texts
MAX_CHECKS, FEW_CHECKS = 20, 5  # failed checks of an item: of a usual set, and of a larger one
_TEXT_CHARS = (4_096, 2_000, 1_000, 500, 250, 120, 60)  # tried in turn until the budget holds
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")

Column = Sequence[Any]


class PageItems(NamedTuple):
    """Items as columns, with one value an item.

    mark: of the page, which its addresses begin with. preset: the key of the one that is chosen at first, "" for none.
    passed: None where there is nothing to assess. texts: why it has its status, question, expected result, response,
    message and error. rows: in the input, None where they are not known. metrics: title by name; points, rules and
    scales are in their order. judged: what a grader said, by title; more: all else. pages: addresses of the reports of
    both sides of a comparison, "" without one. copies: metrics with the points of another one (`copies_among`). review:
    `reporting.data.page_review`.
    """

    mark: str
    query_ids: Sequence[str]
    seconds: Column
    passed: Sequence[bool | None]
    texts: Sequence[Column]
    rows: Column
    facets: Sequence[Facet]
    metrics: Mapping[str, str]
    scales: Sequence[float]
    points: Sequence[Column]
    rules: Sequence[Column]
    judged: Mapping[str, Column]
    more: Mapping[str, Column]
    note: str
    review: Mapping[str, Any]
    failed_checks: Sequence[tuple[FailedCheck, ...]] = ()
    payloads: Sequence[str] = ()
    preset: str = ""
    pages: Sequence[str] = ()
    copies: Collection[str] = ()


def embed(items: PageItems, t: Texts, *, total: int, is_read: Sequence[bool] | None = None) -> Embedded:
    """The data of a page. total: items of the set. is_read: those whose texts are more than a start; None for all."""
    shown = len(items.query_ids)
    read = shown if is_read is None else sum(is_read)
    for_read = BUDGET_BYTES + MORE_BYTES * max(read - USUAL_ITEMS, 0)
    budget = for_read + SHORT_BYTES * (shown - read)
    page = _page(items, t)
    long = None if is_read is None else _strings_of(page["items"], is_read)
    texts = items.texts[1:] if is_read is None else [tuple(compress(column, is_read)) for column in items.texts[1:]]
    fitted: dict[str, Any] = {}
    data = b""
    for limit in _text_limits(texts, for_read):
        fitted = page | _rows(page, limit, long)
        data = _escaped(fitted)
        if len(data) > budget and page["payloads"]:  # they are not worth a shorter answer
            page["payloads"] = fitted["payloads"] = []
            data = _escaped(fitted)
        if len(data) <= budget:
            break
    return Embedded(json=data, shown=shown, total=total, readable=readable_items(fitted, t))


def script_json(value: object) -> str:
    """JSON that is inert inside a script element of an HTML page, whatever its texts hold."""
    return _escaped(value).decode()


def _escaped(value: object) -> bytes:
    """JSON without a character that markup begins or ends with, or that ends a line of JavaScript."""
    data = msgspec.json.encode(value)
    for mark in "<>&\u2028\u2029":
        data = data.replace(mark.encode(), b"\\u%04x" % ord(mark))
    return data


def clean_lines(text: str, limit: int) -> str:
    """`text` with its line breaks but without control and bidi characters, at most `limit` characters."""
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    if text.isprintable() or text.replace("\n", "").isprintable():  # nothing to remove
        return text.strip("\n")
    lines = "\n".join(text.replace("\t", " ").splitlines())
    return _SURROGATES.sub("\ufffd", _STEERING.sub("", lines)).strip("\n")


def worst(losses: Sequence[float], among: Sequence[int], most: int) -> Sequence[int]:
    """At most `most` of these items, in file order: those that lost most, and of equal ones the first."""
    if len(among) <= most:
        return among
    counted = Counter([losses[index] for index in among])
    room = most
    for least in sorted(counted, reverse=True):
        if counted[least] >= room:
            break
        room -= counted[least]
    equal = [index for index in among if losses[index] == least][:room]
    return sorted([index for index in among if losses[index] > least] + equal)


def copies_among(basis: Basis, metrics: Collection[str]) -> list[str]:
    """The metrics whose points are those of another of them, so that what they lose is lost already."""
    return [name for name in metrics if basis.copies.get(name) in metrics]


def lost_points(points: Sequence[Column], scales: Sequence[float]) -> list[float]:
    """Points that each item lost over all its metrics; a missing value lost nothing.

    points: a column per metric.
    """
    lost: Memo[tuple[float | None, ...], float] = Memo(
        lambda kind: round(
            sum([scale - value for scale, value in zip(scales, kind, strict=True) if value is not None]), 6
        )
    )
    return list(map(lost.__getitem__, zip(*points, strict=True)))


def _text_limits(long: Sequence[Column], budget: int) -> Sequence[int]:
    """The limits worth trying: the first that brings the texts alone near the budget, and shorter ones."""
    long = [list(filter(None, column)) for column in long]
    if 2 * sum(sum(map(len, column)) for column in long) <= budget:
        return _TEXT_CHARS  # as a rule; repeated texts need no closer look
    sizes = [len(text) if text.isascii() else 2 * len(text) for text in set(chain.from_iterable(long))]
    for number, limit in enumerate(_TEXT_CHARS):
        if sum([min(size, 2 * limit) for size in sizes]) <= budget:
            return _TEXT_CHARS[number:]
    return _TEXT_CHARS[-1:]


class _Numbered(list[int]):
    """A column of texts as numbers: places in `strings`, -1 where there is nothing to show."""


class _Strings(defaultdict[str | None, int]):
    """The texts of all columns as they were read, numbered by first use: most of them recur."""

    def __init__(self) -> None:
        super().__init__(count().__next__)
        self[None] = -1

    def numbered(self, texts: Iterable[str | None]) -> _Numbered:
        return _Numbered(map(self.__getitem__, texts))


def _strings_of(columns: Sequence[Column], is_read: Sequence[bool]) -> Collection[int]:
    """Places of the strings of the items to read."""
    return {at for column in columns if isinstance(column, _Numbered) for at in compress(column, is_read)}


def _page(items: PageItems, t: Texts) -> dict[str, Any]:
    """The data, its items still as columns and its strings as they were read."""
    n = len(items.query_ids)
    queries = {query_id: place for place, query_id in enumerate(dict.fromkeys(items.query_ids))}
    counted = [at for at, name in enumerate(items.metrics) if name not in items.copies]
    columns_lost = [items.points[at] for at in counted]
    lost = lost_points(columns_lost, [items.scales[at] for at in counted]) if counted else [0.0] * n
    strings = _Strings()
    columns: list[Column] = [
        [queries[query_id] for query_id in items.query_ids],
        items.seconds,
        lost,
        [-1 if passed is None else int(passed) for passed in items.passed],
        *map(strings.numbered, items.texts),
        items.rows,
        *[facet.values for facet in items.facets],
        *items.points,
        *map(strings.numbered, items.rules),
        *map(strings.numbered, items.judged.values()),
        *map(strings.numbered, items.more.values()),
    ]
    checks = _failed_checks(items.failed_checks or [()] * n, strings, t)
    columns.append(checks.column)
    payloads = {text: place for place, text in enumerate(filter(None, dict.fromkeys(items.payloads)))}
    columns.append([payloads.get(text, -1) for text in items.payloads] or [-1] * n)
    return {
        "mark": items.mark,
        "preset": items.preset,
        "pages": items.pages,
        "scales": items.scales,
        "copies": [at for at, name in enumerate(items.metrics) if name in items.copies],
        "queries": [key_of(query_id) for query_id in queries],
        "facets": [facet.described() for facet in items.facets],
        "metrics": [[name, title] for name, title in items.metrics.items()],
        "judged": list(items.judged),
        "more": list(items.more),
        "checks": checks.parts,
        "lists": checks.lists,
        "payloads": [clean_lines(text, len(text)) for text in payloads],
        "strings": [text for text in strings if text is not None],
        "items": columns,
        "note": items.note,
        "review": items.review,
        "texts": t.starting("js."),
    }


def _rows(page: Mapping[str, Any], limit: int, long: Container[int] | None) -> dict[str, Any]:
    """The items of a page as rows, and their strings as they are shown.

    long: places of the strings that may have `limit` characters, of which others have less; None for all.
    """
    columns, checks = page["items"], page["checks"]
    strings = _shown(page["strings"], limit)
    if long is not None:
        short = min(limit, SHORT_CHARS)
        strings = [
            text if len(text) <= short or at in long else clean_lines(text, short) for at, text in enumerate(strings)
        ]
    places = dict.fromkeys(strings)
    if len(places) < len(strings):  # some are equal now that they are cut
        places = {text: place for place, text in enumerate(places)}
        moved = [*map(places.__getitem__, strings), -1]  # -1 stays the last
        columns = [[moved[at] for at in column] if isinstance(column, _Numbered) else column for column in columns]
        checks = [[moved[at] for at in parts] for parts in checks]
    return {"strings": list(places), "checks": checks, "items": list(zip(*columns, strict=True))}


def _shown(texts: Sequence[str], limit: int) -> list[str]:
    """`clean_lines` of each. Most often there is nothing to clean, which one look at all of them shows."""
    if "".join(texts).replace("\n", "").isprintable():
        return [text.strip("\n") if len(text) <= limit else clean_lines(text, limit) for text in texts]
    return [clean_lines(text, limit) for text in texts]


class _Checks(NamedTuple):
    """The failed checks of the items.

    parts: of every different one its path, condition, expected and found value and fault as texts. lists: for every
    different list of checks their places. column: of each item its list, -1 for none.
    """

    parts: list[_Numbered]
    lists: list[list[int]]
    column: list[int]


def _failed_checks(failed: Sequence[tuple[FailedCheck, ...]], strings: _Strings, t: Texts) -> _Checks:
    most = MAX_CHECKS if len(failed) <= USUAL_ITEMS else FEW_CHECKS
    known: dict[FailedCheck, int] = {}
    lists: dict[tuple[FailedCheck, ...], int] = {}
    column = [lists.setdefault(checks[:most], len(lists)) if checks else -1 for checks in failed]
    places = [[known.setdefault(check, len(known)) for check in checks] for checks in lists]
    parts = [
        strings.numbered(
            [check.name, operator_text(check.operator, t), check.value, check.found, fault_text(check.fault, t)]
        )
        for check in known
    ]
    return _Checks(parts, places, column)
