"""Decides which items of a set a judge grades, and applies its verdicts to them (docs/scoring.md#judge).

A recorded level always comes first. An item that was not graded has no value and a reason, never 0.

The value of a named score that it picks is the number of its level. What passes is decided again, by all the scores of
an item.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.items import (
    GAVE_UP,
    SOURCE_NONE,
    UNANSWERED,
    WHY_LEVEL_UNKNOWN,
    WHY_NO_ANSWER,
    WHY_NO_JUDGE,
    WHY_PENDING,
    Item,
    details_of,
    graded_of,
    is_cut,
    unjudged_why,
)
from scoring.items.spool import Items
from scoring.judging.figures import (
    MAX_LISTED,
    JudgeAgreement,
    JudgedMetric,
    JudgeFigures,
    JudgeRepeat,
    LevelPair,
    SplitVote,
    agreement_of,
)
from scoring.judging.prompt import PROMPT_VERSION
from scoring.judging.verdicts import (
    JudgeRequest,
    JudgeState,
    Judging,
    Verdict,
    asked_at_once,
    open_requests,
    request_hasher,
)
from scoring.rubric import RUBRICS, Level, Rubric, Source, VerdictRule, is_by_scores, is_score, passing_by_scores
from scoring.statistics import repeatability

_RECORDED = frozenset({Source.COLUMN.value, Source.PAYLOAD.value, Source.RECORDED.value})


class ScoreLevels:
    """Where the judged scores of a rubric are among the measures and the scores of its items."""

    def __init__(self, rubric: Rubric) -> None:
        scores = [one.name for one in rubric.measures if is_score(one.name)]
        self._n = len(scores)
        names = [one.name for one in rubric.measures]
        self._at = {rule.metric: (names.index(rule.metric), scores.index(rule.metric)) for rule in rubric.judged_scores}
        passing = rubric.pass_points
        self._passes = None
        if passing is not None and is_by_scores(passing):
            self._passes = passing_by_scores(rubric.measures, passing)

    def changed(self, item: Item, rule: VerdictRule, level: Level | None, reason: str, _why: str) -> Item:
        """The item with this level of a score, or without one, and with the reason."""
        details = details_of(item)
        at, number = self._at[rule.metric]
        measures = list(details.measures)
        measures[at] = None if level is None else level.points
        reasons = list(details.score_reasons or [""] * self._n)
        reasons[number] = reason
        return replace(item, details=replace(details, measures=tuple(measures), score_reasons=tuple(reasons)))

    def passed(self, items: Sequence[Item]) -> list[Item]:
        """The items, each with what its scores decide."""
        if self._passes is None or not self._at:
            return list(items)
        return [self._decided(item) for item in items]

    def _decided(self, item: Item) -> Item:
        assert self._passes is not None
        details = details_of(item)
        passed = self._passes(details.measures, item.status not in UNANSWERED)
        return item if passed is details.passed else replace(item, details=replace(details, passed=passed))


def judge_items(items: Items, rubric: Rubric, judging: Judging | None) -> tuple[Items, JudgeFigures]:
    """The items with the judge's levels, and its figures; items that change are copied, so that parts do not change.

    With a judge all items are in memory afterwards.
    """
    if judging is None:
        metrics = tuple(
            _Tally(rule, wanted=sum(_wants(item, rule) for item in items), no_answer=_unanswered(items, rule)).metric()
            for rule in rubric.judged
        )
        return items, JudgeFigures(state=JudgeState.NONE, metrics=metrics)
    judged = list(items)
    scores = ScoreLevels(rubric)
    tallies = [_apply(judged, rule, judging, scores) for rule in rubric.judged]
    judged = scores.passed(judged)
    used = {digest: verdict for tally in tallies for digest, verdict in tally.used.items()}
    requests = [one for at_once in asked_at_once(one for tally in tallies for one in tally.open) for one in at_once]
    failures = sum((tally.failures for tally in tallies), Counter[str]())
    return Items.of(judged), JudgeFigures(
        state=JudgeState.PENDING if requests else JudgeState.INCOMPLETE if failures else JudgeState.DONE,
        metrics=tuple(tally.metric() for tally in tallies),
        model=judging.identity.model,
        votes=judging.identity.votes,
        prompt=PROMPT_VERSION,
        failures=dict(sorted(failures.items())),
        prompt_tokens=sum(verdict.prompt_tokens for verdict in used.values()),
        completion_tokens=sum(verdict.completion_tokens for verdict in used.values()),
        estimated_tokens=sum(verdict.estimated_tokens for verdict in used.values()),
        price=judging.identity.price,
        requests=tuple(open_requests(requests, {})),
        open_items=len(requests),
        cut_answers=len(set[int]().union(*(tally.cut for tally in tallies))),
        digest=_digest(used),
    )


class _Voted(NamedTuple):
    """An item of which the judge was asked more than once. at: index of the item."""

    at: int
    votes: tuple[str, ...]
    level: str


class _Pair(NamedTuple):
    """An item with a recorded level and one of the judge. at: index of the item."""

    at: int
    query_id: str
    recorded: Level
    judged: Level


class _Tally(msgspec.Struct):
    """Counts for one rule. used: final verdicts by hash. open: requests that wait for one."""

    rule: VerdictRule
    wanted: int = 0
    no_answer: int = 0
    judged: int = 0
    pending: int = 0
    gave_up: int = 0
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    used: dict[str, Verdict] = {}
    open: list[JudgeRequest] = []
    pairs: list[_Pair] = []
    votes: list[_Voted] = []
    cut: set[int] = msgspec.field(default_factory=set)  # indexes of items whose answer is read with its middle left out

    def metric(self) -> JudgedMetric:
        """The figures."""
        return JudgedMetric(
            metric=self.rule.metric,
            wanted=self.wanted,
            judged=self.judged,
            pending=self.pending,
            gave_up=self.gave_up,
            no_answer=self.no_answer,
            agreement=_agreement(self.rule, self.pairs) if self.pairs else None,
            repeat=_repeat(self.rule, self.votes) if self.votes else None,
        )


def _apply(items: list[Item], rule: VerdictRule, judging: Judging, scores: ScoreLevels) -> _Tally:
    """Put the verdicts on one metric into the items, in place of those that change."""
    identity = judging.identity
    hash_of = request_hasher(rule, identity)
    tally = _Tally(rule, no_answer=_unanswered(items, rule))
    for index, item in enumerate(items):
        is_wanted = _wants(item, rule)
        recorded = _compared_level(item, rule) if identity.compare and not is_wanted else None
        if not is_wanted and recorded is None:
            continue
        graded = graded_of(item)
        if not graded.answer:
            continue
        if is_cut(graded.answer):
            tally.cut.add(index)
        request = JudgeRequest(hash_of(graded), rule.metric, graded)
        verdict = judging.verdicts.get(request.hash)
        level = rule.level(verdict.level) if verdict is not None and verdict.level else None
        if verdict is None or not verdict.is_final:
            tally.open.append(request)
        else:
            tally.used[request.hash] = verdict
            if level is not None and len(verdict.votes) > 1:
                tally.votes.append(_Voted(index, verdict.votes, verdict.level))
        if recorded is not None:
            if level is not None:
                tally.pairs.append(_Pair(index, item.query_id, recorded, level))
        else:
            changed = scores.changed if is_score(rule.metric) else _changed
            items[index] = _with_verdict(item, verdict, level, tally, changed)
    return tally


_Change = Callable[[Item, VerdictRule, Level | None, str, str], Item]


def _with_verdict(item: Item, verdict: Verdict | None, level: Level | None, tally: _Tally, changed: _Change) -> Item:
    """A wanted item with its level, or with the reason why it has none."""
    tally.wanted += 1
    if level is not None and verdict is not None:
        tally.judged += 1
        return changed(item, tally.rule, level, verdict.reason, "")
    if verdict is None or not verdict.is_final:
        tally.pending += 1
        return changed(item, tally.rule, None, "", WHY_PENDING)
    failure = verdict.failure or WHY_LEVEL_UNKNOWN
    tally.gave_up += 1
    tally.failures[failure] += 1
    return changed(item, tally.rule, None, "", GAVE_UP + failure)


def _changed(item: Item, rule: VerdictRule, level: Level | None, reason: str, why: str) -> Item:
    points = None if level is None else rule.points(level)
    source = SOURCE_NONE if level is None else Source.JUDGE.value
    details = details_of(item)
    if rule.metric == RUBRICS:
        spelling = "" if level is None else rule.spelling(level)
        details = msgspec.structs.replace(
            details,
            rubrics=points,
            rubrics_level=spelling,
            rubrics_source=source,
            rubrics_reason=reason,
            rubrics_why=why,
        )
        return msgspec.structs.replace(item, details=details)
    name = "" if level is None else level.name
    details = msgspec.structs.replace(details, verdict=name, verdict_reason=reason, verdict_why=why)
    return msgspec.structs.replace(item, intent=points, intent_source=source, details=details)


def _unanswered(items: Sequence[Item], rule: VerdictRule) -> int:
    return sum(_why(item, rule) == WHY_NO_ANSWER for item in items)


def _why(item: Item, rule: VerdictRule) -> str:
    details = details_of(item)
    if is_score(rule.metric):
        return unjudged_why(rule, has_answer=item.status not in UNANSWERED)
    return details.rubrics_why if rule.metric == RUBRICS else details.verdict_why


def _wants(item: Item, rule: VerdictRule) -> bool:
    """Does the level depend on the judge, also after it was asked?"""
    why = _why(item, rule)
    if why:
        return why in {WHY_NO_JUDGE, WHY_PENDING} or why.startswith(GAVE_UP)
    details = details_of(item)
    return (details.rubrics_source if rule.metric == RUBRICS else item.intent_source) == Source.JUDGE.value


def _compared_level(item: Item, rule: VerdictRule) -> Level | None:
    """The level that was recorded for an answer; a recorded number that no level has is none."""
    if item.status in UNANSWERED or is_score(rule.metric):
        return None
    details = details_of(item)
    if rule.metric == RUBRICS:
        return rule.level(details.rubrics_level) if details.rubrics_source in _RECORDED else None
    if item.intent_source not in _RECORDED:
        return None
    if item.intent_source == Source.RECORDED.value:
        return next((level for level in rule.levels if level.points == item.intent), None)
    return rule.level(details.verdict)


def _agreement(rule: VerdictRule, pairs: Sequence[_Pair]) -> JudgeAgreement:
    ordered = _ordered(rule)
    place = {level.name: at for at, level in enumerate(ordered)}
    names = list(map(rule.spelling, ordered))
    return agreement_of(
        names, [LevelPair(one.at, one.query_id, place[one.recorded.name], place[one.judged.name]) for one in pairs]
    )


def _repeat(rule: VerdictRule, voted: Sequence[_Voted]) -> JudgeRepeat:
    place = {rule.spelling(level): at for at, level in enumerate(_ordered(rule))}
    figures = repeatability([one.votes for one in voted])
    split = []
    for one in voted:
        places = [place[vote] for vote in one.votes if vote in place]
        if len(set(places)) > 1:
            split.append(SplitVote(index=one.at, votes=one.votes, level=one.level, apart=max(places) - min(places)))
    split.sort(key=lambda entry: (-entry.apart, entry.index))
    return JudgeRepeat(
        n=figures.n,
        unanimous=figures.unanimous,
        pairwise=figures.pairwise,
        split=tuple(split[:MAX_LISTED]),
        split_count=len(split),
    )


def _ordered(rule: VerdictRule) -> list[Level]:
    """The levels, lowest first."""
    return sorted(rule.levels, key=lambda level: level.points)


def _digest(used: Mapping[str, Verdict]) -> str:
    if not used:
        return ""
    lines = [msgspec.json.encode(used[digest]) for digest in sorted(used)]
    return hashlib.sha256(b"\n".join(lines)).hexdigest()
