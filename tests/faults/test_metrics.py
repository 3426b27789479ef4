"""Health, metrics and notifications of a real run; the figures agree with the folders."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.faults.harness import Up, drop, wait_for
from tests.faults.test_kills import wipe
from tests.inner import read_snapshot
from tests.paths import ROOT
from tests.watcher.receiver import SECRET, Receiver
from texts import fill

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

OPERATIONS = ("docs/operations.md", "docs/operations.ko.md")
NAMED = re.compile(r"\b(?:scorewatch|process)_[a-z_]+")
Samples = dict[tuple[str, ...], float]


class Observed(Up):
    """A service that serves metrics on a free port."""

    def __init__(self, home: Path, **settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        super().__init__(home, METRICS_ADDRESS=f"127.0.0.1:{self.port}", **settings)

    def text(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            return str(answer.read().decode())

    def samples(self) -> Samples:
        """(name, label values in the order of their names) -> value."""
        families = text_string_to_metric_families(self.text())
        return {
            (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
            for family in families
            for sample in family.samples
        }

    def health(self) -> tuple[int, list[str]]:
        """Status and what fails; (0, []) while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10) as answer:
                return answer.status, json.load(answer)["failing"]
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)["failing"]
        except (OSError, http.client.HTTPException):
            return 0, []


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    os.environ["NO_PROXY"] = "*"
    receiver = Receiver()
    yield receiver
    receiver.end()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[Observed]:
    up = Observed(tmp_path_factory.mktemp("observed"), WEBHOOK_URL=receiver.url)
    with up:
        wait_for(lambda: up.health() == (200, []), "a healthy service")
        yield up
        assert up.stop() == 0
        assert up.children() == []
        assert not (up.state / "run" / "worker.address").exists()


def test_metrics_of_a_real_run_agree_with_the_folders(up: Observed, receiver: Receiver) -> None:
    drop(up.watch, *(f"resume_agent_{number}.csv" for number in range(4)))
    (up.watch / "resume_agent_broken.csv").write_text("Query ID,Track\nq1,1\n")
    (up.watch / "notes.csv").write_text("a,b\n1,2\n")
    names = [*(f"resume_agent_{number}" for number in range(4)), "resume_agent_broken"]
    up.wait_settled(*names)
    states = [json.loads(path.read_bytes())["state"] for path in up.out.glob("*/status.json")]
    assert sorted(states) == ["problem", *["report"] * 4]
    expected: Samples = {
        ("scorewatch_sets", "report"): states.count("report"),
        ("scorewatch_sets", "problem"): states.count("problem"),
        ("scorewatch_sets_wanted",): len(states),
        ("scorewatch_settled_total", "report"): states.count("report"),
        ("scorewatch_settled_total", "problem"): states.count("problem"),
        ("scorewatch_drop_to_report_seconds_count",): len(states),
        ("scorewatch_files_unclaimed",): 1,
        ("scorewatch_files_settling",): 0,
        ("scorewatch_sets_asked",): 0,
        ("scorewatch_oldest_waiting_seconds",): 0,
        ("scorewatch_tried_again",): 0,
        ("scorewatch_queue_tasks", "waiting"): 0,
        ("scorewatch_queue_tasks", "running"): 0,
        ("scorewatch_worker_tasks_total", "done", "score_file"): len(states),
        ("scorewatch_worker_tasks_running",): 0,
        ("scorewatch_webhook_total", "sent"): len(states),
        ("scorewatch_webhook_waiting",): 0,
        ("scorewatch_observer_alive",): 1,
        ("scorewatch_observer_polling",): 0,
        ("scorewatch_watcher_healthy",): 1,
        ("scorewatch_watcher_leading",): 1,
        ("scorewatch_worker_healthy",): 1,
        ("scorewatch_broker_up",): 1,
        ("scorewatch_folder_degraded",): 0,
    }
    wait_for(lambda: {name: up.samples().get(name) for name in expected} == expected, "figures that agree")
    samples = up.samples()
    assert 0 < samples["scorewatch_drop_to_report_seconds_sum",] < 5 * 30
    assert samples["scorewatch_scan_age_seconds",] < 30
    assert sorted(body["set"] for _, body in receiver.received) == sorted(names)
    assert SECRET not in up.log.read_text(), "the address may hold a token"


