"""Compares the rounds of each query, by pairs of rounds or by labels and signatures (docs/scoring.md#5-consistency).

The rubric decides which of the two. All items of a query count, also where a round has several of them. Beside the
pooled figures, single rounds say which pairs of rounds agree and how many items each track has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import inf

from scoring.findings import FindingLog
from scoring.items import Agreement, agreement, details_of, latency_class_of
from scoring.problems import Problem
from scoring.results.item_table import ItemTable, Traits
from scoring.results.means import mean_of
from scoring.results.model import AgreementFigures, Group, Pairs, Queries, QueryAgreement, QueryEnds, Round, RoundPair
from scoring.results.passes import agreeing_pairs, passes_in_round
from scoring.results.uncertainty import ANSWERED, PASSED, QueryValues
from scoring.rubric import ALL, CONSISTENCY, SHARE, AgreementRule, Rubric, Scale, Status, TrackId, group_key
from scoring.statistics import RoundsTest, holm, rounds_alike

_Outcome = tuple[int, TrackId | None, bool | None]  # index of the round, track, does the item pass
_WORST = list(Status).index
_MOST_SHOWN = 5  # names of agents
_SURE = 0.01  # p-value, so that hardly any report of rounds that are alike says that they differ
PAIRED_ROUNDS = range(3, 7)  # of two rounds the pooled figures say it all, of more there are too many pairs to read


def slow_items(table: ItemTable, rubric: Rubric) -> tuple[int, ...]:
    """Indices of the items at or above `slow_seconds` of their latency class."""
    named = {entry.name: entry.slow_seconds for entry in rubric.latency_classes}
    of_distinct = [
        rubric.latency_class(traits.track).slow_seconds
        if rubric.classes is None
        else named[latency_class_of(traits, rubric)]
        for traits in table.distinct
    ]
    if all(limit is None for limit in of_distinct):
        return ()
    limits = [inf if limit is None else limit for limit in of_distinct]
    found = enumerate(zip(table.numbers, table.seconds, strict=True))
    return tuple([index for index, (number, seconds) in found if seconds >= limits[number]])  # NaN is never slow


def note_agents(table: ItemTable, rubric: Rubric, log: FindingLog) -> None:
    """Log the agents whose answers count as those of one, where the document says which field names them."""
    if not rubric.agents:
        return
    found = table.llm_models if rubric.agents == "llm_model" else {one.category for one in table.distinct}
    names = sorted(name for name in found if name)
    if len(names) > 1:
        shown = ", ".join(names[:_MOST_SHOWN])
        log.add(Problem(code="agents-mixed", found=shown, values={"agents": shown}), len(names))


def compare_rounds(
    table: ItemTable, values: QueryValues, place: Mapping[str, int], rubric: Rubric
) -> tuple[Queries, dict[str, Pairs]]:
    """Every query over the rounds, and the compared pairs by key of the group; no pairs without consistency.

    place: index of each round by its label. The status decides what passes, or the points where the profile has a
    rule for them; an item without these points is not compared.
    """
    # Queries that went alike are compared once: 100,000 items in two rounds take 0.1 s, query by query 0.3 s.
    rule, passing = rubric.pass_rule, frozenset(rubric.pass_statuses)
    outcomes = [(place[one.round], one.track, passes_in_round(one, rule, passing)) for one in values.samples]
    compared = {marks: _compared(marks, values.samples, outcomes, len(place)) for marks in values.alike}
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for marks, times in values.alike.items():
        _count_pairs(compared[marks][1], times, totals)
    ends = {marks: found if rule else found._replace(passes=()) for marks, (found, _) in compared.items()}
    queries = Queries(values.query_ids, table.questions, [ends[marks] for marks in values.marks])
    has_pairs = rubric.has_metric("consistency")
    return queries, {key: pairs_of_total(total, rubric.points) for key, total in totals.items() if has_pairs}


def query_agreements(
    table: ItemTable, values: QueryValues, place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryAgreement, ...], dict[str, AgreementFigures]]:
    """Labels and signatures of every query, and the figures per group key; nothing where pairs are compared.

    Every item of a query is compared, whatever its round. A track's figures take the items in that track.
    """
    rule = rubric.agreement
    if rule is None:
        return (), {}
    queries = []
    found: defaultdict[str, list[Agreement]] = defaultdict(list)
    for query_id, marks, question in zip(values.query_ids, values.marks, table.questions, strict=True):
        compared = [values.samples[mark] for mark in marks]
        last = max(reversed(compared), key=lambda traits: place[traits.round])
        agreed = _agreement_of(compared, rule, rubric.points)
        found[ALL].append(agreed)
        for track in {traits.track for traits in compared}:
            of_track = [traits for traits in compared if traits.track == track]
            found[group_key(track)].append(_agreement_of(of_track, rule, rubric.points))
        labels: list[dict[str, None]] = [{} for _ in place]
        signatures: list[dict[str, None]] = [{} for _ in place]
        for traits in compared:
            details = details_of(traits)
            labels[place[traits.round]][details.label] = None
            signatures[place[traits.round]][details.signature] = None
        queries.append(
            QueryAgreement(
                query_id=query_id,
                question=question,
                track=last.track,
                labels=tuple(" / ".join(of_round) if of_round else None for of_round in labels),
                signatures=tuple(" / ".join(of_round) if of_round else None for of_round in signatures),
                n=agreed.n,
                ratio_label=agreed.ratio_label,
                ratio_signature=agreed.ratio_signature,
                score=agreed.score,
            )
        )
    return tuple(queries), {key: _agreement_figures(agreements) for key, agreements in found.items()}


def _compared(
    marks: tuple[int, ...], samples: Sequence[Traits], outcomes: Sequence[_Outcome], rounds: int
) -> tuple[QueryEnds, list[_Outcome]]:
    """How queries with the same marks end, and their items, of those that are alike one.

    marks: of the items of a query. Of several in a round the worst status counts, and all have to pass.

    samples, outcomes: by mark. rounds: how many the set has.
    """
    statuses: list[Status | None] = [None] * rounds
    passes: list[bool | None] = [None] * rounds
    found: defaultdict[int, set[bool | None]] = defaultdict(set)
    different = dict.fromkeys(marks)
    for mark in different:
        at, _, passed = outcomes[mark]
        status = samples[mark].status
        statuses[at] = min(statuses[at] or status, status, key=_WORST)
        found[at].add(passed)
    for at, ended in found.items():
        passes[at] = None if ended == {None} else False not in ended
    latest = max(found)
    last = next(samples[mark] for mark in reversed(marks) if outcomes[mark][0] == latest)
    differs = any({True, False} <= each for each in found.values())
    ends = QueryEnds(last.track, last.category, tuple(statuses), tuple(passes), differs)
    return ends, [outcomes[mark] for mark in different]


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


def pairs_of_total(total: Sequence[int], scale: Scale) -> Pairs:
    """total: pairs that both pass, both fail and differ, and queries with any."""
    both_pass, both_fail, mismatch, queries = total
    compared = both_pass + both_fail + mismatch
    return Pairs(
        both_pass=both_pass,
        both_fail=both_fail,
        mismatch=mismatch,
        queries=queries,
        score=scale.at(both_pass + both_fail, compared) if compared else None,
    )


def _agreement_of(items: Sequence[Traits], rule: AgreementRule, scale: Scale) -> Agreement:
    details = [details_of(item) for item in items]
    return agreement(
        [one.label for one in details],
        [one.signature for one in details],
        scale=scale,
        single=rule.single,
        parts=rule.parts,
    )


def _agreement_figures(agreements: list[Agreement]) -> AgreementFigures:
    return AgreementFigures(
        queries=len(agreements),
        single=sum(one.n < 2 for one in agreements),
        ratio_label=mean_of([one.ratio_label for one in agreements]),
        ratio_signature=mean_of([one.ratio_signature for one in agreements]),
        score=mean_of([one.score for one in agreements]),
    )


def pairs_of_rounds(
    values: QueryValues, rounds: Sequence[Round], place: Mapping[str, int], rubric: Rubric
) -> tuple[RoundPair, ...]:
    """Every two rounds compared, of three to six rounds; nothing for profiles that compare no pairs."""
    if len(rounds) not in PAIRED_ROUNDS or rubric.agreement is not None or not rubric.has_metric(CONSISTENCY):
        return ()
    passing = frozenset(rubric.pass_statuses)
    ends = [(place[item.round], passes_in_round(item, rubric.pass_rule, passing)) for item in values.samples]
    pairs = []
    for (one, first), (other, second) in combinations(enumerate(rounds), 2):
        total = [0, 0, 0, 0]
        for marks, times in values.alike.items():
            found = agreeing_pairs([ends[mark] for mark in dict.fromkeys(marks) if ends[mark][0] in {one, other}])
            if found is not None:
                total = [before + times * n for before, n in zip(total, (*found, 1), strict=True)]
        if any(total):
            pairs.append(RoundPair(first=first, second=second, pairs=pairs_of_total(total, rubric.points)))
    return tuple(pairs)


def find_track_counts(groups: Iterable[Group], rounds: Sequence[Round], rubric: Rubric, log: FindingLog) -> None:
    """Log each round that has more or fewer items of a track than the document declares. groups: of the tracks."""
    items = {group.track: group.items for group in groups}
    for track in rubric.tracks:
        if track.items is None:
            continue
        for entry, n in zip(rounds, items.get(track.number, (0,) * len(rounds)), strict=True):
            if n != track.items:
                values = {"round": entry.label, "track": str(track.number), "declared": str(track.items)}
                found = f"{entry.label} Track {track.number}: {n} / {track.items}"
                log.add(Problem(code="track-counts", found=found, values=values))


def find_round_differences(values: QueryValues, rounds: Sequence[Round], rubric: Rubric, log: FindingLog) -> None:
    """Log each figure that differs between the rounds by more than chance. Rounds that few queries have are left out.

    Figures that are alike for every query are one.
    """
    figures = [metric.name for metric in rubric.metrics if metric.name != CONSISTENCY]
    figures = [ANSWERED, *([PASSED] if rubric.pass_points is not None else []), *figures]
    distinct: dict[frozenset[tuple[tuple[float | None, ...], int]], tuple[str, RoundsTest]] = {}
    for name in figures:
        scale = SHARE if name in {ANSWERED, PASSED} else rubric.scale_of(name)
        queries: Counter[tuple[float | None, ...]] = Counter()
        for row, times in values.by_round(name).items():
            queries[tuple([None if one is None else (one - scale.lowest) / scale.length for one in row])] += times
        found = rounds_alike(queries)
        if found is not None:
            means = tuple([scale.lowest + mean * scale.length for mean in found.means])
            distinct.setdefault(frozenset(queries.items()), (name, found._replace(means=means)))
    tests = list(distinct.values())
    for (name, found), p in zip(tests, holm([found.p for _, found in tests]), strict=True):
        if p <= _SURE:
            shown = [f"{rounds[at].label}: {mean:.2f}" for at, mean in zip(found.rounds, found.means, strict=True)]
            facts = {"figure": name, "p": f"{p:.2g}", "queries": str(found.queries)}
            log.add(Problem(code="rounds-differ", found=f"{name} ({', '.join(shown)})", values=facts))
