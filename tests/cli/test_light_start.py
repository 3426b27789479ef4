"""What `status` and `score` import: a client of the queue or a library of another command costs their start."""

import os
import subprocess
import sys

import pytest

from tests.cli.place import Place
from tests.paths import ROOT

HEAVY = {  # not asyncio: pydantic-settings imports it itself
    "billiard",
    "celery",
    "httpx2",
    "jsonschema_rs",
    "kombu",
    "markdown_it",
    "multiprocessing",
    "openai",
    "pkg_resources",
    "prometheus_client",
    "redis",
    "rich",
    "structlog",
    "valkey",
    "watchdog",
    "yaml",
}
OURS = ("config.", "reporting.", "scoring.", "watcher.", "workers.")
# Of the workers, `score` takes the judge, which is no task.
TASKS = {"workers.app", "workers.judge.job", "workers.queue", "workers.tasks"}
_SNAPSHOT = """
from pathlib import Path
from cli.service.saved_snapshot import save_snapshot
from watcher.health import Snapshot
from workers.broker.condition import Depth
seen = Snapshot(sets=2, settled=1, asked=1, in_work=("a",))
save_snapshot(Path("state"), seen, observer="native", reason="", queue=Depth(3, 1))
"""


def _imported(place: Place, *arguments: str, before: str = "") -> tuple[set[str], str]:
    script = (
        f"{before}\nimport sys, cli.main\n"
        f"code = cli.main.main({list(arguments)!r})\n"
        f"whole = {{name for name in sys.modules if name.startswith({OURS!r})}}\n"
        "print('imported', *sorted({name.partition('.')[0] for name in sys.modules} | whole))\n"
        "sys.exit(code)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        cwd=place.root,
        encoding="utf-8",
        env={**environment, "PYTHONPATH": str(ROOT), "SCOREWATCH_STATE": "state", "SCOREWATCH_OUT": "out"},
    )
    said, _, names = ran.stdout.rpartition("imported ")
    return set(names.split()), said


def _scored(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    assert place.score("in", "--out", "out", "--quiet").code == 0


def test_status_without_a_service_imports_no_client_of_the_queue(place: Place) -> None:
    _scored(place)
    imported, said = _imported(place, "status")
    assert imported & HEAVY == set()
    assert {"click", "pydantic"} <= imported
    assert imported & {"scoring.results.model", "scoring.items.file_scorer"} == set()
    assert "✓ resume_agent_a " in said


def test_status_without_comparisons_imports_none(place: Place) -> None:
    imported, _ = _imported(place, "status")
    assert "scoring.comparison.baseline" in imported
    assert imported & {"scoring.results.model", "scoring.comparison.compare"} == set()


def test_status_beside_a_service_knows_the_queue_from_its_watcher(place: Place) -> None:
    _scored(place)
    imported, said = _imported(place, "status", before=_SNAPSHOT)
    assert imported & HEAVY == set()
    assert "큐: 대기 3개, 실행 1개" in said.splitlines()


def test_score_with_settings_imports_no_client_of_the_queue(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    imported, _ = _imported(place, "score", "in", "--out", "out")
    assert imported & HEAVY == set()
    assert {name for name in imported if name in TASKS or name.startswith("workers.jobs.")} == set()


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_imports_no_settings(place: Place, arguments: tuple[str, ...]) -> None:
    imported, _ = _imported(place, *arguments)
    assert imported & (HEAVY | {"pydantic", "pydantic_settings", "msgspec", "watcher", "workers"}) == set()
    assert {"config.settings", "config.load"} & imported == set()


def test_packages_cost_nothing_before_a_name_of_them_is_asked_for() -> None:
    """Neither Celery nor settings, whatever the doors name: `workers.broker` says which broker is in use without."""
    script = (
        "import sys, config, reporting, scoring, watcher, workers, workers.jobs, workers.judge, workers.monitoring\n"
        "from workers.broker import broker_address\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert {*ran.stdout.split()} & (HEAVY | {"pydantic", "msgspec"}) == set()
