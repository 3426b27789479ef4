"""A large set, whose `items.csv` a second process writes: the same bytes, also when that process dies or fails."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reporting.data import items_csv
from reporting.store import beside
from reporting.store.set_folder import verify_set
from reporting.store.staging import Staging
from scoring.problems import TransientError
from scoring.results.model import SetResult
from tests.reporting.publishing import leftovers, tree, write
from tests.reporting.results import make_item, make_result
from tests.scoring.items.spool.made import in_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system does not fork")


@pytest.fixture(params=["memory", "files"])
def result(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SetResult:
    """A set that counts as large."""
    monkeypatch.setattr(beside, "usable_cores", lambda: 2)
    monkeypatch.setattr("reporting.publish.LARGE_SET", 30)
    made = [make_item(row, question=f"질문 {row}", response=f"답변 {row}") for row in range(2, 40)]
    result = make_result(*made)
    return result if request.param == "memory" else replace(result, items=in_files(made))


def asked(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / ".scorewatch/asked").iterdir()}


def test_a_fork_gives_the_same_bytes(tmp_path: Path, result: SetResult, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, writers = os.getpid(), tmp_path / "writers"
    real = items_csv.encode_items

    def encode(*args: Any) -> Iterable[bytes]:
        writers.write_text(str(os.getpid()))
        return real(*args)

    monkeypatch.setattr("reporting.publish.encode_items", encode)
    for out, may_fork in ((tmp_path / "one", False), (tmp_path / "two", True)):
        write(out, result, may_fork=may_fork)
        assert (int(writers.read_text()) != parent) is may_fork
        assert verify_set(out, "s")
        assert leftovers(out) == []
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert asked(tmp_path / "one") == asked(tmp_path / "two")


def test_a_fork_that_is_killed_in_the_middle_costs_nothing(
    tmp_path: Path, result: SetResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = os.getpid()
    real = items_csv.encode_items

    def encode(*args: Any) -> Iterable[bytes]:
        for number, chunk in enumerate(real(*args)):
            if number == 2 and os.getpid() != parent:
                os.kill(os.getpid(), signal.SIGKILL)
            yield chunk

    write(tmp_path / "whole", result)
    monkeypatch.setattr("reporting.publish.encode_items", encode)
    write(tmp_path / "killed", result, may_fork=True)
    assert tree(tmp_path / "whole") == tree(tmp_path / "killed")
    assert leftovers(tmp_path / "killed") == []


def test_a_full_disk_in_the_fork_leaves_the_earlier_report(
    tmp_path: Path, result: SetResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, result, key="k1")
    before = tree(tmp_path)
    parent = os.getpid()
    real = Staging.write

    def full(*args: Any) -> Any:
        if os.getpid() != parent:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "items.csv")
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Staging, "write", full)
        with pytest.raises(TransientError, match=r"items\.csv: No space"):
            write(tmp_path, result, key="k2", may_fork=True)
    assert tree(tmp_path) == before
    assert leftovers(tmp_path) == []
