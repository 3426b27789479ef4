"""A finding in one line and as a short phrase."""

import pytest

from reporting.wording.findings import brief, brief_of_count, counted, describe_finding, first_places
from scoring import MAX_LISTED_PROBLEMS, Finding, Problem, Severity, group_problems
from tests.inner import FindingLog
from texts import texts

KO, EN = texts("ko"), texts("en")


def score(row: int, found: str, source: str = "a.csv") -> Problem:
    values = {"lowest": "0", "highest": "5"}
    return Problem(code="recorded-out-of-range", source=source, row=row, column="LLM 점수", found=found, values=values)


def test_phrase_of_a_count_needs_no_places() -> None:
    for t in (KO, EN):
        for code in t.starting("brief."):
            phrase = brief_of_count(code, 1234, Severity.NOTE, t)
            assert "1,234" in phrase, code
            assert "?" not in phrase, code
            assert "{" not in phrase, code
    assert brief_of_count("checklist-unticked", 2, Severity.NOTE, EN) == "checklist entries to check: 2"
    assert brief_of_count("empty-file", 1, Severity.REFUSED, KO) == brief(found(Problem(code="empty-file")), KO)


def found(*problems: Problem) -> Finding:
    (finding,) = group_problems(problems)
    return finding


def test_line_says_what_where_and_what_to_do() -> None:
    finding = found(score(4, "85"), score(9, "7"), score(12, "9"), score(13, "9"), score(14, "9"))
    assert describe_finding(finding) == (
        "LLM 점수 5칸은 0~5 범위를 벗어나 쓰지 않았습니다. "
        "다음 출처(보통 답변 상태)가 있으면 그것으로 점수를 주었습니다. "
        "위치: a.csv LLM 점수 4행 '85', 9행 '7' 외 3건. "
        "0에서 5 사이 숫자로 고치거나 비워 두세요. [recorded-out-of-range]"
    )
    assert describe_finding(finding, "en").startswith(
        "LLM scores outside 0 to 5 were not used; "
        "the next source of points, usually the answer status, counts where there is one: 5. "
        "Where: a.csv LLM 점수 row 4 '85', row 9 '7' and 3 more. Correct it"
    )
    assert (brief(finding, KO), brief(finding, EN)) == ("범위 밖 LLM 점수 5칸", "LLM scores out of range: 5")


def test_file_is_named_where_it_changes() -> None:
    assert first_places(found(score(4, "85"), score(9, "7", "b.csv")), KO) == (
        "a.csv LLM 점수 4행 '85', b.csv LLM 점수 9행 '7'"
    )


@pytest.mark.parametrize(
    ("places", "each", "shown"),
    [
        pytest.param(2, 1, "2행, 3행", id="all-shown"),
        pytest.param(3, 1, "2행, 3행 외 1건", id="one-more"),
        pytest.param(1, 9, "2행", id="one-place-of-many-cells"),
        pytest.param(MAX_LISTED_PROBLEMS + 50, 1, "2행, 3행 외 148건", id="more-than-are-kept"),
    ],
)
def test_places_left_out_are_counted(places: int, each: int, shown: str) -> None:
    log = FindingLog()
    for row in range(2, 2 + places):
        log.add(Problem(code="seconds-zero", row=row), each)
    (finding,) = log.findings()
    assert first_places(finding, KO) == shown
    assert finding.count == places * each


def test_finding_about_the_whole_set_names_no_place() -> None:
    finding = found(Problem(code="checklist-unticked", values={"items": "회차 수, Track 3"}))
    assert "위치:" not in describe_finding(finding)
    assert "확인이 필요한 항목이 1개 있습니다: 회차 수, Track 3. " in describe_finding(finding)


def test_refusals_are_described_as_the_first_of_them() -> None:
    finding = found(*(Problem(code="empty-file", source=f"{name}.csv") for name in "abc"))
    assert describe_finding(finding).startswith("a.csv: 파일이 비어 있습니다.")
    assert describe_finding(finding).endswith("[empty-file] (같은 이유로 읽지 못한 파일 외 2개)")
    assert brief(finding, EN) == "(error) files not read: 3 [empty-file]"


