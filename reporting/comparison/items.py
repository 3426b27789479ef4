"""The items of both runs as the data of compare.html, those of the queries that changed first."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote

from reporting.comparison.figures import metric_of
from reporting.comparison.queries import NOW_FAILS, NOW_UNANSWERED, changes_of, known_title, lists_of
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
    answer_rule,
    copies_among,
    counted,
    disagreeing,
    embed,
    facet,
    lines_of,
    review_columns,
    several,
    slow_title,
)
from reporting.document import Embedded
from reporting.wording import (
    category_name,
    excerpt,
    key_of,
    metric_word,
    slow_limits,
    status_name,
    track_name,
    why_text,
)
from scoring.comparison import ACCURACY, GRADED, SAID, Answer, Basis, Comparison, Pair, Query, Run
from scoring.items import round_sort_key
from scoring.results import UNGRADED, needs_person
from scoring.rubric import METRICS, RUBRICS, Source, Status, TrackId, group_key, place_of
from texts import Texts

WITHOUT_TICKET = "new_fails"
REGRADED = "regraded"
SIDES = ("before", "after")
OF_AFTER = (FAILS, MIXED, SLOW, PERSON)  # presets of a report, of the later run alone
NAME_CHARS = 80


class Entry(NamedTuple):
    """An item of a run. query: as that run asked it. query_id: under which the page has it. side: place of the run.

    In a comparison of two the sides are 0 before and 1 after.
    """

    query: Query
    query_id: str
    side: int
    answer: Answer


def embed_comparison(
    comparison: Comparison, t: Texts, *, mark: str, pages: tuple[str, str], of_one_set: bool = False
) -> Embedded:
    """The data of a page. mark: which its addresses begin with. pages: of the two reports, "" without one.

    of_one_set: are the runs versions of the set that the later one is named by?
    """
    shared = comparison.pairing.shared
    lists = {name: [change.pair for change in changes_of(name, comparison)] for name in lists_of(comparison)}
    changed = dict.fromkeys(pair.after.query_id for pair in chain.from_iterable(lists.values()))
    by_id = {pair.after.query_id: pair for pair in shared}
    pairs = [by_id[query_id] for query_id in {**changed, **dict.fromkeys(by_id)}]
    entries = [
        Entry(pair[side], pair.after.query_id, side, answer)
        for pair in pairs
        for side in (0, 1)
        for answer in pair[side].answers
    ]
    shown = entries[:MAX_ITEMS]
    runs = comparison.before, comparison.after
    names = {side: t(f"compare.{side}") for side in SIDES}
    sets = [comparison.after.name if of_one_set else run.name for run in runs]
    facets = [
        _presets(comparison, shown, lists, t),
        facet("side", t("compare.name"), [SIDES[entry.side] for entry in shown], names),
        status_facet(shown, t)._replace(title=t("compare.status-either")),
        round_facet(runs, shown, t),
        *place_facets(comparison.after.basis.tracks, shown, t),
    ]
    is_anew = bool(comparison.regraded.items) and not comparison.headline.comparable
    preset = next((name for name in (NOW_FAILS, NOW_UNANSWERED) if lists.get(name)), REGRADED if is_anew else "")
    items = page_items(shown, runs, sets, facets, t)._replace(mark=mark, preset=preset, pages=quoted(pages))
    if known := comparison.known_fails:
        failing = [known.get(one.query_id) if one.side and one.answer.passes is False else None for one in shown]
        told = ["" if name is None else known_title(name, t) for name in failing]
        items = items._replace(judged={**items.judged, t("known.title"): told})
    return embed(items, t, total=len(entries), is_read=is_read(shown))


def is_read(entries: Sequence[Entry]) -> list[bool] | None:
    """Of which items the texts are more than a start; None for all."""
    return None if len(entries) <= READ_ITEMS else [at < READ_ITEMS for at in range(len(entries))]


def page_items(
    entries: Sequence[Entry], runs: Sequence[Run], sets: Sequence[str], facets: Sequence[Facet], t: Texts
) -> PageItems:
    """The items of some runs as columns, without what the page is called by. sets: names of the sets of the runs."""
    last = runs[-1]
    basis, metrics = last.basis, _metrics(last, t)
    answers = [entry.answer for entry in entries]
    said = zip(*[answer.said or ("",) * len(SAID) for answer in answers], strict=True)
    titles = [t(f"more.{key}") for key in ("llm-comment", "verdict-reason", "rubrics-reason")]
    return PageItems(
        mark="",
        query_ids=[entry.query_id for entry in entries],
        seconds=[answer.seconds for answer in answers],
        passed=[answer.passes for answer in answers],
        texts=[
            [why_text(answer.why, t) if answer.why else "" for answer in answers],
            [lines_of(entry.query.question) for entry in entries],
            [" / ".join(entry.query.expected) for entry in entries],
            ["" if answer.text == answer.error or answer.is_message else lines_of(answer.text) for answer in answers],
            [lines_of(answer.text) if answer.is_message else None for answer in answers],
            [lines_of(answer.error) for answer in answers],
        ],
        rows=[answer.row for answer in answers],
        facets=facets,
        metrics=metrics,
        scales=[1.0 if name == RUBRICS else basis.points.highest for name in metrics],
        points=[[answer.points.get(name) for answer in answers] for name in metrics],
        copies=copies_among(basis, metrics),
        rules=[[_rule(name, entry.answer, runs[entry.side].basis, t) for entry in entries] for name in metrics],
        judged={title: column for title, column in zip([*titles, t("js.checks")], said, strict=False) if any(column)}
        | review_columns([answer.reviews for answer in answers], t),
        more={},
        note=t("compare.cut-texts"),
        review=disagreeing(
            [Side(run.profile, name, run.basis, metrics) for run, name in zip(runs, sets, strict=True)],
            ItemKeys(
                [entry.query.query_id for entry in entries],
                [answer.round for answer in answers],
                [answer.text_hash for answer in answers],
            ),
            [entry.query_id for entry in entries],
            t,
        ),
    )


def quoted(pages: Sequence[str]) -> list[str]:
    """Addresses of pages as links have them."""
    return [quote(page, safe="/-_.~") for page in pages]


def _metrics(run: Run, t: Texts) -> dict[str, str]:
    """Title by name of what an item has points of, in the order of the report."""
    titles: dict[str, str] = {}
    for name in run.basis.metrics:
        base = name.partition(".")[0]
        if base in (*METRICS, RUBRICS):
            titles.setdefault(base, metric_of(run, name, t) if base == name else metric_word(base, t))
    return titles


def round_facet(runs: Sequence[Run], entries: Sequence[Entry], t: Texts) -> Facet:
    """The rounds of all runs as reports call them; by the label alone where their numbers differ among the runs."""
    numbers: dict[str, set[int]] = {}
    for run in runs:
        for number, label in enumerate(run.rounds, start=1):
            numbers.setdefault(label, set()).add(number)
    named = {
        label: t("round.named", number=str(*numbers[label]), label=_short(label))
        if len(numbers[label]) == 1
        else _short(label)
        for label in sorted(numbers, key=round_sort_key)
    }
    return facet("round", t("items.round"), [entry.answer.round for entry in entries], named)


def status_facet(entries: Sequence[Entry], t: Texts) -> Facet:
    """How the items ended."""
    statuses = {status.value: status_name(status, t) for status in Status}
    return facet("status", t("items.status"), [entry.answer.status for entry in entries], statuses)


def place_facets(listed: Sequence[TrackId], entries: Sequence[Entry], t: Texts) -> list[Facet]:
    """Track, category and file. listed: tracks in the order of the document."""
    queries = [entry.query for entry in entries]
    tracks = sorted({query.track for query in queries}, key=partial(place_of, listed=listed))
    named = {} if tracks == [None] else {track: track_name(group_key(track), t) for track in tracks}
    categories = [query.category for query in queries]
    return [
        facet("track", t("items.track"), [query.track for query in queries], named, group_key),
        counted("category", t("table.category"), categories, lambda one: category_name(one, t), key_of),
        counted("file", t("problem.file"), [entry.answer.file for entry in entries], _short, key_of),
    ]


def _short(name: str) -> str:
    return excerpt(name, NAME_CHARS)


def _presets(comparison: Comparison, entries: Sequence[Entry], lists: Mapping[str, Sequence[Pair]], t: Texts) -> Facet:
    """What changed first; then what a report shows, of the later run."""
    places: dict[str, list[int]] = {}
    for at, entry in enumerate(entries):
        places.setdefault(entry.query_id, []).append(at)

    def of_queries(query_ids: Sequence[str]) -> list[int]:
        return [at for query_id in dict.fromkeys(query_ids) for at in places.get(query_id, ())]

    def now(found: Sequence[bool]) -> list[int]:
        return [at for at, (entry, is_one) in enumerate(zip(entries, found, strict=True)) if entry.side and is_one]

    basis = comparison.after.basis
    regraded = {pair.before.query_id: pair.after.query_id for pair in comparison.pairing.shared}
    flaky = [pair.after.query_id for pair in comparison.pairing.shared if pair.after.is_flaky]
    listed = {name: [pair.after.query_id for pair in pairs] for name, pairs in lists.items()}
    if known := comparison.known_fails:
        new = [query_id for query_id in listed[NOW_FAILS] if query_id not in known]
        listed = {NOW_FAILS: listed[NOW_FAILS], WITHOUT_TICKET: new, **listed}
    limits, slow = slow_limits(basis.speed, t), now([entry.answer.is_slow for entry in entries])
    found = {
        **{name: of_queries(query_ids) for name, query_ids in listed.items()},
        REGRADED: of_queries([regraded[item.query_id] for item in comparison.regraded.items]),
        FAILS: now([entry.answer.passes is False for entry in entries]),
        MIXED: of_queries(flaky),
        **({SLOW: slow} if limits or slow else {}),
        PERSON: now([_needs_person(entry.answer, basis) for entry in entries]),
    }
    if reviewed := [at for at, entry in enumerate(entries) if entry.answer.reviews]:
        found[REVIEWED] = reviewed
    named = [(name, _preset_title(name, limits, t), of) for name, of in found.items()]
    return several(PRESET, t("preset"), named, range(len(entries)), keeps_empty=True)


def _preset_title(name: str, limits: Sequence[str], t: Texts) -> str:
    """What a preset is called, with the run that it is about where that is one. limits: of slow items."""
    title = slow_title(limits, t) if name == SLOW else t(f"preset.{name}")
    return t("preset.of-after", name=title) if name in OF_AFTER else title


def _needs_person(answer: Answer, basis: Basis) -> bool:
    grades = [
        (answer.points.get(name), 0.0 if name == RUBRICS else basis.points.lowest)
        for name in GRADED
        if name != ACCURACY and name in basis.metrics
    ]
    is_answered = answer.status in basis.answered
    return needs_person(grades, is_answered=is_answered, admits_failure=answer.admits_failure)


def _rule(metric: str, answer: Answer, basis: Basis, t: Texts) -> str:
    """By what an item has its points, and the model that graded it; "" where nothing says it."""
    origin = answer.grade.origins[GRADED.index(metric)] if metric in GRADED and metric not in basis.copies else ""
    by_model = metric != ACCURACY and origin not in {*UNGRADED, Source.REVIEWED}
    model = excerpt(answer.grade.model, NAME_CHARS) if by_model else ""
    return ", ".join(filter(None, (answer_rule(metric, answer, basis, t), model)))
