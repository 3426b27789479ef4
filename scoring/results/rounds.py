"""Compares the rounds of each query, by pairs of rounds or by labels and signatures (docs/scoring.md#5-consistency).

The rubric decides which of the two. If a query has several items in a round, the last one counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from scoring.items.labels_and_signatures import Agreement, agreement
from scoring.items.part import Item, details_of
from scoring.memo import Memo
from scoring.results.means import mean_of
from scoring.results.model import UNASSIGNED, AgreementFigures, Pairs, QueryAgreement, QueryRounds
from scoring.rubric.model import ALL, Rubric, Status
from scoring.rubric.rules import AgreementRule, PassRule


def group_key(track: int | None) -> str:
    """Key of the `Group` that an item of `track` belongs to."""
    return UNASSIGNED if track is None else str(track)


def latency_class_of(item: Item, rubric: Rubric) -> str:
    """Name of the latency class whose bands scored the item."""
    if rubric.classes is not None and item.details is not None:
        return item.details.latency_class
    return rubric.latency_class(item.track).name


def slow_items(items: Sequence[Item], rubric: Rubric) -> tuple[int, ...]:
    """Indices of the items at or above `slow_seconds` of their latency class."""
    keys: list[int | str | None]
    limits: dict[int | str | None, float | None]
    if rubric.classes is None:
        keys = [item.track for item in items]
        limits = {track: rubric.latency_class(track).slow_seconds for track in {item.track for item in items}}
    else:
        keys = [latency_class_of(item, rubric) for item in items]
        limits = {entry.name: entry.slow_seconds for entry in rubric.latency_classes}
    return tuple(
        [
            index
            for index, (item, key) in enumerate(zip(items, keys, strict=True))
            if item.seconds is not None and (limit := limits[key]) is not None and item.seconds >= limit
        ]
    )


def compare_rounds(
    items: Iterable[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryRounds, ...], dict[str, Pairs]]:
    """Every query over the rounds, and the compared pairs by key of the group; nothing without consistency.

    place: index of each round by its label. The status decides what passes, or the points where the profile has a
    rule for them; an item without these points is not compared.
    """
    if not rubric.has_metric("consistency"):
        return (), {}
    # One column per round, and pairs counted once for all queries that went alike: 100,000 items in two rounds take
    # 0.1 s, query by query 0.3 s.
    by_round: list[dict[str, Item]] = [{} for _ in place]
    query_ids: dict[str, None] = {}
    for item in items:
        query_ids[item.query_id] = None
        by_round[place[item.round]][item.query_id] = item
    columns: list[list[Item | None]] = [list(map(of_round.get, query_ids)) for of_round in by_round]
    statuses = list(zip(*[[item and item.status for item in column] for column in columns], strict=True))
    tracks = zip(*[[item and item.track for item in column] for column in columns], strict=True)
    rule = rubric.pass_rule
    if rule is None:
        outcomes = Memo(partial(_passes_by_status, passing=frozenset(rubric.pass_statuses)))
        passes = [outcomes[of_query] for of_query in statuses]
    else:
        passes = list(zip(*[[_passes(item, rule) for item in column] for column in columns], strict=True))

    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (of_query, in_tracks), times in Counter(zip(passes, tracks, strict=True)).items():
        compared = [(track, passed) for passed, track in zip(of_query, in_tracks, strict=True) if passed is not None]
        _count_pairs(compared, times, totals)

    last: list[Item | None] = [None] * len(query_ids)
    for column in columns:
        last = [item or earlier for item, earlier in zip(column, last, strict=True)]
    queries = [
        QueryRounds(
            query_id=query_id,
            question=item.question,
            track=item.track,
            statuses=of_query,
            passes=() if rule is None else passed,
        )
        for query_id, item, of_query, passed in zip(query_ids, last, statuses, passes, strict=True)
        if item is not None  # always: a query has an item in some round
    ]
    return tuple(queries), {key: _pairs(total, rubric.scale) for key, total in totals.items()}


def query_agreements(
    items: Iterable[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryAgreement, ...], dict[str, AgreementFigures]]:
    """Labels and signatures of every query, and the figures per group key; nothing where pairs are compared.

    A track's figures take the rounds in which the query is in that track.
    """
    rule = rubric.agreement
    if rule is None:
        return (), {}
    queries = []
    found: defaultdict[str, list[Agreement]] = defaultdict(list)
    by_query: defaultdict[str, dict[int, Item]] = defaultdict(dict)
    for item in items:
        by_query[item.query_id][place[item.round]] = item
    for query_id, by_round in by_query.items():
        compared = list(by_round.values())
        last = by_round[max(by_round)]
        agreed = _agreement_of(compared, rule, rubric.scale)
        found[ALL].append(agreed)
        for track in {item.track for item in compared}:
            of_track = [item for item in compared if item.track == track]
            found[group_key(track)].append(_agreement_of(of_track, rule, rubric.scale))
        details = [details_of(by_round[index]) if index in by_round else None for index in range(len(place))]
        queries.append(
            QueryAgreement(
                query_id=query_id,
                question=last.question,
                track=last.track,
                labels=tuple(one.label if one is not None else None for one in details),
                signatures=tuple(one.signature if one is not None else None for one in details),
                n=agreed.n,
                ratio_label=agreed.ratio_label,
                ratio_signature=agreed.ratio_signature,
                score=agreed.score,
            )
        )
    return tuple(queries), {key: _figures(agreements) for key, agreements in found.items()}


def _passes_by_status(statuses: tuple[Status | None, ...], *, passing: frozenset[Status]) -> tuple[bool | None, ...]:
    return tuple(None if status is None else status in passing for status in statuses)


def _passes(item: Item | None, rule: PassRule) -> bool | None:
    points: float | None = None if item is None else getattr(item, rule.metric)
    return None if points is None else points >= rule.points


def _count_pairs(compared: list[tuple[int | None, bool]], times: int, totals: defaultdict[str, list[int]]) -> None:
    """Add the pairs of a query's rounds, each (track, did it pass), as often as there are such queries."""
    if len(compared) < 2:
        return
    keys = {group_key(track): [passed for other, passed in compared if other == track] for track, _ in compared}
    for key, results in (ALL, [passed for _, passed in compared]), *keys.items():
        passed = sum(results)
        failed = len(results) - passed
        total = totals[key]
        total[0] += times * (passed * (passed - 1) // 2)
        total[1] += times * (failed * (failed - 1) // 2)
        total[2] += times * passed * failed
        total[3] += times * (len(results) > 1)


def _pairs(total: list[int], scale: float) -> Pairs:
    both_pass, both_fail, mismatch, queries = total
    compared = both_pass + both_fail + mismatch
    return Pairs(
        both_pass=both_pass,
        both_fail=both_fail,
        mismatch=mismatch,
        queries=queries,
        score=scale * (both_pass + both_fail) / compared if compared else None,
    )


def _agreement_of(items: list[Item], rule: AgreementRule, scale: float) -> Agreement:
    details = [details_of(item) for item in items]
    return agreement(
        [one.label for one in details], [one.signature for one in details], scale=scale, single=rule.single
    )


def _figures(agreements: list[Agreement]) -> AgreementFigures:
    return AgreementFigures(
        queries=len(agreements),
        single=sum(one.n < 2 for one in agreements),
        ratio_label=mean_of([one.ratio_label for one in agreements]),
        ratio_signature=mean_of([one.ratio_signature for one in agreements]),
        score=mean_of([one.score for one in agreements]),
    )
