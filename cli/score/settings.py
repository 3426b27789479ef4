"""Settings of `scorewatch score`: those that matter without a service, and the time limit of a task."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from cli.localised import asked_language, spoken
from config import SettingsError, is_setting
from scoring import InputError, refused
from scoring.sets import CsvTitles
from texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from config import Settings
    from reporting.store import Destination

SETTING_FILES = (".env", "scorewatch.toml")


class ScoreSettings(NamedTuple):
    """The settings that matter without a service; the defaults are those of `config.settings`.

    judge: all settings, None when no judge is configured.
    """

    watch: Path = Path("docs/test-result")
    out: Path = Path("docs/reports")
    language: str = DEFAULT_LANGUAGE
    csv_titles: CsvTitles = CsvTitles.FIELDS
    rubrics: Path | None = None
    ignore: tuple[str, ...] = ()
    strict_fsync: bool = False
    history_versions: int = 20
    gate_file: Path | None = None
    public_url: str | None = None
    ticket_url: str | None = None
    xlsx: bool = False
    task_time_limit_seconds: int = 300
    memory_limit_megabytes: int = 4096
    state: Path = Path(".scorewatch")
    log: str = "file"
    log_level: str = "info"
    adjudicator: str | None = None
    judge: Settings | None = None

    def destination(self, out: Path | None = None) -> Destination:
        """Where and how reports are written. out: None takes that of the settings."""
        from reporting.store import Destination

        return Destination(
            out=out or self.out,
            language=self.language,
            csv_titles=self.csv_titles,
            strict=self.strict_fsync,
            history_versions=self.history_versions,
            public_url=self.public_url or "",
            xlsx=self.xlsx,
        )


def load_score_settings() -> ScoreSettings:
    """Settings of the surroundings. Where there are none, their library is not even imported (0.4 s).

    Raises SettingsError as `config.load.load_settings` does.
    """
    is_set = any(map(is_setting, os.environ))
    if not is_set and not any(Path(name).exists() for name in SETTING_FILES):
        return ScoreSettings(language=asked_language() or DEFAULT_LANGUAGE)
    from cli.localised import load

    settings = load()
    values = {name: getattr(settings, name) for name in ScoreSettings._fields if name != "judge"}
    values["csv_titles"] = CsvTitles(settings.csv_titles)
    return ScoreSettings(**values, judge=None if settings.judge is None else settings)


def refuse_without_client(settings: Settings) -> None:
    """Raise SettingsError where a judge is configured and what asks it, an extra of the installation, is not there."""
    if settings.judge is not None and find_spec("openai") is None:
        raise SettingsError((spoken()("service.no-judge-client"),))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise InputError in the block when it takes longer. Needs the main thread and a system with interval timers."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise InputError((refused("time-limit", limit=f"{seconds:g}"),))

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
