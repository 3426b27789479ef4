"""A report is superseded by one of its profile that has all its files and more, or the same and stands earlier."""

import random
import shutil
from pathlib import Path

import msgspec
import pytest

from reporting.store import IndexEntry, KnownSets
from scoring.comparison import name_of
from tests.reporting.index.folders import a_status, write_status


def one_by_one(known: KnownSets) -> dict[str, str]:
    """What supersedes each report, by comparing it with every other one."""

    def by(entry: IndexEntry) -> str:
        own = set(entry.status.inputs.values())
        better = []
        for other in entries.values():
            files = set(other.status.inputs.values())
            is_first = len(files) > len(own) or (files == own and other.order < entry.order)
            if own and other.status.profile == entry.status.profile and own <= files and is_first:
                better.append((-len(files), other.order, other.set_name))
        return min(better)[-1] if better else ""

    entries = {name: packed.unpack() for name, packed in known.entries.items()}
    found = {name: by(entry) for name, entry in entries.items()}
    return {name: other for name, other in found.items() if other}


@pytest.mark.parametrize("seed", range(4))
def test_changes_end_in_what_comparing_all_with_all_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    status = a_status(tmp_path)
    known = KnownSets(tmp_path)
    for _ in range(60):
        name = f"s{chance.randrange(8)}"
        if chance.random() < 0.25:
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        else:
            files = chance.sample("abc", chance.randrange(4))
            one = msgspec.structs.replace(
                status,
                set=name,
                key=str(chance.random()),
                profile=chance.choice(["resume-agent", "url-agent"]),
                executed=f"2026-03-{chance.randrange(1, 28):02}T10:00:00",
                inputs={f"{file}.csv": file * 64 for file in files},
            )
            write_status(tmp_path, one)
        known.look()
        assert known.superseded == one_by_one(known)


def test_five_hundred_equal_reports_take_no_time(tmp_path: Path) -> None:
    status = a_status(tmp_path)
    for number in range(500):
        write_status(tmp_path, msgspec.structs.replace(status, set=f"s{number:04}", key=str(number)))
    known = KnownSets(tmp_path)
    known.look()  # comparing all with all for each would take minutes
    assert set(known.superseded.values()) == {name_of(min(entry.order for entry in known.entries.values()))}
