"""Images are pinned by one command, which writes all digests or none; the audit reads the locks."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

SCRIPT = ROOT / "deploy" / "images.py"
FILES = ("Dockerfile", "docker-compose.yml")
IMAGE = re.compile(r"^(?:ARG [A-Z]+_IMAGE=| +image: )(\S+)$", re.MULTILINE)
OURS = {"scorewatch", "scorewatch-flower"}
DOCKER = """#!/bin/sh
test "$1 $2 $3" = "buildx imagetools inspect" || exit 9
case "$4" in {fails}*) echo "no such host" >&2; exit 1;; esac
printf 'sha256:%064d\\n' 7
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "deploy").mkdir()
    shutil.copy(SCRIPT, tmp_path / "deploy")
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def _pin(copy: Path, *, fails: str) -> subprocess.CompletedProcess[str]:
    docker = copy / "docker"
    docker.write_text(DOCKER.format(fails=fails), encoding="utf-8")
    docker.chmod(0o755)
    command = [sys.executable, str(copy / "deploy" / "images.py")]
    environment = {"PATH": f"{copy}:/usr/bin:/bin"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def _images(folder: Path) -> set[str]:
    texts = [(folder / name).read_text(encoding="utf-8") for name in FILES]
    return {image for text in texts for image in IMAGE.findall(text)} - OURS


def test_every_image_of_a_registry_gets_its_digest_and_a_new_one_the_next_time(copy: Path) -> None:
    tags = {image.partition("@")[0] for image in _images(copy)}
    assert {tag.partition(":")[0] for tag in tags} == {"python", "valkey/valkey"}
    for _ in range(2):
        run = _pin(copy, fails="nothing")
        assert run.returncode == 0, run.stderr
        assert _images(copy) == {f"{tag}@sha256:{7:064}" for tag in tags}


def test_nothing_is_written_when_a_digest_is_missing(copy: Path) -> None:
    before = [(copy / name).read_bytes() for name in FILES]
    run = _pin(copy, fails="valkey")
    assert run.returncode == 1
    assert "no such host\nnothing was changed\n" in run.stderr
    assert [(copy / name).read_bytes() for name in FILES] == before


def test_no_stage_takes_an_image_beside_the_pinned_one() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert set(re.findall(r"^FROM (\S+)", text, flags=re.MULTILINE)) == {"${PYTHON_IMAGE}", "build", "base"}
    for image in _images(ROOT):
        assert re.fullmatch(r"[a-z/]+:[\w.-]+(@sha256:[0-9a-f]{64})?", image)


def test_audit_reads_every_lock() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    target = makefile[makefile.index("\naudit:") : makefile.index("\npin-images:")]
    locks = {path.name for path in ROOT.glob("requirements*.txt")}
    assert locks <= set(re.findall(r"requirements[a-z-]*\.txt", target))
    assert "pip-audit" in target
    assert "--require-hashes" in target
