"""A pipe in place of a file of the report folder makes no reader wait."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reporting.index import write_index
from reporting.runs import Outcome, UnreadableRunError, read_run
from reporting.store.gate import GATE
from reporting.store.notes import read_sources, read_unread
from reporting.store.set_folders import verify_set
from reporting.store.verdicts import VerdictReader, append_verdicts, forget_failures
from scoring import TransientError
from scoring.judging import Verdict
from tests.inner import read_reported
from tests.paths import ROOT
from tests.reporting.publishing import two_rounds, write

pytestmark = pytest.mark.timeout(60)


def pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", ["status.json", "report.json", "items.csv", "changes.md", "report.html"])
def test_a_pipe_is_damage_and_publishing_replaces_it(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    pipe(tmp_path / "s" / name)
    write_index(tmp_path, unclaimed=[], language="ko")
    assert verify_set(tmp_path, "s") == (name == "changes.md")
    assert write(tmp_path, two_rounds(), key="k2").outcome is Outcome.WRITTEN
    assert verify_set(tmp_path, "s")
    assert (tmp_path / "s" / name).is_file()


@pytest.mark.parametrize("name", ["report.json", "items.csv"])
def test_a_run_with_a_pipe_cannot_be_read(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    pipe(tmp_path / "s" / name)
    for read in (read_run, read_reported):
        with pytest.raises(UnreadableRunError):
            read(tmp_path / "s")


def test_pipes_in_place_of_the_index_and_of_notes(tmp_path: Path) -> None:
    write(tmp_path)
    for name in ("index.md", ".scorewatch/unread.json", ".scorewatch/sources.json", "s/gate.json"):
        pipe(tmp_path / name)
    assert (read_unread(tmp_path), read_sources(tmp_path)) == ({}, {})
    assert GATE.read(tmp_path / "s") is None
    assert write_index(tmp_path, unclaimed=[], language="ko")
    assert (tmp_path / "index.md").is_file()


def test_a_pipe_in_place_of_the_verdicts_is_named(tmp_path: Path) -> None:
    pipe(tmp_path / "s/verdicts.jsonl")
    with pytest.raises(TransientError, match=r"verdicts.jsonl: not a regular file"):
        VerdictReader(tmp_path, "s").read()
    with pytest.raises(TransientError, match=r"not a regular file"):
        forget_failures(tmp_path, "s")
    with pytest.raises(TransientError):
        append_verdicts(tmp_path, "s", [Verdict(hash="h", level="A")])


def plain_reads(path: Path) -> Iterator[str]:
    """Calls that open a file for reading without looking at what it is."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if ast.unparse(node.func) == "os.open":  # its flags neither block on a pipe nor read
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        modes = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if name in {"read_bytes", "read_text"} or (name == "open" and modes in ([], ["r"], ["rb"])):
            yield f"{path.relative_to(ROOT).as_posix()}: {name}"


def test_no_code_of_the_report_folder_opens_a_file_otherwise() -> None:
    others = ("workers/jobs/work_area.py", "cli/gate.py")
    paths = [*(ROOT / "reporting").rglob("*.py"), *(ROOT / name for name in others)]
    found = sorted(line for path in paths for line in plain_reads(path))
    # Files of the package itself.
    assert found == ["reporting/document/html_renderer.py: read_text"]
