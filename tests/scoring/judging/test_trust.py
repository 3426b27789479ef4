"""When a report says that its judge disagrees with recorded levels, or that too few of them back it."""

import msgspec
import pytest

from scoring.findings import Finding, FindingLog
from scoring.judging.figures import JudgeAgreement, JudgedMetric, note_trust
from scoring.judging.verdicts import JudgeIdentity
from scoring.results import merge
from tests.scoring.judged_sets import SCORES, judging, requests_of, scores_part, verdict

COMPARE = JudgeIdentity(model="judge-1", compare=True)


def agreement(queries: int, high: float | None) -> JudgeAgreement:
    return JudgeAgreement(
        n=2 * queries,
        queries=queries,
        levels=("1", "2"),
        matrix=(),
        exact=None,
        exact_interval=None,
        kappa=None if high is None else high - 0.3,
        undefined="",
        low=None if high is None else high - 0.6,
        high=high,
        differing=(),
        differing_count=0,
    )


@pytest.mark.parametrize(
    ("queries", "levels", "kappa", "low", "why"),
    [
        pytest.param(9, 3, 0.5, None, "few-queries", id="nine"),
        pytest.param(10, 3, 0.5, None, "one-level", id="ten-of-three-levels"),
        pytest.param(39, 2, 0.5, None, "few-queries", id="39-of-two-levels"),
        pytest.param(40, 2, 0.5, None, "few-differing", id="40-of-two-levels"),
        pytest.param(40, 2, 0.5, 0.2, "", id="with-an-interval"),
        pytest.param(9, 3, None, None, "", id="no-kappa"),
    ],
)
def test_why_kappa_has_no_interval(queries: int, levels: int, kappa: float | None, low: float | None, why: str) -> None:
    names = tuple(map(str, range(levels)))
    found = msgspec.structs.replace(agreement(queries, 0.9), levels=names, kappa=kappa, low=low)
    assert found.no_interval == why


def metric(judged: int, found: JudgeAgreement | None) -> JudgedMetric:
    return JudgedMetric(
        metric="rubrics", wanted=judged, judged=judged, pending=0, gave_up=0, no_answer=0, agreement=found
    )


def findings(*metrics: JudgedMetric) -> dict[str, Finding]:
    log = FindingLog()
    note_trust(metrics, log)
    return {finding.code: finding for finding in log.findings()}


@pytest.mark.parametrize(
    ("found", "codes"),
    [
        pytest.param(agreement(40, 0.399), ["judge-disagrees"], id="just-below"),
        pytest.param(agreement(40, 0.4), [], id="on-the-limit"),
        pytest.param(agreement(39, 0.1), [], id="one-query-too-few"),
        pytest.param(agreement(40, None), [], id="no-interval"),
    ],
)
def test_a_judge_disagrees_when_the_upper_end_over_forty_queries_is_below_four_tenths(
    found: JudgeAgreement, codes: list[str]
) -> None:
    assert list(findings(metric(0, found))) == codes


@pytest.mark.parametrize(
    ("judged", "found", "codes"),
    [
        pytest.param(7, agreement(19, 0.9), ["judge-unproven"], id="nineteen"),
        pytest.param(7, agreement(20, 0.9), [], id="twenty"),
        pytest.param(7, None, ["judge-unproven"], id="nothing-to-compare-with"),
        pytest.param(0, None, [], id="it-graded-nothing"),
    ],
)
def test_a_judge_is_unproven_when_fewer_than_twenty_queries_back_what_it_graded(
    judged: int, found: JudgeAgreement | None, codes: list[str]
) -> None:
    noted = findings(metric(judged, found))
    assert list(noted) == codes
    assert [finding.count for finding in noted.values()] == [judged] * len(codes)


def test_fifty_queries_on_which_a_judge_says_anything_are_found_in_a_set() -> None:
    """Levels 3, 4, 5 in turn against 3, 3, 3, 4, 4, 4 …: chance. The same judge that agrees is not found."""
    recorded = [3 + at // 3 % 3 for at in range(50)]
    rows = [
        {"id": f"Q{at}", "질의": f"q{at}", "응답": f"a{at}", "등급": str(level)} for at, level in enumerate(recorded)
    ]
    part = scores_part([*rows, {"id": "Q50", "질의": "q50", "응답": "a50", "등급": ""}])
    asked = requests_of(part.items, SCORES, COMPARE)
    for levels, code in (([3 + at % 3 for at in range(51)], ["judge-disagrees"]), ([*recorded, 3], [])):
        verdicts = [verdict(request, str(level)) for request, level in zip(asked, levels, strict=True)]
        result = merge([("a.csv", part)], SCORES, judging(*verdicts, identity=COMPARE))
        noted = {finding.code: finding for finding in result.findings if finding.code.startswith("judge-")}
        assert list(noted) == code
        assert result.judge is not None
        found = result.judge.metrics[0].agreement
        assert found is not None
        assert found.queries == 50
