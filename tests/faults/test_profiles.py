"""Every profile through the service: the figures of the cases, and the bytes of `scorewatch score`."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.score.test_h_cases import figures
from tests.faults.harness import Up
from tests.faults.undisturbed import Undisturbed
from tests.scoring.case_folders import find_cases
from tests.scoring.test_cases import assert_close
from tests.scoring.test_h_cases import CASES, as_floats

pytestmark = [pytest.mark.slow, pytest.mark.service, pytest.mark.timeout(600)]


def test_cases_through_the_service(tmp_path: Path) -> None:
    up = Up(tmp_path, "--drain")
    up.watch.mkdir(parents=True, exist_ok=True)
    for case in [*CASES, *find_cases("plan_agent_"), *find_cases("url_agent_")]:
        shutil.copy(case.path, up.watch / case.path.name)
    with up, Undisturbed(up, tmp_path, whole=True):
        assert up.wait() == 1  # a set has payloads that cannot be read
    for case in CASES:
        folder = up.out / case.path.stem
        report = json.loads((folder / "report.json").read_bytes())
        with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as stream:
            items = list(csv.DictReader(stream))
        assert_close(as_floats(figures(report, items)), as_floats(case.expected["figures"]))
