"""Scales that do not go from 0 to 5: values, losses, intervals and consistency count from the lowest points."""

import msgspec
import pytest

from scoring.comparison import Basis
from scoring.findings import Finding
from scoring.results.losses import find_losses
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import Rubric, Scale, decode_rubric, encode_rubric
from scoring.rubric.document import parse_rubric
from tests.scoring.documents import SHIPPED, problems_of, replaced
from tests.scoring.files import csv_text, payload, resume_rubric, row, score_bytes


def document(lowest: str, highest: str, scale: str, recorded: str = "") -> str:
    """The shipped document with its points moved to another scale."""
    text = replaced(SHIPPED, "scale: 5 #", f"scale: {scale} #")
    text = replaced(text, "recorded_range: [0, 5]", f"recorded_range: {recorded}" if recorded else "max_rounds: 50")
    text = text if recorded else replaced(text, "max_rounds: 50 # 회차가", "# 회차가")
    head, body = text.split("\n# 지원자 관리 에이전트 채점 기준\n")
    for points in ("5", "4", "3", "2", "1"):
        body = body.replace(f"| {points} |", f"| {highest} |")
    body = body.replace("| 0 |", f"| {lowest} |")
    return f"{head}\n# x\n{body}"


ONE_TO_FIVE = document("1", "5", "{ lowest: 1, highest: 5 }")


def scored(text: str, *items: tuple[str, str, str]) -> SetResult:
    """items: query, round, LLM score; an empty score is that of an answer, "-" of an error."""
    rubric = parse_rubric(text, source="x.md")
    rows = [
        row(
            Query_ID=query,
            방_반복=label,
            LLM_점수=score.strip("-"),
            Raw_JSON=payload(error="failed" if score == "-" else None),
        )
        for query, label, score in items
    ]
    part = score_bytes(csv_text(rows).encode(), rubric=rubric)
    return merge([("resume_agent_x.csv", part)], rubric)


def test_losses_are_counted_from_the_floor() -> None:
    result = scored(ONE_TO_FIVE, ("Q1", "1/1", "1"), ("Q2", "1/1", "5"), ("Q3", "1/1", "4"), ("Q4", "1/1", "-"))
    loss = next(loss for loss in find_losses(result) if loss.metric == "intent")
    assert (loss.points, loss.possible) == (4 + 0 + 1 + 4, 4 * 4)
    assert result.groups[0].metrics["intent"].set.value == (1 + 5 + 4 + 1) / 4


def test_intervals_stay_in_the_scale() -> None:
    result = scored(ONE_TO_FIVE, *((f"Q{n}", "1/1", "1") for n in range(3)))
    interval = result.groups[0].metrics["intent"].set.interval
    assert interval is not None
    assert interval.low == 1
    assert 1 < interval.high < 5
    # As an interval of the same shares on 0 to 5, moved.
    same = scored(SHIPPED, *((f"Q{n}", "1/1", "0") for n in range(3))).groups[0].metrics["intent"].set.interval
    assert same is not None
    assert interval.high == pytest.approx(1 + same.high / 5 * 4, abs=1e-12)


@pytest.mark.parametrize(
    ("second", "score"),
    [(("", ""), 5.0), (("-", "-"), 1.0), (("", "-"), 3.0)],
)
def test_consistency_goes_from_the_lowest_to_the_highest(second: tuple[str, str], score: float) -> None:
    rounds = [("Q1", "1/1", ""), ("Q2", "1/1", ""), ("Q1", "2/1", second[0]), ("Q2", "2/1", second[1])]
    result = scored(ONE_TO_FIVE, *rounds)
    assert result.groups[0].pairs.score == score
    loss = next(loss for loss in find_losses(result) if loss.metric == "consistency")
    assert (loss.points, loss.possible) == ((5 - score) * 2, 8)


def codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]


def test_recorded_range_is_the_scale_where_it_is_left_out() -> None:
    assert parse_rubric(ONE_TO_FIVE, source="x.md").recorded_range == (1, 5)
    result = scored(ONE_TO_FIVE, ("Q1", "1/1", "0"), ("Q2", "1/1", "5"))
    assert "recorded-out-of-range" in codes(result.findings)
    percent = document("0", "100", "100")
    assert parse_rubric(percent, source="x.md").recorded_range == (0, 100)
    assert scored(percent, ("Q1", "1/1", "85")).groups[0].metrics["intent"].set.value == 85


@pytest.mark.parametrize(
    ("scale", "ends"),
    [("5", (0, 5)), ("1", (0, 1)), ("{ highest: 10 }", (0, 10)), ("{ lowest: 1, highest: 5 }", (1, 5))],
)
def test_scale_is_a_number_or_both_ends(scale: str, ends: tuple[float, float]) -> None:
    rubric = parse_rubric(document(str(ends[0]), str(ends[1]), scale), source="x.md")
    assert rubric.points == Scale(*ends)
    assert Basis.of(rubric).points == Scale(*ends)
    assert decode_rubric(encode_rubric(rubric)) == rubric


def test_scale_from_0_keeps_the_digest() -> None:
    def digest(scale: str) -> str:
        return parse_rubric(replaced(SHIPPED, "scale: 5 #", f"scale: {scale} #"), source="resume-agent.md").digest

    assert b'"floor"' not in encode_rubric(resume_rubric())
    assert digest("{ lowest: 0, highest: 5 }") == digest("5") == resume_rubric().digest


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        (document("1", "5", "{ lowest: 5, highest: 5 }"), "rubric-scale", "5~5"),
        (document("1", "5", "{ lowest: -1, highest: 5 }"), "rubric-scale", "-1~5"),
        (document("0", "5", "{ lowest: 1, highest: 5 }"), "rubric-points-range", "0"),
        (document("1", "5", "{ lowest: 1, highest: 5 }", "[0, 5]"), "rubric-recorded-range", "[0, 5]"),
        (document("1", "5", "{ top: 5 }"), "rubric-key-unknown", "top"),
        (document("1", "5", "five"), "rubric-value-type", "five"),
    ],
)
def test_points_beyond_the_scale_are_refused(text: str, code: str, found: str) -> None:
    assert (code, found) in [(problem.code, problem.found) for problem in problems_of(text)]


def test_basis_of_a_scale_from_0_says_no_more_than_before() -> None:
    data = msgspec.json.encode(Basis.of(resume_rubric()))
    assert b"floor" not in data
    assert msgspec.json.decode(data, type=Basis).points == Scale(0, 5)
    assert b'"floor":1.0' in msgspec.json.encode(Basis.of(rubric_of(ONE_TO_FIVE)))


def rubric_of(text: str) -> Rubric:
    return parse_rubric(text, source="x.md")


def test_level_of_a_rubric_is_a_share_whatever_the_scale() -> None:
    assert rubric_of(ONE_TO_FIVE).scale_of("rubrics") == Scale(0, 1)
    assert rubric_of(ONE_TO_FIVE).scale_of("intent") == Scale(1, 5)
