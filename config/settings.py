"""Settings as one frozen object, and what fits together in them.

Checks the values it is given and reads nothing; `config.load` reads them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from config.addresses import check_base_url, check_ticket_url, check_web_address, split_address, split_broker_url
from config.start import PREFIX
from texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from scoring.judging import JudgeBudget, JudgeIdentity, JudgePrice

# Pydantic looks for plugins in every installed package, which takes longer than all else that `status` imports.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

JUDGE_DEADLINE_FACTOR = 3  # times the time-out: what all tries at an item may take together


def _setting(default: object, allowed: str, *, secret_when_wrong: bool = False) -> Any:
    """A field. allowed: names the text that says what may be written.

    secret_when_wrong: a wrong value may hold a secret, so it is not shown.
    """
    return Field(default, json_schema_extra={"allowed": allowed, "secret_when_wrong": secret_when_wrong})


def _refuse_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")  # noqa: TRY004 -- pydantic reports ValueError only
    return value


def _split(value: object) -> object:
    """Patterns from an environment variable come as one text, separated by commas."""
    if isinstance(value, str):
        return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)
    return value


def _split_names(value: object) -> object:
    """Names in any case, as with the settings that take one name."""
    return _split(value.lower()) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(_refuse_bool), Field(ge=0, le=86_400, allow_inf_nan=False)]
PositiveSeconds = Annotated[float, BeforeValidator(_refuse_bool), Field(gt=0, le=86_400, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=10_000)]
Megabytes = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=512, le=1_048_576)]
Votes = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=15)]
Requests = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=1, le=100)]
Price = Annotated[float, BeforeValidator(_refuse_bool), Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]
Versions = Annotated[int, BeforeValidator(_refuse_bool), Field(ge=0, le=10_000)]
Patterns = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], NoDecode, BeforeValidator(_split)]
WebhookEvent = Literal["every-set", "problems", "worse", "gate-failed"]
WebhookEvents = Annotated[tuple[WebhookEvent, ...], NoDecode, BeforeValidator(_split_names), Field(min_length=1)]

# Setting -> what raises AddressError for a wrong one.
_ADDRESSES: Mapping[str, Callable[[str], object]] = {
    "broker_url": split_broker_url,
    "metrics_address": split_address,
    "webhook_url": check_web_address,
    "judge_base_url": check_base_url,
    "public_url": check_base_url,
    "ticket_url": check_ticket_url,
}


class ConflictError(ValueError):
    """Settings that do not fit together. key: of the text that says so, without its prefix; facts: what it names."""

    def __init__(self, key: str, **facts: str) -> None:
        super().__init__(key)
        self.key = key
        self.facts = facts


class Settings(BaseSettings):
    """Everything an operator can set. Relative paths are relative to the working directory."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid", validate_default=False
    )

    watch: Path = _setting(Path("docs/test-result"), "folder")
    out: Path = _setting(Path("docs/reports"), "folder")
    state: Path = _setting(Path(".scorewatch"), "folder")
    broker_url: SecretStr | None = _setting(None, "broker")
    settle_seconds: Seconds = _setting(1.0, "seconds")
    set_quiet_seconds: Seconds = _setting(5.0, "seconds")
    rescan_seconds: PositiveSeconds = _setting(30.0, "positive-seconds")
    observer: Literal["auto", "native", "polling"] = _setting("auto", "observer")
    workers: Count | None = _setting(None, "count")
    language: Literal["ko", "en"] = _setting(DEFAULT_LANGUAGE, "language")
    csv_titles: Literal["fields", "report"] = _setting("fields", "csv-titles")
    history_versions: Versions = _setting(20, "versions")
    task_time_limit_seconds: Count = _setting(300, "count")
    memory_limit_megabytes: Megabytes = _setting(4096, "megabytes")
    ignore: Patterns = _setting((), "patterns")
    rubrics: Path | None = _setting(None, "folder")
    strict_fsync: bool = _setting(False, "bool")
    remote_control: bool = _setting(False, "bool")
    metrics_address: str | None = _setting(None, "address")
    webhook_url: SecretStr | None = _setting(None, "web-address")
    webhook_events: WebhookEvents = _setting(("every-set",), "webhook-events")
    webhook_format: Literal["json", "slack", "teams"] = _setting("json", "webhook-format")
    adjudicator: Annotated[str, Field(max_length=200)] | None = _setting(None, "name")
    public_url: str | None = _setting(None, "base-url")
    ticket_url: str | None = _setting(None, "ticket-url")
    xlsx: bool = _setting(False, "bool")
    gate_file: Path | None = _setting(None, "file")
    judge_base_url: str | None = _setting(None, "base-url", secret_when_wrong=True)
    judge_api_key: SecretStr | None = _setting(None, "header")
    judge_model: str | None = _setting(None, "model")
    judge_votes: Votes = _setting(1, "votes")
    judge_concurrency: Requests = _setting(4, "requests")
    judge_timeout_seconds: PositiveSeconds = _setting(60.0, "positive-seconds")
    judge_compare: bool = _setting(False, "bool")
    judge_price_input: Price | None = _setting(None, "price")
    judge_price_output: Price | None = _setting(None, "price")
    judge_currency: str | None = _setting(None, "currency")
    judge_budget: str | None = _setting(None, "budget")
    log: Literal["file", "json"] = _setting("file", "log")
    log_level: Literal["debug", "info", "warning", "error"] = _setting("info", "log-level")

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

    @field_validator("watch", "out", "state", "rubrics", "gate_file", mode="before")
    @classmethod
    def _expand_home(cls, value: object) -> object:
        """`~` in a file is not expanded by a shell; a blank path would quietly be the working directory."""
        if isinstance(value, str):
            if not value.strip() or "\0" in value:  # no file system has a name with a zero byte
                raise ValueError("blank path, or none at all")
            return Path(os.path.expanduser(value))  # noqa: PTH111 -- Path.expanduser raises where there is no home
        return value

    @field_validator(*_ADDRESSES)
    @classmethod
    def _check_address(cls, value: SecretStr | str | None, info: ValidationInfo) -> SecretStr | str | None:
        if value is not None and info.field_name is not None:
            _ADDRESSES[info.field_name](value.get_secret_value() if isinstance(value, SecretStr) else value)
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

    @field_validator("judge_currency")
    @classmethod
    def _check_currency(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not re.fullmatch(r"[A-Za-z]{3}", value.strip()):
            raise ValueError("no currency")
        return value.strip().upper()

    @field_validator("judge_budget")
    @classmethod
    def _check_budget(cls, value: str | None) -> str | None:
        if value is not None:
            from scoring.judging import read_budget

            read_budget(value)
        return value

    @field_validator("observer", "language", "csv_titles", "log", "log_level", "webhook_format", mode="before")
    @classmethod
    def _fold_case(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        self._check_judge()
        watch, out, state = map(_absolute, (self.watch, self.out, self.state))
        if watch.is_relative_to(out):
            raise ConflictError("watch-in-out", watch=str(self.watch), out=str(self.out))
        if state in (watch, out, out / ".scorewatch"):
            raise ConflictError("state", state=str(self.state))
        return self

    @property
    def visibility_timeout_seconds(self) -> int:
        """An unfinished task is handed out again after this time: long after the limit has ended every task."""
        return 2 * self.task_time_limit_seconds

    @property
    def judge(self) -> JudgeIdentity | None:
        """Who judges; None without a judge."""
        if self.judge_base_url is None or self.judge_model is None:
            return None
        from scoring.judging import JudgeIdentity

        return JudgeIdentity(
            model=self.judge_model, votes=self.judge_votes, compare=self.judge_compare, price=self.judge_price
        )

    @property
    def judge_key(self) -> str:
        """The API key in clear text; "" without one."""
        return "" if self.judge_api_key is None else self.judge_api_key.get_secret_value()

    @property
    def judge_price(self) -> JudgePrice | None:
        """What a million tokens cost; None where that is not set."""
        if self.judge_price_input is None or self.judge_price_output is None or self.judge_currency is None:
            return None
        from scoring.judging import JudgePrice

        return JudgePrice(self.judge_price_input, self.judge_price_output, self.judge_currency)

    @property
    def judge_limit(self) -> JudgeBudget | None:
        """What all verdicts of the folder of reports may cost; None without a limit."""
        if self.judge_budget is None:
            return None
        from scoring.judging import read_budget

        budget = read_budget(self.judge_budget)
        return budget if budget.is_of_tokens else budget._replace(price=self.judge_price)

    def _check_judge(self) -> None:
        self._check_judge_costs()
        if self.judge_base_url is None:
            return
        if self.judge_model is None:
            raise ConflictError("judge-model")
        if JUDGE_DEADLINE_FACTOR * self.judge_timeout_seconds >= self.task_time_limit_seconds:
            raise ConflictError(
                "judge-timeout",
                timeout=f"{self.judge_timeout_seconds:g}",
                factor=str(JUDGE_DEADLINE_FACTOR),
                limit=str(self.task_time_limit_seconds),
            )

    def _check_judge_costs(self) -> None:
        """Amounts without a currency say nothing, and a currency without amounts was meant to say something."""
        names = ("judge_price_input", "judge_price_output", "judge_currency")
        missing = [name for name in names if getattr(self, name) is None]
        if missing and len(missing) < len(names):
            given = [name for name in names if name not in missing]
            raise ConflictError("judge-price", given=", ".join(given), missing=", ".join(missing))
        limit = self.judge_limit
        if limit is None or limit.is_of_tokens:
            return
        if limit.price is None:
            raise ConflictError("judge-budget-price", budget=str(self.judge_budget))
        if limit.unit != limit.price.currency:
            raise ConflictError("judge-budget-currency", budget=str(self.judge_budget), currency=limit.price.currency)


def _absolute(path: Path) -> Path:
    """Absolute and without `..`; links stay, they are the watcher's business."""
    return Path(os.path.abspath(path))  # noqa: PTH100 -- Path.absolute keeps `..`
