"""Earlier versions are kept, compared and let go; a report says what changed since."""

import csv
import os
import re
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from config import profile_named, shipped_rubrics
from reporting.runs import compare_missing
from reporting.runs.publish import Outcome
from reporting.store import CHANGES_HTML, CHANGES_MD, ITEMS_CSV, Destination, kept_versions
from scoring import Problem, TransientError
from scoring.items import Item, score_file
from scoring.judging import JudgeIdentity, Judging, Verdict
from scoring.results import merge
from scoring.rubric import Status
from tests.paths import ROOT
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import SHA, make_item, make_part, make_result, make_rubric
from tests.scoring.judged_sets import SCORES, requests_of, scores_part
from texts import texts


def failed(row: int = 2, **changes: Any) -> Item:
    values = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "error": "Timeout", **changes}
    return make_item(row, **values)


def write(out: Path, *items: Item, key: str, **more: Any) -> Path:
    published = publish_report(make_result(*items), set_name="s", key=key, out=out, **more)
    assert published.outcome is Outcome.WRITTEN
    return published.folder


def names(folder: Path) -> list[str]:
    return [f"{version.sequence}:{version.status.key}" for version in kept_versions(folder)]


def test_a_first_report_has_no_page_of_changes_and_offers_none(tmp_path: Path) -> None:
    folder = write(tmp_path, key="k1")
    assert not any((folder / name).exists() for name in (CHANGES_MD, CHANGES_HTML, "changes.svg"))
    assert kept_versions(folder) == []
    links = re.compile(r'\]\(changes\.|href="changes\.')
    assert not [path for path in folder.glob("*.*") if links.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_only_a_set_with_an_earlier_version_leads_to_what_changed(tmp_path: Path, language: str) -> None:
    destination = Destination(out=tmp_path, language=language)
    for key in ("k1", "k2"):
        write(tmp_path, make_item(2, question=key), key=key, language=language)
        publish_report(make_result(make_item(2)), set_name=f"first_{key}", key="k", out=tmp_path, language=language)
        compare_missing(destination)
        page = (tmp_path / "s/compare.html").read_text(encoding="utf-8")
        assert page.count('href="changes.html"') == (key == "k2")
    offered = [path.parent.name for path in tmp_path.rglob("compare.html") if "changes.html" in path.read_text("utf-8")]
    assert offered == ["s"]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ko", "답은 그대로이고 루브릭이 바뀌었습니다: 응답 속도 4.00 → 5.00."),
        ("en", "The answers are the same; the rubric has changed: Response speed 4.00 → 5.00."),
    ],
)
def test_other_rules_for_the_same_answers_are_never_better(tmp_path: Path, language: str, told: str) -> None:
    rubric = make_rubric()
    for key, words, points in (("k1", (), 4.0), ("k2", ("없음",), 5.0)):
        items = [make_item(row, query_id=f"Q-{row}", latency=points, text_hash=f"{row}") for row in range(2, 42)]
        result = make_result(*items, rubric=make_rubric(failure_words=words) if words else rubric)
        publish_report(result, set_name="s", key=key, out=tmp_path, language=language)
    pages = [
        (tmp_path / "s" / name).read_text(encoding="utf-8").replace("\\", "") for name in (CHANGES_MD, CHANGES_HTML)
    ]
    for page in pages:
        assert told in page
        assert re.findall("▲|▼|좋아짐|나빠짐|Better:|Worse:", page.partition("<main")[2].partition("<script")[0]) == []
    assert len(re.findall("<details><summary>(?:달라지지 않은 지표|Figures that did not change): ", pages[-1])) == 1
    said = pages[-1].partition("<script")[0]
    assert not [word for word in ("■", "윌콕슨", "Wilcoxon", "비교할 수 없음", "not comparable") if word in said]
    assert ["달라짐" in said, "changed</td>" in said].count(True) == 1


