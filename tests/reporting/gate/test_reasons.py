"""Reasons in words: units and signs by language."""

import msgspec
import pytest

from reporting.gate import reason_text
from scoring.gate import GateState, RuleResult
from texts import texts


def _within(name: str, change: tuple[float, float, float], margin: float, smallest: str = "") -> RuleResult:
    shown = {"smallest": smallest, "shared": "82", "rounds": "3"} if smallest else {}
    facts = {"baseline": "old", "name": name, "names": name, **shown}
    return RuleResult(
        rule="x",
        state=GateState.UNDECIDABLE if smallest else GateState.PASSED,
        reason="not-shown-within" if smallest else "within",
        facts=facts,
        value=change[0],
        low=change[1],
        high=change[2],
        limit=margin,
    )


@pytest.mark.parametrize(
    ("language", "result", "expected"),
    [
        ("en", _within("pass", (-0.05, -0.1, 0.0), 0.1),
         "not worse than old by more than 10.0 pp: Pass rate −5.0 pp (−10.0 pp to 0.0 pp)"),
        ("ko", _within("pass", (-0.05, -0.1, 0.0), 0.1),
         "old보다 10.0%p 넘게 나빠지지 않음: 통과율 −5.0%p (−10.0%p ~ 0.0%p)"),
        ("en", _within("intent", (0.0, -0.2, 0.3), 0.3),
         "not worse than old by more than 0.30: Intent 0.00 (−0.20 to +0.30)"),
    ],
)  # fmt: skip
def test_changes_and_margins_are_in_the_unit_of_their_figure(language: str, result: RuleResult, expected: str) -> None:
    assert reason_text(result, texts(language)) == expected


def test_a_margin_that_cannot_be_shown_says_the_smallest_that_can() -> None:
    told = reason_text(_within("answered", (0.05, -0.1, 0.2), 0.05, smallest="0.15"), texts("en"))
    assert told == (
        "cannot tell whether it is worse than old by more than 5.0 pp: Answer rate +5.0 pp (−10.0 pp to +20.0 pp); "
        "with 82 queries in 3 rounds the smallest margin that an unchanged agent passes is about 15.0 pp"
    )


def test_of_an_earlier_file_that_tells_no_rounds_the_rest_is_told() -> None:
    found = _within("answered", (0.05, -0.1, 0.2), 0.05, smallest="0.15")
    earlier = msgspec.structs.replace(found, facts={name: one for name, one in found.facts.items() if name != "rounds"})
    told = reason_text(earlier, texts("en"))
    assert told == (
        "cannot tell whether it is worse than old by more than 5.0 pp: Answer rate +5.0 pp (−10.0 pp to +20.0 pp)"
    )
