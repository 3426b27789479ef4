"""The wheel holds all that is needed outside of a checkout, and its uninstallation leaves nothing.

The environment has nothing of ours; the libraries that the wheel asks for come from the environment of the tests, since
no test may need an index.
"""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.paths import ROOT

PACKAGES = ("texts", "scoring", "config", "reporting", "watcher", "workers", "cli", "scorewatch")
SAMPLE = ROOT / "docs/test-result/resume_agent_sample.csv"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


class Environment:
    """A virtual environment with the wheel, and commands run in it from an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "work"
        self.place.mkdir()
        self.bin = folder / "env" / "bin"
        _run([sys.executable, "-m", "venv", str(folder / "env")], folder)
        (self.site,) = (folder / "env" / "lib").glob("python*/site-packages")
        (self.site / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
        self.before = self._files()

    def run(self, command: str, *arguments: str) -> str:
        return _run([str(self.bin / command), *arguments], self.place)

    def left(self) -> set[str]:
        """What is there and was not before."""
        return self._files() - self.before

    def _files(self) -> set[str]:
        return {path.relative_to(self.site).as_posix() for path in self.site.rglob("*") if "pip" not in path.parts}


def _run(command: list[str], folder: Path) -> str:
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("wheel")
    tracked = _run(
        ["git", "-C", str(ROOT), "ls-files", "-z", *PACKAGES, "pyproject.toml", "README.md", "LICENSE"], folder
    )
    for name in filter(None, tracked.split("\0")):
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    _run([*pip, "--wheel-dir", str(folder / "dist"), "./source"], folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    made = Environment(folder)
    made.run("pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    return made


def test_the_wheel_scores_serves_and_is_read(environment: Environment) -> None:
    home = environment.run("python", "-c", "import config, scorewatch; print(config.__file__, scorewatch.__file__)")
    assert all(path.startswith(str(environment.site)) for path in home.split())
    environment.run("scorewatch", "score", str(SAMPLE), "--out", "reports")
    for name in ("summary.html", "report.html", "report.json", "items.csv"):
        assert (environment.place / "reports/resume_agent_sample" / name).stat().st_size > 100
    assert environment.run("python", "-m", "scorewatch", "--version") == environment.run("scorewatch", "--version")
    read = (
        "from scorewatch import read_report as r; print(len(r('reports/resume_agent_sample').items.where('track=3')))"
    )
    assert environment.run("python", "-c", read) == "75\n"
    assert "resume-agent" in environment.run("scorewatch", "rubric", "list")
    (environment.place / "docs/test-result").mkdir(parents=True)
    (environment.place / "docs/test-result/resume_agent_a.csv").write_bytes(SAMPLE.read_bytes())
    environment.run("scorewatch", "up", "--drain")
    assert (environment.place / "docs/reports/resume_agent_a/report.json").exists()


def test_uninstalling_leaves_nothing_behind(environment: Environment) -> None:
    environment.run("scorewatch", "rubric", "check")  # keeps documents and texts beside its modules
    kept = {name for name in environment.left() if name.endswith(".json") and "__pycache__" in name}
    assert len(kept) > 10
    environment.run("pip", "uninstall", "--quiet", "--yes", "scorewatch")
    assert environment.left() == set()
    assert not (environment.bin / "scorewatch").exists()
