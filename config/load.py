"""Settings from the surroundings: `SCOREWATCH_*` environment > `.env` > `scorewatch.toml` > defaults.

An unknown name, a value that is not allowed or a named file that does not exist stops the start; all are named at
once.
"""

import difflib
import io
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from dotenv import dotenv_values
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from config.addresses import BROKER_SCHEMES, AddressError
from config.settings import ConflictError, Settings
from config.start import CONFIG_NAME, ENVIRONMENT_ONLY_NAME, GATE_TABLE, PREFIX, SettingsError, is_setting
from texts import LANGUAGES, Texts, first_language, texts

DEFAULT_FILE = "scorewatch.toml"
ENV_FILE = ".env"

_PASSWORD = re.compile(r"(?<=//)[^/@\s]*@")  # user and password of an address

_NO_FIELDS = (CONFIG_NAME, ENVIRONMENT_ONLY_NAME)
_Message = Callable[[Texts], str]  # in the language that is known once everything is read


class _Layer(NamedTuple):
    """source: a file, "" for the environment and overrides. prefix: of its names."""

    source: str
    prefix: str
    values: Mapping[str, object]


def load_settings(config: Path | None = None, **overrides: object) -> Settings:
    """Read the surroundings and check them.

    config: a TOML file that must be there; None takes SCOREWATCH_CONFIG, else `scorewatch.toml` if it is there. Where
    SCOREWATCH_ENVIRONMENT_ONLY is set, no other file than that of `config` is read.
    overrides: field names of `Settings`; they win over everything (command line options); None is no override.
    Raises SettingsError that names every unknown name, wrong value and missing file, in the language that is set.
    """
    unknown = [name for name in overrides if name not in Settings.model_fields]
    if unknown:
        raise TypeError(f"no such settings: {', '.join(unknown)}")
    messages: list[_Message] = []
    is_alone = bool(os.environ.get(ENVIRONMENT_ONLY_NAME))
    env_file = {} if is_alone else _read_env_file(messages)
    toml = _read_toml(config if is_alone else _config_path(config, env_file), messages)
    for source, prefix, names in (
        *((source, "", values) for source, values in toml.items()),
        ("", PREFIX, filter(is_setting, os.environ)),
        (ENV_FILE, PREFIX, filter(is_setting, env_file)),
    ):
        _check_names(source, prefix, names, messages)
    layers: list[_Layer] = [_Layer(source, "", values) for source, values in toml.items()]
    if env_file:
        dotenv = DotEnvSettingsSource(Settings, ENV_FILE, dotenv_filtering="only_existing")
        layers.append(_Layer(ENV_FILE, PREFIX, dotenv()))
    layers.append(_Layer("", PREFIX, EnvSettingsSource(Settings)()))
    layers.append(_Layer("", "", {name: value for name, value in overrides.items() if value is not None}))
    known = [(layer, name) for layer in layers for name in layer.values if name in Settings.model_fields]
    values: dict[str, Any] = {name: layer.values[name] for layer, name in known}
    labels = {name: (layer.source, layer.prefix + name.upper() if layer.prefix else name) for layer, name in known}
    t = texts(first_language(*(layer.values.get("language") for layer in reversed(layers))))
    try:
        settings = Settings(**values)
    except ValidationError as error:
        messages += [partial(_wrong_value, details, labels) for details in error.errors()]
    else:
        if not messages:
            return settings
    # Raised outside the except block: chained, pydantic's own error would show a secret in a traceback.
    raise SettingsError(tuple(dict.fromkeys(message(t) for message in messages)))


def settings_in_file(path: Path) -> Mapping[str, object]:
    """What a settings file says, without the rules of the gate; nothing where it is not there.

    Raises SettingsError when it cannot be read.
    """
    messages: list[_Message] = []
    values = _read_toml(path, messages) if path.exists() else {}
    if messages:
        raise SettingsError(tuple(message(texts(first_language())) for message in messages))
    return values.get(str(path), {})


def settings_file() -> Path | None:
    """The settings file in force, named or by default; None when there is none."""
    is_alone = bool(os.environ.get(ENVIRONMENT_ONLY_NAME))
    return None if is_alone else _config_path(None, _read_env_file([]))


def _config_path(config: Path | None, env_file: Mapping[str, str | None]) -> Path | None:
    """The file that was named, or the default file; None when none was named and the default is not there."""
    named = config or os.environ.get(CONFIG_NAME) or env_file.get(CONFIG_NAME)
    if named:
        return Path(named)
    default = Path(DEFAULT_FILE)
    return default if default.exists() else None


