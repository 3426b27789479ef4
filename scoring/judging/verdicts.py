"""Defines requests to a judge, its verdicts, and the hash that identifies them (docs/scoring.md#judge).

`workers.judge` asks the model, and `reporting.store` keeps the verdicts.

What they cost, and how much of a budget that is, is pure arithmetic here: tokens are counted elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from scoring.items import Graded
from scoring.judging.prompt import PROMPT_VERSION
from scoring.rubric import VerdictRule, is_score

TOKENS = "tokens"  # unit of a budget that is no money
_MILLION = 1_000_000
_ROUNDING = 1e-9  # share of a budget that floats leave over
_BUDGET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]{3}|tokens)", re.IGNORECASE)

_FORMAT = "scorewatch-verdict-1"
MAX_TRIES = 3  # failed tries at an item; then it is given up until somebody asks for it again


class Tokens(NamedTuple):
    """prompt: that were sent. completion: that came back."""

    prompt: int = 0
    completion: int = 0

    def plus(self, other: Tokens) -> Tokens:
        """Both together."""
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)

    def minus(self, other: Tokens) -> Tokens:
        """What these are more."""
        return Tokens(self.prompt - other.prompt, self.completion - other.completion)


class JudgePrice(msgspec.Struct, frozen=True):
    """Money per million tokens. currency: three capital letters."""

    input: float
    output: float
    currency: str

    def of(self, tokens: Tokens) -> float:
        """What these tokens cost."""
        return (tokens.prompt * self.input + tokens.completion * self.output) / _MILLION


class JudgeCost(msgspec.Struct, frozen=True):
    """What the verdicts of a report cost, and the price that this follows from."""

    amount: float
    currency: str
    input_price: float
    output_price: float


class JudgeBudget(NamedTuple):
    """How much all verdicts of a folder of reports may cost. unit: a currency, or TOKENS. price: None for tokens."""

    amount: float
    unit: str
    price: JudgePrice | None = None

    @property
    def is_of_tokens(self) -> bool:
        """Is it no money?"""
        return self.unit == TOKENS

    def cost(self, tokens: Tokens) -> float:
        """What these tokens take from it, in its unit."""
        return float(sum(tokens)) if self.price is None else self.price.of(tokens)


def read_budget(text: str) -> JudgeBudget:
    """An amount with its unit, as `5 USD` or `2000000 tokens`. Raises ValueError for anything else."""
    found = _BUDGET.fullmatch(text.strip())
    if found is None:
        raise ValueError("no amount with its unit")
    amount, unit = found.groups()
    return JudgeBudget(float(amount), TOKENS if unit.lower() == TOKENS else unit.upper())


class Allowance:
    """What may still be spent in one go of asking.

    What is asked for is set aside by its estimate first, so that questions on their way count too.
    """

    def __init__(self, budget: JudgeBudget, spent: Tokens) -> None:
        """spent: on all verdicts so far."""
        self.budget = budget
        self._spent = spent
        self._reserved = Tokens()

    @property
    def used(self) -> float:
        """What is spent, in the unit of the budget."""
        return self.budget.cost(self._spent)

    @property
    def is_idle(self) -> bool:
        """Is nothing on its way?"""
        return not any(self._reserved)

    def reserve(self, estimate: Tokens) -> bool:
        """Set aside what a question is expected to cost. False, and nothing is, where the budget does not allow it."""
        wanted = self._spent.plus(self._reserved).plus(estimate)
        if self.budget.cost(wanted) > self.budget.amount * (1 + _ROUNDING):
            return False
        self._reserved = self._reserved.plus(estimate)
        return True

    def settle(self, estimate: Tokens, used: Tokens) -> None:
        """A question has come back, or not: what it took counts in place of its estimate."""
        self._reserved = self._reserved.minus(estimate)
        self._spent = self._spent.plus(used)


class JudgeState(StrEnum):
    """How far the judging of a set is."""

    NONE = "none"  # no judge is configured, or the rubric has nothing for one
    PENDING = "pending"
    DONE = "done"
    INCOMPLETE = "incomplete"  # some items were given up


class JudgeIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who judges, as far as it decides a report.

    votes: answers per item, of which the median level counts. compare: items with a recorded level are judged as
    well, for the agreement alone; what is recorded scores. price: None where it is not known; no verdict depends on it.
    """

    model: str
    votes: int = 1
    compare: bool = False
    price: JudgePrice | None = None


