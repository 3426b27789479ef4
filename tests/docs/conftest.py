"""The working directory of commands that a page shows."""

from tests.cli.conftest import place

__all__ = ["place"]
