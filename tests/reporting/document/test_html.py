"""report.html: the figures of report.md, a policy that lets nothing out, inert data, a size that holds."""

import base64
import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reporting.data import embed_items, items_in_html, script_json
from scoring.results import SetResult, find_insights
from tests.golden import assert_golden
from tests.inner import BUDGET_BYTES, clean_lines
from tests.reporting.document.embedded import ERROR, MESSAGE, QUESTION, RESPONSE, points
from tests.reporting.document.reports import scored
from tests.reporting.results import make_item, make_result
from tests.reporting.seen import Seen, pages_as_text, plain
from tests.reporting.shown import report_files
from texts import texts

RENDERER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _pages(result: SetResult, set_name: str = "resume_agent", language: str = "ko") -> dict[str, str]:
    return report_files(result, set_name, language)


@pytest.mark.usefixtures("items_in")
@pytest.mark.parametrize("case", ["published_table", "hostile_text"])
def test_pages_are_as_accepted(case: str) -> None:
    pages = _pages(scored(case))
    del pages["report.md"]
    assert_golden(f"{case}_html", pages_as_text(pages))


@pytest.mark.parametrize("case", ["published_table", "hostile_text", "ten_rounds", "one_round", "raw_json_faults"])
def test_html_has_every_figure_of_the_markdown(case: str) -> None:
    pages = _pages(scored(case))
    of_markdown, of_html = Seen(RENDERER.render(pages["report.md"])), Seen(pages["report.html"])
    assert len(of_markdown.tables) > 8
    inputs = next(table for table in of_markdown.tables if table[0][0] == "파일")
    of_markdown.tables.remove(inputs)
    of_rows = len(next(table[0] for table in of_html.tables if table[0][0] == "파일"))
    halves = [
        [row[:of_rows] for row in inputs],
        [(row[0], *row[of_rows:]) for row in inputs],
    ]  # what became of rows, how read
    patterns = [table for table in of_html.tables if table[0][3:5] == ("오류 내용", "잃은 점수")]
    of_html.tables += [
        [(*row[:4], *row[5:]) for row in table] for table in patterns
    ]  # report.md has no points lost there
    for table in [*of_markdown.tables, *halves]:
        assert table in of_html.tables
    shown = "".join("".join(of_html.text).split())  # a line may hold links
    lines = [plain(line) for line in "".join(of_markdown.text).splitlines()]
    figures = [line for line in lines if re.search(r"\d", line) and not re.match(r"\[[ x]\]|\d[).]", line)]
    own = ("회차 (", "report.", "items.csv", "⚠")  # HTML has a banner for it
    missing = [line for line in figures if "".join(line.split()) not in shown and not any(mark in line for mark in own)]
    assert missing == []


def test_no_figure_leads_a_damaged_report() -> None:
    pages = _pages(scored("raw_json_faults"))
    assert "⚠" in pages["report.md"]
    (lead,) = [line for line in pages["report.md"].splitlines() if "응답에 성공했습니다" in line]
    assert not lead.startswith("> **")
    figures = pages["report.html"].partition('<section id="figures"')[2].partition("</section>")[0]
    assert 'class="lead"' not in figures
    tiles = figures.partition('<ul class="tiles">')[2].partition("</ul>")[0]
    assert "<s " in tiles
    assert "<small></small>" in tiles
    assert "~" not in tiles


def test_nothing_can_leave_the_page() -> None:
    page = _pages(scored("hostile_text"))["report.html"]
    seen = Seen(page)
    (policy,) = [attrs["content"] for tag, attrs in seen.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "img-src", "base-uri", "form-action"}
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for name, content in (("style-src", style), ("script-src", script)):
        assert rules[name] == f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
    for tag, attrs in seen.tags:
        assert tag not in {"img", "iframe", "object", "embed", "base"}
        assert not [name for name in attrs if name.startswith("on") or name in {"src", "style", "srcset", "action"}]
        target = attrs.get("href") or ("#main" if "data-kept" in attrs else "")
        fragment = r"#(?:[\w-]+|[\w-]+=[\w%./~-]+(?:&[\w-]+=[\w%./~-]+)*)"
        assert re.fullmatch(rf"{fragment}|data:,|[\w%./-]+\.(?:html|md|csv|json)", target) or tag not in {"a", "link"}
    assert "//" not in "".join(re.findall(r"url\(.*?\)|@import.*", style))


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_data_stay_the_same_and_never_end_their_element(value: object) -> None:
    try:
        data = script_json(value)
    except UnicodeEncodeError:  # a lone surrogate: `clean_lines` takes those out
        return
    assert not set("<>&\u2028\u2029") & set(data)
    assert json.loads(data) == value


@given(st.text())
def test_cleaned_texts_have_nothing_that_steers(text: str) -> None:
    cleaned = clean_lines(text, 4096)
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", cleaned
    )
    assert clean_lines(cleaned, 4096) == cleaned


def test_hostile_items_stay_text() -> None:
    hostile = "</script><script>alert(1)</script><!--\u2028\u202e"
    result = make_result(make_item(question=hostile, response=hostile, query_id=hostile, category=hostile))
    page = _pages(result, set_name=hostile)["report.html"]
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "alert(1)</script>" not in page
    assert not set("\u2028\u202e") & set(page)


def test_the_script_of_the_report_is_small() -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", _pages(make_result())["report.html"], re.DOTALL)
    assert len(script.encode()) <= 45_000


