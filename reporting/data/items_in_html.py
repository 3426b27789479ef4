"""The items of a set as the data of report.html: compact JSON that a page may carry.

At most MAX_ITEMS; of more, those that lost most. Texts are hostile: they are cleaned here, nothing in the JSON can end
the element that holds it, and the page's script shows them as plain text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import msgspec

from reporting.data.item_columns import Columns, item_columns
from reporting.data.item_rules import ItemRules
from reporting.view.metrics import shown_groups
from reporting.wording.catalogue import Texts
from reporting.wording.display import excerpt, quantity
from reporting.wording.names import item_metrics, item_points, measure_title, round_name, status_name, track_name
from scoring.memo import Memo
from scoring.results.insights import Insights
from scoring.results.model import SetResult
from scoring.results.sessions.turns import turn_labels
from scoring.rubric.model import RUBRICS, Rubric, Status, group_key

MAX_ITEMS = 5_000
BUDGET_BYTES = 1_200_000  # what the data of a usual set may take; every further item may add MORE_BYTES
USUAL_ITEMS = 354
MORE_BYTES = 1_000
_TEXT_CHARS = (4_096, 2_000, 1_000, 500, 250, 120, 60)  # tried in turn until the budget holds
_ID_CHARS = 120
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

    json: str
    shown: int
    total: int


def embed_items(result: SetResult, insights: Insights, t: Texts) -> ItemData:
    """The data of the items, as large as a page may carry."""
    chosen = _chosen(result, t)
    of = item_columns(result.items if len(chosen) == len(result.items) else [result.items[index] for index in chosen])
    budget = BUDGET_BYTES + MORE_BYTES * max(len(chosen) - USUAL_ITEMS, 0)
    page = _page(result, insights, chosen, of, t)
    data = b""
    for limit in _text_limits(of, budget):
        data = _escaped(page | _rows(page["items"], page["strings"], limit))
        if len(data) <= budget:
            break
    return ItemData(json=_decoded(data), shown=len(chosen), total=len(result.items))


def script_json(value: object) -> str:
    """JSON that is inert inside a script element of an HTML page, whatever its texts hold."""
    return _decoded(_escaped(value))


def _escaped(value: object) -> bytes:
    """JSON without a character that markup begins or ends with."""
    data = msgspec.json.encode(value)
    for mark in (b"<", b">", b"&"):
        data = data.replace(mark, b"\\u%04x" % ord(mark))
    return data


def _decoded(data: bytes) -> str:
    """The same as text, with the line ends of JavaScript escaped."""
    text = data.decode()
    for mark in ("\u2028", "\u2029"):
        if mark in text:
            text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def clean_lines(text: str, limit: int) -> str:
    """`text` with its line breaks but without control and bidi characters, at most `limit` characters."""
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    if text.isprintable() or text.replace("\n", "").isprintable():  # nothing to remove
        return text.strip("\n")
    lines = "\n".join(text.replace("\t", " ").splitlines())
    return _SURROGATES.sub("\ufffd", _STEERING.sub("", lines)).strip("\n")


def _chosen(result: SetResult, t: Texts) -> Sequence[int]:
    """Indices of the items to embed, in file order: of those that lost the same, the first ones."""
    items = result.items
    if len(items) <= MAX_ITEMS:
        return range(len(items))
    names = list(item_metrics(result.rubric, t))
    losses = _losses([item_points(items, name) for name in names], _scales(result, names))
    counted = Counter(losses)
    room = MAX_ITEMS
    for least in sorted(counted, reverse=True):
        if counted[least] >= room:
            break
        room -= counted[least]
    equal = [index for index, loss in enumerate(losses) if loss == least][:room]
    return sorted([index for index, loss in enumerate(losses) if loss > least] + equal)


def _scales(result: SetResult, names: Iterable[str]) -> list[float]:
    return [result.rubric.scale_of(name) for name in names]


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
    rounds = {entry.label: index for index, entry in enumerate(result.rounds)}
    tracks = {track: index for index, track in enumerate(dict.fromkeys(of["track"]))}
    statuses = {status: index for index, status in enumerate(Status)}
    metrics = item_metrics(result.rubric, t)
    points, scales = [of[name] for name in metrics], _scales(result, metrics)
    rules = ItemRules(result.rubric, t)
    mixed = _mixed(result, insights)
    answers = zip(of["message"], of["response"], strict=True)
    judged, more = _judged_columns(of, t), _more_columns(of, t) | _measure_columns(of, result.rubric, t)
    more |= _session_columns(result, chosen, t)
    strings = _Strings()
    columns: list[Sequence[object]] = [
        strings.numbered(of["query_id"]),
        [rounds[label] for label in of["round"]],
        [tracks[track] for track in of["track"]],
        [statuses[status] for status in of["status"]],
        of["seconds"],
        _losses(points, scales),
        [int(query_id in mixed) for query_id in of["query_id"]],
        strings.numbered(rules.statuses(of)),
        strings.numbered(of["question"]),
        strings.numbered(of["expected"]),
        strings.numbered(of["response"]),
        strings.numbered([None if message == response else message for message, response in answers]),
        strings.numbered(of["error"]),
        strings.numbered(of["category"]),
        [result.sources[index] for index in chosen],
        of["row"],
        *points,
        *map(strings.numbered, rules.columns(of)),
        *map(strings.numbered, judged.values()),
        *map(strings.numbered, more.values()),
    ]
    return {
        "scales": scales,
        "rounds": [round_name(entry, t) for entry in result.rounds],
        "tracks": [track_name(group_key(track), t) for track in tracks] if shown_groups(result) else [],
        "statuses": [status_name(status, t) for status in statuses],
        "passes": [status in result.rubric.pass_statuses for status in statuses],
        "metrics": list(metrics.values()),
        "judged": list(judged),
        "more": list(more),
        "files": [excerpt(entry.name, _ID_CHARS) for entry in result.inputs],
        "strings": [text for text in strings if text is not None],
        "items": columns,
        "note": t("items.note-raw" if result.rubric.has_column("raw_json") else "items.note"),
        "texts": t.starting("js."),
    }


def _mixed(result: SetResult, insights: Insights) -> set[str]:
    """Query IDs whose rounds differ: they pass in one and fail in another, or were given different levels."""
    mixed = {query.query_id for query in result.repeatability.flaky}
    rubric, items = result.rubric, result.items
    columns: list[Sequence[object]] = [] if rubric.rubrics is None else [item_points(items, RUBRICS)]
    if insights.failed and not rubric.has_metric("consistency"):  # whose rounds are not compared elsewhere
        columns.append([item.status in rubric.pass_statuses for item in items])
    if columns:
        query_ids = [item.query_id for item in items]
        mixed.update(*[_differing(query_ids, column) for column in columns])
    return mixed


def _differing(query_ids: Sequence[str], values: Sequence[object]) -> list[str]:
    """Query IDs with more than one value; None is no value."""
    first: dict[str, object] = {}
    pairs = zip(query_ids, values, strict=True)
    return [query for query, value in pairs if value is not None and first.setdefault(query, value) != value]


def _rows(columns: Sequence[Sequence[object]], texts: Sequence[str], limit: int) -> dict[str, Any]:
    """The items as rows, and their strings as they are shown."""
    strings = _shown(texts, limit)
    places = dict.fromkeys(strings)
    if len(places) < len(strings):  # some are equal now that they are cut
        places = {text: place for place, text in enumerate(places)}
        moved = [*map(places.__getitem__, strings), -1]  # -1 stays the last
        columns = [[moved[at] for at in column] if isinstance(column, _Numbered) else column for column in columns]
    return {"strings": list(places), "items": list(zip(*columns, strict=True))}


def _shown(texts: Sequence[str], limit: int) -> list[str]:
    """`clean_lines` of each. Most often there is nothing to clean, which one look at all of them shows."""
    if "".join(texts).replace("\n", "").isprintable():
        return [text.strip("\n") if len(text) <= limit else clean_lines(text, limit) for text in texts]
    return [clean_lines(text, limit) for text in texts]


def _judged_columns(of: Columns, t: Texts) -> dict[str, Sequence[str]]:
    """Verdicts and their reasons, by title; only what any item has."""
    return {t(f"more.{key}"): of[name] for key, name in _JUDGED.items() if any(of[name])}


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


def _measure_columns(of: Columns, rubric: Rubric, t: Texts) -> dict[str, Sequence[str]]:
    """The measures, by title; "" where an item has no value."""
    return {
        measure_title(measure.title, measure.unit, t): [
            "" if amounts[at] is None else quantity(amounts[at], measure.decimals) for amounts in of["measures"]
        ]
        for at, measure in enumerate(rubric.measures)
    }


def _more_columns(of: Columns, t: Texts) -> dict[str, Sequence[str]]:
    """The other fields of the items, by title; "" where an item has none."""
    columns = {t(f"more.{key}"): of[name] for key, name in _MORE.items()}
    if any(of["failed_checks"]):
        columns[t("more.failed-check")] = [
            "\n".join(
                [
                    " ".join(
                        filter(
                            None,
                            (check.name, check.operator, check.value, check.found and f"← {check.found}", check.fault),
                        )
                    )
                    for check in checks
                ]
            )
            for checks in of["failed_checks"]
        ]
    return {title: column for title, column in columns.items() if any(column)}
