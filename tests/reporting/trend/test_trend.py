"""trend-<profile>.html and .csv: every run in the order of its data, marks where something else changed."""

import csv
import re
import shutil
from io import StringIO
from pathlib import Path

import msgspec
import pytest

from reporting.index import Index, write_index
from reporting.store import GATE, STATUS, GateFile, KnownSets, encode_json
from reporting.trend.pages import MAX_RUNS
from scoring.comparison import Difference, Verdict
from scoring.gate import GateResult, GateState, RuleResult, Unit
from tests.measured import Row, measured_set
from tests.reporting.comparison.runs import items_of
from tests.reporting.index.folders import write_comparison
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result, make_rubric, sha_of

PAGE, TABLE = "trend-resume-agent.html", "trend-resume-agent.csv"


def publish(out: Path, name: str, *, broken: int = 0, queries: int = 12, **changes: object) -> None:
    rubric = make_rubric(**changes)
    result = make_result(*items_of(queries, broken=broken), rubric=rubric, sha256=sha_of(name))
    publish_report(result, set_name=name, key=f"k-{name}-{broken}", out=out)


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(data.decode("utf-8-sig"))))


def table(out: Path) -> list[dict[str, str]]:
    return rows((out / TABLE).read_bytes())


def test_runs_are_in_the_order_of_their_data_whenever_they_were_published(tmp_path: Path) -> None:
    for name in ("run_260303", "run_260301", "undated", "run_260302"):
        publish(tmp_path, name)
    assert write_index(tmp_path)
    assert [row["set"] for row in table(tmp_path)] == ["run_260301", "run_260302", "run_260303", "undated"]
    first = (tmp_path / PAGE).read_bytes(), (tmp_path / TABLE).read_bytes()
    for name in (PAGE, TABLE, "index.html", "index.md"):
        (tmp_path / name).unlink()
    assert write_index(tmp_path)
    assert ((tmp_path / PAGE).read_bytes(), (tmp_path / TABLE).read_bytes()) == first
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert f"[resume-agent]({PAGE})" in text
    assert f'href="{PAGE}"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_first_run_leads_to_no_comparison(tmp_path: Path) -> None:
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    for name in ("run_260302", "run_260303", "run_260301"):
        publish(tmp_path, name)
        known.look()
        index.write()
    led_to = re.findall(r'href="(\w+)/compare.html"', (tmp_path / PAGE).read_text(encoding="utf-8"))
    assert led_to == ["run_260303", "run_260302"]


def test_values_have_their_intervals_and_changes_are_marked(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301")
    publish(tmp_path, "run_260302", broken=3)
    publish(tmp_path, "run_260303", failure_words=("없음",))
    publish(tmp_path, "run_260304", queries=13, failure_words=("없음",))
    write_index(tmp_path)
    found = table(tmp_path)
    assert [row["changed"] for row in found] == ["", "", "rubric", "questions"]
    second = found[1]
    assert float(second["answered_low"]) < float(second["answered"]) == 0.75 < float(second["answered_high"])
    assert (second["items"], second["queries"]) == ("12", "12")
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    chart = page.split("<figure>")[1]
    assert len(re.findall(r'class="o l1"', chart)) == 2  # no line over another rubric, one over another question
    assert "세로 점선 앞뒤는" in page
    assert "<small>바뀐 것: 루브릭</small>" in page
    assert "▽" not in page
    assert "run_260303부터 루브릭이 바뀌었습니다." in page
    assert "run_260304부터 질의가 바뀌었습니다." in page
    assert page.count('class="g d"') == 2 * page.count("<figure>")
    assert "<td>75.0% <span>(" in page  # the interval may stand below, so that six figures fit on a screen


def test_a_damaged_run_is_marked_in_charts_and_tables(tmp_path: Path) -> None:
    for name, broken in (("run_260301", 0), ("run_260302", 9), ("run_260303", 1)):
        publish(tmp_path, name, broken=broken)
    write_index(tmp_path, language="en")
    sound = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "damaged values" not in sound
    assert "dashed line" not in sound
    path = tmp_path / "run_260302/status.json"
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | {"damaged": True}))
    write_index(tmp_path, language="en")
    assert [row["damaged"] for row in table(tmp_path)] == ["", "true", ""]
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "✕ marks a run whose values are damaged: do not use it. The line skips it." in page
    (row,) = re.findall(r"<tr>.*?too many damaged values.*?</tr>", page)
    assert "run_260302/summary.html" in row
    having = [name for name, value in table(tmp_path)[1].items() if f"{name}_low" in table(tmp_path)[1] and value]
    assert page.count("m0-8l-8 8") == len(having)
    assert row.count('<td><s class="muted">') == len(having)
    assert "%)" not in row
    assert "from 100.0% to 91.7%, 2 values" in page