def test_queries_that_changed_appeared_or_are_gone_are_named(tmp_path: Path) -> None:
    write(tmp_path, make_item(2), failed(3), make_item(4), make_item(5), key="k1")
    folder = write(
        tmp_path, failed(2, question="a|b", message="안 됨"), make_item(3), make_item(4), make_item(6), key="k2"
    )
    text = (folder / CHANGES_MD).read_text(encoding="utf-8")
    fails, passes = text.split("### 새로 실패한 질의 ")[1].split("### 새로 통과한 질의 ")
    assert "| Q-3 | 지원자 수 알려줘 | 0/1 → 1/1 | 의도 충족 0.00 → 5.00" in passes
    assert "Q-2" not in fails  # asks for something else: not compared, but named
    for title, query in (("새로 생긴 질의", "Q-6"), ("없어진 질의", "Q-5"), ("고쳐 쓴 질의", "Q-2")):
        assert query in text.split(f"### {title}")[1].split("###")[0], title
    assert "a\\|b" in text
    assert names(folder) == ["1:k1"]
    assert "](history/0001-k1/report.md)" in text
    assert (folder / "history/0001-k1/report.md").is_file()
    page = (folder / CHANGES_HTML).read_text(encoding="utf-8")
    assert '"pages":["history/0001-k1/report.html","report.html"]' in page
    assert "1번째 판 (k1)" in page


def test_answers_stand_side_by_side_and_times_are_shown(tmp_path: Path) -> None:
    write(tmp_path, make_item(2, executed_at="2026-03-01T09:00:00"), key="k1")
    again = failed(2, response="19,170명 같습니다.", executed_at="2026-03-02T09:00:00")
    folder = write(tmp_path, again, key="k2")
    page = (folder / CHANGES_HTML).read_text(encoding="utf-8")
    readable = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "19,164명입니다." in readable
    assert "19,170명 같습니다." in readable
    assert "2026-03-01 09:00" in page
    assert "2026-03-02T09:00:00" in page  # as it is written


def test_versions_are_named_by_the_dates_of_their_data_and_of_their_files(tmp_path: Path) -> None:
    first = write(tmp_path, make_item(2, executed_at="2026-03-01T09:00:00"), key="k1")
    os.utime(first / "status.json", (1_772_500_000, 1_772_500_000))
    written = datetime.fromtimestamp(1_772_500_000).astimezone().isoformat(sep=" ", timespec="minutes")
    zone = written[16:].replace("+00:00", "UTC")
    name = f"1번째 판 (k1), 2026-03-01 09:00 실행, {written[:16]} {zone}에 쓴 보고서"
    for key in ("k2", "k3"):  # once it is replaced, and once it is kept
        folder = write(tmp_path, failed(2), key=key)
        assert f"[{name}, 1문항, " in (folder / CHANGES_MD).read_text(encoding="utf-8").replace("\\", "")
    assert kept_versions(first)[0].written_ns == 1_772_500_000 * 10**9


def test_runs_are_told_apart_by_their_run_ids(tmp_path: Path) -> None:
    write(tmp_path, make_item(2, run_id="<b>run-1"), key="k1")
    folder = write(tmp_path, make_item(2, run_id="run-2"), key="k2")
    assert "| Run ID | &lt;b>run-1 | run-2 |" in (folder / CHANGES_MD).read_text(encoding="utf-8")
    page = (folder / CHANGES_HTML).read_text(encoding="utf-8")
    assert re.search(r"<td[^>]*>&lt;b&gt;run-1</td><td[^>]*>run-2</td>", page)


def test_metrics_are_compared_and_drawn(tmp_path: Path) -> None:
    write(tmp_path, make_item(2), failed(3), key="k1")
    write(tmp_path, make_item(2), make_item(3), key="k2")
    folder = write(tmp_path, failed(2), failed(3), key="k3")
    text = (folder / CHANGES_MD).read_text(encoding="utf-8")
    unlike = "우연일 수 있음"  # two queries show nothing
    assert f"| 의도 충족 | 5.00 | 0.00 | {unlike} | −5.00 |" in text
    assert "| 응답 속도 | 5.00 | 5.00 | 같음 | 0.00 |" in text
    assert f"| 응답 성공률 | 100.0% | 0.0% | {unlike} | −100.0%p |" in text
    drawing = (folder / "changes.svg").read_text(encoding="utf-8")
    assert "의도 충족: 2.50, 5.00, 0.00" in drawing
    assert "](changes.svg)" in text


@pytest.mark.parametrize(("language", "told"), [("ko", "응답 속도(기본)"), ("en", "(기본)")])
def test_metrics_are_called_as_in_the_report(tmp_path: Path, language: str, told: str) -> None:
    rubric = profile_named("h-recruit", shipped_rubrics())
    (path,) = (ROOT / "tests/cases/h_full").glob("*.csv")
    with path.open("rb") as stream:
        result = merge([(path.name, score_file(stream, name=path.name, rubric=rubric))], rubric)
    for key in ("k1", "k2"):
        publish_report(result, set_name="s", key=key, out=tmp_path, language=language)
    for name in (CHANGES_MD, CHANGES_HTML, "report.md"):
        assert told in (tmp_path / "s" / name).read_text(encoding="utf-8"), name


