"""docs/operations.md and its Korean twin: every code, command, file, setting and manifest in them is real."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.documents import setting_rows
from cli.commands import COMMANDS
from tests.paths import ROOT
from workers.broker import FaultKind

NAMES = ("operations.md", "operations.ko.md")
CODE = re.compile(r"\[`([a-z-]+)`\]\(errors(?:\.ko)?\.md#([a-z-]+)\)")
LEAST_REPEATED = 40  # characters of a sentence of docs/errors.md


@pytest.fixture(params=NAMES)
def text(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def _codes() -> set[str]:
    """Every code there is, as the tests of docs/errors.md hold them to the sources."""
    errors = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return set(re.findall(r"^### (\S+)$", errors, flags=re.MULTILINE))


def test_every_code_in_it_exists_and_is_listed_once(text: str) -> None:
    rows = "\n".join(re.findall(r"^\| \[`.+$", text, flags=re.MULTILINE))
    found = CODE.findall(rows)
    assert all(shown == anchor for shown, anchor in found)
    assert len(found) == len(set(found)) > 20
    assert {shown for shown, _ in found} <= _codes()


def test_nothing_is_repeated_that_the_page_of_codes_says(text: str) -> None:
    errors = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    sentences = {sentence.strip() for sentence in re.split(r"(?<=[.])\s", errors)}
    repeated = [sentence for sentence in sentences if len(sentence) >= LEAST_REPEATED and sentence in text]
    assert repeated == []


def test_both_languages_have_the_same_sections() -> None:
    english, korean = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES)
    levels = [re.findall(r"^(#+) ", text, flags=re.MULTILINE) for text in (english, korean)]
    assert levels[0] == levels[1]
    tables = [re.findall(r"^\| (`[^|]+`|\[`[^|]+\)) \|", text, flags=re.MULTILINE) for text in (english, korean)]
    tables[1] = [cell.replace("(errors.ko.md#", "(errors.md#") for cell in tables[1]]
    assert tables[0] == tables[1]


def test_settings_and_commands_exist(text: str) -> None:
    known = {row.variable for row in setting_rows()} | {"SCOREWATCH_CONFIG"}
    assert set(re.findall(r"\bSCOREWATCH_[A-Z_]+[A-Z]", text)) <= known
    commands = set(re.findall(r"\bscorewatch ([a-z]+)\b", text))
    assert {"up", "watch", "worker", "status", "retry", "score"} <= commands
    assert commands <= set(COMMANDS)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets


def test_variables_of_compose_are_those_of_the_table(text: str) -> None:
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    used = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", compose))
    section = re.search(r"^## (?:Containers|컨테이너)$(.*?)^## ", text, flags=re.MULTILINE | re.DOTALL)
    assert section is not None
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", section[1], flags=re.MULTILINE)) == used


def _manifests(text: str) -> list[dict[str, Any]]:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return list(yaml.safe_load_all(block))


def test_manifests_are_what_compose_runs(text: str) -> None:
    watcher, worker = _manifests(text)
    assert [each["metadata"]["name"] for each in (watcher, worker)] == ["scorewatch-watcher", "scorewatch-worker"]
    assert watcher["spec"]["replicas"] == 1
    for each in (watcher, worker):
        pod = each["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert container["args"][0] in COMMANDS
        assert {entry["name"] for entry in container["env"]} <= {row.variable for row in setting_rows()}
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["terminationGracePeriodSeconds"] > 20
        assert {probe["httpGet"]["path"] for name, probe in container.items() if name.endswith("Probe")} == {"/healthz"}
        mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
        assert mounts["/data/in"]["readOnly"] is True
        assert {mount["name"] for mount in mounts.values()} == {volume["name"] for volume in pod["volumes"]}
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert each["spec"]["selector"]["matchLabels"] == labels


def test_every_fault_of_the_queue_is_in_a_table(text: str) -> None:
    assert [kind for kind in FaultKind if f"\n| `{kind}` |" not in text] == []


def test_version_is_printed() -> None:
    run = subprocess.run(
        [Path(sys.executable).parent / "scorewatch", "--version"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"scorewatch \d+\.\d+\.\d+\n", run.stdout)


def test_files_that_the_unit_section_copies_exist(text: str) -> None:
    assert "cp deploy/systemd/scorewatch.service /etc/systemd/system/" in text
    for unit in re.findall(r"`(scorewatch[a-z-]*\.service)`", text):
        assert (ROOT / "deploy" / "systemd" / unit).exists()
