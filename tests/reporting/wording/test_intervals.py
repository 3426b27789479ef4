import pytest

from reporting.gate import reason_text
from reporting.wording.intervals import between, between_signed, sure_percent, sure_score
from scoring.gate import GateState, RuleResult, Unit
from scoring.statistics import Interval
from texts import texts

KO, EN = texts("ko"), texts("en")


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        pytest.param("3.96", "4.63", "3.96–4.63", id="points"),
        pytest.param("83.9%", "93.3%", "83.9–93.3%", id="percent-once"),
        pytest.param("-1.00", "0.50", "−1.00 – 0.50", id="from-below-zero"),
        pytest.param("-1.00", "-0.50", "−1.00 – −0.50", id="below-zero"),
        pytest.param("0", "0", "0–0", id="nothing"),
    ],
)
def test_range_has_a_minus_sign_and_no_dash_against_it(low: str, high: str, shown: str) -> None:
    assert between(low, high) == shown


def test_range_of_differences_has_a_word_between_its_ends() -> None:
    assert between_signed("-0.66", "-0.11", KO) == "−0.66 ~ −0.11"
    assert between_signed("−0.66", "+0.11", EN) == "−0.66 to +0.11"


def test_figures_below_zero_have_a_minus_sign() -> None:
    assert sure_score(-0.5, Interval(-1.0, 0.5)) == "−0.50 (−1.00 – 0.50)"
    assert sure_score(-0.5, None) == "−0.50"
    assert sure_percent(89.5, 100, Interval(0.839, 0.933)) == "89.5% (83.9–93.3%)"


def _worse(low: float, high: float) -> RuleResult:
    facts = {"baseline": "before", "name": "intent", "names": "intent"}
    state = GateState.FAILED
    return RuleResult(rule="r", state=state, reason="worse", facts=facts, value=-0.37, low=low, high=high)


def test_reason_of_a_gate_shows_its_interval_alike_in_both_languages() -> None:
    assert reason_text(_worse(-0.66, -0.11), KO) == "before보다 나빠짐: 의도 충족 −0.37 (−0.66 ~ −0.11)"
    assert reason_text(_worse(-0.66, -0.11), EN) == "worse than before: Intent −0.37 (−0.66 to −0.11)"


def test_unit_of_a_share_stands_once_in_the_reason_of_a_gate() -> None:
    result = RuleResult(
        rule="r",
        state=GateState.FAILED,
        reason="confident",
        unit=Unit.SHARE,
        value=0.9,
        low=0.839,
        high=0.933,
        limit=0.95,
    )
    assert reason_text(result, EN) == "value 90.0% (83.9–93.3%)"
