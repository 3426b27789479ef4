"""What the Dockerfile installs: a wheel built from the copied files alone holds everything that runs."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT

PACKAGES = ("texts", "scoring", "config", "reporting", "watcher", "workers", "cli", "scorewatch")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_wheel_from_the_copied_files_is_complete_and_runs(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, flags=re.MULTILINE):
        for name in line.split():
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [
        *pip,
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-w",
        str(tmp_path),
        str(source),
    ]
    run = subprocess.run(build, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (wheel,) = tmp_path.glob("*.whl")
    expected = {
        path.relative_to(source).as_posix()
        for package in PACKAGES
        for path in (source / package).rglob("*")
        if path.is_file()
    }
    with zipfile.ZipFile(wheel) as archive:
        assert expected - set(archive.namelist()) == set()
        archive.extractall(tmp_path / "site")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); from cli.main import main; sys.exit(main())"
    sample = ROOT / "docs" / "test-result" / "resume_agent_sample.csv"
    score = [sys.executable, "-P", "-c", code, "score", str(sample), "--out", str(tmp_path / "out")]
    run = subprocess.run(score, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out" / "resume_agent_sample" / "report.md").exists()