def test_versions_are_let_go_by_number(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    for number in range(5):
        write(tmp_path, make_item(2 + number), key=f"k{number}", history_versions=2)
    assert names(folder) == ["3:k2", "4:k3"]
    write(tmp_path, make_item(9), key="k9", history_versions=0)
    assert not (folder / "history").exists()
    text = (folder / CHANGES_MD).read_text(encoding="utf-8")
    assert "같은 질의가 하나도 없어" in text
    assert "history/" not in text  # the version that was compared with is not kept


def test_a_set_that_only_grew_has_no_version_of_every_round(tmp_path: Path) -> None:
    rubric = make_rubric()
    first = ("a.csv", make_part(make_item(2), rubric=rubric))
    second = ("b.csv", make_part(make_item(3, round="2/1"), rubric=rubric, sha256="f" * 64))
    folder = tmp_path / "s"
    for number, parts in enumerate(([first], [first, second])):
        publish_report(merge(parts, rubric), set_name="s", key=f"k{number}", out=tmp_path)
    assert kept_versions(folder) == []
    assert not (folder / CHANGES_MD).exists()
    publish_report(merge([second], rubric), set_name="s", key="k3", out=tmp_path)
    assert names(folder) == ["1:k1"]


def test_files_that_were_added_to_a_set_without_kept_versions_are_said(tmp_path: Path) -> None:
    rubric = make_rubric()
    parts = [
        (f"{name}.csv", make_part(make_item(2, round=f"{at}/1"), rubric=rubric, sha256=f"{at}" * 64))
        for at, name in enumerate("abc", 1)
    ]
    for number, chosen in enumerate((parts[:1], parts[1:2], parts[1:])):
        publish_report(merge(chosen, rubric), set_name="s", key=f"k{number}", out=tmp_path, history_versions=0)
    assert "파일이 더해지기만 했습니다" in (tmp_path / "s" / CHANGES_MD).read_text(encoding="utf-8")


def test_every_link_of_a_kept_version_leads_somewhere(tmp_path: Path) -> None:
    write(tmp_path, make_item(2), key="k0")
    write(tmp_path, make_item(3), key="k1", language="en")
    folder = write(tmp_path, make_item(4), key="k2")
    links = re.compile(r"""\]\(([^)#]+)\)|href="([^"#:]+)\"""")
    of_others = re.compile(
        r"(?:summary|compare)\.html|(\.\./)+(?:index|trend-resume-agent)\.html"
    )  # that are made after a report
    pages = [path for path in folder.rglob("*") if path.suffix in {".md", ".html"}]
    assert [path.parent.name for path in pages if path.name == CHANGES_HTML] == ["s"]
    dead = [
        (path.relative_to(folder).as_posix(), target)
        for path in pages
        for target in filter(None, chain.from_iterable(links.findall(path.read_text(encoding="utf-8"))))
        if not (path.parent / unquote(target)).is_file() and not of_others.fullmatch(target)
    ]
    assert dead == []


def test_back_and_forth_keeps_each_step_once(tmp_path: Path) -> None:
    for key in ("k1", "k2", "k1"):
        write(tmp_path, key=key)
    assert names(tmp_path / "s") == ["1:k1", "2:k2"]


def test_healing_leaves_what_changed_before(tmp_path: Path) -> None:
    write(tmp_path, make_item(2), key="k1")
    folder = write(tmp_path, failed(2), key="k2")
    before = (folder / CHANGES_MD).read_bytes()
    (folder / "report.md").unlink()
    write(tmp_path, failed(2), key="k2")
    assert (folder / CHANGES_MD).read_bytes() == before
    (folder / "status.json").unlink()  # what the watcher does with damaged outputs
    write(tmp_path, failed(2), key="k2")
    assert (folder / CHANGES_MD).read_bytes() == before
    assert names(folder) == ["1:k1"]


def test_a_version_cut_short_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, key="k1")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "victim")

    with monkeypatch.context() as patch:
        patch.setattr("os.link", full)
        patch.setattr("shutil.copyfile", full)
        with pytest.raises(TransientError):
            publish_report(make_result(failed(2)), set_name="s", key="k2", out=tmp_path)
    assert kept_versions(folder) == []
    write(tmp_path, failed(2), key="k2")
    assert names(folder) == ["1:k1"]
    assert [path.name for path in (folder / "history").iterdir()] == ["0001-k1"]


