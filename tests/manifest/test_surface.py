"""No command, option, setting, code, file, key, column or text is added or lost unnoticed."""

from __future__ import annotations

import difflib

import pytest

from tests.manifest.surface import declared, read_surface, surface

PRODUCED = ("file ", "json ", "csv ", "xml ")  # what cases leave, whose bytes `test_manifest` holds in the fast tests


def _changed(accepted: list[str], now: list[str]) -> str:
    changed = list(difflib.unified_diff(accepted, now, "accepted", "now", n=0, lineterm=""))
    return "\n".join([*changed, "`make manifest-accept` takes this over."]) if changed else ""


def test_what_is_declared_is_the_accepted_surface() -> None:
    accepted = [line for line in read_surface() if not line.startswith(PRODUCED)]
    assert len(accepted) > 400
    assert _changed(accepted, sorted(declared())) == ""


@pytest.mark.slow
def test_the_surface_is_the_accepted_one() -> None:
    assert _changed(read_surface(), surface()) == ""
