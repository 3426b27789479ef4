"""Lines for people about sets and what is in the way."""

import re
from pathlib import Path

import pytest

from cli.service.lines import time_left, trouble_line
from tests.paths import ROOT
from texts import texts

KO, EN = texts("ko"), texts("en")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0, "0:00"), (59.4, "0:59"), (59.6, "1:00"), (3599.9, "1:00:00"), (3723.0, "1:02:03")]
)
def test_time_left(seconds: float, shown: str) -> None:
    assert time_left(seconds) == shown


def test_every_reason_of_a_worker_has_what_to_do() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in Path(ROOT / "workers").rglob("*.py"))
    kinds = set(re.findall(r'GiveUpError\("([a-z-]+)"', sources)) | {"vanished", "unreadable", "judge", "failure"}
    assert len(kinds) > 8
    for t in (KO, EN):
        assert [kind for kind in sorted(kinds) if not t.named("remedy", kind)] == []
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in page] == []


def test_what_is_not_known_of_is_a_matter_of_owner_and_permissions() -> None:
    assert trouble_line("overview.trouble", "a.csv", "Permission denied", EN) == (
        "Retrying: a.csv (Permission denied). Check the owner, the permissions and the mount."
    )
    assert trouble_line("overview.trouble", "a", "engine: asked for engine 9", EN) == (
        "Retrying: a (engine: asked for engine 9). Upgrade the watcher and the workers to the same version."
    )
