"""No command, option, setting, code, file, key, column or text is added or lost unnoticed."""

from __future__ import annotations

import difflib

from tests.manifest.surface import read_surface, surface


def test_the_surface_is_the_accepted_one() -> None:
    changed = list(difflib.unified_diff(read_surface(), surface(), "accepted", "now", n=0, lineterm=""))
    assert not changed, "\n".join([*changed, "`make manifest-accept` takes this over."])
