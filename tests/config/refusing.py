"""Settings that are refused."""

import pytest

from config.load import load_settings
from config.start import SettingsError


def refusal(**overrides: object) -> str:
    with pytest.raises(SettingsError) as refused:
        load_settings(**overrides)  # type: ignore[arg-type]  # a table of overrides
    return str(refused.value)
