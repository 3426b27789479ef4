"""The floor reads what it claims to read, and the runner measures whole processes."""

import csv
import io
import sys

import msgspec
import pytest

from bench.floor import Payload, main, read_payloads
from bench.score import run
from tests.paths import ROOT


def _file(*cells: str) -> io.BytesIO:
    text = io.StringIO()
    csv.writer(text).writerows([["Query ID", "Raw JSON"], *(["q", cell] for cell in cells)])
    return io.BytesIO(text.getvalue().encode())


def test_floor_reads_every_payload_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT / "tests/samples/resume_agent_two_rounds.csv")]) == 0
    assert capsys.readouterr().out == "164\n"


def test_floor_decodes_the_wanted_fields_and_skips_blank_cells() -> None:
    cells = ('{"assistantMessage": "가\\n나", "dataUIList": [{"uiValue": {}}], "responseTimeSec": 1.5, "x": 1}', "")
    (payload,) = read_payloads(_file(*cells))
    assert isinstance(payload, Payload)
    assert (payload.assistantMessage, payload.responseTimeSec, payload.error) == ("가\n나", 1.5, None)
    assert payload.dataUIList is not None
    assert len(payload.dataUIList) == 1


def test_floor_has_no_guards() -> None:
    with pytest.raises(msgspec.DecodeError):
        list(read_payloads(_file("{")))


def test_run_measures_a_process() -> None:
    cost = run([sys.executable, "-c", "sum(range(1_000_000)); bytearray(50_000_000)"])
    assert cost.cpu_seconds > 0
    assert cost.wall_seconds > 0
    assert 5 < cost.peak_megabytes < 500


def test_run_shows_the_output_of_a_process_that_failed() -> None:
    with pytest.raises(RuntimeError, match=r"exit 3\nwhy\n"):
        run([sys.executable, "-c", "import sys; print('why'); sys.exit(3)"])
