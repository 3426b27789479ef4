"""Merges the parts of a set: joins its files (docs/scoring.md#several-files), and adds up figures.

Items are taken in one order (NFC file name, row), so that the order of the parts does not matter. Sums are exact, so
that neither the order of the items nor how a file was split changes a digit (docs/scoring.md#6-aggregation).
"""

import unicodedata
from collections import Counter
from collections.abc import Container, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.findings import FindingLog
from scoring.items import ENGINE_VERSION, UNANSWERED, Item, details_of, exact_count, find_other_units, round_sort_key
from scoring.items.spool import Items, Part
from scoring.judging import JudgeFigures, Judging
from scoring.problems import InputError, Problem
from scoring.results.checklist import find_unticked
from scoring.results.damage import find_damage
from scoring.results.execution import note_unread_times
from scoring.results.groups import count_cells, group_figures, latency_distributions, level_counts, with_measures
from scoring.results.item_table import ItemTable, count_kinds
from scoring.results.joining import (
    conflict_copies,
    join_files,
    note_queries,
    note_small_rounds,
    read_alike_as_one,
    refuse_apart,
    without_copies,
)
from scoring.results.map_scores import rubric_of_parts, unread_scores, with_places
from scoring.results.means import mean_of_values, weighted_total
from scoring.results.model import InputSummary, Round, SetResult
from scoring.results.repeatability import find_repeatability
from scoring.results.reviewing import Reviews
from scoring.results.rounds import (
    compare_rounds,
    find_round_differences,
    find_track_counts,
    note_agents,
    pairs_of_rounds,
    query_agreements,
    slow_items,
)
from scoring.results.sessions import find_sessions, name_turns, note_unsure_turns
from scoring.results.slices import slices_missing
from scoring.results.uncertainty import ANSWERED, PASSED, QueryValues
from scoring.review import Applied, PersonGrade
from scoring.rubric import SHARE, Rubric
from scoring.text import cut


class _JoinedSet(NamedTuple):
    """The items of a set, and what its files say besides, as `SetResult` has it.

    rubric: with the scores of maps. log: findings so far, to which those of the figures are added.
    """

    rubric: Rubric
    inputs: tuple[InputSummary, ...]
    rounds: tuple[Round, ...]
    items: Items
    sources: Sequence[int]
    extra_columns: tuple[str, ...]
    log: FindingLog
    counts: Counter[str]
    restored_rounds: tuple[str, ...]
    judge: JudgeFigures | None
    reviews: Reviews | None
    applied: Applied | None


def _join_parts(
    parts: Sequence[tuple[str, Part]], rubric: Rubric, judging: Judging | None, grades: Sequence[PersonGrade]
) -> _JoinedSet:
    """The set of the files `parts`, as `merge` takes them. Raises InputError when there is nothing to report."""
    ordered = sorted(((unicodedata.normalize("NFC", name), part) for name, part in parts), key=lambda pair: pair[0])
    log = FindingLog()
    copies = conflict_copies([name for name, _ in ordered])
    ordered = without_copies(refuse_apart(ordered, rubric), copies, log)
    refusals = [problem.at(name) for name, part in ordered for problem in part.problems]
    if all(part.refused for _, part in ordered):
        raise InputError(tuple(refusals))
    for problem in refusals:
        log.add(problem, problem.times)
    for name, part in ordered:
        log.add_all(part.findings, name)

    for rule in rubric.unread_rules:
        log.add(Problem(code="rule-lines-not-read", source=rubric.document, line=rule.line, found=rule.text))
    names = [name for name, _ in ordered]
    _refuse_too_many_rounds(ordered, rubric)
    extra_columns, files = _align_extra([(part.extra_columns, part.items) for _, part in ordered])
    _note_columns(rubric, extra_columns, files, log)
    declared, rubric = rubric, rubric_of_parts(rubric, ordered)
    files = with_places(files, ordered, declared, rubric, log) if rubric is not declared else files
    found = join_files(names, files, log, has_sessions=rubric.sessions is not None)
    items, sources, rounds, dropped = read_alike_as_one(found, names, log)
    items = name_turns(items) if rubric.sessions is not None else items
    judge = None
    if rubric.judged:
        from scoring.judging import judge_items  # most profiles have no judge

        items, judge = judge_items(items, rubric, judging)
    reviews, applied = None, None
    if grades:
        from scoring.results.reviewing import find_reviews  # most sets have none
        from scoring.review import apply_grades

        applied = apply_grades(items, rubric, grades, log)
        reviews = find_reviews(items, applied, rubric) if applied.used else None
        items = applied.items
    if rubric.questions:
        _note_questions(items, rubric, log)
    counts: Counter[str] = Counter()
    for _, part in ordered:
        counts.update(part.counts)
    counts -= dropped
    return _JoinedSet(
        rubric=rubric,
        inputs=_inputs(ordered, sources, copies),
        rounds=rounds,
        items=items,
        sources=sources,
        extra_columns=extra_columns,
        log=log,
        counts=counts,
        restored_rounds=tuple(
            sorted({label for _, part in ordered for label in part.restored_rounds}, key=round_sort_key)
        ),
        judge=judge,
        reviews=reviews,
        applied=applied,
    )


