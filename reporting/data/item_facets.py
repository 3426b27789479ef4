"""What the page of a report filters items by: each facet with its values, and the value of every item.

The key of a value is what an address names it by (`reporting.wording.links`); its name is what people read.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress, count

from msgspec import UNSET

from reporting.data.facets import (
    FAILS,
    MIXED,
    PERSON,
    PRESET,
    REVIEWED,
    SLOW,
    Facet,
    counted,
    facet,
    several,
    slow_title,
)
from reporting.data.item_columns import Columns
from reporting.document import shown_groups
from reporting.document.report import (
    ERROR_CHARS,
    LEVEL_SOURCES,
    OUTCOMES,
    SOURCES,
    alike,
    differs,
    frequent_failures,
    level_text,
    operator_text,
    outcome_of,
    pass_kind,
)
from reporting.wording import (
    brief,
    category_name,
    check_key,
    class_name,
    excerpt,
    item_points,
    key_of,
    pattern_key,
    pattern_text,
    round_name,
    slice_keys,
    slice_value,
    slow_limits,
    status_name,
    track_name,
    why_text,
)
from scoring import Memo, known_text
from scoring.items import FailedCheck, latency_class_of
from scoring.results import Insights, SetResult, needs_person, passes_of, pattern_of
from scoring.review import Applied
from scoring.rubric import RUBRICS, Source, Status, TrackId, group_key
from scoring.statistics import Repeats, repeats
from texts import Texts

NAME_CHARS = 80


def item_facets(result: SetResult, insights: Insights, chosen: Sequence[int], of: Columns, t: Texts) -> list[Facet]:
    """Every facet of the profile. chosen: indices of the items. of: the fields of these items.

    Those of status, round, track, category and file are always there, also where they have one value.
    """
    facets = [
        _presets(result, insights, chosen, t),
        facet("status", t("items.status"), of["status"], {status: status_name(status, t) for status in Status}),
        facet("round", t("items.round"), of["round"], {entry.label: round_name(entry, t) for entry in result.rounds}),
        _tracks(result, of["track"], t),
        counted("category", t("table.category"), of["category"], lambda category: category_name(category, t), key_of),
        _patterns(result, insights, chosen, t),
        _findings(result, insights, chosen, t),
    ]
    if result.repeatability.is_repeated:
        facets.append(_repeats(result, of, t))
    if result.applied is not None:
        facets.append(_reviewers(result.applied, chosen, t))
    facets += _rules(result, chosen, of, t)
    facets += _slices(result, insights, of, t)
    names = [entry.name for entry in result.inputs]
    facets.append(
        Facet(
            "file",
            t("problem.file"),
            tuple(map(key_of, names)),
            tuple([excerpt(name, NAME_CHARS) for name in names]),
            [result.sources[index] for index in chosen],
        )
    )
    return facets


def _presets(result: SetResult, insights: Insights, chosen: Sequence[int], t: Texts) -> Facet:
    """What people ask for first."""
    rubric, distinct, numbers = result.rubric, result.table.distinct, result.table.numbers

    def those(found: Sequence[bool]) -> Iterable[int]:
        return compress(count(), map(found.__getitem__, numbers))

    graded = [name for name in ("intent", RUBRICS) if rubric.has_metric(name)]
    lowest = [rubric.scale_of(name).lowest for name in graded]
    of_metrics = list(zip(*[item_points(distinct, name) for name in graded], strict=True)) or [()] * len(distinct)
    doubtful = [
        needs_person(
            zip(points, lowest, strict=True),
            is_answered=one.status in rubric.pass_statuses,
            admits_failure=bool(one.failure_word),
        )
        for one, points in zip(distinct, of_metrics, strict=True)
    ]
    mixed = {query.query_id for query in result.repeatability.flaky}
    limits = slow_limits(rubric.latency_classes, t)
    lists = {
        FAILS: those([passed is False for passed in passes_of(distinct, rubric)]),
        MIXED: _of_queries(mixed, result),
        **({SLOW: insights.slow} if limits else {}),
        PERSON: those(doubtful),
    }
    if result.applied is not None:
        lists[REVIEWED] = {one.index for one in result.applied.reviewed}
    named = [
        (name, slow_title(limits, t) if name == SLOW else t(f"preset.{name}"), indices)
        for name, indices in lists.items()
    ]
    return several(PRESET, t("preset"), named, chosen, keeps_empty=True)


def _of_queries(ids: Collection[str], result: SetResult) -> list[int]:
    """Indices of the items of some queries."""
    return [at for at, query_id in enumerate(result.table.query_ids_of_items()) if query_id in ids] if ids else []


def _unequal(result: SetResult, insights: Insights) -> set[str]:
    """Query IDs whose rounds end differently, be it all pass: in passing, status, level, label or signature."""
    unequal = {query.query_id for query in result.repeatability.flaky}
    unequal.update([query.query_id for query in insights.disagreeing])
    unequal.update([query.query_id for query in result.agreements if differs(query)])
    rubric, samples = result.rubric, result.query_values.samples
    columns: list[Sequence[object]] = [] if rubric.rubrics is None else [item_points(samples, RUBRICS)]
    if insights.failed_items and not rubric.has_metric("consistency"):  # whose rounds are not compared elsewhere
        columns.append([one.status in rubric.pass_statuses for one in samples])
    for values in columns:
        alike = result.query_values.alike
        differing = {marks for marks in alike if len({*map(values.__getitem__, marks)} - {None}) > 1}
        of_queries = zip(result.query_values.query_ids, result.query_values.marks, strict=True)
        unequal.update([query_id for query_id, marks in of_queries if marks in differing])
    return unequal


def _tracks(result: SetResult, tracks: Sequence[TrackId | None], t: Texts) -> Facet:
    """Without values where no report shows tracks."""
    keys = [group.key for group in result.groups[1:]] if shown_groups(result) else []
    return facet("track", t("items.track"), map(group_key, tracks), {key: track_name(key, t) for key in keys})


def _patterns(result: SetResult, insights: Insights, chosen: Sequence[int], t: Texts) -> Facet:
    """The error patterns of items that are not answered, most frequent first."""
    named = {
        pattern.key: pattern_text(excerpt(pattern.text, ERROR_CHARS), t) or why_text(pattern.why, t)
        for pattern in insights.patterns
    }
    failed, table = set(insights.failed_items), result.table
    values = [pattern_of(table.traits_at(at), table.pattern_at(at)) if at in failed else None for at in chosen]
    return facet("pattern", t("findings.pattern"), values, named, pattern_key)


def _findings(result: SetResult, insights: Insights, chosen: Sequence[int], t: Texts) -> Facet:
    """What the report points out: lists of its section of insights, then findings in rows of the data.

    Of a finding with more places than are listed only those that are listed have it.
    """
    missing = {query.query_id for query in insights.missing}
    lists: list[tuple[str, str, Iterable[int]]] = [
        ("unanswered", t("findings.failed"), insights.failed_items),
        ("below", t("findings.below"), insights.below),
        ("slow", t("findings.slow"), insights.slow),
        ("hidden-failure", t("findings.hidden-failures"), insights.hidden_failures),
        ("missing", t("findings.missing"), _of_queries(missing, result)),
        ("unequal", t("findings.unequal"), _of_queries(_unequal(result, insights), result)),
        *_found_in_rows(result, t),
    ]
    return several("finding", t("findings.one"), lists, chosen)


def _found_in_rows(result: SetResult, t: Texts) -> Iterator[tuple[str, str, Sequence[int]]]:
    """(code, short phrase, indices of the items) of each finding with places in rows of the data."""
    wanted: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for number, finding in enumerate(result.findings):
        for place in finding.places:
            if place.row is not None:
                wanted[place.source, place.row].append(number)
    if not wanted:
        return
    rows = {row for _, row in wanted}
    names = [entry.name for entry in result.inputs]
    found: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for at, row in enumerate(result.table.rows):
        if row in rows:
            for number in wanted.get((names[result.sources[at]], row), ()):
                found[number][at] = None
    for number, indices in sorted(found.items()):
        finding = result.findings[number]
        yield finding.code, brief(finding, t), tuple(indices)


def _repeats(result: SetResult, of: Columns, t: Texts) -> Facet:
    """How the queries of the items end over their attempts."""
    attempts = result.repeatability.attempts
    ends: Memo[str, Repeats | None] = Memo(lambda query_id: repeats(attempts[query_id]))
    kind = pass_kind(result.rubric)
    named = {each: t(f"repeat.class.{kind}.{each.value}") for each in Repeats}
    return facet("repeat", t("repeat.class"), map(ends.__getitem__, of["query_id"]), named)


def _slices(result: SetResult, insights: Insights, of: Columns, t: Texts) -> Iterator[Facet]:
    """The values of further columns, as the tables list them."""
    known = Memo(known_text)
    columns = () if insights.slices is UNSET else insights.slices.columns
    for column, key in zip(columns, slice_keys(columns), strict=True):
        at = result.extra_columns.index(column.column)
        named = {one.value: slice_value(one.value, t) for one in column.values}
        yield facet(key, excerpt(column.column, NAME_CHARS), [known[cells[at]] for cells in of["extra"]], named)


def _reviewers(applied: Applied, chosen: Sequence[int], t: Texts) -> Facet:
    """Who graded an item."""
    of_people: defaultdict[str, set[int]] = defaultdict(set)
    for one in applied.reviewed:
        for opinion in one.opinions:
            of_people[opinion.reviewer].add(one.index)
    lists = [(key_of(name), excerpt(name, NAME_CHARS), indices) for name, indices in sorted(of_people.items())]
    return several("reviewer", t("review.who"), lists, chosen)


def _rules(result: SetResult, chosen: Sequence[int], of: Columns, t: Texts) -> Iterator[Facet]:
    """What the rules of the profile tell items apart by, as the tables of their metrics count them."""
    rubric = result.rubric
    traits = list(map(result.table.traits_at, chosen))
    if rubric.verdict is not None:
        named = {source: t(f"source.{source}") for source in _occurring(SOURCES, result)}
        yield facet("source", t("facet.source"), of["intent_source"], named)
        levels = {level.name: excerpt(level.name, NAME_CHARS) for level in rubric.verdict.levels}
        yield facet("level", t("more.verdict"), of["verdict"], levels)
    if rubric.rubrics is not None:
        rule = rubric.rubrics
        levels = {rule.spelling(level): level_text(rule, level) for level in rule.levels}
        yield facet("grade", t("more.rubrics-level"), of["rubrics_level"], levels)
        sources = {source: t(f"rubrics.source.{source}") for source in _occurring(LEVEL_SOURCES, result)}
        yield facet("grade-source", t("facet.grade-source"), of["rubrics_source"], sources)
    if rubric.checks is not None or rubric.addresses is not None:
        named = {outcome: t(outcome) for outcome in _occurring(OUTCOMES, result)}
        yield facet("outcome", t("metric.accuracy"), map(outcome_of, traits), named)
    if rubric.checks is not None:
        yield several("check", t("accuracy.failed-checks"), _failed_checks(result, t), chosen)
    if len(rubric.latency_classes) > 1:
        classes = {entry.name: class_name(entry) for entry in rubric.latency_classes}
        yield facet("class", t("facet.class"), [latency_class_of(one, rubric) for one in traits], classes)


def _occurring(names: Iterable[str], result: SetResult) -> list[str]:
    """The names without what people give, in a set that none of them graded."""
    return [name for name in names if result.reviews is not None or not name.endswith(Source.REVIEWED.value)]


def _failed_checks(result: SetResult, t: Texts) -> Iterator[tuple[str, str, Sequence[int]]]:
    """(key, check in words, indices of the items) of the checks that failed most often, as the report lists them."""
    of_check: defaultdict[FailedCheck, list[int]] = defaultdict(list)
    for at, details in enumerate(result.items.column("details")):
        for check in dict.fromkeys(map(alike, () if details is None else details.failed_checks)):
            of_check[check].append(at)
    for check, _, _ in frequent_failures(result)[0]:
        named = filter(None, (check.name, operator_text(check.operator, t), check.value))
        yield check_key(check), excerpt(" ".join(named), NAME_CHARS), of_check[check]
