"""The workbench of a report and of a comparison: presets, filters, two answers side by side, keys, Back, copies."""

import csv
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from reporting.runs import StoredReport, publish_comparison, read_run
from reporting.store import Destination
from scoring.comparison import compare_runs
from scoring.rubric import Status
from tests.browser.bench import ROWS, address, choose, copied, found, ids, opened, preset, watch_clipboard
from tests.browser.conftest import Watched, need_browser, until
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, sha_of

need_browser()

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

REPORT, COMPARISON = "sample/report.html", "sample/compare.html"


def _items(out: Path, name: str = "sample") -> list[dict[str, str]]:
    with (out / name / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _mixed(items: list[dict[str, str]]) -> set[str]:
    passed: dict[str, set[str]] = {}
    for item in items:
        passed.setdefault(item["query_id"], set()).add(item["passed"])
    return {query for query, outcomes in passed.items() if len(outcomes) > 1}


class _Cells(HTMLParser):
    """The rows of a table, a line break of a cell as one."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
        elif tag == "br":
            self.rows[-1][-1] += "\n"

    def handle_data(self, data: str) -> None:
        self.rows[-1][-1] += data


def test_presets_count_the_questions_that_they_show(watched: Watched) -> None:
    page = watched.visit(REPORT)
    items = _items(watched.out)
    failed = {item["query_id"] for item in items if item["passed"] == "false"}
    assert preset(page, "fails") == found(page).questions == len(failed) > 0
    assert set(ids(page)) == failed
    assert found(page).items == sum(item["passed"] == "false" for item in items)
    assert preset(page, "mixed") == found(page).questions == len(_mixed(items)) > 0
    assert set(ids(page)) == _mixed(items)
    assert preset(page, "slow") == found(page).questions > 0
    assert preset(page, "person") == found(page).questions
    page.locator("#presets [data-preset=person]").click()  # once more takes it back
    assert found(page) == (len(set(ids(page))), found(page).total, len(items))


def test_a_further_column_is_a_filter_whose_foot_says_means_with_and_without_it(watched: Watched) -> None:
    column, value = "Logic 사유", "기대 UI 없음: 복합/최적화"
    page = watched.visit(REPORT, f"{quote(f'slice.{column}')}={quote(value)}")
    items = _items(watched.out)
    failed = [item for item in items if item[column] == value]
    assert found(page).items == len(failed) > 0

    def mean(of: list[dict[str, str]]) -> str:
        points = [float(item["intent"]) for item in of if item["intent"]]
        return f"{sum(points) / len(points):.2f}"

    lines = page.locator("#sums li").all_inner_texts()
    rest = [item for item in items if item[column] != value]
    assert lines[0].startswith(f"의도 충족 {mean(failed)} · 잃은 점수 ")
    assert lines[0].endswith(f" · 전체 {mean(items)}, 이 문항을 빼면 {mean(rest)}")
    page.locator("#chips button").click()
    assert found(page).items == len(items)
    assert page.locator("#sums").is_hidden()


def test_a_comparison_begins_with_what_newly_fails(watched: Watched) -> None:
    page = watched.visit(COMPARISON)
    data = json.loads((watched.out / "sample/compare.json").read_bytes())
    lists = {
        name: {query["query_id"] for query in data[name]} for name in ("now_fails", "now_passes", "dropped", "rose")
    }
    assert page.locator("#presets [aria-pressed=true]").get_attribute("data-preset") == "now_fails"
    assert lists["now_fails"]
    for name, queries in lists.items():
        if name != "now_fails":
            preset(page, name)
        assert set(ids(page)) == queries
    row = page.locator(ROWS).first
    preset(page, "now_fails")
    dots = row.locator(".dots").inner_text()
    assert re.fullmatch(r"●+ → [●○–]*○[●○–]*", dots.strip())
    assert (row.locator(".dots").get_attribute("aria-label") or "").startswith("통과한 회차 1/1 → 0/1")
    change, _, of = row.locator(".loss").inner_text().partition(" / ")
    assert -float(of) <= float(change.replace("−", "-")) < 0
    assert "만점" in page.locator("#head-loss").inner_text()


def test_a_comparison_opens_the_round_that_changed_and_counts_each_run(watched: Watched, tmp_path: Path) -> None:
    before = {"Q1": "ok error", "Q2": "error ok", "Q3": "error error"}
    after = {"Q1": "error error", "Q2": "error error", "Q3": "ok error"}
    for name, queries in (("run_260301", before), ("run_260302", after)):
        items = [
            make_item(2 * at + of, query_id=query, round=f"{of + 1}/1", status=Status(status), **_points(status))
            for at, (query, statuses) in enumerate(queries.items())
            for of, status in enumerate(statuses.split())
        ]
        publish_report(make_result(*items), set_name=name, key=name, out=tmp_path)
    runs = [read_run(tmp_path / name) for name in ("run_260301", "run_260302")]
    folder = tmp_path / "run_260302"
    publish_comparison(compare_runs(*runs), folder, Destination(out=tmp_path, language="ko"))
    page = watched.visit(str(folder / "compare.html"))
    preset(page, "dropped")
    assert "질의 2 / 3개, 문항 4 → 4개" in page.locator("#found").inner_text()
    assert "이전 → 이후" in page.locator("#head-loss").inner_text()
    assert [page.locator(f"#presets [data-preset={name}]").inner_text() for name in ("fails", "dropped")] == [
        "실패(이후) 3",
        "점수 내려감 2",
    ]
    labels = page.locator("#quick [role=group]").evaluate_all(
        "all => all.map(one => getComputedStyle(one, '::before').content)"
    )
    assert labels[0] == '"상태(이전이나 이후)"'
    preset(page, "all")
    for query, changed in (("Q1", "1회차 (1/1)"), ("Q2", "2회차 (2/1)"), ("Q3", "1회차 (1/1)")):
        page.locator(f"{ROWS}:has-text('{query}')").click()
        for side, run in (("left", "이전"), ("right", "이후")):
            assert page.locator(f"#side-{side}").inner_text().startswith(("● ", "○ "))
            assert f"{run} · {changed}" in page.locator(f"#side-{side}").inner_text()
        page.locator("#close").click()


def test_a_question_that_only_one_run_assesses_has_no_change_and_is_not_the_largest(
    watched: Watched, tmp_path: Path
) -> None:
    unassessed: dict[str, Any] = dict.fromkeys(("intent", "accuracy", "stability", "latency"))
    for name, points in (("run_260301", {"Q1": unassessed, "Q2": _points("ok")}), ("run_260302", {"Q2": _points("")})):
        items = [make_item(at + 2, query_id=f"Q{at}", **points.get(f"Q{at}", {"intent": 4.0})) for at in range(4)]
        publish_report(make_result(*items), set_name=name, key=name, out=tmp_path)
    runs = [read_run(tmp_path / name) for name in ("run_260301", "run_260302")]
    folder = tmp_path / "run_260302"
    publish_comparison(compare_runs(*runs), folder, Destination(out=tmp_path, language="ko"))
    page = watched.visit(str(folder / "compare.html"), "preset=all")
    losses = dict(zip(ids(page), page.locator(f"{ROWS} .loss").all_inner_texts(), strict=True))
    assert next(iter(losses)) == "Q2"
    assert [losses["Q0"], losses["Q1"]] == ["0 / 15", "–"]


def _points(status: str) -> dict[str, float]:
    return dict.fromkeys(("intent", "accuracy", "stability"), 5.0 if status == "ok" else 0.0)


def test_filters_leave_the_items_that_fit_and_are_taken_back_one_by_one(watched: Watched) -> None:
    page = watched.visit(REPORT)
    items = _items(watched.out)
    assert page.locator("#f-round").is_hidden()
    page.locator("#more summary").click()
    choose(page, "오류")
    assert found(page).items == sum(item["status"] == "error" for item in items) > 0
    page.locator("#f-round").select_option(label="2회차 (2/1)")
    choose(page, "Track 3")
    wanted = [i for i in items if (i["status"], i["round"], i["track"]) == ("error", "2/1", "3")]
    assert found(page).items == len(wanted) > 0
    assert page.locator("#head-loss").inner_text() == "잃은 점수 / 만점(걸러진 문항만)"
    chips = page.locator("#chips button")
    assert chips.all_inner_texts() == ["회차: 2회차 (2/1) ✕"]
    assert page.locator("#quick [aria-pressed=true]").all_inner_texts() == ["오류", "Track 3"]
    chips.first.click()
    assert found(page).items == sum((i["status"], i["track"]) == ("error", "3") for i in items)
    for name in ("오류", "Track 3"):
        choose(page, name)  # once more takes it back
    assert found(page).items == len(items)
    page.locator("#f-metric").select_option(label="응답 속도")
    page.locator("#f-below").fill("2")
    assert found(page).items == sum(float(item["latency"]) < 2 for item in items) > 0


def test_search_finds_question_and_answer_in_any_case_and_form_and_says_so_where_nothing_fits(watched: Watched) -> None:
    page = watched.visit(REPORT)
    search = page.locator("#f-text")
    search.fill("timeouterror")
    assert found(page).items == sum("timeouterror" in item["error"].lower() for item in _items(watched.out)) > 0
    search.fill(unicodedata.normalize("NFD", "면접관 부담"))
    assert found(page).items > 0
    assert page.locator("#none").is_hidden()
    search.fill("이런 말은 없다 q9z")
    assert found(page).items == 0
    assert "조건에 맞는 질의가 없습니다." in page.locator("#none").inner_text()
    page.locator("#clear").click()
    assert found(page).questions == found(page).total


@pytest.mark.parametrize("sort", ["lost", "seconds", "question", "query", "latency"])
def test_questions_are_ordered_both_ways(watched: Watched, sort: str) -> None:
    page = watched.visit(REPORT)
    page.locator("#f-sort").select_option(f"-{sort}")
    falling = ids(page)
    page.locator("#f-sort").select_option(sort)
    rising = ids(page)
    assert falling != rising
    assert sorted(falling) == sorted(rising)
    if sort == "query":
        assert rising == sorted(rising)
    if sort == "lost":
        lost = [float(text.partition(" / ")[0]) for text in page.locator(f"{ROWS} .loss").all_inner_texts()]
        assert lost == sorted(lost)


def test_the_pane_shows_two_answers_with_their_grades_and_rules(watched: Watched) -> None:
    page = watched.visit(REPORT)
    page.locator("#f-text").fill("Q-00056")
    page.locator(ROWS).first.click()
    wanted = [item for item in _items(watched.out) if item["query_id"] == "Q-00056"]
    sides = page.locator("#pane-body .sides > section")
    assert sides.count() == len(wanted) == 2
    text = page.locator("#pane-body").inner_text()
    assert wanted[0]["question"] in page.locator("#pane-title").inner_text()
    assert wanted[0]["expected"] in text
    assert "오류\n‘오류’ 칸에 내용이 있음" in text
    assert "복수 도구: 60초 초과 → 0.00점" in text
    assert f"a.csv {wanted[0]['row']}행" in text
    assert "긴 글은 잘라서" not in text  # there is none
    boxes = [sides.nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    first = page.locator("#pane-body .sides .marks").evaluate_all(
        "marks => marks.map(one => one.getBoundingClientRect().y)"
    )
    assert len(first) == 2
    assert first[0] == first[1]
    assert page.locator("#choose-left").is_disabled()  # there is one other answer alone
    assert page.locator("#choose-right option").count() == 2


def _open(watched: Watched, tmp_path: Path, *texts: str) -> None:
    """The pane of a query with an answer a round."""
    items = [make_item(at + 2, query_id="Q", round=f"{at + 1}/1", response=text) for at, text in enumerate(texts)]
    publish_report(make_result(*items), set_name="s", key="k", out=tmp_path)
    watched.visit(str(tmp_path / "s/report.html"))
    watched.page.locator(ROWS).first.click()


def test_what_is_new_in_an_answer_is_marked_and_any_two_rounds_can_be_chosen(watched: Watched, tmp_path: Path) -> None:
    first, second = "지원자는 모두 12명, 합격은 3명입니다.", "지원자는 모두 15명, 합격은 3명입니다."
    _open(watched, tmp_path, first, second, "없습니다.")
    page = watched.page
    marked = page.locator("#pane-body ins"), page.locator("#pane-body del")
    page.locator("#choose-right").select_option(label="2회차 (2/1) ●")
    page.locator("#choose-left").select_option(label="1회차 (1/1) ●")
    assert [one.all_inner_texts() for one in marked] == [["15명"], ["12명"]]
    assert page.locator(".chosen .tag").inner_text() == "고른 답"
    assert page.evaluate("document.activeElement.id") == "choose-left"
    page.locator("#choose-left").select_option(label="3회차 (3/1) ●")
    assert [one.count() for one in marked] == [0, 0]  # they have nothing in common
    colours = "[...document.querySelectorAll('.answer ins, .pane')].map(one => getComputedStyle(one).color)"
    page.locator("#choose-left").select_option(label="1회차 (1/1) ●")
    assert len(set(page.evaluate(colours))) == 1  # neither good nor bad


def test_that_a_text_was_cut_is_said_where_one_was(watched: Watched, tmp_path: Path) -> None:
    said = "긴 글은 잘라서"
    _open(watched, tmp_path, "가" * 5000, "나", "다")
    page = watched.page
    shown = [page.locator("#choose-left option:checked"), page.locator("#choose-right option:checked")]
    assert any("1회차" in one.inner_text() for one in shown)
    assert said in page.locator("#pane-body").inner_text()
    page.locator("#choose-right").select_option(label="3회차 (3/1) ●")
    page.locator("#choose-left").select_option(label="2회차 (2/1) ●")
    assert said not in page.locator("#pane-body").inner_text()


def test_of_equal_answers_the_first_round_is_opened(watched: Watched, tmp_path: Path) -> None:
    _open(watched, tmp_path, "하나", "둘", "셋")
    assert watched.page.locator("#side-right").inner_text().startswith("● 1회차 (1/1)")


def test_a_question_without_points_has_none_to_lose(watched: Watched, tmp_path: Path) -> None:
    unassessed: dict[str, Any] = dict.fromkeys(("intent", "accuracy", "stability", "latency"))
    items = [make_item(2, query_id="Q1", **unassessed), make_item(3, query_id="Q2")]
    publish_report(make_result(*items), set_name="s", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "s/report.html"))
    losses = dict(zip(ids(page), page.locator(f"{ROWS} .loss").all_inner_texts(), strict=True))
    assert losses == {"Q1": "–", "Q2": "0 / 15"}


def test_answers_that_are_graded_anew_are_told_in_list_and_pane(watched: Watched, tmp_path: Path) -> None:
    for name, points in (("run_260301", 5.0), ("run_260302", 2.0)):
        others = {"response": f"{name}에서 다른 답"}
        items = [make_item(2, query_id="Q1", intent=points), make_item(3, query_id="Q2", intent=points, **others)]
        publish_report(make_result(*items, sha256=sha_of(name)), set_name=name, key=name, out=tmp_path)
    runs = [read_run(tmp_path / name) for name in ("run_260301", "run_260302")]
    folder = tmp_path / "run_260302"
    publish_comparison(compare_runs(*runs), folder, Destination(out=tmp_path, language="ko"))
    page = watched.visit(str(folder / "compare.html"), "preset=all")
    assert preset(page, "regraded") == 1
    assert ids(page) == ["Q1"]
    assert "재채점 · Q1" in page.locator(f"{ROWS} small").inner_text()
    page.locator(ROWS).click()
    assert "두 답변의 글이 같습니다." in page.locator("#pane-body").inner_text()
    preset(page, "all")
    page.locator(f"{ROWS}:has-text('Q2')").click()
    assert "재채점" not in page.locator(f"{ROWS}:has-text('Q2')").inner_text()
    assert "두 답변의 글이 같습니다." not in page.locator("#pane-body").inner_text()


@pytest.mark.parametrize("folder", ["", "../en/"])
def test_what_faint_dots_mean_is_said_where_there_are_some(watched: Watched, folder: str) -> None:
    page = watched.visit(folder + REPORT)
    faint, dots = page.locator("#heads .faint"), page.locator(f"{ROWS} .dim")
    assert (faint.is_visible(), dots.count()) == (False, 0)
    preset(page, "mixed")
    page.locator("#quick button").first.click()
    assert dots.count() > 0
    assert faint.is_visible()


def test_keys_move_among_questions_and_open_and_close_the_pane(watched: Watched) -> None:
    page = watched.visit(REPORT)
    focused = "document.activeElement.dataset.query"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "f-text"
    page.keyboard.type("/")
    assert page.locator("#f-text").input_value() == "/"  # in a field it is a letter
    page.locator("#f-text").fill("")
    page.keyboard.press("ArrowDown")
    rows = ids(page)
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert opened(page) == rows[1]
    page.keyboard.press("ArrowDown")  # the pane goes along
    assert opened(page) == rows[2]
    assert page.locator(f"{ROWS}[aria-current]").get_attribute("data-query") == page.evaluate(focused)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "pane-title"
    page.keyboard.press("ArrowRight")
    assert opened(page) == rows[3]
    page.keyboard.press("ArrowLeft")
    assert opened(page) == rows[2]
    page.keyboard.press("Escape")
    page.locator("#pane").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.closest('#rows') !== null")
    assert ids(page)[page.locator(ROWS).evaluate_all("rows => rows.indexOf(document.activeElement)")] == rows[2]


def test_arrows_turn_the_pages_of_the_list(watched: Watched, tmp_path: Path) -> None:
    items = [make_item(row, query_id=f"Q-{row:03}") for row in range(2, 252)]
    publish_report(make_result(*items), set_name="s", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "s/report.html"))
    page.locator(ROWS).last.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#page").inner_text().startswith("101–200")
    page.keyboard.press("ArrowUp")
    assert page.locator("#page").inner_text().startswith("1–100")
    page.locator("#next").click()
    page.locator(ROWS).first.click()
    page.locator("#previous").click()  # to the last of the page before
    assert opened(page) == "Q-101"
    assert page.locator("#page").inner_text().startswith("1–100")


@pytest.mark.parametrize("name", [REPORT, COMPARISON])
def test_back_closes_the_pane_and_keeps_the_filters(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    before = page.locator("#found").inner_text()
    page.locator("#f-text").fill("지원자")
    filtered = page.locator("#found").inner_text()
    address(page, "text=")
    page.locator(ROWS).nth(1).click()
    address(page, "query=")
    page.locator("#following").click()
    page.go_back()
    page.locator("#pane").wait_for(state="hidden")
    assert page.locator("#found").inner_text() == filtered
    page.locator(ROWS).nth(1).click()
    address(page, "query=")
    page.locator("#close").click()
    until(page, "!location.hash.includes('query=')")
    assert page.locator("#found").inner_text() == filtered
    page.locator("#f-text").fill("")
    assert page.locator("#found").inner_text() == before


@pytest.mark.parametrize("name", [REPORT, COMPARISON])
def test_a_link_to_an_answer_opens_that_answer(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    watch_clipboard(page)
    page.locator(ROWS).nth(2).click()
    page.locator("#choose-right").select_option(index=1) if page.locator("#choose-right").count() else None
    title, answer = (page.locator(place).inner_text() for place in ("#side-right", ".sides > .chosen"))
    page.locator("#copy-item").click()
    page = watched.reopen(copied(page)["text/plain"])
    page.locator("#pane").wait_for(state="visible")
    assert page.locator("#side-right").inner_text() == title
    assert page.locator(".sides > .chosen").inner_text() == answer


def test_an_address_shows_its_query_in_the_list_where_the_first_preset_leaves_it_out(watched: Watched) -> None:
    page = watched.visit(COMPARISON)
    first = set(ids(page))
    preset(page, "all")
    other = next(query for query in ids(page) if query not in first)
    for more in ("", "&colour=red", "&status=ok"):
        page = watched.visit(COMPARISON, f"query={other}{more}")
        assert opened(page) == other
        assert page.locator("#presets [aria-pressed=true]").get_attribute("data-preset") == "all"
        assert other in page.locator(f"{ROWS}[aria-current]").inner_text()
    inside = min(first)
    page = watched.visit(COMPARISON, f"query={inside}")
    assert opened(page) == inside
    assert page.locator("#presets [aria-pressed=true]").get_attribute("data-preset") == "now_fails"
    page = watched.visit(COMPARISON, f"preset=now_fails&query={other}")  # as it was asked for
    assert opened(page) == other
    assert set(ids(page)) == first


def test_an_answer_of_a_comparison_leads_to_both_reports(watched: Watched) -> None:
    page = watched.visit(COMPARISON)
    watched.visited.append((watched.out / REPORT).resolve().as_uri())
    page.locator(ROWS).first.click()
    query = opened(page)
    assert page.locator(".sides a").count() == 2
    page.locator(".sides > .chosen a").click()
    page.wait_for_url(f"**/{REPORT}**")
    assert opened(page) == query
    assert page.locator("#side-right").inner_text().startswith("○ 2회차")


def test_all_errors_of_a_track_are_three_clicks_from_a_spreadsheet(watched: Watched) -> None:
    page = watched.visit(REPORT)
    watch_clipboard(page)
    choose(page, "오류")
    choose(page, "Track 3")
    page.locator("#copy-rows").click()
    kinds = copied(page)
    rows = list(csv.reader(io.StringIO(kinds["text/plain"], newline=""), delimiter="\t"))
    wanted = [item for item in _items(watched.out) if (item["status"], item["track"]) == ("error", "3")]
    assert len(rows) - 1 == found(page).items == len(wanted) > 0
    assert len({len(row) for row in rows}) == 1
    cells = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert {cell["오류"] for cell in cells} == {item["error"] for item in wanted}
    assert {cell["Query ID"] for cell in cells} == {item["query_id"] for item in wanted}
    assert {(cell["Track"], cell["상태"]) for cell in cells} == {("Track 3", "오류")}
    assert _Cells(kinds["text/html"]).rows == rows
    assert "복사했습니다" in page.locator("#copied").inner_text()
    choose(page, "Track 3")
    assert page.locator("#copied").inner_text() == ""  # of another list


@pytest.mark.parametrize("start", ["index.html", REPORT])
def test_all_errors_of_a_track_are_three_clicks_from_the_board_and_two_from_a_report(
    watched: Watched, start: str
) -> None:
    """By the numbers that say how many there are: of a cause on the front page, in the first lines of a report."""
    page = watched.visit(start)
    watched.visited += [(watched.out / name).resolve().as_uri() for name in (REPORT, "sample/summary.html")]
    wanted = [item for item in _items(watched.out) if (item["status"], item["track"]) == ("error", "3")]
    if start == REPORT:
        name = f"오류 {len(wanted)}"
    else:
        page.get_by_role("link", name="sample", exact=True).click()
        page.wait_for_url("**/sample/summary.html")
        name = f"Track 3: {len(wanted)}"
    page.locator("a[href$='#track=3&status=error']").get_by_text(name, exact=True).first.click()
    page.wait_for_url(f"**/{REPORT}**")
    until(page, "!document.getElementById('bench').hidden")
    watch_clipboard(page)
    page.locator("#copy-rows").click()
    rows = list(csv.reader(io.StringIO(copied(page)["text/plain"], newline=""), delimiter="\t"))
    assert len(rows) - 1 == len(wanted) > 0
    place = page.locator("#copy-rows").bounding_box()
    assert place is not None
    assert 0 < place["y"] < 1000  # without scrolling


def test_what_was_lost_is_told_of_what_could_be_had_and_copies_count_once(watched: Watched) -> None:
    page = watched.visit(REPORT)
    assert page.locator("#heads").inner_text().split("\n")[-1] == "잃은 점수 / 만점"
    preset(page, "fails")
    items: dict[str, list[dict[str, str]]] = {}
    for item in _items(watched.out):
        if item["passed"] == "false":
            items.setdefault(item["query_id"], []).append(item)
    names = ("intent", "stability", "latency")  # accuracy is a copy of intent
    shown = dict(zip(ids(page), page.locator(f"{ROWS} .loss").all_inner_texts(), strict=True))
    assert len(shown) > 1
    for query, text in shown.items():
        lost = sum(5 - float(item[name]) for item in items[query] for name in names)
        assert text == f"{lost:g} / {15 * len(items[query])}"


def test_a_link_into_a_disk_is_said_to_open_here_alone(watched: Watched) -> None:
    page = watched.visit(REPORT)
    watch_clipboard(page)
    page.locator(ROWS).first.click()
    page.locator("#copy-item").click()
    until(page, "document.getElementById('noted').textContent !== ''")
    assert copied(page)["text/plain"].startswith("file:")
    assert "다른 사람은 열 수 없습니다" in page.locator("#noted").inner_text()


def test_a_cell_stays_a_cell_and_no_cell_is_a_formula(watched: Watched, tmp_path: Path) -> None:
    texts = (
        '"quoted"\tand\r\nlines',
        "=1+1",
        "  @SUM(A1)",
        "＝1",
        "-2+3",
        "<b>&amp;</b>\n=2",
        "'",
        "\u202eabc",
        "x" * 100_000,
    )
    items = [make_item(at + 2, query_id=f"Q{at}", response=text, question=text) for at, text in enumerate(texts)]
    publish_report(make_result(*items), set_name="s", key="k", out=tmp_path)
    page = watched.visit(str(tmp_path / "s/report.html"))
    watch_clipboard(page)
    page.locator("#copy-rows").click()
    kinds = copied(page)
    rows = list(csv.reader(io.StringIO(kinds["text/plain"], newline=""), delimiter="\t"))
    assert len(rows) == len(texts) + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [cell for row in rows for cell in row if re.match(r"\s*[=+@＝＋－＠]|\s*-[^\d—]", cell)] == []
    answers = [row[rows[0].index("응답")] for row in rows[1:]]
    assert '"quoted" and\nlines' in answers
    assert {"'=1+1", "'@SUM(A1)", "'＝1", "'-2+3", "<b>&amp;</b>\n=2"} <= {
        answer.replace("'  ", "'") for answer in answers
    }
    assert _Cells(kinds["text/html"]).rows == rows
    assert kinds["text/html"].count("mso-number-format") > len(texts)


def test_without_the_new_way_to_copy_the_older_one_is_used(watched: Watched) -> None:
    page = watched.visit(REPORT, "status=error")
    page.evaluate(
        """Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = (name) => { window.held = document.activeElement.value; return name === "copy"; };"""
    )
    page.locator("#copy-list").click()
    until(page, "window.held")
    assert "status=error" in page.evaluate("held")
    assert page.locator("textarea").count() == 0


def test_a_review_note_is_one_line_with_reason_and_link(watched: Watched) -> None:
    page = watched.visit(REPORT, "query=Q-00056&of=1/1")
    watch_clipboard(page)
    page.locator("#copy-note").click()
    note = copied(page)["text/plain"]
    assert "\n" not in note
    query, round_name, reason, place, link = note.split(" | ")
    assert (query, round_name) == ("Q-00056", "1회차 (1/1)")
    assert reason.startswith("오류: ‘오류’ 칸에 내용이 있음; ")
    assert "응답 속도 0.00" in reason
    assert "a.csv" in place
    page = watched.reopen(link)
    assert opened(page) == "Q-00056"
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


@pytest.mark.parametrize("name", [REPORT, COMPARISON])
def test_on_a_phone_the_pane_is_where_the_list_was_and_nothing_covers_a_button(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.getElementById('bench').scrollIntoView()")
    asked = page.locator(f"{ROWS} .ask").first
    assert not asked.inner_text().startswith("Q-")
    widths = page.locator(f"{ROWS} > *").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    assert all(0 <= left <= right <= 390 for left, right in widths)
    page.locator(ROWS).first.click()
    assert page.locator("#rows").is_hidden()
    assert page.evaluate("document.activeElement.id") == "pane-title"
    covered = """boxes => boxes.filter(one => one.checkVisibility() && !one.disabled).filter(one => {
      one.scrollIntoView({ block: "nearest" });
      one.focus();
      const box = one.getBoundingClientRect();
      const above = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return !one.contains(above);
    }).map(one => one.outerHTML)"""
    assert page.locator("#pane button, #pane select, #pane summary, #pane a").evaluate_all(covered) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#close").click()
    page.locator("#rows").wait_for(state="visible")
    assert page.locator("#filters button, #filters input, #filters select, #copy-rows").evaluate_all(covered) == []


@pytest.mark.parametrize("name", [REPORT, COMPARISON, f"../en/{REPORT}", f"../en/{COMPARISON}"])
def test_the_heads_of_the_list_are_lines_beside_the_pane(watched: Watched, name: str) -> None:
    page = watched.visit(name)
    page.locator(ROWS).first.click()
    heads = page.locator("#heads").bounding_box()
    assert heads is not None
    assert heads["height"] < 100  # a column too narrow for them has a letter a line


def test_the_latest_answer_comes_first_on_a_phone(watched: Watched) -> None:
    page = watched.visit(COMPARISON)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(ROWS).first.click()
    places = [page.locator(f"#side-{name}").bounding_box() for name in ("right", "left")]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["y"] < places[1]["y"]


@pytest.mark.parametrize("name", [REPORT, COMPARISON, "sample/changes.html"])
def test_the_answers_are_readable_without_a_script(watched: Watched, name: str) -> None:
    context = watched.page.context.browser
    assert context is not None
    plain = context.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto((watched.out / name).resolve().as_uri())
    assert page.locator("#bench").is_hidden()
    shown = page.locator("article.readable")
    items = _items(watched.out)
    shared = json.loads((watched.out / "sample/compare.json").read_bytes())["shared"]
    assert shown.count() == (shared if name == COMPARISON else len({item["query_id"] for item in items}))
    text = shown.all_inner_texts()
    wanted = next(item for item in items if item["error"])
    article = next(one for one in text if wanted["question"] in one)
    assert wanted["error"][:200] in article
    plain.close()


@pytest.mark.parametrize(
    "where",
    [
        "status=error",
        "track=1",
        "track=3&status=error",
        "preset=fails",
        "preset=mixed&track=3",
        "preset=slow",
        "metric=intent&below=3",
        "metric=latency&from=2&below=5",
        "text=면접",
        "text=서울 지원자&status=ok",
        "finding=unanswered",
        "repeat=sometimes",
    ],
)
def test_a_filter_means_on_the_page_what_it_means_for_a_command_and_for_programs(watched: Watched, where: str) -> None:
    page = watched.visit(REPORT, where)
    until(page, "document.querySelector('#found').innerText !== ''")
    report = StoredReport(watched.out / "sample")
    chosen = report.choose(where)
    items = list(report.items(chosen.is_chosen))
    assert chosen.left_out == 0
    assert 0 < len(items) < report.n
    assert found(page).items == len(items)
    assert set(ids(page)) == {item["query_id"] for item in items}
