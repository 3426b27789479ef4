"""`scorewatch score`: files that two rubric documents claim."""

import gzip

import pytest

from reporting.store import verify_set
from tests.cli.place import Place
from tests.inner import SHIPPED_FOLDER


def claimed_twice(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = (SHIPPED_FOLDER / "resume-agent.md").read_text("utf-8")
    other = shipped.replace("profile: resume-agent", "profile: other").replace("resume_agent_*", "resume_agent_b*")
    place.file("rubrics/other.md", other)
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    for name in ("resume_agent_a", "resume_agent_b", "방/resume_agent_b", "방/resume_agent_c"):
        place.file(f"in/{name}.csv")


def test_a_file_that_two_documents_claim_is_a_problem_set(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed_twice(place, monkeypatch)
    code, printed = place.json("in", "--out", "out")
    assert (code, printed["problems"]) == (1, [])
    assert {entry["set"]: entry["state"] for entry in printed["sets"]} == {
        "resume_agent_a": "report",
        "resume_agent_b": "problem",
        "방/resume-agent": "report",
        "방/resume_agent_b": "problem",
    }
    told = (place.root / "out/방/resume_agent_b/problem.md").read_text("utf-8")
    assert "이 파일 이름에 맞는 루브릭 문서가 둘 이상입니다: resume-agent, other" in told
    assert "rubric-claimed-twice" in told
    assert verify_set(place.root / "out", "방/resume_agent_b")


def test_packed_file_is_a_set_whose_name_keeps_the_extension(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = (SHIPPED_FOLDER / "resume-agent.md").read_text("utf-8")
    place.file("rubrics/resume-agent.md", shipped.replace("files: [", 'files: ["resume_agent_*.csv.gz", '))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    data = place.file("in/resume_agent_a.csv").read_bytes()
    for name in ("resume_agent_b.csv.gz", "resume_agent_c.zip"):
        (place.root / "in" / name).write_bytes(gzip.compress(data))
    code, printed = place.json("in", "--out", "out")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["resume_agent_a", "resume_agent_b.csv.gz"])
    assert printed["unclaimed"] == ["resume_agent_c.zip"]
    assert verify_set(place.root / "out", "resume_agent_b.csv.gz")


def test_a_file_that_two_documents_claim_is_left_out_of_a_named_set(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed_twice(place, monkeypatch)
    code, printed = place.json("in", "--set", "all")
    assert (code, [(entry["set"], entry["state"]) for entry in printed["sets"]]) == (1, [("all", "report")])
    assert [problem["code"] for problem in printed["problems"]] == ["rubric-claimed-twice"] * 2
    assert [problem["source"] for problem in printed["problems"]] == [
        "in/resume_agent_b.csv",
        "in/방/resume_agent_b.csv",
    ]
