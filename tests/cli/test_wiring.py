"""The watcher as it is put together, over real folders and without a broker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.outside import read_snapshot
from cli.wiring import Watch
from config.settings import Settings
from workers.broker import MEMORY_URL
from workers.parts import WorkArea
from workers.queue import CeleryQueue, make_app


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "state").mkdir()
    return Settings(watch=tmp_path / "in", out=tmp_path / "out", state=tmp_path / "state", observer="polling")


def wired(settings: Settings) -> Watch:
    queue = CeleryQueue(make_app(settings, MEMORY_URL), WorkArea(settings.out))
    return Watch(settings, queue, broker_url=MEMORY_URL, holder="test")


@pytest.fixture
def watch(settings: Settings) -> Iterator[Watch]:
    with wired(settings) as watch:
        yield watch


def test_a_snapshot_that_cannot_be_written_ends_no_watcher(
    watch: Watch, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnicodeEncodeError("utf-8", "\udcb0", 0, 1, "surrogates not allowed")

    with monkeypatch.context() as patch:
        patch.setattr("cli.wiring.save_snapshot", refuse)
        watch.step(time.monotonic())
    assert read_snapshot(settings.state) is None
    watch.step(time.monotonic() + 60.0)
    assert read_snapshot(settings.state) is not None
