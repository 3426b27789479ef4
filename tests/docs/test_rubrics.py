"""docs/rubrics.md: the table of shipped profiles is what the shipped documents claim."""

from __future__ import annotations

import re

from config.rubrics_in_force import shipped_rubrics
from tests.paths import ROOT


def test_every_name_that_a_profile_claims_is_in_the_table() -> None:
    page = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| \[([a-z-]+)\]\(\S+/([a-z-]+)\.md\) \| `([a-z_]+)\*` \|", page, flags=re.MULTILINE)
    assert all(profile == document for profile, document, _ in table)
    claimed = {
        (rubric.profile, pattern.partition("*")[0])
        for rubric in shipped_rubrics()
        for pattern in rubric.files
        if not pattern.startswith("!")
    }
    assert sorted((profile, name) for profile, _, name in table) == sorted(claimed)
