"""The door for programs: score, read, compare, gate; the same figures as the commands give."""

import gc
import json
import pickle
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from reporting.data import items_in_html
from reporting.runs import comparison_files
from scorewatch import RefusedError, RequestError, SettingsError, compare, gate, read_report, score
from scorewatch.comparing import Comparison
from scorewatch.rows import Item, Rows
from tests.paths import ROOT
from tests.reporting.comparison.runs import sliced_comparison

EARLIER = ROOT / "tests/earlier"
FIRST, SECOND = "resume_agent_260301", "resume_agent_260308"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    for name in (FIRST, SECOND):
        shutil.copy(EARLIER / "in" / f"{name}.csv", tmp_path)
    return tmp_path


def test_a_file_is_scored_and_its_report_goes_with_its_last_use(capsys: pytest.CaptureFixture[str]) -> None:
    report = score(f"{FIRST}.csv")
    assert repr(report) == f"<Report {FIRST}: 20 items, resume-agent>"
    assert (report.metrics["intent"], report.rounds, report.answered_rate) == (5.0, ("1/1", "2/1"), 1.0)
    assert report.intervals["intent"] == pytest.approx((3.612, 5.0), abs=0.001)
    kept, folder = report.items, report.folder
    del report
    gc.collect()
    assert len(list(kept)) == 20
    del kept
    gc.collect()
    assert not folder.exists()
    assert capsys.readouterr() == ("", "")


def test_the_files_are_those_that_the_command_writes(folder: Path) -> None:
    from cli.main import main

    score(f"{FIRST}.csv", out="door")
    main(["score", f"{FIRST}.csv", "--out", "command"])
    for name in ("report.json", "items.csv", "queries.csv", "report.html", "status.json"):
        assert (folder / "door" / FIRST / name).read_bytes() == (folder / "command" / FIRST / name).read_bytes(), name


def test_items_are_typed_sliced_and_given_as_columns() -> None:
    report = score(f"{SECOND}.csv")
    item = next(iter(report.items))
    assert (item.file, item.row, item.query_id, item.track, item.round) == (f"{SECOND}.csv", 2, "Q00", 1, "1/1")
    assert (item.intent, item.passed, type(item.seconds)) == (3.0, True, float)
    low = report.items.where("metric=intent&below=4&track=1")
    assert {one.track for one in low} == {1}
    assert len(low) == len(list(low)) == sum(one.track == 1 and (one.intent or 0) < 4 for one in report.items)
    columns = low.columns()
    assert list(columns)[:4] == ["file", "row", "query_id", "round"]
    assert columns["intent"] == [one.intent for one in low]
    nothing = report.items.where("text=nowhere-to-be-found")
    assert (len(nothing), nothing.columns()["intent"]) == (0, [])
    assert [query.query_id for query in report.queries][:2] == ["Q00", "Q01"]
    assert next(iter(report.queries)).values["status_2"] == "ok"
    assert report.chart("metrics")._repr_svg_().startswith("<svg")


def test_a_filter_on_a_page_that_carries_a_part_of_the_items_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_in_html, "MAX_ITEMS", 5)
    report = score(f"{FIRST}.csv")
    with pytest.warns(UserWarning, match="only the items of 20 that lost the most, so 15 others were left out") as told:
        assert len(report.items.where("track=1")) <= 5
    assert told[0].filename == __file__
    assert len(list(report.items)) == 20


def test_frames_are_made_of_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    report = score(f"{FIRST}.csv")
    for name in ("pandas", "polars"):
        frame = SimpleNamespace(DataFrame=lambda columns, **_: columns)
        monkeypatch.setattr("scorewatch.rows.import_module", lambda wanted, f=frame, n=name: f if wanted == n else None)
        assert getattr(report.items, f"to_{name}")() == report.items.columns()


def test_a_column_of_numbers_and_names_is_one_of_texts() -> None:
    rows = Rows(Path(), lambda: iter([{"track": 1}, {"track": "A"}, {"track": None}]), Item)
    assert rows.columns() == {"track": ["1", "A", None]}


def test_two_runs_are_compared_as_the_command_compares_them(folder: Path) -> None:
    from cli.main import main

    before, after = score(f"{FIRST}.csv", out="out"), score(f"{SECOND}.csv", out="out")
    found = compare(before, after)
    main(["compare", str(before.folder), str(after.folder), "--out", "pages"])
    data = json.loads((folder / "pages/compare.json").read_bytes())
    of_places = dict.fromkeys(("key", "files", "before", "after"))  # pages are found by paths
    assert found.data | of_places == data | of_places
    assert (found.shared, found.verdict) == (10, data["verdict"])
    change = next(one for one in found.changes if one.metric == "intent" and one.kind == "all")
    assert (change.before, change.after, change.group) == (5.0, 3.4, "")
    assert found.changes.columns()["metric"][0] == next(iter(found.changes)).metric
    assert compare(f"{FIRST}.csv", after).shared == 10  # an input is scored on the way


