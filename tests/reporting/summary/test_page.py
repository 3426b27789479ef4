"""The front page alone: what it says, in how many lines, and what is left of it in a mail, away from its folder."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from msgspec import convert
from msgspec.structs import replace

from reporting.runs import keep_gate
from reporting.store import (
    SUMMARY_HTML,
    SUMMARY_MD,
    Destination,
    RunInfoFile,
    encode_json,
    keep_known,
    write_apart,
)
from reporting.summary import facts, write_summary
from scoring import Finding, Problem
from scoring.gate import GateRules, RuleSet, parse_rule
from scoring.items import ItemDetails
from scoring.known import KnownLine, KnownLines, Resolution
from scoring.results import Damage, Reviews, SetResult, cause_of, merge
from scoring.review import Applied
from scoring.rubric import Measure, PassRule, Status
from scoring.sets import RunInfo
from tests.reporting.comparison.runs import FAILED, HOSTILE, items_of
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, make_rubric, sha_of
from tests.reporting.seen import Seen
from tests.reporting.summary.test_files import publish, status_of, summarise, text_of
from tests.scoring.judged_sets import SCORES, scores_part
from texts import codes

RULES = GateRules(
    common=RuleSet(rules=tuple(parse_rule(f"intent >= {limit}", {"intent": 5.0}) for limit in (4.5, 4.6, 4.7, 4.8)))
)
NAME = "run_" + "n" * 150


@pytest.fixture
def worse(tmp_path: Path) -> Path:
    """The later of two runs, in which seven of thirty queries fail, one of them without its second round."""
    publish(tmp_path, "run_260301")
    items = [item for item in items_of(30, broken=7, rounds=2) if (item.query_id, item.round) != ("Q-000", "2/1")]
    return publish_report(make_result(*items, sha256=sha_of("b")), set_name="run_260302", key="k2", out=tmp_path).folder


@pytest.mark.parametrize("public_url", ["", "https://reports.example/x"])
def test_a_mailed_page_has_no_dead_link_and_reads_without_script_and_style(
    worse: Path, tmp_path_factory: pytest.TempPathFactory, public_url: str
) -> None:
    keep_gate(worse, status_of(worse), RULES)
    summarise(worse.parent, public_url=public_url)
    mail = tmp_path_factory.mktemp("mail")
    for name in (SUMMARY_HTML, SUMMARY_MD):
        shutil.copy(worse / name, mail / name)
    shutil.rmtree(worse.parent)

    page = (mail / SUMMARY_HTML).read_text(encoding="utf-8")
    seen = Seen(page)
    found = [attributes["href"] or "" for tag, attributes in seen.tags if tag == "a" and "href" in attributes]
    links = [link for link in found if link != "#main"]
    html = MarkdownIt("commonmark").render((mail / SUMMARY_MD).read_text(encoding="utf-8"))
    in_markdown = re.findall(r'href="([^"]*)"', html)
    if public_url:
        assert len(links) == len(in_markdown) + 1 == 5 + 1 + 2 + 3 + 1  # the tracks of a cause, the checklist too
        trend = f"{public_url}/trend-resume-agent.html"
        assert all(link.startswith(f"{public_url}/run_260302/") for link in (*links, *in_markdown) if link != trend)
        assert trend in links
    else:
        assert links == in_markdown == []
    assert not {"img", "iframe", "base"} & {tag for tag, _ in seen.tags}
    assert all((attributes["href"] or "").startswith("data:") for tag, attributes in seen.tags if tag == "link")
    assert not [attributes for tag, attributes in seen.tags if tag == "script" and attributes.get("src")]
    for told in ("나빠졌습니다", "게이트 실패", "한 줄로", "먼저 볼 답변", "왜", "믿을 수 있나", "이 페이지의 용어"):
        assert any(told in line for line in seen.lines), told


def test_values_of_the_comparison_are_told_apart_from_those_of_the_set(worse: Path) -> None:
    summarise(worse.parent)
    text = text_of(worse)
    line = next(line for line in text.splitlines() if line.startswith("- 응답 성공률"))
    assert line.startswith("- 응답 성공률: **78.0%** (")  # 46 of 59 items, but 23 of 30 queries
    assert line.endswith(") · 100.0% → 76.7% · ▽ 나빠짐")
    assert (
        "78.0%로, 지난 실행(run_260301)보다 23.3%p(공통 질의를 하나씩 똑같이 세면 100.0% → 76.7%) 나빠졌습니다." in text
    )
    assert (
        "응답 성공률 78.0%는 회차마다 문항으로 낸 평균이고, "
        "화살표 앞뒤의 값(76.7% 등)은 공통인 질의 30개를 하나씩 똑같이 세어 낸 평균입니다."
    ) in text
    assert re.search(r"^- 응답 속도: \*\*[\d.]+\*\* \([\d.–]+\) · 같음$", text, flags=re.MULTILINE)


def test_shared_queries_are_no_basis_where_both_of_their_values_look_alike(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301", broken=3, rounds=2)
    swapped = {"Q-002": "Q-003", "Q-003": "Q-002"}  # another query fails instead
    items = [
        replace(item, query_id=swapped.get(item.query_id, item.query_id)) for item in items_of(30, broken=3, rounds=2)
    ]
    result = make_result(*items[1:], sha256=sha_of("b"))
    folder = publish_report(result, set_name="run_260302", key="k2", out=tmp_path).folder
    summarise(tmp_path)
    assert "의 차이 0.0%p는 우연일 수 있습니다." in text_of(folder)
    assert "공통 질의 기준" not in text_of(folder)
    assert re.search(r"^- 응답 성공률: \*\*91.5%\*\* \([^)]*\) · 평균은 같음$", text_of(folder), flags=re.MULTILINE)
    page = (folder / SUMMARY_HTML).read_text(encoding="utf-8")
    bars = re.findall(r'<circle cx="([\d.]+)"[^>]*/><rect x="([\d.]+)"', page)
    assert bars
    assert [float(ring) for ring, _ in bars] == pytest.approx([float(left) + 3.5 for _, left in bars], abs=0.06)


def test_a_difference_without_what_was_graded_anew_is_told_where_the_values_beside_it_have_another(
    tmp_path: Path,
) -> None:
    """Of thirty queries one has the same answer and another grade (4 points), nine an error (5 points)."""

    def run(name: str, broken: int, *, grade: float) -> Path:
        items = items_of(30, broken=broken, rounds=2, intent_source="recorded", recorded="5", llm_model="a")
        last = replace(items[29], intent=grade, recorded=f"{grade:g}")
        result = make_result(*items[:29], last, *items[30:], sha256=sha_of(name))
        return publish_report(result, set_name=name, key=name, out=tmp_path).folder

    run("run_260301", 0, grade=5.0)
    folder = run("run_260302", 9, grade=1.0)
    summarise(tmp_path)
    verdict, say = text_of(folder).splitlines()[4:7:2]
    assert "의도 충족 5.00 → 3.43(새로 매긴 점수를 빼면 −1.50, 변화의 95% 구간 −2.35 \\~ −0.46)," in verdict
    assert ", 응답 성공률 100.0% → 70.0%. " in verdict  # of which nothing was graded anew
    assert "보다 1.50(새로 매긴 점수를 뺀 차이) 나빠졌습니다." in say
    assert text_of(folder).count("답이 같은데 다시 채점된 1문항은 변화에서 뺐습니다.") == 1


def test_of_what_did_not_change_the_value_is_told_once(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301", broken=2)
    folder = publish(tmp_path, "run_260302", broken=2)
    summarise(tmp_path)
    assert "달라진 질의가 없습니다: 응답 성공률 93.3%." in text_of(folder)
    assert "→" not in text_of(folder).partition("다음 실행")[0]


def test_causes_and_tracks_are_those_of_the_figure_that_leads_the_page(tmp_path: Path) -> None:
    """The baseline, graded by status alone, decides that the answer rate leads; the run alone would lead by intent."""
    publish(tmp_path, "run_260301", broken=4)
    graded = items_of(30, broken=4, intent_source="recorded", recorded="4", intent=4.0, llm_model="a")
    folder = publish_report(
        make_result(*graded, sha256=sha_of("g")), set_name="run_260302", key="g", out=tmp_path
    ).folder
    summarise(tmp_path)
    assert "\n- 응답 성공률: **86.7%**" in text_of(folder)
    assert "## 왜 30문항 중 4문항이 실패했나(응답 성공률 86.7%)\n" in text_of(folder)
    assert "Track별 응답 성공률" in (folder / SUMMARY_HTML).read_text(encoding="utf-8")


def test_the_next_run_is_planned_by_the_figure_that_leads_the_page(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301", broken=4)
    graded = items_of(30, broken=4, rounds=2, intent_source="recorded", recorded="4", intent=4.0, llm_model="a")
    result = make_result(*graded, sha256=sha_of("g"))
    folder = publish_report(result, set_name="run_260302", key="g", out=tmp_path).folder
    summarise(tmp_path)
    assert "\n- 응답 성공률: **86.7%**" in text_of(folder)
    assert "\n다음 실행: 응답 성공률의 오차는" in text_of(folder)


def test_the_longest_value_of_a_track_stands_clear_of_its_axis(worse: Path) -> None:
    summarise(worse.parent)
    chart = (worse / SUMMARY_HTML).read_text(encoding="utf-8").partition("Track별")[2].partition("</svg>")[0]
    right = max(float(x) for x in re.findall(r'<path d="M96 \d+L(\d+) \d+"', chart))
    assert right + 4 + 8 * len("100.0→98.9%") < 400  # a mark at the end of the axis, and letters 8 wide


def test_mean_seconds_say_of_how_many_items_they_are(tmp_path: Path) -> None:
    items = [*items_of(4), *(make_item(row, query_id=f"Q-{row}", seconds=None) for row in (8, 9))]
    folder = publish_report(make_result(*items, sha256=sha_of("s")), set_name="run", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert re.search(r"^- 응답 시간\(초\): \*\*[\d.]+\*\* \(6문항 중 4문항\)", text_of(folder), flags=re.MULTILINE)
    whole = publish(tmp_path, "whole")
    summarise(tmp_path)
    assert re.search(r"^- 응답 시간\(초\): \*\*[\d.]+\*\*( ·|$)", text_of(whole), flags=re.MULTILINE)


def test_why_the_score_of_speed_alone_got_worse_is_told(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301")
    untimed = FAILED | {"seconds": None, "latency": 0.0}
    items = [make_item(at + 2, query_id=f"Q-{at:03}", **(untimed if at < 9 else {})) for at in range(30)]
    folder = publish_report(
        make_result(*items, sha256=sha_of("u")), set_name="run_260302", key="u", out=tmp_path
    ).folder
    told = "시간이 없는 답변은 응답 속도 점수에만 들어가고 평균 응답 시간에서는 빠지므로, 점수만 달라질 수 있습니다."
    summarise(tmp_path)
    assert re.search(r"^- 응답 속도: .* 나빠짐$", text_of(folder), flags=re.MULTILINE)
    assert told in text_of(folder)
    assert told not in text_of(tmp_path / "run_260301")


def test_the_leading_figure_beside_what_got_worse_is_told_without_the_baseline_again(tmp_path: Path) -> None:
    def run(name: str, key: str, seconds: float) -> Path:
        result = make_result(*items_of(30, seconds=seconds), sha256=sha_of(key))
        return publish_report(result, set_name=name, key=key, out=tmp_path).folder

    run("run_260301", "a", 4.0)
    folder = run("run_260302", "b", 30.0)
    summarise(tmp_path)
    verdict = next(line for line in text_of(folder).splitlines() if line.startswith("**지난"))
    assert verdict.endswith(" 응답 성공률 100.0%는 그대로입니다.**")
    say = next(line for line in text_of(folder).splitlines() if line.startswith("**한 줄로**"))
    assert "이 지표가 달라진 질의는 없습니다." in say
    assert re.search(r" 나빠진 지표도 있습니다: 응답 시간\(초\) 4.0 → 30.0", say), say
    assert verdict.count("지난 실행") == 1


def test_a_track_has_the_value_before_and_now_beside_its_dots(worse: Path) -> None:
    summarise(worse.parent)
    page = (worse / SUMMARY_HTML).read_text(encoding="utf-8")
    assert re.findall(r"<text[^>]*>([\d.]+→[\d.]+%)</text>", page) == ["100.0→73.3%", "100.0→80.0%"]


def test_of_one_round_nobody_says_that_every_round_passed(tmp_path: Path) -> None:
    results = {
        name: make_result(*items_of(30, broken=broken), sha256=sha_of(name))
        for name, broken in (("run_260301", 0), ("run_260302", 7))
    }
    folders = [publish_report(result, set_name=name, key=name, out=tmp_path).folder for name, result in results.items()]
    summarise(tmp_path)
    verdict = next(line for line in text_of(folders[-1]).splitlines() if "나빠졌습니다" in line)
    assert verdict.endswith(". 성공하던 질의 7개가 새로 실패했습니다(‘Timeout’).**")


@pytest.mark.parametrize("is_assessed", [True, False])
def test_where_nothing_is_assessed_nothing_is_said_of_passing(tmp_path: Path, *, is_assessed: bool) -> None:
    rubric = make_rubric(pass_points=PassRule(metric="intent", points=3.0) if is_assessed else None)
    result = make_result(*items_of(30, broken=0), rubric=rubric)
    folder = publish_report(result, set_name="run_260301", key="k", out=tmp_path).folder
    summarise(tmp_path)
    told = "**모든 질의가 성공했습니" if is_assessed else "**모든 질의에 답했습니"
    assert [line.partition("다.")[0] for line in text_of(folder).splitlines() if "모든 질의" in line] == [told]


def test_a_figure_that_changed_just_as_the_leading_one_is_told_with_it(tmp_path: Path) -> None:
    """Graded by status alone, intent is the answer rate in points; accuracy, a copy by declaration, has no row."""
    publish(tmp_path, "run_260301")
    folder = publish(tmp_path, "run_260302", broken=7)
    summarise(tmp_path)
    verdict = next(line for line in text_of(folder).splitlines() if "나빠졌습니다" in line)
    told = r"응답 성공률 100.0% → 76.7%\(변화의 95% 구간 [^)]*\), 의도 충족 [\d.]+ → [\d.]+[.,]"
    assert re.search(told, verdict), verdict
    assert "정확성" not in verdict


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (facts.MOST_FAILING, {3: "(‘Timeout’)", 8: "(‘Timeout’)", 20: "(‘Timeout’)"}),
        (0, {3: "(‘Timeout’)", 8: "(대부분 ‘Timeout’)", 20: "(예: ‘Timeout’)"}),
    ],
)
def test_why_queries_fail_newly_is_said_no_further_than_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, told: dict[int, str]
) -> None:
    monkeypatch.setattr(facts, "MOST_FAILING", most)
    publish(tmp_path, "run_260301")
    for broken, why in told.items():
        folder = publish(tmp_path, f"run_2603{broken:02}", broken=broken)
        summarise(tmp_path)
        assert f"{why}." in text_of(folder)
        shutil.rmtree(folder)


def test_rounds_that_are_not_whole_are_no_product(worse: Path) -> None:
    summarise(worse.parent)
    assert "질의 30개, 2회차, 59문항" in text_of(worse)
    summarise(worse.parent)
    assert "질의 30개 × 2회, 60문항" in text_of(worse.parent / "run_260301")


def test_a_cause_counts_the_items_that_its_error_belongs_to(tmp_path: Path) -> None:
    errors = ["HTTP 502", "Timeout", "Timeout", "Timeout"]
    items = [make_item(row, **{**FAILED, "error": error}) for row, error in enumerate(errors, start=2)]
    items += [make_item(row, intent_source="recorded" if row < 10 else "status") for row in range(6, 18)]
    folder = publish_report(make_result(*items, sha256=sha_of("c")), set_name="run", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert "- 오류 문항(그중 3문항은 ‘Timeout’): 4문항\n" in text_of(folder)
    assert (
        "대표 지표는 응답 상태(오류나 빈 응답이 아닌지)로 셌습니다. 채점 기록은 16문항 중 4문항에만 있습니다."
        in text_of(folder)
    )


def test_the_error_of_a_cause_is_that_of_what_came_newly(tmp_path: Path) -> None:
    """Fourteen old time-outs are not why ten more items fail."""
    old = [make_item(row, **{**FAILED, "error": "timeout after 60s"}) for row in range(2, 16)]
    rest = [make_item(row) for row in range(16, 60)]
    publish_report(make_result(*old, *rest, sha256=sha_of("a")), set_name="run_260301", key="a", out=tmp_path)
    new = [make_item(row, **{**FAILED, "error": f"No seat (requestId={row}ab)"}) for row in range(16, 26)]
    folder = publish_report(
        make_result(*old, *new, *rest[10:], sha256=sha_of("b")), set_name="run_260302", key="b", out=tmp_path
    ).folder
    summarise(tmp_path)
    text = text_of(folder)
    assert "- 오류 문항(그중 10문항은 ‘No seat’): 24문항(비교한 실행에서는 14문항)" in text
    assert "requestId" not in text


def test_of_errors_that_only_took_turns_the_most_frequent_is_told(tmp_path: Path) -> None:
    def run(name: str, key: str, timeouts: int, others: int) -> Path:
        errors = ["timeout"] * timeouts + ["No seat"] * others
        items = [make_item(row, **FAILED | {"error": error}) for row, error in enumerate(errors, start=2)]
        items += [make_item(row) for row in range(2 + len(errors), 60)]
        return publish_report(make_result(*items, sha256=sha_of(key)), set_name=name, key=key, out=tmp_path).folder

    run("run_260301", "a", 20, 1)
    folder = run("run_260302", "b", 18, 5)
    summarise(tmp_path)
    assert "- 오류 문항(그중 18문항은 ‘timeout’): 23문항(비교한 실행에서는 21문항)" in text_of(folder)


def test_what_a_low_graded_answer_says_is_no_reason(tmp_path: Path) -> None:
    """Of two rounds one has an error and no grade, the other a low grade and a text."""

    def run(set_name: str, level: str) -> Path:
        rows = [
            {"Query ID": f"Q-{at}", "방/반복": name, "질의": f"{at}?", "응답": answer, "오류": error, "등급": grade}
            for at in range(20)
            for name, answer, error, grade in (
                ("1/1", f"다시 물어 주세요 {level}", "", level), ("2/1", "", "Timeout", "")
            )
        ]  # fmt: skip
        result = merge([("a.csv", scores_part(rows))], SCORES)
        return publish_report(result, set_name=set_name, key=set_name, out=tmp_path).folder

    run("run_260301", "5")
    folder = run("run_260302", "1")
    summarise(tmp_path)
    text = text_of(folder)
    assert "! 믿을 수 있나: 쓸 수 있지만 확인할 것이 있습니다." in text
    assert " 평가하지 못한 문항을 빼고 40문항 중 20문항으로 낸 통과율입니다." in text
    assert "질의 20개가 새로 실패했습니다." in text
    assert " · 새로 실패 · 답변 “다시 물어 주세요 1”" in text


def test_time_outs_with_and_without_a_number_are_one_cause(tmp_path: Path) -> None:
    errors = ["응답 대기 90초 초과", "응답 대기 초과", "응답 대기 초과(90,000ms)", "응답 대기 초과"]
    items = [make_item(row, **{**FAILED, "error": error}) for row, error in enumerate(errors, start=2)]
    items += [make_item(row) for row in range(6, 18)]
    folder = publish_report(make_result(*items, sha256=sha_of("c")), set_name="run", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert "- 오류 문항(‘응답 대기 초과’): 4문항\n" in text_of(folder)


@pytest.mark.parametrize(
    ("errors", "told"),
    [
        (["HTTP 502", "No seat", "Gone", "No seat", "Full"], "그중 2문항은 ‘No seat’"),  # nobody's majority
        (["TimeoutError: 90000 ms", "TimeoutError: 60001 ms"], "‘TimeoutError: ‹숫자› ms’"),
        (["", "", "No seat"], "그중 2문항은 ‘답변이 공급자의 오류임’"),
        (["TimeoutError: 90000 ms"] * 2, "‘TimeoutError: 90000 ms’"),
    ],
)
def test_errors_always_say_which(tmp_path: Path, errors: list[str], told: str) -> None:
    items = [make_item(row, **FAILED | {"error": error, "why": "error-answer"}) for row, error in enumerate(errors, 2)]
    items += [make_item(row) for row in range(10, 22)]
    folder = publish_report(make_result(*items, sha256=sha_of("c")), set_name="run", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert f"- 오류 문항({told}): {len(errors)}문항\n" in text_of(folder)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("90초 시간 초과", "시간 초과", True),
        ("Timeout after 90.5 s", "timeout", True),
        ("TimeoutError: 90000ms", "TimeoutError: 60000ms", True),
        ("시간 초과", "연결 끊김", False),
        ("502", "502 Bad Gateway", False),
    ],
)
def test_what_is_one_cause(one: str, other: str, *, is_one: bool) -> None:
    assert (cause_of(one) == cause_of(other)) is is_one
    assert cause_of(one)


def test_what_newly_fails_comes_first_then_what_lost_its_last_rounds(tmp_path: Path) -> None:
    def run(name: str, passing: dict[str, int], key: str) -> Path:
        rounds = [(query, at) for query in passing for at in (1, 2, 3)]
        items = [
            make_item(row, query_id=query, round=f"{at}/1", question=query, **({} if at <= passing[query] else FAILED))
            for row, (query, at) in enumerate(rounds, start=2)
        ]
        result = make_result(*items, sha256=sha_of(key))
        return publish_report(result, set_name=name, key=key, out=tmp_path).folder

    others = {f"Q-{at}": 3 for at in range(20)}
    run("run_260301", {**others, "small": 3, "large": 3, "lost": 2, "fewer": 2}, "a")
    folder = run("run_260302", {**others, "small": 2, "large": 0, "lost": 0, "fewer": 1}, "b")
    summarise(tmp_path)
    told = [line.removeprefix("- ") for line in text_of(folder).splitlines() if "→" in line and "●" in line]
    assert [line.rpartition(" · “")[0] for line in told] == [
        "large ●●●→○○○ · 새로 실패",
        "small ●●●→●●○ · 새로 실패",
        "lost ●●○→○○○ · 전에는 성공, 이제 모두 실패",
        "fewer ●●○→●○○ · 성공한 회차가 줄어듦",
    ]

    broken = {f"Q-{at}": 0 for at in range(5)}
    folder = run("run_260303", {**others, **broken, "small": 2, "large": 0, "lost": 0, "fewer": 0}, "c")
    summarise(tmp_path)
    assert "- 전에는 성공한 회차가 있었지만 이제 모두 실패한 질의는 1개입니다. 위에 없는 질의: fewer\n" in text_of(
        folder
    )
    assert "새로 실패한 질의는" not in text_of(folder)


def test_dots_of_one_round_stand_as_the_rows_come(tmp_path: Path) -> None:
    items = [
        make_item(row, query_id="Q", round="1/1", **({"response": "z"} if row == 2 else FAILED)) for row in (2, 3, 4)
    ]
    folder = publish_report(make_result(*items), set_name="run_1", key="a", out=tmp_path).folder
    summarise(tmp_path)
    assert "●○○ · " in text_of(folder)


def test_queries_that_are_not_above_are_told_by_their_ids_as_people_count(tmp_path: Path) -> None:
    """Of what only fails partly, and so comes last, the ID is smaller."""

    def run(name: str, broken: int) -> Path:
        items = [
            make_item(
                row, query_id=f"Q-{at}", round=f"{lap}/1", **(FAILED if at < broken and lap <= 1 + at % 2 else {})
            )
            for row, (at, lap) in enumerate([(at, lap) for at in range(12) for lap in (1, 2)], start=2)
        ]
        return publish_report(make_result(*items, sha256=sha_of(name)), set_name=name, key=name, out=tmp_path).folder

    run("run_260301", 0)
    folder = run("run_260302", 11)
    summarise(tmp_path)
    assert "- 새로 실패한 질의는 11개입니다. 위에 없는 질의: Q-0, Q-2, Q-4, Q-6, Q-8, Q-10\n" in text_of(folder)


def test_of_a_share_the_items_are_told_that_failed_and_no_points(worse: Path) -> None:
    summarise(worse.parent)
    summarise(worse.parent, language="en")
    assert "## Why 13 of 59 items failed (Answer rate 78.0%)" in text_of(worse)
    summarise(worse.parent)
    (why,) = text_of(worse).split("## 왜 ")[1:]
    title, cause = (
        "59문항 중 13문항이 실패했나(응답 성공률 78.0%)",
        "오류 문항(‘Timeout’): 13문항(비교한 실행에서는 0문항)",
    )
    assert why.startswith(f"{title}\n\n- {cause} · Track 1: 7, Track 2: 6\n")
    assert "점\n" not in why


def test_the_page_leads_to_the_trend_and_says_how_to_make_one_file(tmp_path: Path) -> None:
    folder = publish(tmp_path, "it's $(a) run")
    summarise(tmp_path)
    page = (folder / SUMMARY_HTML).read_text(encoding="utf-8")
    assert '<a data-href="../trend-resume-agent.html">추이</a>' in page
    told = [line for line in Seen(page).lines if "scorewatch pack" in line]
    assert told == [
        (
            "전체를 파일 하나로 보내려면 index.html이 있는 폴더에서 이 명령을 실행하세요: "
            """scorewatch pack 'it'"'"'s $(a) run' -o report.zip"""
        )
    ]
    long = publish(tmp_path, NAME)
    summarise(tmp_path)
    assert "scorewatch pack SET -o" in (long / SUMMARY_HTML).read_text(encoding="utf-8")


def test_the_page_of_changes_is_offered_where_there_is_an_earlier_version(tmp_path: Path) -> None:
    folder = publish(tmp_path, "run_260301")
    for key, is_offered in (("", False), ("k2", True)):
        publish(tmp_path, "run_260301", broken=len(key), key=key)
        summarise(tmp_path)
        assert ('data-href="changes.html"' in (folder / SUMMARY_HTML).read_text(encoding="utf-8")) is is_offered


def test_queries_that_newly_fail_and_are_not_shown_are_counted_and_led_to(worse: Path) -> None:
    summarise(worse.parent, public_url="https://r.example")
    told = "새로 실패한 질의는 7개입니다. 위에 없는 질의: Q-005, Q-006"
    assert f"- [{told}](https://r.example/run_260302/compare.html#preset=now_fails)" in text_of(worse)
    publish(worse.parent, "run_260303", broken=8)
    known = summarise(worse.parent)
    assert "run_260303" in known.entries
    assert "위에 없는 질의" not in text_of(worse.parent / "run_260303")


def test_questions_are_named_with_their_ids(tmp_path: Path) -> None:
    items = [
        make_item(2 + at, query_id=f"Q-{at}", question="같은 질문" if at < 2 else "다른 질문", **FAILED)
        for at in range(3)
    ]
    folder = publish_report(make_result(*items), set_name="run_260301", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert {"같은 질문 (Q-0)", "같은 질문 (Q-1)", "다른 질문 (Q-2)"} <= {
        line[2:].partition(" ○")[0] for line in text_of(folder).splitlines()
    }
    assert "다른 질문 (Q-2) ○ · 실패 · “Timeout”" in text_of(folder)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_forty_lines_hold_all_that_can_be_said(tmp_path: Path, language: str) -> None:
    """Many rules, tickets, measures, people's grades and slices, a run of many words, and rounds that lie apart."""
    folder = everything(tmp_path)
    summarise(tmp_path, language=language, public_url="https://reports.example")
    write_apart(tmp_path, ((NAME + "1", NAME + "2"),))
    assert write_summary(NAME + "2", Destination(out=tmp_path, language=language, public_url="https://reports.example"))
    text, page = text_of(folder), (folder / SUMMARY_HTML).read_text(encoding="utf-8")
    assert (
        [line[:2] for line in text.splitlines() if line]
        == [
            *("# ", text.splitlines()[2][:2], "**", "**", "**"),
            *["- "] * (5 + 1 + 1),  # figures, the others in one line, what is to be said of them in one
            *["##", *["- "] * (5 + 1)],
            *["##", *["- "] * (3 + 1)],
            *(line[:2] for line in text.splitlines()[-6:-2]),  # tickets, trust, rounds apart, next run
            text.splitlines()[-1][:2],
        ]
    )
    assert {"ko": " · 빈 응답\n", "en": " · empty answer\n"}[language] in text
    named = {"ko": r" \(의도 충족\)", "en": ""}[language]  # the figure that a rule is about, where it has another name
    rules = rf"^\*\*[^*]+\*\*: intent >= 4\.5{named}: .+ · intent >= 4\.6{named}: .+ · .*2"
    assert re.search(rules, text, flags=re.MULTILINE)
    assert len(text.splitlines()) == 40
    seen = "\n".join(Seen(page).lines)
    assert all(told in seen for told in ("HR-1", "HR-5", "v5", "NOTE", "PROBLEM-5", "field=en", "tokens12", "4.99"))
    assert len(page.encode()) <= 80_000


