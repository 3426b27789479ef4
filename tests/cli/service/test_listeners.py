"""Who hears of what the watcher does: nobody pays for what is not set."""

import os
import subprocess
import sys

import pytest

from tests.paths import ROOT

PROBE = """
import sys
import cli.commands.up
from cli.service.listeners import Listeners
from config.settings import Settings
Listeners(Settings({settings}), None, broker_url="memory://", workers={{}})
print(sorted(name for name in ("prometheus_client", "sqlite3", "http.server", "httpx2") if name in sys.modules))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "imported"),
    [
        ("", []),
        ("metrics_address='127.0.0.1:0'", ["http.server", "prometheus_client"]),
        ("webhook_url='http://127.0.0.1:9/'", ["httpx2", "sqlite3"]),
    ],
)
def test_libraries_are_imported_when_they_are_wanted(settings: str, imported: list[str]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    run = subprocess.run(
        [sys.executable, "-c", PROBE.format(settings=settings)],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout.strip(), run.stderr) == (str(imported), "")
