"""What a judge is asked, and what its verdicts make of a set."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from scoring.items import Item
from scoring.items.spool import Part, encode_stored
from scoring.judging.figures import JudgedMetric, JudgeFigures
from scoring.judging.verdicts import MAX_TRIES, JudgeIdentity, JudgeState, Judging, Verdict, request_hasher
from scoring.results import merge
from scoring.rubric import Rubric, Source
from tests.scoring.judged_sets import IDENTITY, SCORES, H, h_part, judging, requests_of, scores_part, verdict

COMPARE = JudgeIdentity(model="judge-1", compare=True)
ROWS = [
    {"id": "1", "질의": "q1", "응답": "a1", "등급": "4"},
    {"id": "2", "질의": "q2", "응답": "a2", "등급": ""},
    {"id": "3", "질의": "q3", "응답": "", "등급": ""},
    {"id": "4", "질의": "q4", "응답": "a4", "등급": "4.5"},
    {"id": "5", "질의": "q2", "응답": "a2", "등급": ""},
]


def figures(part: Part, judge: Judging | None, rubric: Rubric = SCORES) -> tuple[Sequence[Item], JudgeFigures]:
    result = merge([("a.csv", part)], rubric, judge)
    assert result.judge is not None
    return result.items, result.judge


def levels(items: Sequence[Item]) -> list[tuple[float | None, str, str]]:
    return [
        (item.details.rubrics, item.details.rubrics_source, item.details.rubrics_why)
        for item in items
        if item.details is not None
    ]


def test_without_a_judge_nothing_is_asked_and_the_reason_is_told() -> None:
    items, judge = figures(scores_part(ROWS), None)
    assert levels(items)[1:3] == [(None, "none", "no-judge"), (None, "none", "no-answer")]
    assert judge == JudgeFigures(
        state=JudgeState.NONE,
        metrics=(JudgedMetric(metric="rubrics", wanted=2, judged=0, pending=0, gave_up=0, no_answer=1),),
    )


def test_only_items_with_an_answer_and_without_a_level_are_asked_for_and_alike_ones_once() -> None:
    part = scores_part(ROWS)
    _, judge = figures(part, judging())
    assert [(request.graded.question, request.graded.answer) for request in judge.requests] == [("q2", "a2")]
    assert (judge.state, judge.pending, judge.digest, judge.model) == (JudgeState.PENDING, 2, "", "judge-1")


def test_a_verdict_scores_every_item_of_its_text() -> None:
    part = scores_part(ROWS)
    (request,) = requests_of(part.items, SCORES, IDENTITY)
    before = b"".join(encode_stored(part))
    items, judge = figures(part, judging(verdict(request, "2", prompt_tokens=7, completion_tokens=3)))
    assert levels(items) == [
        (0.75, "column", ""),
        (0.25, "judge", ""),
        (None, "none", "no-answer"),
        (None, "none", "level-unknown"),
        (0.25, "judge", ""),
    ]
    assert items[1].details is not None
    assert (items[1].details.rubrics_level, items[1].details.rubrics_reason) == ("2", "까닭")
    assert (judge.state, judge.judged, judge.prompt_tokens, judge.completion_tokens) == (JudgeState.DONE, 2, 7, 3)
    assert len(judge.digest) == 64
    assert b"".join(encode_stored(part)) == before  # parts are shared between merges
    result = merge([("a.csv", part)], SCORES, judging(verdict(request, "2")))
    mean = result.groups[0].metrics["rubrics"].set
    assert (mean.value, mean.n) == ((0.75 + 0.25 + 0.25) / 3, 3)
    assert result.counts == {"rubrics-not-evaluated": 2}
    assert requests_of(result.items, SCORES, IDENTITY) == requests_of(part.items, SCORES, IDENTITY)


@pytest.mark.parametrize(
    ("given", "state", "why"),
    [
        pytest.param(Verdict(hash="", failure="timeout", tries=MAX_TRIES - 1), "pending", "pending", id="more-tries"),
        pytest.param(Verdict(hash="", failure="timeout", tries=MAX_TRIES), "incomplete", "gave-up:timeout", id="out"),
        pytest.param(Verdict(hash="", level="9", tries=0), "incomplete", "gave-up:level-unknown", id="no-such-level"),
        pytest.param(Verdict(hash="", level="2.5"), "incomplete", "gave-up:level-unknown", id="never-rounded"),
    ],
)
def test_items_that_are_not_graded_have_a_reason_and_no_score(given: Verdict, state: str, why: str) -> None:
    part = scores_part(ROWS[1:2])
    (request,) = requests_of(part.items, SCORES, IDENTITY)
    stored = Verdict(hash=request.hash, level=given.level, failure=given.failure, tries=given.tries)
    items, judge = figures(part, judging(stored))
    assert levels(items) == [(None, "none", why)]
    assert judge.state.value == state
    assert bool(judge.requests) is (state == "pending")
    assert bool(judge.digest) is (state != "pending")
    assert judge.failures == ({} if state == "pending" else {why.removeprefix("gave-up:"): 1})


def test_the_digest_is_of_what_the_report_shows() -> None:
    part = scores_part(ROWS)
    (request,) = requests_of(part.items, SCORES, IDENTITY)
    unused = Verdict(hash="f" * 64, level="1")
    _, first = figures(part, judging(verdict(request, "2"), unused))
    _, same = figures(part, judging(verdict(request, "2")))
    _, other = figures(part, judging(verdict(request, "3")))
    assert first.digest == same.digest != other.digest


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(IDENTITY, model="judge-2"), id="model"),
        pytest.param(replace(IDENTITY, votes=3), id="votes"),
    ],
)
def test_another_judge_asks_anew(other: JudgeIdentity) -> None:
    part = scores_part(ROWS)
    first, *_ = requests_of(part.items, SCORES, IDENTITY)
    assert requests_of(part.items, SCORES, other)[0].hash != first.hash
    assert SCORES.rubrics is not None
    assert first.hash == request_hasher(SCORES.rubrics, IDENTITY)(first.graded)
    assert requests_of(part.items, SCORES, replace(IDENTITY, compare=True))[1].hash == first.hash


def test_other_criteria_ask_anew() -> None:
    assert SCORES.rubrics is not None
    changed = replace(SCORES.rubrics.levels[0], criteria="다른 기준")
    rubric = replace(SCORES, rubrics=replace(SCORES.rubrics, levels=(changed, *SCORES.rubrics.levels[1:])))
    part = scores_part(ROWS)
    assert requests_of(part.items, rubric, IDENTITY)[0].hash != requests_of(part.items, SCORES, IDENTITY)[0].hash
    assert rubric.digest != SCORES.digest


def test_judge_gives_the_intent_verdict_of_h_recruit() -> None:
    part = h_part(
        {"assistantMessage": "추가했습니다"},
        {"assistantMessage": "했습니다", "intent_verdict": "WEAK"},
        {"assistantMessage": "했습니다", "recorded": "3"},
        {"error": "Timeout"},
        {"assistantMessage": "네", "intent_verdict": "SOSO"},
    )
    requests = requests_of(part.items, H, IDENTITY)
    assert [(request.metric, request.graded.answer) for request in requests] == [
        ("intent", "추가했습니다"),
        ("intent", "네"),
    ]
    items, judge = figures(part, judging(*(verdict(one, "GOOD") for one in requests)), H)
    assert [(item.intent, item.intent_source) for item in items] == [
        (4.0, "judge"),
        (2.0, "payload"),
        (3.0, "recorded"),
        (0.0, "status"),
        (4.0, "judge"),
    ]
    assert items[0].details is not None
    assert (items[0].details.verdict, items[0].details.verdict_reason) == ("GOOD", "까닭")
    assert (judge.state, judge.wanted, judge.judged) == (JudgeState.DONE, 2, 2)
    result = merge([("h.csv", part)], H, judging(*(verdict(one, "GOOD") for one in requests)))
    assert "not-evaluated" not in result.counts
    assert merge([("h.csv", part)], H).counts["not-evaluated"] == 2


def test_recorded_levels_are_compared_on_request_and_stay_what_scores() -> None:
    rows = [{"id": str(at), "응답": f"a{at}", "등급": level} for at, level in enumerate(("5", "4", "3", "1", "1", ""))]
    part = scores_part(rows)
    requests = requests_of(part.items, SCORES, COMPARE)
    assert len(requests) == 6
    picked = ("5", "4", "3", "1", "5", "2")
    judge_of_all = judging(*map(verdict, requests, picked), identity=COMPARE)
    items, judge = figures(part, judge_of_all)
    assert levels(items)[4:] == [(0.0, "column", ""), (0.25, "judge", "")]
    (metric,) = judge.metrics
    agreement = metric.agreement
    assert agreement is not None
    assert (metric.wanted, metric.judged) == (1, 1)
    assert (agreement.n, agreement.exact, agreement.levels) == (5, 0.8, ("1", "2", "3", "4", "5"))
    assert agreement.matrix == ((1, 0, 0, 0, 1), (0,) * 5, (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
    # By rows: level 1 (twice) 8 + 18 + 64, level 3 4 + 1 + 8, level 4 9 + 1 + 2, level 5 16 + 4 + 1: 136.
    assert agreement.kappa == pytest.approx(1 - 5 * 16 / 136)
    assert [(entry.index, entry.recorded, entry.judged, entry.apart) for entry in agreement.differing] == [
        (4, "1", "5", 4)
    ]


def test_numbers_and_verdicts_are_compared_with_the_levels_of_intent() -> None:
    part = h_part(
        {"assistantMessage": "a", "recorded": "4"},
        {"assistantMessage": "b", "recorded": "3.5"},  # no level has these points
        {"assistantMessage": "c", "intent_verdict": "perfect"},
        {"assistantMessage": "d", "recorded": "0", "error": "x"},  # a failed answer is not judged, whatever is recorded
        {"error": "x"},
    )
    requests = requests_of(part.items, H, COMPARE)
    assert [request.graded.answer for request in requests] == ["a", "c"]
    _, judge = figures(part, judging(*(verdict(one, "GOOD") for one in requests), identity=COMPARE), H)
    agreement = judge.metrics[0].agreement
    assert agreement is not None
    assert agreement.levels == ("FAILED", "RELATED_BUT_WRONG", "WEAK", "PARTIAL", "GOOD", "PERFECT")
    assert (agreement.n, agreement.exact) == (2, 0.5)


def test_one_level_throughout_has_no_kappa() -> None:
    part = scores_part([{"응답": f"a{at}", "등급": "3"} for at in range(3)])
    requests = requests_of(part.items, SCORES, COMPARE)
    _, judge = figures(part, judging(*(verdict(one, "3") for one in requests), identity=COMPARE))
    agreement = judge.metrics[0].agreement
    assert agreement is not None
    assert (agreement.kappa, agreement.undefined, agreement.low, agreement.exact) == (None, "one-level", None, 1.0)


def test_votes_tell_how_far_the_judge_agrees_with_itself() -> None:
    part = scores_part([{"응답": f"a{at}"} for at in range(2)])
    votes = replace(IDENTITY, votes=3)
    first, second = requests_of(part.items, SCORES, votes)
    given = (verdict(first, "4", votes=("4", "4", "4")), verdict(second, "3", votes=("3", "2", "3")))
    _, judge = figures(part, judging(*given, identity=votes))
    repeat = judge.metrics[0].repeat
    assert repeat is not None
    assert (repeat.n, repeat.unanimous) == (2, 0.5)
    assert repeat.pairwise == pytest.approx((1 + 1 / 3) / 2)


def test_profiles_without_a_judge_have_no_figures_of_one() -> None:
    assert SCORES.rubrics is not None
    rubric = replace(SCORES, rubrics=replace(SCORES.rubrics, sources=(Source.COLUMN,)))
    part = scores_part(ROWS, rubric)
    result = merge([("a.csv", part)], rubric, judging())
    assert result.judge is None
    assert levels(result.items)[1] == (None, "none", "no-level")
    assert requests_of(result.items, rubric, IDENTITY) == ()
