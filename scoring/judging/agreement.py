"""How far two series of levels of the same items agree: recorded ones, a judge's, people's."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from scoring.judging.figures import Differing, JudgeAgreement
from scoring.statistics import Values, exact_agreement, in_one_round, kappa_interval, mean_interval, weighted_kappa

MAX_LISTED = 20  # items whose levels or votes differ


class LevelPair(NamedTuple):
    """An item with a level of each series. at: of the item. first, second: places of the levels, lowest first."""

    at: int
    query_id: str
    first: int
    second: int


def agreement_of(names: Sequence[str], pairs: Sequence[LevelPair]) -> JudgeAgreement:
    """The figures. names: of the levels, lowest first. pairs: at least one."""
    matrix = [[0] * len(names) for _ in names]
    by_query: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for pair in pairs:
        matrix[pair.first][pair.second] += 1
        by_query[pair.query_id].append((pair.first, pair.second))
    differing = [
        Differing(
            index=pair.at,
            recorded=names[pair.first],
            judged=names[pair.second],
            apart=abs(pair.first - pair.second),
        )
        for pair in pairs
        if pair.first != pair.second
    ]
    differing.sort(key=lambda entry: (-entry.apart, entry.index))
    kappa = weighted_kappa(matrix)
    interval = kappa_interval(list(by_query.values()), len(names)) if kappa is not None else None
    exact = exact_agreement(matrix)
    equal: list[Values] = [tuple([float(one == other) for one, other in query]) for query in by_query.values()]
    return JudgeAgreement(
        n=len(pairs),
        queries=len(by_query),
        levels=tuple(names),
        matrix=tuple(map(tuple, matrix)),
        exact=exact,
        exact_interval=None if exact is None else mean_interval(exact, in_one_round(equal), top=1.0),
        kappa=kappa,
        undefined="" if kappa is not None else "one-level",
        low=interval.low if interval is not None else None,
        high=interval.high if interval is not None else None,
        differing=tuple(differing[:MAX_LISTED]),
        differing_count=len(differing),
    )
