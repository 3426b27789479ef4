"""What is counted of a set is what its whole files say."""

from pathlib import Path

from reporting.store import STATUS_JSON, CountedSet, count_sets, find_sets
from tests.reporting.index.folders import Folder


def test_what_is_counted_is_what_the_files_say(tmp_path: Path) -> None:
    folder = Folder(tmp_path, 5)
    for _ in range(40):
        folder.change()
    whole = [CountedSet.of(one.set_name, one.published_ns, one.status, one.gate) for one in find_sets(tmp_path)]
    assert sorted(count_sets(tmp_path)) == whole
    assert {one.is_bad for one in whole} == {True, False}


def test_a_status_that_cannot_be_read_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / STATUS_JSON).write_text('{"format_version": 3}')
    assert not [*count_sets(tmp_path)]
