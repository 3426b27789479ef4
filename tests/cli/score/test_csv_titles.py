"""Tables have fixed English names in every language and profile; people may have titles by a setting."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.place import Place, rows, tree
from tests.faults.harness import Up, drop
from tests.paths import ROOT

FIELDS = [
    "file", "row", "query_id", "round", "track", "category", "run_id", "item_id", "status", "why", "intent",
    "intent_source", "accuracy", "stability", "seconds", "latency", "latency_class", "llm_status", "llm_score",
    "llm_comment", "llm_model", "executed_at", "failure_word", "reasons", "question", "expected", "response", "error",
    "message", "passed", "text_hash",
]  # fmt: skip
QUERY_FIELDS = ["query_id", "question", "track", "category", "n", "passes", "class", "passed"]


def _names(path: Path) -> list[str]:
    return next(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_names_are_the_same_in_both_languages_and_for_every_profile(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    for name in ("h_recruit_h_full.csv", "url_agent_urls.csv", "plan_agent_prose.csv"):
        for path in (ROOT / "tests/cases").glob(f"*/{name}"):
            place.file(f"in/{name}", path.read_text(encoding="utf-8-sig"))
    for language in ("ko", "en"):
        place.score("in", "--out", language, "--language", language)
    written = sorted((place.root / "ko").rglob("items.csv"))
    assert len(written) >= 3
    for path in written:
        names = _names(path)
        assert names[: len(FIELDS)] == FIELDS
        assert names == _names(place.root / "en" / path.relative_to(place.root / "ko"))
        assert _names(path.with_name("queries.csv"))[: len(QUERY_FIELDS)] == QUERY_FIELDS


def test_people_may_have_titles_which_are_another_report(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_260301.csv")
    place.score("in", "--out", "fields")
    monkeypatch.setenv("SCOREWATCH_CSV_TITLES", "report")
    for out in ("titles", "fields"):  # a report with other names is made again
        place.score("in", "--out", out)
    assert tree(place.root / "fields/resume_agent_260301/rounds") == tree(
        place.root / "titles/resume_agent_260301/rounds"
    )
    for out in ("titles", "fields"):
        folder = place.root / out / "resume_agent_260301"
        assert _names(folder / "items.csv")[2:8] == ["Query ID", "방/반복", "Track", "카테고리", "Run ID", "Item ID"]
        assert _names(folder / "queries.csv")[:2] == ["Query ID", "질의"]
        assert _names(folder / "queries.csv")[-1] == "status 1/1"


def test_reports_of_either_names_are_compared(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [f"Q{n}" for n in range(12)]
    place.file("in/resume_agent_260301.csv", rows(*queries))
    place.score("in", "--out", "docs/reports")
    monkeypatch.setenv("SCOREWATCH_CSV_TITLES", "report")
    place.file("later/resume_agent_260308.csv", rows(*queries).replace(",3명,,", ",3명,Timeout,"))
    place.score("later", "--out", "docs/reports")
    ran = place.run("compare", "resume_agent_260301", "resume_agent_260308", "--json")
    assert ran.code == 0
    compared = json.loads(ran.out)
    assert (compared["shared"], compared["verdict"], compared["differences"]) == (12, "worse", [])


@pytest.mark.slow
@pytest.mark.service
def test_the_service_writes_the_names_of_its_settings(
    tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    up = Up(tmp_path, "--drain", CSV_TITLES="report")
    drop(up.watch, "resume_agent_a.csv")
    with up:
        assert up.wait() == 0
    monkeypatch.setenv("SCOREWATCH_CSV_TITLES", "report")
    place.score(up.watch, "--out", "docs/reports")
    of_service, of_score = (folder / "resume_agent_a" for folder in (up.out, place.root / "docs/reports"))
    assert (of_service / "items.csv").read_bytes() == (of_score / "items.csv").read_bytes()
    assert (
        json.loads((of_service / "report.json").read_bytes())["key"]
        == json.loads((of_score / "report.json").read_bytes())["key"]
    )