def everything(out: Path, **of_result: object) -> Path:
    """The later of two runs, of which there is something to say for every part of the page."""
    measures = tuple(Measure(name=f"m{at}", title=f"tokens{at}", column="t") for at in range(1, 13))

    def run(failing: Sequence[Mapping[str, Any]], name: str) -> SetResult:
        """In one track and one slice everything fails, if anything does."""
        items = [
            make_item(
                2 + 3 * number + at, query_id=f"Q-{number:03}", round=f"{at + 1}/1", track=1 + number // 10,
                question=HOSTILE[number % len(HOSTILE)] * 9, extra=("en" if number < 10 else "ko",),
                intent_source="recorded", llm_model="m", details=ItemDetails(measures=(1.0 * number + at,) * 12),
                **{"recorded": "5"} | (dict(failing[number % len(failing)]) if number < 10 else {}),
            )
            for number in range(30)
            for at in range(3)
        ]  # fmt: skip
        rubric = make_rubric(measures=measures)
        return make_result(*items, rubric=rubric, sha256=sha_of(name), extra_columns=("field",))

    publish_report(run([{}], "a"), set_name=NAME + "1", key="a", out=out)
    graded = [{"intent": float(points), "recorded": str(points)} for points in (1, 2)]
    result = run([FAILED, FAILED | {"status": Status.EMPTY, "error": ""}, *graded], "b")
    review = {
        "metric": "intent", "items": 30, "queries": 30, "up": 1, "down": 2, "against": [], "between": None,
        "causes": [], "corrected": {"queries": 30, "value": 4.99},
    }  # fmt: skip
    people = [{"name": f"P{at}", "n": 1} for at in range(20)]
    of_items = {"items": 30, "queries": 30, "used": 30, "reviewers": people, "origins": {"intent": {}}, "digest": "d"}
    reviews = convert(of_items | {"metrics": [review] * 2}, Reviews)
    result = replace(result, reviews=reviews, applied=Applied(result.items, (), (), ()), **of_result)
    folder = publish_report(result, set_name=NAME + "2", key="k", out=out).folder
    keep_gate(folder, status_of(folder), RULES)
    words = dict.fromkeys(("name", "agent_version", "prompt", "model", "commit", "url"), "v5" + "n" * 100_000)
    info = RunInfo(**words, note="NOTE\n" + "n" * 100_000)
    problems = tuple(
        Problem(code="known-blank", source=f"PROBLEM-{at}", row=at, column="n" * 100_000, values={"or": "n"})
        for at in range(1, 9)
    )
    said = RunInfoFile(info=info, problems=tuple(f"PROBLEM-{at} {'n' * 100_000}" for at in range(1, 9)))
    (folder / "run.json").write_bytes(encode_json(said))
    lines = [
        KnownLine(row=at, resolution=Resolution.KNOWN, query_id=f"Q-{at:03}", ticket=f"HR-{at}", reason="n" * 100_000)
        for at in range(1, 30)
    ]
    keep_known(out, KnownLines(name="known.csv", lines=tuple(lines), problems=problems))
    return folder


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_of_damaged_figures_holds_all_that_damaged_them_in_forty_lines(tmp_path: Path, language: str) -> None:
    touching = tuple(code for code, known in codes().items() if known.touches not in {"", "values"})
    folder = everything(
        tmp_path,
        findings=tuple(Finding(code=code, count=60) for code in touching),
        damaged=(Damage("intent", 0.5, touching),),
    )
    summarise(tmp_path, language=language)
    text = text_of(folder)
    assert text.startswith("**⚠ ")
    assert text.count("\n- ") == len(touching) + 5 + 1 + 1
    assert len(text.splitlines()) <= 40


