"""What a worker made for one file is gone before the next: children of one task after the other must not grow."""

import gc
import io
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import claiming, shipped_rubrics
from scoring.reading import open_table
from tests.paths import ROOT
from tests.reporting.publishing import publish_report
from tests.scoring.files import score_shipped

NAMES = ("published_table", "h_full", "plan_prose", "move_urls")


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def publish(path: Path, out: Path, key: str) -> None:
    publish_report(score_shipped(path), set_name="s", key=key, out=out)


@pytest.mark.parametrize("name", NAMES)
def test_a_report_leaves_no_circle_behind(tmp_path: Path, name: str) -> None:
    (path,) = (ROOT / "tests/cases" / name).glob("*.csv")
    for key in ("first", "with changes"):  # imports and templates
        publish(path, tmp_path, key)
    gc.collect()
    publish(path, tmp_path, "k")
    assert gc.collect() == 0


def test_a_table_goes_with_its_buffers() -> None:
    (path,) = (ROOT / "tests/cases/published_table").glob("*.csv")
    rubric = claiming(path.name, shipped_rubrics())
    assert rubric is not None
    table = open_table(io.BytesIO(path.read_bytes()), path.name, rubric.columns)
    assert list(table.rows())
    left = weakref.ref(table)
    del table
    assert left() is None