class JudgeRequest(NamedTuple):
    """One thing to judge. metric: "intent" or "rubrics", names the rule. hash: 64 hex digits."""

    hash: str
    metric: str
    graded: Graded


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `verdicts.jsonl`: a level, or why there is none yet.

    level: as `VerdictRule.choices` spells it, "" without one. votes: the levels of all votes, in the order asked.
    failure: slug of what went wrong last ("timeout", "reply-invalid", "server-error", "too-long" …); tries: failed
    tries so far. model, prompt: for people who read the file. estimated_tokens: of its tokens those that the endpoint
    did not count.
    """

    hash: str
    level: str = ""
    reason: str = ""
    votes: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failure: str = ""
    tries: int = 0
    model: str = ""
    prompt: str = ""
    estimated_tokens: int = 0

    @property
    def tokens(self) -> Tokens:
        """What it has taken so far, failed tries included."""
        return Tokens(self.prompt_tokens, self.completion_tokens)

    @property
    def is_final(self) -> bool:
        """Is there a level, or was it given up?"""
        return bool(self.level) or self.tries >= MAX_TRIES


class Judging(msgspec.Struct, frozen=True, kw_only=True):
    """The judge of a set and what it said so far. verdicts: by hash."""

    identity: JudgeIdentity
    verdicts: Mapping[str, Verdict] = {}


def request_hasher(rule: VerdictRule, identity: JudgeIdentity) -> Callable[[Graded], str]:
    """Hash of a request: levels, model, prompt version, votes and the graded text."""
    judge = [_FORMAT, levels_digest(rule), identity.model, PROMPT_VERSION, identity.votes]

    def hash_of(graded: Graded) -> str:
        values = [*judge, graded.question, graded.expected, graded.answer]
        return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()

    return hash_of


def levels_digest(rule: VerdictRule) -> str:
    """SHA-256 (hex) of the levels as the prompt shows them, criteria included."""
    values = [rule.metric, *([level.name, level.points, level.criteria] for level in rule.levels)]
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()


def judge_settings(rules: Sequence[VerdictRule], identity: JudgeIdentity | None) -> dict[str, str]:
    """What a judge adds to the key of a set; nothing without a judge or a rule for one."""
    if identity is None or not rules:
        return {}
    price = identity.price
    return {
        "judge.model": identity.model,
        "judge.prompt": PROMPT_VERSION,
        "judge.votes": str(identity.votes),
        "judge.levels": ",".join(map(levels_digest, rules)),
        **({"judge.compare": "yes"} if identity.compare else {}),
        **({} if price is None else {"judge.price": f"{price.input!r} {price.output!r} {price.currency}"}),
    }


def open_requests(requests: Sequence[JudgeRequest], verdicts: Mapping[str, Verdict]) -> Iterator[JudgeRequest]:
    """Those without a final verdict, each hash once."""
    seen: set[str] = set()
    for request in requests:
        if request.hash in seen:
            continue
        seen.add(request.hash)
        verdict = verdicts.get(request.hash)
        if verdict is None or not verdict.is_final:
            yield request


def asked_at_once(requests: Iterable[JudgeRequest]) -> list[list[JudgeRequest]]:
    """Groups of requests that are one question: those about the named scores of one text; each other one alone."""
    groups: dict[object, list[JudgeRequest]] = {}
    for at, request in enumerate(requests):
        groups.setdefault(request.graded if is_score(request.metric) else at, []).append(request)
    return list(groups.values())