def _refuse_too_many_rounds(files: Sequence[tuple[str, Part]], rubric: Rubric) -> None:
    """Raise InputError when the files have more labels of rounds than the rubric allows: a wrong column."""
    first: dict[str, tuple[str, int]] = {}
    for name, part in files:
        for labels, rows in part.items.columns("round", "row"):
            for label in dict.fromkeys(labels):
                if label not in first:
                    first[label] = name, rows[labels.index(label)]
    if len(first) <= rubric.max_rounds:
        return
    name, row = list(first.values())[rubric.max_rounds]
    raise InputError(
        (
            Problem(
                code="too-many-rounds",
                source=name,
                row=row,
                column=next(column.title for column in rubric.columns if column.name == "round"),
                found=", ".join(sorted(first, key=round_sort_key)[:5]),
                values={"rounds": str(len(first)), "limit": str(rubric.max_rounds)},
            ),
        )
    )


def _align_extra(
    files: Sequence[tuple[tuple[str, ...], Items]],
) -> tuple[tuple[str, ...], list[Items]]:
    """Titles of the extra columns of all files, and the items of each file with their extra cells in that order."""
    titles = tuple(dict.fromkeys(title for layout, _ in files for title in layout))
    return titles, [
        items if layout == titles or not items else items.edited(partial(_with_extra, layout=layout, titles=titles))
        for layout, items in files
    ]


def _note_columns(rubric: Rubric, titles: Sequence[str], files: Sequence[Items], log: FindingLog) -> None:
    """Which declared slices are no further column, and which further columns look like scores."""
    for title in slices_missing(rubric, titles):
        log.add(Problem(code="slice-missing", source=rubric.document, found=title))
    for title in unread_scores(rubric, titles, files):
        log.add(Problem(code="score-column-unread", column=title))


def _with_extra(item: Item, *, layout: Sequence[str], titles: Sequence[str]) -> Item:
    cells = dict(zip(layout, item.extra, strict=True))
    return msgspec.structs.replace(item, extra=tuple(cells.get(title, "") for title in titles))


def _inputs(
    ordered: Sequence[tuple[str, Part]], sources: Sequence[int], left_out: Container[str]
) -> tuple[InputSummary, ...]:
    kept = Counter(sources)
    summaries = []
    for index, (name, part) in enumerate(ordered):
        duplicates = part.duplicates + len(part.items) - kept[index]
        exact_count(part.rows, kept[index], duplicates, part.blank_rows, part.unusable_rows)
        summaries.append(
            InputSummary(
                name=name,
                sha256=part.sha256,
                size=part.size,
                encoding=part.encoding,
                delimiter=part.delimiter,
                sheet=part.sheet,
                refused=part.refused,
                rows=part.rows,
                items=kept[index],
                duplicates=duplicates,
                blank_rows=part.blank_rows,
                unusable_rows=part.unusable_rows,
                left_out=name in left_out,
            )
        )
    return tuple(summaries)


def _note_questions(items: Items, rubric: Rubric, log: FindingLog) -> None:
    """Which questions of the sheet were not asked, and which were asked that it does not have."""
    asked, listed = set(items.column("query_id")), {one.query_id for one in rubric.questions}
    for code, names in (("question-unasked", listed - asked), ("question-unlisted", asked - listed)):
        log.add_first((Problem(code=code, found=cut(name)) for name in sorted(names)), len(names))


