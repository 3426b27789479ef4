"""Tidying: what is old goes, what is in use stays, and nobody waits for it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reporting.store import private_folder, sweep
from scoring.sets import Plan
from tests.paths import ROOT
from workers.jobs.work_area import EVERY_SECONDS, Collector, Trouble, WorkArea

DAY = 86_400.0


@pytest.fixture
def area(tmp_path: Path) -> WorkArea:
    area = WorkArea(tmp_path / "out")
    area.prepare()
    (area.root / "locks").mkdir()
    return area


def put(area: WorkArea, folder: str, name: str, *, age: float) -> Path:
    path = area.root / folder / name
    path.write_bytes(b"x")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_old_parts_plans_troubles_and_locks_go_and_all_else_stays(area: WorkArea) -> None:
    old = [put(area, folder, "old", age=15 * DAY) for folder in ("parts", "plans", "troubles", "locks")]
    young = [put(area, folder, "young", age=13 * DAY) for folder in ("parts", "plans", "troubles", "locks")]
    rubric = put(area, "rubrics", "old.json", age=100 * DAY)
    Collector(area).step(0.0)
    assert [path.exists() for path in old] == [False] * 4
    assert all(path.exists() for path in (*young, rubric))


def test_a_file_that_was_read_lately_is_in_use(area: WorkArea) -> None:
    path = put(area, "parts", "read", age=100 * DAY)
    os.utime(path, (time.time() - DAY, time.time() - 100 * DAY))
    Collector(area).step(0.0)
    assert path.exists()


def test_a_round_is_done_in_slices_and_comes_again_after_hours(area: WorkArea) -> None:
    paths = [put(area, "parts", str(number), age=100 * DAY) for number in range(20)]
    collector = Collector(area, slice_seconds=0.0)
    collector.step(0.0)
    assert sum(path.exists() for path in paths) == 19
    for step in range(20):
        collector.step(float(step))
    assert not any(path.exists() for path in paths)
    again = put(area, "parts", "again", age=100 * DAY)
    collector.step(EVERY_SECONDS - 1)
    assert again.exists()
    collector.step(EVERY_SECONDS + 20)
    assert not again.exists()


def test_notes_that_go_cost_a_repeated_ask(area: WorkArea) -> None:
    plan = Plan(set_name="s", key="k", rubric_digest="d", engine_version=1, language="ko", inputs=())
    area.write_plan(plan)
    area.write_trouble("s", "k", Trouble("storage", "full"))
    for path in [*(area.root / "plans").iterdir(), *(area.root / "troubles").iterdir()]:
        os.utime(path, (1, 1))
    Collector(area).step(0.0)
    assert area.read_plan("s", "k") is None
    assert area.read_trouble("s", "k") is None


def test_a_work_area_that_is_gone_is_no_error(tmp_path: Path) -> None:
    Collector(WorkArea(tmp_path / "nowhere")).step(0.0)


def test_the_private_folder_of_a_dead_process_is_swept_and_that_of_a_living_one_stays(area: WorkArea) -> None:
    out = area.root.parent
    code = (
        "import os, signal, sys; from pathlib import Path; from reporting.store.staged_files import private_folder\n"
        "with private_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(out)], cwd=ROOT, check=False)
    [dead] = (area.root / "tmp").iterdir()
    with private_folder(out) as folder:
        area.prepare()
        assert folder.exists()
        assert not dead.exists()
    assert not folder.exists()


def test_half_written_state_of_dead_processes_is_swept(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in ("hashes.1-ab.tmp", "hashes.2-cd.tmp", "hashes"))
    for path in (old, young, other):
        path.write_bytes(b"x")
    for path in (old, other):
        os.utime(path, (1, 1))
    assert sweep(tmp_path) == 1
    assert [path.exists() for path in (old, young, other)] == [False, True, True]
