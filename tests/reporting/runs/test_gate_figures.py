"""The figures that rules are about, from the folder of a report and from a set that was just scored."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from reporting.runs.gate_figures import figures_of
from reporting.runs.read import UnreadableRunError, read_reported, reported_of_result
from reporting.store import REPORT_JSON
from scoring.gate import EVERYTHING, Figure, Figures, Scope
from scoring.results import SetResult
from scoring.rubric import PassRule, Status
from scoring.sets import SetId
from scoring.statistics import in_one_round, mean_interval
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, make_rubric

ERROR = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0}


def _result() -> SetResult:
    return make_result(
        make_item(2, query_id="q1", track=1, seconds=4.0, category="여행"),
        make_item(3, query_id="q1", track=1, seconds=6.0, category="여행", round="2/1"),
        make_item(4, query_id="q2", track=3, seconds=70.0, latency=0.0, **ERROR),
        make_item(5, query_id="q2", track=3, seconds=10.0, round="2/1"),
    )


def _read(result: SetResult, out: Path) -> Figures:
    return _read_folder(publish_report(result, set_name="s", key="k", out=out).folder)


def _read_folder(folder: Path) -> Figures:
    report, run = read_reported(folder)
    return figures_of(report, run.queries)


def test_figures_of_the_whole_set(tmp_path: Path) -> None:
    values = _read(_result(), tmp_path).values[EVERYTHING]
    shown = {name: figure.value for name, figure in values.items()}
    assert {name: shown[name] for name in ("intent", "stability", "answered_rate", "pass_rate")} == {
        "intent": 3.75,
        "stability": 3.75,
        "answered_rate": 0.75,
        "pass_rate": 0.75,
    }
    assert shown["consistency"] == 2.5
    assert (shown["items"], shown["queries"], shown["rounds"]) == (4, 2, 2)
    assert (shown["unreadable"], shown["judged"]) == (0, 1)
    assert (shown["latency p50"], shown["latency p95"], shown["latency max"]) == (8.0, 61.0, 70.0)
    assert "total" not in values


def test_figures_of_tracks_and_categories(tmp_path: Path) -> None:
    values = _read(_result(), tmp_path).values
    track, category = values[Scope("track", "3")], values[Scope("category", "여행")]
    assert (track["intent"].value, track["pass_rate"].value, track["items"].value) == (2.5, 0.5, 2)
    assert track["latency p95"].value == 67.0
    assert (category["intent"].value, category["answered_rate"].value, category["queries"].value) == (5.0, 1.0, 1)
    assert "consistency" not in category


def test_figures_of_a_value_of_a_further_column(tmp_path: Path) -> None:
    items = [make_item(at + 2, extra=("en" if at < 10 else "ko",), **(ERROR if at < 5 else {})) for at in range(30)]
    values = _read(make_result(*items, extra_columns=("언 어",)), tmp_path).values
    found = values[Scope("slice", "en", "언어")]
    shown = {
        name: found[name].value for name in ("answered_rate", "pass_rate", "intent", "accuracy", "items", "queries")
    }
    assert shown == {"answered_rate": 0.5, "pass_rate": 0.5, "intent": 2.5, "accuracy": 2.5, "items": 10, "queries": 10}
    assert found["answered_rate"].low is not None
    assert "total" not in found


def test_pass_rate_is_by_points_where_the_document_names_them(tmp_path: Path) -> None:
    rubric = make_rubric(pass_points=PassRule(metric="stability", points=3.0))
    low = make_item(3, query_id="q2", stability=2.0, track=3)
    unchecked = make_item(4, query_id="q3", stability=None)
    figures = _read(make_result(make_item(2), low, unchecked, rubric=rubric), tmp_path)
    assert figures.values[EVERYTHING]["pass_rate"].value == 0.5
    assert figures.values[EVERYTHING]["answered_rate"].value == 1.0
    assert figures.values[Scope("track", "3")]["pass_rate"].value == 0.0
    assert [query.passes for query in figures.queries if query.query_id == "q3"] == [None]


def test_unreadable_payloads_are_counted(tmp_path: Path) -> None:
    result = replace(make_result(), counts={"payload:truncated": 1, "restored-date": 2})
    assert _read(result, tmp_path).values[EVERYTHING]["unreadable"] == Figure(1.0)


def test_report_on_disk_and_result_in_memory_give_the_same(tmp_path: Path) -> None:
    result = _result()
    report, run = reported_of_result(result, SetId("s", "k"), language="ko")
    assert figures_of(report, run.queries) == _read(result, tmp_path)


def test_shares_have_the_interval_of_their_queries(tmp_path: Path) -> None:
    figure = _read(_result(), tmp_path).values[EVERYTHING]["pass_rate"]
    assert figure == Figure(0.75, *(mean_interval(0.75, in_one_round([(1.0, 1.0), (0.0, 1.0)]), top=1.0) or ()))
    assert figure.low is not None
    assert figure.low < 0.75


def test_intervals_are_those_of_the_report(tmp_path: Path) -> None:
    folder = publish_report(_result(), set_name="s", key="k", out=tmp_path).folder
    headline = msgspec.json.decode((folder / REPORT_JSON).read_bytes())["headline"]
    values = _read_folder(folder).values
    everything = values[EVERYTHING]
    for name in ("intent", "consistency", "stability", "latency"):
        assert [everything[name].low, everything[name].high] == headline["intervals"][name], name
    assert [everything["answered_rate"].low, everything["answered_rate"].high] == headline["answered_interval"]
    assert (everything["latency p95"].low, everything["items"].low) == (None, None)
    for scope in (Scope("track", "3"), Scope("category", "여행")):  # one query each: nothing is said of others
        assert {values[scope]["intent"].low, values[scope]["pass_rate"].low} == {None}


@pytest.mark.parametrize("damage", ["absent", "cut", "other"])
def test_report_that_cannot_be_read_says_so(tmp_path: Path, damage: str) -> None:
    folder = publish_report(_result(), set_name="s", key="k", out=tmp_path).folder
    if damage == "absent":
        (folder / REPORT_JSON).unlink()
    else:
        content = (folder / REPORT_JSON).read_bytes()
        (folder / REPORT_JSON).write_bytes(content[: len(content) // 2] if damage == "cut" else b"{}")
    with pytest.raises(UnreadableRunError):
        read_reported(folder)