def test_files_are_copied_where_links_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, key="k1")
    before = (folder / "report.html").read_bytes()

    def no_links(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    write(tmp_path, failed(2), key="k2")
    assert (folder / "history/0001-k1/report.html").read_bytes() == before


def test_a_refused_version_between_two_reports_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path, key="k1")
    problem = Problem(code="empty-file", source="a.csv")
    publish_problem([problem], inputs=[("a.csv", SHA)], set_name="s", key="p", out=tmp_path, profile="p")
    assert "이번 판은 파일을 읽지 못해" in (folder / CHANGES_MD).read_text(encoding="utf-8")
    assert "](problem.md)" in (folder / CHANGES_MD).read_text(encoding="utf-8")
    write(tmp_path, key="k2")
    assert "이전 판은 파일을 읽지 못해" in (folder / CHANGES_MD).read_text(encoding="utf-8")
    assert names(folder) == ["1:k1", "2:p"]


@pytest.mark.parametrize("damage", ["missing", "binary", "short"])
def test_a_damaged_earlier_version_stops_no_report(tmp_path: Path, damage: str) -> None:
    folder = write(tmp_path, make_item(2), key="k1")
    path = folder / ITEMS_CSV
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"\xff\xfe\x00" if damage == "binary" else path.read_bytes()[:-40])
    write(tmp_path, failed(2), key="k2")
    assert (folder / CHANGES_MD).is_file()


def test_new_rules_are_said(tmp_path: Path) -> None:
    write(tmp_path, key="k1")
    publish_report(make_result(rubric=make_rubric(failure_words=("없음",))), set_name="s", key="k2", out=tmp_path)
    text = (tmp_path / "s" / CHANGES_MD).read_text(encoding="utf-8")
    assert texts("ko")("compare.differs.unlike") in text


def test_hostile_texts_of_items_do_nothing(tmp_path: Path) -> None:
    hostile = {"query_id": "=1+1|<b>", "question": "<script>alert(1)</script>"}
    write(tmp_path, make_item(2, **hostile), key="k1")
    folder = write(tmp_path, failed(2, **hostile), key="k2")
    page = (folder / CHANGES_HTML).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<b>" not in page
    with (folder / ITEMS_CSV).open(encoding="utf-8-sig", newline="") as stream:
        assert next(iter(list(csv.reader(stream))[1:]))[2] == "'=1+1|<b>"
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def write_levels(out: Path, *levels: str, key: str, identity: JudgeIdentity | None = None) -> str:
    """The page of changes of a set with these recorded levels, "" for one that the judge picks: 4."""
    part = scores_part([{"id": f"Q{at}", "응답": f"답 {at}", "등급": level} for at, level in enumerate(levels)])
    judged = None
    if identity is not None:
        requests = requests_of(part.items, SCORES, identity)
        verdicts = {request.hash: Verdict(hash=request.hash, level="4") for request in requests}
        judged = Judging(identity=identity, verdicts=verdicts)
    folder = publish_report(merge([("a.csv", part)], SCORES, judged), set_name="s", key=key, out=out).folder
    path = folder / CHANGES_MD
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_only_queries_with_a_value_on_both_sides_are_compared(tmp_path: Path) -> None:
    write_levels(tmp_path, "5", "1", key="k1")
    text = write_levels(tmp_path, "5", "", key="k2")
    row = next(line for line in text.splitlines() if line.startswith("| Rubrics Score |"))
    assert row.startswith(
        "| Rubrics Score | 1.00 | 1.00 | 비교할 수 없음 (기록된 등급으로 채점한 문항 100.0% → 50.0%) | — |"
    )
    assert "0.50 → 1.00" in row  # of the whole runs


def test_a_judge_that_was_turned_on_or_changed_is_said(tmp_path: Path) -> None:
    unlike = texts("ko")("compare.differs.unlike")
    write_levels(tmp_path, "", key="k1")
    one, other = JudgeIdentity(model="m-1"), JudgeIdentity(model="m-2", votes=3)
    on = write_levels(tmp_path, "", key="k2", identity=one)
    assert unlike in on
    assert "m-1" in on
    changed = write_levels(tmp_path, "", key="k3", identity=other)
    assert unlike in changed
    assert "m-1" in changed
    assert "m-2" in changed
    assert unlike not in write_levels(tmp_path, "5", key="k4", identity=other)
