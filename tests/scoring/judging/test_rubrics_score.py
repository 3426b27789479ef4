"""The rubrics metric and the stand-alone profile: levels in, scores out, nothing rounded, nothing lost."""

import io

import pytest
from msgspec.structs import replace

from config import profile_named, shipped_rubrics
from scoring.items import score_file
from scoring.problems import Problem, RubricError, Severity
from scoring.results import LevelCounts, find_insights, merge
from scoring.rubric import Level, Rubric, Status
from scoring.rubric.document import parse_rubric
from tests.inner import read_rubric
from tests.paths import ROOT
from tests.scoring.files import places
from tests.scoring.judged_sets import SCORES, scores_part

SEED_004 = (ROOT / "tests" / "seeds" / "004.txt").read_text(encoding="utf-8")
LANGUAGES = ("rubrics-score", "rubrics-score-en", "rubrics-score-ru")


def with_levels(*numbers: int) -> Rubric:
    assert SCORES.rubrics is not None
    levels = tuple(Level(name=f"level {number}", points=float(number), criteria="c") for number in numbers)
    return replace(SCORES, rubrics=replace(SCORES.rubrics, levels=levels))


def scores(rubric: Rubric, *cells: str) -> list[float | None]:
    part = scores_part([{"질의": "q", "응답": "a", "등급": cell} for cell in cells], rubric)
    return [item.details.rubrics if item.details is not None else None for item in part.items]


def test_russian_document_has_the_level_names_of_seed_004() -> None:
    rubric = parse_rubric(SEED_004, source="004", base=SCORES)
    assert rubric.rubrics is not None
    russian = next(rubric for rubric in shipped_rubrics() if rubric.profile == "rubrics-score-ru")
    assert russian.rubrics is not None
    names = {level.points: level.name for level in rubric.rubrics.levels}
    assert {level.points: level.name for level in russian.rubrics.levels} == names
    assert names[3] == "Удовлетворительно"


def test_example_of_seed_004_is_three_quarters() -> None:
    rubric = parse_rubric(SEED_004, source="004", base=SCORES)
    assert scores(rubric, "4", "5", "1") == [0.75, 1.0, 0.0]
    assert rubric.rubrics is not None
    assert [level.name for level in rubric.rubrics.levels][:2] == ["Отлично", "Хорошо"]
    assert replace(rubric, rubrics=SCORES.rubrics, document=SCORES.document) == SCORES


@pytest.mark.parametrize("profile", LANGUAGES)
def test_shipped_levels_are_five_and_score_alike(profile: str) -> None:
    rubric = profile_named(profile, shipped_rubrics())
    assert rubric.rubrics is not None
    assert [(level.points, rubric.rubrics.points(level)) for level in rubric.rubrics.levels] == [
        (5, 1.0), (4, 0.75), (3, 0.5), (2, 0.25), (1, 0.0),
    ]  # fmt: skip
    assert all(level.criteria for level in rubric.rubrics.levels)


@pytest.mark.parametrize(
    ("numbers", "level", "score"),
    [
        pytest.param((0, 1, 2, 3), "0", 0.0, id="0..3-lowest"),
        pytest.param((0, 1, 2, 3), "2", 2 / 3, id="0..3"),
        pytest.param((1, 2, 3, 4, 5, 6, 7), "4", 0.5, id="1..7-middle"),
        pytest.param((1, 2, 3, 4, 5, 6, 7), "7", 1.0, id="1..7-highest"),
        pytest.param((-1, 1), "-1", 0.0, id="below-zero"),
        pytest.param((10, 0), "10", 1.0, id="highest-first"),
    ],
)
def test_scores_of_other_scales(numbers: tuple[int, ...], level: str, score: float) -> None:
    assert scores(with_levels(*numbers), level) == [score]


@pytest.mark.parametrize("cell", ["4", "4.0", "4,0", " 4 ", "좋음", "+4", "4.000"])
def test_spellings_of_a_level(cell: str) -> None:
    assert scores(SCORES, cell) == [0.75]


@pytest.mark.parametrize("cell", ["4.5", "6", "0", "-4", "4점", "good", "1e0", "3.9999999"])
def test_a_level_that_is_not_in_the_rubric_is_refused(cell: str) -> None:
    part = scores_part([{"질의": "q", "응답": "a", "등급": cell}, {"질의": "q", "응답": "a", "등급": "4"}])
    assert places(part) == [
        Problem(
            code="rubric-level",
            row=2,
            column="등급",
            found=cell,
            values={"known": "5, 4, 3, 2, 1"},
        ),
    ]
    details = part.items[0].details
    assert details is not None
    assert (details.rubrics, details.rubrics_source, details.rubrics_why) == (None, "none", "level-unknown")


