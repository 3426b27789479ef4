"""A benchmark that is killed ends the service that it measures."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.harness import ROOT, Up, processes_of, wait_for

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(300)]

CODE = """
import signal, sys
from pathlib import Path
from bench.ending import EndingUp, end_on_signals

end_on_signals()
home = Path(sys.argv[1])
try:
    with EndingUp(home) as up:
        up.pool_pids()
        (home / "runs").touch()
        signal.pause()
finally:
    (home / "cleaned").touch()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_service_ends_with_its_benchmark(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", CODE, str(tmp_path)], cwd=ROOT) as bench:
        try:
            wait_for((tmp_path / "runs").exists, "the service")
            bench.send_signal(number)
            bench.wait(timeout=30)
        finally:
            bench.kill()
    up = Up(tmp_path)
    wait_for(lambda: not processes_of(str(up.state), str(up.watch)), "the service to end")
    assert (tmp_path / "cleaned").exists() is (number is not signal.SIGKILL)
