"""The shipped rubric document: what it says, what changes its digest, and edits of any kind."""

import re
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.problems import Problem, RubricError
from scoring.rubric.document.found import Ignored
from scoring.rubric.document.read import Reading, parse_rubric, read_rubric
from scoring.rubric.fields import FIELDS
from scoring.rubric.points import Bands, Status
from tests.examples import examples
from tests.scoring.documents import BASE, MULTI, SEED_000, SEED_002, SHIPPED, SINGLE, line_of, replaced
from texts import codes

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
    assert set(BASE.no_error_words) > {"-", "없음", "n/a", "na", "0", "ok", "success", "정상"}
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
    found = parse_rubric(SHIPPED, source="resume-agent.md", base=parse_rubric(SEED_002, source="b.md", base=BASE))
    assert found == BASE


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
    yield '"/", 없음, 없습니다', '"/", 없습니다'
    yield "track: [track, 트랙]", "track: [track]"


@pytest.mark.parametrize(("old", "new"), [pytest.param(*edit, id=edit[0][:30]) for edit in numbers_and_words()])
def test_every_number_and_word_changes_the_digest(old: str, new: str) -> None:
    front, fence, body = SHIPPED.partition("\n---\n\n#")
    edited = replaced(front, old, new) + fence + body if old in front else front + fence + replaced(body, old, new)
    assert parse_rubric(edited, source="resume-agent.md").digest != BASE.digest


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
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_edited_document_is_understood_or_refused_with_a_place(document: str, data: st.DataObject) -> None:
    text = data.draw(edits(document))
    reading, problems = attempt(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for problem in problems:
        assert problem.code in codes()
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
