"""The front page beside a report: when it is made again, and what it says of a set."""

import json
import re
from pathlib import Path

import pytest

from cli.main import main
from reporting.report import report_set
from reporting.runs import compare_missing, keep_gate
from reporting.store import (
    STATUS,
    SUMMARY_HEAD,
    SUMMARY_HTML,
    SUMMARY_JSON,
    SUMMARY_MD,
    Destination,
    KnownSets,
    StatusFile,
    write_pin,
)
from reporting.summary import summarise_missing, write_summary
from scoring.gate import GateRules, RuleSet, parse_rule
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.rubric import PassRule
from scoring.sets import SetId
from tests.cli.place import rows
from tests.paths import ROOT
from tests.reporting.comparison.runs import FAILED, HOSTILE, items_of
from tests.reporting.publishing import publish_report, write_problem
from tests.reporting.results import make_item, make_result, make_rubric, sha_of
from tests.reporting.seen import Seen
from tests.scoring.steps import steps

RULES = GateRules(common=RuleSet(rules=(parse_rule("intent >= 4.5", {"intent": 5.0}),)))


def publish(out: Path, name: str, *, broken: int = 0, rounds: int = 2, key: str = "") -> Path:
    result = make_result(*items_of(30, broken=broken, rounds=rounds), sha256=sha_of(name))
    return publish_report(result, set_name=name, key=key or f"k-{name}", out=out).folder


def summarise(out: Path, *, language: str = "ko", public_url: str = "") -> KnownSets:
    destination = Destination(out=out, language=language, public_url=public_url)
    known = KnownSets(out)
    known.look()
    assert compare_missing(destination, known)[1] == []
    assert summarise_missing(destination, known) == []
    return known


def text_of(folder: Path) -> str:
    return (folder / SUMMARY_MD).read_text(encoding="utf-8")


def status_of(folder: Path) -> StatusFile:
    found = STATUS.read(folder)
    assert found is not None
    return found


@pytest.fixture
def worse(tmp_path: Path) -> Path:
    """The later of two runs, in which seven of thirty queries fail."""
    publish(tmp_path, "run_260301")
    return publish(tmp_path, "run_260302", broken=7)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "지난 실행(run_260301)보다 나빠졌습니다: 응답 성공률 100.0% → 76.7%(변화의 95% 구간 −"),
        ("en", "Worse than the previous run (run_260301): Answer rate 100.0% → 76.7% (95% interval of the change −"),
    ],
)
def test_the_page_says_first_that_it_got_worse(worse: Path, language: str, said: str) -> None:
    summarise(worse.parent, language=language)
    page = Seen((worse / SUMMARY_HTML).read_text(encoding="utf-8"))
    lines = [line for line in page.lines if line]
    assert any(line.startswith(said) for line in lines[:12]), lines[:12]
    assert said in text_of(worse).replace("\\", "")
    assert "●●→○○" in text_of(worse)


def test_the_page_of_a_first_run_says_what_stands_out(tmp_path: Path) -> None:
    folder = publish(tmp_path, "run_260301", broken=2)
    summarise(tmp_path)
    assert "한 번도 성공하지 못한 질의 2개가 있습니다." in text_of(folder)
    assert "첫 실행" in text_of(folder)


def test_a_pinned_baseline_is_named_as_such(worse: Path) -> None:
    publish(worse.parent, "run_260228")
    write_pin(worse.parent, "resume-agent", "run_260228")
    summarise(worse.parent)
    assert "고정한 기준 실행(run_260228)보다 나빠졌습니다" in text_of(worse)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (3.0, "답은 그대로이고 평가 모델이 30문항에 다른 점수를 매겼습니다: 의도 충족 5.00 → 3.00"),
        (5.0, "달라진 질의가 없습니다"),
    ],
)
def test_a_judge_that_graded_the_same_inputs_anew_is_neither_worse_nor_chance(
    tmp_path: Path, points: float, said: str
) -> None:
    for name, intent in (("run_260301", 5.0), ("run_260302", points)):
        items = items_of(30, intent=intent, intent_source="judge", text_hash="0123456789abcdef")
        publish_report(make_result(*items, sha256=sha_of("one")), set_name=name, key=f"k-{name}", out=tmp_path)
    write_pin(tmp_path, "resume-agent", "run_260301")
    summarise(tmp_path)
    folder = tmp_path / "run_260302"
    for page in (text_of(folder), (folder / "compare.md").read_text(encoding="utf-8")):
        assert said in page.replace("\\", "")
        assert not [words for words in ("나빠졌", "우연", "배제할 수 없습니다") if words in page and points < 5]


