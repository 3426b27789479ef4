"""What people say of runs, on every page but the report."""

import json
from xml.etree import ElementTree as ET

import pytest

from tests.cli.place import Place, rows, tree

A, B = "in/resume_agent_260301.csv", "in/resume_agent_260308.csv"
PAGES = ("summary.md", "compare.md")


def _text(place: Place, name: str) -> str:
    return (place.root / "out" / name).read_text(encoding="utf-8")


def _report(place: Place) -> dict[str, bytes]:
    files = tree(place.root / "out")
    return {name: data for name, data in files.items() if "/report." in name or name.endswith((".csv", "status.json"))}


def test_it_stands_on_all_pages_but_the_report_and_goes_again(place: Place) -> None:
    place.file(A)
    place.file(B, rows("Q2", "Q1"))
    assert place.score("in", "--out", "out").code == 0
    before = tree(place.root / "out")
    place.file(f"{A}.run.toml", 'prompt = "v3"\nname = "첫 주"\n')
    said = place.file(f"{B}.run.toml", 'prompt = "v4"\nnote = "<b>=1+1</b>"\nurl = "https://a.example/1"\n')
    (place.root / "gate.toml").write_text('[gate]\nrules = ["answered_rate >= 0.1"]\n', encoding="utf-8")
    gated = "--gate", "--gate-file", "gate.toml", "--junit", "junit.xml"
    assert place.score("in", "--out", "out", *gated).code == 0
    assert _report(place) == {name: before[name] for name in _report(place)}
    summary = _text(place, "resume_agent_260308/summary.md")
    assert "프롬프트 v4 · 주소 https://a.example/1" in summary.replace("\\", "")
    page = _text(place, "resume_agent_260308/summary.html")
    assert "메모: &lt;b&gt;=1+1&lt;/b&gt;" in page
    assert 'href="https://a.example' not in page
    assert "실행에서 달라진 것: 프롬프트 v3 → v4." in _text(place, "resume_agent_260308/compare.md")
    compared = json.loads(_text(place, "resume_agent_260308/compare.json"))
    assert (compared["before"]["info"], compared["note_codes"]) == ({"name": "첫 주", "prompt": "v3"}, ["run-differs"])
    assert "프롬프트 v4" in _text(place, "index.md")
    trend = _text(place, "trend-resume-agent.html")
    assert "프롬프트 v3 → v4" in trend
    assert "세로 점선 앞뒤는" not in trend  # the rules are the same
    assert "첫 주" in trend
    suites = {suite.get("name"): suite for suite in ET.parse(place.root / "junit.xml").getroot()}  # noqa: S314 -- ours
    named = {one.get("name"): one.get("value") for one in suites["resume_agent_260308"].iter("property")}
    assert (named["run.prompt"], named["run.note"]) == ("v4", "<b>=1+1</b>")
    assert suites["resume_agent_260308"].get("tests") == "1"
    said.unlink()
    (place.root / f"{A}.run.toml").unlink()
    assert place.score("in", "--out", "out").code == 0
    after = tree(place.root / "out")
    assert after["resume_agent_260308/compare.md"] == before["resume_agent_260308/compare.md"]
    assert not [name for name, data in after.items() if "프롬프트 v" in data.decode(errors="replace")]


def test_a_folder_has_one_file_and_columns_stand_below_it(place: Place) -> None:
    text = rows("Q1", "Q2").replace(",Raw JSON", ",run.prompt,run.model,Raw JSON").replace(",,,,,", ",,,,,v3,m1,")
    place.file("in/w/resume_agent_1.csv", text)
    place.file("in/w/run.toml", 'prompt = "v9"\n')
    assert place.score("in", "--out", "out").code == 0
    assert "프롬프트 v9 · 모델 m1" in _text(place, "w/resume-agent/summary.md")
    (place.root / "in/w/run.toml").unlink()
    assert place.score("in", "--out", "out").code == 0
    assert "프롬프트 v3 · 모델 m1" in _text(place, "w/resume-agent/summary.md")


def test_bad_lines_are_named_with_file_and_line_and_cost_nothing_else(place: Place) -> None:
    place.file(A)
    place.file(f"{A}.run.toml", 'promt = "v4"\nmodel = "m1"\n')
    place.file("in/none.csv.run.toml", 'model = "m1"\n')
    ran = place.score("in", "--out", "out")
    assert ran.code == 1
    assert "resume_agent_260301.csv.run.toml 1번째 줄 'promt'" in ran.out
    assert "[run-info-key]" in ran.out
    assert "none.csv.run.toml 채점 안 함: 이름이 맞는 파일이 옆에 없음" in ran.out
    summary = _text(place, "resume_agent_260301/summary.md")
    assert "모델 m1" in summary
    assert "1번째 줄" in summary


@pytest.mark.parametrize(
    ("replaces", "near"),
    [
        ("resume_agent_26031.csv", "resume_agent_260301"),
        ("week 2", "week 1"),
        ("resume_agent_260308", "resume_agent_260301"),  # itself
        ("resume_agent_260201", "resume_agent_260301"),
    ],
    ids=["misspelt", "folder", "itself", "gone"],
)
def test_a_run_that_takes_the_place_of_none_is_told_with_the_nearest_name(
    place: Place, replaces: str, near: str
) -> None:
    place.file(A)
    place.file(B)
    place.file("in/week 1/resume_agent_260301.csv", rows("Q1", "Q2", "Q3"))
    place.file(f"{B}.run.toml", f'name = "v2"\nreplaces = "{replaces}"\n')
    ran = place.score("in", "--out", "out")
    where = "resume_agent_260308.csv.run.toml 'replaces': 이런 이름의 파일이나 세트가 없어"
    said = f"{where} 아무것도 대신하지 않습니다 ('{replaces}'). 가장 비슷한 이름은 {near}입니다."
    assert said in ran.out
    assert ran.code == 0  # the old file may be gone, as in a workspace of CI
    assert said in place.status("-v").out
    assert [one["code"] for one in json.loads(place.status("--json").out)["unused"]] == ["replaces-nothing"]
    assert "replaces-nothing" in _text(place, "index.md")
    place.file(f"{B}.run.toml", 'name = "v2"\nreplaces = "week 1"\n')
    place.score("in", "--out", "out")
    assert "unused" not in json.loads(place.status("--json").out)
    assert "replaces-nothing" not in _text(place, "index.md")


def test_a_column_that_names_nothing_is_told_at_its_set(place: Place) -> None:
    place.file(A, rows("Q1").replace(",Raw JSON", ",run.replaces,Raw JSON").replace(",,,,,", ",,,,,old,"))
    assert "resume_agent_260301 'run.replaces': " in place.score("in", "--out", "out").out
    assert "가장 비슷한 이름은 -입니다" in place.status("-v").out


def test_a_file_takes_the_place_of_another_without_deleting_it(place: Place) -> None:
    place.file(A)
    place.file(B)
    place.file(f"{B}.run.toml", 'replaces = "resume_agent_260301.csv"\n')
    assert place.score("in", "--out", "out").code == 0
    assert "대신하는 세트: resume_agent_260308" in _text(place, "index.md")
    assert "resume_agent_260301" not in _text(place, "trend-resume-agent.csv")
    assert json.loads(_text(place, "resume_agent_260308/baseline.json"))["baseline"] == ""
    place.file(f"{A}.run.toml", 'replaces = "resume_agent_260308.csv"\n')  # both: neither
    assert place.score("in", "--out", "out").code == 0
    assert "대신하는 세트" not in _text(place, "index.md")
    assert json.loads(_text(place, "resume_agent_260308/baseline.json"))["baseline"] == "resume_agent_260301"
