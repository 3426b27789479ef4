"""The lock: hashes for everything, addresses and paths for nothing."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.paths import ROOT

FILES = ("requirements.txt", "requirements-judge.txt", "requirements-dev.txt", "requirements-flower.txt")


def _pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ ]+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", FILES)
def test_lock_holds_pins_hashes_and_notes_and_nothing_else(name: str) -> None:
    pin = re.compile(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ; [A-Za-z_ 0-9'<>=!.()]+)? \\")
    digest = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?")
    note = re.compile(r" {4}#[ a-z0-9().-]+")  # what asked for it; no slash, so no address and no path
    kinds = (pin, digest, note)
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not any(kind.fullmatch(line) for kind in kinds)] == []


@pytest.mark.parametrize("name", FILES)
def test_every_pin_has_hashes(name: str) -> None:
    blocks = re.split(r"^(?=[a-z])", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(blocks) == len(_pins(name)) > 20
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", FILES[1:])
def test_other_locks_hold_the_runtime_lock(name: str) -> None:
    assert _pins("requirements.txt").items() <= _pins(name).items()


def test_lock_covers_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    wanted = {
        "requirements.txt": project["project"]["dependencies"] + extras["build"] + project["build-system"]["requires"],
        "requirements-judge.txt": extras["judge"],
        "requirements-dev.txt": extras["dev"] + extras["judge"],
        "requirements-flower.txt": extras["flower"],
    }
    for name, requirements in wanted.items():
        pins = _pins(name)
        names = [re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower() for requirement in requirements]
        assert [wanted_name for wanted_name in names if wanted_name not in {*pins, "scorewatch"}] == []


def test_the_judge_is_an_extra() -> None:
    """29 MB for those who ask a model."""
    assert "openai" not in _pins("requirements.txt")
    assert "openai" in _pins("requirements-judge.txt")


def test_older_python_gets_what_it_needs() -> None:
    """Python before 3.11.3 needs async-timeout; a lock made for one Python leaves it out."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert re.search(r"^async-timeout==\S+ ; python_full_version < '3\.11\.3'", text, flags=re.MULTILINE)


def test_lock_is_complete() -> None:
    """`make` installs the lines of the lock alone, without what they depend on."""
    assert "--no-deps --require-hashes -r requirements-dev.txt" in (ROOT / "Makefile").read_text(encoding="utf-8")
    found = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
