"""Links of report.html: every Query ID opens its query, every figure leads to as many items as it counts."""

import json
import re
from collections import Counter
from functools import cache
from math import comb

import pytest

from config import shipped_rubrics
from scoring import Problem, group_problems
from scoring.items import score_file
from scoring.results import SetResult, merge
from scoring.rubric import Status
from tests.paths import ROOT
from tests.reporting.document.embedded import QUERY, Data, items_behind
from tests.reporting.results import make_item, make_result
from tests.reporting.seen import embedded_data
from tests.reporting.shown import report_files
from tests.scoring.judged_sets import SCORES, scores_part

LINK = re.compile(r'<a href="(#[^"]*=[^"]*)">(.*?)</a>')
TABLE = re.compile(r"<table><thead>(.*?)</table>", re.DOTALL)
COUNT = re.compile(r"[\d,]+")
CASES = {
    "published_table": "resume-agent",
    "hostile_text": "resume-agent",
    "ten_rounds": "resume-agent",
    "one_round": "resume-agent",
    "h_full": "h-recruit",
    "h_accuracy": "h-recruit",
    "judged": "rubrics-score",
}


def page_of(result: SetResult, set_name: str = "a") -> str:
    return report_files(result, set_name)["report.html"]


@cache
def _page(case: str) -> str:
    if case == "judged":
        rows = [
            {"id": f"Q{n % 7}", "round": f"{n // 7 + 1}/1", "질의": "언제?", "응답": "답" * n, "등급": str(n % 5 + 1)}
            for n in range(14)
        ]
        part = scores_part(rows)
        return page_of(merge([("scores.csv", part)], SCORES))
    rubric = next(rubric for rubric in shipped_rubrics() if rubric.profile == CASES[case])
    (path,) = (path for path in (ROOT / "tests/cases" / case).iterdir() if path.suffix in {".csv", ".xlsx"})
    with path.open("rb") as stream:
        return page_of(merge([(path.name, score_file(stream, name=path.name, rubric=rubric))], rubric))


def _links(page: str) -> list[tuple[str, str]]:
    return [(href.replace("&amp;", "&"), text) for href, text in LINK.findall(page)]


@pytest.mark.parametrize("case", CASES)
def test_figures_lead_to_as_many_items_as_they_count(case: str) -> None:
    page = _page(case)
    data: Data = json.loads(embedded_data(page))
    counted = [(href, text) for href, text in _links(page) if COUNT.fullmatch(text)]
    assert len(counted) >= 5
    wrong = []
    for href, text in counted:
        found = items_behind(data, href)
        rounds = Counter(item[QUERY] for item in found)
        numbers = {len(found), len(rounds), sum(comb(n, 2) for n in rounds.values())}  # items, queries or pairs
        # Some pairs of rounds of a query differ, some do not.
        is_of_pairs = case == "ten_rounds" and "finding=unequal" in href
        if int(text.replace(",", "")) not in numbers and not is_of_pairs:
            wrong.append((href, text, numbers))
    assert wrong == []


@pytest.mark.parametrize("case", CASES)
def test_every_link_to_items_names_what_the_page_knows_and_leads_to_some(case: str) -> None:
    page = _page(case)
    data: Data = json.loads(embedded_data(page))
    assert [href for href, _ in _links(page) if not items_behind(data, href)] == []


@pytest.mark.parametrize("case", CASES)
def test_every_query_id_in_a_table_opens_its_query(case: str) -> None:
    page = _page(case)
    tables = [table for table in TABLE.findall(page) if ">Query ID<" in table]
    cells = [
        row.split("</td>")[[title.strip() for title in re.findall(r"<th[^>]*>(.*?)</th>", table)].index("Query ID")]
        for table in tables
        for row in table.split("<tr>")[2:]
    ]
    assert [cell for cell in cells if 'href="#query=' not in cell and re.sub("<.*?>", "", cell).strip()] == []


def test_hostile_names_are_quoted_in_links() -> None:
    hostile = '</a>"><img src=x> &query=Q#%\u202e+'
    result = make_result(
        make_item(2, query_id=hostile, category=hostile, status=Status.ERROR, why="error", error="x"),
        make_item(3, query_id=hostile, category=hostile, round="2/1"),
        make_item(4, category="b"),
    )
    page = page_of(result)
    data: Data = json.loads(embedded_data(page))
    links = [href for href, _ in _links(page) if href.startswith("#query=%3C")]
    assert links
    assert {len(items_behind(data, href)) for href in links} == {2}
    assert not re.search(r'href="[^"]*[<>\s]', page)


def test_findings_lead_to_the_items_of_their_rows_and_rows_that_do_not_count_to_their_query() -> None:
    places = [Problem(code="rows-equal", row=3, values={"query": "Q-2", "kept": "2"})] * 3
    seconds = [Problem(code="seconds-missing", row=row, column="Raw JSON") for row in (2, 4, 99)]
    page = page_of(make_result(make_item(2), make_item(4), findings=group_problems([*places, *seconds])))
    quality = page[page.index('id="quality"') : page.index('id="items"')]
    assert quality.count('href="#query=Q-2"') == 3
    assert 'href="#at=2"' in quality
    assert 'href="#at=4"' in quality
    assert 'href="#at=99"' not in quality
    assert quality.count('href="#finding=') == 1
    data: Data = json.loads(embedded_data(page))
    assert len(items_behind(data, "#finding=seconds-missing")) == 2


def test_the_mark_of_a_set_is_that_of_its_name_alone() -> None:
    marks = {json.loads(embedded_data(page_of(make_result(), name)))["mark"] for name in ("a", "a/b")}
    assert len(marks) == 2
    again = make_result(make_item(2), make_item(3))
    assert json.loads(embedded_data(page_of(again, "a")))["mark"] in marks


def test_pages_above_are_found_from_any_depth() -> None:
    assert 'href="../index.html"' in page_of(make_result(), "a")
    nested = page_of(make_result(), "a/b/c")
    assert 'href="../../../index.html"' in nested
    assert 'href="../../../trend-resume-agent.html"' in nested
    assert 'href="compare.html"' in nested
