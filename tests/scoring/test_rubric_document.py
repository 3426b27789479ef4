"""Rubric documents: the shipped one, the seeds as they stand, and every refusal with line and cell."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.rubric_store import SHIPPED_FOLDER
from reporting.problem_text import TEXTS, describe
from scoring.columns import FIELDS
from scoring.problems import Problem, RubricError, Severity
from scoring.rubric import Bands, Rubric, Status, decode_rubric, encode_rubric
from scoring.rubric_document import Ignored, Reading, parse_rubric, read_rubric

SEEDS = Path(__file__).parents[1] / "seeds"
SHIPPED = (SHIPPED_FOLDER / "resume-agent.md").read_text(encoding="utf-8")
SEED_000 = (SEEDS / "000.txt").read_text(encoding="utf-8")
SEED_002 = (SEEDS / "002.txt").read_text(encoding="utf-8")
BASE = parse_rubric(SHIPPED, source="resume-agent.md")
SINGLE, MULTI = BASE.latency_classes


def line_of(text: str, wanted: str) -> int:
    """1-based line of the only line that holds `wanted`."""
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if wanted in line]
    assert len(lines) == 1, (wanted, lines)
    return lines[0]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def problems_of(text: str, base: Rubric | None = None) -> list[Problem]:
    with pytest.raises(RubricError) as refused:
        parse_rubric(text, source="문서.md", base=base)
    for problem in refused.value.problems:
        # Every fact that the text of a code asks for is there: a missing one would show as "?".
        assert problem.code == "rubric-yaml" or "?" not in describe(problem)
        assert f"[{problem.code}]" in describe(problem)
        assert problem.code in TEXTS["ko"]
    return list(refused.value.problems)


def places(text: str, base: Rubric | None = None) -> list[tuple[str, int | None, str]]:
    problems = problems_of(text, base)
    assert all(problem.source == "문서.md" and problem.severity is Severity.REFUSED for problem in problems)
    return [(problem.code, problem.line, problem.found) for problem in problems]


# The shipped document.


def test_shipped_document_says_what_seed_002_and_the_spec_say() -> None:
    zero_for_failure = {Status.ERROR: 0.0, Status.EMPTY: 0.0}
    assert BASE.status_points == {
        "intent": {**zero_for_failure, Status.PARTIAL: 4.0, Status.OK: 5.0},
        "stability": {**zero_for_failure, Status.PARTIAL: 5.0, Status.OK: 5.0},
    }
    points = (5.0, 4.0, 3.0, 2.0, 1.0, 0.0)
    assert SINGLE.bands == Bands(edges=(5.0, 8.0, 10.0, 15.0, 20.0), points=points, missing=0.0)
    assert MULTI.bands == Bands(edges=(20.0, 30.0, 40.0, 50.0, 60.0), points=points, missing=0.0)
    assert (SINGLE.tracks, MULTI.tracks, BASE.default_class) == ((1, 2), (3,), "single")
    assert (SINGLE.slow_seconds, MULTI.slow_seconds) == (None, 60.0)
    assert BASE.accuracy_of == "intent"
    assert BASE.pass_statuses == (Status.OK, Status.PARTIAL)
    assert BASE.partial_words == ("선택", "선택해 주세요", "알려주", "주시면", "원하시면", "확인해 주세요")
    assert BASE.no_error_words == ("-", "없음", "n/a")
    assert BASE.failure_words == ("문제가 발생", "실패", "제공할 수 없", "오류로 인해", "토큰 제한")
    assert (BASE.scale, BASE.recorded_range, BASE.max_rounds) == (5.0, (0.0, 5.0), 50)
    assert tuple(column.name for column in BASE.columns) == FIELDS
    assert [column.title for column in BASE.columns if column.required] == re.findall(
        r"^- `(.+)`$", SEED_002.partition("### Raw JSON")[0], re.MULTILINE
    )


def test_shipped_document_is_read_with_the_lines_of_its_tables() -> None:
    reading = read_rubric(SHIPPED, source="resume-agent.md")
    assert [(table.role, table.line) for table in reading.understood] == [
        ("intent", line_of(SHIPPED, "| `ok` | 5 |") - 2),
        ("stability", line_of(SHIPPED, "| `ok` / `partial` | 5 |") - 2),
        ("latency.single", line_of(SHIPPED, "| 5초 이하 | 5 |") - 2),
        ("latency.multi", line_of(SHIPPED, "| 20초 이하 | 5 |") - 2),
    ]
    assert reading.understood[0].rows == (("ok", 5.0), ("partial", 4.0), ("error / empty", 0.0))
    assert reading.understood[3].last_line == line_of(SHIPPED, "| 60초 초과 또는 누락 | 0 |")
    first = line_of(SHIPPED, "| 상태 | 언제 |")
    rows = tuple(zip(range(first + 2, first + 6), ("error", "empty", "partial", "ok"), strict=True))
    assert reading.ignored == (
        Ignored(line=first, last_line=first + 5, label="문항 상태", reason="not-points", rows=rows),
    )
    assert reading.kept == ()


def test_base_is_not_looked_at_for_a_full_document() -> None:
    assert parse_rubric(SHIPPED, source="a.md", base=parse_rubric(SEED_002, source="b.md", base=BASE)) == BASE


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ufeff" + SHIPPED, id="byte-order-mark"),
        pytest.param(SHIPPED.replace("\n", "\r\n"), id="crlf"),
        pytest.param(unicodedata.normalize("NFD", SHIPPED), id="nfd"),
        pytest.param(SHIPPED.rstrip("\n"), id="no-last-line-break"),
        pytest.param(SHIPPED.replace("한 번 더 답해야", "한번 더 대답해야"), id="prose-in-a-table"),
        pytest.param(SHIPPED.replace("총점은 내지 않습니다", "총점은 없습니다"), id="prose"),
        pytest.param(SHIPPED.replace("# 지표의 만점", "# 만 점"), id="yaml-comment"),
        pytest.param(
            SHIPPED.replace("| 점수 |", "| Баллы |").replace("| 응답 시간 |", "| Время |"), id="russian-headers"
        ),
        pytest.param(SHIPPED.replace("5초 이하", "<= 5초").replace("| 5~8초 |", "| 5 < x ≤ 8 |"), id="other-spelling"),
        pytest.param(SHIPPED + "\n```\n### 단일\n- <= 1초: 5\n- > 1초: 0\n```\n", id="fenced-code-is-prose"),
    ],
)
def test_what_is_not_a_value_leaves_the_digest(text: str) -> None:
    assert parse_rubric(text, source="resume-agent.md").digest == BASE.digest


def numbers_and_words() -> Iterator[tuple[str, str]]:
    """Edits of the shipped document that each change one thing."""
    yield "| 5초 이하 | 5 |", "| 5초 이하 | 4.5 |"
    yield "| 20초 초과 또는 누락 | 0 |", "| 20초 초과 | 0 |\n| 누락 | 1 |"
    yield "5초 이하 | 5 |\n| 5~8초", "5.5초 이하 | 5 |\n| 5.5~8초"
    yield "5~8초 | 4 |\n| 8~10초", "5~9초 | 4 |\n| 9~10초"
    yield "8~10초 | 3 |\n| 10~15초", "8~11초 | 3 |\n| 11~15초"
    yield "10~15초 | 2 |\n| 15~20초", "10~16초 | 2 |\n| 16~20초"
    yield "15~20초 | 1 |\n| 20초 초과", "15~21초 | 1 |\n| 21초 초과"
    yield "20초 이하 | 5 |\n| 20~30초", "19초 이하 | 5 |\n| 19~30초"
    yield "20~30초 | 4 |\n| 30~40초", "20~31초 | 4 |\n| 31~40초"
    yield "30~40초 | 3 |\n| 40~50초", "30~41초 | 3 |\n| 41~50초"
    yield "40~50초 | 2 |\n| 50~60초", "40~51초 | 2 |\n| 51~60초"
    yield "50~60초 | 1 |\n| 60초 초과", "50~61초 | 1 |\n| 61초 초과"
    yield "| `partial` | 4 |", "| `partial` | 3 |"
    yield "| `ok` | 5 |", "| `ok` | 4 |"
    yield "| `ok` / `partial` | 5 |", "| `ok` / `partial` | 4 |"
    yield "recorded_range: [0, 5]", "recorded_range: [1, 5]"
    yield "max_rounds: 50", "max_rounds: 49"
    yield "slow_seconds: 60", "slow_seconds: 61"
    yield "tracks: [3]", "tracks: [3, 4]"
    yield "date_order: month_first", "date_order: day_first"
    yield "pass_statuses: [ok, partial]", "pass_statuses: [ok]"
    yield "copies: intent", "copies: stability"
    yield "default: single", "default: multi"
    yield "aliases: [트랙]", "aliases: [트랙, 경로]"
    yield "title: 질의,", "title: 질문,"
    yield '"resume_agent_*.tsv", ', ""
    for word in (*BASE.partial_words[1:], *BASE.failure_words):
        yield word + (", " if f"{word}, " in SHIPPED else ""), ""
    yield "partial: [선택, ", "partial: ["
    yield '"-", 없음, n/a', '"-", n/a'
    yield "track: [track, 트랙]", "track: [track]"


@pytest.mark.parametrize(("old", "new"), [pytest.param(*edit, id=edit[0][:30]) for edit in numbers_and_words()])
def test_every_number_and_word_changes_the_digest(old: str, new: str) -> None:
    front, fence, body = SHIPPED.partition("\n---\n\n#")
    edited = replaced(front, old, new) + fence + body if old in front else front + fence + replaced(body, old, new)
    assert parse_rubric(edited, source="resume-agent.md").digest != BASE.digest


# The seeds as they stand.


def test_seed_002_reads_as_the_shipped_document() -> None:
    reading = read_rubric(SEED_002, source="002.txt", base=BASE)
    assert reading.rubric.digest == BASE.digest
    assert [(table.role, table.line, table.last_line) for table in reading.understood] == [
        ("intent", 81, 83),
        ("accuracy", 87, 89),
        ("stability", 92, 93),
        ("latency.single", 109, 114),
        ("latency.multi", 116, 121),
    ]
    assert reading.ignored == ()
    assert reading.kept == ()


def test_seed_000_gives_its_latency_bands() -> None:
    edited = replaced(SEED_000, "| latencySec <= 5 ", "| latencySec <= 5.5 ")
    edited = replaced(edited, "| 5 < latencySec <= 8 ", "| 5.5 < latencySec <= 8 ")
    reading = read_rubric(SEED_000, source="000.txt", base=BASE)
    assert reading.rubric.digest == BASE.digest
    assert parse_rubric(edited, source="000.txt", base=BASE).latency_classes[0].bands.edges[0] == 5.5
    assert [(table.role, table.line) for table in reading.understood] == [("latency.single", 62), ("latency.multi", 73)]
    assert [(unused.line, unused.reason) for unused in reading.ignored] == [
        (13, "not-points"),
        (26, "not-points"),
        (37, "other-bands"),
        (50, "not-points"),
        (84, "not-points"),
        (91, "not-points"),
    ]
    assert reading.kept == ("intent", "stability")


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("- <=5초:5", "- <=5초:4.5", "single"),
        ("- <=20초:5", "- <=20초:4.5", "multi"),
        ("- >60초:0", "- >60초:0.5", "multi"),
        ("- ok/partial = 5", "- ok/partial = 4", "stability"),
    ],
)
def test_one_number_of_seed_002_changes_that_number_only(old: str, new: str, changed: str) -> None:
    rubric = parse_rubric(replaced(SEED_002, old, new), source="002.txt", base=BASE)
    assert rubric.digest != BASE.digest
    differing = [metric for metric, points in rubric.status_points.items() if points != BASE.status_points[metric]]
    differing += [
        one.name for one, other in zip(rubric.latency_classes, BASE.latency_classes, strict=True) if one != other
    ]
    assert differing == [changed]


def test_intent_of_seed_002_is_changed_where_it_is_written_and_copied() -> None:
    rubric = parse_rubric(SEED_002.replace("partial = 4", "partial = 3"), source="002.txt", base=BASE)
    assert rubric.status_points["intent"][Status.PARTIAL] == 3.0
    edited = SEED_002.replace("- partial = 4", "- partial = 3", 1)
    assert places(edited, BASE) == [("rubric-copy-differs", 88, "partial")]


def test_seed_004_holds_nothing_for_this_profile() -> None:
    text = (SEEDS / "004.txt").read_text(encoding="utf-8")
    assert places(text, BASE) == [("rubric-nothing-understood", 1, "")]


# Documents that hold tables only.

BANDS_BELOW = "| 구간 | 점수 |\n|---|---|\n| <= 3초 | 5 |\n| > 3초 | 1 |\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param(f"## 단일 도구\n\n{BANDS_BELOW}", "single", id="heading"),
        pytest.param(f"## 응답 속도\n\n복수 도구\n\n{BANDS_BELOW}", "multi", id="paragraph-above"),
        pytest.param(f"### 다중\n#### 세부\n\n{BANDS_BELOW}", "multi", id="heading-above-the-heading"),
        pytest.param(f"# 단일과 복수\n\n## MULTI\n\n{BANDS_BELOW}", "multi", id="title-does-not-count"),
        pytest.param("- 단일\n  - <=3초:5\n  - >3초:1\n", "single", id="list-line"),
        pytest.param("## 복수\n1. 5점: <= 3초\n2. 1점: > 3초\n", "multi", id="points-first"),
        pytest.param("## 단일\n* `<= 3초` → **5**\n* `> 3초` → 1\n", "single", id="arrows-and-marks"),
        pytest.param("## 단일\n- <=3초：5\n- >3초：1\n", "single", id="full-width-colon"),
        pytest.param(
            "| 점수 | 메모 | SINGLE |\n|--|--|--|\n| 5 | 빠름 | <= 3 |\n| 1 | 느림 | > 3 |\n",
            "single",
            id="column-header",
        ),
    ],
)
def test_table_is_named_by_what_stands_above(text: str, name: str) -> None:
    reading = read_rubric(text, source="표.md", base=BASE)
    assert [table.role for table in reading.understood] == [f"latency.{name}"]
    changed = next(one for one in reading.rubric.latency_classes if one.name == name)
    assert changed.bands == Bands(edges=(3.0,), points=(5.0, 1.0), missing=0.0)
    assert [one for one in reading.rubric.latency_classes if one.name != name] == [
        one for one in BASE.latency_classes if one.name != name
    ]


def test_one_table_may_hold_both_classes_and_several_metrics() -> None:
    text = (
        "## 속도\n\n| 점수 | 단일 | 복수 |\n|--|--|--|\n| 5 | <= 3초 | <= 6초 |\n| 0 | > 3초 | > 6초 |\n\n"
        "## 점수\n\n| 상태 | 의도 충족 | 안정성 |\n|--|--|--|\n"
        "| ok | 5 | 4 |\n| partial | 3 | 2 |\n| error, empty | 1 | 0 |\n"
    )
    rubric = parse_rubric(text, source="표.md", base=BASE)
    assert [one.bands.edges for one in rubric.latency_classes] == [(3.0,), (6.0,)]
    assert [rubric.status_points["intent"][status] for status in Status] == [1.0, 1.0, 3.0, 5.0]
    assert [rubric.status_points["stability"][status] for status in Status] == [0.0, 0.0, 2.0, 4.0]


def test_copy_of_a_table_with_an_unknown_status_is_refused_not_compared() -> None:
    edited = SEED_002.replace("- error/empty = 0", "- errer/empty = 0", 1)
    assert places(edited, BASE) == [("rubric-status-unknown", 83, "errer/empty")]


def test_rubric_is_the_same_after_it_went_through_the_work_area() -> None:
    again = decode_rubric(encode_rubric(BASE))
    assert again == BASE
    assert [list(points) for points in again.status_points.values()] == [
        list(points) for points in BASE.status_points.values()
    ]


def test_same_table_twice_is_fine_and_different_ones_are_refused() -> None:
    text = f"## 단일\n\n{BANDS_BELOW}\n## 단일 도구\n\n{BANDS_BELOW}"
    assert parse_rubric(text, source="문서.md", base=BASE).latency_classes[0].bands.points == (5.0, 1.0)
    head, _, tail = text.rpartition("| > 3초 | 1 |")
    assert places(f"{head}| > 3초 | 2 |{tail}", BASE) == [("rubric-tables-differ", 10, "> 3초 2")]


def test_points_without_seconds_stay_those_of_the_base() -> None:
    base = parse_rubric(
        replaced(SHIPPED, "| 20초 초과 또는 누락 | 0 |", "| 20초 초과 | 0 |\n| 누락 | 1 |"), source="a.md"
    )
    assert parse_rubric(f"## 단일\n\n{BANDS_BELOW}", source="b.md", base=base).latency_classes[0].bands.missing == 1.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", ("rubric-nothing-understood", 1, ""), id="empty"),
        pytest.param("그냥 글\n", ("rubric-nothing-understood", 1, ""), id="prose"),
        pytest.param("## 속도\n- <=3초:5\n- >3초:0\n", ("rubric-table-unnamed", 2, "속도"), id="seconds-without-class"),
        pytest.param("## 응답 속도\n- <=3:5\n- >3:0\n", ("rubric-table-unnamed", 2, "응답 속도"), id="latency-heading"),
        pytest.param("- latencySec <=3:5\n- latencySec >3:0\n", ("rubric-table-unnamed", 1, ""), id="latency-name"),
        pytest.param(
            "## 단일/복수\n- <=3초:5\n- >3초:0\n",
            ("rubric-table-unnamed", 2, "단일/복수"),
            id="two-classes-in-one-heading",
        ),
        pytest.param(
            "## 안전성\n- ok/partial = 5\n- error/empty = 0\n", ("rubric-table-unnamed", 2, "안전성"), id="typo"
        ),
        pytest.param(
            "## 단일\n- <=3초:5\n- 5~:4\n- >빠름:0\n", ("rubric-band-unreadable", 4, ">빠름"), id="unreadable"
        ),
        pytest.param("## 단일\n- <=3초:5\n- 5~3초:4\n- >5:0\n", ("rubric-band-reversed", 3, "5~3초"), id="reversed"),
        pytest.param("## 단일\n- <=3초:5\n- >3초:\n", ("rubric-points-not-a-number", 3, ""), id="no-points"),
        pytest.param("## 단일\n- <=3초:5\n- >3초:영\n", ("rubric-points-not-a-number", 3, "영"), id="points-in-words"),
        pytest.param("## 단일\n- <=3초:5.5\n- >3초:0\n", ("rubric-points-range", 2, "5.5"), id="above-the-scale"),
        pytest.param("## 단일\n- <=3초:5\n- >3초:-1\n", ("rubric-points-range", 3, "-1"), id="below-zero"),
        pytest.param("## 단일\n- 누락:0\n", ("rubric-band-only-missing", 2, ""), id="missing-only"),
        pytest.param(
            "## 단일\n\n|a|b|c|\n|-|-|-|\n|<=3초|5|1|\n|>3초|0|2|\n",
            ("rubric-columns-ambiguous", 3, "a | b | c"),
            id="columns",
        ),
        pytest.param("---\nname: x\n", ("rubric-front-matter-open", 1, ""), id="front-matter-never-closed"),
    ],
)
def test_faulty_tables_are_refused_with_line_and_cell(text: str, problem: tuple[str, int, str]) -> None:
    assert places(text, BASE) == [problem]


def test_document_without_profile_needs_a_base() -> None:
    assert places(SEED_002) == [("rubric-no-profile", 1, "")]
    assert places("# 제목\n") == [("rubric-no-profile", 1, "")]


# Full documents.


@pytest.mark.parametrize(
    ("old", "new", "code", "found"),
    [
        # tables
        pytest.param("| `partial` | 4 |", "| `partail` | 4 |", "rubric-status-unknown", "partail", id="status"),
        pytest.param("| `partial` | 4 |", "| `partial` | 네 |", "rubric-points-not-a-number", "네", id="points"),
        pytest.param("| `partial` | 4 |", "| `partial` | 5.1 |", "rubric-points-range", "5.1", id="points-range"),
        pytest.param(
            "| `partial` | 4 |", "| `partial`, `ok` | 4 |", "rubric-status-twice", "partial, ok", id="status-twice"
        ),
        pytest.param("| 5~8초 | 4 |", "| 6~8초 | 4 |", "rubric-band-gap", "6~8초", id="gap"),
        pytest.param("| 5~8초 | 4 |", "| 4~8초 | 4 |", "rubric-band-overlap", "4~8초", id="overlap"),
        pytest.param("| 5~8초 | 4 |", "| 5~8초 | 1 |", "rubric-band-order", "8~10초", id="order"),
        pytest.param("| 60초 초과 또는 누락 | 0 |", "| 누락 | 0 |", "rubric-band-no-end", "50~60초", id="no-end"),
        # front matter
        pytest.param("scale: 5 #", "scale: 오 #", "rubric-value-type", "오", id="type"),
        pytest.param("scale: 5 #", "scale: true #", "rubric-value-type", "true", id="type-boolean"),
        pytest.param("max_rounds: 50", "max_rounds: 5:30", "rubric-value-type", "5:30", id="no-base-60-numbers"),
        pytest.param("max_rounds: 50", "max_rounds: 50.5", "rubric-value-type", "50.5", id="type-integer"),
        pytest.param("max_rounds: 50", "max_rounds: 1", "rubric-value-too-small", "1", id="rounds"),
        pytest.param("max_rounds: 50", "max_round: 50", "rubric-key-unknown", "max_round", id="unknown-key"),
        pytest.param("name: item_id,", "name: itemid,", "rubric-field-unknown", "itemid", id="field"),
        pytest.param("name: item_id,", "name: run_id,", "rubric-field-twice", "run_id", id="field-twice"),
        pytest.param("title: Item ID,", "title: run_id,", "rubric-alias-collision", "run_id", id="title-collides"),
        pytest.param("[트랙], required", "[RUN-id], required", "rubric-alias-collision", "RUN-id", id="alias-collides"),
        pytest.param("tracks: [3]", "tracks: [2]", "rubric-track-twice", "2", id="track-twice"),
        pytest.param("tracks: [3]", "tracks: [-3]", "rubric-value-too-small", "-3", id="track-negative"),
        pytest.param("tracks: [3]", "tracks: [삼]", "rubric-value-type", "삼", id="track-type"),
        pytest.param("default: single", "default: fast", "rubric-class-unknown", "fast", id="class"),
        pytest.param("[ok, partial]", "[ok, fine]", "rubric-status-unknown", "fine", id="pass-status"),
        pytest.param("copies: intent", "copies: latency", "rubric-value-type", "latency", id="copies"),
        pytest.param("date_order: month_first", "date_order: month", "rubric-value-type", "month", id="date-order"),
        pytest.param(
            "recorded_range: [0, 5]", "recorded_range: [5, 0]", "rubric-range-reversed", "[5, 0]", id="reversed"
        ),
        pytest.param("recorded_range: [0, 5]", "recorded_range: [0, 6]", "rubric-recorded-range", "[0, 6]", id="range"),
        pytest.param("recorded_range: [0, 5]", "recorded_range: [0]", "rubric-value-type", "[…]", id="range-type"),
        pytest.param("profile: resume-agent", "profile: ../x", "rubric-name", "../x", id="profile-name"),
        pytest.param("title: 지원자 관리 에이전트", "title: ' '", "rubric-word-empty", "", id="blank-title"),
        pytest.param("partial: [선택,", "partial: ['',", "rubric-word-empty", "", id="empty-word"),
        pytest.param('"resume_agent_*.csv"', '"a/*.csv"', "rubric-glob-separator", "a/*.csv", id="glob"),
        pytest.param('"resume_agent_*.csv"', "'a\\*.csv'", "rubric-glob-separator", "a\\*.csv", id="glob-windows"),
        pytest.param("track: [track, 트랙]", "track: []", "rubric-list-empty", "", id="empty-list"),
        pytest.param("slow_seconds: 60", "slow_seconds: -1", "rubric-value-too-small", "-1", id="slow"),
        pytest.param("max_rounds: 50", "scale: 4", "rubric-yaml-duplicate-key", "scale", id="duplicate-key"),
        pytest.param("tracks: [3]", "tracks: [3", "rubric-yaml", "", id="yaml"),
        pytest.param('no_error: ["-"', "no_error: [*a", "rubric-yaml-alias", "*a", id="yaml-alias"),
    ],
)
def test_wrong_document_is_refused_with_line_and_cell(old: str, new: str, code: str, found: str) -> None:
    text = replaced(SHIPPED, old, new)
    lines = text.split("\n")
    wanted = found if code in {"rubric-band-order", "rubric-band-no-end"} else new
    line = max(number for number, content in enumerate(lines, start=1) if wanted in content)
    assert (code, line, found) in places(text)


def test_every_problem_is_named_in_the_order_of_the_document() -> None:
    text = replaced(SHIPPED, "tracks: [3]", "tracks: [2]")
    text = replaced(text, "| `partial` | 4 |", "| `partial` | 9 |")
    text = replaced(text, "| 5~8초 | 4 |", "| 5~8초 | 넷 |")
    assert [code for code, _, _ in places(text)] == [
        "rubric-track-twice",
        "rubric-points-range",
        "rubric-points-not-a-number",
    ]


def test_missing_keys_and_tables_are_all_named() -> None:
    front = "---\nprofile: x\nmetrics:\n  intent: {}\n---\n"
    missing = [problem.values["key"] for problem in problems_of(front)]
    assert missing == [
        *("title", "files", "columns", "metrics.intent.headings"),
    ]
    bare = SHIPPED[: SHIPPED.index("## 의도 충족")]
    assert [(problem.code, problem.values["role"]) for problem in problems_of(bare)] == [
        ("rubric-table-missing", role) for role in ("intent", "stability", "latency.single", "latency.multi")
    ]


def test_full_document_has_to_say_what_a_missing_value_scores() -> None:
    text = replaced(SHIPPED, "| 20초 초과 또는 누락 |", "| 20초 초과 |")
    line = line_of(text, "| 5초 이하 | 5 |") - 2
    assert places(text) == [("rubric-band-no-missing", line, "")]


def test_status_without_points_is_named() -> None:
    text = replaced(SHIPPED, "| `ok` / `partial` | 5 |", "| `ok` | 5 |")
    (problem,) = problems_of(text)
    assert (problem.code, problem.line) == ("rubric-status-without-points", line_of(text, "| `ok` | 5 | 오류") - 2)
    assert problem.values == {"role": "stability", "statuses": "partial"}


def test_no_required_columns_is_refused() -> None:
    text = SHIPPED.replace(", required: true", "")
    assert places(text) == [("rubric-no-required-columns", line_of(text, "columns:"), "")]


def test_rounds_are_compared_only_where_every_row_has_them() -> None:
    text = replaced(
        SHIPPED,
        "{ name: round, title: 방/반복, aliases: [roomRepeat, round, 회차], required: true }",
        "{ name: round, title: 방/반복 }",
    )
    assert places(text) == [("rubric-consistency-columns", line_of(text, "  consistency:"), "")]


@pytest.mark.parametrize(
    ("front", "code", "line"),
    [
        pytest.param("a: &a [1]\nb: *a\n", "rubric-yaml-alias", 3, id="billion-laughs"),
        pytest.param("profile: x\na: " + "[" * 3000, "rubric-yaml-depth", 3, id="deep"),
        pytest.param("profile: x\na: \x07\n", "rubric-yaml", 3, id="control-character"),
        pytest.param("profile: x\n? [a]\n: b\n", "rubric-yaml", 3, id="key-is-a-list"),
        pytest.param("profile: x\n#" + "a" * 40_000, "rubric-front-matter-size", 2, id="huge"),
        pytest.param("a: 1\n--- b\n", "rubric-yaml", 3, id="two-documents"),
    ],
)
def test_hostile_front_matter_is_refused_cheaply(front: str, code: str, line: int) -> None:
    assert (code, line) in [place[:2] for place in places(f"---\n{front}\n---\n# 제목\n")]


def test_huge_document_is_refused() -> None:
    assert places("a" * 300_000, BASE) == [("rubric-too-large", 1, "")]


# Any edit at all.

CHARACTERS = st.sampled_from(
    [*"|-:=<>~*`#[]{}&!%@,.0123456789 \n\t\"'", "초", "누락", "ok", "단일", "\r", "\x00", "\u202e"]
)


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 12))
        text = text[:at] + "".join(draw(st.lists(CHARACTERS, max_size=6))) + text[at + removed :]
    return text


def attempt(text: str) -> tuple[Reading | None, tuple[Problem, ...]]:
    try:
        return read_rubric(text, source="문서.md", base=BASE), ()
    except RubricError as error:
        return None, error.problems


@pytest.mark.parametrize("document", [SHIPPED, SEED_002, SEED_000], ids=["shipped", "seed-002", "seed-000"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_edited_document_is_understood_or_refused_with_a_place(document: str, data: st.DataObject) -> None:
    text = data.draw(edits(document))
    reading, problems = attempt(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for problem in problems:
        assert problem.code in TEXTS["ko"]
        assert problem.source == "문서.md"
        assert problem.line is not None
        assert 1 <= problem.line <= lines
    if reading is None:
        assert problems
        return
    rubric = reading.rubric
    assert all(set(points) == set(Status) for points in rubric.status_points.values())
    scores = [one.bands.score(value) for one in rubric.latency_classes for value in (0.0, 7.0, 1e9, None)]
    assert all(0 <= score <= rubric.scale for score in scores)
    assert {table.role for table in reading.understood} - {"accuracy"} | set(reading.kept) >= {"intent", "stability"}
