"""Full documents: every refusal with line and cell."""

import pytest

from config import shipped_rubrics
from scoring.problems import RubricError
from scoring.rubric.document.front_matter import split_front_matter
from scoring.rubric.document.levels import LevelDocument
from scoring.rubric.document.read import Reading, read_any
from tests.scoring.documents import BASE, SHIPPED, line_of, places, problems_of, replaced

MAX = "max_rounds: 50 # 회차가 이보다 많으면 열을 잘못 고른 것으로 봅니다"


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
        pytest.param("tracks: [3]", "tracks: [3.5]", "rubric-value-type", "3.5", id="track-type"),
        pytest.param(
            "<na>, nat]", "<na>, 미정]", "rubric-blank-words", "nan, none, null, <na>, 미정", id="blank-words"
        ),
        pytest.param(MAX, f"{MAX}\ntracks: [{{ track: -1 }}]", "rubric-value-too-small", "-1", id="meaning-track"),
        pytest.param(MAX, f"{MAX}\ntracks: [{{ track: 1, items: -5 }}]", "rubric-value-too-small", "-5", id="items"),
        pytest.param(
            MAX, f"{MAX}\ntracks: [{{ track: 1 }}, {{ track: 1 }}]", "rubric-track-twice", "1", id="tracks-twice"
        ),
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
        pytest.param("pass_statuses: [ok, partial]", "pass_statuses: []", "rubric-list-empty", "", id="empty-list"),
        pytest.param("slow_seconds: 60", "slow_seconds: -1", "rubric-value-too-small", "-1", id="slow"),
        pytest.param("max_rounds: 50", "scale: 4", "rubric-yaml-duplicate-key", "scale", id="duplicate-key"),
        pytest.param("tracks: [3]", "tracks: [3", "rubric-yaml", "", id="yaml"),
        pytest.param("partial: [선택,", "partial: [*a,", "rubric-yaml-alias", "*a", id="yaml-alias"),
    ],
)
def test_wrong_document_is_refused_with_line_and_cell(old: str, new: str, code: str, found: str) -> None:
    text = replaced(SHIPPED, old, new)
    lines = text.split("\n")
    wanted = found if code in {"rubric-band-order", "rubric-band-no-end"} else new.rpartition("\n")[2]
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
        *("title", "files", "columns"),
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
        pytest.param("a: &a [1]\nb: *a\n", "rubric-yaml-alias", 2, id="billion-laughs"),
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


LEVELS = "| 등급 | 이름 | 기준 |\n|---|---|---|\n| 1 | 좋음 | 맞다 |\n| 0 | 나쁨 | 틀리다 |\n"
FULL = split_front_matter(SHIPPED).body


@pytest.mark.parametrize("body", [LEVELS, FULL], ids=["levels", "tables"])
@pytest.mark.parametrize(
    ("front", "code", "line"),
    [
        pytest.param("name: [", "rubric-yaml", 2, id="not-yaml"),
        pytest.param("only words", "rubric-yaml", 2, id="text"),
        pytest.param("- name", "rubric-yaml", 2, id="list"),
        pytest.param("name: a\ntitle: &a b", "rubric-yaml-alias", 3, id="anchor"),
        pytest.param("name: *a", "rubric-yaml-alias", 2, id="alias"),
        pytest.param("name: a\ntitle:\tb", "rubric-yaml", 3, id="tab"),
        pytest.param("name: a\ntitle: b\x00", "rubric-yaml", 3, id="nul"),
        pytest.param("name: a\nwieght: 3", "rubric-key-unknown", 3, id="unknown-key"),
        pytest.param("name: a\nname: b", "rubric-yaml-duplicate-key", 3, id="twice"),
    ],
)
def test_front_matter_is_refused_wherever_it_stands(body: str, front: str, code: str, line: int) -> None:
    """Also of a document without a profile, whose tables are all that would be read."""
    text = f"---\n{front}\n---\n{body}"
    for bases in ((BASE,), shipped_rubrics()):
        with pytest.raises(RubricError) as error:
            read_any(text, source="문서.md", bases=bases)
        assert (code, line) in [(problem.code, problem.line) for problem in error.value.problems]


def test_names_for_people_are_said_to_be_dropped() -> None:
    reading = read_any(f"---\nname: a\ndescription: b\nupdatedDate: 1\n---\n{FULL}", source="a.md", bases=(BASE,))
    assert isinstance(reading, Reading)
    dropped = [unused.label for unused in reading.ignored if unused.reason == "front-matter"]
    assert dropped == ["name", "description"]


def test_names_for_people_are_said_to_be_dropped_of_levels_alone() -> None:
    levels = read_any(f"---\nname: a\n---\n{LEVELS}", source="a.md", bases=(BASE,))
    assert isinstance(levels, LevelDocument)
    assert levels.ignored == ((2, 2, "name"),)
