"""The items of both runs as the data of compare.html, those of the queries that changed first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote

from reporting.comparison.figures import metric_of
from reporting.data import (
    FAILS,
    MAX_ITEMS,
    MIXED,
    PERSON,
    PRESET,
    READ_ITEMS,
    REVIEWED,
    SLOW,
    Facet,
    ItemKeys,
    PageItems,
    Side,
    copies_among,
    counted,
    disagreeing,
    embed,
    facet,
    lines_of,
    review_columns,
    several,
)
from reporting.document import Embedded
from reporting.wording import (
    category_name,
    excerpt,
    key_of,
    metric_word,
    score,
    status_name,
    track_name,
    why_text,
)
from scoring.comparison import ACCURACY, GRADED, NO_CHECKS, SAID, Answer, Basis, Comparison, Pair
from scoring.items import round_sort_key
from scoring.results import UNGRADED, needs_person
from scoring.rubric import METRICS, RUBRICS, Status, group_key, place_of
from texts import Texts

LISTS = ("now_fails", "now_passes", "dropped", "rose")
REGRADED = "regraded"
SIDES = ("before", "after")
FIRST_SHOWN = LISTS[0]
NAME_CHARS = 80


class _Entry(NamedTuple):
    """An item of a run. side: 0 before, 1 after."""

    pair: Pair
    side: int
    answer: Answer


def embed_comparison(
    comparison: Comparison, t: Texts, *, mark: str, pages: tuple[str, str], of_one_set: bool = False
) -> Embedded:
    """The data of a page. mark: which its addresses begin with. pages: of the two reports, "" without one.

    of_one_set: are the runs versions of the set that the later one is named by?
    """
    shared = comparison.pairing.shared
    lists = {name: [change.pair for change in getattr(comparison.lists, name)] for name in LISTS}
    changed = dict.fromkeys(pair.after.query_id for pair in chain.from_iterable(lists.values()))
    by_id = {pair.after.query_id: pair for pair in shared}
    pairs = [by_id[query_id] for query_id in {**changed, **dict.fromkeys(by_id)}]
    entries = [_Entry(pair, side, answer) for pair in pairs for side in (0, 1) for answer in pair[side].answers]
    shown = entries[:MAX_ITEMS]
    is_read = None if len(shown) <= READ_ITEMS else [at < READ_ITEMS for at in range(len(shown))]
    sets = [comparison.after.name if of_one_set else run.name for run in (comparison.before, comparison.after)]
    items = _items(comparison, shown, lists, sets, t)._replace(mark=mark, pages=_quoted(pages))
    return embed(items, t, total=len(entries), is_read=is_read)


def _items(
    comparison: Comparison,
    entries: Sequence[_Entry],
    lists: Mapping[str, Sequence[Pair]],
    sets: Sequence[str],
    t: Texts,
) -> PageItems:
    basis = comparison.after.basis
    metrics = _metrics(comparison, t)
    answers = [entry.answer for entry in entries]
    presets = _presets(comparison, entries, lists, t)
    said = zip(*[answer.said or ("",) * len(SAID) for answer in answers], strict=True)
    titles = [t(f"more.{key}") for key in ("llm-comment", "verdict-reason", "rubrics-reason")]
    return PageItems(
        mark="",
        preset=FIRST_SHOWN if comparison.lists.now_fails else "",
        query_ids=[entry.pair.after.query_id for entry in entries],
        seconds=[answer.seconds for answer in answers],
        passed=[answer.passes for answer in answers],
        texts=[
            [why_text(answer.why, t) if answer.why else "" for answer in answers],
            [lines_of(entry.pair[entry.side].question) for entry in entries],
            [" / ".join(entry.pair[entry.side].expected) for entry in entries],
            ["" if answer.text == answer.error else lines_of(answer.text) for answer in answers],
            [None] * len(answers),
            [lines_of(answer.error) for answer in answers],
        ],
        rows=[answer.row for answer in answers],
        facets=[
            presets,
            facet(
                "side",
                t("compare.name"),
                [SIDES[entry.side] for entry in entries],
                {s: t(f"compare.{s}") for s in SIDES},
            ),
            *_facets(comparison, entries, t),
        ],
        metrics=metrics,
        scales=[1.0 if name == RUBRICS else basis.points.highest for name in metrics],
        points=[[answer.points.get(name) for answer in answers] for name in metrics],
        copies=copies_among(basis, metrics),
        rules=[[_rule(name, answer, basis, t) for answer in answers] for name in metrics],
        judged={title: column for title, column in zip([*titles, t("js.checks")], said, strict=False) if any(column)}
        | review_columns([answer.reviews for answer in answers], t),
        more={},
        note=t("compare.cut-texts"),
        review=disagreeing(
            [
                Side(run.profile, name, run.basis, metrics)
                for run, name in zip((comparison.before, comparison.after), sets, strict=True)
            ],
            ItemKeys(
                [entry.pair[entry.side].query_id for entry in entries],
                [answer.round for answer in answers],
                [answer.text_hash for answer in answers],
            ),
            [entry.pair.after.query_id for entry in entries],
            t,
        ),
    )


def _quoted(pages: Sequence[str]) -> list[str]:
    return [quote(page, safe="/-_.~") for page in pages]


def _metrics(comparison: Comparison, t: Texts) -> dict[str, str]:
    """Title by name of what an item has points of, in the order of the report."""
    titles: dict[str, str] = {}
    for name in comparison.after.basis.metrics:
        base = name.partition(".")[0]
        if base in (*METRICS, RUBRICS):
            titles.setdefault(base, metric_of(comparison.after, name, t) if base == name else metric_word(base, t))
    return titles


def _facets(comparison: Comparison, entries: Sequence[_Entry], t: Texts) -> list[Facet]:
    statuses = {status.value: status_name(status, t) for status in Status}
    rounds = sorted({*comparison.before.rounds, *comparison.after.rounds}, key=round_sort_key)
    queries = [entry.pair[entry.side] for entry in entries]

    tracks = sorted({query.track for query in queries}, key=partial(place_of, listed=comparison.after.basis.tracks))
    named = {} if tracks == [None] else {track: track_name(group_key(track), t) for track in tracks}

    def short(name: str) -> str:
        return excerpt(name, NAME_CHARS)

    return [
        facet("status", t("items.status"), [entry.answer.status for entry in entries], statuses),
        facet(
            "round", t("items.round"), [entry.answer.round for entry in entries], {one: short(one) for one in rounds}
        ),
        facet("track", t("items.track"), [query.track for query in queries], named, group_key),
        counted(
            "category",
            t("table.category"),
            [query.category for query in queries],
            lambda one: category_name(one, t),
            key_of,
        ),
        counted("file", t("problem.file"), [entry.answer.file for entry in entries], short, key_of),
    ]


def _presets(comparison: Comparison, entries: Sequence[_Entry], lists: Mapping[str, Sequence[Pair]], t: Texts) -> Facet:
    """What changed first; then what a report shows, of the later run."""
    places: dict[str, list[int]] = {}
    for at, entry in enumerate(entries):
        places.setdefault(entry.pair.after.query_id, []).append(at)

    def of_queries(query_ids: Sequence[str]) -> list[int]:
        return [at for query_id in dict.fromkeys(query_ids) for at in places.get(query_id, ())]

    def now(found: Sequence[bool]) -> list[int]:
        return [at for at, (entry, is_one) in enumerate(zip(entries, found, strict=True)) if entry.side and is_one]

    basis = comparison.after.basis
    regraded = {pair.before.query_id: pair.after.query_id for pair in comparison.pairing.shared}
    flaky = [pair.after.query_id for pair in comparison.pairing.shared if 0 < pair.after.passed < pair.after.assessed]
    found = {
        **{name: of_queries([pair.after.query_id for pair in pairs]) for name, pairs in lists.items()},
        REGRADED: of_queries([regraded[item.query_id] for item in comparison.regraded.items]),
        FAILS: now([entry.answer.passes is False for entry in entries]),
        MIXED: of_queries(flaky),
        SLOW: now([entry.answer.is_slow for entry in entries]),
        PERSON: now([_needs_person(entry.answer, basis) for entry in entries]),
    }
    if reviewed := [at for at, entry in enumerate(entries) if entry.answer.reviews]:
        found[REVIEWED] = reviewed
    named = [(name, t(f"preset.{name}"), of) for name, of in found.items()]
    return several(PRESET, t("preset"), named, range(len(entries)), keeps_empty=True)


def _needs_person(answer: Answer, basis: Basis) -> bool:
    grades = [
        (answer.points.get(name), 0.0 if name == RUBRICS else basis.points.lowest)
        for name in GRADED
        if name != ACCURACY and name in basis.metrics
    ]
    is_answered = answer.status in basis.answered
    return needs_person(grades, is_answered=is_answered, admits_failure=answer.admits_failure)


def _rule(metric: str, answer: Answer, basis: Basis, t: Texts) -> str:
    """By what an item has its points, "" where nothing says it."""
    points = answer.points.get(metric)
    if points is None:
        return ""
    if metric == "stability":
        return t("rule.status", status=_status(answer, t), points=score(points))
    if metric in basis.copies:
        return t("rule.copied", metric=metric_word(basis.copies[metric], t))
    if metric not in GRADED:
        return ""
    origin = answer.grade.origins[GRADED.index(metric)]
    if metric == ACCURACY:
        return t("accuracy.not-assessable") if origin == NO_CHECKS else ""
    model = "" if origin in UNGRADED else excerpt(answer.grade.model, NAME_CHARS)
    return ", ".join(filter(None, (t(f"source.{origin}") if origin else "", model)))


def _status(answer: Answer, t: Texts) -> str:
    known = answer.status in list(Status)
    return status_name(Status(answer.status), t) if known else excerpt(answer.status, NAME_CHARS)
