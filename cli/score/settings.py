"""Settings of `scorewatch score`: those that matter without a service."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cli.localised.command import asked_language
from config.env_names import is_setting
from config.languages import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from config.settings import Settings
    from workers.judge.grade import JudgeSettings

_SETTING_FILES = (".env", "scorewatch.toml")


class ScoreSettings(NamedTuple):
    """The settings that matter without a service; the defaults are those of `config.settings`.

    judge: None when none is configured.
    """

    watch: Path = Path("docs/test-result")
    out: Path = Path("docs/reports")
    language: str = DEFAULT_LANGUAGE
    rubrics: Path | None = None
    ignore: tuple[str, ...] = ()
    strict_fsync: bool = False
    history_versions: int = 20
    gate_file: Path | None = None
    task_time_limit_seconds: int = 300
    memory_limit_megabytes: int = 4096
    state: Path = Path(".scorewatch")
    log: str = "file"
    log_level: str = "info"
    judge: JudgeSettings | None = None


def load_score_settings() -> ScoreSettings:
    """Settings of the surroundings. Where there are none, their library is not even imported (0.4 s).

    Raises SettingsError as `config.load.load_settings` does.
    """
    is_set = any(map(is_setting, os.environ))
    if not is_set and not any(Path(name).exists() for name in _SETTING_FILES):
        return ScoreSettings(language=asked_language() or DEFAULT_LANGUAGE)
    from cli.localised.loading import load

    settings = load()
    values = {name: getattr(settings, name) for name in ScoreSettings._fields if name != "judge"}
    return ScoreSettings(**values, judge=_judge_settings(settings))


def _judge_settings(settings: Settings) -> JudgeSettings | None:
    if settings.judge is None:
        return None
    from workers.judge.grade import JudgeSettings

    return JudgeSettings.of(settings)
