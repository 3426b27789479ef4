"""Settings: `SCOREWATCH_*` environment > `.env` > `scorewatch.toml` > defaults, as one frozen object.

`load_settings` is the only place that reads the surroundings; `Settings(...)` checks the values it is
given and reads nothing. A name nobody knows, a value that is not allowed and a file that is named and
not there all stop the start, every one of them named at once.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from dotenv import dotenv_values
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from config.addresses import check_base_url, check_web_address, split_address
from config.errors import SettingsError

__all__ = ["SettingRow", "Settings", "SettingsError", "load_settings", "setting_rows"]

PREFIX = "SCOREWATCH_"
CONFIG_NAME = "SCOREWATCH_CONFIG"
DEFAULT_FILE = "scorewatch.toml"
ENV_FILE = ".env"
JUDGE_DEADLINE_FACTOR = 3  # times the time-out: what all tries at an item may take together

_BROKER_SCHEMES = ("redis://", "rediss://", "redis+socket://")


def _setting(default: object, meaning: str, allowed: str, *, secret_when_wrong: bool = False) -> Any:
    """A field whose error message and table row come from the same two Korean texts.

    secret_when_wrong: a wrong value may hold a secret, so it is not shown.
    """
    return Field(
        default, description=meaning, json_schema_extra={"allowed": allowed, "secret_when_wrong": secret_when_wrong}
    )


def _refuse_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")  # noqa: TRY004 -- pydantic reports ValueError only
    return value


def _split(value: object) -> object:
    """Patterns from an environment variable come as one text, separated by commas."""
    if isinstance(value, str):
        return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)
    return value


Seconds = Annotated[float, BeforeValidator(_refuse_bool), Field(ge=0, le=86_400, allow_inf_nan=False)]
PositiveSeconds = Annotated[float, BeforeValidator(_refuse_bool), Field(gt=0, le=86_400, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=10_000)]
Votes = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=15)]
Requests = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=100)]
Versions = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=0, le=10_000)]
Patterns = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], NoDecode, BeforeValidator(_split)]

_SECONDS = "0 이상 86400 이하의 초를 숫자로 적으세요"
_POSITIVE_SECONDS = "0보다 크고 86400 이하인 초를 숫자로 적으세요"
_COUNT = "1 이상 10000 이하의 정수를 적으세요"
_VOTES = "1 이상 15 이하의 정수를 적으세요"
_REQUESTS = "1 이상 100 이하의 정수를 적으세요"
_VERSIONS = "0 이상 10000 이하의 정수를 적으세요"
_FOLDER = "폴더 경로를 적으세요"
_BOOL = "true 또는 false를 적으세요"


class Settings(BaseSettings):
    """Everything an operator can set. Relative paths are relative to the working directory."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid", validate_default=True
    )

    watch: Path = _setting(Path("docs/test-result"), "지켜보는 폴더", _FOLDER)
    out: Path = _setting(Path("docs/reports"), "보고서를 두는 폴더", _FOLDER)
    state: Path = _setting(Path(".scorewatch"), "이 기계만의 상태 폴더(브로커, 캐시); 지워도 됨", _FOLDER)
    broker_url: SecretStr | None = _setting(
        None, "Redis/Valkey 주소; 없으면 내장 브로커를 띄움", f"{', '.join(_BROKER_SCHEMES)} 중 하나로 시작해야 합니다"
    )
    settle_seconds: Seconds = _setting(1.0, "파일이 이만큼 변하지 않으면 읽음", _SECONDS)
    closed_settle_seconds: Seconds = _setting(0.2, "쓰기가 닫혔거나 이름이 바뀌어 들어온 파일의 대기", _SECONDS)
    open_settle_seconds: Seconds = _setting(10.0, "쓰는 중이고 아직 닫히지 않은 파일의 대기", _SECONDS)
    polling_settle_seconds: Seconds = _setting(5.0, "폴링이나 네트워크 폴더에서의 대기", _SECONDS)
    empty_file_seconds: Seconds = _setting(60.0, "0바이트 파일을 문제로 알리기까지의 대기", _SECONDS)
    set_quiet_seconds: Seconds = _setting(5.0, "하위 폴더 세트가 조용해야 하는 시간", _SECONDS)
    rescan_seconds: PositiveSeconds = _setting(30.0, "폴더 전체를 다시 훑는 간격", _POSITIVE_SECONDS)
    observer: Literal["auto", "native", "polling"] = _setting(
        "auto", "파일 감시 방식", "auto, native, polling 중 하나를 적으세요"
    )
    workers: Count | None = _setting(None, "채점 프로세스 수; 없으면 코어 수", _COUNT)
    language: Literal["ko"] = _setting("ko", "보고서 언어", "ko만 쓸 수 있습니다")
    history_versions: Versions = _setting(20, "세트마다 남겨 두는 이전 보고서 수(0이면 남기지 않음)", _VERSIONS)
    ask_window: Count = _setting(500, "한꺼번에 맡기는 세트 수", _COUNT)
    task_time_limit_seconds: Count = _setting(300, "작업 하나의 시간 제한(초)", _COUNT)
    visibility_timeout_seconds: Count = _setting(600, "끝나지 않은 작업을 다시 내주기까지의 시간(초)", _COUNT)
    retry_seconds: PositiveSeconds = _setting(30.0, "끝난 것이 없을 때 다시 맡기기까지의 시간", _POSITIVE_SECONDS)
    ignore: Patterns = _setting((), "더 무시할 파일 이름 패턴(쉼표로 구분)", "비어 있지 않은 패턴을 적으세요")
    rubrics: Path | None = _setting(None, "루브릭 문서를 더 읽을 폴더", _FOLDER)
    force_bundled_broker: bool = _setting(False, "PATH에 서버가 있어도 함께 설치된 Valkey를 씀", _BOOL)
    strict_fsync: bool = _setting(False, "보고서의 모든 파일을 디스크에 확실히 씀(느림)", _BOOL)
    metrics_address: str | None = _setting(
        None, "/healthz와 /metrics를 여는 주소(호스트:포트)", "127.0.0.1:9464처럼 호스트와 포트를 적으세요"
    )
    webhook_url: SecretStr | None = _setting(
        None, "세트가 끝날 때마다 JSON을 보낼 주소", "http:// 또는 https://로 시작하는 주소를 적으세요"
    )
    judge_base_url: str | None = _setting(
        None,
        "평가 모델(OpenAI 호환)의 주소; 없으면 아무것도 보내지 않음",
        "http:// 또는 https://로 시작하고 사용자, 암호, ?, #이 없는 주소를 적으세요",
        secret_when_wrong=True,
    )
    judge_api_key: SecretStr | None = _setting(
        None, "평가 모델의 API 키", "공백과 제어 문자가 없는 ASCII 글자로 적으세요"
    )
    judge_model: str | None = _setting(None, "평가 모델의 이름; 주소가 있으면 꼭 필요함", "모델 이름을 적으세요")
    judge_votes: Votes = _setting(1, "문항마다 묻는 횟수; 가운데 등급이 쓰임", _VOTES)
    judge_concurrency: Requests = _setting(4, "평가 모델에 한꺼번에 보내는 요청 수", _REQUESTS)
    judge_timeout_seconds: PositiveSeconds = _setting(60.0, "평가 모델의 답을 기다리는 시간(초)", _POSITIVE_SECONDS)
    judge_compare: bool = _setting(False, "기록된 등급이 있는 문항도 평가해 일치도를 보임", _BOOL)
    log_level: Literal["debug", "info", "warning", "error"] = _setting(
        "info", "로그 수준", "debug, info, warning, error 중 하나를 적으세요"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 -- signature of the base class
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read nothing here: `load_settings` names the source of each value, which pydantic would lose."""
        return (init_settings,)

    @field_validator("watch", "out", "state", "rubrics", mode="before")
    @classmethod
    def _expand_home(cls, value: object) -> object:
        """`~` in a file is not expanded by a shell; a blank path would quietly be the working directory."""
        if isinstance(value, str):
            if not value.strip():
                raise ValueError("blank path")
            return Path(os.path.expanduser(value))  # noqa: PTH111 -- Path.expanduser raises where there is no home
        return value

    @field_validator("broker_url")
    @classmethod
    def _check_scheme(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(_BROKER_SCHEMES):
            raise ValueError("unknown scheme")
        return value

    @field_validator("metrics_address")
    @classmethod
    def _check_address(cls, value: str | None) -> str | None:
        if value is not None:
            split_address(value)
        return value

    @field_validator("webhook_url")
    @classmethod
    def _check_webhook(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            check_web_address(value.get_secret_value())
        return value

    @field_validator("judge_base_url")
    @classmethod
    def _check_judge_address(cls, value: str | None) -> str | None:
        if value is not None:
            check_base_url(value)
        return value

    @field_validator("judge_api_key")
    @classmethod
    def _check_key(cls, value: SecretStr | None) -> SecretStr | None:
        """It becomes part of a header; a line break of a file it was copied from would fail late and unclear."""
        if value is not None and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("no header value")
        return value

    @field_validator("judge_model", mode="before")
    @classmethod
    def _strip_model(cls, value: object) -> object:
        if isinstance(value, str):
            value = value.strip()
            if not value:
                raise ValueError("blank name")
        return value

    @field_validator("observer", "language", "log_level", mode="before")
    @classmethod
    def _fold_case(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.visibility_timeout_seconds <= self.task_time_limit_seconds:
            raise ValueError(
                f"visibility_timeout_seconds({self.visibility_timeout_seconds})는 "
                f"task_time_limit_seconds({self.task_time_limit_seconds})보다 커야 합니다. "
                "그렇지 않으면 실행 중인 작업이 한 번 더 시작됩니다."
            )
        self._check_judge()
        watch, out, state = map(_absolute, (self.watch, self.out, self.state))
        if watch.is_relative_to(out):
            raise ValueError(
                f"watch({self.watch})가 out({self.out})과 같거나 그 안에 있습니다. "
                "보고서 폴더는 읽지 않으므로 나누세요."
            )
        if state in (watch, out, out / ".scorewatch"):
            raise ValueError(
                f"state({self.state})는 이 기계만의 폴더여야 합니다. watch, out, out/.scorewatch와 다른 곳을 적으세요."
            )
        return self

    def _check_judge(self) -> None:
        if self.judge_base_url is None:
            return
        if self.judge_model is None:
            raise ValueError("judge_base_url을 적었으면 judge_model에 모델 이름도 적어야 합니다.")
        if JUDGE_DEADLINE_FACTOR * self.judge_timeout_seconds >= self.task_time_limit_seconds:
            raise ValueError(
                f"judge_timeout_seconds({self.judge_timeout_seconds:g})의 {JUDGE_DEADLINE_FACTOR}배는 "
                f"task_time_limit_seconds({self.task_time_limit_seconds})보다 작아야 합니다. "
                "그렇지 않으면 평가하던 작업이 도중에 끊깁니다."
            )


class SettingRow(NamedTuple):
    """One line of the settings table: field name, environment variable, default as text ("" for none), meaning."""

    name: str
    variable: str
    default: str
    meaning: str


def setting_rows() -> Iterator[SettingRow]:
    """Every setting in the order of the class, for the documentation and its tests."""
    for name, field in Settings.model_fields.items():
        yield SettingRow(name, PREFIX + name.upper(), _as_text(field.default), field.description or "")


def load_settings(config: Path | None = None, **overrides: object) -> Settings:
    """Read the surroundings and check them.

    config: a TOML file that must be there; None takes SCOREWATCH_CONFIG, else `scorewatch.toml` if it is there.
    overrides: field names of `Settings`; they win over everything (command line options); None is no override.
    Raises SettingsError that names every unknown name, wrong value and missing file.
    """
    unknown = [name for name in overrides if name not in Settings.model_fields]
    if unknown:
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    messages: list[str] = []
    env_file = _read_env_file(messages)
    toml = _read_toml(_config_path(config, env_file), messages)
    messages += _unknown_names(os.environ, "환경 변수")
    messages += _unknown_names(env_file, ENV_FILE)
    layers: list[tuple[str, Mapping[str, object]]] = [(f"{source}의 ", values) for source, values in toml.items()]
    if env_file:
        dotenv = DotEnvSettingsSource(Settings, ENV_FILE, dotenv_filtering="only_existing")
        layers.append((f"{ENV_FILE}의 {PREFIX}", dotenv()))
    layers.append((PREFIX, EnvSettingsSource(Settings)()))
    layers.append(("", {name: value for name, value in overrides.items() if value is not None}))
    values: dict[str, Any] = {}
    labels: dict[str, str] = {}
    for origin, layer in layers:
        for name, value in layer.items():
            if name in Settings.model_fields:
                values[name] = value
                labels[name] = origin + (name.upper() if origin.endswith(PREFIX) else name)
    try:
        settings = Settings(**values)
    except ValidationError as error:
        messages += [_wrong_value(details, labels) for details in error.errors()]
    else:
        if not messages:
            return settings
    # Raised outside the except block: chained, pydantic's own error would show a secret in a traceback.
    raise SettingsError(tuple(dict.fromkeys(messages)))


def _config_path(config: Path | None, env_file: Mapping[str, str | None]) -> Path | None:
    """The file that was named, or the default file; None when none was named and the default is not there."""
    named = config or os.environ.get(CONFIG_NAME) or env_file.get(CONFIG_NAME)
    if named:
        return Path(named)
    default = Path(DEFAULT_FILE)
    return default if default.exists() else None


def _read_env_file(messages: list[str]) -> Mapping[str, str | None]:
    try:
        return dotenv_values(ENV_FILE, encoding="utf-8") if Path(ENV_FILE).exists() else {}
    except (OSError, UnicodeDecodeError) as error:
        messages.append(f"설정 파일 {ENV_FILE}: 읽을 수 없습니다({_reason(error)}). [unreadable-settings-file]")
        return {}


def _read_toml(path: Path | None, messages: list[str]) -> dict[str, dict[str, object]]:
    """Values of the file under its name; empty when there is none or it cannot be used."""
    if path is None:
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        messages.append(f"설정 파일 {path}: 파일이 없습니다. 경로를 고치거나 파일을 만드세요. [missing-settings-file]")
    except tomllib.TOMLDecodeError as error:
        messages.append(f"설정 파일 {path}: TOML 형식이 아닙니다({error}). [unreadable-settings-file]")
    except (OSError, UnicodeDecodeError) as error:
        messages.append(f"설정 파일 {path}: 읽을 수 없습니다({_reason(error)}). [unreadable-settings-file]")
    else:
        messages += [_unknown(f"{path}의 {name}", name) for name in values if name not in Settings.model_fields]
        return {str(path): values}
    return {}


def _unknown_names(names: Mapping[str, object], source: str) -> list[str]:
    """Unknown `SCOREWATCH_*` names; pydantic-settings passes them unseen."""
    known = [CONFIG_NAME, *(row.variable for row in setting_rows())]
    return [
        _unknown(f"{source} {name}", name.upper().removeprefix(PREFIX), PREFIX)
        for name in sorted(names)
        if name.upper().startswith(PREFIX) and name.upper() not in known
    ]


def _unknown(label: str, name: str, prefix: str = "") -> str:
    """The message for a name nobody knows. name: without the prefix, which would make all names look alike."""
    close = difflib.get_close_matches(name.lower(), Settings.model_fields, n=1, cutoff=0.7)
    likely = prefix + (close[0].upper() if prefix else close[0]) if close else ""
    hint = f"{likely}을(를) 뜻하셨나요?" if likely else "설정 이름은 README의 설정 표에 있습니다."
    return f"{label}: 모르는 설정입니다. {hint} [unknown-setting]"


def _wrong_value(details: ErrorDetails, labels: Mapping[str, str]) -> str:
    if not details["loc"]:
        return (
            f"설정이 서로 맞지 않습니다: {details.get('ctx', {}).get('error', details['msg'])} [conflicting-settings]"
        )
    name = str(details["loc"][0])
    field = Settings.model_fields[name]
    extra = field.json_schema_extra
    assert isinstance(extra, dict), "every field is made by _setting"
    allowed = extra["allowed"]
    is_secret = "SecretStr" in str(field.annotation) or extra["secret_when_wrong"]
    found = "값(비밀이라 보이지 않음)" if is_secret else f"{details['input']!r:.120}"
    return f"설정 {labels.get(name, name)}: {found}은(는) 쓸 수 없습니다. {allowed}. [wrong-setting]"


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"UTF-8이 아님, {error.start}번째 바이트"
    return error.strerror or type(error).__name__


def _absolute(path: Path) -> Path:
    """Absolute and without `..`; links stay, they are the watcher's business."""
    return Path(os.path.abspath(path))  # noqa: PTH100 -- Path.absolute keeps `..`


def _as_text(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return "true" if default else "false"
    if isinstance(default, float):
        return f"{default:g}"
    return str(default)