def test_one_round_says_that_consistency_needs_two(tmp_path: Path) -> None:
    folder = publish(tmp_path, "run_260301", rounds=1)
    summarise(tmp_path)
    assert "회차가 하나라 일관성은 알 수 없습니다" in text_of(folder)


def test_a_refused_set_says_what_to_do(tmp_path: Path) -> None:
    folder = write_problem(tmp_path, name="run_260301").folder
    summarise(tmp_path)
    assert "파일을 읽지 못해 점수를 내지 못했습니다." in text_of(folder)
    assert "empty-file" in text_of(folder)


def test_a_set_without_any_answer_to_score_says_so(tmp_path: Path) -> None:
    rubric = make_rubric(pass_points=PassRule(metric="intent", points=4))
    result = make_result(make_item(2, intent=None, accuracy=None), rubric=rubric)
    folder = publish_report(result, set_name="run_260301", key="k", out=tmp_path).folder
    summarise(tmp_path)
    assert "채점된 답변이 없어 점수를 낼 수 없습니다." in text_of(folder)


def test_it_is_made_again_when_anything_of_its_key_changes_and_only_then(worse: Path) -> None:
    summarise(worse.parent)
    first = (worse / SUMMARY_JSON).read_bytes()
    written = (worse / SUMMARY_JSON).stat().st_mtime_ns
    summarise(worse.parent)
    assert (worse / SUMMARY_JSON).stat().st_mtime_ns == written
    keep_gate(worse, status_of(worse), RULES)
    summarise(worse.parent)
    assert "게이트 실패" in text_of(worse)
    summarise(worse.parent, public_url="https://reports.example")
    assert "](https://reports.example/run_260302/report.html#query=Q-000)" in text_of(worse)
    (worse / "gate.json").unlink()
    summarise(worse.parent)
    assert (worse / SUMMARY_JSON).read_bytes() == first
    (worse / SUMMARY_HTML).unlink()
    summarise(worse.parent)
    assert (worse / SUMMARY_HTML).is_file()


def test_without_a_web_address_the_mailable_text_has_no_link(worse: Path) -> None:
    summarise(worse.parent)
    assert "](" not in text_of(worse)
    page = Seen((worse / SUMMARY_HTML).read_text(encoding="utf-8"))
    assert "자세한 내용은 보고서 폴더의 run_260302/report.html에 있습니다." in page.lines


def _part() -> tuple[str, Part]:
    (path,) = (ROOT / "tests/cases/one_round").glob("*.csv")
    with path.open("rb") as stream:
        return path.name, score_file(stream, name=path.name, rubric=make_rubric())


def test_a_new_version_waits_for_its_comparison(tmp_path: Path) -> None:
    destination = Destination(out=tmp_path, language="ko")
    page = tmp_path / "a" / SUMMARY_HTML
    for key in ("k1", "k2"):
        report_set([_part()], make_rubric(), destination, SetId("a", key))
        assert "비교 대기 중" in page.read_text(encoding="utf-8")
        assert SUMMARY_HEAD.read(page.parent) is None
        summarise(tmp_path)
        assert "비교 대기 중" not in page.read_text(encoding="utf-8")
    report_set([_part()], make_rubric(), destination, SetId("a", "k2"))
    assert "비교 대기 중" not in page.read_text(encoding="utf-8")


def test_a_folder_that_is_gone_is_nothing_to_write(worse: Path) -> None:
    (worse / "status.json").unlink()
    assert not write_summary(worse.name, Destination(out=worse.parent, language="ko"))
    assert not (worse / SUMMARY_HTML).exists()


def test_texts_of_a_file_stay_texts_and_are_cut(tmp_path: Path) -> None:
    texts = [*HOSTILE, "가" * 100_000]
    items = [
        make_item(2 + at, query_id=f"{text}-{at}", question=text, category=text, round=text, **FAILED | {"error": text})
        for at, text in enumerate(texts)
    ]
    name = "run_" + "n" * 200
    folder = publish_report(make_result(*items), set_name=name, key="k", out=tmp_path).folder
    summarise(tmp_path, public_url="https://reports.example")
    page = (folder / SUMMARY_HTML).read_text(encoding="utf-8")
    seen = Seen(page)
    assert len(page.encode()) <= 60_000
    assert not {"img", "script:src"} & {tag for tag, _ in seen.tags}
    links = [attributes["href"] or "" for tag, attributes in seen.tags if tag == "a"]
    assert all(link.startswith(("https://reports.example/", "#main")) for link in links)
    markdown = text_of(folder)
    assert len(markdown.splitlines()) <= 40
    assert not any(sign in page + markdown for sign in ("\u202e", "\x00", "\x1b"))
    assert "<img" not in markdown
    assert not re.search(r"(?<!\\)\]\((?!https://reports\.example/)", markdown)