def test_problems_of_one_refused_file_are_all_named_and_count_as_one_file() -> None:
    columns = ["Query ID", "방/반복", "Track", "응답"]
    misspelt = [
        Problem(code="misspelt-column", source=source, column=column, found=f"{column}*")
        for source, named in (("a.csv", columns[:2]), ("b.csv", columns))
        for column in named
    ]
    line = describe_finding(found(*misspelt[:2]), "en")
    assert "'Query ID*'" in line
    assert "'방/반복*'" in line
    assert line.endswith("[misspelt-column]")
    assert (
        describe_finding(found(*misspelt))
        == f"{describe_finding(found(*misspelt[:2]))} (같은 이유로 읽지 못한 파일 외 1개)"
    )
    assert describe_finding(found(*misspelt[2:])).endswith("[misspelt-column] 외 1건")
    assert brief(found(*misspelt), EN) == "(error) files not read: 2 [misspelt-column]"


def test_errors_come_first_and_are_marked() -> None:
    findings = group_problems([score(4, "85"), Problem(code="no-round", row=3), Problem(code="empty-file")])
    assert [brief(finding, KO) for finding in findings] == [
        "(오류) 읽지 못한 파일 1개 [empty-file]",
        "(오류) 방/반복이 없어 뺀 행 1개",
        "범위 밖 LLM 점수 1칸",
    ]
    assert counted(findings, KO) == "3 (오류 2)"
    assert counted(findings[2:], KO) == "1"
    assert counted((), KO) == ""
    checklist = found(*[Problem(code="checklist-unticked", values={"items": "회차 수, Track 3"})] * 2)
    assert counted([*findings, checklist], KO) == "3 (오류 2)"
    assert counted([checklist], KO) == ""


def test_hostile_texts_stay_on_one_line() -> None:
    line = describe_finding(found(score(4, "{n}\n\x1b[31m" + "가" * 500, "x\u202e\n.csv")))
    assert line.isprintable()
    assert "'{n} ⏎ " in line


@pytest.mark.parametrize(
    ("place", "korean", "english"),
    [
        pytest.param(
            Problem(code="rows-differ", source="a.csv", row=3, found="오류", values={"query": "Q1", "kept": "8"}),
            "a.csv 3행 (Q1: 남은 행 8, 다른 칸 오류)",
            "a.csv row 3 (Q1: row kept 8, cells that differ: 오류)",
            id="rows-differ",
        ),
        pytest.param(
            Problem(code="rows-equal", source="b.csv", row=2, values={"query": "Q1", "kept": "a.csv 2"}),
            "b.csv 2행 (Q1: 남은 행 a.csv 2)",
            "b.csv row 2 (Q1: row kept a.csv 2)",
            id="rows-equal",
        ),
        pytest.param(
            Problem(code="runs-by-file", found="1/1", values={"files": "a.csv, b.csv"}),
            "1/1 회차(a.csv, b.csv)",
            "round 1/1 (a.csv, b.csv)",
            id="runs-by-file",
        ),
        pytest.param(
            Problem(code="small-round", found="2/1\u202e", values={"items": "3", "largest": "8"}),
            "'2/1'(3/8문항)",
            "'2/1' (3 of 8 items)",
            id="small-round",
        ),
    ],
)
def test_places_say_what_they_are_compared_with(place: Problem, korean: str, english: str) -> None:
    finding = found(place)
    assert (first_places(finding, KO), first_places(finding, EN)) == (korean, english)


def test_remedy_of_a_time_says_the_unit_of_its_column() -> None:
    """`11,084` of a column of milliseconds must not be mended into `11.084`."""
    finding = found(Problem(code="seconds-unusable", source="a.csv", row=9, column="latency_ms", found="11,084"))
    for language in ("en", "ko"):
        assert "`7500`" in describe_finding(finding, language)
    assert "in the unit of its column and without a comma" in describe_finding(finding, "en")
    assert "그 열의 단위대로 쉼표 없이" in describe_finding(finding, "ko")