def merge(
    parts: Sequence[tuple[str, Part]],
    rubric: Rubric,
    judging: Judging | None = None,
    grades: Sequence[PersonGrade] = (),
) -> SetResult:
    """The scored set of the files `parts`: (name relative to the set, its Part), in any order.

    judging: the judge and its verdicts so far; the items of the parts stay as they are. grades: of people, for this
    set. Raises InputError when there is nothing to report: every file was refused (their own problems), or there are
    more rounds than the rubric allows.
    """
    joined = _join_parts(parts, rubric, judging, grades)
    digest, rubric = rubric.document_digest, joined.rubric
    rounds, log, counts = joined.rounds, joined.log, joined.counts
    place = {entry.label: index for index, entry in enumerate(rounds)}
    table = ItemTable(joined.items, place, rubric)
    values = QueryValues(table, place, rubric)
    note_queries(table, values, joined.sources, [entry.name for entry in joined.inputs], log)
    if joined.judge is not None or rubric.rubrics is not None:
        _count_unjudged(counts, table, rubric)
    has_answer = (traits.status not in UNANSWERED for traits in table.traits())
    find_other_units(table.recorded, table.seconds, has_answer, rubric, log)
    queries, pairs = compare_rounds(table, values, place, rubric)
    cells = count_cells(table, place, rubric)
    agreements, agreed = query_agreements(table, values, place, rubric)
    groups = group_figures(cells, len(rounds), values, pairs=pairs, agreed=agreed, rubric=rubric)
    groups = with_measures(groups, cells, len(rounds), rubric) if rubric.measures else groups
    note_small_rounds(rounds, groups[0].items, log)
    for group in groups[1:]:
        if rubric.has_tracks and not rubric.names_track(group.track):
            counts["track-unassigned" if group.track is None else "track-unnamed"] += group.n
    find_track_counts(groups[1:], rounds, rubric, log)
    find_round_differences(values, rounds, rubric, log)
    note_agents(table, rubric, log)
    note_unread_times(joined.items, table.executed, log)
    if joined.judge is not None:
        from scoring.judging import note_trust

        note_trust(joined.judge.metrics, log)
    answered = mean_of_values(values.everywhere(ANSWERED), scale=SHARE)
    passed = None if rubric.pass_points is None else mean_of_values(values.everywhere(PASSED), scale=SHARE)
    if passed is not None and passed.value and answered.value == 0:
        log.add(Problem(code="passed-unanswered"), round(passed.value * passed.n))
    result = SetResult(
        rubric=rubric,
        rubric_digest=digest,
        engine_version=ENGINE_VERSION,
        inputs=joined.inputs,
        rounds=rounds,
        groups=groups,
        distributions=latency_distributions(cells, len(rounds), rubric),
        items=joined.items,
        table=table,
        kinds=count_kinds(table),
        query_values=values,
        answered=answered,
        passed=passed,
        sources=joined.sources,
        slow=slow_items(table, rubric),
        queries=queries,
        repeatability=find_repeatability(values, len(rounds), rubric, (passed or answered).interval),
        extra_columns=joined.extra_columns,
        counts={code: n for code, n in sorted(counts.items()) if n},
        restored_rounds=joined.restored_rounds,
        findings=(),
        agreements=agreements,
        total=weighted_total(groups[0], values, table, rubric) if rubric.weights else None,
        levels=level_counts(cells, groups, len(rounds), rubric.rubrics) if rubric.rubrics is not None else (),
        round_pairs=pairs_of_rounds(values, rounds, place, rubric),
        judge=joined.judge,
        sessions=find_sessions(joined.items, place, rubric),
        reviews=joined.reviews,
        applied=joined.applied,
    )
    if result.sessions is not None:
        names = [entry.name for entry in joined.inputs]
        note_unsure_turns(result.items, result.sessions.entries, result.sources, names, log)
    find_unticked(result, log)
    findings = log.findings()
    return replace(result, findings=findings, damaged=find_damage(findings, len(table), rubric))


def _count_unjudged(counts: Counter[str], table: ItemTable, rubric: Rubric) -> None:
    """Count the items without a level, after recorded levels and verdicts of the judge."""
    counted = list(zip(table.distinct, table.counts(), strict=True))
    if rubric.verdict is not None:
        counts["not-evaluated"] = sum(n for traits, n in counted if traits.intent is None)
    if rubric.rubrics is not None:
        counts["rubrics-not-evaluated"] = sum(n for traits, n in counted if details_of(traits).rubrics is None)