_ENDINGS = ("니다", "세요")


def test_korean_paragraphs_are_whole_sentences(worse: Path) -> None:
    keep_gate(worse, status_of(worse), RULES)
    summarise(worse.parent)
    paragraphs = [line for line in text_of(worse).splitlines() if line and line[0] not in "#-"]
    _, *told = [re.sub(r"\([^)]*\)", "", paragraph.strip("*")) for paragraph in paragraphs]
    told = [line for line in told if not line.startswith("게이트 실패**: ")]
    assert len(told) == 5
    for paragraph in told:
        for sentence in re.split(r"(?<=다)\. ", paragraph.rstrip(". ")):
            said = sentence.rpartition(": ")[0] if "→" in sentence and "±" not in sentence else sentence
            assert said.endswith(_ENDINGS), sentence


def test_the_clearest_slice_stands_under_why(tmp_path: Path) -> None:
    items = [make_item(at + 2, extra=("en" if at < 10 else "ko",), **(FAILED if at < 10 else {})) for at in range(30)]
    folder = publish_report(make_result(*items, extra_columns=("언어",)), set_name="a", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert "- 언어=en: 응답 성공 0.0% (나머지 100.0%), 실패 10건 중 10건\n" in text_of(folder)


def test_queries_without_an_answer_to_assess_are_named(tmp_path: Path) -> None:
    """In this profile an error is no failure: nothing of it is graded."""
    rows = [
        {"Query ID": f"Q-{at}", "방/반복": f"{turn}/1", "질의": f"{at}?", "응답": answer, "오류": error, "등급": grade}
        for at in range(20)
        for turn in (1, 2, 3)
        for answer, error, grade in [("", "Timeout", "") if at < turn - 1 or at == 0 else ("네", "", "5")]
    ]
    result = merge([("a.csv", scores_part(rows))], SCORES)
    folder = publish_report(result, set_name="run_260301", key="a", out=tmp_path).folder
    summarise(tmp_path)
    text, page = text_of(folder), (folder / "summary.html").read_text(encoding="utf-8")
    assert "한 번도 평가하지 못한 질의 1개가 있습니다." in text
    assert "(Q-0) ––– · 한 번도 답변하지 못함 · “Timeout”" in text
    assert "(Q-1) ●●– · 답변하지 못한 회차 있음 · “Timeout”" in text
    assert "오류나 빈 응답은 4문항입니다." in text
    assert "–는 평가하지 못한 회차입니다." in page


def test_the_checklist_is_counted_as_the_report_marks_it(tmp_path: Path) -> None:
    """Also a line about tracks or about one round, which is no finding of the data."""
    folder = publish_report(make_result(make_item(2)), set_name="run_260301", key="a", out=tmp_path).folder
    summarise(tmp_path)
    report = (folder / "report.md").read_text(encoding="utf-8")
    lines, marked = (len(re.findall(rf"(?m)^- \[[{marks}]\]", report)) for marks in (" x", " "))
    assert marked == 2
    assert f"체크리스트 {lines}개 중 {marked}개는" in text_of(folder)
    assert f"체크리스트에서 확인할 것 {marked}건" in report
