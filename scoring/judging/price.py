"""What verdicts cost, and how much of a budget that is. Pure arithmetic: tokens are counted elsewhere."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

TOKENS = "tokens"  # unit of a budget that is no money
_MILLION = 1_000_000
_ROUNDING = 1e-9  # share of a budget that floats leave over
_BUDGET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]{3}|tokens)", re.IGNORECASE)


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