def test_changes_of_a_slice_are_named_by_column_and_value() -> None:
    files = comparison_files(sliced_comparison(["en", "ko", ""]), language="ko")
    changes = Comparison(json.loads(files["compare.json"])).changes
    groups = [one.group for one in changes if one.kind == "slice" and one.metric == "answered"]
    assert groups == ["언어=en", "언어=", "언어=ko"]


def test_a_gate_is_decided_by_rules_that_are_given() -> None:
    before, after = score(f"{FIRST}.csv"), score(f"{SECOND}.csv")
    found = gate(after, rules=["intent >= 4.5", "answered_rate >= 0.9"])
    assert (found.state, found.exit_code, found.is_passed) == ("failed", 3, False)
    assert [(one.rule, one.state, one.value, one.limit) for one in found.rules] == [
        ("intent >= 4.5", "failed", 3.4, 4.5),
        ("answered_rate >= 0.9", "passed", 1.0, 0.9),
    ]
    assert gate(after, rules=["not worse than baseline"]).state == "undecidable"
    found = gate(after, rules=["intent not worse than baseline by 5"], baseline=before)
    assert found.baseline == FIRST
    assert gate(before, rules=["intent >= 4.5"]).is_passed


def test_rules_of_the_settings_are_found(folder: Path) -> None:
    report = score(f"{FIRST}.csv")
    with pytest.raises(SettingsError):
        gate(report)
    (folder / "scorewatch.toml").write_text('[gate]\nrules = ["intent >= 4.5"]\n', encoding="utf-8")
    assert gate(report).is_passed
    (folder / "own.toml").write_text('[gate]\nrules = ["intent >= 4.5", "n >= 100"]\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="'n'"):
        gate(report, rules=folder / "own.toml")


def test_what_is_wrong_is_said_with_what_to_do(folder: Path) -> None:
    score(f"{FIRST}.csv", out="docs/reports")
    assert read_report(FIRST).set == FIRST
    assert read_report(folder / "docs/reports" / FIRST).set == FIRST
    with pytest.raises(RequestError, match=f"Nearest sets: '{FIRST}'"):
        read_report("resume_agent_26031")
    with pytest.raises(RequestError, match=r"no filter 'trak'\. Try: track"):
        read_report(FIRST).items.where("trak=1")
    with pytest.raises(RequestError, match="not one of ko, en"):
        score(f"{FIRST}.csv", language="fr")
    with pytest.raises(RequestError, match="metrics"):
        read_report(FIRST).chart("metric")
    (folder / "resume_agent_x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(RefusedError, match=r"resume_agent_x\.csv.*\[missing-column") as caught:
        score("resume_agent_x.csv")
    assert caught.value.problems[0].code.startswith("missing-column")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 -- our own
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_a_folder_of_several_sets_is_refused_and_leaves_nothing(folder: Path) -> None:
    before = set(folder.iterdir())
    with pytest.raises(RequestError, match="holds several sets"):
        score(folder)
    assert set(folder.iterdir()) == before


def test_what_is_not_scored_beside_a_set_is_warned_of(folder: Path) -> None:
    (folder / "more").mkdir()
    shutil.move(folder / f"{FIRST}.csv", folder / "more")
    (folder / "more" / "notes.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"not scored: .*notes\.csv"):
        score(folder / "more")


def test_a_file_that_was_changed_is_not_read_as_that_of_the_report() -> None:
    report = score(f"{FIRST}.csv", out="out")
    with (report.folder / "items.csv").open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(RequestError, match="cannot be read"):
        list(report.items)


@pytest.mark.parametrize("stored", ["engine_8", "engine_9", "version_0_2_0"])
def test_stored_reports_are_read(stored: str) -> None:
    report = read_report(EARLIER / stored / FIRST)
    assert (report.set, report.profile, report.metrics["intent"], len(report.items)) == (FIRST, "resume-agent", 5.0, 20)
    items = list(report.items)
    assert [(one.query_id, one.round, one.intent) for one in items[:2]] == [("Q00", "1/1", 5.0), ("Q01", "1/1", 5.0)]
    assert items[0].passed is (True if stored == "version_0_2_0" else None)
    assert {"row", "track", "seconds", "question"} <= report.items.columns().keys()
    assert report.data["format_version"] == 3
    if stored == "version_0_2_0":
        assert [query.n for query in report.queries] == [2] * 10
    else:
        with pytest.raises(RequestError, match=f"Engine {stored[-1]} made this report"):
            report.items.where("track=1")
