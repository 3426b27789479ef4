"""The generator: the same bytes for the same arguments, and the shape of real files."""

import csv
import io
import json
import statistics
from collections import Counter
from pathlib import Path

import pytest

from bench.make_csv import COLUMNS, main, make_rows, worsened, write_file
from tests.paths import ROOT


def test_file_of_two_rounds_is_the_generators_output(tmp_path: Path) -> None:
    written = tmp_path / "made.csv"
    write_file(written, 164, rounds=2, seed=8)
    assert (ROOT / "tests/samples/resume_agent_two_rounds.csv").read_bytes() == written.read_bytes()


def test_file_starts_with_a_byte_order_mark_and_the_exporters_columns(tmp_path: Path) -> None:
    path = tmp_path / "new" / "made.csv"
    assert main(["--rows", "7", "--rounds", "3", "--seed", "1", "--out", str(path)]) == 0
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    assert tuple(rows[0]) == COLUMNS
    assert Counter(row[COLUMNS.index("방/반복")] for row in rows[1:]) == {"1/1": 3, "2/1": 2, "3/1": 2}


def test_few_queries_are_asked_again_in_each_round() -> None:
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in make_rows(20, rounds=2, queries=4)]
    counted = Counter((row["방/반복"], row["Query ID"]) for row in rows)
    assert sorted(counted.values()) == [2] * 4 + [3] * 4
    assert len({row["질의"] for row in rows}) <= 4
    assert len({row["Item ID"] for row in rows}) == 20


def test_seed_decides_every_byte() -> None:
    assert list(make_rows(50, seed=3)) == list(make_rows(50, seed=3))
    assert list(make_rows(50, seed=3)) != list(make_rows(50, seed=4))


@pytest.fixture(scope="module")
def many() -> list[dict[str, str]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in make_rows(4000, rounds=2, seed=7)]


def test_payloads_have_the_sizes_of_real_ones(many: list[dict[str, str]]) -> None:
    sizes = [len(row["Raw JSON"].encode()) for row in many]
    assert 50 <= min(sizes) <= 120
    assert 12_000 <= max(sizes) <= 20_480
    assert 1700 <= statistics.mean(sizes) <= 2000


def test_payloads_are_objects_with_the_fields_that_count(many: list[dict[str, str]]) -> None:
    for row in many:
        payload = json.loads(row["Raw JSON"])
        assert {"dataUIList", "responseTimeSec", "error"} <= payload.keys()
        assert payload.get("assistantMessage", "") == row["응답"]


def test_items_fall_into_tracks_and_outcomes_as_real_ones_do(many: list[dict[str, str]]) -> None:
    tracks = Counter(row["Track"] for row in many)
    assert tracks["Track 1"] > tracks["Track 3"] > tracks["Track 2"] > 0
    errors = [row for row in many if json.loads(row["Raw JSON"])["error"]]
    assert 0.02 < len(errors) / len(many) < 0.12
    assert any(row["오류"] == "" for row in errors)  # the payload alone knows
    assert any(row["오류"] == "nan" for row in many)
    assert any("문제가 발생" in row["응답"] for row in many)
    assert any(row["LLM 점수"] for row in many)
    assert any(not row["LLM 점수"] for row in many)


def test_worse_queries_fail_in_every_round_and_the_others_stay() -> None:
    rows = list(make_rows(164, seed=8))
    changed = worsened(rows, 6, seed=8)
    query, error = COLUMNS.index("Query ID"), COLUMNS.index("오류")
    worse = {new[query] for old, new in zip(rows, changed, strict=True) if old != new}
    assert len(worse) == 6
    for old, new in zip(rows, changed, strict=True):
        if new[query] in worse:
            payload = json.loads(new[COLUMNS.index("Raw JSON")])
            assert old[COLUMNS.index("Logic 결과")] == "PASS"
            assert payload["error"] == new[error] != ""
            assert payload["responseTimeSec"] == json.loads(old[COLUMNS.index("Raw JSON")])["responseTimeSec"]
        else:
            assert old == new
    assert worsened(rows, 6, seed=8) == changed
    assert worsened(rows, 0) == rows


def test_some_questions_are_missing_in_a_round(many: list[dict[str, str]]) -> None:
    first, second = ({row["Query ID"] for row in many if row["방/반복"] == label} for label in ("1/1", "2/1"))
    assert len(first) == len(second) == 2000
    assert 0 < len(first - second) < 100
    assert 0 < len(second - first) < 100


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--out", "x.csv", "--rows", "0"],
        ["--out", "x.csv", "--rounds", "0"],
        ["--out", "x.csv", "--worse", "-1"],
        ["--out", "x.csv", "--worse", "83"],
    ],
)
def test_wrong_arguments_stop_before_anything_is_written(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert "error: " in error
    assert "--" in error
    assert list(tmp_path.iterdir()) == []
