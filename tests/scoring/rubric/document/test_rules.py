"""Documents with rules of their own: what they say, every refusal with line and cell, and edits of any kind."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reporting.wording import describe
from scoring.problems import Problem, RubricError
from scoring.rubric.document.front_matter import split_front_matter
from scoring.rubric.document.read import Reading, parse_rubric, read_any, read_rubric
from scoring.rubric.model import Rubric, decode_rubric, encode_rubric
from scoring.rubric.points import Bands, Status
from tests.examples import examples
from tests.inner import SHIPPED_FOLDER
from tests.paths import ROOT
from tests.scoring.documents import rules_of, tables_ignored

SEEDS = ROOT / "tests" / "seeds"
SEED_000 = (SEEDS / "000.txt").read_text(encoding="utf-8")
SEED_002 = (SEEDS / "002.txt").read_text(encoding="utf-8")
TEXTS = {name: (SHIPPED_FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in (
    "h-recruit", "plan-agent", "move-agent", "resume-agent",
)}  # fmt: skip
RUBRICS = {name: parse_rubric(text, source=f"{name}.md") for name, text in TEXTS.items()}
H = RUBRICS["h-recruit"]


def places(text: str, base: Rubric | None = None) -> list[tuple[str, int | None, str]]:
    with pytest.raises(RubricError) as refused:
        parse_rubric(text, source="문서.md", base=base)
    for problem in refused.value.problems:
        assert problem.source == "문서.md"
        assert problem.code.startswith("rubric-pattern") or "?" not in describe(problem)
    return [(problem.code, problem.line, problem.found) for problem in refused.value.problems]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def line_of(text: str, wanted: str) -> int:
    (line,) = (number for number, line in enumerate(text.split("\n"), start=1) if wanted in line)
    return line


def test_h_recruit_says_what_seed_000_and_the_spec_say() -> None:
    assert H.verdict is not None
    assert [(level.name, level.points) for level in H.verdict.levels] == [
        ("PERFECT", 5),
        ("GOOD", 4),
        ("PARTIAL", 3),
        ("WEAK", 2),
        ("RELATED_BUT_WRONG", 1),
        ("FAILED", 0),
    ]
    assert H.checks is not None
    assert H.checks.bands == Bands(
        edges=(0.0, 0.25, 0.5, 0.75, 1.0),
        points=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
        missing=0.0,
        upper=(False, True, True, True, True),
    )
    assert H.checks.status_points == {Status.ERROR: 0.0}
    assert H.weights == {"intent": 20, "consistency": 10, "accuracy": 30, "latency": 20, "stability": 20}
    assert H.agreement is not None
    assert H.agreement.label.names == ("ADD", "UPDATE", "DELETE", "VIEW", "MOVE", "ERROR", "CLARIFY", "OTHER")
    assert [one.name for one in H.metrics] == [
        "intent", "consistency", "accuracy", "latency.single", "latency.multi", "stability",
    ]  # fmt: skip
    assert [column.title for column in H.columns if column.required] == ["Query ID", "방/반복", "Raw JSON"]


@pytest.mark.parametrize(
    ("ratio", "points"),
    [
        (0.0, 0), (5e-324, 1), (0.2499999, 1), (0.25, 2), (0.4999999, 2), (0.5, 3), (0.7499999, 3), (0.75, 4),
        (0.9999999, 4), (1.0, 5), (None, 0),
    ],
)  # fmt: skip
def test_ratio_bands_at_their_edges(ratio: float | None, points: float) -> None:
    for name in ("h-recruit", "plan-agent"):
        rule = RUBRICS[name].checks
        assert rule is not None
        assert rule.bands.score(ratio) == points


@pytest.mark.parametrize(
    ("name", "seconds", "points"),
    [
        ("single", 5.0, 5), ("single", 5.001, 4), ("single", 8, 4), ("single", 8.001, 3), ("single", 10.001, 2),
        ("single", 15.001, 1), ("single", 20.0, 1), ("single", 20.001, 0), ("single", None, 0),
        ("multi", 20.0, 5), ("multi", 20.001, 4), ("multi", 30.001, 3), ("multi", 40.001, 2), ("multi", 50.001, 1),
        ("multi", 60.0, 1), ("multi", 60.001, 0), ("multi", None, 0),
    ],
)  # fmt: skip
def test_latency_bands_at_their_edges(name: str, seconds: float | None, points: float) -> None:
    latency_class = H.class_named(name.upper())
    assert latency_class is not None
    assert latency_class.bands.score(seconds) == points


def without_criteria(rubric: Rubric) -> Rubric:
    assert rubric.verdict is not None
    levels = tuple(replace(level, criteria="") for level in rubric.verdict.levels)
    return replace(rubric, verdict=replace(rubric.verdict, levels=levels))


def test_seed_000_gives_the_shipped_document_and_nothing_of_it_is_kept() -> None:
    reading = read_any(SEED_000, source="000", bases=tuple(RUBRICS.values()))
    assert isinstance(reading, Reading)
    assert without_criteria(rules_of(reading.rubric)) == without_criteria(rules_of(H))
    assert reading.kept == ()
    assert [table.label for table in tables_ignored(reading)] == [
        "채용에이전트 지표별 정의",
        "일관성 (반복 실행 재현성)",
    ]
    assert rules_of(reading.rubric) != rules_of(H)  # the criteria of the levels are the seed's own words


def test_each_seed_finds_its_profile() -> None:
    bases = tuple(RUBRICS.values())
    readings = [read_any(text, source="x", bases=bases) for text in (SEED_000, SEED_002)]
    rubrics = [reading.rubric for reading in readings if isinstance(reading, Reading)]
    assert [rubric.profile for rubric in rubrics] == ["h-recruit", "resume-agent"]
    assert rules_of(rubrics[1]) == rules_of(RUBRICS["resume-agent"])


@pytest.mark.parametrize("name", list(TEXTS))
def test_rubric_is_the_same_after_it_went_through_the_work_area(name: str) -> None:
    assert decode_rubric(encode_rubric(RUBRICS[name])) == RUBRICS[name]


def test_criteria_are_prose_unless_a_judge_reads_them() -> None:
    # Workers find a rubric by its digest: with other criteria under the same one they would ask another question.
    unjudged = replaced(TEXTS["h-recruit"], "status, judge]", "status]")
    old, new = "할 일은 맞게 잡았으나 표현이 조금 흐립니다", "다른 말"
    assert parse_rubric(replaced(TEXTS["h-recruit"], old, new), source="h-recruit.md").digest != H.digest
    assert parse_rubric(replaced(unjudged, old, new), source="x").digest == parse_rubric(unjudged, source="x").digest
    edited = replaced(unjudged, "| GOOD | 4 |", "| GOOD | 4.5 |")
    assert parse_rubric(edited, source="x").digest != parse_rubric(unjudged, source="x").digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| WEAK | 2 |", "| WEAK | 1.5 |"),
        ("| RELATED_BUT_WRONG |", "| NEARLY |"),
        ("ratio >= 0.75 | 4", "ratio >= 0.8 | 4"),
        ("ratio >= 0.5 | 3", "ratio > 0.5 | 3"),
        ("| 체크 없음 | 0 |", "| 체크 없음 | 1 |"),
        ("| 정확성 | 30% |", "| 정확성 | 25% |\n| 이름 없음 | 5% |"),
        ("[추가, 생성, 등록, 적용, 저장]", "[추가, 생성, 등록, 적용]"),
        ("keys: [formType, actionType,", "keys: [actionType, formType,"),
        ("several_count: 2", "several_count: 3"),
        ("single: 0 #", "single: 1 #"),
        ("sources: [column, payload, recorded,", "sources: [payload, column, recorded,"),
        ("- setting.{key}\n        - filterType.{key}", "- filterType.{key}\n        - setting.{key}"),
        ("ignored: [assistantMessage]", "ignored: []"),
        ("contains_suffix: Contains", "contains_suffix: Has"),
    ],
)
def test_every_number_word_and_order_counts(old: str, new: str) -> None:
    text = replaced(TEXTS["h-recruit"], old, new)
    if "이름 없음" in new:
        assert places(text) == [("rubric-weight-metric", line_of(text, "이름 없음"), "이름 없음")]
    else:
        assert parse_rubric(text, source="h-recruit.md").digest != H.digest


@pytest.mark.parametrize(
    ("profile", "old", "new", "code", "found"),
    [
        ("h-recruit", "| GOOD | 4 |", "| PERFECT | 4 |", "rubric-level-twice", "PERFECT"),
        ("h-recruit", "할 일은 맞게 잡았으나 표현이 조금 흐립니다", "", "rubric-level-no-criteria", "GOOD"),
        ("h-recruit", "| GOOD | 4 |", "| GOOD | 6 |", "rubric-points-range", "6"),
        ("h-recruit", "| GOOD | 4 |", "| GOOD | 넷 |", "rubric-points-not-a-number", "넷"),
        ("h-recruit", "{ error: FAILED,", "{ error: LOST,", "rubric-level-unknown", "LOST"),
        ("h-recruit", "| ratio >= 0.5 |", "| 절반쯤 |", "rubric-band-unreadable", "절반쯤"),
        ("h-recruit", "| 0 < ratio < 0.25 |", "| 0 < ratio < 0.2 |", "rubric-band-gap", "ratio >= 0.25"),
        ("h-recruit", "| ratio = 0 |", "| ratio <= 0.1 |", "rubric-band-overlap", "0 < ratio < 0.25"),
        ("h-recruit", "| 정확성 | 30% |", "| 정확성 | 31% |", "rubric-weight-sum", ""),
        ("h-recruit", "| 정확성 | 30% |", "| 정확성 | 30 |", "rubric-weight-mixed", ""),
        ("h-recruit", "| 정확성 | 30% |", "| 정확성 | 많이 |", "rubric-weight-unreadable", "많이"),
        ("h-recruit", "| 정확성 | 30% |", "| 안정성 | 30% |", "rubric-weight-twice", "안정성"),
        ("h-recruit", "에러 없음 + 파싱 성공 + 응답 존재 |", "에러 없음 + 파싱 성공 |", "rubric-status-twice", None),
        ("h-recruit", "several_class: multi", "several_class: many", "rubric-class-unknown", "many"),
        ("h-recruit", "several_count: 2", "several_count: 0", "rubric-value-too-small", "0"),
        ("h-recruit", "setting.{key}", "setting.key", "rubric-path", "setting.key"),
        ("h-recruit", "value.nodeId,", '"value..nodeId",', "rubric-path", "value..nodeId"),
        ("h-recruit", "otherwise: OTHER", 'otherwise: ""', "rubric-word-empty", ""),
        ("h-recruit", "UPDATE: [수정, 변경, 업데이트]", "UPDATE: []", "rubric-list-empty", ""),
        ("h-recruit", "          UPDATE:", "          ERROR:", "rubric-label-twice", "ERROR"),
        ("h-recruit", "응답 부재: [empty]", "응답 부재: [void]", "rubric-status-unknown", "void"),
        ("h-recruit", "single: 0 #", "single: 6 #", "rubric-points-range", "6"),
        ("h-recruit", "sources: [column, criteria, payload, marked]", "sources: [cell]", "rubric-value-type", "cell"),
        ("h-recruit", "marker: ", "mark: ", "rubric-key-unknown", "mark"),
        ("plan-agent", "points: 3 } # 정확성", "points: 7 } # 정확성", "rubric-points-range", "7"),
        ("plan-agent", "points: 3 } # 회차", "points: 8 } # 회차", "rubric-points-range", "8"),
        ("plan-agent", "accuracy, points: 3 } # 정", "rubrics, points: 1 } # 정", "rubric-metric-absent", "rubrics"),
        ("plan-agent", "copies: accuracy }", "copies: intent }", "rubric-value-type", "intent"),
        ("move-agent", "| 경로만 같음 | 3 |", "| 경로가 비슷함 | 3 |", "rubric-condition-unknown", "경로가 비슷함"),
        ("move-agent", "| 경로만 같음 | 3 |", "| 키가 같음 | 3 |", "rubric-condition-twice", "키가 같음"),
        ("move-agent", "neither: [둘 다 다름]", "neither: []", "rubric-list-empty", ""),
        ("move-agent", "field: buttonUrl", 'field: ""', "rubric-word-empty", ""),
    ],
)  # fmt: skip
def test_wrong_document_is_refused_with_line_and_cell(
    profile: str, old: str, new: str, code: str, found: str | None
) -> None:
    text = replaced(TEXTS[profile], old, new)
    named = [(problem, line, cell) for problem, line, cell in places(text) if problem == code]
    assert named, places(text)
    assert all(line for _, line, _ in named)
    if found is not None:
        assert named[0][2] == found
    if found:
        assert found in text.split("\n")[(named[0][1] or 0) - 1] or code == "rubric-level-unknown"


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ("'(?P<key>a)(?=b)(?P<value>c)'", "rubric-pattern"),
        ("'(?P<key>a'", "rubric-pattern"),
        ("'(?P<key>a) 값'", "rubric-pattern-groups"),
        ("'a 값 (?P<value>c)'", "rubric-pattern-groups"),
    ],
)
def test_patterns_are_tried_when_the_document_is_read(new: str, code: str) -> None:
    text = re.sub(r"pattern: '[^']*값이\\s\*\[\"“\][^\n]*'", lambda _: f"pattern: {new}", TEXTS["plan-agent"], count=1)
    assert text != TEXTS["plan-agent"]
    assert [problem for problem, _, _ in places(text)] == [code]


def test_a_metric_has_one_origin() -> None:
    both = replaced(TEXTS["plan-agent"], "copies: accuracy }", "copies: accuracy, verdict: { sources: [column] } }")
    assert "rubric-kinds" in [code for code, _, _ in places(both)]
    none = replaced(TEXTS["resume-agent"], ", copies: intent }", " }")
    assert "rubric-kinds" in [code for code, _, _ in places(none)]
    circle = replaced(
        TEXTS["resume-agent"], "headings: [의도 충족, intent] }", "headings: [의도 충족, intent], copies: accuracy }"
    )
    assert "rubric-copies-itself" in [code for code, _, _ in places(circle)]


def test_tables_of_levels_and_weights_may_be_replaced_alone() -> None:
    text = "## 의도 충족\n\n| 판정 | 점수 | 기준 |\n|---|---|---|\n| FAILED | 0 | 실패 |\n| FINE | 5 | 성공 |\n"
    rubric = parse_rubric(text, source="x", base=H)
    assert rubric.verdict is not None
    assert [level.name for level in rubric.verdict.levels] == ["FAILED", "FINE"]
    assert rules_of(replace(rubric, verdict=H.verdict)) == rules_of(H)
    weights = "## 종합 점수\n\n| 지표 | 가중치 |\n|---|---|\n| 의도 충족 | 3 |\n| 안정성 | 1 |\n"
    assert parse_rubric(weights, source="x", base=H).weights == {"intent": 3, "stability": 1}


# Any edit of one line: what changes is what that line is about, or the document is refused with a place.

CHARACTERS = "|-:=<>~.%/+0123456789 PERFCTGOD초체크없음누락에러응답부재"
BODIES = {name: split_front_matter(text).body for name, text in TEXTS.items()}
# name -> (document without declarations, which take most of the time, and the rubric that has them)
DOCUMENTS = {
    **{name: (body, RUBRICS[name]) for name, body in BODIES.items()},
    "seed-000": (SEED_000, H),
    "seed-002": (SEED_002, RUBRICS["resume-agent"]),
}
PARTS: dict[str, Callable[[Rubric], Any]] = {
    "intent": lambda rubric: (
        [(level.name, level.points) for level in rubric.verdict.levels] if rubric.verdict else None,
        rubric.status_points.get("intent"),
    ),
    "accuracy": lambda rubric: (rubric.checks, rubric.addresses),
    "stability": lambda rubric: rubric.status_points["stability"],
    "latency.single": lambda rubric: rubric.latency_classes[0].bands,
    "latency.multi": lambda rubric: rubric.latency_classes[1].bands if len(rubric.latency_classes) > 1 else None,
    "total": lambda rubric: rubric.weights,
}


def attempt(text: str, base: Rubric) -> tuple[Reading | None, tuple[Problem, ...]]:
    try:
        return read_rubric(text, source="x", base=base), ()
    except RubricError as error:
        return None, error.problems


@pytest.mark.parametrize("name", list(DOCUMENTS))
@settings(max_examples=examples(25, fast=4), deadline=None)
@given(data=st.data())
def test_edited_table_line_is_understood_as_it_stands_or_refused_with_a_place(name: str, data: st.DataObject) -> None:
    document, base = DOCUMENTS[name]
    original = read_rubric(document, source="x", base=base)
    table = data.draw(st.sampled_from(original.understood))
    lines = document.split("\n")
    number = data.draw(st.integers(table.line, table.last_line))
    line = lines[number - 1]
    at = data.draw(st.integers(0, len(line)))
    removed = data.draw(st.integers(0, 5))
    inserted = data.draw(st.text(alphabet=CHARACTERS, max_size=4))
    lines[number - 1] = line[:at] + inserted + line[at + removed :]
    reading, problems = attempt("\n".join(lines), base)
    assert all(problem.line and problem.line <= len(lines) for problem in problems)
    if reading is None:
        assert problems
        return
    for role, part in PARTS.items():
        if role != table.role:
            assert part(reading.rubric) == part(original.rubric), role
    # What is in force stands in the line: no number is made up.
    known = {points for one in original.understood for _, points in one.rows}
    written = "\n".join(lines)
    new = {points for one in reading.understood for _, points in one.rows} - known
    assert all(f"{points:g}" in written for points in new)