def test_answer_alone_is_enough() -> None:
    part = scores_part([{"response": "first"}, {"response": "nan"}, {"response": " "}, {"response": "last"}])
    # Rows of blanks are no items; `nan` alone is a blank as well.
    assert [(item.row, item.query_id, item.round, item.message) for item in part.items] == [
        (2, "R2", "1/1", "first"),
        (5, "R5", "1/1", "last"),
    ]
    assert (part.rows, part.blank_rows, part.unusable_rows, part.findings) == (4, 2, 0, ())


def test_blank_id_and_round_fall_back_like_missing_columns() -> None:
    rows = [
        {"ID": "Q7", "회차": "2/1", "ответ": "a", "level": "5"},
        {"ID": "", "회차": "nan", "ответ": "b", "level": "4"},
    ]
    part = scores_part(rows)
    assert [(item.query_id, item.round) for item in part.items] == [("Q7", "2/1"), ("R3", "1/1")]


def test_status_is_by_error_and_answer() -> None:
    rows = [
        {"question": "q", "answer": "fine", "error": "", "level": ""},
        {"question": "q", "answer": "half", "error": "Timeout", "level": ""},
        {"question": "q", "answer": "", "error": "-", "level": ""},
        {"question": "q", "answer": "", "error": "", "level": "2"},
    ]
    part = scores_part(rows)
    assert [item.status for item in part.items] == [Status.OK, Status.ERROR, Status.EMPTY, Status.EMPTY]
    assert [item.why for item in part.items] == ["answered", "error-column", "blank-answer", "blank-answer"]
    whys = [item.details.rubrics_why for item in part.items if item.details is not None]
    assert whys == ["no-judge", "no-answer", "no-answer", ""]
    # Metrics that the profile does not have are absent, not 0.
    assert {(item.intent, item.accuracy, item.stability, item.latency) for item in part.items} == {(None,) * 4}
    assert part.counts == {"level-contradicts-status": 1}  # level 2 of a row without an answer


def test_rounds_tracks_and_set_are_plain_means_with_counts_per_level() -> None:
    rows = [
        {"id": "1", "round": "1/1", "answer": "a", "level": "5"},
        {"id": "2", "round": "1/1", "answer": "a", "level": "2"},
        {"id": "3", "round": "1/1", "answer": "a", "level": ""},
        {"id": "1", "round": "2/1", "answer": "a", "level": "1"},
    ]
    result = merge([("a.csv", scores_part(rows))], SCORES)
    everything = result.groups[0]
    assert list(everything.metrics) == ["rubrics"]
    # Round 1: (1 + 0.25) / 2; round 2: 0; set: (0.625 + 0) / 2.
    rubrics = everything.metrics["rubrics"]
    assert [(mean.value, mean.n) for mean in rubrics.rounds] == [(0.625, 2), (0.0, 1)]
    assert (rubrics.set.value, rubrics.set.n) == (0.3125, 3)
    assert result.levels[0] == LevelCounts(
        key="all", rounds=((1, 0, 0, 1, 0), (0, 0, 0, 0, 1)), set=(1, 0, 0, 1, 1), none=(1, 0)
    )
    assert result.counts == {"rubrics-not-evaluated": 1}
    assert result.distributions == ()
    assert [(query.query_id, len(query.statuses)) for query in result.queries] == [("1", 2), ("2", 2), ("3", 2)]
    insights = find_insights(result)
    assert (insights.missing, insights.disagreeing) == ((), ())  # of profiles that compare rounds
    (loss,) = insights.losses
    # (1 - 1) + (1 - 0.25) + (1 - 0) of 3
    assert (loss.metric, loss.points, loss.possible) == ("rubrics", 1.75, 3.0)


def test_any_profile_may_have_the_metric() -> None:
    text = (ROOT / "config" / "rubrics" / "plan-agent.md").read_text(encoding="utf-8")
    text = text.replace(
        "\n  latency:\n", "\n  rubrics: { headings: [수준], sources: [column, payload] }\n  latency:\n", 1
    )
    text = text.replace(
        "  - { name: llm_status,", "  - { name: rubric_level, title: level }\n  - { name: llm_status,", 1
    )
    levels = ("| 0 | 나쁨 | 틀림 |", "| 2 | 좋음 | 맞음 |", "| 1 | 중간 | 반 |")
    text += "\n".join(("\n\n## 수준\n", "| n | 이름 | 기준 |", "| --- | --- | --- |", *levels, ""))
    rubric = parse_rubric(text, source="x.md")
    assert [metric.name for metric in rubric.metrics][-1] == "rubrics"
    payload = '"{""assistantMessage"": ""m"", ""rubric_level"": 1}"'
    csv = f"Query ID,방/반복,기대결과,level,Raw JSON\nQ1,1/1,a,,{payload}\nQ2,1/1,a,2,\n"
    part = score_file(io.BytesIO(csv.encode()), name="plan_agent_a.csv", rubric=rubric)
    details = [item.details for item in part.items if item.details is not None]
    assert [(one.rubrics, one.rubrics_source) for one in details] == [(0.5, "payload"), (1.0, "column")]
    result = merge([("a.csv", part)], rubric)
    mean = result.groups[0].metrics["rubrics"].set
    assert (mean.value, mean.n) == (0.75, 2)
    assert result.judge is None  # no rule of it asks one


