"""The items of a set as the data of report.html: compact JSON that a page may carry.

At most MAX_ITEMS, those that lost most first when there are more. Texts are hostile: they are cleaned here, nothing in
the JSON can end the element that holds it, and the page's script shows them as text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from operator import attrgetter
from typing import Any

import msgspec

from reporting.catalogue import Texts
from reporting.display import excerpt
from reporting.item_rules import ItemRules
from reporting.names import item_metrics, round_name, status_name, track_name
from reporting.view_metrics import shown_groups
from scoring.insights import Insights
from scoring.part import Item
from scoring.repetition import group_key
from scoring.result import SetResult
from scoring.rubric import Status

MAX_ITEMS = 5_000
BUDGET_BYTES = 1_200_000  # what the data of a usual set may take; every further item may add MORE_BYTES
USUAL_ITEMS = 354
MORE_BYTES = 1_000
_TEXT_CHARS = (4_096, 2_000, 1_000, 500, 250, 120, 60)  # tried in turn until the budget holds
_ID_CHARS = 120
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Further attributes of an item and of its details, by the keys of their titles.
_MORE = {
    "llm-status": "llm_status",
    "llm-score": "recorded",
    "llm-comment": "llm_comment",
    "llm-model": "llm_model",
    "failure-word": "failure_word",
    "run-id": "run_id",
    "item-id": "item_id",
    "executed-at": "executed_at",
}
_MORE_DETAILS = {"class": "latency_class", "verdict": "verdict", "label": "label", "signature": "signature"}
_of_item = attrgetter(*_MORE.values())
_of_details = attrgetter(*_MORE_DETAILS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemData:
    """json: for a `<script type="application/json">`. shown of total: items in it, of those of the set."""

    json: str
    shown: int
    total: int


def embed_items(result: SetResult, insights: Insights, t: Texts) -> ItemData:
    """The data of the items, as large as a page may carry."""
    chosen = _chosen(result, t)
    budget = BUDGET_BYTES + MORE_BYTES * max(len(chosen) - USUAL_ITEMS, 0)
    data = b""
    for limit in _TEXT_CHARS:
        data = script_json(_data(result, insights, chosen, limit, t))
        if len(data) <= budget:
            break
    return ItemData(json=data.decode(), shown=len(chosen), total=len(result.items))


def script_json(value: object) -> bytes:
    """JSON that is inert inside a script element of an HTML page, whatever its texts hold."""
    data = msgspec.json.encode(value)
    for mark in (b"<", b">", b"&"):
        data = data.replace(mark, b"\\u%04x" % ord(mark))
    return data.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def clean_lines(text: str, limit: int) -> str:
    """`text` with its line breaks but without control and bidi characters, at most `limit` characters."""
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    if text.isprintable() or text.replace("\n", "").isprintable():  # nothing in it that is taken out below
        return text.strip("\n")
    lines = "\n".join(text.replace("\t", " ").splitlines())
    return _SURROGATES.sub("\ufffd", _STEERING.sub("", lines)).strip("\n")


def _chosen(result: SetResult, t: Texts) -> list[int]:
    """Indices of the items to embed, in file order."""
    items = result.items
    if len(items) <= MAX_ITEMS:
        return list(range(len(items)))
    lost = _Lost(result, t)
    losses = [lost.points(item) for item in items]
    return sorted(nsmallest(MAX_ITEMS, range(len(items)), key=lambda index: (-losses[index], index)))


class _Lost:
    """Points that an item lost over all its metrics; the kinds of items are few."""

    def __init__(self, result: SetResult, t: Texts) -> None:
        self._full = result.rubric.scale
        self._names = tuple(item_metrics(result.rubric, t))
        self._known: dict[tuple[float | None, ...], float] = {}

    def points(self, item: Item) -> float:
        """A value that is not there lost nothing."""
        kind = item.intent, item.accuracy, item.stability, item.latency
        if kind not in self._known:
            values = [getattr(item, name) for name in self._names]
            self._known[kind] = sum(self._full - value for value in values if value is not None)
        return self._known[kind]


class _Strings(dict[str, int]):
    """Numbers for texts; the same text has the same number."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def _data(result: SetResult, insights: Insights, chosen: Sequence[int], limit: int, t: Texts) -> dict[str, Any]:
    strings = _Strings()
    items = result.items
    rounds = {entry.label: index for index, entry in enumerate(result.rounds)}
    tracks = {track: index for index, track in enumerate(dict.fromkeys(items[index].track for index in chosen))}
    rules = ItemRules(result.rubric, t)
    lost = _Lost(result, t)
    names = item_metrics(result.rubric, t)
    statuses = {status: index for index, status in enumerate(Status)}
    mixed = {query.query_id for query in insights.disagreeing}
    cleaned: dict[str, int] = {}

    def kept(text: str) -> int:
        """Texts recur (질의, 기대결과, 오류): each is cleaned once."""
        number = cleaned.get(text)
        if number is None:
            number = cleaned[text] = strings[clean_lines(text, limit)]
        return number

    more = _More(kept, strings, t)
    rows = [
        [
            kept(item.query_id),
            rounds[item.round],
            tracks[item.track],
            statuses[item.status],
            [getattr(item, name) for name in names],
            item.seconds,
            round(lost.points(item), 6),
            int(item.query_id in mixed),
            strings[rules.status(item)],
            [strings[text] for text in rules.points(item)],
            kept(item.question),
            kept(item.expected),
            kept(item.response),
            kept(item.message) if item.message != item.response else -1,
            kept(item.error),
            kept(item.category),
            source,
            item.row,
            more.pairs(item),
        ]
        for item, source in ((items[index], result.sources[index]) for index in chosen)
    ]
    return {
        "scale": result.rubric.scale,
        "rounds": [round_name(entry, t) for entry in result.rounds],
        "tracks": [track_name(group_key(track), t) for track in tracks] if shown_groups(result) else [],
        "statuses": [status_name(status, t) for status in statuses],
        "passes": [status in result.rubric.pass_statuses for status in statuses],
        "metrics": list(names.values()),
        "files": [excerpt(entry.name, _ID_CHARS) for entry in result.inputs],
        "strings": list(strings),
        "items": rows,
        "texts": t.starting("js."),
    }


class _More:
    """Everything else that is known of an item, as pairs of (what, value); what is blank is left out."""

    def __init__(self, kept: Callable[[str], int], strings: _Strings, t: Texts) -> None:
        self._kept = kept
        self._labels = [strings[t(f"more.{name}")] for name in _MORE]
        self._detail_labels = [strings[t(f"more.{name}")] for name in _MORE_DETAILS]
        self._check_label = strings[t("more.failed-check")]

    def pairs(self, item: Item) -> list[list[int]]:
        """Numbers of strings, in pairs."""
        kept = self._kept
        pairs = [[label, kept(value)] for label, value in zip(self._labels, _of_item(item), strict=True) if value]
        details = item.details
        if details is None:
            return pairs
        found = zip(self._detail_labels, _of_details(details), strict=True)
        pairs += [[label, kept(value)] for label, value in found if value]
        for check in details.failed_checks:
            text = " ".join(filter(None, (check.name, check.operator, check.value, check.fault)))
            pairs.append([self._check_label, kept(text)])
        return pairs
