"""Texts are compiled once for all processes, and again when a source changed; without any compiled file all works."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from texts import codes, compiled, sources, texts
from texts.compiled import stamp


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place of its own for what is compiled."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    stamp.cache_clear()
    yield tmp_path
    stamp.cache_clear()


def _files(folder: Path) -> list[str]:
    return sorted(path.name.partition(".")[0] for path in folder.rglob("*.json"))


def _no_reading(_: Path) -> sources.Sources:
    pytest.fail("the sources were read again")


def test_the_first_asked_compiles_for_everybody(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiled.compiled("en")
    assert _files(own_cache) == ["codes", "en", "ko", "words"]
    monkeypatch.setattr(sources, "read_sources", _no_reading)
    assert compiled.compiled("en") == first
    assert json.loads(first) == texts("en").entries


@pytest.mark.parametrize("change", ["source", "damage", "cut"])
def test_what_changed_or_was_damaged_is_compiled_again(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    right = compiled.compiled("ko")
    (path,) = own_cache.rglob("ko*.json")
    if change == "source":
        path.write_bytes(b"[]\n{}")
    else:
        path.write_bytes(b"" if change == "damage" else path.read_bytes()[:-10])
    assert compiled.compiled("ko") == right
    monkeypatch.setattr(sources, "read_sources", _no_reading)
    assert compiled.compiled("ko") == right


def test_the_stamp_follows_a_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "texts/data"
    folder.mkdir(parents=True)
    for name in ("../sources.py", "../compiled.py", "a.toml"):
        (folder / name).write_text("")
    monkeypatch.setattr(compiled, "FOLDER", folder)
    before = stamp()
    stamp.cache_clear()
    (folder / "a.toml").write_text("#")
    assert stamp() != before


def test_nothing_is_written_where_python_must_not(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert json.loads(compiled.compiled("codes")).keys() == codes().keys()
    assert _files(own_cache) == []


def test_read_only_folder_costs_time_and_nothing_else(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(compiled, "keep", refuse)
    assert json.loads(compiled.compiled("ko")) == texts().entries
    assert _files(own_cache) == []


def test_an_installation_compiles_ahead(own_cache: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(own_cache), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-m", "texts"], cwd=ROOT, env=environment, check=True)
    assert _files(own_cache) == ["codes", "en", "ko", "words"]


def test_a_language_without_texts_is_no_key() -> None:
    with pytest.raises(KeyError, match="xx"):
        compiled.compiled("xx")
