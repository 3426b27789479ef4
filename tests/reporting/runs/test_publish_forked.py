"""A large set, whose `items.csv` a second process writes: the same bytes, also when that process dies or fails."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from reporting import beside
from reporting.data import encode_items
from reporting.report import SetReport, report_set
from reporting.runs.publish import Outcome
from reporting.store import Destination, Staging, verify_set
from scoring import TransientError
from scoring.sets import SetId
from tests.reporting.publishing import leftovers, tree
from tests.reporting.results import make_item, make_part, make_rubric
from tests.scoring.items.spool.made import in_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system does not fork")

Report = Callable[..., SetReport]


@pytest.fixture(params=["memory", "files"])
def report(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Publishes a set that counts as large, whose items are in memory or in files."""
    monkeypatch.setattr(beside, "usable_cores", lambda: 2)
    monkeypatch.setattr("reporting.report.LARGE_SET", 30)
    items = [make_item(row, query_id=f"Q{row}", question=f"질문 {row}", response=f"답변 {row}") for row in range(2, 40)]
    part = make_part(*items)
    if request.param == "files":
        part.items = in_files(items)
    rubric = make_rubric()

    def publish(out: Path, *, may_fork: bool, key: str = "k") -> SetReport:
        destination = Destination(out=out, language="ko", may_fork=may_fork)
        return report_set([("a.csv", part)], rubric, destination, SetId("s", key))

    return publish


def asked(out: Path) -> list[str]:
    return [path.name for path in (out / ".scorewatch/asked").iterdir()]


def test_a_fork_gives_the_same_bytes(tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, writers = os.getpid(), tmp_path / "writers"

    def encode(*args: Any) -> Iterable[bytes]:
        writers.write_text(str(os.getpid()))
        return encode_items(*args)

    monkeypatch.setattr("reporting.runs.publish.encode_items", encode)
    for out, may_fork in ((tmp_path / "one", False), (tmp_path / "two", True)):
        report(out, may_fork=may_fork)
        assert (int(writers.read_text()) != parent) is may_fork
        assert verify_set(out, "s")
        assert leftovers(out) == []
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert asked(tmp_path / "one") == asked(tmp_path / "two")


def test_a_report_that_is_there_already_is_left_alone(tmp_path: Path, report: Report) -> None:
    report(tmp_path, may_fork=True)
    published = report(tmp_path, may_fork=True).published
    assert published is not None
    assert published.outcome is Outcome.UNCHANGED
    assert leftovers(tmp_path) == []


def test_a_fork_that_is_killed_in_the_middle_costs_nothing(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = os.getpid()

    def encode(*args: Any) -> Iterable[bytes]:
        for number, chunk in enumerate(encode_items(*args)):
            if number == 1 and os.getpid() != parent:
                os.kill(os.getpid(), signal.SIGKILL)
            yield chunk

    report(tmp_path / "whole", may_fork=False)
    monkeypatch.setattr("reporting.runs.publish.encode_items", encode)
    report(tmp_path / "killed", may_fork=True)
    assert tree(tmp_path / "whole") == tree(tmp_path / "killed")
    assert leftovers(tmp_path / "killed") == []


def test_a_full_disk_in_the_fork_leaves_the_earlier_report(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(tmp_path, may_fork=True)
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
            report(tmp_path, may_fork=True, key="other")
    assert tree(tmp_path) == before
    assert leftovers(tmp_path) == []