FRONT = """---
profile: mine
title: 내 기준
files: [mine_*.csv]
columns:
  - { name: response, title: 답, required: true }
metrics:
  rubrics: { headings: [등급], sources: [judge] }
---
"""
TABLE = "## 등급\n\n| n | 이름 | 기준 |\n| --- | --- | --- |\n| 0 | 나쁨 | 틀림 |\n| 3 | 좋음 | 맞음 |\n"


def refused(text: str) -> list[tuple[str, int | None, str]]:
    with pytest.raises(RubricError) as error:
        read_rubric(text, source="mine.md")
    assert {problem.source for problem in error.value.problems} == {"mine.md"}
    return [(problem.code, problem.line, problem.found) for problem in error.value.problems]


def test_a_document_needs_little_more_than_its_levels() -> None:
    rubric = parse_rubric(FRONT + TABLE, source="mine.md")
    assert [rule.metric for rule in rubric.judged] == ["rubrics"]
    assert rubric.judged[0].choices == ("0", "3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FRONT, [("rubric-table-missing", 1, "")], id="no-table"),
        pytest.param(
            FRONT + TABLE.replace("| 3 | 좋음 | 맞음 |\n", ""), [("rubric-levels-few", 12, "")], id="one-level"
        ),
        pytest.param(FRONT + TABLE.replace("| 3 |", "| 0 |"), [("rubric-level-twice", 15, "0")], id="repeated-number"),
        pytest.param(FRONT + TABLE.replace("좋음", "나쁨"), [("rubric-level-twice", 15, "나쁨")], id="repeated-name"),
        pytest.param(FRONT + TABLE.replace("맞음", " "), [("rubric-level-no-criteria", 15, "좋음")], id="no-criteria"),
        pytest.param(
            FRONT.replace("  rubrics: { headings: [등급], sources: [judge] }\n", "  rubrics:\n").replace(
                "metrics:\n  rubrics:\n", "metrics: { rubrics: }\n"
            )
            + TABLE,
            [("rubric-no-metrics", 7, "")],
            id="no-metric",
        ),
        pytest.param(
            FRONT.replace("metrics:\n", "metrics:\n  intent: { headings: [의도], copies: accuracy }\n") + TABLE,
            [("rubric-metric-absent", 8, "accuracy")],
            id="copies-what-is-not-there",
        ),
    ],
)
def test_documents_that_are_refused(text: str, expected: list[tuple[str, int | None, str]]) -> None:
    assert refused(text) == expected


def test_tables_alone_replace_the_levels_wherever_they_stand() -> None:
    reading = read_rubric("# mine\n\n" + TABLE.replace("## 등급\n", "레벨:\n"), source="x", base=SCORES)
    assert reading.rubric.rubrics is not None
    assert [level.points for level in reading.rubric.rubrics.levels] == [0, 3]
    assert reading.kept == ()


def test_files_without_rounds_and_with_the_same_queries_are_runs_told_apart() -> None:
    rows = [{"question": "q", "answer": "a", "level": "4"}]
    one, other = scores_part(rows), scores_part([{**rows[0], "level": "2"}])
    result = merge([("b.csv", other), ("a.csv", one)], SCORES)
    (finding,) = result.findings
    assert (finding.code, finding.severity, finding.count) == ("runs-by-file", Severity.NOTE, 1)
    assert (finding.places[0].found, finding.places[0].values) == ("1/1", {"files": "a.csv, b.csv"})
    assert [entry.label for entry in result.rounds] == ["1/1, a.csv", "1/1, b.csv"]
    second = scores_part([{**rows[0], "round": "2/1"}])
    apart = scores_part([{**rows[0], "ID": "q7"}])
    for parts in ([("a.csv", one)], [("a.csv", one), ("b.csv", second)], [("a.csv", one), ("b.csv", apart)]):
        assert merge(parts, SCORES).findings == ()
