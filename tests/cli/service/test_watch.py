"""The watcher as it is put together, over real folders and without a broker."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from cli.service.listeners import Listeners
from cli.service.saved_snapshot import read_snapshot
from cli.service.watch import Watch
from config import Settings, SettingsError
from watcher import FolderObserver
from workers import make_app
from workers.broker import MEMORY_URL


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "state").mkdir()
    return Settings(watch=tmp_path / "in", out=tmp_path / "out", state=tmp_path / "state", observer="polling")


def wired(settings: Settings) -> Watch:
    return Watch(settings, make_app(settings, MEMORY_URL), holder="test")


def refuse(*_: object, **__: object) -> None:
    raise OSError(28, "inotify watch limit reached")


@pytest.mark.parametrize(
    ("observer", "hint"),
    [("native", "SCOREWATCH_OBSERVER를 auto나 polling으로"), ("polling", "SCOREWATCH_WATCH로 다른 폴더를")],
)
def test_a_folder_that_cannot_be_observed_stops_the_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, *, observer: Literal["native", "polling"], hint: str
) -> None:
    monkeypatch.setattr(FolderObserver, "_launch", refuse)
    with pytest.raises(SettingsError) as refused:
        wired(settings.model_copy(update={"observer": observer})).start()
    assert "inotify watch limit reached" in str(refused.value)
    assert hint in str(refused.value)


def test_an_address_that_is_taken_leaves_no_observer_behind(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(_: object) -> None:
        raise SettingsError(("taken",))

    monkeypatch.setattr(Listeners, "start", taken)
    watch = wired(settings)
    with pytest.raises(SettingsError, match="taken"):
        watch.start()
    assert not watch.observer.is_alive


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
        patch.setattr("cli.service.watch.save_snapshot", refuse)
        watch.step(time.monotonic())
    assert read_snapshot(settings.state) is None
    watch.step(time.monotonic() + 60.0)
    assert read_snapshot(settings.state) is not None
