"""The memory of large files is measured by whole processes, against a limit."""

import csv
import io
import json
from types import SimpleNamespace

import pytest

from bench import memory
from bench.make_csv import COLUMNS, make_rows, shortened
from tests.scoring.files import score_bytes


def test_every_file_is_measured_by_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert memory.main(["--rows", "400"]) == 0
    out = capsys.readouterr().out
    for what in ("`score`, 400 rows, 82 queries", "worker, 400 rows, 82 queries", "`score`, 400 rows, 200 queries"):
        assert f"| {what} | " in out
    assert "at most 350 MB" in out
    assert "missed" not in out


def test_more_than_the_limit_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_MEGABYTES", {memory.QUERIES: 10})
    for runs in ("run", "run_product"):
        monkeypatch.setattr(memory, runs, lambda _: SimpleNamespace(peak_megabytes=11.0))
    assert memory.main(["--rows", "100"]) == 1
    assert "at most 10 MB **missed**" in capsys.readouterr().out


def test_short_rows_are_scored_as_the_long_ones() -> None:
    long, short = (list(rows) for rows in (make_rows(60), shortened(make_rows(60))))
    out = io.StringIO(newline="")
    csv.writer(out).writerows([COLUMNS, *short])
    part = score_bytes(out.getvalue().encode(), "resume_agent_short.csv")
    payload, item_id = COLUMNS.index("Raw JSON"), COLUMNS.index("Item ID")
    assert [item.item_id for item in part.items] == [row[item_id] for row in long]
    assert [item.seconds for item in part.items] == [json.loads(row[payload])["responseTimeSec"] for row in long]
    assert max(len(row[payload]) for row in short) < 400