def test_a_run_is_held_against_the_last_one_that_is_not_damaged(tmp_path: Path) -> None:
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    for name, queries in (("run_260301", 12), ("run_260302", 9), ("run_260303", 8), ("run_260304", 12)):
        publish(tmp_path, name, queries=queries)
    known.look()
    index.write()
    assert [row["changed"] for row in table(tmp_path)] == ["", "questions", "questions", "questions"]
    for name in ("run_260302", "run_260303"):
        path = tmp_path / name / "status.json"
        (path.parent / ".new").write_bytes(
            msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | {"damaged": True})
        )
        (path.parent / ".new").rename(path)
    known.look()
    index.write()
    assert [row["changed"] for row in table(tmp_path)] == [""] * 4
    publish(tmp_path, "run_260301", queries=13, broken=1)  # reaches the run behind the damaged ones
    known.look()
    index.write()
    assert [row["changed"] for row in table(tmp_path)] == ["", "", "", "questions"]


@pytest.mark.parametrize("is_pinned", [False, True])
def test_models_that_graded_otherwise_are_marked_when_their_comparison_comes(tmp_path: Path, is_pinned: bool) -> None:
    known = KnownSets(tmp_path)
    index = Index(known, language="ko")
    statuses = []
    for at in (1, 2, 3, 4):
        publish(tmp_path, f"run_26030{at}")
        statuses.append(STATUS.read(tmp_path / f"run_26030{at}"))
    first, *others = [status for status in statuses if status is not None]
    known.look()
    index.write()
    befores = [first] * 3 if is_pinned else [first, *others]
    judged = [(), (Difference.JUDGE,), (Difference.JUDGE,) if is_pinned else ()]
    for status, before, differences in zip(others, befores, judged, strict=False):
        write_comparison(tmp_path, status, before, *differences, verdict=Verdict.SAME)
    known.look()
    index.write()
    assert [row["changed"] for row in table(tmp_path)] == ["", "", "judge", ""]
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "run_260303부터 평가 모델이 바뀌었습니다." in page
    assert page.count('class="g d"') == page.count("<figure>")


def test_a_profile_without_a_report_has_no_trend_any_more(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301")
    (tmp_path / "trend-notes.txt").write_text("mine")
    write_index(tmp_path)
    assert (tmp_path / PAGE).exists()
    shutil.rmtree(tmp_path / "run_260301")
    write_index(tmp_path)
    assert not (tmp_path / PAGE).exists()
    assert not (tmp_path / TABLE).exists()
    assert (tmp_path / "trend-notes.txt").exists()


def test_names_and_profiles_are_inert(tmp_path: Path) -> None:
    out = tmp_path / "around" / "reports"
    out.mkdir(parents=True)
    publish(out, "=1+1 <b>260301")
    write_index(out)
    assert table(out)[0]["set"] == "'=1+1 <b>260301"
    assert "<b>" not in (out / PAGE).read_text(encoding="utf-8")
    path = out / "=1+1 <b>260301" / "status.json"
    status = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**status, "profile": "../../evil"}))
    write_index(out)
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name]
    assert not (out / PAGE).exists()


def _many(out: Path, number: int, language: str) -> dict[str, bytes]:
    """The files of as many runs."""
    publish(out, "run_260301", broken=2)
    status = STATUS.read(out / "run_260301")
    assert status is not None
    for at in range(number):
        name = f"resume_agent_{at:04}"
        (out / name).mkdir()
        other = msgspec.structs.replace(status, set=name, key=f"k{at}", inputs={"a.csv": sha_of(name)})
        (out / name / "status.json").write_bytes(encode_json(other))
    shutil.rmtree(out / "run_260301")
    write_index(out, language=language)
    return {name: (out / name).read_bytes() for name in (PAGE, TABLE)}


