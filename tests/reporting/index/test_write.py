"""index.md: one line per set, links that work, names that do nothing."""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from reporting.index.board import MAX_LISTED, MOST_TO_DO
from reporting.index.cells import figure_mark
from reporting.index.rows import metric_columns
from reporting.index.write import write_index
from reporting.store import (
    STATUS,
    WORK_AREA,
    BaselineFile,
    KnownSets,
    SourceMark,
    SourceState,
    find_sets,
    read_sources,
    write_sources,
    write_unread,
)
from scoring import Problem
from scoring.comparison import Difference, Origin, Verdict
from scoring.judging import JudgeFigures, JudgeState
from scoring.results import merge
from scoring.rubric import Status
from tests.reporting.index.folders import a_status, with_figures, write_comparison, write_status
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import SHA, make_item, make_result, sha_of
from tests.scoring.judged_sets import SCORES, scores_part


def report(out: Path, name: str, key: str = "k") -> None:
    failed = make_item(3, status=Status.ERROR, intent=0.0, accuracy=0.0, stability=0.0)
    publish_report(make_result(make_item(), failed, sha256=sha_of(name)), set_name=name, key=key, out=out)


def problem(out: Path, name: str) -> None:
    publish_problem(
        [Problem(code="empty-file", source="b.csv")],
        inputs=[("b.csv", SHA)],
        set_name=name,
        key="k",
        out=out,
        profile="p",
        rubric_digest="d",
    )


def test_index_lists_every_set_with_its_figures(tmp_path: Path) -> None:
    report(tmp_path, "나/resume-agent")
    problem(tmp_path, "가")
    assert write_index(tmp_path)
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "세트 2개: 보고서 1개, 읽지 못함 1개" in text
    # No column of the state (nothing beside it), pass rate, consistency (one round) and baseline.
    assert "| 세트 | 실행시각 | 문항 | 응답 성공률 | 의도 충족 | 정확성 | 응답 속도 | 안정성 | 살펴볼 것 |" in text
    at = r"\d{4}-\d\d-\d\d \d\d:\d\d 도착"
    assert re.search(
        rf"\| \[가\]\(%EA%B0%80/summary.md\), \[problem.md\]\(\S+\) \| {at}( \| —){{6}} \| 1 \(오류 1\) \|",
        text,
    )
    half = "2.50 (0.02–4.98)"
    cells = re.escape(f" | 2 | 50.0% | {half} | {half} | 5.00 (1.71–5.00) | {half} |  |")
    assert re.search(rf"\| \[나/resume-agent\]\(\S+/summary.md\), \[report.md\]\(\S+\) \| {at}{cells}", text)
    assert "- [가](%EA%B0%80/summary.md): " in text
    assert not write_index(tmp_path)  # nothing changed
    report(tmp_path, "가", key="k2")
    assert write_index(tmp_path)
    assert "세트 2개: 보고서 2개\n" in (tmp_path / "index.md").read_text(encoding="utf-8")


def test_a_link_says_that_it_opens_a_comparison_and_a_sign_why_there_is_none(tmp_path: Path) -> None:
    for name in ("run_260301", "run_260302"):
        report(tmp_path, name)
    before, after = (STATUS.read(tmp_path / name) for name in ("run_260301", "run_260302"))
    assert before is not None
    assert after is not None
    write_comparison(tmp_path, before, None)
    write_comparison(tmp_path, after, before, Difference.JUDGE, verdict=Verdict.NOT_COMPARABLE)
    write_index(tmp_path, language="en")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    page = "run_260302/compare.html"
    assert f'run_<wbr>260301 <a href="{page}">comparison</a></td>' in html
    assert '<a href="run_260301/compare.html">no baseline</a>' in html
    titles = re.findall(rf'<a href="{page}" title="([^"]+)">≠</a>', html)
    assert titles == ["not comparable: judge", "not comparable: its values are damaged"]
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "| run_260301, [compare.md](run_260302/compare.md) |" in text


def test_figures_of_a_damaged_run_are_struck_and_have_one_verdict(tmp_path: Path) -> None:
    for name in ("run_260301", "run_260302"):
        report(tmp_path, name)
    before, after = (STATUS.read(tmp_path / name) for name in ("run_260301", "run_260302"))
    assert before is not None
    assert after is not None
    write_comparison(tmp_path, after, before, verdict=Verdict.SAME)
    write_status(tmp_path, msgspec.structs.replace(after, damaged=True))
    write_index(tmp_path, language="en")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    damaged, sound = re.findall(r"<tr>(?:(?!<tr>).)*?summary\.html.*?</tr>", html)
    figures = re.findall(r'<td class="r wide"[^>]*>([^\d—].*?)</td>', damaged)
    assert figures
    assert all(figure.startswith('<s class="muted">') and "its values are damaged" in figure for figure in figures)
    assert "<b>" not in damaged
    assert ">≠ not comparable: its values are damaged</small>" in damaged
    assert "<s" not in sound.replace("<small", "")
    line = next(line for line in _index(tmp_path, "en").splitlines() if line.startswith("| [run_260302]"))
    assert "–" not in line  # no interval


