"""The board: a card for each profile, what is to be done, and the same in a few lines of Markdown."""

import hashlib
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from reporting.index import Index, write_index
from reporting.index.board import MOST_CARDS, MOST_TO_DO
from reporting.store import (
    BASELINE_JSON,
    GATE,
    SUMMARY_HTML,
    SUMMARY_JSON,
    GateFile,
    KnownSets,
    StatusFile,
    encode_json,
    read_baseline,
    write_unread,
)
from scoring.gate import GateResult, GateState, RuleResult, Unit
from scoring.statistics import Interval
from tests.paths import ROOT
from tests.reporting.index.folders import (
    a_status,
    refused,
    with_figures,
    write_comparison,
    write_front_page_mark,
    write_status,
)

EVIL = "<b>=1+1|[x](javascript:1)\u202e"
MOST_LINES = 60  # of index.md before its table


def a_run(
    out: Path, base: StatusFile, name: str, value: float, *, metric: str = "intent", **changes: object
) -> StatusFile:
    figures = {metric: value, "accuracy": None}
    intervals = {metric: Interval(value - 0.5, value + 0.5), "accuracy": None}
    status = msgspec.structs.replace(base, set=name, key=name, **{"inputs": {"a.csv": name}, **changes})
    status = with_figures(status, metrics=figures, intervals=intervals)
    write_status(out, status)
    return status


def a_base(out: Path) -> StatusFile:
    """The status of a report, whose set is not there."""
    status = a_status(out)
    shutil.rmtree(out / status.set)
    return status


def pages(out: Path) -> tuple[str, str]:
    return (out / "index.html").read_text(encoding="utf-8"), (out / "index.md").read_text(encoding="utf-8")


def compared(out: Path, status: StatusFile, before: StatusFile, sentence: str, now_fails: int) -> None:
    write_comparison(out, status, before)
    mark = read_baseline(out / status.set, status)
    assert mark is not None
    mark = msgspec.structs.replace(mark, now_fails=now_fails, headline="intent", sentence=sentence)
    (out / status.set / BASELINE_JSON).write_bytes(encode_json(mark))


def test_a_card_says_how_the_latest_run_of_a_profile_went(tmp_path: Path) -> None:
    base = a_base(tmp_path)
    before = a_run(tmp_path, base, "run_260301", 4.0)
    after = a_run(tmp_path, base, "run_260302", 3.5, rubric_digest="other")
    compared(tmp_path, after, before, "compared <b>", 5)
    rule = RuleResult(rule="intent >= 4.25", state=GateState.FAILED, reason="", unit=Unit.POINTS, limit=4.25)
    gate = GateFile(set=after.set, key=after.key, judge_digest="", rules="", result=GateResult(rule.state, (rule,)))
    GATE.write(tmp_path / after.set, gate)
    known = KnownSets(tmp_path)
    index = Index(known, language="en")
    index.write()
    html, text = pages(tmp_path)
    (card,) = re.findall(r'<article class="card">(.*?)</article>', html, flags=re.DOTALL)
    shown = re.sub(r"<svg.*</svg>", "", card, flags=re.DOTALL)
    words = " ".join(re.sub(r"<[^>]+>", " ", shown).split())
    assert words == (
        "resume-agent run_260302 Gate failed Intent 3.50 (3.00–4.00) ▽ compared &lt;b&gt; 5 newly failing"
        " ┊ From run_260302 on, these differ: rubric."
    )
    assert re.findall(r'href="([^"]+)"', card) == [
        "trend-resume-agent.html", "run_260302/summary.html", "run_260302/compare.html#preset=now_fails",
    ]  # fmt: skip
    assert "Gate 4.25" in card
    assert card.count('class="g d"') == 1  # where the rubric changed
    assert "- [resume-agent](trend-resume-agent.html): [run_260302](run_260302/summary.md) · Gate failed" in text
    assert "[5 newly failing](run_260302/compare.md)" in text

    write_front_page_mark(tmp_path, after)  # its front page says it better
    path = tmp_path / after.set / SUMMARY_JSON
    said = msgspec.json.decode(path.read_bytes()) | {"verdict": "Worse than the previous run."}
    path.write_bytes(msgspec.json.encode(said))
    assert (tmp_path / after.set / SUMMARY_HTML).exists()
    known.look_at([after.set])
    assert index.write()
    html, text = pages(tmp_path)
    assert "Worse than the previous run." in html
    assert "Worse than the previous run." in text


@pytest.mark.parametrize(("passed", "said"), [(7, "실패한 문항 2"), (9, ""), (None, "실패한 문항 4")])
def test_a_card_leads_to_the_items_that_do_not_pass(tmp_path: Path, passed: int | None, said: str) -> None:
    base = a_base(tmp_path)
    assert base.headline is not None
    headline = msgspec.structs.replace(base.headline, n=10, answered=6, passed=passed, assessed=9)
    a_run(tmp_path, msgspec.structs.replace(base, headline=headline), "run_260302", 3.5)
    write_index(tmp_path)
    html, text = pages(tmp_path)
    way = f'<p><a href="run_260302/report.html#preset=fails">{said}</a></p>'
    assert (way in html, "#preset=fails" in html) == (bool(said), bool(said))
    assert ("실패한 문항" in text) == bool(said)