def _large(number: int, size: int) -> SetResult:
    items = [
        make_item(row, query_id=f"Q-{row % 177}", round=f"{row // 177 + 1}/1", response=f"{row}" + "가" * size,
                  message=f"{row}" + "나" * size, question=f"{row}" + "<" * size, intent=float(row % 6))
        for row in range(2, number + 2)
    ]  # fmt: skip
    return make_result(*items)


def test_a_usual_set_with_the_longest_texts_is_small_enough() -> None:
    page = _pages(_large(354, 1365))["report.html"]  # 1365 Hangul are the 4 KB of a cell
    assert len(page.encode()) <= 1_500_000


def test_the_items_that_lost_most_are_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_in_html, "MAX_ITEMS", 5_000)
    result = _large(5_100, 10)
    found = embed_items(result, find_insights(result), texts())
    assert (found.shown, found.total) == (5_000, 5_100)
    data = json.loads(found.json)
    worst = sum(item.intent == 0 for item in result.items)
    assert sum(points(data, row)["intent"] == 0 for row in data["items"]) == worst
    page = _pages(result)["report.html"]
    assert "전체 5,100문항 가운데 점수를 가장 많이 잃은 5,000문항만" in page
    assert 'id="cut"' in page
    assert len(found.json) < BUDGET_BYTES + 1_000 * 5_000


def test_items_that_lost_least_have_the_start_of_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_in_html, "READ_ITEMS", 200)
    result = _large(600, 300)
    data = json.loads(embed_items(result, find_insights(result), texts()).json)
    assert len(data["items"]) == 600
    lengths: dict[bool, set[int]] = {True: set(), False: set()}
    for row in data["items"]:
        lengths[points(data, row)["intent"] == 0].add(len(data["strings"][row[RESPONSE]]))
    assert min(lengths[True]) > 300  # 100 of 600 lost all
    assert min(lengths[False]) == 60
    read = [row for row in data["items"] if len(data["strings"][row[RESPONSE]]) > 60]
    assert len(read) == 200


def test_payloads_give_way_to_answers() -> None:
    few = make_result(make_item(2, payload='{"a": "\u202e<b>"}'), make_item(3))
    data = json.loads(embed_items(few, find_insights(few), texts()).json)
    assert data["payloads"] == ['{"a": "<b>"}']
    assert [row[-1] for row in data["items"]] == [0, -1]
    monster = make_result(make_item(2, payload="x" * BUDGET_BYTES, response="답" * 3_000))
    data = json.loads(embed_items(monster, find_insights(monster), texts()).json)
    assert data["payloads"] == []
    assert "답" * 3_000 in data["strings"]


def test_every_item_of_a_small_set_is_embedded_and_nothing_is_said() -> None:
    result = make_result(make_item(2), make_item(3))
    assert 'id="cut"' not in _pages(result)["report.html"]
    data = json.loads(embed_items(result, find_insights(result), texts()).json)
    assert [data["queries"][row[0]] for row in data["items"]] == ["Q-2", "Q-3"]
    assert data["items"][0][MESSAGE] == -1  # the message repeats the response


def test_texts_that_look_alike_are_one_string() -> None:
    result = make_result(
        make_item(2, question="질문\n", message="다른 답"), make_item(3, question="질문", error="오\u200e류\n오류")
    )
    data = json.loads(embed_items(result, find_insights(result), texts()).json)
    assert len(set(data["strings"])) == len(data["strings"])
    first, second = data["items"]
    assert first[QUESTION] == second[QUESTION]
    places = (QUESTION, MESSAGE, ERROR)
    shown = [data["strings"][row[at]] if row[at] >= 0 else None for row in (first, second) for at in places]
    assert shown == ["질문", "다른 답", "", "질문", None, "오류\n오류"]


def test_a_report_asks_what_a_reader_asks_and_ends_with_what_made_it() -> None:
    page = _pages(scored("published_table"))["report.html"]
    order = ["figures", "failures", "places", "speed", "repeatability", "rules", "checklist", "quality", "items"]
    assert re.findall(r'<section id="([a-z]+)"', page) == [*order, "about"]
    pages, sections = (re.findall(r'href="([^"]+)"', nav) for nav in re.findall(r"(?s)<nav.*?</nav>", page))
    assert pages[:2] == ["summary.html", "compare.html"]  # both are there as soon as the report is
    assert sections == [f"#{name}" for name in (*order, "about")]
    about = page.partition('<section id="about"')[2]
    assert "SHA-256" not in page.partition('<section id="about"')[0]
    assert about.index("응답 성공: ") < about.index("UTF-8") < about.index("산출 엔진")


@pytest.mark.parametrize("case", ["published_table", "ten_rounds", "one_round"])
def test_the_first_screen_says_each_thing_once(case: str) -> None:
    page = _pages(scored(case))["report.html"]
    first = page.partition('<section id="figures"')[2].partition("</section>")[0]
    tiles = re.findall(r'<li><abbr title="([^"]+)">([^<]+)</abbr><b>([^<]+)</b>', first)
    assert len({name for _, name, _ in tiles}) == len(tiles) > 2
    assert all(meaning.endswith("다.") for meaning, _, _ in tiles)
    assert first.count("우연") <= 1  # a lowest track that cannot be told is named once
    assert "안정성 = 응답 성공률" in first
    links = re.findall(r'<a href="#([^"]+)"', first)
    assert len(links) == len(set(links)) <= 8
