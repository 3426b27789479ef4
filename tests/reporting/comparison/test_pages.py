"""The pages and the data of a comparison: in both languages, with hostile texts, and the same bytes again."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from reporting.comparison.data import ComparisonReport, schema
from reporting.comparison.figures import change_text, difference_text, moved_text, p_text, size_text, value_text
from reporting.comparison.queries import MAX_LISTED, item_href
from reporting.runs import comparison_files
from reporting.store import encode_json
from scoring.comparison import Comparison, GroupKind, Judge, compare_runs
from scoring.results import Damage
from scoring.rubric import Bands, LatencyClass, PassRule
from tests.paths import ROOT
from tests.reporting.comparison.runs import (
    HOSTILE,
    hostile_comparison,
    items_of,
    run_of,
    run_of_result,
    sliced_comparison,
    worse_comparison,
)
from tests.reporting.data.test_report_json import violations
from tests.reporting.document.embedded import FIRST, MESSAGE, PASSED, QUERY, RESPONSE, Data, values
from tests.reporting.results import make_result
from tests.reporting.seen import embedded_data
from tests.scoring.comparison.runs import make_basis, make_run, make_values
from texts import texts

MOVED, SPLIT = "Track이나 카테고리가 달라진 질의", "회차에 따라 Track이나 카테고리가 다른 질의"
UPDATE = "`make docs` publishes it"
TARGETS = (
    r"(#|(?:report|summary)\.html|\.\./before/report\.html|compare\.json|(?:\.\./)+(?:index|trend-[\w%-]+)\.html$)"
)
PAGES = ("../before/report.html", "report.html")


def _files(comparison: Comparison, language: str = "ko") -> dict[str, str]:
    return {name: data.decode() for name, data in comparison_files(comparison, language=language, pages=PAGES).items()}


def _data(files: dict[str, str]) -> Data:
    found: Data = json.loads(embedded_data(files["compare.html"]))
    return found


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def _tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(html)
    return parser.tags


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "ko",
            (
                "나빠졌습니다: 응답 성공률 100.0% → 76.7% (−39.6%p ~ −4.2%p). "
                "의도 충족, 정확성, 안정성은 응답 성공률과 똑같이 달라졌습니다. "
                "공통 질의 30개를 비교했습니다."
            ),
        ),
        (
            "en",
            (
                "Worse: Answer rate 100.0% → 76.7% (−39.6 pp to −4.2 pp). "
                "Intent, Accuracy, Stability changed exactly as Answer rate did. "
                "Compared over 30 shared queries."
            ),
        ),
    ],
)
def test_one_sentence_says_it_all_without_a_p_value(language: str, sentence: str) -> None:
    files = _files(worse_comparison(), language)
    assert sentence in files["compare.html"]
    assert f"**{sentence}**" in files["compare.md"].replace("\\", "")
    assert json.loads(files["compare.json"])["sentence"] == sentence


@pytest.mark.parametrize("language", ["ko", "en"])
def test_pages_have_the_lists_with_links_to_both_reports(language: str) -> None:
    t = texts(language)
    files = _files(worse_comparison(), language)
    data = _data(files)
    assert (data["preset"], data["pages"]) == ("now_fails", list(PAGES))
    failing = [row for row in data["items"] if "now_fails" in values(data, row, "preset")]
    assert Counter(data["queries"][row[QUERY]] for row in failing) == {f"Q-{at:03}": 4 for at in range(7)}
    assert Counter((*values(data, row, "side"), row[PASSED]) for row in failing) == {
        ("before", 1): 14,
        ("after", 0): 14,
    }
    presets = next(facet["names"] for facet in data["facets"] if facet["name"] == "preset")
    of_both = [t(f"preset.{name}") for name in ("now_fails", "now_passes", "dropped", "rose", "regraded")]
    slow = f"{t('preset.slow')} · {'Track 3 60초 이상' if language == 'ko' else 'Track 3: 60 s or more'}"
    of_after = [
        t("preset.of-after", name=name) for name in (t("preset.fails"), t("preset.mixed"), slow, t("preset.person"))
    ]
    assert presets == [*of_both, *of_after]
    assert "[" + t("compare.after") + "](report.html#query=Q-006)" in files["compare.md"]
    assert "2/2 → 0/2" in files["compare.md"]


def test_queries_that_newly_lack_answers_are_listed_and_counted_apart_from_those_compared() -> None:
    basis = make_basis(metrics=("rubrics",), passes=PassRule(metric="rubrics", points=0.5))
    levels = {"Q1": (1.0, None), "Q2": (1.0, 0.0), "Q3": (1.0, 1.0)}
    runs = [
        make_run(
            [
                make_values(query, points={"rubrics": level}, answer=f"{level}", status="ok" if level else "error")
                for query, of in levels.items()
                for level in (of[side],)
            ],
            basis=basis,
            key=f"k{side}",
        )
        for side in (0, 1)
    ]
    files = _files(compare_runs(*runs), "en")
    data, report = _data(files), json.loads(files["compare.json"])
    assert report["sentence"].endswith("Compared over 2 of 3 shared queries (1 without Pass rate in one or both runs).")
    listed = {name: [one["query_id"] for one in report[name]] for name in ("now_fails", "now_unanswered")}
    assert listed == {"now_fails": ["Q2"], "now_unanswered": ["Q1"]}
    shown = {data["queries"][row[QUERY]] for row in data["items"] if "now_unanswered" in values(data, row, "preset")}
    assert shown == {"Q1"}
    assert "Newly unanswered: 1" in files["compare.html"]
    assert "<li>Newly unanswered: The query was answered in every round before" in files["compare.html"]
    assert "### Newly unanswered: 1" in files["compare.md"]
    assert [name for name, text in _files(worse_comparison(), "en").items() if "unanswered" in text] == []


def test_causes_of_the_loss_stand_below_the_verdict_with_those_of_the_run_before() -> None:
    runs = [make_result(*items_of(30, broken=broken, rounds=2, text_hash=f"{broken}")) for broken in (1, 7)]
    before, after = (run_of_result(result, name=f"s{at}", key=f"k{at}") for at, result in enumerate(runs))
    page = _files(compare_runs(before, after), "en")["compare.md"]
    title, lines = page.partition("### Why ")[2].partition("\n\n")[::2]
    # 7 queries in 2 rounds have no answer now, 1 had none before.
    assert title == "14 of 60 items failed (Answer rate 76.7%)"
    assert lines.partition("\n\n")[0] == "- Errors (“Timeout”): 14 items (before: 2)"
    # Of two versions of one run no answer is another one, so that nothing has a cause.
    assert "### Why" not in _files(compare_runs(after, replace(after, key="k2")), "en")["compare.md"]


def test_answers_of_the_queries_that_changed_are_readable_without_a_script() -> None:
    page = _files(worse_comparison())["compare.html"]
    readable = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert readable.count('<article class="readable">') == 30
    first = readable.partition("</article>")[0]
    assert [first.count(side) for side in ("이전 · ", "이후 · ")] == [2, 2]


def test_the_figures_stand_on_one_axis_worst_first_and_what_is_the_same_is_folded() -> None:
    page = _files(worse_comparison())["compare.html"]
    others, _, same = page.partition('<table class="forest">')[2].partition("<details>")
    verdicts = re.findall(r'<td class="verdict-cell [a-z]*">\W*([^<]+)</td>', others)
    assert verdicts == ["나빠짐"] * 4
    assert others.count("<svg") == 4
    assert "달라지지 않은 지표: 일관성, 응답 속도, 응답 시간(초)" in same


def test_seconds_that_grow_manyfold_leave_the_axis_of_the_other_figures_as_it_is() -> None:
    """Of 10 s 90 s and more, which go on beyond their axis, beside a rate that falls from 100 % to 0."""
    before = [make_values(f"Q-{at}", seconds=10.0) for at in range(20)]
    after = [make_values(f"Q-{at}", 0.0, seconds=90.0 + at) for at in range(20)]
    page = _files(compare_runs(make_run(before), make_run(after)))["compare.html"]
    drawn = [
        page.partition(f'<th scope="row">{name}')[2].partition("</tr>")[0] for name in ("응답 성공률", "응답 시간")
    ]
    assert ["100.0% → 0.0%" in drawn[0], "10.0 → 99.5" in drawn[1]] == [True, True]
    assert [row.count('class="k"') for row in drawn] == [0, 1]
    assert [re.findall(r'<rect x="([0-9.]+)"', row) for row in drawn] == [["0.5"], ["0.5"]]  # at the left end, 4 - 3.5


def test_the_smallest_change_that_is_found_is_a_column_of_figures_and_not_of_seconds_which_have_none() -> None:
    page = _files(worse_comparison(), "en")["compare.html"]
    of_figures, _, of_seconds = page.partition('<section id="latency"')
    title = "Smallest change found</th>"
    assert title in of_figures
    assert "A change as large as the &#39;Smallest change found&#39; shows in 8 of 10 comparisons." in of_figures
    assert title not in of_seconds.partition("</section>")[0]


def test_a_change_is_drawn_with_the_good_side_right() -> None:
    slower = [make_values(query_id=f"Q-{at}", seconds=10.0 + at) for at in range(20)]
    faster = [make_values(query_id=f"Q-{at}", seconds=4.0 + at / 9) for at in range(20)]
    for runs, verdict in (((slower, faster), "좋아짐"), ((faster, slower), "나빠짐")):
        comparison = compare_runs(*(make_run(items) for items in runs))
        page = _files(comparison)["compare.html"].partition('<table class="forest">')[2]
        row = next(row for row in page.split("<tr>") if "응답 시간" in row)
        now, before = (float(re.findall(rf'{name}="([0-9.]+)"', row)[0]) for name in ("<rect x", "<circle cx"))
        assert verdict in row
        assert (now > before) is (verdict == "좋아짐")


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("comparison", [hostile_comparison(), sliced_comparison(HOSTILE, HOSTILE[0])])
def test_hostile_texts_are_inert(comparison: Comparison, language: str) -> None:
    files = _files(comparison, language)
    html = files["compare.html"]
    own = (
        "html head meta link title style script body header nav main section article footer div p h1 h2 h3 h4 h5 ul li"
    )
    own += " a table thead tbody tr th td details summary small span form label input select option button ol noscript"
    own += " svg line path circle rect"
    assert {tag for tag, _ in _tags(html)} <= set(own.split())
    assert html.count("<script") == 2
    assert not [attributes for _, attributes in _tags(html) if any(name.startswith("on") for name in attributes)]
    hrefs = [attributes["href"] for tag, attributes in _tags(html) if tag == "a"]
    assert all(re.match(TARGETS, str(href)) for href in hrefs)
    rendered = MarkdownIt().enable("table").render(files["compare.md"])
    targets = [attributes["href"] for tag, attributes in _tags(rendered) if tag == "a"]
    assert all(re.match(r"(report\.html|\.\./before/report\.html)", str(target)) for target in targets)
    assert not {tag for tag, _ in _tags(rendered)} & {"img", "script"}
    for text in files.values():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)


def test_the_same_runs_give_the_same_bytes_and_other_options_another_key() -> None:
    first = _files(worse_comparison())
    assert _files(worse_comparison()) == first
    keys = {
        json.loads(files["compare.json"])["key"]
        for files in (first, _files(worse_comparison(margin=0.5)), _files(worse_comparison(), "en"))
    }
    assert len(keys) == 3


def test_what_differs_besides_the_answers_is_said_first() -> None:
    comparison = worse_comparison()
    other = replace(comparison.after, rubric_digest="f" * 64, engine_version=99, judge=Judge("judge-1", 3, "p2"))
    unlike = compare_runs(comparison.before, replace(other, is_rescored=True))
    for language, words in (("ko", "조건이 같지 않은 비교"), ("en", "same conditions")):
        files = _files(unlike, language)
        report = json.loads(files["compare.json"])
        first, second = report["notes"]
        assert words in first
        assert "judge-1" in first
        assert "99" in first
        assert "after" in second
        assert files["compare.html"].index(words) < files["compare.html"].index(report["sentence"])
        assert not report["like_with_like"]
        assert report["differences"] == ["rubric", "engine", "judge"]


def test_time_outs_that_came_or_went_are_among_neither_the_slower_nor_the_faster_queries() -> None:
    failed = {"intent": 0.0, "seconds": 90.0}
    before = make_run([make_values("slower"), make_values("new time-out"), make_values("time-out before", **failed)])
    now = [make_values("slower", seconds=6.0), make_values("new time-out", **failed), make_values("time-out before")]
    page = _files(compare_runs(before, make_run(now, key="k2")), "en")["compare.md"]
    lists = page.partition("2 queries left out")[2].partition("\n## ")[0]
    assert "| slower | 4.000 | 6.000 | +2.000 |" in lists
    assert "time-out" not in lists


@pytest.mark.parametrize(("language", "words"), [("ko", "응답 속도 구간(복수)"), ("en", "response-time bands (복수)")])
def test_bands_of_response_time_that_differ_are_named(language: str, words: str) -> None:
    bands = Bands(edges=(5.0,), points=(5.0, 0.0), missing=0.0)
    single, multi = (LatencyClass(name=name, title=name, bands=bands) for name in ("단일", "복수"))
    other = replace(multi, bands=replace(bands, edges=(9.0,)))
    sides = [make_run([make_values()], basis=make_basis(speed=speed)) for speed in ((single, multi), (single, other))]
    unlike = compare_runs(sides[0], replace(sides[1], rubric_digest="d2"))
    (change,) = [one for one in unlike.groups[0].changes if one.metric == "latency"]
    assert change.why is not None
    assert words in json.loads(_files(unlike, language)["compare.json"])["notes"][0]


def test_slow_items_have_a_preset_with_its_limit_where_the_rubric_calls_any_slow() -> None:
    bands = Bands(edges=(5.0,), points=(5.0, 0.0), missing=0.0)
    usual, limited = (LatencyClass(name="all", title="All", bands=bands, slow_seconds=limit) for limit in (None, 30.0))

    def names(*speed: LatencyClass) -> list[str]:
        runs = [make_run([make_values()], key=key, basis=make_basis(speed=speed)) for key in ("k1", "k2")]
        data = _data(_files(compare_runs(*runs), "en"))
        return next(facet["names"] for facet in data["facets"] if facet["name"] == "preset")

    assert [name for name in names(usual) if "Slow" in name] == []
    assert [name for name in names(limited) if "Slow" in name] == ["Slow · 30 s or more (after)"]
    assert [name for name in names(usual, limited) if "Slow" in name] == ["Slow · All: 30 s or more (after)"]


def test_a_pass_line_that_differs_is_named() -> None:
    items = items_of(30)
    before, after = run_of(*items, key="k1"), run_of(*items, name="b", key="k2")
    line = PassRule(metric="intent", points=4.5)
    after = replace(after, basis=replace(after.basis, passes=line), rubric_digest="d2")
    assert "통과 기준 — → 의도 충족 4.50" in _files(compare_runs(before, after))["compare.html"]


def test_numbers_of_flips_have_a_p_where_both_runs_were_scored_alike() -> None:
    before, after = run_of(*items_of(30), key="k1"), run_of(*items_of(30, broken=7), name="b", key="k2")
    files = [_files(compare_runs(before, run)) for run in (after, replace(after, rubric_digest="d2"))]
    assert ["새로 실패한 질의 7개" in one["compare.md"] for one in files] == [True, True]
    assert ["차이는 p 0.016입니다" in one["compare.md"].replace("\\", "") for one in files] == [True, False]


def test_a_print_names_what_newly_fails_and_times_have_a_section_where_there_are_any() -> None:
    page = _files(worse_comparison())["compare.html"]
    listed = page.partition('<div class="paper">')[2].partition("</div>")[0]
    assert listed.startswith("<p>새로 실패한 질의 7개</p>")
    assert re.findall(r"<li>(Q-\d+) · 지원자 수 알려줘</li>", listed) == [f"Q-{at:03}" for at in range(7)]
    assert page.count('href="#latency"') == page.count('<section id="latency"') == 1
    items = items_of(30, seconds=None)
    untimed = _files(compare_runs(run_of(*items, key="k1"), run_of(*items, name="b", key="k2")))["compare.html"]
    assert not [
        part for part in ('class="paper"', "#latency", 'id="latency"') if part in untimed.partition("<script")[0]
    ]


def test_a_query_whose_rounds_differ_in_track_is_told_apart_from_one_that_moved() -> None:
    both = [make_values("Q1"), make_values("Q1", round="2/1", track=3)]
    runs = [make_run([*both, make_values("Q2", track=track)]) for track in (1, 2)]
    page = _files(compare_runs(*runs))["compare.md"]
    moved, split = (page.partition(f"### {title}")[2].partition("#")[0] for title in (MOVED, SPLIT))
    assert "| Q2 | Track 1, 공고 | Track 2, 공고 |" in moved
    assert "| Q1 | Track 1, 공고 · Track 3, 공고 |" in split
    assert ("Q1" in moved, "Q2" in split) == (False, False)


def test_an_answer_has_the_band_of_its_seconds_and_its_message_is_told_as_such() -> None:
    usual = LatencyClass(name="single", title="단일", bands=Bands(edges=(2.0,), points=(5.0, 0.0), missing=0.0))
    bands = Bands(edges=(5.0,), points=(5.0, 1.0), missing=0.0)
    basis = make_basis(speed=(usual, LatencyClass(name="multi", title="복수", tracks=(3,), bands=bands)))
    items = [
        make_values("Q1", track=3, latency_class=""),
        make_values("Q2", latency_class="", is_message=True),
        make_values("Q3", track=3, latency_class="single", seconds=None),
    ]
    made = make_run(items, basis=basis)
    data = _data(_files(compare_runs(made, made)))
    texts = [[data["strings"][at] if at >= 0 else "" for at in row[RESPONSE : MESSAGE + 1]] for row in data["items"]]
    assert texts == [["답 5.0", ""]] * 2 + [["", "답 5.0"]] * 2 + [["답 5.0", ""]] * 2
    rule_of_latency = FIRST + len(data["facets"]) + 2 * len(data["metrics"]) - 1
    rules = [data["strings"][row[rule_of_latency]] for row in data["items"][::2]]
    assert rules == ["복수: 5초 이하 → 5.00점", "단일: 2초 초과 → 0.00점", "단일: 시간 없음 → 0.00점"]
    multi = LatencyClass(name="multi", title="복수", tracks=(3,), bands=msgspec.structs.replace(bands, edges=(9.0,)))
    earlier = make_run(items, basis=make_basis(speed=(usual, multi)), name="a", key="k0")
    data = _data(_files(compare_runs(earlier, made)))
    rules = [data["strings"][row[rule_of_latency]] for row in data["items"][:2]]
    assert set(rules) == {"복수: 9초 이하 → 5.00점", "복수: 5초 이하 → 5.00점"}  # each by its own rules


def test_a_judge_that_graded_both_runs_is_named_and_one_that_graded_one_of_them_is_not() -> None:
    judged = make_run([make_values(intent_source="judge")], judge=Judge("judge|1", 1, "1"))
    recorded = replace(judged, queries=make_run([make_values()]).queries)
    for before, after, named in (
        (judged, judged, True),
        (judged, replace(judged, judge=Judge("judge|2", 1, "1")), False),
        (judged, recorded, False),
    ):
        for language, words in (("ko", "같은 평가 모델(judge|1)이 평가"), ("en", "same judge (judge|1) graded")):
            notes = json.loads(_files(compare_runs(before, after), language)["compare.json"])["notes"]
            assert any(words in note for note in notes) is named
    assert "same judge (judge\\|1)" in _files(compare_runs(judged, judged), "en")["compare.md"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", "기준 실행 before의 응답 성공률 값이 손상되었습니다. 입력의 20.0%를 쓰지 못했거나 읽지 못했습니다."),
        ("en", "Answer rate of the baseline before is damaged: 20.0% of its input was left out or could not be read."),
    ],
)
def test_a_baseline_whose_leading_figure_is_damaged_is_said_first(language: str, words: str) -> None:
    fine = worse_comparison()
    leading = fine.leading
    broken = replace(fine.before, damaged=(Damage(leading, 0.2, ("missing-query-id",)),))
    files = _files(compare_runs(broken, fine.after), language)
    report = json.loads(files["compare.json"])
    assert report["notes"][0].startswith(words)
    assert report["note_codes"][0] == "baseline-damaged"
    assert f'<p class="note">{words}' in files["compare.html"]
    assert files["compare.html"].index(words) < files["compare.html"].index(report["sentence"])
    other = replace(fine.before, damaged=(Damage("seconds", 0.2, ("missing-query-id",)),))
    for one in (fine.before, other):
        codes = json.loads(_files(compare_runs(one, fine.after), language)["compare.json"])["note_codes"]
        assert "baseline-damaged" not in codes


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "before에는 손상된 값이 많아 비교하지 않았습니다."),
        ("en", "Too many values of before are damaged, so nothing was compared."),
    ],
)
def test_beside_a_damaged_run_stands_what_damaged_it_and_nothing_of_a_comparison(language: str, said: str) -> None:
    fine = worse_comparison()
    assert fine.lists.now_fails
    told = f"Rows 3 and 4. Add an ID. {HOSTILE}"
    before, after = (replace(run, banner="2 of 30", damage=(told,)) for run in (fine.before, fine.after))
    for sides, names in (
        ((before, fine.after), "before"),
        ((fine.before, after), "after"),
        ((before, after), "before, after"),
    ):
        files = _files(compare_runs(*sides), language)
        report = json.loads(files["compare.json"])
        assert report["sentence"] == said.replace("before", names)
        assert not any(report[name] for name in ("now_fails", "now_passes", "dropped", "rose"))
        assert (report["flips"]["to_fail"], report["flips"]["to_pass"]) == (0, 0)
        for page in (files["compare.html"], files["compare.md"]):
            assert page.count("Rows 3 and 4. Add an ID.") == 1 + (", " in names)
            assert report["sentence"] in page
            assert not [word for word in ("preset=", "p &lt;", "p <", "95%") if word in page]
        assert {tag for tag, _ in _tags(files["compare.html"])}.isdisjoint({"img", "form"})


@pytest.mark.parametrize(
    ("last", "is_said"), [pytest.param(14, True, id="just-below-half"), pytest.param(15, False, id="half")]
)
def test_a_round_that_few_queries_have_is_named_beside_the_change(last: int, is_said: bool) -> None:
    """30 queries in one round, and a second one that broke off."""
    whole = run_of(*items_of(30, rounds=2), name="before", key="k1")
    items = items_of(30, rounds=2)
    short = run_of(*items[: 30 + last], name="after", key="k2")
    ko, en = (json.loads(_files(compare_runs(whole, short), one)["compare.json"])["sentence"] for one in ("ko", "en"))
    assert (f"after의 회차 2/1 ({last}/30)에는 질의가 절반도 없습니다." in ko) is is_said
    assert (f"Fewer than half of the queries of after are in round 2/1 ({last}/30);" in en) is is_said
    assert "before의 회차" not in ko


@pytest.mark.parametrize(
    ("language", "title", "before"),
    [
        ("ko", "답이 같은데 다시 채점된 문항(변화에서 뺌)", "의도 충족 5.00 (LLM 점수)"),
        ("en", "Regraded items with equal answers, left out of the change", "Intent 5.00 (LLM score)"),
    ],
)
def test_items_that_were_only_graded_anew_are_listed_with_both_grades(language: str, title: str, before: str) -> None:
    grader = "</td><img src=x onerror=alert(1)>"
    graded: dict[str, Any] = {"text_hash": "h", "intent_source": "recorded", "accuracy": None, "stability": None}
    old = run_of(*items_of(120, intent=5.0, **graded), name="before", key="k1")
    new = run_of(*items_of(120, intent=2.0, llm_model=grader, **graded), name="after", key="k2")
    found = _files(compare_runs(old, new), language)
    assert f"### {title}" in found["compare.md"]
    rows = [line for line in found["compare.md"].splitlines() if line.count(before) == 1 and "2.00" in line]
    assert len(rows) == 100
    assert "20" in found["compare.md"].partition(rows[-1])[2].split("compare.json")[0]
    data = _data(found)
    assert sum("regraded" in values(data, row, "preset") for row in data["items"]) == 240
    assert "img" not in {tag for tag, _ in _tags(found["compare.html"])}
    assert len(json.loads(found["compare.json"])["regraded"]) == 120
    assert title not in _files(worse_comparison(), language)["compare.md"]


@pytest.mark.parametrize(
    ("language", "row", "own"),
    [
        ("ko", "| 기록된 LLM 모델 | judge-a | judge-b |", "| Scorewatch의 평가 모델 | 없음 | 없음 |"),
        ("en", "| Recorded LLM models | judge-a | judge-b |", "| Judge of Scorewatch | none | none |"),
    ],
)
def test_runs_that_other_models_graded_name_them_and_begin_with_what_was_graded_anew(
    language: str, row: str, own: str
) -> None:
    graded: dict[str, Any] = {"text_hash": "h", "intent_source": "recorded", "accuracy": None, "stability": None}
    old, new = (
        run_of(*items_of(30, intent=intent, llm_model=model, **graded), name=name, key=name)
        for intent, model, name in ((5.0, "judge-a", "before"), (2.0, "judge-b", "after"))
    )
    found = _files(compare_runs(old, new), language)
    lines = found["compare.md"].replace("\\", "").splitlines()
    assert [lines.count(row), lines.count(own)] == [1, 1]
    assert json.loads(found["compare.json"])["sentence"].endswith("뺐습니다." if language == "ko" else "same answer.")
    assert _data(found)["preset"] == "regraded"
    assert "LLM" not in _files(worse_comparison(), language)["compare.md"]


def test_the_page_stays_small_and_the_data_hold_all() -> None:
    before = run_of(*items_of(600), key="k1")
    after = run_of(*items_of(600, broken=600, response="나" * 4000), key="k2")
    files = _files(compare_runs(before, after))
    assert len(_data(files)["queries"]) == 600
    assert len(files["compare.html"].encode()) < 1_200_000 + 1_000 * (1_200 - 354) + 400_000
    assert len(json.loads(files["compare.json"])["now_fails"]) == 600
    assert texts("ko")("compare.more", n=str(600 - MAX_LISTED)) in files["compare.md"].replace("\\", "")


def test_margin_adds_its_verdict() -> None:
    files = _files(worse_comparison(margin=2.5), "en")
    report = json.loads(files["compare.json"])
    metrics = {entry["metric"]: entry["margin"] for entry in report["groups"][0]["metrics"]}
    assert metrics["intent"] == "same"
    assert metrics["answered"] is None
    assert "±2.5 points" in files["compare.html"]


def test_the_published_schema_is_the_one_in_force() -> None:
    assert (ROOT / "docs/compare.schema.json").read_bytes() == encode_json(schema()), UPDATE


def test_slices_are_told_by_the_leading_figure_and_read_back_with_all() -> None:
    files = _files(sliced_comparison(["en", "ko", ""]))
    rows = [line for line in files["compare.md"].splitlines() if line.startswith("| 언어=")]
    assert [row.split(" | ")[:5] for row in rows] == [
        ["| 언어=en", "응답 성공률", "100.0%", "0.0%", "나빠짐"],
        ["| 언어=(빈 칸)", "응답 성공률", "100.0%", "100.0%", "같음"],
        ["| 언어=ko", "응답 성공률", "100.0%", "100.0%", "같음"],
    ]
    assert files["compare.html"].count(">언어=") == 3
    assert "<summary>열별</summary>" in files["compare.html"]
    groups = [group for group in json.loads(files["compare.json"])["groups"] if group["kind"] == "slice"]
    assert [(group["column"], group.get("value"), group["queries"]) for group in groups] == [
        ("언어", "en", 12),
        ("언어", None, 12),
        ("언어", "ko", 12),
    ]
    read = msgspec.json.decode(files["compare.json"], type=ComparisonReport).groups
    assert [group.value for group in read if group.kind is GroupKind.SLICE] == ["en", "", "ko"]


def test_every_value_of_a_slice_is_found_again_as_items_csv_writes_it() -> None:
    groups = [group for group in sliced_comparison(HOSTILE).groups if group.kind is GroupKind.SLICE]
    assert [group.queries for group in groups] == [12] * len(HOSTILE)


def test_without_slices_no_group_names_a_column() -> None:
    files = _files(worse_comparison())
    assert "열별" not in files["compare.md"] + files["compare.html"]
    assert all({"column", "value"}.isdisjoint(group) for group in json.loads(files["compare.json"])["groups"])


@pytest.mark.parametrize(
    "comparison",
    [worse_comparison(margin=0.1), hostile_comparison(), sliced_comparison(["en", "ko"])],
    ids=["worse", "hostile", "sliced"],
)
def test_data_follow_the_schema(comparison: Comparison) -> None:
    data = _files(comparison)["compare.json"]
    published = json.loads((ROOT / "docs/compare.schema.json").read_bytes())
    assert list(violations(json.loads(data), published, published)) == []
    msgspec.json.decode(data, type=ComparisonReport)


def test_every_field_is_explained() -> None:
    published = json.loads((ROOT / "docs/compare.schema.json").read_bytes())
    text = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    names = {name for definition in published["$defs"].values() for name in definition.get("properties", {})}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_figures() -> None:
    t = texts("ko")
    assert value_text("pass", 0.85) == "85.0%"
    assert value_text("seconds", None) == "—"
    assert difference_text("intent", -0.004, t) == "0.00"
    assert difference_text("intent", 0.125, t) == "+0.13"
    assert difference_text("answered", -0.0725, t) == "−7.3%p"
    assert size_text("answered", 0.0725, t) == "7.3%p"
    assert [p_text(p) for p in (None, 1.0, 0.03125, 0.0001)] == ["—", "1.000", "0.031", "<0.001"]
    assert item_href("report.html", "a&b #1") == "report.html#query=a%26b%20%231"
    assert item_href("", "a") == ""


def test_a_printed_difference_leaves_out_what_was_graded_anew() -> None:
    change = worse_comparison().groups[0].change("intent")
    assert change is not None
    graded_anew = replace(change, before=5.0, after=3.75, difference=-1.0)
    assert change_text(graded_anew, texts("en")) == "−1.00"  # as its interval, beside 5.00 → 3.75


@pytest.mark.parametrize(
    ("metric", "before", "after", "difference", "shown"),
    [
        ("answered", 0.93955, 0.84349, -0.09606, ("94.0%", "84.3%", "−9.7%p")),
        ("intent", 4.344, 3.896, -0.448, ("4.34", "3.90", "−0.44")),
        ("intent", 4.344, 4.336, -0.008, ("4.34", "4.34", "0.00")),
        ("seconds", 17.128, 18.2, 0.94, ("17.1", "18.2", "+0.9")),  # by ranks: no difference of the two
        ("intent", None, 4.0, None, ("—", "4.00", "—")),
    ],
)
def test_a_printed_difference_is_that_of_the_values_beside_it(
    metric: str, before: float | None, after: float, difference: float | None, shown: tuple[str, str, str]
) -> None:
    t = texts("ko")
    told = moved_text(metric, (before, after), difference, t)
    assert (value_text(metric, before), value_text(metric, after), told) == shown


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_a_difference_by_ranks_is_is_said_once_beside_the_figures(language: str) -> None:
    """Median of the means of any two differences: in the note, and nowhere in a cell."""
    t, files = texts(language), _files(worse_comparison(), language)
    for page in ("compare.html", "compare.md"):
        assert files[page].count(t("compare.ranked-told")) == 1
        assert files[page].count({"ko": "중앙값", "en": "median"}[language]) == 1
    untimed = run_of(*items_of(30, seconds=None), key="k1"), run_of(*items_of(30, seconds=None, broken=7), key="k2")
    assert t("compare.ranked-told") not in _files(compare_runs(*untimed), language)["compare.html"]