def _read_env_file(messages: list[_Message]) -> Mapping[str, str | None]:
    try:
        if not Path(ENV_FILE).exists():
            return {}
        return dotenv_values(stream=io.StringIO(_content(Path(ENV_FILE)).decode("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        messages.append(partial(_unreadable, ENV_FILE, error))
        return {}


def _read_toml(path: Path | None, messages: list[_Message]) -> dict[str, dict[str, object]]:
    """Values of the file under its name; empty when there is none or it cannot be used."""
    if path is None:
        return {}
    try:
        values = parse_toml(_content(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        messages.append(partial(_unreadable, path, error))
        return {}
    values.pop(GATE_TABLE, None)  # rules, read by `config.gate_rules`
    return {str(path): values}


def _content(path: Path) -> bytes:
    from scoring.reading import open_named  # most starts have no settings file

    with open_named(path) as file:
        return file.read()


def _unreadable(path: str | Path, error: Exception, t: Texts) -> str:
    """The message for a settings file that cannot be used."""
    if isinstance(error, FileNotFoundError):
        return f"{t('settings.missing-file', path=str(path))} [missing-settings-file]"
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"{t('settings.not-toml', path=str(path), reason=str(error))} [unreadable-settings-file]"
    if isinstance(error, UnicodeDecodeError):
        reason = t("settings.not-utf8", offset=str(error.start))
    else:
        reason = getattr(error, "strerror", None) or type(error).__name__
    return f"{t('settings.unreadable-file', path=str(path), reason=reason)} [unreadable-settings-file]"


def _check_names(source: str, prefix: str, names: Iterable[str], messages: list[_Message]) -> None:
    """Find unknown names; pydantic-settings passes unknown variables unseen.

    source: "" is the environment. prefix: of the names; those with one count in any case of letters.
    """
    for name in sorted(names) if prefix else names:
        field = name.upper().removeprefix(prefix).lower() if prefix else name
        if field not in Settings.model_fields and not (prefix and name.upper() in _NO_FIELDS):
            messages.append(partial(_unknown, source, name, prefix))


def _label(source: str, name: str, prefix: str, t: Texts) -> str:
    if not source:
        return t("settings.environment", name=name)
    return f"{source} {name}" if prefix else t("settings.in-source", source=source, name=name)


def _unknown(source: str, name: str, prefix: str, t: Texts) -> str:
    """The message for an unknown name. prefix: left out of the comparison, it would make all names look alike."""
    label = _label(source, name, prefix, t)
    meant = _likely_field(name.upper().removeprefix(prefix).lower())
    likely = prefix + (meant.upper() if prefix else meant) if meant else ""
    hint = t("settings.likely", name=likely) if likely else t("settings.in-the-table")
    return f"{t('settings.unknown', label=label, hint=hint)} [unknown-setting]"


def _likely_field(name: str) -> str:
    """The setting that an unknown name most likely means, "" when none is similar."""
    known = Settings.model_fields
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return close[0] if close else max((field for field in known if name.startswith(field)), key=len, default="")


def _wrong_value(details: ErrorDetails, labels: Mapping[str, tuple[str, str]], t: Texts) -> str:
    error = details.get("ctx", {}).get("error")
    if not details["loc"]:
        reason = (
            t(f"settings.conflict.{error.key}", **error.facts) if isinstance(error, ConflictError) else details["msg"]
        )
        return f"{t('settings.conflict', reason=reason)} [conflicting-settings]"
    name = str(details["loc"][0])
    field = Settings.model_fields[name]
    extra = field.json_schema_extra
    assert isinstance(extra, dict), "every field is made by _setting"
    is_secret = "SecretStr" in str(field.annotation) or extra["secret_when_wrong"]
    found = t("settings.secret") if is_secret else _PASSWORD.sub("…@", f"{details['input']!r:.120}")
    kind = error.key if isinstance(error, AddressError) else extra["allowed"]
    allowed = t(f"allowed.{kind}", schemes=", ".join(BROKER_SCHEMES), languages=", ".join(LANGUAGES))
    source, label = labels.get(name, ("", name))
    shown = t("settings.in-source", source=source, name=label) if source else label
    return f"{t('settings.wrong', name=shown, found=found, allowed=allowed)} [wrong-setting]"


_TOO_LONG = "a whole number has too many digits"
_LARGEST = 2**63  # whole numbers of TOML have 64 bits; longer ones would fail wherever they are shown


def parse_toml(data: bytes) -> dict[str, object]:
    """The content of a TOML file. Raises TOMLDecodeError for what is none or can't be read, UnicodeDecodeError."""
    text = data.decode("utf-8-sig")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        reason = "brackets are nested too deep"
    except ValueError:  # more digits than Python reads
        reason = _TOO_LONG
    else:
        if not any(isinstance(one, int) and abs(one) > _LARGEST for one in _all_values(values)):
            return values
        reason = _TOO_LONG
    raise tomllib.TOMLDecodeError(reason)


def _all_values(values: object) -> Iterator[object]:
    """Everything in the content, at any depth."""
    left = [values]
    while left:
        one = left.pop()
        yield one
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
