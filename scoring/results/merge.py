"""Merges the parts of a set: joins its files, and adds up figures (docs/scoring.md#6-aggregation).

Sums are exact, so that neither the order of the items nor how a file was split changes a digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scoring.items.part import ENGINE_VERSION, Part, details_of
from scoring.items.quantities import find_other_units
from scoring.judging.verdicts import Judging
from scoring.results.checklist import find_unticked
from scoring.results.groups import (
    count_cells,
    group_figures,
    latency_distributions,
    level_counts,
    with_measures,
)
from scoring.results.item_counts import count_kinds
from scoring.results.joining.parts import JoinedSet, join_parts
from scoring.results.joining.runs import note_queries, note_small_rounds
from scoring.results.means import mean_of_values, weighted_total
from scoring.results.model import SetResult
from scoring.results.per_round import find_track_counts, pairs_of_rounds
from scoring.results.repeatability import find_repeatability
from scoring.results.rounds import compare_rounds, query_agreements, slow_items
from scoring.results.sessions.outcomes import find_sessions
from scoring.results.table.item_table import ItemTable
from scoring.results.uncertainty import ANSWERED, PASSED, QueryValues
from scoring.rubric.model import Rubric
from scoring.rubric.points import SHARE


def merge(parts: Sequence[tuple[str, Part]], rubric: Rubric, judging: Judging | None = None) -> SetResult:
    """The scored set of the files `parts`: (name relative to the set, its Part), in any order.

    judging: the judge and its verdicts so far; the items of the parts stay as they are.
    Raises InputError when there is nothing to report: every file was refused (their own problems), or there are
    more rounds than the rubric allows.
    """
    return figures_of(join_parts(parts, rubric, judging))


def figures_of(joined: JoinedSet) -> SetResult:
    """The scored set of joined parts, whose log gets the findings of the figures."""
    rubric, rounds, log, counts = joined.rubric, joined.rounds, joined.log, Counter(joined.counts)
    place = {entry.label: index for index, entry in enumerate(rounds)}
    table = ItemTable(joined.items, place, rubric)
    values = QueryValues(table, place, rubric)
    note_queries(table, values, joined.sources, [entry.name for entry in joined.inputs], log)
    if joined.judge is not None or rubric.rubrics is not None:
        _count_unjudged(counts, table, rubric)
    find_other_units(table.recorded, table.seconds, rubric, log)
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
    result = SetResult(
        rubric=rubric,
        rubric_digest=rubric.digest,
        engine_version=ENGINE_VERSION,
        inputs=joined.inputs,
        rounds=rounds,
        groups=groups,
        distributions=latency_distributions(cells, len(rounds), rubric),
        items=joined.items,
        table=table,
        kinds=count_kinds(table),
        query_values=values,
        answered=mean_of_values(values.everywhere(ANSWERED), scale=SHARE),
        passed=None if rubric.pass_points is None else mean_of_values(values.everywhere(PASSED), scale=SHARE),
        sources=joined.sources,
        slow=slow_items(table, rubric),
        queries=queries,
        repeatability=find_repeatability(values, len(rounds), rubric),
        extra_columns=joined.extra_columns,
        counts={code: n for code, n in sorted(counts.items()) if n},
        restored_rounds=joined.restored_rounds,
        findings=(),
        agreements=agreements,
        total=weighted_total(groups[0], values, rubric) if rubric.weights else None,
        levels=level_counts(cells, groups, len(rounds), rubric.rubrics) if rubric.rubrics is not None else (),
        round_pairs=pairs_of_rounds(values, rounds, place, rubric),
        judge=joined.judge,
        sessions=find_sessions(joined.items, place, rubric),
    )
    find_unticked(result, log)
    return replace(result, findings=log.findings())


def _count_unjudged(counts: Counter[str], table: ItemTable, rubric: Rubric) -> None:
    """Count the items without a level, after recorded levels and verdicts of the judge."""
    counted = list(zip(table.distinct, table.counts(), strict=True))
    if rubric.verdict is not None:
        counts["not-evaluated"] = sum(n for traits, n in counted if traits.intent is None)
    if rubric.rubrics is not None:
        counts["rubrics-not-evaluated"] = sum(n for traits, n in counted if details_of(traits).rubrics is None)
