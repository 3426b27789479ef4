"""The items of a set as the data of report.html: at most MAX_ITEMS; of more, those that lost most."""

from array import array
from collections.abc import Sequence

from reporting.data.embedding import MAX_ITEMS, READ_ITEMS, PageItems, copies_among, embed, lost_points, worst
from reporting.data.item_columns import Columns, item_columns
from reporting.data.item_facets import item_facets
from reporting.data.item_rules import ItemRules
from reporting.data.page_review import ItemKeys, Side, disagreeing
from reporting.document import Embedded
from reporting.wording import excerpt, item_metrics, item_points, measure_title, quantity, review_text, status_name
from scoring.comparison import Basis
from scoring.items import Review
from scoring.results import Insights, SetResult, passes_of, turn_labels
from scoring.rubric import Rubric, is_score
from texts import Texts

_MAX_TURNS = 50  # of a conversation that the page shows
_TURN_CHARS = 120  # of a question or answer in it
# What a grader said, shown beside the points, and further fields of an item, by the keys of their titles.
_JUDGED = {
    "verdict": "verdict",
    "verdict-reason": "verdict_reason",
    "rubrics-level": "rubrics_level",
    "rubrics-reason": "rubrics_reason",
    "llm-comment": "llm_comment",
}
_MORE = {
    "llm-status": "llm_status",
    "llm-score": "recorded",
    "llm-model": "llm_model",
    "failure-word": "failure_word",
    "run-id": "run_id",
    "item-id": "item_id",
    "executed-at": "executed_at",
    "label": "label",
    "signature": "signature",
}


def embed_items(result: SetResult, insights: Insights, t: Texts, *, mark: str = "", set_name: str = "") -> Embedded:
    """The data of the items, as large as a page may carry. mark: of the set, which addresses of the page begin with."""
    losses = _losses_of(result, t)
    chosen = worst(losses, range(len(losses)), MAX_ITEMS)
    read = worst(losses, chosen, READ_ITEMS)
    is_read = None if len(read) == len(chosen) else list(map(frozenset(read).__contains__, chosen))
    items = _items(result, insights, chosen, (mark, set_name), t)
    return embed(items, t, total=len(result.items), is_read=is_read)


def embedded_items(result: SetResult, t: Texts) -> Sequence[int]:
    """Indices of the items that `embed_items` takes."""
    losses = _losses_of(result, t)
    return worst(losses, range(len(losses)), MAX_ITEMS)


def _losses_of(result: SetResult, t: Texts) -> Sequence[float]:
    """Points that each item lost; not computed where all items are embedded and read."""
    table = result.table
    if len(table) <= READ_ITEMS:
        return (0.0,) * len(table)
    copies = copies_among(Basis.of(result.rubric), item_metrics(result.rubric, t))
    names = [name for name in item_metrics(result.rubric, t) if name not in copies]
    lost = lost_points([item_points(table.distinct, name) for name in names], _scales(result.rubric, names))
    return array("d", map(lost.__getitem__, table.numbers))


def _scales(rubric: Rubric, names: Sequence[str]) -> list[float]:
    return [rubric.scale_of(name).highest for name in names]


def _items(result: SetResult, insights: Insights, chosen: Sequence[int], names: tuple[str, str], t: Texts) -> PageItems:
    """names: mark of the page, and the set."""
    items, rubric = result.items.pick(chosen), result.rubric
    of = item_columns(items)
    metrics = item_metrics(rubric, t)
    rules = ItemRules(rubric, t)
    passed = passes_of(result.table.distinct, rubric)
    messages = zip(of["message"], of["response"], strict=True)
    return PageItems(
        mark=names[0],
        query_ids=of["query_id"],
        seconds=of["seconds"],
        passed=[passed[result.table.numbers[at]] for at in chosen],
        texts=[
            rules.statuses(of),
            of["question"],
            of["expected"],
            of["response"],
            [None if message == response else message for message, response in messages],
            of["error"],
        ],
        rows=of["row"],
        facets=item_facets(result, insights, chosen, of, t),
        metrics=metrics,
        scales=_scales(rubric, list(metrics)),
        points=[of[name] for name in metrics],
        rules=rules.columns(of),
        judged=_titled_columns(_JUDGED, of, t)
        | _reason_columns(of["score_reasons"], rubric, t)
        | review_columns(of["review"], t),
        more=_titled_columns(_MORE, of, t)
        | _measure_columns(of["measures"], rubric, t)
        | _session_columns(result, chosen, t),
        note=t("items.note-raw" if rubric.has_column("raw_json") else "items.note"),
        review=disagreeing(
            [Side(rubric.profile, names[1], Basis.of(rubric), metrics)],
            ItemKeys(of["query_id"], of["round"], of["text_hash"]),
            of["query_id"],
            t,
        ),
        copies=copies_among(Basis.of(rubric), metrics),
        failed_checks=of["failed_checks"],
        payloads=of["payload"],
    )


def _titled_columns(named: dict[str, str], of: Columns, t: Texts) -> dict[str, Sequence[str]]:
    """Fields of the items by title, only what any item has; "" where an item has none."""
    return {t(f"more.{key}"): of[name] for key, name in named.items() if any(of[name])}


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


def review_columns(reviews: Sequence[tuple[Review, ...]], t: Texts) -> dict[str, Sequence[str]]:
    """What people graded, by title; only where anybody did."""
    column = [review_text(of_item, t) for of_item in reviews]
    return {t("more.reviewed"): column} if any(column) else {}
