"""Defines the figures of a judge: its progress, its cost, and how far it agrees with recorded levels.

How far two series of levels agree is counted alike for recorded ones, a judge's and people's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scoring.findings import FindingLog
from scoring.items import Graded
from scoring.judging.prompt import messages, reply_schema
from scoring.judging.verdicts import (
    JudgeCost,
    JudgeIdentity,
    JudgePrice,
    JudgeRequest,
    JudgeState,
    Tokens,
    Verdict,
    asked_at_once,
)
from scoring.problems import Problem
from scoring.rubric import VerdictRule
from scoring.statistics import (
    Interval,
    Values,
    exact_agreement,
    in_one_round,
    kappa_interval,
    least_queries,
    mean_interval,
    weighted_kappa,
)

_TWO_LEVELS = 2


class Differing(msgspec.Struct, frozen=True, kw_only=True):
    """An item whose recorded level and the judge's differ. index: into the items. apart: levels between them."""

    index: int
    recorded: str
    judged: str
    apart: int


class JudgeAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Recorded levels against the judge's, over the n items that have both.

    queries: that the items belong to. levels: as the judge spells them, lowest first. matrix: a row per recorded
    level, a column per level of the judge. exact: share of equal levels, with its interval. kappa: quadratic-weighted;
    None with the reason ("one-level", "no-items") in `undefined`. low, high: its 95 % interval over queries, None where
    they are too few. differing: the furthest apart first, at most 20 of differing_count.
    """

    n: int
    queries: int
    levels: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]
    exact: float | None
    exact_interval: Interval | None
    kappa: float | None
    undefined: str
    low: float | None
    high: float | None
    differing: tuple[Differing, ...]
    differing_count: int

    @property
    def no_interval(self) -> str:
        """Why a kappa has no interval: "few-queries", "few-differing" or "one-level"; "" where it has, or is none.

        Few differing: of two levels. One level: is left without one of the queries.
        """
        if self.kappa is None or self.low is not None:
            return ""
        if self.queries < least_queries(len(self.levels)):
            return "few-queries"
        return "few-differing" if len(self.levels) <= _TWO_LEVELS else "one-level"


class SplitVote(msgspec.Struct, frozen=True, kw_only=True):
    """An item on which the judge's votes differ.

    index: into the items. votes: in the order asked. level: that was taken. apart: levels between the furthest votes.
    """

    index: int
    votes: tuple[str, ...]
    level: str
    apart: int


class JudgeRepeat(msgspec.Struct, frozen=True, kw_only=True):
    """The judge against itself, over the n verdicts of two votes or more.

    unanimous: share of those whose votes are all equal. pairwise: mean share of equal pairs of votes. split: items
    whose votes differ, the furthest apart first, at most 20 of split_count.
    """

    n: int
    unanimous: float | None
    pairwise: float | None
    split: tuple[SplitVote, ...] = ()
    split_count: int = 0


class JudgedMetric(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did for one metric, in items.

    wanted: those with an answer and without a level from another source; with a judge they are judged, pending or
    given up. no_answer: those without a level that have no answer to grade. agreement: None where no item was judged
    beside a recorded level. repeat: None with one vote.
    """

    metric: str
    wanted: int
    judged: int
    pending: int
    gave_up: int
    no_answer: int
    agreement: JudgeAgreement | None = None
    repeat: JudgeRepeat | None = None


class JudgeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did for a set. state NONE: there is no judge, and nothing else is filled in but `metrics`.

    failures: items given up, by the slug of what went wrong last. prompt_tokens, completion_tokens: of the final
    verdicts, each counted once; estimated_tokens: those of them that the endpoint did not count. requests: what is
    still open, each hash once; open_items: the items that wait for it. price: None where it is not known. cut_answers:
    items whose answer is too long to be read whole. digest: SHA-256 (hex) over the final verdicts, "" without any.
    """

    state: JudgeState
    metrics: tuple[JudgedMetric, ...]
    model: str = ""
    votes: int = 1
    prompt: str = ""
    failures: dict[str, int] = {}
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    price: JudgePrice | None = None
    requests: tuple[JudgeRequest, ...] = ()
    open_items: int = 0
    cut_answers: int = 0
    digest: str = ""

    @property
    def cost(self) -> JudgeCost | None:
        """What its verdicts cost at today's price; None where that is not known."""
        if self.price is None:
            return None
        amount = self.price.of(Tokens(self.prompt_tokens, self.completion_tokens))
        return JudgeCost(amount, self.price.currency, self.price.input, self.price.output)

    @property
    def wanted(self) -> int:
        """Items of all metrics without a level from another source."""
        return sum(metric.wanted for metric in self.metrics)

    @property
    def judged(self) -> int:
        """Wanted items that have a level."""
        return sum(metric.judged for metric in self.metrics)

    @property
    def pending(self) -> int:
        """Wanted items that wait for a level."""
        return sum(metric.pending for metric in self.metrics)

    @property
    def gave_up(self) -> int:
        """Wanted items that the judge could not grade."""
        return sum(metric.gave_up for metric in self.metrics)