@pytest.mark.parametrize(("leading", "shown"), [("intent", "3.50"), (msgspec.UNSET, "%")])
def test_a_card_shows_what_leads_in_its_report_before_any_comparison(
    tmp_path: Path, leading: str | msgspec.UnsetType, shown: str
) -> None:
    status = a_run(tmp_path, a_base(tmp_path), "run_1", 3.5)
    write_status(tmp_path, with_figures(status, leading=leading))
    write_index(tmp_path)
    figure = re.search('<p class="figure">(.*?)</p>', pages(tmp_path)[0])
    assert figure is not None
    assert shown in figure[1]


def test_what_is_to_be_done_is_told_with_its_remedy(tmp_path: Path) -> None:
    base = a_base(tmp_path)
    write_status(tmp_path, refused(msgspec.structs.replace(base, set=EVIL, key="1")))
    write_unread(tmp_path, {f"locked{EVIL}.csv": "Permission denied"})
    write_index(tmp_path)
    assert "할 일" in pages(tmp_path)[0]
    Index(KnownSets(tmp_path), language="ko").write(
        unclaimed=[f"새 파일{EVIL}.csv"], waiting={f"slow{EVIL}.csv": 1_767_600_000}, changed=f"바뀜 {EVIL}"
    )
    html, text = pages(tmp_path)
    for page in (html, text):
        assert "파일이 비어 있습니다. 다시 넣으세요." in page
        assert re.search(r"2026-01-05(</bdi>)? \d\d:\d\d부터", page)
        assert "<b>=1" not in page
        assert "\u202e" not in page
        for title in ("읽지 못해 채점하지 못한 세트 (1)", "읽지 못한 파일과 폴더 (1)", "채점하지 않은 파일 (1)"):
            assert title in page
    assert "파일을 지웠다면 `scorewatch forget 세트이름`을 실행하세요." in text
    assert "<code>scorewatch forget 세트이름</code>" in html
    assert "](javascript" not in re.sub(r"\\.", "", text)
    assert '<p class="note">바뀜 &lt;b&gt;' in html


def test_the_sample_is_said_to_be_one_beside_own_runs_with_the_way_to_take_it_out(tmp_path: Path) -> None:
    base = a_base(tmp_path)
    sample = ROOT / "docs/test-result/resume_agent_sample.csv"
    inputs = {sample.name: hashlib.sha256(sample.read_bytes()).hexdigest()}
    a_run(tmp_path, base, "resume_agent_sample", 4.0, inputs=inputs)
    write_index(tmp_path)
    assert not [page for page in pages(tmp_path) if "예제" in page]  # alone it is in nobody's way
    a_run(tmp_path, base, "run_260302", 3.5)
    write_index(tmp_path)
    told = "docs/test-result/resume_agent_sample.csv를 지우고 scorewatch forget resume_agent_sample을 실행하세요."
    assert all(told in page.replace("\\", "") for page in pages(tmp_path))
    a_run(tmp_path, base, "resume_agent_sample", 4.0)  # a file of their own under this name
    write_index(tmp_path)
    assert not [page for page in pages(tmp_path) if "예제" in page]


def test_nothing_to_do_is_not_told(tmp_path: Path) -> None:
    a_status(tmp_path)
    write_index(tmp_path)
    html, text = pages(tmp_path)
    assert "할 일" not in html + text


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_board_is_a_few_lines_of_markdown_however_much_there_is(tmp_path: Path, language: str) -> None:
    base = a_base(tmp_path)
    for at in range(MOST_CARDS + 40):
        a_run(
            tmp_path, base, f"{'x' * 150}/{at}", 3.0, profile=f"{'p' * 50}-{at}", executed=f"2026-03-{1 + at % 28:02}"
        )
    for at in range(150):
        write_status(tmp_path, refused(msgspec.structs.replace(base, set=f"bad{at}", key=f"b{at}"), "x" * 10_000))
    many = {f"{at}{'한' * 100_000}": "Permission denied" for at in range(30)}
    write_unread(tmp_path, many)
    waiting = dict.fromkeys(many, 1_767_600_000.0)
    index = Index(KnownSets(tmp_path), language=language, patterns={"p": ["x" * 100_000]})
    index.write(unclaimed=many, waiting=waiting, changed="c" * 100_000)
    html, text = pages(tmp_path)
    above = text[: text.index("\n| ")].splitlines()
    assert len(above) <= MOST_LINES
    assert max(map(len, above)) <= 10_000
    assert html.count('<article class="card">') == MOST_CARDS
    assert len(re.findall(r'<a href="trend-p+-\d+\.html">', html)) >= MOST_CARDS + 40
    assert len(html.split("<table")[0]) < 500_000
    assert text.count("bad") >= MOST_TO_DO


def test_a_card_keeps_to_its_last_runs_and_follows_changes(tmp_path: Path) -> None:
    base = a_base(tmp_path)
    for day in range(1, 15):
        a_run(tmp_path, base, f"run_2603{day:02}", 3.0 + day / 100, metric="total")
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    index.write()
    first = pages(tmp_path)[0]
    assert "3.14</text>" in first
    assert "값 12개" in first
    a_run(tmp_path, base, "run_260314", 3.9, metric="total")
    known.look_at(["run_260314"])
    index.write()
    now = pages(tmp_path)[0]
    assert "3.90</text>" in now
    Index(KnownSets(tmp_path), language="ko").write()
    assert pages(tmp_path)[0] == now  # as from nothing