def test_two_hundred_runs_make_a_small_page(tmp_path: Path) -> None:
    files = _many(tmp_path, 200, "ko")
    assert len(files[PAGE]) <= 200_000
    assert len(re.findall(rb"<tr>", files[PAGE])) == 201
    assert len(rows(files[TABLE])) == 200


def test_the_page_has_the_latest_runs_and_the_table_all(tmp_path: Path) -> None:
    files = _many(tmp_path, MAX_RUNS + 30, "en")
    assert b"30 earlier runs are in the CSV file only." in files[PAGE]
    assert b"resume_agent_0229" in files[PAGE]
    assert b"resume_agent_0029" not in files[PAGE]
    assert len(rows(files[TABLE])) == MAX_RUNS + 30


def test_a_measure_has_a_line_between_its_lowest_and_highest_value(tmp_path: Path) -> None:
    for day, amounts in (("01", ("-30", "-10")), ("02", ("5", "15")), ("03", ("", ""))):
        result = measured_set(*(Row(f"Q-{at}", saved=amount) for at, amount in enumerate(amounts)))
        publish_report(result, set_name=f"measured_agent_2603{day}", key=f"k{day}", out=tmp_path, language="en")
    write_index(tmp_path, language="en")
    found = rows((tmp_path / "trend-measured-agent.csv").read_bytes())
    assert [row["measure.saved"] for row in found] == ["-20.0", "10.0", ""]
    # means -20 and 10, half widths t x 10 and t x 5 for one degree of freedom, t = 12.706204736
    ends = [float(row[f"measure.saved_{end}"]) for row in found[:2] for end in ("low", "high")]
    half = 127.06204736
    assert ends == pytest.approx([-20 - half, -20 + half, 0, 10 + half / 2])
    page = (tmp_path / "trend-measured-agent.html").read_text(encoding="utf-8")
    (chart,) = re.findall(r"<figcaption>Saved time \(min\)</figcaption>(.*?)</figure>", page)
    heights = sorted({float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)" width="5" height="5"', chart)})
    # -20 - half to -20 + half and a tenth more on each side needs lines at -200, -100, 0, 100, 200: 400 over 240 units
    assert [heights[1] - heights[0]] == pytest.approx([240 * 30 / 400], abs=0.1)
    assert re.findall(r'class="m e">([^<]+)</text>', chart)[:5] == ["-200", "-100", "0", "100", "200"]


def test_a_limit_of_the_gate_is_a_line_and_redrawn_with_the_gate(tmp_path: Path) -> None:
    publish(tmp_path, "run_260301")
    publish(tmp_path, "run_260302", broken=3)
    index = Index(KnownSets(tmp_path), language="ko")
    index.write()
    assert "게이트" not in (tmp_path / PAGE).read_text(encoding="utf-8")
    status = STATUS.read(tmp_path / "run_260302")
    assert status is not None
    rules = (
        RuleResult(rule="latency p95 <= 60", state=GateState.PASSED, reason="", unit=Unit.SECONDS, limit=60.0),
        RuleResult(rule="intent >= 4.5", state=GateState.FAILED, reason="", unit=Unit.POINTS, limit=4.5),
        RuleResult(rule="pass_rate >= 85 %", state=GateState.FAILED, reason="", unit=Unit.SHARE, limit=0.85),
    )
    result = GateResult(state=GateState.FAILED, rules=rules)
    gate = GateFile(set=status.set, key=status.key, judge_digest=status.judge_digest, rules="", result=result)
    GATE.write(tmp_path / "run_260302", gate)
    index = Index(KnownSets(tmp_path), language="ko")
    index.write()
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert re.findall(r">(게이트 [^<]*)<", page) == ["게이트 85.0%", "게이트 4.50"]  # of all answered: no points pass
    GATE.write(tmp_path / "run_260302", msgspec.structs.replace(gate, result=GateResult(GateState.PASSED, ())))
    index._known.look_at(["run_260302"])
    assert index.write()
    assert "게이트" not in (tmp_path / PAGE).read_text(encoding="utf-8")
