"""The items of a set as the data of report.html: compact JSON that a page may carry.

At most MAX_ITEMS, those that lost most first when there are more. Texts are hostile: they are cleaned here, nothing in
the JSON can end the element that holds it, and the page's script shows them as text alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import msgspec

from reporting.catalogue import Texts
from reporting.display import excerpt
from reporting.item_rules import ItemRules
from reporting.names import item_metrics, item_points, round_name, status_name, track_name
from reporting.view_metrics import shown_groups
from scoring.insights import Insights
from scoring.part import Item, details_of
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
_MORE_DETAILS = {
    "label": "label",
    "signature": "signature",
}
# What a verdict was and why: it stands beside the points.
_JUDGED = {
    "verdict": "verdict",
    "verdict-reason": "verdict_reason",
    "rubrics-level": "rubrics_level",
    "rubrics-reason": "rubrics_reason",
}


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
    for limit in _text_limits([result.items[index] for index in chosen], budget):
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
    """Indices of the items to embed, in file order: of those that lost the same, the first ones."""
    items = result.items
    if len(items) <= MAX_ITEMS:
        return list(range(len(items)))
    losses = _losses(items, result, t)
    counted = Counter(losses)
    room = MAX_ITEMS
    for least in sorted(counted, reverse=True):
        if counted[least] >= room:
            break
        room -= counted[least]
    equal = [index for index, loss in enumerate(losses) if loss == least][:room]
    return sorted([index for index, loss in enumerate(losses) if loss > least] + equal)


def _losses(items: Sequence[Item], result: SetResult, t: Texts) -> list[float]:
    """Points that each item lost over all its metrics; a value that is not there lost nothing."""
    names = list(item_metrics(result.rubric, t))
    scales = [result.rubric.scale_of(name) for name in names]
    kinds = list(zip(*(item_points(items, name) for name in names), strict=True))
    lost = {
        kind: round(sum(scale - value for scale, value in zip(scales, kind, strict=True) if value is not None), 6)
        for kind in set(kinds)
    }
    return [lost[kind] for kind in kinds]


def _text_limits(items: Sequence[Item], budget: int) -> Sequence[int]:
    """The limits worth a try: those under which the texts alone are about as large as the budget, and shorter ones."""
    most = sum(
        [
            len(item.question) + len(item.expected) + len(item.response) + len(item.message) + len(item.error)
            for item in items
        ]
    )
    if 2 * most <= budget:  # as a rule; texts that stand there several times need not be told apart
        return _TEXT_CHARS
    texts = {text for item in items for text in (item.question, item.expected, item.response, item.message, item.error)}
    sizes = [len(text) if text.isascii() else 2 * len(text) for text in texts]
    for number, limit in enumerate(_TEXT_CHARS):
        if sum([min(size, 2 * limit) for size in sizes]) <= budget:
            return _TEXT_CHARS[number:]
    return _TEXT_CHARS[-1:]


class _Kept(dict[str, int]):
    """Numbers for texts as they are shown; each text is cleaned once, for most recur (질의, 기대결과, 오류)."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self.shown: dict[str, int] = {}

    def __missing__(self, text: str) -> int:
        # As a rule there is nothing to clean: half the time without a call.
        shown = text if text.isprintable() and len(text) <= self._limit else clean_lines(text, self._limit)
        number = self[text] = self.shown.setdefault(shown, len(self.shown))
        return number


def _data(result: SetResult, insights: Insights, chosen: Sequence[int], limit: int, t: Texts) -> dict[str, Any]:
    """Columns first, rows from them: a set of the usual size costs milliseconds, and thousands are drawn."""
    kept = _Kept(limit)
    items = [result.items[index] for index in chosen]
    rounds = {entry.label: index for index, entry in enumerate(result.rounds)}
    tracks = {track: index for index, track in enumerate(dict.fromkeys([item.track for item in items]))}
    statuses = {status: index for index, status in enumerate(Status)}
    names = item_metrics(result.rubric, t)
    rules = ItemRules(result.rubric, t)
    mixed = {query.query_id for query in insights.disagreeing}
    judged = _judged_columns(items, t)
    more = _more_columns(items, t)
    columns: list[Sequence[object]] = [
        [kept[item.query_id] for item in items],
        [rounds[item.round] for item in items],
        [tracks[item.track] for item in items],
        [statuses[item.status] for item in items],
        [item.seconds for item in items],
        _losses(items, result, t),
        [int(item.query_id in mixed) for item in items],
        [kept[rules.status(item)] for item in items],
        [kept[item.question] for item in items],
        [kept[item.expected] for item in items],
        [kept[item.response] for item in items],
        [kept[item.message] if item.message != item.response else -1 for item in items],
        [kept[item.error] for item in items],
        [kept[item.category] for item in items],
        [result.sources[index] for index in chosen],
        [item.row for item in items],
        *(item_points(items, name) for name in names),
        *([kept[text] for text in column] for column in rules.columns(items)),
        *([kept[text] for text in column] for column in (*judged.values(), *more.values())),
    ]
    return {
        "scales": [result.rubric.scale_of(name) for name in names],
        "rounds": [round_name(entry, t) for entry in result.rounds],
        "tracks": [track_name(group_key(track), t) for track in tracks] if shown_groups(result) else [],
        "statuses": [status_name(status, t) for status in statuses],
        "passes": [status in result.rubric.pass_statuses for status in statuses],
        "metrics": list(names.values()),
        "judged": list(judged),
        "more": list(more),
        "files": [excerpt(entry.name, _ID_CHARS) for entry in result.inputs],
        "strings": list(kept.shown),
        "items": list(zip(*columns, strict=True)),
        "note": t("items.note-raw" if result.rubric.has_column("raw_json") else "items.note"),
        "texts": t.starting("js."),
    }


def _judged_columns(items: Sequence[Item], t: Texts) -> dict[str, list[str]]:
    """Verdicts and their reasons, by title; only what any item has."""
    details = [item.details for item in items if item.details is not None]
    return {
        t(f"more.{key}"): ["" if item.details is None else getter(item.details) for item in items]
        for key, getter in ((key, attrgetter(name)) for key, name in _JUDGED.items())
        if any(map(getter, details))
    }


def _more_columns(items: Sequence[Item], t: Texts) -> dict[str, list[str]]:
    """Everything else that is known of the items, by title; "" where an item has no such thing."""
    columns = {t(f"more.{key}"): list(map(attrgetter(name), items)) for key, name in _MORE.items()}
    if any(item.details is not None for item in items):
        details = [details_of(item) for item in items]
        columns |= {t(f"more.{key}"): list(map(attrgetter(name), details)) for key, name in _MORE_DETAILS.items()}
        columns[t("more.failed-check")] = [
            "\n".join(
                " ".join(filter(None, (check.name, check.operator, check.value, check.fault)))
                for check in one.failed_checks
            )
            for one in details
        ]
    return {title: column for title, column in columns.items() if any(column)}