def test_rules_and_dashboard_name_metrics_that_are_served(up: Observed) -> None:
    served = {sample.name for family in text_string_to_metric_families(up.text()) for sample in family.samples}
    rules = (ROOT / "deploy/prometheus/scorewatch.rules.yml").read_text(encoding="utf-8")
    dashboard = json.loads((ROOT / "deploy/grafana/scorewatch.json").read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    named = {name for text in (*queries, *re.findall(r"expr: (.+)", rules)) for name in NAMED.findall(text)}
    assert len(named) > 15
    assert named - served == set()


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_metric_served_is_explained_and_no_other(up: Observed, name: str) -> None:
    families = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in text_string_to_metric_families(up.text())
        if family.name.startswith("scorewatch_")
    }
    explained = re.findall(r"^\| `(scorewatch_[a-z_]+)", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted({*explained} - {"scorewatch_judge_cost_total"}) == sorted(families)  # served where there is a price


def _compose_probe(up: Observed) -> int:
    """Exit code of the health check that docker-compose.yml makes, asked of this service."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    kind, python, *arguments = services["watcher"]["healthcheck"]["test"]
    assert (kind, python) == ("CMD", "python")
    assert services["worker"]["healthcheck"]["test"] == [kind, python, *arguments]
    here = [argument.replace(":9464/", f":{up.port}/").replace("timeout=4", "timeout=20") for argument in arguments]
    assert here != arguments
    return subprocess.run([sys.executable, *here], capture_output=True, check=False).returncode


def test_stopped_worker_turns_the_service_red(up: Observed) -> None:
    assert _compose_probe(up) == 0
    pid = up.pid_of("worker")
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(lambda: up.health() == (503, ["worker: no answer"]), "red")
        assert _compose_probe(up) != 0
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: up.health() == (200, []), "green again")


def test_missing_watched_folder_turns_the_service_red(up: Observed) -> None:
    aside = up.watch.with_name("aside")
    up.watch.rename(aside)
    try:
        wait_for(lambda: any(reason.startswith("watcher: folder: watch:") for reason in up.health()[1]), "red")
        assert up.samples()["scorewatch_folder_degraded",] == 1
    finally:
        aside.rename(up.watch)
    wait_for(lambda: up.health() == (200, []), "green again")
    assert len(list(up.out.glob("*/status.json"))) == 5, "nothing was removed"


def test_address_that_is_taken_stops_the_start(up: Observed, tmp_path: Path) -> None:
    second = Up(tmp_path, METRICS_ADDRESS=f"127.0.0.1:{up.port}")
    with second:
        assert second.wait() == 2
    log = second.log.read_text()
    assert (
        fill("설정 SCOREWATCH_METRICS_ADDRESS: 127.0.0.1:{port}{을/를} 열 수 없습니다", {"port": str(up.port)}) in log
    )


def test_health_and_status_are_right_again_after_the_state_folder_was_wiped(tmp_path: Path) -> None:
    with Observed(tmp_path) as up:
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        wait_for(lambda: up.health() == (200, []), "health")
        worker = up.pid_of("worker")
        files = {path.name for path in (up.state / "run").iterdir()}
        wipe(up.state)
        wait_for(lambda: read_snapshot(up.state) is not None, "what `status` reads", 30)
        wait_for(lambda: up.health() == (200, []), "health", 30)
        wait_for(lambda: {path.name for path in (up.state / "run").iterdir()} == files, "pid and address files", 30)
        assert up.pid_of("worker") == worker, "nothing has to start again"
        drop(up.watch, "resume_agent_2.csv", seed=2)
        up.wait_settled("resume_agent_2")
        assert up.health() == (200, [])
        assert up.stop() == 0