@pytest.mark.parametrize(
    ("verdicts", "mark"),
    [
        ((Verdict.SAME, Verdict.NOT_DISTINGUISHABLE), "–"),
        ((Verdict.SAME, Verdict.WORSE), "▽"),
        ((Verdict.BETTER, Verdict.WORSE), "↕"),
        ((Verdict.NO_VALUE, Verdict.NO_VALUE), ""),
    ],
)
def test_a_figure_that_is_compared_by_class_has_the_worst_mark(verdicts: Sequence[Verdict], mark: str) -> None:
    classes = dict(zip(("latency.single", "latency.multi"), verdicts, strict=True))
    compared = BaselineFile(
        set="s", key="k", origin=Origin.EARLIER, language="en", engine_version=1, sentence="", verdicts=classes
    )
    assert figure_mark(compared, "latency") == mark
    own = msgspec.structs.replace(compared, verdicts={**classes, "latency": Verdict.BETTER})
    assert figure_mark(own, "latency") == "▲"


def test_index_says_where_a_judge_has_something_left(tmp_path: Path) -> None:
    for name, state in (("a", JudgeState.PENDING), ("b", JudgeState.INCOMPLETE), ("c", JudgeState.DONE)):
        result = replace(make_result(make_item(), sha256=sha_of(name)), judge=JudgeFigures(state=state, metrics=()))
        publish_report(result, set_name=name, key="k", out=tmp_path)
    write_index(tmp_path)
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    states = re.findall(r"^\| \[(\w)\]\([^|]+\) \| ([^|]+) \|", text, flags=re.MULTILINE)
    assert sorted(states) == [("a", "보고서, 평가 대기"), ("b", "보고서, 평가하지 못한 문항 있음"), ("c", "보고서")]
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert html.count("<small>평가 대기</small>") == 1


def test_metrics_of_a_latency_class_have_no_column_of_their_own(tmp_path: Path) -> None:
    report(tmp_path, "s")
    path = tmp_path / "s/status.json"
    content = msgspec.json.decode(path.read_bytes())
    names = {"latency.single": 2.0, "latency": 3.0, "rubrics": 0.5, "intent": 4.0}
    headline = content["headline"] | {"metrics": names, "intervals": dict.fromkeys(names)}
    path.write_bytes(msgspec.json.encode(content | {"headline": headline}))
    assert "| Rubrics Score | 의도 충족 | 응답 속도 |" in _index(tmp_path)
    assert metric_columns(["rubrics", "other", "total"]) == ["total", "rubrics", "other"]


def test_a_column_is_there_where_a_set_has_something_in_it(tmp_path: Path) -> None:
    report(tmp_path, "answers")
    assert "통과율" not in _index(tmp_path)
    part = scores_part([{"id": "Q1", "응답": "답", "등급": "4"}])
    publish_report(merge([("a.csv", part)], SCORES), set_name="levels", key="k", out=tmp_path)
    mixed = _index(tmp_path)
    assert "| 통과율 | 응답 성공률 | Rubrics Score | 의도 충족 |" in mixed
    assert " | 1 | 100.0% | 100.0% | 0.75 |" in mixed
    assert "세트 2개: 보고서 2개" in mixed
    data = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '"columns":["passed"]' in data
    shutil.rmtree(tmp_path / "levels")
    assert "통과율" not in _index(tmp_path)


def test_a_metric_in_the_list_carries_its_interval(tmp_path: Path) -> None:
    report(tmp_path, "s")
    _index(tmp_path)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<td class="r wide" title="95% 구간 0.02–4.98">2.50</td>' in html
    assert '"250 248 248|250 248 248|500 329 0|250 248 248"' in html  # consistency of one round has no column
    assert '"interval":"95% 구간 {interval}"' in html


def test_one_set_is_not_told_in_the_plural(tmp_path: Path) -> None:
    report(tmp_path, "s")
    assert "1 set: 1 report" in _index(tmp_path, "en").splitlines()


def _index(out: Path, language: str = "ko") -> str:
    write_index(out, language=language)
    return (out / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["a b/(c)", "[x](javascript:alert(1))", "<b>|`", "100%/?#", "a'\"b", "한글\u00a0x"])
def test_links_of_hostile_names_lead_to_the_set(tmp_path: Path, name: str) -> None:
    report(tmp_path, name)
    write_index(tmp_path)
    html = MarkdownIt("commonmark").enable("table").render((tmp_path / "index.md").read_text(encoding="utf-8"))
    trend, card, first, target = re.findall(r'href="([^"]*)"', html)
    assert (trend, card) == ("trend-resume-agent.html", first)
    assert unquote(first) == f"{name}/summary.md"
    assert (tmp_path / unquote(target)).is_file()
    assert "<b>" not in html
    assert html.count("<tr>") == 2


def test_what_is_no_set_is_passed_over(tmp_path: Path) -> None:
    report(tmp_path, "a")
    for place in ("a/history/1", "a/rounds/x", ".hidden", "broken", "."):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "status.json").write_bytes((tmp_path / "a/status.json").read_bytes())
    (tmp_path / "broken/status.json").write_text("{")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert [entry.set_name for entry in find_sets(tmp_path)] == ["a"]


