"""Alerts and panels: one of several workers is missed, and a standby, which sees the same folders, is not added up."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from tests.paths import ROOT

RULES = ROOT / "deploy/prometheus/scorewatch.rules.yml"
PANELS = ROOT / "deploy/grafana/scorewatch.json"
# Figures of a watcher: leader and standby both serve those of the same folders.
OF_WATCHERS = ("sets", "sets_asked", "files_settling", "files_unclaimed", "tried_again", "webhook_waiting")


def expressions(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("expr"), str):
            yield value["expr"]
        for inner in value.values():
            yield from expressions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from expressions(inner)


@pytest.mark.parametrize("name", OF_WATCHERS)
def test_panels_add_no_standby_to_its_leader(name: str) -> None:
    added = re.compile(rf"sum(?: by \([a-z, ]*\))? ?\(scorewatch_{name}\)")
    assert [text for text in expressions(json.loads(PANELS.read_text())) if added.search(text)] == []


def test_a_lost_worker_of_several_is_alerted() -> None:
    alerts = {rule["alert"]: rule["expr"] for rule in yaml.safe_load(RULES.read_text())["groups"][0]["rules"]}
    assert "count(scorewatch_worker_healthy) <" in alerts["ScorewatchWorkerLost"]
    assert "scorewatch_folders_polled" in alerts["ScorewatchWatchesRanOut"]
    assert "scorewatch_worker_messages_dropped_total" in alerts["ScorewatchMessagesDropped"]


def test_promtool_finds_nothing_in_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    ran = subprocess.run([promtool, "check", "rules", RULES], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
