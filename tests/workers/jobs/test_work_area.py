"""The work area: whole or missing, never half."""

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from config import shipped_rubrics
from scoring.items.spool import Part
from scoring.sets import Plan, PlannedInput, escape_path
from workers.jobs.inputs import GiveUpError, locate
from workers.jobs.work_area import PartId, Trouble, WorkArea

SHA = "a" * 64
ID = PartId(SHA, "b" * 64, ".csv")
PLAN = Plan(
    set_name="방/resume-agent",
    key="c" * 64,
    rubric_digest="b" * 64,
    engine_version=1,
    language="ko",
    inputs=(PlannedInput("%EB%B0%A9/a.csv", "a.csv", SHA, 3, 4, 5),),
)


@pytest.fixture
def area(tmp_path: Path) -> WorkArea:
    work = WorkArea(tmp_path / "out")
    work.prepare()
    return work


def part() -> Part:
    return Part(sha256=SHA, size=3, rubric_digest="b" * 64)


def test_parts_come_back(area: WorkArea) -> None:
    assert area.read_part(ID) is None
    assert not area.has_part(ID)
    area.write_part(ID, part())
    assert area.has_part(ID)
    assert area.read_part(ID) == part()
    assert area.read_part(ID._replace(kind=".xlsx")) is None  # the same bytes read by another reader
    assert area.read_part(ID._replace(engine_version=ID.engine_version + 1)) is None


def test_a_part_with_any_byte_changed_or_cut_counts_as_missing(area: WorkArea) -> None:
    area.write_part(ID, part())
    path = area.root / "parts" / ID.file_name
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert area.read_part(ID) is None
        path.write_bytes(whole[:place])
        assert area.read_part(ID) is None


def test_rubrics_are_known_by_what_they_say(area: WorkArea) -> None:
    rubric = shipped_rubrics()[0]
    area.write_rubric(rubric)
    assert area.read_rubric(rubric.digest) == rubric
    (area.root / "rubrics" / f"{'0' * 64}.json").write_bytes(
        (area.root / "rubrics" / f"{rubric.digest}.json").read_bytes()
    )
    assert area.read_rubric("0" * 64) is None


def test_plans_and_troubles_belong_to_a_set_and_a_key(area: WorkArea) -> None:
    area.write_plan(PLAN)
    area.write_trouble(PLAN.set_name, PLAN.key, Trouble("storage", "full"))
    assert area.read_plan(PLAN.set_name, PLAN.key) == PLAN
    assert area.read_plan("copy/resume-agent", PLAN.key) is None  # a copied folder has the same key
    assert area.read_trouble(PLAN.set_name, PLAN.key) == Trouble("storage", "full")
    assert area.count_troubles() == 1
    area.close(PLAN.set_name, PLAN.key)
    assert area.read_plan(PLAN.set_name, PLAN.key) is None
    assert area.read_trouble(PLAN.set_name, PLAN.key) is None


def test_a_wiped_area_is_made_again_by_the_next_write(area: WorkArea) -> None:
    import shutil

    shutil.rmtree(area.root)
    area.write_part(ID, part())
    assert area.read_part(ID) == part()
    assert (area.root / ".gitignore").read_text() == "*\n"


def test_a_failed_write_leaves_nothing_behind(area: WorkArea, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("reporting.store.stored_file.write_all", full)
    with pytest.raises(OSError, match="No space"):
        area.write_part(ID, part())
    area.write_trouble("s", "k", Trouble("storage", "full"))  # a note that cannot be left is not worth an error
    assert list((area.root / "tmp").iterdir()) == []
    assert not area.has_part(ID)


def test_unused_parts_are_collected_by_age(area: WorkArea) -> None:
    area.write_part(ID, part())
    fresh = ID._replace(sha256="d" * 64)
    area.write_part(fresh, part())
    old = time.time() - 1000
    os.utime(area.root / "parts" / ID.file_name, (old, old))
    assert sum(area.collect(older_than_seconds=500)) == 1
    assert area.has_part(fresh)
    assert not area.has_part(ID)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a\0b", "한글"])
def test_ids_from_messages_cannot_leave_the_area(area: WorkArea, name: str) -> None:
    with pytest.raises(ValueError, match="no id"):
        area.read_rubric(name)


def test_inputs_are_found_inside_the_watched_folder_only(tmp_path: Path) -> None:
    watch = tmp_path / "in"
    (watch / "방").mkdir(parents=True)
    (watch / "방/a b.csv").write_text("x")
    (tmp_path / "secret.csv").write_text("x")
    (watch / "link.csv").symlink_to(tmp_path / "secret.csv")
    assert locate(watch, escape_path("방/a b.csv")) == f"{watch}/방/a b.csv"
    outside: list[Any] = ["../secret.csv", "/etc/passwd", "", "a/../../secret.csv", "link.csv", "%2E%2E/secret.csv"]
    for escaped in outside:
        with pytest.raises(GiveUpError) as caught:
            locate(watch, escaped)
        assert caught.value.kind == "outside"
