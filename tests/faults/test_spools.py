"""Files of items: a full disk ends the scoring with a problem, and nothing is left of a process that is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bench.make_csv import write_file
from reporting.store import verify_set
from tests.faults.harness import ROOT, wait_for
from tests.faults.test_full_disk import small_disk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROWS = 4_000
SPILLING = (
    "import sys; import scoring.items.spool.part_file as space; space.SPILL_ITEMS = 100;"
    "from cli.main import main; sys.exit(main())"
)


def scoring(file: Path, out: Path) -> subprocess.Popen[str]:
    """`scorewatch score` that keeps 100 items in memory."""
    command = [sys.executable, "-c", SPILLING, "score", str(file), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, cwd=out.parent, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("in") / "resume_agent_many.csv"
    write_file(path, ROWS)
    return path


def spools(pid: int, out: Path) -> Iterator[str]:
    """Files without a name that a process has open below a folder."""
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = str(entry.readlink())
                if target.startswith(f"{out}/.scorewatch/tmp/") and target.endswith("(deleted)"):
                    yield target


def test_a_killed_process_leaves_no_items(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = scoring(file, out)
    with process:
        wait_for(lambda: any(spools(process.pid, out)), "items in a file")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not [path for path in (out / ".scorewatch/tmp").iterdir() if path.is_file()]
    assert not (out / "resume_agent_many").exists()
    again = scoring(file, out)
    again.communicate()
    assert again.returncode == 0
    assert verify_set(out, "resume_agent_many")
    assert not any((out / ".scorewatch/tmp").iterdir())


def test_a_disk_that_is_full_meanwhile_is_named_and_left_as_it_was(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with small_disk(out, 2):
        process = scoring(file, out)
        said, _ = process.communicate()
        assert process.returncode == 1
        assert "디스크에 남은 공간이 없음" in said
        assert "[not-written]" in said
        assert not (out / "resume_agent_many").exists()
        assert not any((out / ".scorewatch/tmp").iterdir())
