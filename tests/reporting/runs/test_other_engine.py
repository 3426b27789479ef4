"""After an upgrade: the report of the engine before is kept, whatever its format, and the changes name both engines."""

import json
from pathlib import Path

import pytest

from reporting.store import CHANGES_HTML, CHANGES_MD, HISTORY, kept_versions
from scoring.items import ENGINE_VERSION
from tests.reporting.comparison.runs import items_of
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result

NAME = "resume_agent_a"


def publish(out: Path, key: str, *, versions: int = 20) -> Path:
    publish_report(make_result(*items_of(6)), set_name=NAME, key=key, out=out, history_versions=versions)
    return out / NAME


def make_older(folder: Path, **changed: object) -> None:
    """As an engine before would have left it."""
    status = json.loads((folder / "status.json").read_bytes())
    status |= {"engine_version": ENGINE_VERSION - 1, **changed}
    (folder / "status.json").write_text(json.dumps(status))


@pytest.mark.parametrize("changed", [{}, {"format_version": 1, "headline": "of another shape"}], ids=["same", "other"])
def test_the_report_of_the_engine_before_is_kept_and_both_are_named(tmp_path: Path, changed: dict[str, object]) -> None:
    folder = publish(tmp_path, "before")
    make_older(folder, **changed)
    page = (folder / "report.md").read_bytes()
    publish(tmp_path, "after")
    (entry,) = (folder / HISTORY).iterdir()
    assert entry.name == "0001-before"
    assert (entry / "report.md").read_bytes() == page
    for name in (CHANGES_MD, CHANGES_HTML):
        assert f"엔진 {ENGINE_VERSION - 1} → {ENGINE_VERSION}" in (folder / name).read_text(encoding="utf-8")


def test_what_only_another_engine_can_read_counts_as_a_version(tmp_path: Path) -> None:
    folder = publish(tmp_path, "first")
    make_older(folder, format_version=1)
    for key in ("second", "third"):
        publish(tmp_path, key, versions=2)
    assert sorted(entry.name for entry in (folder / HISTORY).iterdir()) == ["0001-first", "0002-second"]
    assert [version.sequence for version in kept_versions(folder)] == [2]
    publish(tmp_path, "fourth", versions=2)
    assert sorted(entry.name for entry in (folder / HISTORY).iterdir()) == ["0002-second", "0003-third"]


def test_a_change_of_inputs_names_no_engine(tmp_path: Path) -> None:
    publish(tmp_path, "before")
    folder = publish(tmp_path, "after")
    assert "엔진이 바뀌어" not in (folder / CHANGES_MD).read_text(encoding="utf-8")
