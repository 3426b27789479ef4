"""How a process ends: at once where something was kept for the end, with the same output and exit code."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.make_csv import write_file
from cli import process_exit as leaving
from tests.paths import ROOT

LEAVE: Callable[[Callable[[], int]], object] = leaving.leave_with  # here its end is watched, and it returns


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Codes of ends at once. The process that runs the tests keeps nothing afterwards."""
    monkeypatch.setattr(leaving, "_kept", None)
    codes: list[int] = []
    monkeypatch.setattr("os._exit", codes.append)
    return codes


def test_process_that_kept_something_ends_at_once(exits: list[int]) -> None:
    def main() -> int:
        leaving.keep("items")
        return 1

    LEAVE(main)
    assert exits == [1]


def test_process_that_kept_nothing_ends_as_any_other(exits: list[int]) -> None:
    with pytest.raises(SystemExit) as caught:
        LEAVE(lambda: 2)
    assert (caught.value.code, exits) == (2, [])


def test_only_the_last_value_is_kept(exits: list[int]) -> None:
    def main() -> int:
        leaving.keep("first")
        leaving.keep("second")
        return 0

    LEAVE(main)
    assert leaving._kept == ["second"]
    assert exits == [0]


def test_nothing_is_kept_where_the_process_goes_on() -> None:
    leaving.keep("items")
    assert leaving._kept is None


@pytest.mark.parametrize(
    ("more", "code"), [pytest.param("", 0, id="fine"), pytest.param("x\n", 1, id="problem", marks=pytest.mark.slow)]
)
def test_output_is_whole_at_the_end(tmp_path: Path, more: str, code: int) -> None:
    path = tmp_path / "resume_agent_end.csv"
    write_file(path, 6)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(more)
    run = subprocess.run(
        [sys.executable, "-m", "cli.main", "score", str(path), "--out", "out", "--json"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        check=False,
    )
    assert run.returncode == code, run.stderr
    assert run.stdout.rstrip().endswith(b"}")
    assert (tmp_path / "out" / "resume_agent_end" / "report.html").is_file()
