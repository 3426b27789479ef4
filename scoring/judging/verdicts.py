"""Defines requests to a judge, its verdicts, and the hash that identifies them (docs/scoring.md#judge).

`workers.judge` asks the model, and `reporting.store` keeps the verdicts.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from scoring.items import Graded
from scoring.judging.price import JudgePrice, Tokens
from scoring.judging.prompt import PROMPT_VERSION
from scoring.rubric import VerdictRule, is_score

_FORMAT = "scorewatch-verdict-1"
MAX_TRIES = 3  # failed tries at an item; then it is given up until somebody asks for it again


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
