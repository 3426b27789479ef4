"""What tokens cost, and when a budget allows the next question."""

import pytest

from scoring.judging.figures import REPLY_TOKENS, estimated_tokens, expected_tokens
from scoring.judging.verdicts import (
    Allowance,
    JudgeBudget,
    JudgeIdentity,
    JudgePrice,
    Tokens,
    judge_settings,
    read_budget,
    request_hasher,
)
from tests.judge.asking import RULES, requests

PRICE = JudgePrice(0.15, 0.6, "USD")


def test_a_price_is_per_million_tokens() -> None:
    assert PRICE.of(Tokens(2_000_000, 500_000)) == pytest.approx(0.6)  # 2 x 0.15 + 0.5 x 0.6
    assert JudgeBudget(1.0, "USD", PRICE).cost(Tokens(1_000_000, 0)) == pytest.approx(0.15)
    assert JudgeBudget(1.0, "tokens").cost(Tokens(30, 12)) == 42


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("5 USD", (5.0, "USD")),
        (" 0.05usd ", (0.05, "USD")),
        ("0 tokens", (0.0, "tokens")),
        ("7 TOKENS", (7.0, "tokens")),
    ],
)
def test_a_budget_is_an_amount_with_its_unit(text: str, budget: tuple[float, str]) -> None:
    assert read_budget(text)[:2] == budget


def test_what_is_on_its_way_counts_by_its_estimate_and_what_came_back_by_what_it_took() -> None:
    allowance = Allowance(JudgeBudget(100.0, "tokens"), Tokens(10, 0))
    assert allowance.reserve(Tokens(40, 5))
    assert allowance.reserve(Tokens(40, 5))  # to the last token
    assert not allowance.reserve(Tokens(1, 0))
    assert not allowance.is_idle
    allowance.settle(Tokens(40, 5), Tokens(10, 1))
    allowance.settle(Tokens(40, 5), Tokens(0, 0))  # it failed before it cost anything
    assert (allowance.used, allowance.is_idle) == (21.0, True)
    assert allowance.reserve(Tokens(79, 0))


def test_a_budget_of_money_is_used_up_to_its_last_cent() -> None:
    allowance = Allowance(JudgeBudget(0.3, "USD", JudgePrice(1.0, 1.0, "USD")), Tokens(100_000, 100_000))
    assert allowance.reserve(Tokens(100_000, 0))  # 0.1 + 0.2 is more than 0.3 in floats
    assert not allowance.reserve(Tokens(1, 0))


def test_an_estimate_is_a_token_for_four_bytes_and_a_short_reply_per_vote() -> None:
    assert estimated_tokens(["abcd", "가나"]) == 3  # 4 + 6 bytes
    assert estimated_tokens([]) == 0
    (short,), (long,) = requests("a"), requests("가" * 4000)
    rules = [RULES["rubrics"]]
    one = expected_tokens(rules, short.graded, 1)
    assert expected_tokens(rules, short.graded, 3) == (3 * one.prompt, 3 * REPLY_TOKENS)
    assert expected_tokens(rules, long.graded, 1).prompt - one.prompt == pytest.approx(3000, abs=1)


def test_a_price_is_part_of_the_key_of_a_report_and_of_no_verdict() -> None:
    identity, priced = JudgeIdentity(model="m"), JudgeIdentity(model="m", price=PRICE)
    rules = [RULES["rubrics"]]
    assert judge_settings(rules, priced) == {**judge_settings(rules, identity), "judge.price": "0.15 0.6 USD"}
    text = requests("a")[0].graded
    assert request_hasher(rules[0], identity)(text) == request_hasher(rules[0], priced)(text)
