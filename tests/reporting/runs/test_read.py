"""Runs from report folders and from sets that were just scored are the same, whatever the cells hold."""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from reporting.data import ItemsFileError, decoded_lines, encode_items, item_cells, item_records, read_items
from reporting.runs import read
from reporting.runs.compare import comparison_files
from reporting.runs.read import UnknownRoundError, UnreadableRunError, read_run
from reporting.store import headline_of
from scoring.comparison import Verdict, compare_runs
from scoring.results import SetResult
from scoring.rubric import Status
from tests.paths import ROOT
from tests.reporting.comparison.runs import FAILED, HOSTILE, items_of, run_of_result
from tests.reporting.publishing import write
from tests.reporting.results import make_item, make_result
from tests.scoring.files import score_shipped

CASES = [
    next(iter(sorted((ROOT / "tests/cases" / case).glob("*.csv"))))
    for case in ("h_full", "h_consistency", "plan_prose", "move_urls", "llm_scores", "published_table", "ten_rounds")
]
SAMPLES = sorted((ROOT / "tests/cases").glob("h_*/*.csv"))[:3]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "_PAUSES_SECONDS", (0.0, 0.0))


def _results() -> list[SetResult]:
    hostile = [
        make_item(
            2 + n,
            query_id=text,
            question=text,
            category=text,
            round=f"{text} 회",
            response=text,
            message="답",
            extra=("a", "b"),
        )
        for n, text in enumerate(HOSTILE)
    ]
    return [
        make_result(*items_of(5, broken=2, rounds=2)),
        make_result(*hostile, extra_columns=("verdict", "row")),
        score_shipped(ROOT / "tests/samples/resume_agent_two_rounds.csv"),
        *map(score_shipped, SAMPLES),
    ]


@pytest.mark.parametrize("result", _results(), ids=lambda result: result.inputs[0].name)
def test_published_and_scored_runs_are_equal(result: SetResult, tmp_path: Path) -> None:
    write(tmp_path, result, key="k", name="s")
    assert read_run(tmp_path / "s") == run_of_result(result, name="s", key="k")


@pytest.mark.parametrize("result", _results(), ids=lambda result: result.inputs[0].name)
def test_shown_values_are_those_of_the_report(result: SetResult) -> None:
    run = run_of_result(result, name="s", key="k")
    headline = headline_of(result)
    assert run.shown["answered"] == headline.answered_rate
    assert {name: run.shown[name] for name in headline.metrics} == headline.metrics
    assert run.items == headline.n
    assert sum(query.n for query in run.queries.values()) == len(result.items)
    if headline.passed is not None:
        assert sum(query.passed for query in run.queries.values()) == headline.passed
        assert sum(query.assessed for query in run.queries.values()) == headline.assessed


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_runs_of_every_profile_compare(path: Path) -> None:
    result = score_shipped(path)
    run = run_of_result(result, name="s", key="k")
    comparison = compare_runs(run, run, margin=0.1)
    verdicts = {change.verdict for group in comparison.groups for change in group.changes}
    assert verdicts <= {Verdict.SAME, Verdict.TOO_FEW, Verdict.NO_VALUE, Verdict.NOT_COMPARABLE}
    damaged = {damage.metric for damage in result.damaged}
    assert comparison.headline.verdict is (
        Verdict.NOT_COMPARABLE if comparison.headline.metric in damaged else Verdict.SAME
    )
    assert set(comparison_files(comparison, language="ko")) == {"compare.html", "compare.md", "compare.json"}


def test_consistency_of_queries_adds_up_to_that_of_the_report() -> None:
    result = score_shipped(ROOT / "tests/samples/resume_agent_two_rounds.csv")
    run = run_of_result(result, name="s", key="k")
    values = [query.values["consistency"] for query in run.queries.values() if "consistency" in query.values]
    assert sum(values) / len(values) == pytest.approx(result.groups[0].consistency)  # every query in two rounds


def test_query_ids_that_look_like_formulas_are_paired_as_they_were_written() -> None:
    result = make_result(make_item(2, query_id="=1+1"), make_item(3, query_id="-3"), make_item(4, query_id="'x"))
    assert list(run_of_result(result, name="s", key="k").queries) == ["'x", "-3", "=1+1"]


