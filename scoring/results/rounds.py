"""What the rounds of a query say of each other: pairs of rounds compared, or labels and signatures counted.

The last item of a (query, round) speaks for the query. Which of the two a profile does is its rubric's to say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import fsum

from scoring.items.labels_and_signatures import Agreement, agreement
from scoring.items.part import Item, details_of
from scoring.results.model import UNASSIGNED, AgreementFigures, Pairs, QueryAgreement, QueryRounds
from scoring.rubric.model import ALL, Rubric
from scoring.rubric.rules import AgreementRule, PassRule

_Speaking = dict[str, dict[int, Item]]  # query id -> index of the round -> item


def group_key(track: int | None) -> str:
    """Key of the `Group` that an item of `track` belongs to."""
    return UNASSIGNED if track is None else str(track)


def latency_class_of(item: Item, rubric: Rubric) -> str:
    """Name of the latency class whose bands scored the item."""
    if rubric.classes is not None and item.details is not None:
        return item.details.latency_class
    return rubric.latency_class(item.track).name


def compare_rounds(
    items: Iterable[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryRounds, ...], dict[str, Pairs]]:
    """Every query over the rounds, and the compared pairs per group key.

    place: round label -> its index. Pairs are counted from the numbers of passes and fails, which is linear in the
    rounds. An item without the points that decide is not compared.
    """
    rule = rubric.pass_rule
    if not rubric.has_metric("consistency"):
        return (), {}
    if rule is None:
        return _compare_statuses(items, place, rubric)
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    indexes = range(len(place))
    queries = []
    for query_id, by_round in _speaking(items, place).items():
        spoken = list(by_round.values())
        last = by_round[max(by_round)]
        compared = [
            (item.track, points >= rule.points) for item in spoken if (points := _points(item, rule)) is not None
        ]
        _count_pairs(compared, 1, totals)
        statuses = tuple([by_round[index].status if index in by_round else None for index in indexes])
        passes = tuple(_passes(by_round.get(index), rule) for index in indexes)
        queries.append(
            QueryRounds(query_id=query_id, question=last.question, track=last.track, statuses=statuses, passes=passes)
        )
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
    for query_id, by_round in _speaking(items, place).items():
        spoken = list(by_round.values())
        last = by_round[max(by_round)]
        agreed = _agreement_of(spoken, rule, rubric.scale)
        found[ALL].append(agreed)
        for track in {item.track for item in spoken}:
            of_track = [item for item in spoken if item.track == track]
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


def _speaking(items: Iterable[Item], place: Mapping[str, int]) -> _Speaking:
    speaking: defaultdict[str, dict[int, Item]] = defaultdict(dict)
    for item in items:
        speaking[item.query_id][place[item.round]] = item
    return speaking


def _points(item: Item, rule: PassRule) -> float | None:
    points: float | None = getattr(item, rule.metric)
    return points


def _passes(item: Item | None, rule: PassRule) -> bool | None:
    points = None if item is None else _points(item, rule)
    return None if points is None else points >= rule.points


def _compare_statuses(
    items: Iterable[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryRounds, ...], dict[str, Pairs]]:
    """`compare_rounds` where the status decides.

    In one column per round, and pairs counted once for all queries that went alike: 100,000 items in two rounds take
    0.1 s, query by query 0.3 s.
    """
    speaking: list[dict[str, Item]] = [{} for _ in place]
    query_ids: dict[str, None] = {}
    for item in items:
        query_ids[item.query_id] = None
        speaking[place[item.round]][item.query_id] = item
    columns: list[list[Item | None]] = [list(map(of_round.get, query_ids)) for of_round in speaking]
    statuses = list(zip(*[[item and item.status for item in column] for column in columns], strict=True))
    tracks = zip(*[[item and item.track for item in column] for column in columns], strict=True)

    passing = frozenset(rubric.pass_statuses)
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (of_query, in_tracks), times in Counter(zip(statuses, tracks, strict=True)).items():
        compared = [
            (track, status in passing) for status, track in zip(of_query, in_tracks, strict=True) if status is not None
        ]
        _count_pairs(compared, times, totals)

    last: list[Item | None] = [None] * len(query_ids)
    for column in columns:
        last = [item or earlier for item, earlier in zip(column, last, strict=True)]
    queries = [
        QueryRounds(query_id=query_id, question=item.question, track=item.track, statuses=of_query)
        for query_id, item, of_query in zip(query_ids, last, statuses, strict=True)
        if item is not None  # always: a query has an item in some round
    ]
    return tuple(queries), {key: _pairs(total, rubric.scale) for key, total in totals.items()}


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
        ratio_label=_mean([one.ratio_label for one in agreements]),
        ratio_signature=_mean([one.ratio_signature for one in agreements]),
        score=_mean([one.score for one in agreements]),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present else None
