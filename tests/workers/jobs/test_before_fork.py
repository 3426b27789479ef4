"""The warm-up leaves nothing behind, and cannot keep a worker from starting."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from config import shipped_rubrics
from reporting.runs import publish_report
from workers.jobs import before_fork as warm


@pytest.fixture(autouse=True)
def own_collector() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_whole_report_of_every_profile_is_made_and_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    written: list[tuple[str, ...]] = []
    monkeypatch.setattr(warm, "publish_report", lambda *a, **k: written.append(publish_report(*a, **k).files))
    with structlog.testing.capture_logs() as logs:
        warm.warm_up("en")
    assert len(written) == len(shipped_rubrics())
    for files in written:
        assert {"report.md", "items.csv", "report.json", "status.json"} <= set(files)
        assert any(name.startswith("rounds/") for name in files)
    assert list(tmp_path.iterdir()) == []
    assert logs == []
    assert gc.get_threshold() == warm.GC_THRESHOLDS
    assert gc.get_freeze_count() > 0


def test_a_worker_that_cannot_be_warmed_up_starts_cold(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(warm, "publish_report", refuse)
    with structlog.testing.capture_logs() as logs:
        warm.warm_up("ko")
    assert [entry["event"] for entry in logs] == ["not warmed up"]
