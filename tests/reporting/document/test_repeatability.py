"""The section of repeatability in both languages: counts, pass^k and pass@k, the queries to reproduce."""

import re

import pytest
from markdown_it import MarkdownIt

from reporting.document.blocks import Block, Heading, Items
from reporting.document.report.item_tables import MAX_QUERIES
from reporting.document.report.repeatability import never_blocks, repeatability_blocks, share_text
from reporting.document.tables import Table
from scoring.results import SetResult, find_passes
from scoring.rubric import PassRule, Status
from scoring.statistics import Interval, Share
from tests.paths import ROOT
from tests.reporting.results import make_item, make_result, make_rubric
from tests.reporting.seen import Seen
from tests.reporting.shown import report_files
from tests.scoring.files import score_shipped
from texts import texts

TWO_ROUNDS = ROOT / "tests/samples/resume_agent_two_rounds.csv"
AT_3 = make_rubric(pass_points=PassRule(metric="accuracy", points=3))
HEADING = {"ko": "### 반복 재현 필요 질문", "en": "### Queries to reproduce"}
NEVER = {"ko": "### 한 번도 응답에 성공하지 못한 질의", "en": "### Queries never answered"}
MARKDOWN = MarkdownIt("commonmark").enable("table")


def made(*queries: str) -> SetResult:
    """Queries A, B …, each by its items in rounds 1, 2 …: p passes by points, f does not; all are answered."""
    items = [
        make_item(row, query_id=chr(65 + row // 10), round=f"{row % 10 + 1}/1", accuracy=5.0 if end == "p" else 0.0)
        for number, ends in enumerate(queries)
        for row, end in enumerate(ends, start=10 * number)
    ]
    return make_result(*items, rubric=AT_3)


def lines(result: SetResult, language: str = "ko") -> list[str]:
    """The sentences that lead the section."""
    return [str(line) for block in shown(result, language) if isinstance(block, Items) for line in block.items]


def tables(result: SetResult) -> list[Table]:
    return [block for block in shown(result) if isinstance(block, Table)]


def shown(result: SetResult, language: str = "ko") -> list[Block]:
    t, below = texts(language), find_passes(result.table.traits(), result.rubric).below
    return [*repeatability_blocks(result, below, t), *never_blocks(result, t)]


def section(report: str, heading: str) -> str:
    return re.split(r"^#{2,3} ", report.split(f"\n{heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0].strip()


@pytest.mark.parametrize(
    ("language", "told", "row"),
    [
        pytest.param(
            "ko",
            [
                "- 질의 83개 가운데 항상 응답 성공 71, 가끔 7, 한 번도 성공 못 함 5",
                (
                    "- 두 번 다 응답 성공 85.2% (75.7–91.4%), 한 번이라도 93.8% (86.2–97.4%)"
                    " (실행이 2번보다 적은 질의 2개 제외)"
                ),
            ],
            "| Q-00028 | Track 1 | 등급 A 조건으로 걸러줘 | 1/2 | 정상 | 오류 |",
            id="ko",
        ),
        pytest.param(
            "en",
            [
                "- Of 83 queries, 71 are always answered, 7 sometimes and 5 never",
                (
                    "- Answered both times: 85.2% (75.7–91.4%); at least once: 93.8% (86.2–97.4%)"
                    " (2 left out: fewer than 2 runs)"
                ),
            ],
            "| Q-00028 | Track 1 | 등급 A 조건으로 걸러줘 | 1/2 | OK | Error |",
            id="en",
        ),
    ],
)
def test_sample_of_two_rounds(language: str, told: list[str], row: str) -> None:
    report = report_files(score_shipped(TWO_ROUNDS), language=language)["report.md"]
    found = section(report, HEADING[language]).splitlines()
    assert found[:2] == told
    assert row in found
    assert sum(line.startswith("| Q-") for line in found) == 7
    never = section(report, NEVER[language]).splitlines()
    assert never[-1] == "| Q-00070 | Track 2 | 등급별로 등급 A 지원자 수를 집계해줘 | 0/2 |"
    assert len(never) == 2 + 5


@pytest.mark.parametrize("language", ["ko", "en"])
def test_html_shows_the_same_tables_and_lines(language: str) -> None:
    result = score_shipped(ROOT / "docs/test-result/resume_agent_sample.csv")
    written = report_files(result, language=language)
    found = section(written["report.md"], HEADING[language])
    of_markdown, of_html = Seen(MARKDOWN.render(found)), Seen(written["report.html"])
    assert len(of_markdown.tables) == 2
    assert all(table in of_html.tables for table in of_markdown.tables)
    text = " ".join("".join(of_html.text).split())
    assert all(line in text for line in lines(result, language))


def test_from_three_rounds_on_a_table_has_every_k() -> None:
    rates = tables(made("ppp", "ppf", "fff", "p"))[0]
    assert rates.titles == (
        "횟수 k",
        "k번 다 통과 (pass^k)",
        "한 번이라도 (pass@k)",
        "질의 수",
        "실행이 k번보다 적은 질의",
    )
    assert [(row[0], row[1].split()[0], row[2].split()[0], *row[3:]) for row in rates.rows] == [
        ("1", "66.7%", "66.7%", "4", "0"),
        ("2", "44.4%", "66.7%", "3", "1"),
        ("3", "33.3%", "66.7%", "3", "1"),
    ]
    assert all(re.fullmatch(r"\d+\.\d% \(\d+\.\d–\d+\.\d%\)", cell) for row in rates.rows for cell in row[1:3])
    assert all("k" not in table.titles[0] for table in tables(made("pp", "pf")))


def test_points_are_called_passing() -> None:
    found = made("pp", "pf", "ff")
    told, reliable = lines(found)
    assert told == "질의 3개 가운데 항상 통과 1, 가끔 1, 한 번도 통과 못 함 1"
    assert reliable.startswith("두 번 다 통과 33.3% (")
    assert Heading(3, "한 번도 통과하지 못한 질의") in shown(found)
    assert tables(found)[0].titles[:4] == ("Query ID", "Track", "질의", "통과")
    assert lines(found, "en")[0] == "Of 3 queries, 1 always pass, 1 sometimes and 1 never"


def test_fewest_passes_are_first() -> None:
    _, flaky = tables(made("ppf", "fpf", "ppp", "pff"))
    assert [(row[0], row[3]) for row in flaky.rows] == [("B", "1/3"), ("D", "1/3"), ("A", "2/3")]


def test_an_answered_round_that_does_not_pass_is_marked() -> None:
    """So that `2/3` does not stand beside three rounds that all look well; an error says it by itself."""
    _, flaky = tables(made("ppf", "pfp"))
    ok, below = "정상", "정상(통과 못 함)"
    assert [row[4:] for row in flaky.rows] == [(ok, ok, below), (ok, below, ok)]
    items = [make_item(2), make_item(3, query_id="Q-2", round="2/1", status=Status.ERROR, accuracy=0.0)]
    (failed,) = tables(make_result(*items, rubric=AT_3))
    assert failed.rows[0][3:] == ("1/2", ok, "오류")


def test_without_a_flaky_query_there_is_no_table() -> None:
    found = made("pp", "ff")
    assert [[row[0] for row in table.rows] for table in tables(found)] == [["B"]]  # those that never pass
    assert lines(found)[-1] == "실행할 때마다 결과가 갈린 질의가 없습니다."
    assert tables(made("pp")) == []


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("ko", "두 번 이상 실행한 질의가 없어 반복 결과를 비교할 수 없습니다."),
        ("en", "No query was run more than once, so there is nothing to reproduce."),
    ],
)
def test_one_round_is_one_line(language: str, line: str) -> None:
    result = made("p", "f")
    assert shown(result, language) == [Items([line])]
    assert section(report_files(result, language=language)["report.md"], HEADING[language]) == f"- {line}"


def test_queries_without_anything_to_assess_are_counted() -> None:
    items = [
        make_item(2, query_id="A"),
        make_item(3, query_id="A", round="2/1"),
        make_item(4, query_id="B", accuracy=None),
    ]
    first, second, *_ = lines(make_result(*items, rubric=AT_3))
    assert first == "질의 1개 가운데 항상 통과 1, 가끔 0, 한 번도 통과 못 함 0 (평가할 문항이 없는 질의 1개 제외)"
    assert second.endswith("(실행이 2번보다 적은 질의 1개 제외)")


def test_long_lists_say_how_many_are_left_out_and_where_they_are() -> None:
    items = [
        make_item(row, query_id=f"Q{row // 2}", round=f"{row % 2 + 1}/1", status=status)
        for row, status in enumerate([Status.OK, Status.ERROR] * 60 + [Status.ERROR] * 130)
    ]
    written = report_files(make_result(*items))
    flaky = section(written["report.md"], HEADING["ko"])
    assert flaky.count("\n| Q") == 1 + MAX_QUERIES  # with the titles
    assert flaky.endswith("10개는 생략했습니다. 모든 질의: [queries.csv](queries.csv)")
    never = section(written["report.md"], NEVER["ko"])
    assert never.endswith("15개는 생략했습니다. 모든 질의: [queries.csv](queries.csv)")
    assert written["report.html"].count('모든 질의: <a href="queries.csv">queries.csv</a>') == 2


def test_hostile_texts_stay_text() -> None:
    evil = "<b>|x\n# y"
    items = [make_item(2, query_id=evil, question=evil), make_item(3, query_id=evil, question=evil, round="2/1")]
    items[0].status = Status.ERROR
    written = report_files(make_result(*items))
    assert "| &lt;b>\\|x ⏎ # y | " in section(written["report.md"], HEADING["ko"])
    assert "<b>|x" not in written["report.html"]


def test_shares_have_their_interval() -> None:
    assert share_text(Share(0.5, Interval(0.25, 0.75))) == "50.0% (25.0–75.0%)"
    assert share_text(Share(None, None)) == "—"
