"""The inner names that the manifest and the surface list need. A move of one of them touches this module alone."""

from bench.documents import setting_rows
from cli.main import cli, main
from scoring import Severity
from tests.inner import SEVERITIES
from texts import texts as texts_of

__all__ = ["cli", "main", "setting_rows", "severity_of", "texts"]


def texts(language: str) -> set[str]:
    """Every text that people can meet."""
    return {*texts_of(language).entries.values()}


def severity_of(code: str) -> str:
    """How much a problem with this code takes away."""
    return SEVERITIES.get(code, Severity.REFUSED)
