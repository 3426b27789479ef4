"""How many tokens a judge is likely to take, by the length of what is written.

A tokenizer belongs to a model, and an endpoint does not say which it has: four bytes of UTF-8 count as a token. How
near that comes was measured with two vocabularies (docs/operations.md#cost).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scoring.judging.figures import JudgeFigures
from scoring.judging.price import Tokens
from scoring.judging.prompt import messages, reply_schema
from scoring.judging.verdicts import JudgeIdentity, JudgeRequest, Verdict
from scoring.rubric import VerdictRule

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


def expected_tokens(request: JudgeRequest, rule: VerdictRule, votes: int) -> Tokens:
    """About what so many votes on an item take, where each reply can be read at once."""
    schema = json.dumps(reply_schema(rule), ensure_ascii=False)
    asked = [message["content"] for message in messages(rule, request.graded)]
    return Tokens(votes * estimated_tokens([*asked, schema]), votes * REPLY_TOKENS)


def missing_votes(verdict: Verdict | None, votes: int) -> int:
    """How many of `votes` are still to be asked for."""
    return max(votes - (0 if verdict is None else len(verdict.votes)), 0)


def plan_of(
    figures: JudgeFigures, rules: Iterable[VerdictRule], identity: JudgeIdentity, known: Mapping[str, Verdict]
) -> JudgingPlan:
    """What the judge of a set would be asked. known: its verdicts so far, by hash."""
    by_metric = {rule.metric: rule for rule in rules}
    plan = JudgingPlan(items=figures.open_items)
    for request in figures.requests:
        votes = missing_votes(known.get(request.hash), identity.votes)
        plan = plan.plus(JudgingPlan(0, votes, expected_tokens(request, by_metric[request.metric], votes)))
    return plan
