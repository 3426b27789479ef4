"""Documents that hold tables only: which table is which, and what is refused with line and cell."""

import pytest

from scoring.rubric.document.read import parse_rubric, read_rubric
from scoring.rubric.model import decode_rubric, encode_rubric
from scoring.rubric.points import Bands, Status
from tests.scoring.documents import BASE, SEED_002, SHIPPED, places, replaced

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
