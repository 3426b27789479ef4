"""What a start needs before any setting is read: names of the environment, and the error that ends it.

Imports no pydantic and nothing else that costs time: the entry point asks it before anything is loaded.
"""

from collections.abc import Mapping

from scoring import ScorewatchError

PREFIX = "SCOREWATCH_"
CONFIG_NAME = f"{PREFIX}CONFIG"
ENVIRONMENT_ONLY_NAME = f"{PREFIX}ENVIRONMENT_ONLY"  # given to a process that shall read no settings file
GATE_TABLE = "gate"  # of a settings file; no setting, see `config.gate_rules`


def is_setting(name: str) -> bool:
    """Is it one of ours? Case does not count, as with the settings."""
    return name.upper().startswith(PREFIX)


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """For a process that needs none of them: keys and addresses with passwords are among them."""
    return {name: value for name, value in environment.items() if not is_setting(name)}


class SettingsError(ScorewatchError):
    """The operator has to fix the settings: exit code 2 before any work starts.

    messages: one line each, in the language that is set, ready to be shown; at least one. Never holds a secret.
    """

    def __init__(self, messages: tuple[str, ...]) -> None:
        super().__init__(messages)
        self.messages = messages

    def __str__(self) -> str:
        return "\n".join(self.messages)
