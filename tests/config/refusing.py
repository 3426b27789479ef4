"""Settings that are refused."""

from __future__ import annotations

import pytest

from config.errors import SettingsError
from config.load import load_settings


def refusal(**overrides: object) -> str:
    with pytest.raises(SettingsError) as refused:
        load_settings(**overrides)  # type: ignore[arg-type]  # a table of overrides
    return str(refused.value)
