"""Settings for a command: with `--language` over them, and spoken from then on."""

from __future__ import annotations

import click

from cli.localised.command import asked_language
from cli.localised.language import speak
from config.load import load_settings
from config.settings import Settings


def load(**overrides: object) -> Settings:
    """The settings, command line options over them. Retired settings are named on stderr.

    Raises SettingsError as `load_settings` does.
    """
    settings = load_settings(None, warn=lambda line: click.echo(line, err=True), language=asked_language(), **overrides)
    speak(settings.language)
    return settings