def test_values_have_full_precision() -> None:
    result = make_result(make_item(2, query_id="Q", intent=1 / 3, seconds=59.99999999999999))
    values = run_of_result(result, name="s", key="k").queries["Q"].values
    assert (values["intent"], values["seconds"]) == (1 / 3, 59.99999999999999)


def test_the_answer_is_the_response_else_the_message_else_the_error() -> None:
    items = [
        make_item(2, query_id="A", response="답", message="메시지"),
        make_item(3, query_id="B", response="", message="메시지"),
        make_item(4, query_id="C", **FAILED),
    ]
    queries = run_of_result(make_result(*items), name="s", key="k").queries
    assert [query.answers[0].text for query in queries.values()] == ["답", "메시지", "Timeout"]


def test_one_round_alone() -> None:
    result = make_result(*items_of(4, broken=1, rounds=2))
    run = run_of_result(result, name="s", key="k", selection="2/1")
    whole = run_of_result(result, name="s", key="k")
    assert run.items == 4
    assert run.rounds == ("1/1", "2/1")
    assert run.shown["answered"] == 0.75
    assert "consistency" not in run.queries["Q-000"].values
    assert run.key != whole.key
    with pytest.raises(UnknownRoundError) as error:
        run_of_result(result, name="s", key="k", selection="3/1")
    assert error.value.rounds == ("1/1", "2/1")


def test_the_earliest_time_of_the_run_is_read() -> None:
    items = [make_item(2, executed_at="2026-03-02 10:00:00"), make_item(3, executed_at="2026/03/01 9:00"),
             make_item(4, executed_at="2026-03-01 10:00:00")]  # fmt: skip
    assert run_of_result(make_result(*items), name="s", key="k").executed == "2026-03-01T09:00:00"


def test_a_damaged_report_is_refused(tmp_path: Path) -> None:
    write(tmp_path, name="s")
    items = tmp_path / "s/items.csv"
    items.write_bytes(items.read_bytes() + b"x")
    with pytest.raises(UnreadableRunError):
        read_run(tmp_path / "s")
    items.unlink()
    with pytest.raises(UnreadableRunError):
        read_run(tmp_path / "s")
    report = tmp_path / "s/report.json"
    older = json.loads(report.read_bytes())
    del older["basis"]
    report.write_text(json.dumps(older))
    with pytest.raises(UnreadableRunError):
        read_run(tmp_path / "s")


def test_a_report_published_meanwhile_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, name="s", key="k1")
    old = (tmp_path / "s/report.json").read_bytes()
    write(tmp_path, make_result(*items_of(3)), name="s", key="k2")
    new = (tmp_path / "s/report.json").read_bytes()
    (tmp_path / "s/report.json").write_bytes(old)  # as between the renames of a publication
    monkeypatch.setattr(time, "sleep", lambda seconds: (tmp_path / "s/report.json").write_bytes(new) if seconds else 0)
    monkeypatch.setattr(read, "_PAUSES_SECONDS", (0.0, 0.1))
    assert read_run(tmp_path / "s").key == "k2"


@pytest.mark.parametrize("data", [b"", b"a,b\r\n1,2\r\n", b'"file","row"\r\n', b"\xff\xfe"])
def test_another_file_is_no_items_csv(data: bytes) -> None:
    with pytest.raises(ItemsFileError):
        list(read_items([data.decode("utf-8", "replace")]))


@pytest.mark.parametrize("read_rows", [read_items, item_records, partial(item_cells, names=["query_id"])])
def test_a_row_that_does_not_fit_the_header_is_refused_with_its_line(
    read_rows: Callable[[list[str]], Iterator[object]],
) -> None:
    lines = list(decoded_lines(encode_items(make_result(make_item(2), make_item(3)))))
    assert len(list(read_rows(lines))) == 2
    lines.insert(2, '"x",1\r\n')
    with pytest.raises(ItemsFileError, match="2 cells") as found:
        list(read_rows(lines))
    assert found.value.line == 3


def test_every_status_is_read_back() -> None:
    items = [make_item(2 + n, query_id=status, status=status) for n, status in enumerate(Status)]
    read = read_items(decoded_lines(encode_items(make_result(*items))))
    assert {item.query_id: item.status for item in read} == {status: status for status in Status}