def test_it_takes_little(worse: Path) -> None:
    summarise(worse.parent)
    destination = Destination(out=worse.parent, language="ko")
    (worse / SUMMARY_JSON).unlink()
    assert steps(lambda: write_summary(worse.name, destination)) < 25_000  # 15,600, which are 7 ms
    assert (worse / SUMMARY_JSON).exists()


def test_damaged_figures_are_not_compared_and_the_board_warns_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    whole = rows(*(f"Q{at}" for at in range(20)))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/resume_agent_260301.csv").write_text(whole, encoding="utf-8")
    cut = whole.replace('""responseTimeSec"": 4}', "", 7)
    cut = cut.replace('"{""assistantMessage"": ""지원자는 3명입니다."", "', "#REF!", 1)  # one cell, two findings
    (tmp_path / "in/resume_agent_260308.csv").write_text(cut, encoding="utf-8")
    main(["score", str(tmp_path / "in"), "--out", str(tmp_path / "out")])
    text = text_of(tmp_path / "out/resume_agent_260308")
    assert "**손상된 값이 많아 지난 실행(resume_agent_260301)과 비교하지 않았습니다.**" in text
    for name in ("summary.md", "summary.html", "compare.md"):
        page = (tmp_path / "out/resume_agent_260308" / name).read_text(encoding="utf-8")
        assert "payload-unreadable" not in page
    compared = (tmp_path / "out/resume_agent_260308/compare.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("- Raw JSON 7칸")]
    assert line in compared
    assert not [part for part in ("새로 실패", "p <", "비교했습니다", "| 지표 |") if part in compared]
    assert "Excel 오류 값 1칸" in text
    assert "→" not in text
    assert "Raw JSON 7칸을 읽지 못해" in text.partition("## 값이 손상된 원인")[2]
    assert "! 믿을 수 있나: 쓸 수 없습니다." in text
    assert "원본에서 다시 내보내 넣으세요." in text
    assert not [part for part in ("먼저 볼 답변", "## 왜", "20행을 썼습니다", "다음 실행") if part in text]
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert 'title="값이 손상되어 비교할 수 없음">≠</a>' in index
    assert 'title="조건이 같지 않음' not in index
    board = (tmp_path / "out/index.md").read_text(encoding="utf-8").partition("## 모든 세트")[0]
    assert "⚠ 20문항 중 7문항의 값을 읽지 못했습니다. 이 점수는 쓰지 마세요." in board


def test_trust_tells_of_admitted_failures_scores_of_failed_answers_and_one_run_exported_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    header, *lines = rows(*(f"Q{at}" for at in range(20))).splitlines()
    timed = [f"{line},2026-03-01 09:00:00" for line in lines]
    failed = timed[0].replace(",3명,,,,,", ",,Timeout,,3,,")
    admitted = [line.replace("지원자는 3명입니다.", "문제가 발생했습니다.") for line in timed[1:3]]
    (tmp_path / "in").mkdir()
    for name, shown_rows in {"a": timed, "b": [failed, *admitted, *timed[3:]]}.items():
        text = "\r\n".join([f"{header},실행시각", *shown_rows, ""])
        (tmp_path / f"in/resume_agent_{name}.csv").write_text(text, encoding="utf-8")
    main(["score", str(tmp_path / "in"), "--out", str(tmp_path / "out")])
    (trust,) = [
        line for line in text_of(tmp_path / "out/resume_agent_b").splitlines() if line.startswith("! 믿을 수 있나")
    ]
    assert trust.startswith("! 믿을 수 있나: 쓸 수 있지만 확인할 것이 있습니다.")
    assert "‘실패했다’고 답했지만 성공으로 센 답변이 2개 있습니다." in trust
    assert "실패했는데 점수가 적힌 답변이 1개 있습니다." in trust
    assert "비교한 두 실행의 Run ID와 실행시각이 같습니다" in trust
    compared = json.loads((tmp_path / "out/resume_agent_b/compare.json").read_bytes())
    assert "same-run" in compared["note_codes"]
    report = (tmp_path / "out/resume_agent_b/report.md").read_text(encoding="utf-8")
    (unticked,) = re.findall(r"체크리스트에서 확인할 것 (\d+)건", report)
    assert f"체크리스트 5개 중 {unticked}개는 확인이 필요합니다." in trust


def test_rows_add_up_and_what_touches_figures_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    header, *lines = rows(*(f"Q{at}" for at in range(39)), "@1/1", "Q39").splitlines()
    cut = lines[0].replace('""responseTimeSec"": 4}', "")
    blank = "," * header.count(",")
    text = "\r\n".join([header, cut, *lines[1:3], blank, *lines[2:], ""])
    (tmp_path / "resume_agent_a.csv").write_text(text, encoding="utf-8")
    main(["score", str(tmp_path / "resume_agent_a.csv"), "--out", str(tmp_path)])
    (folder,) = (path.parent for path in tmp_path.glob("*/report.json"))
    assert (
        "42행 중 40행을 썼습니다. 같은 문항이 되풀이된 행이 1개 있어 마지막 것만 셌습니다. 쓰지 못한 행은 1개입니다. "
        "점수에 영향을 주는 오류가 2건 있습니다(Query ID가 없어 뺀 행 1개, 읽지 못한 Raw JSON 1칸)."
    ) in text_of(folder)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "ko",
            "쓸 수 있지만 확인할 것이 있습니다. | 고르지 않은 레코드는 2건 | (응답 시간을 읽지 못한 행 1개).",
        ),
        (
            "en",
            "Yes, but look at this first. | did not select 2 of the records. | figures: response times not used: 1.",
        ),
    ],
)
def test_values_that_could_not_be_used_are_told_and_records_that_nobody_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    document = (ROOT / "config/rubrics/langfuse.md").read_text(encoding="utf-8")
    document = document.replace("\nrecords: ", "\nwhere: { type: run }\nrecords: ", 1)
    (tmp_path / "runs.md").write_text(document, encoding="utf-8")
    run = {"type": "run", "input": "q", "output": "a"}
    records = [{"id": str(at), **run, "latency": latency} for at, latency in enumerate(("2", "3", "soon"))]
    records += [{"type": "note"}, {"type": "note"}]
    (tmp_path / "langfuse_a.json").write_text(json.dumps(records), encoding="utf-8")
    asked = ["score", str(tmp_path / "langfuse_a.json"), "--rubric", str(tmp_path / "runs.md")]
    main([*asked, "--out", str(tmp_path / "out"), "--language", language])
    text = text_of(tmp_path / "out/langfuse_a.json")
    (trust,) = [line for line in text.splitlines() if line.startswith(("! 믿을 수 있나", "! Can I trust it"))]
    assert [part for part in said.split(" | ") if part not in trust] == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "300행 중 250행을 쓰지 못했습니다. 이 점수는 쓰지 마세요."),
        ("en", "250 of 300 rows could not be used. Do not use these scores."),
    ],
)
def test_damaged_figures_have_a_banner_above_everything_on_every_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    monkeypatch.setattr("cli.main._use_utf8", lambda: None)
    case = ROOT / "tests/cases_found/half_unusable/resume_agent_절반나쁨.csv"
    main(["score", str(case), "--out", str(tmp_path), "--language", language])
    (folder,) = (path.parent for path in tmp_path.glob("*/report.json"))
    pages = [*folder.glob("*.html"), *folder.glob("*.md"), *folder.glob("rounds/*/*.md")]
    assert len(pages) >= 9
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".html":
            assert text.index(said) < text.index("<h1>"), page
        else:
            start = text.partition("\n\n")[2] if page.name == "report.md" else text  # which begins as its template
            assert start.startswith(f"**⚠ {said}**"), page
    assert "Do not use" not in text_of(folder).split(said, 1)[1]
    for page in (folder / SUMMARY_HTML, folder / "report.html", tmp_path / "index.html"):
        text = page.read_text(encoding="utf-8").partition('class="filters')[0]
        assert re.search(r'<s class="muted">\d', text), page
        assert not re.search(r"<b>\d", text), page
    assert not re.search(r"\*\*\d[\d.]*%?\*\*", text_of(folder))
