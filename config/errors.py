"""The error of a start that must not happen; apart, so that naming it costs no pydantic."""

from __future__ import annotations

from scoring.problems import ScorewatchError


class SettingsError(ScorewatchError):
    """The operator has to fix the settings: exit code 2 before any work starts.

    messages: one line each, in the language that is set, ready to be shown; at least one. Never holds a secret.
    """

    def __init__(self, messages: tuple[str, ...]) -> None:
        super().__init__(messages)
        self.messages = messages

    def __str__(self) -> str:
        return "\n".join(self.messages)