def test_a_folder_that_cannot_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report(tmp_path, "a")
    for key in ("k", "k2"):
        report(tmp_path, "b", key=key)
    (tmp_path / "lost+found").mkdir()
    real_scandir = os.scandir

    def scandir(path: str) -> object:
        if path == str(tmp_path / "lost+found"):
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [entry.set_name for entry in find_sets(tmp_path)] == ["a", "b"]


def test_an_output_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(path: str) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(PermissionError):
        list(find_sets(tmp_path))


def test_a_status_that_could_not_be_read_for_a_while_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report(tmp_path, "a")
    known = KnownSets(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(STATUS, "read", lambda _: None)
        known.look()
        assert known.entries == {}
    known.look()
    assert list(known.entries) == ["a"]


def test_what_became_of_the_files_stands_beside_the_state(tmp_path: Path) -> None:
    for name in ("a", "b|", "c", "d"):
        report(tmp_path, name)
    marks = {
        "a": SourceMark(SourceState.REMOVED),
        "b|": SourceMark(SourceState.RENAMED, "<i>|\x1b\u202e"),
        "c": SourceMark(SourceState.DUPLICATE, "d"),
    }
    write_sources(tmp_path, marks)
    assert read_sources(tmp_path) == marks
    before = (tmp_path / "a/report.md").read_bytes()
    write_index(tmp_path)
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    states = [line.split(" | ")[1] for line in text.replace("\\|", "").splitlines() if line.startswith("| [")]
    assert states == [
        "보고서",
        "보고서, 같은 내용: d",
        "보고서, 이름 바뀜 → &lt;i>",
        "보고서, 원본 없음",
    ]  # newest first
    assert (tmp_path / "a/report.md").read_bytes() == before


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"format_version": 2, "sets": {}}', b'{"format_version": 1, "sets": []}']
)
def test_a_lost_or_foreign_file_of_marks_is_none(tmp_path: Path, data: bytes) -> None:
    write_sources(tmp_path, {"a": SourceMark(SourceState.REMOVED)})
    (tmp_path / WORK_AREA / "sources.json").write_bytes(data)
    assert read_sources(tmp_path) == {}


def test_unclaimed_files_are_listed_and_counted(tmp_path: Path) -> None:
    unclaimed = [f"x{number}<i>.csv" for number in range(MAX_LISTED + 3)]
    write_index(tmp_path, unclaimed=unclaimed, patterns={"b": ["b_*.csv", "b_*.xlsx", "!b_x*"], "a": ["<a>", "a.*"]})
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert text.count("\n- ") == MOST_TO_DO + 1
    assert f"- 외 {MAX_LISTED + 3 - MOST_TO_DO}개" in text
    assert "<i>" not in text
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert html.count("&lt;i&gt;.csv</li>") == MAX_LISTED
    assert "<li>외 3개</li>" in html
    assert "채점하는 파일 이름: &lt;a&gt;, a.* (a), b_*.csv/.xlsx (b)" in html
    write_index(tmp_path, unclaimed=unclaimed, patterns={name: [f"{name}_*.csv"] for name in "abcd"})
    html, text = ((tmp_path / name).read_text(encoding="utf-8") for name in ("index.html", "index.md"))
    assert "<summary>채점하는 파일 이름: 4</summary>" in html
    assert "<li>a_*.csv (a)</li>" in html
    assert r"a\_\*.csv (a), b\_\*.csv (b)" in text


def test_index_of_an_output_that_is_not_there(tmp_path: Path) -> None:
    assert write_index(tmp_path / "new", unclaimed=["\udcff.csv"])
    assert "%FF" in (tmp_path / "new/index.md").read_text(encoding="utf-8")


def test_a_share_that_fell_has_its_mark_in_the_row(tmp_path: Path) -> None:
    before, after = (replace(a_status(tmp_path), set=f"run_26030{at}", key=str(at)) for at in (1, 2))
    after = with_figures(after, answered=15)
    for status in (before, after):
        write_status(tmp_path, status)
    write_comparison(tmp_path, after, before, verdict=Verdict.WORSE)
    write_index(tmp_path)
    link = '<small class="down"><a href="run_260302/compare.html" title="나빠짐">▽</a></small>'
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f'<td class="r wide">75.0%{link}</td>' in page
    assert ';; h"' in page  # for the script: no mark of what passes, worse of what is answered
    assert "| 75.0% ▽ |" in (tmp_path / "index.md").read_text(encoding="utf-8")


def test_what_could_not_be_read_is_listed_with_its_reason(tmp_path: Path) -> None:
    write_unread(tmp_path, {"방<i>": "Permission denied"})
    write_index(tmp_path)
    text = (tmp_path / "index.md").read_text()
    assert "## 읽지 못한 파일과 폴더" in text
    assert "- 방&lt;i> (권한이 없음)" in text
    assert "<li>방&lt;i&gt; (권한이 없음)</li>" in (tmp_path / "index.html").read_text()
    write_unread(tmp_path, {})
    write_index(tmp_path)
    assert "권한이 없음" not in (tmp_path / "index.md").read_text()
