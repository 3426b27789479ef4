"""The items of a set as the data of report.html: compact JSON that a page may carry.

At most MAX_ITEMS; of more, those that lost most. READ_ITEMS of them have texts as long as the page allows, the others
the start of each, so that every figure leads to its items. Texts are hostile: they are cleaned here, nothing in the
JSON can end the element that holds it, and the page's script shows them as plain text.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count
from typing import Any, NamedTuple

import msgspec

from reporting.data.item_columns import Columns, item_columns
from reporting.data.item_facets import item_facets
from reporting.data.item_rules import ItemRules
from reporting.document.report import differs, fault_text, operator_text
from reporting.wording import (
    excerpt,
    item_metrics,
    item_points,
    key_of,
    measure_title,
    quantity,
    review_text,
    status_name,
)
from scoring import Memo
from scoring.items import FailedCheck, Item, Review
from scoring.results import Insights, SetResult, turn_labels
from scoring.rubric import RUBRICS, Rubric, Status, is_score
from texts import Texts

MAX_ITEMS = 20_000
READ_ITEMS = 5_000
BUDGET_BYTES = 1_200_000  # what the data of a usual set may take; every further item may add MORE_BYTES
USUAL_ITEMS = 354
MORE_BYTES = 1_000
SHORT_BYTES = 500  # of an item beyond READ_ITEMS
SHORT_CHARS = 60  # of each of its texts
MAX_CHECKS, FEW_CHECKS = 20, 5  # failed checks of an item: of a usual set, and of a larger one
_TEXT_CHARS = (4_096, 2_000, 1_000, 500, 250, 120, 60)  # tried in turn until the budget holds
_MAX_TURNS = 50  # of a conversation that the panel shows
_TURN_CHARS = 120  # of a question or answer in it
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Further fields of an item and of its details, by the keys of their titles.
_MORE = {
    "llm-status": "llm_status",
    "llm-score": "recorded",
    "llm-comment": "llm_comment",
    "llm-model": "llm_model",
    "failure-word": "failure_word",
    "run-id": "run_id",
    "item-id": "item_id",
    "executed-at": "executed_at",
    "label": "label",
    "signature": "signature",
}
# A verdict and its reason, shown beside the points.
_JUDGED = {
    "verdict": "verdict",
    "verdict-reason": "verdict_reason",
    "rubrics-level": "rubrics_level",
    "rubrics-reason": "rubrics_reason",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemData:
    """json: for a `<script type="application/json">`. shown of total: items in it, of those of the set."""

    json: bytes
    shown: int
    total: int


def embed_items(result: SetResult, insights: Insights, t: Texts, *, mark: str = "") -> ItemData:
    """The data of the items, as large as a page may carry. mark: of the set, which addresses of the page begin with."""
    losses = _losses_of(result, t)
    chosen = _worst(losses, range(len(losses)), MAX_ITEMS)
    read = _worst(losses, chosen, READ_ITEMS)
    items = result.items.pick(chosen)
    of = item_columns(items)
    of_read = of if len(read) == len(chosen) else item_columns(_chosen_of(items, chosen, read))
    for_read = BUDGET_BYTES + MORE_BYTES * max(len(read) - USUAL_ITEMS, 0)
    budget = for_read + SHORT_BYTES * (len(chosen) - len(read))
    page = {"mark": mark, **_page(result, insights, chosen, of, t)}
    long = None if len(read) == len(chosen) else _strings_of(page["items"], chosen, read)
    data = b""
    for limit in _text_limits(of_read, for_read):
        data = _escaped(page | _rows(page, limit, long))
        if len(data) > budget and page["payloads"]:  # they are not worth a shorter answer
            page["payloads"] = []
            data = _escaped(page | _rows(page, limit, long))
        if len(data) <= budget:
            break
    return ItemData(json=data, shown=len(chosen), total=len(result.items))


def embedded_items(result: SetResult, t: Texts) -> Sequence[int]:
    """Indices of the items that `embed_items` takes."""
    losses = _losses_of(result, t)
    return _worst(losses, range(len(losses)), MAX_ITEMS)


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


def _worst(losses: Sequence[float], among: Sequence[int], most: int) -> Sequence[int]:
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


def _losses_of(result: SetResult, t: Texts) -> Sequence[float]:
    """Points that each item lost; not computed where all items are embedded and read."""
    table = result.table
    if len(table) <= READ_ITEMS:
        return (0.0,) * len(table)
    names = list(item_metrics(result.rubric, t))
    lost = _losses([item_points(table.distinct, name) for name in names], _scales(result, names))
    return array("d", map(lost.__getitem__, table.numbers))


def _chosen_of(items: Sequence[Item], indices: Sequence[int], wanted: Sequence[int]) -> list[Item]:
    """Those of the items whose indices are wanted; both in ascending order."""
    is_wanted = frozenset(wanted)
    return [item for index, item in zip(indices, items, strict=True) if index in is_wanted]


def _strings_of(columns: Sequence[Sequence[object]], chosen: Sequence[int], read: Sequence[int]) -> set[int]:
    """Places of the strings of the items to read."""
    of_read = set(read)
    is_read = [index in of_read for index in chosen]
    return {at for column in columns if isinstance(column, _Numbered) for at in compress(column, is_read)}


def _scales(result: SetResult, names: Iterable[str]) -> list[float]:
    return [result.rubric.scale_of(name).highest for name in names]


def _losses(points: Sequence[Sequence[float | None]], scales: Sequence[float]) -> list[float]:
    """Points that each item lost over all its metrics; a missing value lost nothing.

    points: a column per metric.
    """
    lost: Memo[tuple[float | None, ...], float] = Memo(
        lambda kind: round(
            sum([scale - value for scale, value in zip(scales, kind, strict=True) if value is not None]), 6
        )
    )
    return list(map(lost.__getitem__, zip(*points, strict=True)))


def _text_limits(of: Columns, budget: int) -> Sequence[int]:
    """The limits worth trying: the first that brings the texts alone near the budget, and shorter ones."""
    long = [of[name] for name in ("question", "expected", "response", "message", "error")]
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


def _page(result: SetResult, insights: Insights, chosen: Sequence[int], of: Columns, t: Texts) -> dict[str, Any]:
    """The data, its items still as columns and its strings as they were read."""
    facets = item_facets(result, insights, chosen, of, t)
    queries = {query_id: place for place, query_id in enumerate(dict.fromkeys(of["query_id"]))}
    metrics = item_metrics(result.rubric, t)
    points, scales = [of[name] for name in metrics], _scales(result, metrics)
    rules = ItemRules(result.rubric, t)
    mixed = _mixed(result, insights)
    answers = zip(of["message"], of["response"], strict=True)
    judged, more = _judged_columns(of, t), _more_columns(of, t) | _measure_columns(of["measures"], result.rubric, t)
    more |= _reason_columns(of["score_reasons"], result.rubric, t)
    more |= _session_columns(result, chosen, t) | _review_columns(of["review"], t)
    strings = _Strings()
    columns: list[Sequence[object]] = [
        [queries[query_id] for query_id in of["query_id"]],
        of["seconds"],
        _losses(points, scales),
        [int(query_id in mixed) for query_id in of["query_id"]],
        strings.numbered(rules.statuses(of)),
        strings.numbered(of["question"]),
        strings.numbered(of["expected"]),
        strings.numbered(of["response"]),
        strings.numbered([None if message == response else message for message, response in answers]),
        strings.numbered(of["error"]),
        of["row"],
        *[facet.values for facet in facets],
        *points,
        *map(strings.numbered, rules.columns(of)),
        *map(strings.numbered, judged.values()),
        *map(strings.numbered, more.values()),
    ]
    checks = _failed_checks(of["failed_checks"], strings, t)
    columns.append(checks.column)
    payloads = {text: place for place, text in enumerate(filter(None, dict.fromkeys(of["payload"])))}
    columns.append([payloads.get(text, -1) for text in of["payload"]])
    return {
        "scales": scales,
        "queries": [key_of(query_id) for query_id in queries],
        "facets": [facet.described() for facet in facets],
        "passes": [status in result.rubric.pass_statuses for status in Status],
        "metrics": [[name, title] for name, title in metrics.items()],
        "judged": list(judged),
        "more": list(more),
        "checks": checks.parts,
        "lists": checks.lists,
        "payloads": [clean_lines(text, len(text)) for text in payloads],
        "strings": [text for text in strings if text is not None],
        "items": columns,
        "note": t("items.note-raw" if result.rubric.has_column("raw_json") else "items.note"),
        "texts": t.starting("js."),
    }


def _mixed(result: SetResult, insights: Insights) -> set[str]:
    """Query IDs whose rounds differ: they pass in one and fail in another, or levels, labels or signatures differ."""
    mixed = {query.query_id for query in result.repeatability.flaky}
    mixed.update([query.query_id for query in insights.disagreeing])
    mixed.update([query.query_id for query in result.agreements if differs(query)])
    rubric, samples = result.rubric, result.query_values.samples
    columns: list[Sequence[object]] = [] if rubric.rubrics is None else [item_points(samples, RUBRICS)]
    if insights.failed_items and not rubric.has_metric("consistency"):  # whose rounds are not compared elsewhere
        columns.append([one.status in rubric.pass_statuses for one in samples])
    for values in columns:
        alike = result.query_values.alike
        differing = {marks for marks in alike if len({*map(values.__getitem__, marks)} - {None}) > 1}
        of_queries = zip(result.query_values.query_ids, result.query_values.marks, strict=True)
        mixed.update([query_id for query_id, marks in of_queries if marks in differing])
    return mixed


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


def _judged_columns(of: Columns, t: Texts) -> dict[str, Sequence[str]]:
    """Verdicts and their reasons, by title; only what any item has."""
    return {t(f"more.{key}"): of[name] for key, name in _JUDGED.items() if any(of[name])}


def _review_columns(reviews: Sequence[tuple[Review, ...]], t: Texts) -> dict[str, Sequence[str]]:
    """What people graded, by title; only where anybody did."""
    column = [review_text(of_item, t) for of_item in reviews]
    return {t("more.reviewed"): column} if any(column) else {}


def _session_columns(result: SetResult, chosen: Sequence[int], t: Texts) -> dict[str, Sequence[str]]:
    """Session and turn of the items, and the whole conversation in the order of its turns, by title."""
    if result.sessions is None:
        return {}
    items = result.items
    cells = [("", "", "")] * len(items)
    for entry in result.sessions.entries:
        labels = turn_labels(items, entry.turns)
        told = "\n".join(
            t(
                "more.turn-line",
                turn=label,
                status=status_name(items[at].status, t),
                question=excerpt(items[at].question, _TURN_CHARS),
                answer=excerpt(items[at].response or items[at].message or items[at].error, _TURN_CHARS),
            )
            for at, label in zip(entry.turns[:_MAX_TURNS], labels, strict=False)
        )
        for at, label in zip(entry.turns, labels, strict=True):
            cells[at] = entry.session, label, told
    titles = (t("more.session"), t("more.turn"), t("more.turns"))
    return dict(zip(titles, zip(*[cells[at] for at in chosen], strict=True), strict=True))


def _measure_columns(measures: Sequence[Sequence[float | None]], rubric: Rubric, t: Texts) -> dict[str, Sequence[str]]:
    """The measures, by title; "" where an item has no value."""
    return {
        measure_title(measure.title, measure.unit, t): [
            "" if amounts[at] is None else quantity(amounts[at], measure.decimals) for amounts in measures
        ]
        for at, measure in enumerate(rubric.measures)
    }


def _reason_columns(reasons: Sequence[Sequence[str]], rubric: Rubric, t: Texts) -> dict[str, Sequence[str]]:
    """What is said of the scores, by title; scores without any reason are left out."""
    scores = [measure for measure in rubric.measures if is_score(measure.name)]
    found = {
        t("scores.reason", title=measure_title(measure.title, "", t)): [one[at] if one else "" for one in reasons]
        for at, measure in enumerate(scores)
    }
    return {title: texts for title, texts in found.items() if any(texts)}


def _more_columns(of: Columns, t: Texts) -> dict[str, Sequence[str]]:
    """The other fields of the items, by title; "" where an item has none."""
    columns = {t(f"more.{key}"): of[name] for key, name in _MORE.items()}
    return {title: column for title, column in columns.items() if any(column)}


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
