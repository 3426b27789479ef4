"""Compares the rounds of each query, by pairs of rounds or by labels and signatures (docs/scoring.md#5-consistency).

The rubric decides which of the two. All items of a query count, also where a round has several of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter

from msgspec import structs

from scoring.items.labels_and_signatures import Agreement, agreement
from scoring.items.part import Item, details_of, latency_class_of
from scoring.memo import Memo
from scoring.results.means import mean_of
from scoring.results.model import AgreementFigures, Pairs, QueryAgreement, QueryRounds
from scoring.results.passes import agreeing_pairs, passes_in_round
from scoring.rubric.model import ALL, Rubric, Status, group_key
from scoring.rubric.points import Scale
from scoring.rubric.rules import AgreementRule
from scoring.rubric.tracks import TrackId

_Outcome = tuple[int, TrackId | None, bool | None]  # index of the round, track, does the item pass


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
    items: Sequence[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryRounds, ...], dict[str, Pairs]]:
    """Every query over the rounds, and the compared pairs by key of the group; no pairs without consistency.

    place: index of each round by its label. The status decides what passes, or the points where the profile has a
    rule for them; an item without these points is not compared.
    """
    # One column per round, and pairs counted once for all queries that went alike: 100,000 items in two rounds take
    # 0.1 s, query by query 0.3 s.
    by_round: list[dict[str, Item]] = [{} for _ in place]
    query_ids: dict[str, None] = {}
    for item in items:
        query_ids[item.query_id] = None
        by_round[place[item.round]][item.query_id] = item
    attempts = _attempts(items, place) if sum(map(len, by_round)) < len(items) else {}
    columns: list[list[Item | None]] = [list(map(of_round.get, query_ids)) for of_round in by_round]
    statuses = list(zip(*[[item and item.status for item in column] for column in columns], strict=True))
    tracks = zip(*[[item and item.track for item in column] for column in columns], strict=True)
    rule = rubric.pass_rule
    passing = frozenset(rubric.pass_statuses)
    if rule is None:
        outcomes = Memo(partial(_passes_by_status, passing=passing))
        passes = [outcomes[of_query] for of_query in statuses]
    else:
        passes = list(
            zip(*[[passes_in_round(item, rule, passing) for item in column] for column in columns], strict=True)
        )

    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    of_queries: Iterable[tuple[tuple[bool | None, ...], tuple[TrackId | None, ...]]] = zip(passes, tracks, strict=True)
    if attempts:
        of_queries = [pair for query_id, pair in zip(query_ids, of_queries, strict=True) if query_id not in attempts]
    for (passed, in_tracks), times in Counter(of_queries).items():
        _count_pairs(zip(range(len(place)), in_tracks, passed, strict=True), times, totals)

    last: list[Item | None] = [None] * len(query_ids)
    for column in columns:
        last = [item or earlier for item, earlier in zip(column, last, strict=True)]
    queries = []
    for query_id, latest, in_rounds, passed in zip(query_ids, last, statuses, passes, strict=True):
        assert latest is not None  # a query has an item in some round
        query = QueryRounds(
            query_id=query_id,
            question=latest.question,
            track=latest.track,
            category=latest.category,
            statuses=in_rounds,
            passes=() if rule is None else passed,
        )
        if query_id in attempts:
            compared = [
                (place[one.round], one.track, passes_in_round(one, rule, passing)) for one in attempts[query_id]
            ]
            _count_pairs(compared, 1, totals)
            query = _with_attempts(query, attempts[query_id], compared)
        queries.append(query)
    has_pairs = rubric.has_metric("consistency")
    return tuple(queries), {key: _pairs(total, rubric.points) for key, total in totals.items() if has_pairs}


def query_agreements(
    items: Iterable[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryAgreement, ...], dict[str, AgreementFigures]]:
    """Labels and signatures of every query, and the figures per group key; nothing where pairs are compared.

    Every item of a query is compared, whatever its round. A track's figures take the items in that track.
    """
    rule = rubric.agreement
    if rule is None:
        return (), {}
    queries = []
    found: defaultdict[str, list[Agreement]] = defaultdict(list)
    by_query: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_query[item.query_id].append(item)
    for query_id, compared in by_query.items():
        last = max(reversed(compared), key=lambda item: place[item.round])
        agreed = _agreement_of(compared, rule, rubric.points)
        found[ALL].append(agreed)
        for track in {item.track for item in compared}:
            of_track = [item for item in compared if item.track == track]
            found[group_key(track)].append(_agreement_of(of_track, rule, rubric.points))
        labels: list[dict[str, None]] = [{} for _ in place]
        signatures: list[dict[str, None]] = [{} for _ in place]
        for item in compared:
            details = details_of(item)
            labels[place[item.round]][details.label] = None
            signatures[place[item.round]][details.signature] = None
        queries.append(
            QueryAgreement(
                query_id=query_id,
                question=last.question,
                track=last.track,
                labels=tuple(" / ".join(of_round) if of_round else None for of_round in labels),
                signatures=tuple(" / ".join(of_round) if of_round else None for of_round in signatures),
                n=agreed.n,
                ratio_label=agreed.ratio_label,
                ratio_signature=agreed.ratio_signature,
                score=agreed.score,
            )
        )
    return tuple(queries), {key: _figures(agreements) for key, agreements in found.items()}


def _passes_by_status(statuses: tuple[Status | None, ...], *, passing: frozenset[Status]) -> tuple[bool | None, ...]:
    return tuple(None if status is None else status in passing for status in statuses)


def _attempts(items: Iterable[Item], place: Mapping[str, int]) -> dict[str, list[Item]]:
    """The items of queries that have several in a round, in the order of the rounds."""
    counted = Counter(map(attrgetter("query_id", "round"), items))
    several = {query_id for (query_id, _), n in counted.items() if n > 1}
    found: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.query_id in several:
            found[item.query_id].append(item)
    return {query_id: sorted(of_query, key=lambda item: place[item.round]) for query_id, of_query in found.items()}


def _with_attempts(query: QueryRounds, items: Iterable[Item], compared: Iterable[_Outcome]) -> QueryRounds:
    """The query by all its items: the worst status of each round, and a pass only where all of a round pass."""
    statuses = list(query.statuses)
    passes = list(query.passes)
    worst = list(Status).index
    outcomes: defaultdict[int, set[bool | None]] = defaultdict(set)
    for item, (at, _, passed) in zip(items, compared, strict=True):
        statuses[at] = min(statuses[at] or item.status, item.status, key=worst)
        outcomes[at].add(passed)
    for at, found in outcomes.items() if passes else ():
        passes[at] = None if found == {None} else False not in found
    return structs.replace(
        query,
        statuses=tuple(statuses),
        passes=tuple(passes),
        differs=any({True, False} <= found for found in outcomes.values()),
    )


def _count_pairs(compared: Iterable[_Outcome], times: int, totals: defaultdict[str, list[int]]) -> None:
    """Add the pairs of a query's rounds, as often as there are such queries."""
    found: defaultdict[str, list[tuple[int, bool | None]]] = defaultdict(list)
    for at, track, passed in compared:
        if passed is not None:
            found[ALL].append((at, passed))
            found[group_key(track)].append((at, passed))
    for key, outcomes in found.items():
        pairs = agreeing_pairs(outcomes)
        if pairs is None:
            continue
        total = totals[key]
        total[0] += times * pairs.both_pass
        total[1] += times * pairs.both_fail
        total[2] += times * pairs.mismatch
        total[3] += times


def _pairs(total: list[int], scale: Scale) -> Pairs:
    both_pass, both_fail, mismatch, queries = total
    compared = both_pass + both_fail + mismatch
    return Pairs(
        both_pass=both_pass,
        both_fail=both_fail,
        mismatch=mismatch,
        queries=queries,
        score=scale.at(both_pass + both_fail, compared) if compared else None,
    )


def _agreement_of(items: list[Item], rule: AgreementRule, scale: Scale) -> Agreement:
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
