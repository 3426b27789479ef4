"""Which broker is in use. Imports no client of it: `status` asks before it knows that there is a queue to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.settings import Settings

MEMORY_URL = "memory://"
URL_NAME = "url"


def broker_folder(state: Path) -> Path:
    """The folder of the files of the embedded broker."""
    return state.absolute() / "broker"


def running_url(state: Path) -> str | None:
    """URL of the broker that an `up` in this state folder runs; None when there is none."""
    try:
        return (broker_folder(state) / URL_NAME).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def broker_address(settings: Settings) -> str:
    """The broker URL: the configured one, else that of the running embedded broker, else the in-memory transport."""
    if settings.broker_url is not None:
        return settings.broker_url.get_secret_value()
    return running_url(settings.state) or MEMORY_URL