POOR_KAPPA = 0.4  # below it agreement is no better than fair (Landis & Koch 1977)
QUERIES_TO_REJECT = 40
QUERIES_TO_BACK = 20


def note_trust(metrics: Iterable[JudgedMetric], log: FindingLog) -> None:
    """Log each metric whose judge disagrees with recorded levels, or whose levels too few of these back."""
    for metric in metrics:
        agreement = metric.agreement
        if agreement is not None and _disagrees(agreement):
            facts = {
                "kappa": f"{agreement.kappa:.2f}",
                "low": f"{agreement.low:.2f}",
                "high": f"{agreement.high:.2f}",
                "queries": str(agreement.queries),
            }
            log.add(Problem(code="judge-disagrees", found=metric.metric, values=facts), agreement.n)
        backing = 0 if agreement is None else agreement.queries
        if metric.judged and backing < QUERIES_TO_BACK:
            facts = {"queries": str(backing), "least": str(QUERIES_TO_BACK)}
            log.add(Problem(code="judge-unproven", found=metric.metric, values=facts), metric.judged)


def _disagrees(agreement: JudgeAgreement) -> bool:
    """Is it sure, over enough queries, that the two agree poorly?"""
    return agreement.queries >= QUERIES_TO_REJECT and agreement.high is not None and agreement.high < POOR_KAPPA


BYTES_PER_TOKEN = 4
REPLY_TOKENS = 100  # a level and a reason of two short sentences; 31 to 60 were measured


class JudgingPlan(NamedTuple):
    """What a judge would be asked. items: that wait for a level. requests: where no reply is asked for again."""

    items: int = 0
    requests: int = 0
    tokens: Tokens = Tokens()

    def plus(self, other: JudgingPlan) -> JudgingPlan:
        """Both together."""
        return JudgingPlan(self.items + other.items, self.requests + other.requests, self.tokens.plus(other.tokens))


def estimated_tokens(texts: Iterable[str]) -> int:
    """About how many tokens these texts have together."""
    return -(-sum(len(text.encode(errors="replace")) for text in texts) // BYTES_PER_TOKEN)


def expected_tokens(rules: Sequence[VerdictRule], graded: Graded, votes: int) -> Tokens:
    """About what so many votes on an item take by these rules, where each reply can be read at once."""
    schema = json.dumps(reply_schema(rules), ensure_ascii=False)
    asked = [message["content"] for message in messages(rules, graded)]
    return Tokens(votes * estimated_tokens([*asked, schema]), votes * REPLY_TOKENS * len(rules))


def missing_votes(verdict: Verdict | None, votes: int) -> int:
    """How many of `votes` are still to be asked for."""
    return max(votes - (0 if verdict is None else len(verdict.votes)), 0)


def plan_of(
    figures: JudgeFigures, rules: Iterable[VerdictRule], identity: JudgeIdentity, known: Mapping[str, Verdict]
) -> JudgingPlan:
    """What the judge of a set would be asked. known: its verdicts so far, by hash."""
    by_metric = {rule.metric: rule for rule in rules}
    plan = JudgingPlan(items=figures.open_items)
    for group in asked_at_once(figures.requests):
        votes = max(missing_votes(known.get(request.hash), identity.votes) for request in group)
        tokens = expected_tokens([by_metric[request.metric] for request in group], group[0].graded, votes)
        plan = plan.plus(JudgingPlan(0, votes, tokens))
    return plan


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
